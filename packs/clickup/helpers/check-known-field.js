// The same for one field.
function checkKnownField(id, value, answer) {
  const places = { "0.id": "/field_id", "0.value": "/value" };
  return checkKnownFields([{ id, value }], answer).map((wrong) => {
    return { ...wrong, message: wrong.message.replace("entry 0 ", ""), path: Object.hasOwn(places, wrong.path) ? places[wrong.path] : wrong.path };
  });
}
