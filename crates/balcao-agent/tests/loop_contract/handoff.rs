//! Giving the conversation to staff: what the customer hears, and what staff read.

use balcao_llm::{Message, providers::scripted::calls_all};
use balcao_tool::ErrorCode;
use serde_json::json;

use crate::{
    row::rows,
    tools::{Act, INTERNAL},
    world::{Ran, World},
};

/// A booking that fails three times.
fn failed_booking(w: World) -> Ran {
    let w = w.tool("book", vec![Act::Fails(ErrorCode::Internal)]);
    let args = json!({"date": "2026-11-26", "start_hour": "10:00", "service_name": "Corte", "barber_name": "Íris"});
    w.run(
        "marca um corte quinta às 10 com a Íris",
        [w.calls("book", args), w.calls("broken", json!({})), w.calls("broken_too", json!({}))],
    )
}

rows! {
    lc_270 both "The model hands over" => "The turn ends at once with the handoff notice; the reason is the model's", |w| {
        let ran = w.run("estou muito irritado", [w.calls("human", json!({"reason": "cliente irritado"}))]);
        assert_eq!((ran.why().as_str(), ran.requests.len()), ("model: cliente irritado", 1));
        assert_eq!(ran.told_customer(), "Certo! Já chamei alguém da nossa equipe. Logo te respondem por aqui.");
    };
    lc_271 native "The model hands over among other calls" => "All of them have run and have their results; then the turn ends", |w| {
        let ran = w.run("oi", [calls_all(&[("note_it", json!({})), ("human", json!({})), ("suggest", json!({}))])]);
        assert_eq!((ran.handed_off(), ran.executed()), ("model", vec!["note_it", "human", "suggest"]));
    };
    lc_272 both "The handover itself fails" => "No handoff: the model is told, and the breaker counts", |w| {
        let w = w.tool("human", [Act::Fails(ErrorCode::Unavailable)]);
        let ran = w.run("oi", [w.calls("human", json!({})), w.says("Não consegui agora.")]);
        assert_eq!((ran.replied(), ran.state.breaker.failures()), ("Não consegui agora.", 1));
    };
    lc_273 both "A handoff after failures" => "The customer reads exactly the specified sentence, and nothing else", |w| {
        assert_eq!(
            failed_booking(w).told_customer(),
            "Estou com dificuldade para concluir essa ação no momento. Vou encaminhar para nossa equipe te ajudar diretamente!"
        );
    };
    lc_274 both "A handoff after failures, with a sentence of the profile's" => "The customer reads that", |w| {
        let w = w.with(json!({"fallback_message": "Deu ruim por aqui. A Renata já te chama!"}));
        assert_eq!(failed_booking(w).told_customer(), "Deu ruim por aqui. A Renata já te chama!");
    };
    lc_275 both "A handoff that the customer asked for, with such a sentence" => "The usual notice: nothing has failed", |w| {
        let w = w.with(json!({"fallback_message": "Deu ruim por aqui."}));
        assert!(w.run("quero falar com um atendente", []).told_customer().starts_with("Certo!"));
    };
    lc_276 both "A handoff after failures, in English" => "The English sentence, and an English note", |w| {
        let ran = failed_booking(w.with(json!({"language": "en"})));
        assert!(ran.told_customer().starts_with("I am having trouble") && ran.note().contains("Professional: Íris"));
    };
    lc_277 both "A handoff while the business is closed" => "The message says when the team is back", |w| {
        let mut w = w;
        w.team_returns_at = Some("amanhã às 9h".to_owned());
        assert!(failed_booking(w).told_customer().ends_with("diretamente! Nossa equipe volta amanhã às 9h."));
    };
    lc_278 both "The note of a handoff" => "Customer, phone, service, time, professional, attempts, trigger, request and turn", |w| {
        let ran = failed_booking(w);
        for fact in [
            "Cliente: Ana Prado", "Telefone: +5531996401177", "Serviço pedido: Corte", "Horário pedido: 2026-11-26 10:00",
            "Profissional: Íris", "Chamadas de ferramenta que falharam: 3", "Motivo: breaker", "Turno: 41",
            "marca um corte quinta às 10 com a Íris",
        ] {
            let fact = fact.replace("Serviço pedido", "Serviço");
            assert!(ran.note().contains(&fact), "{fact} is missing in\n{}", ran.note());
        }
    };
    lc_279 both "The note's list of calls" => "Each with its arguments, its error code and its internal error", |w| {
        let ran = failed_booking(w);
        for line in ["- book {\"date\":\"2026-11-26\"", "- broken {}: unavailable SQLSTATE", "- broken_too {}: internal SQLSTATE"] {
            assert!(ran.note().contains(line), "{line} is missing in\n{}", ran.note());
        }
    };
    lc_280 both "Internal errors" => "They stand in the note and nowhere that a model or a customer can see", |w| {
        let ran = failed_booking(w);
        assert!(ran.note().contains(INTERNAL));
        let told = serde_json::to_string(&ran.state.transcript).unwrap();
        assert!(!told.contains(INTERNAL) && !ran.told_customer().contains(INTERNAL));
    };
    lc_281 both "A contact without name or phone, and nothing known yet" => "The note says that it is not given", |w| {
        let mut w = w;
        w.contact.name = None;
        w.contact.phone = None;
        let ran = w.run("quero falar com um atendente", []);
        assert!(["Cliente", "Telefone", "Serviço", "Horário pedido", "Profissional"].iter().all(|what| ran.note().contains(&format!("{what}: não informado"))), "{}", ran.note());
    };
    lc_282 both "Failures of two turns lead to a handoff" => "The note counts all of them", |w| {
        let first = w.run("oi", [w.calls("broken", json!({})), w.calls("broken_too", json!({})), w.says("Não consegui agora.")]);
        let w = w.after(&first);
        let ran = w.run("e agora?", [w.calls("blind", json!({}))]);
        assert!(ran.note().contains("Chamadas de ferramenta que falharam: 3"), "{}", ran.note());
    };
    lc_283 both "A handoff" => "What the customer was told stands in the transcript, once", |w| {
        let ran = failed_booking(w);
        let said = ran.state.transcript.iter().filter(|message| matches!(message, Message::Assistant { text, .. } if text == ran.told_customer()));
        assert_eq!(said.count(), 1);
    };
    lc_284 both "What was discussed in an earlier turn, and a handoff in this one" => "The note still names it", |w| {
        let args = json!({"date": "2026-11-26", "start_hour": "10:00", "service_name": "Corte", "barber_name": "Íris"});
        let first = w.run("oi", [w.calls("look", args), w.says("Esse horário serve?")]);
        let w = w.after(&first);
        let ran = w.run("quero falar com um atendente", []);
        assert!(ran.note().contains("Profissional: Íris") && ran.note().contains("2026-11-26 10:00"), "{}", ran.note());
    };
    lc_285 both "A very long request before a handoff" => "The note quotes its beginning", |w| {
        let ran = w.run(&format!("quero falar com um atendente. {}", "bla ".repeat(900)), []);
        assert!(ran.note().chars().count() < 1_000);
    };
}
