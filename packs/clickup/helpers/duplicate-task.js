// Makes a copy of a task in its own list.
async function duplicateTask(args, tools) {
  const { name, ...which } = args;
  const task = await tools.get_task({ ...which, include_markdown_description: true });
  return await tools.create_task(taskCopy(task, name));
}
