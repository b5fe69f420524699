// The custom fields of a task, on its own or as `task`, or of each task of a list, with their values as people mean them. A task on its own keeps its empty fields,
// whose ids are needed to set them; a list leaves them out.
function readCustomFields(result) {
  if (Array.isArray(result.tasks)) return { ...result, tasks: result.tasks.map((task) => withReadFields(task, false)) };
  if (result.task !== null && typeof result.task === "object") return { ...result, task: withReadFields(result.task, true) };
  return withReadFields(result, true);
}

function withReadFields(task, keepsEmpty) {
  if (task === null || typeof task !== "object") return task;
  const read = { ...task };
  if (Array.isArray(task.custom_fields)) {
    const fields = task.custom_fields.filter((field) => field !== null && typeof field === "object").map(readField);
    read.custom_fields = keepsEmpty ? fields : fields.filter((field) => field.warning || !isEmpty(field.value));
  }
  if (Array.isArray(task.subtasks)) read.subtasks = task.subtasks.map((subtask) => withReadFields(subtask, false));
  return read;
}

function readField(field) {
  const { value, raw, warning } = extractTypedField(field, field.type ?? null);
  const read = { id: field.id ?? null, name: field.name ?? null, type: field.type ?? null, value };
  return warning === null ? read : { ...read, raw, warning };
}

function isEmpty(value) {
  return value === null || (Array.isArray(value) && value.length === 0);
}
