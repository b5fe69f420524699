// The value of a custom field that is expected to be of a type. If the field is of another type, or its value cannot be read as one of
// its type, `value` is null, `raw` is the value as it came, and `warning` names the field, the type that was expected and what was found.
function extractTypedField(field, expected) {
  const known = field !== null && typeof field === "object" ? field : {};
  const type = known.type ?? null;
  const raw = known.value ?? null;
  const called = known.name ?? known.id ?? "without a name";
  const wrong = (found) => ({ value: null, type, raw, warning: `custom field "${called}": expected ${expected}, found ${found}` });
  if (type !== expected) return wrong(type ?? "no type");
  const value = extractCustomField(known);
  return value === null && raw !== null && raw !== "" ? wrong(shape(raw)) : { value, type, warning: null };
}

function shape(value) {
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `${typeof value} ${JSON.stringify(value)}`;
}
