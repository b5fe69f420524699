// Step 4: every custom field under its normalised name, with its value as people mean it. Two of one name are told apart by a number.
function addCustomFields(value) {
  const warnings = [...value.warnings];
  const came = value.task.custom_fields ?? value.task.fields ?? [];
  const custom_fields = {};
  if (!Array.isArray(came)) warnings.push("custom_fields is no list");
  for (const [index, field] of (Array.isArray(came) ? came : []).entries()) {
    if (field === null || typeof field !== "object") {
      warnings.push(`custom field ${index} is no object`);
      continue;
    }
    const base = normalizeName(field.name) || `field_${index}`;
    const called = typeof field.name === "string" || typeof field.name === "number" ? `custom field "${field.name}"` : `custom field ${index}`;
    let key = base;
    for (let number = 2; Object.hasOwn(custom_fields, key); number += 1) key = `${base}_${number}`;
    let extracted = null;
    try {
      extracted = extractCustomField(field);
    } catch (error) {
      warnings.push(`${called} could not be read: ${error.message}`);
    }
    if (field.type === undefined || field.type === null) warnings.push(`${called} has no type`);
    custom_fields[key] = { id: field.id ?? null, name: field.name ?? null, type: field.type ?? null, value: extracted };
  }
  return { ...value, custom_fields, warnings };
}
