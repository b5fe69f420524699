// What an API event may name: of what it tells, nothing else is in it.
const NAMED = ["task_id", "list_id", "folder_id", "space_id", "team_id", "goal_id", "key_result_id"];

// Step 1 of webhook-to-structured: which format came, what of it is the task, who sent it. Fails on nothing.
function openWebhook(delivery) {
  const warnings = [];
  const top = plainObject(delivery) ? delivery : {};
  if (!plainObject(delivery)) warnings.push("the delivery is no object");
  const body = plainObject(top.body) ? top.body : {};
  const format = detectPayloadType(delivery);
  if (format === "unknown") warnings.push("the format of the delivery is unknown");
  let payload = null;
  try {
    payload = extractPayload(delivery);
  } catch (error) {
    warnings.push(`the payload could not be reached: ${error.message}`);
  }
  if (!plainObject(payload)) {
    if (format !== "unknown") warnings.push("the delivery holds no payload");
    payload = {};
  }
  const from = (key) => top[key] ?? body[key] ?? null;
  const items = from("history_items");
  const history = Array.isArray(items) ? items.filter(plainObject) : [];
  if (items !== null && !Array.isArray(items)) warnings.push("history_items is no list");
  const event = format === "api_event";
  const ids = Object.fromEntries(NAMED.map((key) => [key, event ? payload[key] ?? null : null]));
  // An event of a folder, a goal and so on tells of no task, and nobody shall look for one.
  const about_task = ids.task_id !== null || (typeof payload.event === "string" && payload.event.startsWith("task"));
  const without_task = event && !about_task;
  if (event && ids.task_id !== null) warnings.push("an API event holds no task: fetch it by task_info.id");
  if (without_task && NAMED.every((key) => ids[key] === null)) warnings.push("the event does not say what it is about");
  return {
    webhook_metadata: {
      format, event: from("event"), webhook_id: from("webhook_id"), trigger_id: from("trigger_id"), auto_id: from("auto_id"),
      delivered_at: from("date"), history_ids: history.map((item) => item.id ?? null),
      goal_id: ids.goal_id, key_result_id: ids.key_result_id, changes: history.map((item) => readHistoryItem(item)),
    },
    task: event ? { id: ids.task_id, list_id: ids.list_id, folder_id: ids.folder_id, space_id: ids.space_id, team_id: ids.team_id } : payload,
    without_task, warnings,
  };
}

function plainObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
