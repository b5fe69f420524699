// The id of an option of a drop_down or labels field by what people read: drop_down options have a name, those of labels a label.
function resolveOptionId(name, field) {
  const options = ((field && field.type_config) || {}).options || [];
  const label = (option) => (option.name !== undefined ? option.name : option.label);
  const wanted = normalizeName(name);
  const found = options.find((option) => option.id === name) || options.find((option) => normalizeName(label(option)) === wanted);
  if (found === undefined) {
    const names = options.map(label).join(", ");
    throw new Error(`"${name}" is no option of "${field && field.name}". Available options: ${names || "none"}`);
  }
  return found.id;
}
