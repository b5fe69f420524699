// A name as a key: "Código do Cliente (novo)" becomes "codigo_do_cliente_novo".
function normalizeName(name) {
  if (name === null || name === undefined) return "";
  return String(name)
    .normalize("NFD")
    .replace(/\p{Diacritic}/gu, "")
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}]+/gu, "_")
    .replace(/^_+|_+$/g, "");
}
