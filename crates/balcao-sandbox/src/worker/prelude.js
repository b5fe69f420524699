// The realm a helper sees: time is the call's, chance does not exist, threads do not exist. Runs first in every context.
// `glue` is taken away by the worker before any helper runs.
const { construct } = Reflect;
const { defineProperty, keys, create } = Object;
const RealDate = Date;
let now = 0;
let looked = false;

function time() {
  looked = true;
  return now;
}
function HelperDate(...parts) {
  if (new.target === undefined) return new RealDate(time()).toString();
  return construct(RealDate, parts.length === 0 ? [time()] : parts, new.target);
}
const hidden = (object, name, value) => defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });
defineProperty(HelperDate, "prototype", { value: RealDate.prototype, writable: false });
hidden(HelperDate, "name", "Date");
hidden(HelperDate, "length", 7);
hidden(HelperDate, "now", function () { return time(); });
hidden(HelperDate, "parse", RealDate.parse);
hidden(HelperDate, "UTC", RealDate.UTC);
hidden(RealDate.prototype, "constructor", HelperDate);
hidden(globalThis, "Date", HelperDate);
hidden(Math, "random", function () { throw new TypeError("Math.random is not available: the same call must give the same answer"); });
delete globalThis.eval; // Empty: this engine has no compiler.
delete globalThis.Atomics;
delete globalThis.SharedArrayBuffer;

const loaded = create(null);
let entry, problem;

const plain = (text) => text.toLowerCase().replace(/[-_. /]/g, "");
const camel = (text) => text.replace(/[-_. /]+(.)?/g, (_, next) => (next === undefined ? "" : next.toUpperCase()));

// Looks through what a helper declared and exported; makes its functions global for those that depend on it.
function add(namespace, id, name) {
  const exported = globalThis.module.exports;
  const whole = namespace.default;
  const found = create(null);
  const gather = (object) => {
    for (const key of keys(object)) if (typeof object[key] === "function" && key !== "default") found[key] = object[key];
  };
  if (namespace.__functions !== undefined) gather(namespace.__functions());
  for (const object of [namespace, whole, exported]) if (typeof object === "object" && object !== null) gather(object);
  delete found.__functions;
  const names = keys(found);
  const global = camel(id);
  const named = (wanted) => {
    if (typeof found[wanted] === "function") return wanted;
    const same = plain(wanted);
    return names.find((key) => plain(key) === same);
  };
  if (typeof whole === "function") entry = whole;
  else if (typeof exported === "function") entry = exported;
  else entry = found[(name === undefined ? undefined : named(name)) ?? named(global) ?? (names.length === 1 ? names[0] : "")];
  problem = entry !== undefined ? undefined
    : names.length === 0 ? "no function: write `function " + global + "(payload) { … }`, an arrow, `module.exports = …` or `export default …`"
    : "several functions (" + names.join(", ") + "), and none is called `" + (name ?? global) + "`";
  for (const key of names) globalThis[key] = found[key];
  if (entry !== undefined) {
    globalThis[global] = entry;
    if (entry.name !== "" && entry.name !== "default") globalThis[entry.name] = entry;
  }
  const empty = typeof exported === "object" && exported !== null && keys(exported).length === 0;
  loaded[plain(id)] = empty ? (entry ?? found) : exported;
  return names.length > 0 || entry !== undefined;
}

globalThis.glue = {
  begin(moment) { now = moment; },
  // Whether somebody asked for the time: what was loaded then is of that time.
  looked() { return looked; },
  open() {
    globalThis.exports = {};
    globalThis.module = { exports: globalThis.exports };
  },
  add,
  problem() { return problem; },
  call(input) {
    if (entry === undefined) throw new TypeError(problem);
    globalThis.$json = input[0];
    return entry.apply(undefined, input);
  },
};

hidden(globalThis, "require", function require(name) {
  const found = loaded[plain(String(name).replace(/^.*\//, "").replace(/\.[cm]?js$/, ""))];
  if (found === undefined) throw new TypeError("require: `" + name + "` is not among the helper's dependencies");
  return found;
});
