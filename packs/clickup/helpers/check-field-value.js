// Whether a value has the shape that a custom field of that type is written with, and lies within what its `type_config` says, if that
// is known. For validators: {valid, message, path, fix}.
const READ_ONLY = ["automatic_progress", "formula", "rollup", "votes", "time_tracking", "signature", "progress_updates"];
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const MAX_SHOWN = 20;

function checkFieldValue(type, value, config) {
  const fine = { valid: true };
  const wrong = (message, fix) => ({ valid: false, message, path: "/value", ...(fix === undefined ? {} : { fix }) });
  if (type === null || type === undefined) return fine;
  if (READ_ONLY.includes(type)) return wrong(`a ${type} field cannot be set through the API`);
  if (value === null) return wrong("null is no value; to clear a field, use remove_custom_field");
  const ids = (list) => Array.isArray(list) && list.every((id) => Number.isSafeInteger(id) || (typeof id === "string" && id !== ""));
  const change = (v) => v !== null && typeof v === "object" && !Array.isArray(v)
    && Object.keys(v).length > 0 && Object.keys(v).every((key) => key === "add" || key === "rem")
    && ids(v.add ?? []) && ids(v.rem ?? []);
  switch (type) {
    case "text":
    case "short_text":
      return typeof value === "string" ? fine : wrong("a text is expected");
    case "url":
      return typeof value === "string" && /^https?:\/\/\S+$/.test(value) ? fine : wrong("an address that begins with https:// is expected");
    case "email":
      return typeof value === "string" && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? fine : wrong("an e-mail address is expected");
    case "phone":
      return typeof value === "string" && /^\+[0-9][0-9 ()-]{6,}$/.test(value) ? fine : wrong("a number with its country code is expected, such as +55 11 98765-4321");
    case "number":
    case "currency":
      return typeof value === "number" ? fine : wrong("a number is expected, not a text", fixedNumber(value));
    case "checkbox":
      return typeof value === "boolean" ? fine : wrong("true or false is expected", fixedTruth(value));
    case "date":
      if (!Number.isSafeInteger(value)) return wrong("a time in milliseconds since 1970 is expected");
      return Math.abs(value) >= 1e11 ? fine : wrong("this is a time in seconds; milliseconds are expected", value * 1000);
    case "drop_down":
      return typeof value === "string" && UUID.test(value) && offered(config, [value]) ? fine : wrong(`the id of an option is expected (a UUID), not its name or position${options(config)}`);
    case "labels":
      return Array.isArray(value) && value.every((id) => typeof id === "string" && UUID.test(id)) && offered(config, value) ? fine : wrong(`a list of ids of options is expected (UUIDs): all that shall be set${options(config)}`);
    case "users":
    case "tasks":
    case "list_relationship":
    case "attachment":
      return change(value) ? fine : wrong("{add: [ids], rem: [ids]} is expected", ids(value) ? { add: value, rem: [] } : undefined);
    case "emoji":
      return Number.isSafeInteger(value) && value >= 0 && value <= stars(config) ? fine : wrong(`a whole number of stars is expected, from 0 to ${stars(config)}`);
    case "manual_progress": {
      if (value === null || typeof value !== "object" || !Number.isFinite(value.current)) return wrong("{current: number} is expected", Number.isFinite(value) ? { current: value } : undefined);
      const { start, end } = config ?? {};
      const outside = Number.isFinite(start) && Number.isFinite(end) && (value.current < start || value.current > end);
      return outside ? wrong(`a number from ${start} to ${end} is expected`) : fine;
    }
    case "location": {
      const at = value !== null && typeof value === "object" ? value.location : null;
      const lies = at !== null && typeof at === "object" && within(at.lat, 90) && within(at.lng, 180);
      return lies && typeof value.formatted_address === "string" ? fine : wrong("{location: {lat, lng}, formatted_address} is expected");
    }
    case "button":
      return wrong("setting a button presses it and starts its automation; do that in ClickUp");
    default:
      return fine;
  }
}

const isRecord = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const known = (config) => (Array.isArray(config?.options) ? config.options.filter(isRecord) : []);
const stars = (config) => (Number.isFinite(config?.count) ? config.count : 5);
const within = (degrees, limit) => Number.isFinite(degrees) && Math.abs(degrees) <= limit;

// Whether the options are there; without a list of them nothing is said against them.
function offered(config, ids) {
  const all = known(config);
  return all.length === 0 || ids.every((id) => all.some((option) => option.id === id.toLowerCase()));
}

function options(config) {
  const all = known(config);
  const named = all.filter((option) => typeof option.id === "string" && typeof (option.name ?? option.label) === "string");
  const shown = named.slice(0, MAX_SHOWN).map((option) => `${option.name ?? option.label} = ${option.id}`).join(", ");
  return named.length === 0 ? "" : `; there are: ${shown}${named.length > MAX_SHOWN ? ", …" : ""}`;
}

function fixedTruth(value) {
  if (value === "true" || value === "false") return value === "true";
  return undefined;
}

function fixedNumber(value) {
  return typeof value === "string" && /^-?[0-9]+(\.[0-9]+)?$/.test(value) ? Number(value) : undefined;
}
