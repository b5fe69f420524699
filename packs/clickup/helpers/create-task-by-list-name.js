// Makes a task in a list that is known by its name. Between two lists of one name nobody chooses here: they are told.
async function createTaskByListName(args, tools) {
  const { space_id, folder_id, list_name, ...task } = args;
  const found = folder_id === undefined
    ? await tools.find_folderless_list({ space_id, name: list_name })
    : await tools.find_list({ folder_id, name: list_name });
  const matches = found.matches ?? [];
  if (matches.length !== 1) return { made: false, lists: matches.length === 0 ? (found.available ?? []) : matches };
  return { made: true, task: await tools.create_task({ ...task, list_id: matches[0].id }) };
}
