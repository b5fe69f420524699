// The id of an option of a drop_down or labels field by what people read: drop_down options have a name, those of labels a label.
function resolveOptionId(name, field) {
  const came = ((field && field.type_config) || {}).options;
  const options = (Array.isArray(came) ? came : []).filter((option) => option !== null && typeof option === "object");
  const text = (part) => (typeof part === "string" || typeof part === "number" ? String(part) : JSON.stringify(part ?? null));
  const label = (option) => (option.name !== undefined ? option.name : option.label);
  const wanted = normalizeName(name);
  const found = options.find((option) => option.id === name) || options.find((option) => normalizeName(label(option)) === wanted);
  if (found === undefined) {
    const names = options.map((option) => text(label(option))).join(", ");
    throw new Error(`"${text(name)}" is no option of "${text(field && field.name)}". Available options: ${names || "none"}`);
  }
  return found.id;
}
