//! Commands that the customer or staff must agree to.

use balcao_agent::prompt::{answered, forwarded};
use balcao_llm::{Message, Purpose, providers::scripted::calls_all};
use balcao_tool::{Agreed, ErrorCode, Locale};
use serde_json::json;

use crate::{
    row::rows,
    tools::{Act, QUESTION},
    world::World,
};

/// The conversation after a call of `cancel` was asked about.
fn asked(w: World) -> World {
    let ran = w.run("cancela meu horário", [w.calls("cancel", json!({"appointment_id": 7})), w.says(QUESTION)]);
    w.after(&ran)
}

/// Neither a plain yes nor a plain no.
const UNCLEAR: &str = "é o de quinta mesmo, com a Íris, que eu não vou poder ir por causa do trabalho";

/// The held call is dropped: nothing runs, and the model knows that nothing was done.
fn dropped(w: World, inbound: &str) {
    let w = asked(w);
    let ran = w.run(inbound, [w.says("Tudo bem, fica como está.")]);
    assert!(ran.executions.is_empty() && ran.state.pending_confirmation.is_none());
    assert!(ran.requests[0].system.contains("Não confirmado") && ran.requests[0].system.contains(QUESTION));
}

/// Ways to agree to an offer.
const AGREED: &[&str] = &[
    "sim",
    "isso",
    "pode marcar",
    "pode sim",
    "bora",
    "fechou",
    "fechado!",
    "manda ver",
    "👍",
    "✅",
    "👌🏽",
    "beleza, pode ser",
    "tá ótimo",
    "perfeito, obrigada",
    "ok, confirma",
    "confirmado",
    "combinado",
    "pode confirmar por favor",
    "quero sim",
    "isso mesmo, pode agendar",
    "show, marca aí",
    "top, fechado",
    "demorou",
    "partiu",
    "pode crer",
    "aceito",
    "topo",
    "por mim tudo bem",
    "de acordo",
    "com certeza",
    "claro, pode marcar",
    "pode marcar quinta às 10h",
    "quinta 10h tá ótimo",
    "10h então",
    "sim, quinta",
    "marca pra mim",
    "agenda aí por favor",
    "uhum",
    "aham, pode ser",
    "siiim",
    "pode reservar",
    "fico com esse",
    "yes please",
    "sounds good, book it",
    "sure",
    "go ahead",
    "perfect, thanks",
    "works for me",
];

/// Refusals, delays, conditions, questions, doubts and other wishes.
const NOT_AGREED: &[&str] = &[
    "não",
    "agora não",
    "ainda não",
    "deixa pra lá",
    "melhor não",
    "👎",
    "❌",
    "nem pensar",
    "não precisa",
    "não, obrigado",
    "desisti",
    "calma",
    "peraí",
    "espera um pouco",
    "vou pensar",
    "deixa eu ver com minha esposa",
    "te aviso depois",
    "talvez",
    "acho que sim",
    "quem sabe",
    "depende do preço",
    "só se for de graça",
    "se o João puder, sim",
    "pode marcar se ela deixar",
    "sim, mas às 11h",
    "pode ser na sexta",
    "quero outro horário",
    "quanto fica?",
    "quanto custa",
    "aceita cartão?",
    "com quem seria?",
    "qual o endereço",
    "vocês têm estacionamento?",
    "quero cancelar meu outro horário",
    "e pra minha filha",
    "depois eu confirmo",
    "quando eu sair do trabalho eu confirmo",
    "meu marido disse que pode",
    "não sei",
    "sei lá",
    "maybe",
    "not yet",
    "yes, if my boss lets me",
    "let me check first",
    "what's the price",
    "hmm",
    "🤔",
    "obrigado",
    "oi",
    "não marca",
];

fn user(text: &str) -> Message {
    Message::User { text: text.to_owned() }
}

fn us(text: &str) -> Message {
    Message::Assistant { text: text.to_owned(), tool_calls: Vec::new() }
}

/// The time that is offered.
fn slot() -> serde_json::Value {
    json!({"date": "2026-11-26", "start_hour": "10:00"})
}

rows! {
    lc_200 both "A command that the customer must confirm is called" => "It does not run: `confirmation_required` with one question", |w| {
        let ran = w.run("cancela meu horário", [w.calls("cancel", json!({"appointment_id": 7})), w.says(QUESTION)]);
        assert!(ran.executions.is_empty());
        assert_eq!((ran.codes(), ran.told()[0]["details"]["summary"].clone()), (vec!["confirmation_required"], json!(QUESTION)));
        assert_eq!(ran.replied(), QUESTION);
    };
    lc_201 both "It waits for the customer's word" => "The call is held with its arguments, its contract and a day's patience", |w| {
        let w = asked(w);
        let held = w.held.clone().unwrap();
        assert_eq!((held.tool.as_str(), held.args, held.question.as_str()), ("cancel", json!({"appointment_id": 7}), QUESTION));
        assert_eq!(held.expires_at.duration_since(w.now.timestamp()), jiff::SignedDuration::from_hours(24));
    };
    lc_202 both "The next message is a plain yes" => "The held call runs, with the held arguments, before the model is asked anything", |w| {
        let w = asked(w);
        let asked_at = w.now.timestamp();
        let w = w.later(3);
        let ran = w.run("sim, pode cancelar", [w.says("Tudo certo por aqui.")]);
        assert_eq!((ran.executed(), ran.executions[0].args.clone()), (vec!["cancel"], json!({"appointment_id": 7})));
        // What was asked, and when: what would be done is computed as of then.
        assert_eq!(ran.executions[0].agreed, Some(Agreed { question: QUESTION.to_owned(), asked_at }));
        assert!(ran.read(0).contains("\"success\":true") && ran.requests.len() == 1 && ran.state.pending_confirmation.is_none());
    };
    lc_203 both "The model makes the call again after it ran" => "Answered from the ledger: it ran once", |w| {
        let w = asked(w);
        let ran = w.run("sim", [w.calls("cancel", json!({"appointment_id": 7})), w.says("Tudo certo por aqui.")]);
        assert_eq!((ran.executions.len(), ran.told()[1]["repeated"].clone()), (1, json!(true)));
    };
    lc_204 both "The next message is a plain no" => "Dropped; the model knows that nothing was done", |w| {
        dropped(w, "não");
    };
    lc_352 both "The next message declines and agrees at once" => "Dropped, and the question is not put again", |w| {
        dropped(w, "na verdade deixa, vou sim");
    };
    lc_205 both "The next message is unclear" => "Nothing runs, no model is asked whether it was a yes, and the question is put again", |w| {
        let w = asked(w);
        let ran = w.run(UNCLEAR, [w.says("Entendi, Ana.")]);
        assert!(ran.executions.is_empty() && ran.requests.len() == 1);
        assert!(ran.requests[0].system.contains("Ainda sem resposta") && ran.requests[0].system.contains(QUESTION));
        assert_eq!(ran.replied(), format!("Entendi, Ana.\n\n{QUESTION}"));
    };
    lc_206 both "A plain yes comes after the question was put again" => "The held call runs, with the held arguments", |w| {
        let w = asked(w);
        let ran = w.run(UNCLEAR, [w.says("Entendi, Ana.")]);
        let w = w.after(&ran);
        let ran = w.run("sim", [w.says("Tudo certo por aqui.")]);
        assert_eq!((ran.executed(), ran.executions[0].args.clone()), (vec!["cancel"], json!({"appointment_id": 7})));
    };
    lc_207 both "The next message is unclear twice" => "Dropped: it is put again once", |w| {
        let w = asked(w);
        let ran = w.run(UNCLEAR, [w.says("Entendi, Ana.")]);
        let w = w.after(&ran);
        let ran = w.run(UNCLEAR, [w.says("Tudo bem, fica como está.")]);
        assert!(ran.executions.is_empty() && ran.state.pending_confirmation.is_none());
        assert!(ran.requests[0].system.contains("Não confirmado") && ran.replied() == "Tudo bem, fica como está.");
    };
    lc_208 both "The next message is unclear, and the model says that it agrees" => "Nothing runs: a model never agrees for the customer", |w| {
        let w = asked(w);
        let ran = w.run(UNCLEAR, [w.says("{\"agrees\": true}"), w.says("Entendi, Ana.")]);
        assert!(ran.executions.is_empty());
    };
    lc_209 both "The next message is unclear, and the model makes the call again" => "It is asked about again, and does not run", |w| {
        let w = asked(w);
        let ran = w.run(UNCLEAR, [w.calls("cancel", json!({"appointment_id": 8})), w.says("Entendi, Ana.")]);
        assert!(ran.executions.is_empty() && ran.codes() == ["confirmation_required"]);
        assert_eq!(ran.state.pending_confirmation.as_ref().unwrap().args, json!({"appointment_id": 8}));
    };
    lc_210 both "The yes says the day and time of the question again" => "The held call runs", |w| {
        let w = asked(w);
        let ran = w.run("sim, pode cancelar o de quinta às 10h", [w.says("Tudo certo por aqui.")]);
        assert_eq!(ran.executed(), ["cancel"]);
    };
    lc_211 both "The yes names another day" => "Nothing runs: that is another wish", |w| {
        let w = asked(w);
        let ran = w.run("sim, pode cancelar o de sexta", [w.says("Entendi, Ana.")]);
        assert!(ran.executions.is_empty());
    };
    lc_212 both "The yes comes a day later" => "Lapsed: nothing runs, and nobody is asked whether it was a yes", |w| {
        let w = asked(w).later(24);
        let ran = w.run("sim", [w.says("Quer que eu cancele mesmo?")]);
        assert!(ran.executions.is_empty() && ran.requests[0].purpose == Purpose::Step);
    };
    lc_213 both "The command was changed between question and yes" => "Nothing runs: the customer agreed to another contract", |w| {
        let mut w = asked(w);
        let held = w.held.as_mut().unwrap();
        held.contract_hash = "0000".to_owned();
        let ran = w.run("sim", [w.says("Quer que eu cancele mesmo?")]);
        assert!(ran.executions.is_empty());
    };
    lc_214 both "The profile lost the command between question and yes" => "Nothing runs", |w| {
        let w = asked(w).with(json!({"without_tools": ["cancel"]}));
        assert!(w.run("sim", [w.says("Não consigo cancelar por aqui.")]).executions.is_empty());
    };
    lc_215 both "The message after the question is about something else, and so is the next" => "A later yes runs nothing: the question was answered by not agreeing", |w| {
        let w = asked(w);
        let ran = w.run("vocês abrem domingo?", [w.says("Domingo não abrimos.")]);
        let w = w.after(&ran);
        assert!(w.run("sim", [w.says("Que bom!")]).executions.is_empty());
    };
    lc_216 native "Two commands to confirm in one step" => "The first is asked about; the second is refused, one at a time", |w| {
        let step = [("cancel", json!({"appointment_id": 7})), ("move_it", json!({"appointment_id": 8}))];
        let ran = w.run("cancela um e remarca o outro", [calls_all(&step), w.says(QUESTION)]);
        assert_eq!((ran.codes(), ran.state.pending_confirmation.as_ref().unwrap().tool.as_str()), (vec!["confirmation_required", "conflict"], "cancel"));
    };
    lc_217 both "Another command to confirm in a later round" => "Refused: one question at a time", |w| {
        let ran = w.run("cancela um e remarca o outro", [
            w.calls("cancel", json!({"appointment_id": 7})), w.calls("move_it", json!({"appointment_id": 8})), w.says(QUESTION),
        ]);
        assert_eq!((ran.codes(), ran.state.pending_confirmation.as_ref().unwrap().tool.as_str()), (vec!["confirmation_required", "conflict"], "cancel"));
    };
    lc_218 both "The call would be refused anyway" => "The refusal is the answer: nobody is asked", |w| {
        let w = w.tool("preview", [Act::Refuses(json!({"success": false, "reason": "TOO_LATE"}))]);
        let ran = w.run("cancela", [w.calls("cancel", json!({"appointment_id": 7})), w.says("Já passou do prazo.")]);
        assert!(ran.state.pending_confirmation.is_none() && ran.told()[0]["reason"] == "TOO_LATE" && ran.codes() == [""]);
    };
    lc_219 both "The question cannot be worded because a system fails" => "A fault; nobody is asked", |w| {
        let w = w.tool("preview", [Act::Fails(ErrorCode::Unavailable)]);
        let ran = w.run("cancela", [w.calls("cancel", json!({"appointment_id": 7})), w.says("Não consegui agora.")]);
        assert!(ran.state.pending_confirmation.is_none() && ran.codes() == ["unavailable"] && ran.state.breaker.failures() == 1);
    };
    lc_220 both "The model forgets to ask" => "The question is put behind its text: consent is informed", |w| {
        let ran = w.run("cancela", [w.calls("cancel", json!({"appointment_id": 7})), w.says("Entendi, Ana.")]);
        assert_eq!(ran.replied(), format!("Entendi, Ana.\n\n{QUESTION}"));
    };
    lc_221 both "The model asks something else instead" => "The question is put behind its text all the same", |w| {
        let ran = w.run("cancela", [w.calls("cancel", json!({"appointment_id": 7})), w.says("Certo, Ana, mais alguma coisa?")]);
        assert_eq!(ran.replied(), format!("Certo, Ana, mais alguma coisa?\n\n{QUESTION}"));
    };
    lc_222 both "The model asks in its own words" => "Its words are enough", |w| {
        let own = "Ana, quer mesmo cancelar o horário de quinta, 10:00?";
        assert_eq!(w.run("cancela", [w.calls("cancel", json!({"appointment_id": 7})), w.says(own)]).replied(), own);
    };
    lc_223 both "A command that only the prompt asks to confirm" => "It runs at once", |w| {
        assert_eq!(w.run("oi", [w.calls("suggest", json!({})), w.says("Entendi, obrigada.")]).executed(), ["suggest"]);
    };
    lc_224 both "The profile lets a command run without confirmation" => "It runs at once", |w| {
        let w = w.with(json!({"confirm": {"cancel": "none"}}));
        assert_eq!(w.run("cancela", [w.calls("cancel", json!({})), w.says("Tudo certo por aqui.")]).executed(), ["cancel"]);
    };
    lc_225 both "The profile demands the customer's word where the command does not" => "It does not run: it is asked about", |w| {
        let w = w.with(json!({"confirm": {"suggest": "customer"}}));
        let ran = w.run("oi", [w.calls("suggest", json!({})), w.says(QUESTION)]);
        assert!(ran.executions.is_empty() && ran.state.pending_confirmation.is_some());
    };
    lc_226 both "A command that staff must approve" => "It never runs here: handoff that names the call, with the handoff notice", |w| {
        let ran = w.run("quero reembolso", [w.calls("refund", json!({"appointment_id": 7}))]);
        assert!(ran.executions.is_empty() && ran.state.pending_confirmation.is_none());
        assert_eq!(ran.why(), "staff_approval: refund {\"appointment_id\":7}");
        assert!(ran.told_customer().starts_with("Certo!"));
    };
    lc_227 both "The held call fails after the yes" => "The model is told; it counts for the breaker", |w| {
        let w = asked(w).tool("cancel", [Act::Fails(ErrorCode::Unavailable)]);
        let ran = w.run("sim", [w.says("Não consegui agora.")]);
        assert_eq!((ran.codes(), ran.state.breaker.failures()), (vec!["unavailable"], 1));
    };
    lc_228 both "The customer asks for a person instead" => "Handoff; the held call is dropped", |w| {
        let w = asked(w);
        let ran = w.run("quero falar com um atendente", []);
        assert!(ran.handed_off() == "asked_for_human" && ran.executions.is_empty() && ran.state.pending_confirmation.is_none());
    };
    lc_229 both "The turn that asked ends in a handoff" => "The held call is dropped: nobody is there to carry it out", |w| {
        let ran = w.run("cancela", [w.calls("cancel", json!({})), w.calls("human", json!({"reason": "quer gente"}))]);
        assert!(ran.handed_off() == "model" && ran.state.pending_confirmation.is_none());
    };
    lc_230 both "The held call's tool was withdrawn meanwhile" => "It does not run", |w| {
        let mut w = asked(w);
        let failing = w.held.clone();
        w.held = None;
        let w = w.with(json!({"confirm": {"cancel": "none"}})).tool("cancel", vec![Act::Fails(ErrorCode::Internal); 2]);
        let ran = w.run("cancela", [w.calls("cancel", json!({"appointment_id": 1})), w.calls("cancel", json!({"appointment_id": 2})), w.says("Não consegui agora.")]);
        let mut w = w.after(&ran);
        w.held = failing;
        assert!(w.run("sim", [w.says("Não consegui agora.")]).executions.is_empty());
    };
    lc_231 both "A burst of a yes and a second thought" => "It is no yes: dropped", |w| {
        let w = asked(w);
        let ran = w.run("sim\nespera, melhor não", [w.says("Tudo bem, fica como está.")]);
        assert!(ran.executions.is_empty());
    };
    lc_232 both "The same question is still open when the model calls again in that turn" => "Answered from the ledger; it is asked once", |w| {
        let again = || w.calls("cancel", json!({"appointment_id": 7}));
        let ran = w.run("cancela", [again(), again(), w.says(QUESTION)]);
        assert_eq!((ran.codes(), ran.told()[1]["repeated"].clone()), (vec!["confirmation_required"; 2], json!(true)));
        assert!(ran.state.pending_confirmation.is_some());
    };
    lc_233 both "A tool that calls others is asked for one that must be agreed to" => "It is asked about as that one is, and runs after the yes", |w| {
        let both = json!({"tags": ["look", "cancel"]});
        let ran = w.run("cancela isso", [w.calls("several", both.clone()), w.says(QUESTION)]);
        assert_eq!((ran.codes(), ran.executions.len(), ran.replied()), (vec!["confirmation_required"], 0, QUESTION));
        let w = w.after(&ran);
        let ran = w.run("sim", [w.says("Tudo certo por aqui.")]);
        assert_eq!((ran.executed(), ran.executions[0].args.clone()), (vec!["several"], both));
    };
    lc_234 both "The same tool is asked for what needs nobody's word" => "It runs at once", |w| {
        let ran = w.run("olha isso", [w.calls("several", json!({"tags": ["look"]})), w.says("Olhei.")]);
        assert_eq!((ran.executed(), ran.state.pending_confirmation.is_none()), (vec!["several"], true));
    };
    lc_360 both "A deed that the customer has not spoken of in this conversation" => "It does not run and is not asked about: the model is told that nobody asked for it", |w| {
        for (tool, args) in [("cancel", json!({"appointment_id": 7})), ("move_it", json!({"appointment_id": 7}))] {
            let ran = w.run("oi", [w.calls(tool, args), w.says("Como posso ajudar?")]);
            assert!(ran.executions.is_empty() && ran.state.pending_confirmation.is_none() && ran.told()[0]["reason"] == "NOT_ASKED_FOR");
            assert_eq!(ran.state.breaker.failures(), 0);
        }
    };
    lc_361 both "A booking is offered and agreed to" => "It runs", |w| {
        let mut w = w;
        w.history = vec![user("quero cortar quinta"), us("Quinta, 26/11, às 10h. Posso marcar?")];
        for answer in AGREED {
            w.stage.lock().unwrap().executions.clear();
            let ran = w.run(answer, [w.calls("reserve", slot()), w.says("Tudo certo por aqui.")]);
            assert_eq!(ran.executed(), ["reserve"], "{answer}");
        }
    };
    lc_362 both "A booking is offered, and the answer is a condition, a question, a doubt or another wish" => "It does not run: the customer is asked", |w| {
        let mut w = w;
        w.history = vec![user("quero cortar quinta"), us("Quinta, 26/11, às 10h. Posso marcar?")];
        for answer in NOT_AGREED {
            let ran = w.run(answer, [w.calls("reserve", slot()), w.says("Entendi, Ana.")]);
            assert!(ran.executions.is_empty(), "{answer}");
        }
    };
    lc_363 both "A booking is asked for with its day and time" => "It runs", |w| {
        let ran = w.run("marca quinta às 10h", [w.calls("reserve", slot()), w.says("Tudo certo por aqui.")]);
        assert_eq!(ran.executed(), ["reserve"]);
    };
    lc_364 both "A command that changes something and says of no act what it does" => "The customer is asked first", |w| {
        let ran = w.run("oi", [w.calls("unsaid", json!({})), w.says(QUESTION)]);
        assert!(ran.executions.is_empty() && ran.state.pending_confirmation.is_some());
    };
    lc_365 both "The same, where the profile lets it run without confirmation" => "It runs at once", |w| {
        let w = w.with(json!({"confirm": {"unsaid": "none"}}));
        assert_eq!(w.run("oi", [w.calls("unsaid", json!({})), w.says("Como posso ajudar?")]).executed(), ["unsaid"]);
    };
    lc_369 both "The yes stands beside a message that the customer forwarded" => "The held call runs: the forwarded words are not theirs", |w| {
        let w = asked(w);
        let ran = w.run(&format!("sim\n{}", forwarded("não, espera", Locale::PtBr)), [w.says("Tudo certo por aqui.")]);
        assert_eq!(ran.executed(), ["cancel"]);
    };
    lc_370 both "The yes answers by name the message with the question" => "The held call runs", |w| {
        let w = asked(w);
        let quoted = answered(&format!("Oi, Ana!\n\n{QUESTION}"), Locale::PtBr);
        assert_eq!(w.run(&format!("{quoted}\nsim"), [w.says("Tudo certo por aqui.")]).executed(), ["cancel"]);
    };
    lc_371 both "The yes answers by name another message, of ours or not" => "Nothing runs: it is asked again", |w| {
        let w = asked(w);
        for other in ["Amanhã, 25/11, às 14h. Posso marcar?", ""] {
            let ran = w.run(&format!("{}\nsim", answered(other, Locale::PtBr)), [w.says("Entendi, Ana.")]);
            assert!(ran.executions.is_empty() && ran.replied().contains(QUESTION), "{other}");
            assert!(ran.state.pending_confirmation.as_ref().is_some_and(|held| held.asked_again), "{other}");
        }
    };
    lc_372 both "Only forwarded words come behind an earlier yes" => "They renew no consent: the customer is asked", |w| {
        let mut w = w;
        w.history = vec![user("quero cortar quinta"), us("Quinta, 26/11, às 10h. Posso marcar?"), user("sim"), us("Um instante.")];
        let words = forwarded("que corte lindo", Locale::PtBr);
        let ran = w.run(&words, [w.calls("reserve", slot()), w.says("Entendi, Ana.")]);
        assert!(ran.executions.is_empty());
    };
    lc_374 both "An answer, or a request, is longer than what is read of a message" => "Nothing runs before it is asked, whatever its beginning says", |w| {
        let ran = w.run(&format!("marca quinta às 10h. {}", "e olha que bom ".repeat(110)), [w.calls("reserve", slot()), w.says(QUESTION)]);
        assert!(ran.executions.is_empty() && ran.state.pending_confirmation.is_some());
        let w = asked(w);
        let ran = w.run(&"sim ".repeat(400), [w.says("Entendi, Ana.")]);
        assert!(ran.executions.is_empty() && ran.replied().contains(QUESTION));
    };
    lc_376 both "The request stands farther back than what is read of a talk" => "It is as if it had not been made; nearer it is asked about", |w| {
        let mut w = w;
        // Each of our texts has 1,400 bytes, and 8,000 are read.
        for (texts, is_read) in [(5, true), (6, false)] {
            w.history = vec![user("cancela meu horário")];
            for _ in 0..texts {
                w.history.extend([us(&"Cuidamos bem do seu cabelo. ".repeat(50)), user("entendi")]);
            }
            let answer = if is_read { QUESTION } else { "Como posso ajudar?" };
            let ran = w.run("oi", [w.calls("cancel", json!({"appointment_id": 7})), w.says(answer)]);
            assert_eq!((ran.executions.len(), ran.state.pending_confirmation.is_some()), (0, is_read), "{texts}");
            assert_eq!(ran.told()[0]["reason"] == "NOT_ASKED_FOR", !is_read, "{texts}");
        }
    };
    lc_377 both "A yes was written hours before the question or the offer was sent" => "It answers neither: nothing runs, and the question is put again", |w| {
        let mut held = asked(w);
        held.is_overtaken = true;
        let ran = held.run("sim", [held.says("Entendi, Ana.")]);
        assert!(ran.executions.is_empty() && ran.replied().contains(QUESTION));
        let mut offered = World::new(held.protocol);
        offered.history = vec![user("quero cortar quinta"), us("Quinta, 26/11, às 10h. Posso marcar?")];
        for (is_overtaken, executed) in [(true, vec![]), (false, vec!["reserve"])] {
            offered.is_overtaken = is_overtaken;
            let ran = offered.run("sim", [offered.calls("reserve", slot()), offered.says("Tudo certo por aqui.")]);
            assert_eq!(ran.executed(), executed, "{is_overtaken}");
        }
    };
}
