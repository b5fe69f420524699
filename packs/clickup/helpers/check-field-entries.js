// The same for a list of entries {id, type?, value}: the first that is wrong is told, with its place.
function checkFieldEntries(entries) {
  const all = Array.isArray(entries) ? entries : [];
  for (const [index, entry] of all.entries()) {
    const found = checkFieldValue(entry && entry.type, entry && entry.value);
    if (!found.valid) {
      const name = entry && entry.id ? ` (field ${entry.id})` : "";
      return { valid: false, message: `entry ${index}${name}: ${found.message}`, path: `/${index}/value` };
    }
  }
  return { valid: true };
}
