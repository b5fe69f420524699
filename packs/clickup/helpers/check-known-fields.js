// Entries {id, value} against the fields as ClickUp has them: the answer of list_custom_fields or of get_task. Its word on the type counts,
// not the call's. A field that a list lacks is told by another check; one that a task lacks is told here.
const MAX_FIELDS_SHOWN = 20;

function checkKnownFields(entries, answer) {
  const all = Array.isArray(entries) ? entries : [];
  if (answer === null || answer === undefined) {
    return [{ valid: false, message: "there is no such task, so the types of its fields are not known", path: "/task_id" }];
  }
  const told = answer.fields ?? answer.custom_fields;
  const fields = (Array.isArray(told) ? told : []).filter((field) => field && typeof field.id === "string");
  const text = (part) => (typeof part === "string" || typeof part === "number" ? String(part) : JSON.stringify(part ?? null));
  const real = (entry) => fields.find((field) => field.id === text(entry?.id).toLowerCase());
  const missing = answer.fields ? [] : [...all.entries()].filter(([, entry]) => !real(entry)).map(([index, entry]) => {
    const shown = fields.slice(0, MAX_FIELDS_SHOWN).map((field) => `${text(field.name)} = ${field.id}`).join(", ");
    const message = `the task has no field ${text(entry?.id)}; it has: ${shown || "none"}${fields.length > MAX_FIELDS_SHOWN ? ", …" : ""}`;
    return { valid: false, message, path: `${index}.id`, anti_pattern: "wrong-field-id" };
  });
  const typed = all.map((entry) => {
    const field = real(entry);
    return field ? { id: `${text(field.name)}, of the type ${text(field.type)}`, type: field.type, config: field.type_config, value: entry.value } : {};
  });
  return [...missing, ...checkFieldEntries(typed)];
}
