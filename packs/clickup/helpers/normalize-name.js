// A name as a key: "Código do Cliente (novo)" becomes "codigo_do_cliente_novo".
function normalizeName(name) {
  // Whatever else a stranger sends has no name to read: an object may not even be made a text.
  if (typeof name !== "string" && typeof name !== "number") return "";
  return String(name)
    .normalize("NFD")
    .replace(/\p{Diacritic}/gu, "")
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}]+/gu, "_")
    .replace(/^_+|_+$/g, "");
}
