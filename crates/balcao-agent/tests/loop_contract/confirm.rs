//! Commands that the customer or staff must agree to.

use balcao_llm::{
    FinishReason, ModelErrorKind, Purpose,
    providers::scripted::{Line, calls_all, fails, says},
};
use balcao_tool::{Agreed, ErrorCode};
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

/// The judge's own words: its protocol is the same in both.
fn judges(agrees: bool) -> Line {
    says(&json!({"agrees": agrees}).to_string())
}

/// Neither a plain yes nor a plain no.
const UNCLEAR: &str = "é o de quinta mesmo, com a Íris, que eu não vou poder ir por causa do trabalho";

/// The held call is dropped: nothing runs, and the model knows that nothing was done.
fn dropped(w: World, inbound: &str, judge: Option<Line>) {
    let w = asked(w);
    let calls = usize::from(judge.is_some());
    let ran = w.run(inbound, judge.into_iter().chain([w.says("Tudo bem, fica como está.")]));
    assert!(ran.executions.is_empty() && ran.state.held.is_none());
    assert!(ran.requests[calls].system.contains("Não confirmado") && ran.requests[calls].system.contains(QUESTION));
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
        assert!(ran.read(0).contains("\"success\":true") && ran.requests.len() == 1 && ran.state.held.is_none());
    };
    lc_203 both "The model makes the call again after it ran" => "Answered from the ledger: it ran once", |w| {
        let w = asked(w);
        let ran = w.run("sim", [w.calls("cancel", json!({"appointment_id": 7})), w.says("Tudo certo por aqui.")]);
        assert_eq!((ran.executions.len(), ran.told()[1]["repeated"].clone()), (1, json!(true)));
    };
    lc_204 both "The next message is a plain no" => "Dropped; the model knows that nothing was done; no second opinion", |w| {
        dropped(w, "não", None);
    };
    lc_352 both "The next message declines and agrees at once" => "Dropped, and no model is asked for a second opinion", |w| {
        dropped(w, "na verdade deixa, vou sim", None);
    };
    lc_205 both "The next message is unclear, and the model as judge agrees" => "The held call runs before the model is asked for an answer", |w| {
        let w = asked(w);
        let ran = w.run(UNCLEAR, [judges(true), w.says("Tudo certo por aqui.")]);
        assert_eq!(ran.executed(), ["cancel"]);
        assert_eq!((ran.requests[0].purpose, ran.requests[1].purpose), (Purpose::JudgeAgreement, Purpose::Step));
    };
    lc_206 both "The judge is asked" => "It sees the question and the message, and nothing to call", |w| {
        let w = asked(w);
        let ran = w.run(UNCLEAR, [judges(false), w.says("Tudo bem, fica como está.")]);
        assert!(ran.requests[0].system.contains(QUESTION) && ran.requests[0].tools.is_empty() && ran.requests[0].messages.len() == 1);
    };
    lc_207 both "The judge says no" => "Dropped", |w| dropped(w, UNCLEAR, Some(judges(false)));
    lc_208 both "The judge answers something else" => "Dropped: in doubt nothing is agreed", |w| dropped(w, UNCLEAR, Some(says("acho que sim")));
    lc_209 both "The judge's yes is no boolean" => "Dropped", |w| dropped(w, UNCLEAR, Some(says(r#"{"agrees": "true"}"#)));
    lc_210 both "The judge's answer is cut off" => "Dropped", |w| dropped(w, UNCLEAR, Some(judges(true).finishing(FinishReason::Length)));
    lc_211 both "The judge cannot be reached" => "Dropped; the turn goes on", |w| dropped(w, UNCLEAR, Some(fails(ModelErrorKind::Upstream)));
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
        let ran = w.run("vocês abrem domingo?", [judges(false), w.says("Domingo não abrimos.")]);
        let w = w.after(&ran);
        assert!(w.run("sim", [w.says("Que bom!")]).executions.is_empty());
    };
    lc_216 native "Two commands to confirm in one step" => "The first is asked about; the second is refused, one at a time", |w| {
        let step = [("cancel", json!({"appointment_id": 7})), ("move_it", json!({"appointment_id": 8}))];
        let ran = w.run("oi", [calls_all(&step), w.says(QUESTION)]);
        assert_eq!((ran.codes(), ran.state.held.as_ref().unwrap().tool.as_str()), (vec!["confirmation_required", "conflict"], "cancel"));
    };
    lc_217 both "Another command to confirm in a later round" => "Refused: one question at a time", |w| {
        let ran = w.run("oi", [
            w.calls("cancel", json!({"appointment_id": 7})), w.calls("move_it", json!({"appointment_id": 8})), w.says(QUESTION),
        ]);
        assert_eq!((ran.codes(), ran.state.held.as_ref().unwrap().tool.as_str()), (vec!["confirmation_required", "conflict"], "cancel"));
    };
    lc_218 both "The call would be refused anyway" => "The refusal is the answer: nobody is asked", |w| {
        let w = w.tool("preview", [Act::Refuses(json!({"success": false, "reason": "TOO_LATE"}))]);
        let ran = w.run("cancela", [w.calls("cancel", json!({"appointment_id": 7})), w.says("Já passou do prazo.")]);
        assert!(ran.state.held.is_none() && ran.told()[0]["reason"] == "TOO_LATE" && ran.codes() == [""]);
    };
    lc_219 both "The question cannot be worded because a system fails" => "A fault; nobody is asked", |w| {
        let w = w.tool("preview", [Act::Fails(ErrorCode::Unavailable)]);
        let ran = w.run("cancela", [w.calls("cancel", json!({"appointment_id": 7})), w.says("Não consegui agora.")]);
        assert!(ran.state.held.is_none() && ran.codes() == ["unavailable"] && ran.state.breaker.failures() == 1);
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
        assert!(ran.executions.is_empty() && ran.state.held.is_some());
    };
    lc_226 both "A command that staff must approve" => "It never runs here: handoff that names the call, with the handoff notice", |w| {
        let ran = w.run("quero reembolso", [w.calls("refund", json!({"appointment_id": 7}))]);
        assert!(ran.executions.is_empty() && ran.state.held.is_none());
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
        assert!(ran.handed_off() == "asked_for_human" && ran.executions.is_empty() && ran.state.held.is_none());
    };
    lc_229 both "The turn that asked ends in a handoff" => "The held call is dropped: nobody is there to carry it out", |w| {
        let ran = w.run("cancela", [w.calls("cancel", json!({})), w.calls("human", json!({"reason": "quer gente"}))]);
        assert!(ran.handed_off() == "model" && ran.state.held.is_none());
    };
    lc_230 both "The held call's tool was withdrawn meanwhile" => "It does not run", |w| {
        let mut w = asked(w);
        let failing = w.held.clone();
        w.held = None;
        let w = w.with(json!({"confirm": {"cancel": "none"}})).tool("cancel", vec![Act::Fails(ErrorCode::Internal); 2]);
        let ran = w.run("oi", [w.calls("cancel", json!({"appointment_id": 1})), w.calls("cancel", json!({"appointment_id": 2})), w.says("Não consegui agora.")]);
        let mut w = w.after(&ran);
        w.held = failing;
        assert!(w.run("sim", [w.says("Não consegui agora.")]).executions.is_empty());
    };
    lc_231 both "A burst of a yes and a second thought" => "It is no plain yes: the judge decides", |w| {
        let w = asked(w);
        let ran = w.run("sim\nespera, melhor não", [judges(false), w.says("Tudo bem, fica como está.")]);
        assert!(ran.executions.is_empty());
    };
    lc_232 both "The same question is still open when the model calls again in that turn" => "Answered from the ledger; it is asked once", |w| {
        let again = || w.calls("cancel", json!({"appointment_id": 7}));
        let ran = w.run("cancela", [again(), again(), w.says(QUESTION)]);
        assert_eq!((ran.codes(), ran.told()[1]["repeated"].clone()), (vec!["confirmation_required"; 2], json!(true)));
        assert!(ran.state.held.is_some());
    };
    lc_233 both "A tool that calls others is asked for one that must be agreed to" => "It is asked about as that one is, and runs after the yes", |w| {
        let both = json!({"tags": ["look", "cancel"]});
        let ran = w.run("resolve isso", [w.calls("several", both.clone()), w.says(QUESTION)]);
        assert_eq!((ran.codes(), ran.executions.len(), ran.replied()), (vec!["confirmation_required"], 0, QUESTION));
        let w = w.after(&ran);
        let ran = w.run("sim", [w.says("Tudo certo por aqui.")]);
        assert_eq!((ran.executed(), ran.executions[0].args.clone()), (vec!["several"], both));
    };
    lc_234 both "The same tool is asked for what needs nobody's word" => "It runs at once", |w| {
        let ran = w.run("olha isso", [w.calls("several", json!({"tags": ["look"]})), w.says("Olhei.")]);
        assert_eq!((ran.executed(), ran.state.held.is_none()), (vec!["several"], true));
    };
}
