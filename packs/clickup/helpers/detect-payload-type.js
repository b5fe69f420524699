// Which format a delivery has. Asked in this order; the first that fits is the one:
//   1. automation        `event` says "automation_webhook"
//   2. api_event         ClickUp's own webhook of today: `event` and `webhook_id`, and no task in it
//   3. automation_action the automation action "Call webhook": `auto_id` and `trigger_id`
//   4. legacy            `id` and `trigger_id`, and no `event`
//   5. standard          a task under `body.payload`: without `event` and `trigger_id`, or with an `event` of a task
//   6. unknown
// A relay that puts the whole delivery under `body` is looked into.
function detectPayloadType(delivery) {
  const top = delivery !== null && typeof delivery === "object" && !Array.isArray(delivery) ? delivery : {};
  const told = tellFormat(top);
  const inner = top.body !== null && typeof top.body === "object" ? top.body : null;
  if (told === "standard" || told === "unknown") {
    const within = inner === null ? "unknown" : tellFormat(inner);
    if (within !== "unknown" && within !== "standard") return within;
  }
  return told;
}

function tellFormat(value) {
  if (value.event === "automation_webhook") return "automation";
  if (typeof value.event === "string" && value.webhook_id) return "api_event";
  if (value.auto_id && value.trigger_id) return "automation_action";
  if (value.id && value.trigger_id && !value.event) return "legacy";
  const payload = value.body !== null && typeof value.body === "object" ? value.body.payload : undefined;
  if (payload && (!value.trigger_id || value.event)) return "standard";
  if (!value.event && !value.trigger_id && value.payload) return "standard";
  return "unknown";
}
