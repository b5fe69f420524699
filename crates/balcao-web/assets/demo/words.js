// Codes of the program as people say them. A code that is not here is shown as it is.

const PT = {
  // why a person was called
  model: "o agente achou melhor", asked_for_human: "o cliente pediu uma pessoa", guardrail: "uma regra da casa", guardrail_failed: "uma guarda falhou",
  breaker: "falhas seguidas", corrections: "pedidos que o modelo não acertou", budget: "limite de gasto", rounds: "voltas demais sem resposta",
  model_failure: "o modelo falhou", unreadable: "resposta ilegível", false_claim: "o modelo afirmou o que não aconteceu", deadline: "demorou demais",
  staff_approval: "precisa da aprovação da equipe",
  // guardrails and what they do
  asks_for_human: "pede uma pessoa", business_hours: "horário de funcionamento", flood: "mensagens demais", forbidden_topic: "assunto proibido",
  hot_lead: "cliente decidido", human_assigned: "uma pessoa tem a conversa", max_messages: "limite de mensagens", opt_out: "não quer mensagens",
  handoff: "chamar uma pessoa", silence: "silêncio", reply: "resposta pronta", tag: "etiqueta", note: "nota",
  // receipts
  booked: "marcado", rescheduled: "remarcado", cancelled: "cancelado", existing: "já existe", noted: "anotado", updated: "atualizado", started: "iniciado",
  handed_off: "pessoa chamada", message_planned: "mensagem planejada", waitlisted: "na lista de espera", message_cancelled: "mensagem cancelada",
  // what a model was asked for
  step: "passo", final: "resposta final", correction: "escreveu de novo", judge: "leu a concordância", judge_agreement: "leu a concordância",
};
const EN = {
  model: "the agent thought it better", asked_for_human: "the customer asked for a person", guardrail: "a rule of the house", guardrail_failed: "a guardrail failed",
  breaker: "one fault after the other", corrections: "calls that the model did not get right", budget: "limit of spending", rounds: "too many rounds without an answer",
  model_failure: "the model failed", unreadable: "an answer that cannot be read", false_claim: "the model claimed what did not happen", deadline: "it took too long",
  staff_approval: "staff have to approve",
  asks_for_human: "asks for a person", business_hours: "business hours", flood: "too many messages", forbidden_topic: "forbidden topic",
  hot_lead: "ready to book", human_assigned: "a person has the conversation", max_messages: "limit of messages", opt_out: "wants no messages",
  handoff: "call a person", silence: "silence", reply: "fixed answer", tag: "tag", note: "note",
  booked: "booked", rescheduled: "moved", cancelled: "cancelled", existing: "exists", noted: "noted", updated: "updated", started: "started",
  handed_off: "person called", message_planned: "message planned", waitlisted: "on the waiting list", message_cancelled: "message called off",
  step: "step", final: "final answer", correction: "wrote again", judge: "read the agreement", judge_agreement: "read the agreement",
};

/** A code in words, or "code: more" with its code in words. */
export function inWords(text, english) {
  const [code, ...more] = text.split(": ");
  return [(english ? EN : PT)[code] || code, ...more].join(": ");
}
