//! Running calls: side by side or in order, once, with one result each; large results; working memory.

use balcao_agent::memory::WorkingMemory;
use balcao_llm::providers::scripted::calls_all;
use balcao_tool::ErrorCode;
use serde_json::{Value, json};

use crate::{row::rows, tools::Act, world::World};

fn many(count: i64) -> Vec<(&'static str, Value)> {
    (1..=count).map(|n| ("look", json!({"appointment_id": n}))).collect()
}

/// A call whose result is cut, then these, then a text.
fn after_big(w: &World, args: Value) -> Value {
    let ran = w.run("oi", [w.calls("big", json!({})), w.calls("read_result", args), w.says("Achei na lista.")]);
    ran.told()[1].clone()
}

rows! {
    lc_160 native "Several reads in one step" => "They run side by side", |w| {
        let ran = w.run("oi", [calls_all(&[("look", json!({})), ("glance", json!({}))]), w.says("Achei!")]);
        assert_eq!(ran.events, ["look+", "glance+", "look-", "glance-"]);
    };
    lc_161 native "Several writes in one step" => "One after the other, in the model's order", |w| {
        let ran = w.run("oi", [calls_all(&[("note_it", json!({})), ("suggest", json!({}))]), w.says("Entendi, obrigada.")]);
        assert_eq!(ran.events, ["note_it+", "note_it-", "suggest+", "suggest-"]);
    };
    lc_162 native "A write between reads" => "A barrier: what stands before it ends first, what stands behind it waits", |w| {
        let step = [("look", json!({})), ("glance", json!({})), ("note_it", json!({})), ("find_slots", json!({}))];
        let ran = w.run("oi", [calls_all(&step), w.says("Achei!")]);
        assert_eq!(ran.events, ["look+", "glance+", "look-", "glance-", "note_it+", "note_it-", "find_slots+", "find_slots-"]);
    };
    lc_163 native "Success, refusal, correction and fault in one step" => "One result each, in order, and the model is asked once more", |w| {
        let w = w.tool("glance", [Act::Refuses(json!({"available": false}))]);
        let step = [("broken", json!({})), ("look", json!({})), ("look", json!({"appointment_id": 0})), ("glance", json!({}))];
        let ran = w.run("oi", [calls_all(&step), w.says("Achei!")]);
        assert_eq!((ran.codes(), ran.requests.len()), (vec!["unavailable", "", "invalid_arguments", ""], 2));
    };
    lc_164 native "More than sixteen calls in one step" => "Sixteen run; each further one is answered that there are too many", |w| {
        let ran = w.run("oi", [calls_all(&many(20)), w.says("Achei!")]);
        assert_eq!((ran.executions.len(), ran.codes().iter().filter(|code| **code == "conflict").count()), (16, 4));
    };
    lc_165 native "The same call twice in one step" => "It runs once; the second has the first's result, marked `repeated`", |w| {
        let ran = w.run("oi", [calls_all(&[("note_it", json!({})), ("note_it", json!({}))]), w.says("Entendi, obrigada.")]);
        assert_eq!((ran.executions.len(), ran.codes()), (1, vec!["", ""]));
        assert_eq!(ran.told()[1], json!({"success": true, "repeated": true}));
    };
    lc_166 native "A failing call twice in one step" => "It runs once, and is counted once", |w| {
        let ran = w.run("oi", [calls_all(&[("broken", json!({})), ("broken", json!({}))]), w.says("Não consegui agora.")]);
        assert_eq!((ran.executions.len(), ran.state.breaker.failures()), (1, 1));
        assert!(ran.offered(1, "broken"));
    };
    lc_167 both "The same call in a later round" => "Answered from the ledger with `repeated`; it does not run", |w| {
        let ran = w.run("oi", [w.calls("note_it", json!({})), w.calls("note_it", json!({})), w.says("Entendi, obrigada.")]);
        assert_eq!((ran.executions.len(), ran.told()[1].clone()), (1, json!({"success": true, "repeated": true})));
    };
    lc_168 both "The same call with its fields in another order, and 25.0 for 25" => "It is the same call", |w| {
        let first = w.calls("look", json!({"price": 25, "period": "morning"}));
        let ran = w.run("oi", [first, w.calls("look", json!({"period": "morning", "price": 25.0})), w.says("Achei!")]);
        assert_eq!(ran.executions.len(), 1);
    };
    lc_345 both "A call that writes is for another day than the customer has just named" => "It does not run: a correction says which day was named, and the model calls again", |w| {
        let wrong = w.calls("reserve", json!({"date": "2026-11-25", "start_hour": "10:00"}));
        let right = w.calls("reserve", json!({"date": "2026-11-26", "start_hour": "10:00"}));
        let ran = w.run("marca quinta às 10h", [wrong, right, w.says("Feito, quinta às 10h com a Íris!")]);
        assert_eq!((ran.codes(), ran.executed()), (vec!["invalid_arguments", ""], vec!["reserve"]));
        assert!(ran.told()[0].to_string().contains("2026-11-26 (quinta)"), "{}", ran.told()[0]);
    };
    lc_346 both "A call that writes is for another day, and the customer left the day open" => "It runs", |w| {
        let call = w.calls("reserve", json!({"date": "2026-11-25", "start_hour": "10:00"}));
        let ran = w.run("marca quinta às 10h, ou qualquer outro dia", [call, w.says("Prontinho!")]);
        assert_eq!(ran.executed(), ["reserve"]);
    };
    lc_347 both "A call that writes is for another time than the customer has just named" => "It does not run: a correction says which time was named", |w| {
        let at = |time: &str| w.calls("reserve", json!({"date": "2026-11-26", "start_hour": time}));
        let ran = w.run("marca quinta às 10h", [at("10:15"), at("10:00"), w.says("Feito, quinta às 10h com a Íris!")]);
        assert_eq!((ran.codes(), ran.executed()), (vec!["invalid_arguments", ""], vec!["reserve"]));
        assert_eq!(ran.told()[0]["details"]["fields"][0]["nearest"], "10:00", "{}", ran.told()[0]);
    };
    lc_348 both "A call that writes is for a time that neither the customer nor we have named" => "It does not run: the model is told to ask", |w| {
        let call = w.calls("reserve", json!({"date": "2026-11-26", "start_hour": "10:00"}));
        let ran = w.run("quero cortar quinta", [call, w.says("Claro, que horas fica bom?")]);
        assert_eq!((ran.codes(), ran.executed()), (vec!["invalid_arguments"], Vec::<&str>::new()));
        assert!(ran.told()[0].to_string().contains("nobody_said_so"), "{}", ran.told()[0]);
    };
    lc_353 both "The customer agrees to a place that we told them of unasked, and the model books it" => "It runs: we have named it", |w| {
        let mut w = w;
        w.notification = Some("Abriu um horário: Corte com a Íris, sábado, 28/11 às 10h".to_owned());
        let call = w.calls("reserve", json!({"date": "2026-11-28", "start_hour": "10:00"}));
        let ran = w.run("quero!", [call, w.says("Prontinho!")]);
        assert_eq!(ran.executed(), ["reserve"]);
    };
    lc_349 both "The customer asks whether a time is free, and the model takes it" => "It does not run: the model is told to answer and to offer", |w| {
        let call = w.calls("reserve", json!({"date": "2026-11-26", "start_hour": "10:00"}));
        let ran = w.run("tem horário quinta às 10h?", [call, w.says("Tem sim, quer que eu marque?")]);
        assert_eq!(ran.executed(), Vec::<&str>::new());
        assert!(ran.told()[0].to_string().contains("only_asked"), "{}", ran.told()[0]);
    };
    lc_350 both "A call that writes gives as the customer's words what they never wrote" => "It does not run: the model is told to ask", |w| {
        let named = |name: &str| w.calls("note_it", json!({"name": name}));
        let ran = w.run("sou a ana prado", [named("Tiago"), named("Ana Prado"), w.says("Oi, Ana!")]);
        assert_eq!((ran.codes(), ran.executed()), (vec!["invalid_arguments", ""], vec!["note_it"]));
    };
    lc_351 both "A call that reads is for another day than the customer named, and that day was not looked at" => "It does not run: a correction says which day was named", |w| {
        let on = |date: &str| w.calls("find_slots", json!({"date": date}));
        let ran = w.run("tem vaga na quinta?", [on("2026-11-25"), on("2026-11-26"), on("2026-11-27"), w.says("Quinta e sexta tem!")]);
        assert_eq!((ran.codes(), ran.executed()), (vec!["invalid_arguments", "", ""], vec!["find_slots", "find_slots"]), "then the days around it may be looked at");
    };
    lc_169 both "The same tool with other arguments" => "It runs", |w| {
        let ran = w.run("oi", [w.calls("look", json!({"appointment_id": 1})), w.calls("look", json!({"appointment_id": 2})), w.says("Achei!")]);
        assert_eq!(ran.executions.len(), 2);
    };
    lc_170 both "A refused call is made again" => "Answered from the ledger: the answer stands", |w| {
        let w = w.tool("book", [Act::Refuses(json!({"success": false, "reason": "SLOT_TAKEN"}))]);
        let book = || w.calls("book", json!({"date": "2026-11-26", "start_hour": "10:00"}));
        let ran = w.run("oi", [book(), book(), w.says("Esse já foi, quer outro?")]);
        assert_eq!((ran.executions.len(), ran.told()[1]["repeated"].clone()), (1, json!(true)));
    };
    lc_171 both "A call that failed is made again" => "It runs again: a fault may pass", |w| {
        let w = w.tool("look", [Act::Fails(ErrorCode::Timeout)]);
        let ran = w.run("oi", [w.calls("look", json!({})), w.calls("look", json!({})), w.says("Achei!")]);
        assert_eq!(ran.codes(), ["timeout", ""]);
    };
    lc_172 both "A call that failed with an unknown effect is made again" => "It does not run: the machine never repeats it", |w| {
        let ran = w.run("oi", [w.calls("blind", json!({})), w.calls("blind", json!({})), w.says("Não consegui agora.")]);
        assert_eq!((ran.executions.len(), ran.codes(), ran.state.breaker.failures()), (1, vec!["timeout", "timeout"], 1));
    };
    lc_173 both "Three rounds without anything new" => "The loop ends: the final text is asked for, tools off", |w| {
        let again = || w.calls("look", json!({}));
        let ran = w.run("oi", [again(), again(), again(), again(), w.says("É isso que achei.")]);
        assert_eq!((ran.executions.len(), ran.state.rounds), (1, 4));
        assert!(!ran.offered(4, "look"));
    };
    lc_174 both "Rounds with other arguments and the same answer" => "They bring nothing new either", |w| {
        let w = w.tool("look", vec![Act::Gives(json!({"found": false})); 4]);
        let asks = (1..=4).map(|n| w.calls("look", json!({"appointment_id": n})));
        let ran = w.run("oi", asks.chain([w.says("É isso que achei.")]));
        assert_eq!(ran.state.rounds, 4);
    };
    lc_175 both "Something new after two idle rounds" => "The count of idle rounds begins anew", |w| {
        let again = || w.calls("look", json!({}));
        let ran = w.run("oi", [again(), again(), again(), w.calls("glance", json!({})), again(), w.says("É isso que achei.")]);
        assert_eq!((ran.state.rounds, ran.replied()), (5, "É isso que achei."));
    };
    lc_176 both "A handler panics" => "An `internal` error; the panic's text is for staff only", |w| {
        let ran = w.run("oi", [w.calls("crash", json!({})), w.says("Não consegui agora.")]);
        assert_eq!((ran.codes(), ran.state.breaker.failures()), (vec!["internal"], 1));
        assert!(ran.state.calls[0].result.internal.as_ref().unwrap().contains("a defect"));
    };
    lc_177 both "A result breaks the output schema" => "An `internal` fault; the model does not see the result", |w| {
        let ran = w.run("oi", [w.calls("odd", json!({})), w.says("Não consegui agora.")]);
        assert_eq!((ran.codes(), ran.state.breaker.failures()), (vec!["internal"], 1));
        assert!(!ran.read(1).contains("surprise"));
    };
    lc_178 both "A large list" => "The model reads a head, the numbers shown and in all, and a handle", |w| {
        let ran = w.run("oi", [w.calls("big", json!({})), w.says("Achei na lista.")]);
        let told = &ran.told()[0];
        assert_eq!((told["_cut"]["total"].clone(), told["_cut"]["handle"].clone()), (json!(500), json!("r1")));
        assert!(told.to_string().len() < 6_000 && told["items"].as_array().unwrap().len() > 10);
        assert_eq!(told["_cut"]["shown"], told["items"].as_array().unwrap().len());
    };
    lc_179 both "A result was cut" => "`read_result` is on offer from then on", |w| {
        let ran = w.run("oi", [w.calls("big", json!({})), w.says("Achei na lista.")]);
        assert!(!ran.offered(0, "read_result") && ran.offered(1, "read_result"));
    };
    lc_180 both "`read_result` with an offset" => "The page from there on", |w| {
        let told = after_big(&w, json!({"handle": "r1", "offset": 480}));
        assert_eq!((told["items"][0]["n"].clone(), told["items"].as_array().unwrap().len()), (json!(480), 20));
    };
    lc_181 both "`read_result` with a text" => "Only the items that hold it", |w| {
        let told = after_big(&w, json!({"handle": "r1", "contains": "CLIENTE NÚMERO 49"}));
        assert_eq!((told["total"].clone(), told["items"][0]["n"].clone()), (json!(11), json!(49)));
    };
    lc_182 both "`read_result` behind the end" => "No items, and the number in all", |w| {
        let told = after_big(&w, json!({"handle": "r1", "offset": 9_000}));
        assert_eq!((told["items"].clone(), told["total"].clone()), (json!([]), json!(500)));
    };
    lc_183 both "`read_result` with a handle that does not exist" => "`not_found`", |w| {
        assert_eq!(after_big(&w, json!({"handle": "r9"}))["code"], "not_found");
    };
    lc_184 both "`read_result` before any result was cut" => "`unknown_tool`", |w| {
        let ran = w.run("oi", [w.calls("read_result", json!({"handle": "r1"})), w.says("Achei!")]);
        assert_eq!(ran.codes(), ["unknown_tool"]);
    };
    lc_190 both "`read_result` with fields that it does not have, or of another type" => "`invalid_arguments`: one entry per bad field", |w| {
        let told = after_big(&w, json!({"handel": "r1", "offset": "x", "contains": ""}));
        assert_eq!(told["code"], "invalid_arguments");
        let fields = told["details"]["fields"].as_array().unwrap();
        let mut rows: Vec<_> = fields.iter().map(|one| (one["pointer"].as_str().unwrap(), one["problem"].as_str().unwrap())).collect();
        rows.sort_unstable();
        let wrong = [("/contains", "too_short"), ("/handel", "unknown_field"), ("/handle", "missing"), ("/offset", "wrong_type")];
        assert_eq!(rows, wrong);
    };
    lc_191 both "`read_result` with `null` for what is not given" => "As if it were absent", |w| {
        let told = after_big(&w, json!({"handle": "r1", "offset": null, "contains": null}));
        assert_eq!((told["offset"].clone(), told["total"].clone()), (json!(0), json!(500)));
    };
    lc_185 both "A large result without a list" => "Its head and a handle", |w| {
        let ran = w.run("oi", [w.calls("long", json!({})), w.calls("read_result", json!({"handle": "r1"})), w.says("Achei!")]);
        assert!(ran.told()[0]["head"].is_string() && ran.told()[0].to_string().len() < 8_000);
        assert!(!ran.told()[1]["items"].as_array().unwrap().is_empty());
    };
    lc_186 both "Calls with a day, time, service and professional" => "Working memory holds what is under discussion", |w| {
        let args = json!({"date": "2026-11-26", "start_hour": "10:00", "service_name": "Corte", "barber_name": "Íris"});
        let memory = w.run("oi", [w.calls("look", args), w.says("Esse horário serve?")]).state.memory;
        let held = [memory.day, memory.time, memory.service, memory.professional].map(Option::unwrap);
        assert_eq!(held, ["2026-11-26", "10:00", "Corte", "Íris"]);
    };
    lc_187 both "What was under discussion is booked" => "Working memory is cleared", |w| {
        let ran = w.run("oi", [w.calls("book", json!({"date": "2026-11-26", "start_hour": "10:00"})), w.says("Tudo certo por aqui.")]);
        assert!(ran.state.memory.is_empty());
    };
    lc_188 both "Working memory from yesterday" => "Forgotten when the turn begins", |w| {
        let mut w = w;
        let touched = w.now.timestamp() - jiff::SignedDuration::from_hours(24);
        w.memory = WorkingMemory { day: Some("2026-11-26".to_owned()), touched_at: Some(touched), ..WorkingMemory::default() };
        assert!(w.run("oi", [w.says("Olá!")]).state.memory.is_empty());
    };
    lc_189 both "Arguments that were refused" => "Working memory learns nothing from them", |w| {
        let ran = w.run("oi", [w.calls("look", json!({"service_name": "Corte", "appointment_id": 0})), w.says("Qual é o número?")]);
        assert!(ran.state.memory.is_empty());
    };
}
