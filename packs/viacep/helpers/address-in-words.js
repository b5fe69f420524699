// The service answers 200 with {erro: "true"} for a CEP that does not exist, and with empty texts for what a CEP of a whole town lacks.
function addressInWords(answer) {
  if (answer === null || typeof answer !== "object" || answer.erro) return { found: false };
  const { cep, logradouro, bairro, localidade, uf } = answer;
  const place = [localidade, uf].filter(Boolean).join(" - ");
  const line = [logradouro, bairro, place, cep].filter(Boolean).join(", ");
  return { found: true, line, cep: cep ?? "", street: logradouro ?? "", district: bairro ?? "", city: localidade ?? "", state: uf ?? "" };
}
