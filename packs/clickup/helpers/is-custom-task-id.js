// "CORTE-42", "PROJ_456" and "BUG.789" are custom ids; everything else is taken for ClickUp's own, such as "86b4bnnny".
// A workspace may have prefixes of another form: whoever knows better says so by `custom_task_ids`.
function isCustomTaskId(id) {
  return typeof id === "string" && /^[A-Z][A-Z0-9]*[-_.][0-9]+$/.test(id);
}
