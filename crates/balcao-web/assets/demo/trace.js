// A turn from the inside: model calls and tool calls in order, with their results, receipts, times and costs.

const WORDS = {
  pt: { reply: "Respondeu", handoff: "Chamou uma pessoa", silence: "Ficou em silêncio", open: "Respondendo…", model: "Modelo", tool: "Ferramenta",
    success: "feito", refusal: "não, com razão", correction: "pedido a corrigir", fault: "falha", result: "Resultado", wrote: "O que o modelo escreveu",
    staffOnly: "Só para a equipe", proof: "Comprovante", guard: "Guarda", cleaned: "Limpeza", claim: "A resposta afirmava algo sem prova: o modelo teve que escrever de novo",
    leak: "A resposta mostrava o que é interno: o modelo teve que escrever de novo", said: "Resposta ao cliente", tokens: "tokens", free: "sem custo",
    calls: (n) => (n === 1 ? "1 ferramenta" : `${n} ferramentas`), repeated: "já feito antes", repaired: "argumentos corrigidos", agreed: "O cliente concordou",
    step: "passo", final: "resposta final", judge: "leu a concordância", lookUp: "foi conferir", question: "pergunta antes", 
    human_assigned: "uma pessoa tem a conversa", silence_: "o agente se cala" },
  en: { reply: "Answered", handoff: "Called a person", silence: "Stayed silent", open: "Answering…", model: "Model", tool: "Tool",
    success: "done", refusal: "a correct no", correction: "to be mended", fault: "fault", result: "Result", wrote: "What the model wrote",
    staffOnly: "Staff only", proof: "Receipt", guard: "Guardrail", cleaned: "Cleaned", claim: "The answer claimed something without proof: the model had to write again",
    leak: "The answer showed internals: the model had to write again", said: "Answer to the customer", tokens: "tokens", free: "no cost",
    calls: (n) => (n === 1 ? "1 tool" : `${n} tools`), repeated: "done before", repaired: "arguments mended", agreed: "The customer agreed",
    step: "step", final: "final answer", judge: "read the agreement", lookUp: "looked it up", question: "asks first", 
    human_assigned: "a person has the conversation", silence_: "the agent stays silent" },
};

const el = (name, className, ...children) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
};

const short = (value) => (typeof value === "string" ? value : JSON.stringify(value));
const seconds = (ms, locale) => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toLocaleString(locale, { maximumFractionDigits: 1 })} s`);

/** Shows turns, newest first, in `place`; what was open stays open. */
export function showTurns(place, empty, turns, english) {
  const words = english ? WORDS.en : WORDS.pt;
  const locale = english ? "en-GB" : "pt-BR";
  const known = new Map([...place.querySelectorAll(".turn")].map((one) => [one.dataset.id, one]));
  empty.hidden = turns.length > 0;
  turns.forEach((turn, place_) => {
    const print = JSON.stringify(turn);
    const before = known.get(String(turn.id));
    known.delete(String(turn.id));
    if (before?.print === print) {
      if (place_ > 0 && !before.dataset.touched) before.open = false;
      return;
    }
    const made = turnOf(turn, words, locale);
    made.print = print;
    made.dataset.id = turn.id;
    if (before) {
      made.open = before.open;
      if (before.dataset.touched) made.dataset.touched = "yes";
      before.replaceWith(made);
    } else {
      made.open = place_ === 0;
      if (place_ === 0) made.classList.add("fresh");
      const next = turns.slice(place_ + 1).map((later) => place.querySelector(`.turn[data-id="${later.id}"]`)).find(Boolean);
      place.insertBefore(made, next || null);
    }
    made.querySelector("summary").addEventListener("click", () => { made.dataset.touched = "yes"; });
  });
  for (const gone of known.values()) gone.remove();
}

function turnOf(turn, words, locale) {
  const inside = turn.inside;
  const kind = turn.open ? "open" : turn.outcome;
  const colour = { reply: "good", handoff: "warn", silence: "", open: "info" }[kind] ?? "";
  const time = new Date(turn.opened_at).toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  const summary = el("summary", "", el("div", "turn-top", el("time", "", time), el("span", `chip ${colour}`, words[kind] || kind),
    el("span", "spent", inside ? spentOf(inside, words, locale) : "")));
  if (inside) summary.append(el("p", "asked", `“${inside.inbound}”`));
  const details = el("details", "card turn", summary);
  if (inside) details.append(stepsOf(turn, inside, words, locale));
  return details;
}

function spentOf(inside, words, locale) {
  const usage = inside.spent.usage;
  const tokens = usage.input_tokens + usage.output_tokens;
  const took = inside.steps.reduce((sum, one) => sum + one.took_ms, 0) + inside.calls.reduce((sum, one) => sum + one.took_ms, 0);
  const cost = usage.cost_micro_usd ? `US$ ${(usage.cost_micro_usd / 1e6).toLocaleString(locale, { maximumFractionDigits: 4 })}` : words.free;
  return [words.calls(inside.calls.length), seconds(took, locale), ...(tokens ? [`${tokens.toLocaleString(locale)} ${words.tokens}`, cost] : [])].join(" · ");
}

function stepsOf(turn, inside, words, locale) {
  const list = el("ol", "steps");
  for (const guard of inside.guards) {
    list.append(el("li", "", el("div", "line", el("b", "", words.guard), el("span", "", `${words[guard.guardrail] || guard.guardrail}: ${words[`${guard.action}_`] || guard.action}`))));
  }
  const callsOf = (step) => inside.calls.filter((call) => call.step === step);
  // What the customer had agreed to runs before the model is asked.
  for (const call of callsOf(0)) list.append(callOf(call, words, locale, words.agreed));
  inside.steps.forEach((step, index) => {
    list.append(modelOf(step, words, locale));
    for (const call of callsOf(index + 1)) list.append(callOf(call, words, locale));
  });
  const shown = inside.steps.length;
  for (const call of inside.calls.filter((call) => call.step > shown)) list.append(callOf(call, words, locale));
  if (inside.retried.claim) list.append(el("li", "bad", el("span", "", words.claim)));
  if (inside.retried.leak) list.append(el("li", "bad", el("span", "", words.leak)));
  for (const cleaning of inside.cleanings.filter((one) => one.removed.length)) {
    list.append(el("li", "", el("div", "line", el("b", "", words.cleaned), el("span", "", cleaning.removed.map((one) => one.pass).join(", ")))));
  }
  if (turn.reason && !words[turn.reason]) list.append(el("li", "", el("span", "quiet", turn.reason)));
  if (inside.reply) list.append(el("li", "end", el("div", "line", el("b", "", words.said)), el("p", "said", inside.reply)));
  return list;
}

function modelOf(step, words, locale) {
  const tokens = step.usage.input_tokens + step.usage.output_tokens;
  const took = [tokens ? `${step.usage.input_tokens} + ${step.usage.output_tokens} ${words.tokens}` : null, seconds(step.took_ms, locale)].filter(Boolean).join(" · ");
  const purpose = words[step.purpose] || step.purpose;
  const item = el("li", "model", el("div", "line", el("b", "", words.model), el("span", "", step.model), el("span", "quiet", purpose), el("span", "took", took)));
  if (step.text.trim()) item.append(more(words.wrote, el("p", "said", step.text)));
  return item;
}

function callOf(call, words, locale, why) {
  const kind = call.result.class;
  const colour = { success: "good", refusal: "warn", correction: "warn", fault: "bad" }[kind] || "";
  const line = el("div", "line", el("code", "", call.tool), el("span", `chip ${colour}`, words[kind] || kind),
    call.result.confirm ? el("span", "chip info", words.question) : null,
    call.repeated ? el("span", "chip", words.repeated) : null, el("span", "took", seconds(call.took_ms, locale)));
  const item = el("li", kind === "fault" ? "tool bad" : "tool", why ? el("p", "quiet", why) : null, line);
  const given = call.args && typeof call.args === "object" ? Object.entries(call.args).filter(([, value]) => value !== null) : [];
  if (given.length) {
    const list = el("dl", "arguments");
    for (const [name, value] of given) list.append(el("dt", "", name), el("dd", "", short(value)));
    item.append(list);
  } else if (typeof call.args === "string") {
    item.append(el("p", "said", call.args));
  }
  if (call.repairs?.length) item.append(el("p", "quiet", `${words.repaired}: ${call.repairs.join("; ")}`));
  for (const receipt of call.result.receipts || []) item.append(el("p", "proof", `✓ ${words.proof}: ${receiptOf(receipt, locale)}`));
  item.append(more(words.result, el("pre", "", JSON.stringify(call.result.value, null, 2))));
  if (call.result.internal) item.append(more(words.staffOnly, el("pre", "", call.result.internal)));
  return item;
}

// What a receipt proves, as people write it.
function receiptOf(receipt, locale) {
  const { kind, day, start, end, price_cents: cents, ...rest } = receipt;
  const hours = [start, end].filter(Boolean).map((one) => one.slice(0, 5)).join("–");
  const date = day && new Date(`${day}T12:00:00`).toLocaleDateString(locale, { weekday: "short", day: "numeric", month: "short" });
  const price = Number.isInteger(cents) ? (cents / 100).toLocaleString(locale, { minimumFractionDigits: 2 }) : null;
  return [kind, date, hours, ...Object.values(rest).map(short), price].filter(Boolean).join(" · ");
}

function more(title, content) {
  return el("details", "more", el("summary", "", title), content);
}
