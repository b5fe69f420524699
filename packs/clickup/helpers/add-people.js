// Step 3: who has to do with it, and what it has to do with.
function addPeople(value) {
  const warnings = [...value.warnings];
  const task = value.task;
  const list = (key) => {
    const came = task[key];
    if (came === null || came === undefined) return [];
    if (!Array.isArray(came)) {
      warnings.push(`${key} is no list`);
      return [];
    }
    return came.filter((entry) => entry !== null && entry !== undefined);
  };
  const person = (user) => (typeof user === "object"
    ? { id: user.id ?? null, username: user.username ?? null, email: user.email ?? null }
    : { id: user, username: null, email: null });
  const people = {
    creator: task.creator === null || task.creator === undefined ? null : person(task.creator),
    assignees: list("assignees").map(person), watchers: list("watchers").map(person),
    group_assignees: list("group_assignees").map((group) => (typeof group === "object" ? group.id ?? null : group)),
  };
  const relationships = {
    parent: task.parent ?? null, top_level_parent: task.top_level_parent ?? null,
    subtasks: list("subtasks").map((one) => ({ id: one.id ?? null, name: one.name ?? null })),
    linked_tasks: list("linked_tasks").map((one) => one.link_id ?? one.task_id ?? one.id ?? null),
    dependencies: list("dependencies").map((one) => ({ task_id: one.task_id ?? null, depends_on: one.depends_on ?? null })),
    tags: list("tags").map((tag) => (typeof tag === "object" ? tag.name ?? null : tag)),
    checklists: list("checklists").map((one) => ({ id: one.id ?? null, name: one.name ?? null, resolved: one.resolved ?? null, unresolved: one.unresolved ?? null })),
    attachments: list("attachments").map((one) => ({ id: one.id ?? null, title: one.title ?? null, url: one.url ?? null })),
  };
  return { ...value, people, relationships, warnings };
}
