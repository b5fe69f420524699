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
  if (event) warnings.push("an API event holds no task: fetch it by task_info.id");
  return {
    webhook_metadata: {
      format, event: from("event"), webhook_id: from("webhook_id"), trigger_id: from("trigger_id"), auto_id: from("auto_id"),
      delivered_at: from("date"), history_ids: history.map((item) => item.id ?? null),
      changes: history.map((item) => readHistoryItem(item)),
    },
    task: event ? { id: payload.task_id ?? null, list: payload.list_id ? { id: payload.list_id } : undefined } : payload,
    warnings,
  };
}

function plainObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
