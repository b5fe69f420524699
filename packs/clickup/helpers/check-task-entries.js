// The same for the custom fields of several new tasks.
function checkTaskEntries(tasks) {
  const all = Array.isArray(tasks) ? tasks : [];
  return all.flatMap((task, index) =>
    checkFieldEntries(task && task.custom_fields).map((wrong) => ({ ...wrong, path: `${index}.custom_fields.${wrong.path}` })));
}
