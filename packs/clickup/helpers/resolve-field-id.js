// The id of a custom field by its name, whatever its case and accents. A miss lists the names that there are.
function resolveFieldId(name, fields) {
  const came = Array.isArray(fields) ? fields : fields && fields.fields;
  const all = (Array.isArray(came) ? came : []).filter((field) => field !== null && typeof field === "object");
  const text = (part) => (typeof part === "string" || typeof part === "number" ? String(part) : JSON.stringify(part ?? null));
  const same = all.filter((field) => field.id === name);
  const wanted = normalizeName(name);
  const found = same.length > 0 ? same : all.filter((field) => normalizeName(field.name) === wanted);
  const names = all.map((field) => text(field.name)).join(", ");
  if (found.length === 0) throw new Error(`There is no custom field "${text(name)}". Available fields: ${names || "none"}`);
  if (found.length > 1) {
    const ids = found.map((field) => `${text(field.id)} (${text(field.type)})`).join(", ");
    throw new Error(`Several custom fields are called "${text(name)}": ${ids}. Use the id`);
  }
  return found[0].id;
}
