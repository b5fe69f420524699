// What one entry of `history_items` says: a kind of ours, what it was before and is after, who did it and when.
function readHistoryItem(item) {
  if (item === null || typeof item !== "object") return { kind: "unknown", field: null, before: null, after: null };
  const field = item.field ?? null;
  const kinds = {
    status: ["status_changed", (v) => text(v, "status")],
    priority: ["priority_changed", (v) => text(v, "priority")],
    assignee_add: ["assignee_added", person],
    assignee_rem: ["assignee_removed", person],
    follower_add: ["watcher_added", person],
    follower_rem: ["watcher_removed", person],
    due_date: ["due_date_changed", instant],
    start_date: ["start_date_changed", instant],
    name: ["renamed", (v) => v ?? null],
    content: ["description_changed", quill],
    description: ["description_changed", quill],
    tag: ["tags_changed", (v) => list(v).map((tag) => text(tag, "name"))],
    tag_removed: ["tags_changed", (v) => list(v).map((tag) => text(tag, "name"))],
    section_moved: ["moved", (v) => (v ? { id: v.id ?? null, name: v.name ?? null } : null)],
    comment: ["commented", (v) => v ?? null],
    attachments: ["attachment_added", (v) => list(v).length],
    checklist_items_added: ["checklist_changed", (v) => v ?? null],
    checklist_item_resolved: ["checklist_changed", (v) => v ?? null],
    time_estimate: ["time_estimate_changed", duration],
    time_spent: ["time_tracked", duration],
    task_creation: ["created", (v) => v ?? null],
    parent: ["parent_changed", (v) => v ?? null],
    archived: ["archived_changed", (v) => v ?? null],
    custom_field: ["custom_field_changed", (v) => customValue(item.custom_field, v)],
  };
  // A field called `constructor` is none of ours, though every object has one.
  const known = typeof field === "string" && Object.hasOwn(kinds, field);
  const [kind, read] = known ? kinds[field] : ["other", (v) => v ?? null];
  const user = item.user !== null && typeof item.user === "object" ? item.user : {};
  const out = {
    id: item.id ?? null, kind, field, before: read(item.before), after: read(item.after),
    at: item.date ?? null, by: user.id ?? null, by_name: user.username ?? null,
  };
  if (kind === "commented" && item.comment) out.after = item.comment.text_content ?? item.comment.comment_text ?? out.after;
  if (kind === "custom_field_changed" && item.custom_field) {
    out.custom_field = { id: item.custom_field.id ?? null, name: item.custom_field.name ?? null, type: item.custom_field.type ?? null };
  }
  return out;
}

function text(value, key) {
  if (value === null || value === undefined) return null;
  return typeof value === "object" ? value[key] ?? null : value;
}

function list(value) {
  return Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];
}

function person(value) {
  return value !== null && typeof value === "object" ? { id: value.id ?? null, username: value.username ?? null } : value ?? null;
}

function instant(value) {
  if ((typeof value !== "string" && typeof value !== "number") || value === "") return null;
  const ms = Number(value);
  return Number.isFinite(ms) ? ms : null;
}

function duration(value) {
  if (value !== null && typeof value === "object") return instant(value.time ?? value.total_time);
  return instant(value);
}

// Descriptions come as a Quill delta in JSON: its plain text is what people read.
function quill(value) {
  if (typeof value !== "string") return value ?? null;
  try {
    const delta = JSON.parse(value);
    const ops = Array.isArray(delta) ? delta : delta.ops;
    if (Array.isArray(ops)) return ops.map((op) => (typeof op.insert === "string" ? op.insert : "")).join("").trim();
  } catch (notJson) {
    // It is the text itself.
  }
  return value;
}

function customValue(field, value) {
  if (value === null || value === undefined) return null;
  return field ? extractCustomField({ ...field, value }) : value;
}
