// Step 5: counts, and the order in which readers expect the parts.
function finishStructured(value) {
  const fields = Object.values(value.custom_fields);
  const empty = (one) => one.value === null || (Array.isArray(one.value) && one.value.length === 0);
  const summary = {
    assignees: value.people.assignees.length, watchers: value.people.watchers.length,
    subtasks: value.relationships.subtasks.length, linked_tasks: value.relationships.linked_tasks.length,
    dependencies: value.relationships.dependencies.length, tags: value.relationships.tags.length,
    checklists: value.relationships.checklists.length, attachments: value.relationships.attachments.length,
    custom_fields: fields.length, custom_fields_filled: fields.filter((one) => !empty(one)).length,
    changes: value.webhook_metadata.changes.length, warnings: value.warnings.length,
  };
  const { webhook_metadata, task_info, hierarchy, people, relationships, custom_fields, warnings } = value;
  return { webhook_metadata, task_info, hierarchy, people, relationships, custom_fields, summary, warnings };
}
