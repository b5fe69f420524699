// The part of a delivery that is about the task, or null. An API event has no task in it: the event itself is given.
function extractPayload(delivery) {
  const top = delivery !== null && typeof delivery === "object" ? delivery : {};
  const body = top.body !== null && typeof top.body === "object" ? top.body : {};
  const nested = body.payload !== null && typeof body.payload === "object" ? body.payload.payload : undefined;
  switch (detectPayloadType(delivery)) {
    case "automation":
      return top.payload || nested || body.payload || null;
    case "automation_action":
    case "legacy":
      return top.payload || body.payload || null;
    case "standard":
      return body.payload || top.payload || null;
    case "api_event":
      return typeof top.event === "string" ? top : body;
    default:
      return null;
  }
}
