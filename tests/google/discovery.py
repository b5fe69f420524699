"""Judges requests to the fake of Google Calendar, and its answers, by the discovery document of the API.

    discovery.py WHEEL EXCHANGES    judges a file of exchanges, one JSON object per line; exits with 1 if anything does not fit
    discovery.py WHEEL --self-test  shows that the judge finds what does not fit

WHEEL is Google's package google-api-python-client, which holds the document. The tests write EXCHANGES if
BALCAO_GOOGLE_EXCHANGES names it. The judge shares no code with the fake and none with the client.
"""

import datetime
import json
import re
import sys
import urllib.parse
import zipfile

DOCUMENT = "googleapiclient/discovery_cache/documents/calendar.v3.json"
# Every method that the client calls. A file of exchanges without one of them judges less than it seems to.
METHODS = [
    "calendar.calendarList.list",
    "calendar.channels.stop",
    "calendar.events.delete",
    "calendar.events.get",
    "calendar.events.insert",
    "calendar.events.list",
    "calendar.events.move",
    "calendar.events.patch",
    "calendar.events.watch",
    "calendar.freebusy.query",
]


class Judge:
    """The methods and schemas of a discovery document."""

    def __init__(self, document):
        self.schemas = document["schemas"]
        self.common = document["parameters"]
        self.methods = []
        for resource in document["resources"].values():
            for method in resource["methods"].values():
                parts = re.split(r"\{(\w+)\}", document["servicePath"] + method["path"])
                pattern = "/"
                for number, part in enumerate(parts):
                    pattern += f"(?P<{part}>[^/]+)" if number % 2 else re.escape(part)
                self.methods.append((re.compile(pattern + "$"), method))

    def method(self, exchange):
        """The method that a request calls, with the parameters of its path."""
        path = exchange["target"].partition("?")[0]
        for pattern, method in self.methods:
            found = pattern.match(path)
            if found and method["httpMethod"] == exchange["method"]:
                return method, found.groupdict()
        return None, {}

    def judge(self, exchange):
        """What does not fit in an exchange: a list of sentences."""
        method, in_path = self.method(exchange)
        if method is None:
            return [f"no method {exchange['method']} {exchange['target']}"]
        problems = list(self.query(method, in_path, exchange["target"].partition("?")[2]))
        body = exchange["body"]
        if "request" in method:
            problems += self.value(body, method["request"], "body", True)
        elif body is not None:
            problems.append("a body where the method takes none")
        # Events that a test made unreadable on purpose fit no schema.
        if exchange["status"] == 200 and not exchange["planted"]:
            if "response" not in method:
                problems.append("an answer with a body where the method gives none")
            else:
                problems += self.value(exchange["answer"], method["response"], "answer", False)
        return [f"{method['id']}: {problem}" for problem in problems]

    def query(self, method, in_path, query):
        pairs = urllib.parse.parse_qsl(query, keep_blank_values=True)
        known = {**self.common, **method.get("parameters", {})}
        given = [(name, urllib.parse.unquote(value)) for name, value in in_path.items()] + pairs
        for name in sorted({name for name, _ in given}):
            values = [value for one, value in given if one == name]
            if name not in known:
                yield f"unknown parameter `{name}`"
                continue
            if len(values) > 1 and not known[name].get("repeated"):
                yield f"parameter `{name}` stands there {len(values)} times"
            if (known[name].get("location") == "path") != (name in in_path):
                yield f"parameter `{name}` is at the wrong place"
            for value in values:
                yield from self.text(value, known[name], f"parameter `{name}`")
        for name, parameter in method.get("parameters", {}).items():
            if parameter.get("required") and name not in dict(given):
                yield f"parameter `{name}` is missing"

    def text(self, value, parameter, where):
        """A parameter of an address."""
        kind = parameter["type"]
        if kind == "boolean" and value not in ("true", "false"):
            yield f"{where} is `{value}`; expected true or false"
        elif kind == "integer" and not re.fullmatch(r"-?\d+", value):
            yield f"{where} is `{value}`; expected a whole number"
        elif kind == "integer":
            low, high = int(parameter.get("minimum", value)), int(parameter.get("maximum", value))
            if not low <= int(value) <= high:
                yield f"{where} is {value}; expected {low} to {high}"
        elif "enum" in parameter and value not in parameter["enum"]:
            yield f"{where} is `{value}`; expected one of {parameter['enum']}"
        elif not has_format(value, parameter.get("format")):
            yield f"{where} is `{value}`; expected {parameter['format']}"

    def value(self, value, schema, where, is_request):
        """A JSON value. `null` in a request takes a field out."""
        if "$ref" in schema:
            schema = self.schemas[schema["$ref"]]
        if value is None:
            if not is_request or where == "body":
                yield f"{where} is missing or null"
            return
        if is_request and "Read-only." in schema.get("description", ""):
            yield f"{where} is read-only"
        kind = schema["type"]
        kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)}
        if kind in kinds and (not isinstance(value, kinds[kind]) or (kind == "integer" and isinstance(value, bool))):
            yield f"{where} is {json.dumps(value)[:60]}; expected {kind}"
        elif kind == "object":
            fields, others = schema.get("properties", {}), schema.get("additionalProperties")
            for name, one in value.items():
                if name in fields or others:
                    yield from self.value(one, fields.get(name, others), f"{where}.{name}", is_request)
                else:
                    yield f"unknown field {where}.{name}"
        elif kind == "array":
            for one in value:
                yield from self.value(one, schema["items"], f"{where}[]", is_request)
        elif kind == "string" and not has_format(value, schema.get("format")):
            yield f"{where} is `{value}`; expected {schema['format']}"


def has_format(text, name):
    """Whether a text has a format of the document; a format that is not known here is not judged."""
    try:
        if name == "date-time":
            at = datetime.datetime.fromisoformat(text)
            return "T" in text and at.tzinfo is not None
        if name == "date":
            return bool(re.fullmatch(r"\d{4}-\d{2}-\d{2}", text)) and bool(datetime.date.fromisoformat(text))
    except ValueError:
        return False
    return re.fullmatch(r"-?\d+", text) is not None if name in ("int32", "int64", "uint32") else True


def self_test(judge):
    """One exchange that fits, and what is wrong with it after each change."""
    time = {"dateTime": "2026-11-27T15:00:00-03:00", "timeZone": "America/Sao_Paulo"}
    good = {
        "method": "POST",
        "target": "/calendar/v3/calendars/a%40b.example/events?sendUpdates=none&quotaUser=org_7",
        "body": {"id": "visit1", "start": time, "end": time, "extendedProperties": {"private": {"a": "1"}}},
        "status": 200,
        "answer": {"kind": "calendar#event", "id": "visit1", "etag": '"1"', "start": time, "sequence": 0},
        "planted": False,
    }
    assert judge.judge(good) == [], judge.judge(good)
    target = good["target"]
    wrong = [
        ({"target": target + "&tellGuests=no"}, "unknown parameter `tellGuests`"),
        ({"target": target.replace("none", "nobody")}, "expected one of"),
        ({"target": target + "&maxAttendees=many"}, "expected a whole number"),
        ({"target": target + "&sendUpdates=none"}, "2 times"),
        ({"target": target.replace("/events", "/meetings")}, "no method"),
        ({"method": "PUT"}, "no method"),
        ({"body": {**good["body"], "sumary": "Corte"}}, "unknown field body.sumary"),
        ({"body": {**good["body"], "start": {"dateTime": "2026-11-27T15:00:00"}}}, "expected date-time"),
        ({"body": {**good["body"], "start": {"date": "27/11/2026"}}}, "expected date"),
        ({"body": {**good["body"], "extendedProperties": {"private": {"a": 1}}}}, "expected string"),
        ({"body": {**good["body"], "htmlLink": "x"}}, "read-only"),
        ({"body": None}, "missing"),
        ({"answer": {**good["answer"], "titel": "x"}}, "unknown field answer.titel"),
        ({"answer": {**good["answer"], "sequence": "0"}}, "expected integer"),
    ]
    for changes, expected in wrong:
        found = judge.judge({**good, **changes})
        assert any(expected in one for one in found), (changes, expected, found)
    return len(wrong)


def main(wheel, exchanges):
    judge = Judge(json.loads(zipfile.ZipFile(wheel).read(DOCUMENT)))
    if exchanges == "--self-test":
        print(f"the judge finds {self_test(judge)} planted mistakes")
        return 0
    seen, problems, count = set(), {}, 0
    with open(exchanges, encoding="utf-8") as lines:
        for line in lines:
            exchange = json.loads(line)
            count += 1
            if exchange["status"] in (200, 204):
                seen.add((judge.method(exchange)[0] or {}).get("id"))
            for problem in judge.judge(exchange):
                problems.setdefault(problem, exchange)
    for problem, exchange in problems.items():
        print(f"{problem}\n    {exchange['method']} {exchange['target']}", file=sys.stderr)
    missing = [method for method in METHODS if method not in seen]
    if missing:
        print(f"no exchange of {', '.join(missing)}: the judge saw too little", file=sys.stderr)
    print(f"{count} exchanges judged by the discovery document, {len(problems)} kinds of mistakes")
    return 1 if problems or missing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
