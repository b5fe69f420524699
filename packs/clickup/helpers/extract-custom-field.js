// The value of a custom field as people mean it, whatever its type. Absent, null and empty are the same: [] where there may be several,
// null otherwise. An unknown type gives its value as it came.
const SEVERAL = ["labels", "users", "tasks", "list_relationship", "attachment"];

function extractCustomField(field) {
  if (field === null || typeof field !== "object") return null;
  const several = SEVERAL.includes(field.type);
  const value = field.value;
  if (value === null || value === undefined || value === "") return several ? [] : null;
  if (several && !Array.isArray(value)) return [];
  const config = field.type_config || {};
  switch (field.type) {
    case "number":
    case "currency":
      return toNumber(value);
    case "emoji":
      return { rating: toNumber(value), of: toNumber(config.count) };
    case "checkbox":
      return value === true || value === "true" || value === 1 || value === "1";
    case "date":
      return toInstant(value);
    case "drop_down":
      return chosenOption(value, config.options);
    case "labels":
      return value.map((entry) => labelOf(entry, config.options)).filter((label) => label !== null);
    case "users":
      return value.filter(isObject).map((user) => ({
        id: user.id ?? null, username: user.username ?? null, email: user.email ?? null, profilePicture: user.profilePicture ?? null,
      }));
    case "tasks":
    case "list_relationship":
      return value.filter(isObject).map((task) => ({
        id: task.id ?? null, name: task.name ?? null, status: task.status ?? null, url: task.url ?? null,
      }));
    case "attachment":
      return value.filter(isObject).map((file) => ({
        id: file.id ?? null, url: file.url ?? null, title: file.title ?? null, size: toNumber(file.size), mimetype: file.mimetype ?? null,
      }));
    case "location":
      return place(value);
    case "manual_progress":
    case "automatic_progress":
      return progress(value, config);
    case "rollup":
      return isObject(value) && Array.isArray(value.computations)
        ? value.computations.filter(isObject).map((one) => ({ calculation: one.calculation ?? null, value: one.value ?? null }))
        : value;
    case "time_tracking":
      return timeTracked(value);
    case "votes":
      return isObject(value) ? { count: toNumber(value.count ?? value.votes), voters: value.voters ?? value.users ?? [] } : toNumber(value);
    case "formula":
      return calculated(value, config);
    default:
      return value;
  }
}

// What a formula came to, and the version of the formula that gave it: a value of another version is not comparable.
function calculated(value, config) {
  const [computed, version] = isObject(value) && "value" in value ? [value.value ?? null, value.version] : [value, undefined];
  const own = version ?? config.version ?? null;
  return computed === null && own === null ? null : { value: computed, version: own };
}

function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function toNumber(value) {
  if ((typeof value !== "string" && typeof value !== "number") || value === "") return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

// Milliseconds come as a text or a number; both are given back, with the time as people write it.
function toInstant(value) {
  const ms = toNumber(value);
  if (ms === null || Math.abs(ms) > 8.64e15) return null;
  return { ms, iso: new Date(ms).toISOString() };
}

// A drop_down is written by the option's id and read as its position: both are understood.
function chosenOption(value, options) {
  const all = Array.isArray(options) ? options.filter(isObject) : [];
  const key = isObject(value) ? value.id : value;
  const position = toNumber(key);
  const found = all.find((option) => option.id === key)
    || all.find((option) => position !== null && toNumber(option.orderindex) === position);
  if (found === undefined) return null;
  return { id: found.id ?? null, name: found.name ?? null, color: found.color ?? null, orderindex: toNumber(found.orderindex) };
}

function labelOf(entry, options) {
  const all = Array.isArray(options) ? options.filter(isObject) : [];
  const id = isObject(entry) ? entry.id : entry;
  const found = all.find((option) => option.id === id) || (isObject(entry) ? entry : undefined);
  if (found === undefined) return null;
  return { id: found.id ?? null, label: found.label ?? found.name ?? null, color: found.color ?? null };
}

function place(value) {
  if (!isObject(value)) return null;
  const at = isObject(value.location) ? value.location : {};
  const [lat, lng, address] = [toNumber(at.lat), toNumber(at.lng), value.formatted_address ?? null];
  return lat === null && lng === null && address === null ? null : { lat, lng, address };
}

function progress(value, config) {
  if (!isObject(value)) {
    const percent = toNumber(value);
    return percent === null ? null : { percent, current: null };
  }
  const current = toNumber(value.current);
  let percent = toNumber(value.percent_complete ?? value.percent_completed);
  const [start, end] = [toNumber(config.start), toNumber(config.end)];
  if (percent === null && current !== null && start !== null && end !== null && end !== start) {
    percent = Math.round(((current - start) / (end - start)) * 100);
  }
  return percent === null && current === null ? null : { percent, current };
}

function timeTracked(value) {
  if (!isObject(value)) {
    const total = toNumber(value);
    return total === null ? null : { total_ms: total, hours: total / 3600000, intervals: [] };
  }
  const intervals = (Array.isArray(value.intervals) ? value.intervals : []).filter(isObject).map((one) => ({
    start: toNumber(one.start), end: toNumber(one.end), time: toNumber(one.time),
  }));
  const told = toNumber(value.total_time);
  const total = told ?? intervals.reduce((sum, one) => sum + (one.time ?? 0), 0);
  return { total_ms: total, hours: total / 3600000, intervals };
}
