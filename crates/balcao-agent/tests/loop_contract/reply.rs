//! What may reach the customer: cleaned, and proven by receipts.

use balcao_llm::{Message, Purpose, ToolCallRequest, providers::scripted::calls_raw};
use serde_json::json;

use crate::row::rows;

/// Nothing of this may ever be sent.
const LEAK: &str = "<tool_call>{\"name\": \"find_slots\", \"arguments\": {\"date\": \"2026-11-26\"}}</tool_call>";
/// Says that something was done.
const CLAIM: &str = "Pronto, seu horário foi marcado para quinta-feira, 26/11, às 10:00 com a Íris!";

/// A turn in which a price was read and said.
fn price_was_read(asked: &str) -> Vec<Message> {
    let call = ToolCallRequest { id: "a".into(), name: "look".into(), arguments: "{}".into(), vendor: None };
    let content = json!({ "services": [{ "name": "Corte", "price": "R$ 50,00" }] }).to_string();
    vec![
        Message::User { text: asked.into() },
        Message::Assistant { text: String::new(), tool_calls: vec![call] },
        Message::ToolResult { call_id: "a".into(), name: "look".into(), content, is_error: false },
        Message::Assistant { text: "O corte custa R$ 50,00.".into(), tool_calls: vec![] },
    ]
}

rows! {
    lc_290 both "A text that is nothing but a leaked tool call" => "Not sent, not run; the model is asked once for other words, tools off", |w| {
        let ran = w.run("oi", [w.says(LEAK), w.says("Olá, em que posso ajudar?")]);
        assert_eq!((ran.replied(), ran.executions.len()), ("Olá, em que posso ajudar?", 0));
        assert!(ran.requests[1].purpose == Purpose::Correction && !ran.offered(1, "look"));
    };
    lc_291 both "Other words are asked for" => "The model is not shown what was wrong: it would repeat it", |w| {
        let ran = w.run("oi", [w.says(LEAK), w.says("Olá, em que posso ajudar?")]);
        assert!(!ran.read(1).contains("<tool_call>"));
    };
    lc_292 both "The other words are a leak, too" => "Handoff with the fallback sentence", |w| {
        let ran = w.run("oi", [w.says(LEAK), w.says(LEAK)]);
        assert_eq!(ran.handed_off(), "unreadable");
        assert!(ran.told_customer().starts_with("Estou com dificuldade"));
    };
    lc_293 both "A text with a leak in it" => "The rest is sent; what was removed is on record", |w| {
        let ran = w.run("oi", [w.says(&format!("Temos horário de manhã e à tarde.\n{LEAK}"))]);
        assert_eq!(ran.replied(), "Temos horário de manhã e à tarde.");
        assert!(ran.state.cleanings.iter().any(|cleaning| !cleaning.removed.is_empty()));
    };
    lc_294 both "A plain text" => "Sent as it is, and nothing is on record", |w| {
        let ran = w.run("oi", [w.says("Olá! Em que posso ajudar?")]);
        assert_eq!((ran.replied(), ran.state.cleanings.len()), ("Olá! Em que posso ajudar?", 0));
    };
    lc_309 both "A text names a price that no tool returned and nobody said, twice" => "The model is asked once more; then a person", |w| {
        let ran = w.run("quanto custa?", [w.says("O corte custa R$ 50,00."), w.says("Custa R$ 50,00 o corte.")]);
        assert_eq!((ran.handed_off(), ran.requests[1].purpose), ("false_claim", Purpose::Correction));
    };
    lc_341 both "A text names a time that no tool returned and nobody said" => "Not sent; the model is told why, without the time, and may look it up", |w| {
        let book = w.calls("book", json!({"date": "2026-11-26", "start_hour": "10:00"}));
        let ran = w.run("que horas fecha?", [w.says("Fechamos às 21h47."), book, w.says(CLAIM)]);
        assert_eq!(ran.replied(), CLAIM);
        assert!(ran.read(1).contains("não veio de nenhuma consulta") && !ran.read(1).contains("21h47"), "{}", ran.read(1));
    };
    lc_342 both "A text names such a time twice" => "A person", |w| {
        let ran = w.run("que horas fecha?", [w.says("Fechamos às 21h47."), w.says("É às 21h47.")]);
        assert_eq!(ran.handed_off(), "false_claim");
    };
    lc_366 both "A text names a price that was read and said before the business changed" => "Not sent; the model may look it up again", |w| {
        let mut w = w;
        w.history = price_was_read("quanto custa?");
        let ran = w.run("quanto é mesmo?", [w.says("O corte custa R$ 50,00.")]);
        assert_eq!(ran.replied(), "O corte custa R$ 50,00.");
        w.outdated = w.history.len();
        let ran = w.run("quanto é mesmo?", [w.says("O corte custa R$ 50,00."), w.says("Já vejo de novo.")]);
        assert_eq!(ran.replied(), "Já vejo de novo.");
        assert!(ran.read(1).contains("não veio de nenhuma consulta"), "{}", ran.read(1));
    };
    lc_367 both "A text repeats a price that the customer named before the business changed" => "Sent", |w| {
        let mut w = w;
        w.history = price_was_read("vi por R$ 49,00, quanto custa?");
        w.outdated = w.history.len();
        assert_eq!(w.run("e agora?", [w.says("Você viu por R$ 49,00?")]).replied(), "Você viu por R$ 49,00?");
    };
    lc_295 both "A text claims what no receipt proves" => "Not sent; the model is asked once more, with the facts", |w| {
        let ran = w.run("oi", [w.says(CLAIM), w.says("Qual dia fica melhor?")]);
        assert_eq!((ran.replied(), ran.requests[1].purpose), ("Qual dia fica melhor?", Purpose::Correction));
    };
    lc_296 both "The corrected text claims it again, and nothing was done" => "Handoff: nobody is told what did not happen", |w| {
        let ran = w.run("oi", [w.says(CLAIM), w.says(CLAIM)]);
        assert_eq!(ran.handed_off(), "false_claim");
    };
    lc_297 both "A text claims what a receipt of this turn proves" => "Sent", |w| {
        let book = w.calls("book", json!({"date": "2026-11-26", "start_hour": "10:00"}));
        assert_eq!(w.run("oi", [book, w.says(CLAIM)]).replied(), CLAIM);
    };
    lc_298 both "A text claims another time than the receipt's, twice" => "A fixed, true sentence instead, or a person; never the false one", |w| {
        let wrong = "Pronto, seu horário foi marcado para quinta-feira, 26/11, às 16:00 com a Íris!";
        let book = w.calls("book", json!({"date": "2026-11-26", "start_hour": "10:00"}));
        let ran = w.run("oi", [book, w.says(wrong), w.says(wrong)]);
        assert!(!ran.told_customer().contains("16"), "{}", ran.told_customer());
    };
    lc_299 native "Text beside a call claims what the call then refuses" => "It is not sent, although the profile sends such text", |w| {
        let w = w.with(json!({"reply": {"interim_text": true}}))
            .tool("book", [crate::tools::Act::Refuses(json!({"success": false, "reason": "SLOT_TAKEN"}))]);
        let call = calls_raw(CLAIM, &[("book", "{\"date\": \"2026-11-26\", \"start_hour\": \"10:00\"}")]);
        assert_eq!(w.run("oi", [call, w.says("Esse já foi, quer outro?")]).replied(), "Esse já foi, quer outro?");
    };
}
