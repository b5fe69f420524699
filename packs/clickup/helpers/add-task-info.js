// Step 2: the task itself and where it lies. Understands both ways in which ClickUp writes a task.
function addTaskInfo(value) {
  const warnings = [...value.warnings];
  const task = value.task;
  const object = (part) => (part !== null && typeof part === "object" && !Array.isArray(part) ? part : {});
  // Only texts and numbers are read: an object need not be one that can be made either.
  const instant = (came) => {
    if (typeof came === "number") return came;
    if (typeof came !== "string") return NaN;
    return /^-?[0-9]+$/.test(came) ? Number(came) : Date.parse(came);
  };
  const when = (key) => {
    const came = task[key];
    if (came === null || came === undefined || came === "") return null;
    const ms = instant(came);
    if (!Number.isFinite(ms) || Math.abs(ms) > 8.64e15) {
      warnings.push(`${key} is no time: ${JSON.stringify(came).slice(0, 60)}`);
      return null;
    }
    return new Date(ms).toISOString();
  };
  const number = (key) => {
    const came = task[key];
    if (came === null || came === undefined || came === "") return null;
    const read = typeof came === "string" || typeof came === "number" ? Number(came) : NaN;
    if (Number.isFinite(read)) return read;
    warnings.push(`${key} is no number: ${JSON.stringify(came).slice(0, 60)}`);
    return null;
  };
  const status = object(task.status);
  const priority = object(task.priority);
  const task_info = {
    id: task.id ?? null, custom_id: task.custom_id ?? null, custom_item_id: task.custom_item_id ?? null,
    name: task.name ?? null, description: task.description ?? task.content ?? null, text_content: task.text_content ?? null,
    status: typeof task.status === "string" ? task.status : status.status ?? null,
    status_type: status.type ?? null, status_id: status.id ?? task.status_id ?? null, status_color: status.color ?? null,
    priority: typeof task.priority === "object" ? priority.priority ?? null : task.priority ?? null,
    date_created: when("date_created"), date_updated: when("date_updated"), date_closed: when("date_closed"), date_done: when("date_done"),
    due_date: when("due_date"), start_date: when("start_date"),
    points: number("points") ?? number("sprint_points"), time_estimate_ms: number("time_estimate"), time_spent_ms: number("time_spent"),
    orderindex: task.orderindex ?? null, archived: task.archived === true, url: task.url ?? null,
    permission_level: task.permission_level ?? null,
  };
  if (task_info.id === null && value.without_task !== true) warnings.push("the task has no id");
  const place = (part, id) => ({ id: object(part).id ?? id ?? null, name: object(part).name ?? null });
  const hierarchy = {
    team: { id: task.team_id ?? task.workspace_id ?? null, name: null },
    space: place(task.space, task.space_id), folder: place(task.folder ?? task.project, task.folder_id),
    list: place(task.list, task.subcategory ?? task.list_id),
  };
  return { ...value, task_info, hierarchy, warnings };
}
