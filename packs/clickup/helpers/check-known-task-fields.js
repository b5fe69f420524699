// The same for the custom fields of several new tasks of one list.
function checkKnownTaskFields(tasks, answer) {
  const all = Array.isArray(tasks) ? tasks : [];
  return all.flatMap((task, index) =>
    checkKnownFields(task && task.custom_fields, answer).map((wrong) => ({ ...wrong, path: `${index}.custom_fields.${wrong.path}` })));
}
