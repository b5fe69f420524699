// The same for a list of entries {id, type?, config?, value}: every wrong one is told, with its place and the mistake that it is.
const MISTAKES = { votes: "votes-field-set", drop_down: "drop-down-by-label", labels: "drop-down-by-label", date: "date-in-seconds" };

function checkFieldEntries(entries) {
  const all = Array.isArray(entries) ? entries : [];
  const wrong = [];
  for (const [index, entry] of all.entries()) {
    const found = checkFieldValue(entry && entry.type, entry && entry.value, entry && entry.config);
    if (!found.valid) {
      const name = (typeof entry.id === "string" && entry.id) || Number.isFinite(entry.id) ? ` (field ${entry.id})` : "";
      const mistake = typeof entry.type === "string" && Object.hasOwn(MISTAKES, entry.type) ? MISTAKES[entry.type] : "wrong-field-value";
      wrong.push({ valid: false, message: `entry ${index}${name}: ${found.message}`, path: `${index}.value`, anti_pattern: mistake });
    }
  }
  return wrong;
}
