// The eight digits of a CEP as people write it: 01001-000, 01.001-000, CEP 01001 000.
function plainPostcode(text) {
  const digits = String(text).normalize("NFKC").replace(/\D/g, "");
  if (digits.length !== 8) throw new Error(`a CEP has eight digits, and ${JSON.stringify(text)} has ${digits.length}`);
  return digits;
}
