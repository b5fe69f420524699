//! The structured protocol: what one JSON object a step may look like.

use balcao_agent::profile::Protocol;
use balcao_llm::{Message, ResponseFormat, providers::scripted::says};
use serde_json::json;

use crate::{row::rows, world::World};

const GARBAGE: &str = "Claro! Vou olhar a agenda para você";

rows! {
    lc_240 structured "An object with both a request and a response" => "The request wins; the response is not sent", |w| {
        let both = json!({"response_to_client": "Só um instante.", "tool_request": {"name": "look", "params": {}}});
        let ran = w.run("oi", [says(&both.to_string()), w.says("Achei!")]);
        assert_eq!((ran.executed(), ran.replied()), (vec!["look"], "Achei!"));
    };
    lc_241 structured "Text that is no object" => "Asked again, told what an answer must look like", |w| {
        let ran = w.run("oi", [says(GARBAGE), w.says("Olá!")]);
        assert_eq!(ran.replied(), "Olá!");
        assert!(!ran.requests[0].system.contains("não foi um único objeto JSON"));
        assert!(ran.requests[1].system.contains("não foi um único objeto JSON"));
    };
    lc_242 structured "Text that is no object, twice" => "Handoff; never silence, and the text is not sent", |w| {
        let ran = w.run("oi", [says(GARBAGE), says(GARBAGE)]);
        assert!(ran.handed_off() == "model_failure" && !ran.told_customer().contains("agenda"));
    };
    lc_243 structured "An object in a code fence" => "Read", |w| {
        let fenced = "```json\n{\"response_to_client\": \"Olá!\", \"tool_request\": null}\n```";
        assert_eq!(w.run("oi", [says(fenced)]).replied(), "Olá!");
    };
    lc_244 structured "An object with prose around it" => "Read; the prose is not sent", |w| {
        let wrapped = "Segue a resposta: {\"response_to_client\": \"Olá!\", \"tool_request\": null} Espero ter ajudado.";
        assert_eq!(w.run("oi", [says(wrapped)]).replied(), "Olá!");
    };
    lc_245 structured "An object with a trailing comma or single quotes" => "Read", |w| {
        assert_eq!(w.run("oi", [says("{'response_to_client': 'Olá!', 'tool_request': None,}")]).replied(), "Olá!");
    };
    lc_246 structured "An object with a thought" => "The thought is neither sent nor told again", |w| {
        let call = json!({"thought": "PENSAMENTO", "response_to_client": null, "tool_request": {"name": "look", "params": {}}});
        let text = json!({"thought": "PENSAMENTO", "response_to_client": "Achei!", "tool_request": null});
        let ran = w.run("oi", [says(&call.to_string()), says(&text.to_string())]);
        assert!(ran.replied() == "Achei!" && !ran.read(1).contains("PENSAMENTO"));
    };
    lc_247 structured "A response that is no text" => "Asked again", |w| {
        let odd = json!({"response_to_client": {"text": "Olá!"}, "tool_request": null}).to_string();
        assert_eq!(w.run("oi", [says(&odd), w.says("Olá!")]).replied(), "Olá!");
    };
    lc_248 structured "A request without a name" => "Asked again; nothing runs", |w| {
        let odd = json!({"response_to_client": null, "tool_request": {"params": {}}}).to_string();
        let ran = w.run("oi", [says(&odd), w.says("Olá!")]);
        assert!(ran.executions.is_empty() && ran.replied() == "Olá!");
    };
    lc_249 structured "A request that is a list" => "Asked again; nothing runs", |w| {
        let odd = json!({"response_to_client": null, "tool_request": [{"name": "look", "params": {}}]}).to_string();
        assert_eq!(w.run("oi", [says(&odd), w.says("Olá!")]).executions.len(), 0);
    };
    lc_250 structured "A request without `params`" => "As if they were the empty object", |w| {
        let bare = json!({"tool_request": {"name": "look"}}).to_string();
        assert_eq!(w.run("oi", [says(&bare), w.says("Achei!")]).executions[0].args, json!({}));
    };
    lc_251 structured "An object of another kind" => "Asked again: a tool call of another dialect is not run", |w| {
        let other = json!({"name": "note_it", "arguments": {}}).to_string();
        let ran = w.run("oi", [says(&other), w.says("Olá!")]);
        assert!(ran.executions.is_empty() && ran.replied() == "Olá!");
    };
    lc_252 structured "Any step" => "Tools stand in the prompt, not in the request; the answer's schema goes with it", |w| {
        let ran = w.run("oi", [w.says("Olá!")]);
        assert!(ran.requests[0].tools.is_empty() && ran.offered(0, "find_slots"));
        assert!(matches!(&ran.requests[0].format, ResponseFormat::Json { schema, .. } if schema["required"] == json!(["response_to_client", "tool_request"])));
    };
    lc_253 structured "The step after a call" => "The call and its result are told as objects, in turns of assistant and user", |w| {
        let ran = w.run("oi", [w.calls("look", json!({"appointment_id": 3})), w.says("Achei!")]);
        let [Message::User { .. }, Message::Assistant { text, tool_calls }, Message::User { text: result }] = ran.requests[1].messages.as_slice() else {
            panic!("{:?}", ran.requests[1].messages)
        };
        assert!(tool_calls.is_empty() && text.contains("\"tool_request\":{\"name\":\"look\",\"params\":{\"appointment_id\":3}}"));
        assert!(result.contains("\"tool_result\":{\"name\":\"look\""));
    };
    lc_254 structured "The final call" => "Its schema allows no request", |w| {
        let w = w.with(json!({"limits": {"max_tool_rounds": 1}}));
        let ran = w.run("oi", [w.calls("look", json!({})), w.says("Achei!")]);
        let schema = |n: usize| match &ran.requests[n].format {
            ResponseFormat::Json { schema, .. } => schema["properties"]["tool_request"]["type"].clone(),
            ResponseFormat::Text => panic!("no schema"),
        };
        assert_eq!((schema(0), schema(1)), (json!(["object", "null"]), json!("null")));
    };
    lc_256 structured "An object that ends in the middle, and nobody says that it was cut" => "Asked again; what was to be run is not", |w| {
        let cut = "{\"response_to_client\": null, \"tool_request\": {\"name\": \"note_it\", \"params\": {\"text\": \"ab";
        let ran = w.run("oi", [says(cut), w.says("Olá!")]);
        assert!(ran.executions.is_empty() && ran.replied() == "Olá!");
    };
    lc_257 structured "Two objects, one after the other" => "Asked again: which one is meant cannot be known, and neither runs", |w| {
        let call = |tool: &str| json!({"response_to_client": null, "tool_request": {"name": tool, "params": {}}}).to_string();
        let ran = w.run("oi", [says(&format!("{}\n{}", call("look"), call("note_it"))), w.says("Olá!")]);
        assert!(ran.executions.is_empty() && ran.replied() == "Olá!", "{:?}", ran.executions);
    };
    lc_258 structured "The same response twice in one answer" => "It is not sent twice", |w| {
        let twice = json!({"response_to_client": "Olá!", "tool_request": null}).to_string().repeat(2);
        assert_eq!(w.run("oi", [says(&twice), w.says("Olá!")]).replied(), "Olá!");
    };
    lc_259 structured "An object with neither a request nor a response, twice" => "Asked again once; then a handoff, never silence", |w| {
        let thought = json!({"thought": "Hum."}).to_string();
        assert_eq!(w.run("oi", [says(&thought), says(&thought)]).handed_off(), "model_failure");
        let bare = json!({"response_to_client": null, "tool_request": null}).to_string();
        assert_eq!(w.run("oi", [says(&bare), w.says("Olá!")]).replied(), "Olá!");
    };
    lc_359 structured "A response beside a request, where the profile sends such text" => "Dropped, whatever the profile says", |w| {
        let w = w.with(json!({"reply": {"interim_text": true}}));
        let both = json!({"response_to_client": "Só um instante.", "tool_request": {"name": "look", "params": {}}});
        let ran = w.run("oi", [says(&both.to_string()), w.says("Achei!")]);
        assert_eq!((ran.executed(), ran.replied()), (vec!["look"], "Achei!"));
        assert!(!ran.read(1).contains("Só um instante"), "nor is it told again: {}", ran.read(1));
    };
    lc_255 both "The same conversation under either protocol" => "The same calls, the same results, the same ending", |w| {
        let play = |w: &World| {
            w.run("quero marcar", [
                w.calls("find_slots", json!({"date": "2026-11-26"})), w.calls("broken", json!({})),
                w.calls("look", json!({"appointment_id": "x"})), w.says("Serve quinta de manhã?"),
            ])
        };
        let other = World::new(if w.protocol == Protocol::Native { Protocol::Structured } else { Protocol::Native });
        let (mine, theirs) = (play(&w), play(&other));
        assert_eq!((mine.codes(), mine.told(), &mine.ending), (theirs.codes(), theirs.told(), &theirs.ending));
        assert_eq!(mine.executions, theirs.executions);
    };
}
