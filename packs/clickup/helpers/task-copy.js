// What create_task takes to make a copy of a task: everything that can be written, nothing that belongs to the original.
function taskCopy(task, name) {
  const source = task !== null && typeof task === "object" ? task : {};
  const list = (part) => (Array.isArray(part) ? part : []).filter((one) => one !== null && typeof one === "object");
  const number = (value) => {
    const read = typeof value === "string" || typeof value === "number" ? Number(value) : NaN;
    return Number.isFinite(read) ? read : undefined;
  };
  const copy = {
    list_id: source.list && source.list.id,
    name: name ?? `${typeof source.name === "string" ? source.name : "Task"} (copy)`,
    markdown_content: source.markdown_description ?? source.description ?? undefined,
    assignees: list(source.assignees).map((user) => user.id),
    tags: list(source.tags).map((tag) => tag.name),
    priority: source.priority ? number(source.priority.id) : undefined,
    due_date: number(source.due_date),
    start_date: number(source.start_date),
    time_estimate: number(source.time_estimate),
    custom_fields: list(source.custom_fields).flatMap((field) => {
      const value = writable(field);
      return value === undefined ? [] : [{ id: field.id, value }];
    }),
  };
  return Object.fromEntries(Object.entries(copy).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)));
}

// A value as it is written, from the value as it is read.
function writable(field) {
  const read = extractCustomField(field);
  if (read === null || (Array.isArray(read) && read.length === 0)) return undefined;
  switch (field.type) {
    case "date": return read.ms;
    case "drop_down": return read.id;
    case "labels": return read.map((label) => label.id);
    case "users":
    case "tasks":
    case "list_relationship": return { add: read.map((one) => one.id), rem: [] };
    case "emoji": return read.rating;
    case "manual_progress": return read.current === null ? undefined : { current: read.current };
    case "location": return { location: { lat: read.lat, lng: read.lng }, formatted_address: read.address };
    case "text": case "short_text": case "email": case "phone": case "url": case "number": case "currency": case "checkbox": return read;
    default: return undefined;
  }
}
