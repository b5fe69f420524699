// What an update wants, {add, rem}, from whatever came: a list, one id, or the object itself. With `present`, the ids that are assigned
// now, a list means "these and nobody else".
function toAssigneeChange(wanted, present) {
  const ids = (list) => {
    const found = [];
    for (const entry of Array.isArray(list) ? list : list === null || list === undefined ? [] : [list]) {
      const told = entry !== null && typeof entry === "object" ? entry.id : entry;
      const id = typeof told === "string" || typeof told === "number" ? Number(told) : NaN;
      if (!Number.isSafeInteger(id) || id <= 0) throw new Error(`${JSON.stringify(entry)} is no user id; ids are whole numbers`);
      if (!found.includes(id)) found.push(id);
    }
    return found;
  };
  if (wanted !== null && typeof wanted === "object" && !Array.isArray(wanted)) {
    return { add: ids(wanted.add), rem: ids(wanted.rem) };
  }
  const add = ids(wanted);
  const now = ids(present);
  return { add: add.filter((id) => !now.includes(id)), rem: now.filter((id) => !add.includes(id)) };
}
