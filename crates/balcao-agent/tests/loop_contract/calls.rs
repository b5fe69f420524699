//! How a call is checked before it may run.

use balcao_agent::profile::Protocol;
use balcao_llm::{Message, providers::scripted::calls_raw};
use serde_json::{Value, json};

use crate::{
    row::rows,
    world::{Ran, World, calls_with_ids},
};

/// One call with these arguments, then a text.
fn one(w: &World, name: &str, args: Value) -> Ran {
    w.run("oi", [w.calls(name, args), w.says("Entendi, obrigada.")])
}

/// One native call with its arguments exactly as written here, then a text.
fn raw(w: &World, arguments: &str) -> Ran {
    w.run("oi", [calls_raw("", &[("look", arguments)]), w.says("Entendi, obrigada.")])
}

/// The one result's bad fields, as pointer and problem.
fn fields(ran: &Ran) -> Vec<(String, String)> {
    let word = |field: &Value, key: &str| field[key].as_str().unwrap().to_owned();
    let all = ran.told()[0]["details"]["fields"].as_array().unwrap().clone();
    all.iter().map(|field| (word(field, "pointer"), word(field, "problem"))).collect()
}

/// The names under which a request tells of calls and results.
fn told_names(messages: &[Message]) -> Vec<String> {
    let mut names = Vec::new();
    for message in messages {
        match message {
            Message::ToolResult { name, .. } => names.push(name.clone()),
            Message::Assistant { text, tool_calls } => {
                names.extend(tool_calls.iter().map(|call| call.name.clone()));
                let objects = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
                names.extend(objects.filter_map(|one| Some(one["tool_request"]["name"].as_str()?.to_owned())));
            }
            Message::User { text } => {
                let objects = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
                names.extend(objects.filter_map(|one| Some(one["tool_result"]["name"].as_str()?.to_owned())));
            }
        }
    }
    names
}

fn refused(ran: &Ran, pointer: &str, problem: &str) {
    assert_eq!(ran.codes(), ["invalid_arguments"]);
    assert_eq!(fields(ran), [(pointer.to_owned(), problem.to_owned())]);
    assert!(ran.executions.is_empty(), "it ran all the same");
}

rows! {
    lc_060 both "A tool that does not exist" => "`unknown_tool` with the nearest names; the turn goes on", |w| {
        let ran = one(&w, "find_slot", json!({}));
        assert_eq!(ran.codes(), ["unknown_tool"]);
        assert_eq!(ran.told()[0]["details"]["nearest"][0], "find_slots");
        assert_eq!(ran.replied(), "Entendi, obrigada.");
    };
    lc_061 both "Invented names, each another one" => "They share one budget: the fourth ends the turn with a handoff", |w| {
        let ran = w.run("oi", ["alfa", "beta", "gama", "delta"].map(|name| w.calls(name, json!({}))));
        assert_eq!((ran.handed_off(), ran.codes().len()), ("corrections", 4));
    };
    lc_062 both "A tool of a pack that the profile does not have" => "`unknown_tool`; its name is not offered", |w| {
        let ran = one(&w, "foreign", json!({}));
        assert!(ran.codes() == ["unknown_tool"] && ran.executions.is_empty() && !ran.offered(0, "foreign"));
    };
    lc_063 both "An internal command" => "`unknown_tool`; it is never offered", |w| {
        let ran = one(&w, "secret", json!({}));
        assert!(ran.codes() == ["unknown_tool"] && ran.executions.is_empty() && !ran.offered(0, "secret"));
    };
    lc_064 both "Names that no vendor would take back: empty, very long, with spaces" => "Each is answered, and the next request is well formed", |w| {
        let long = "x".repeat(300);
        let names = ["", long.as_str(), "do it; now"];
        let mut script = match w.protocol {
            Protocol::Native => vec![calls_with_ids(&names.map(|name| (name, name, "{}")))],
            Protocol::Structured => names.map(|name| w.calls(name, json!({}))).into(),
        };
        script.push(w.says("Entendi, obrigada."));
        let ran = w.run("oi", script);
        assert_eq!(ran.codes(), ["unknown_tool"; 3]);
        let told = told_names(&ran.requests.last().unwrap().messages);
        assert!(told.len() >= 3, "{told:?}");
        for name in told {
            assert!((1..=64).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'), "{name:?}");
        }
    };
    lc_065 both "A name that is a tool's but for its punctuation" => "It does not run: names are never guessed", |w| {
        let ran = one(&w, "note it", json!({}));
        assert!(ran.codes() == ["unknown_tool"] && ran.executions.is_empty());
    };
    lc_066 native "A trailing comma in the arguments" => "Mended, recorded, run", |w| {
        let ran = raw(&w, r#"{"service_name": "Corte",}"#);
        assert_eq!(ran.executions[0].args, json!({"service_name": "Corte"}));
        assert_eq!(ran.state.calls[0].repairs, ["mended malformed JSON"]);
    };
    lc_067 native "Arguments in a code fence" => "Unwrapped, recorded, run", |w| {
        let ran = raw(&w, "```json\n{\"service_name\": \"Corte\"}\n```");
        assert_eq!(ran.state.calls[0].repairs, ["removed a code fence"]);
        assert_eq!(ran.executions.len(), 1);
    };
    lc_068 both "Arguments given as a string that holds the object" => "Read, recorded, run", |w| {
        let ran = one(&w, "look", Value::from(r#"{"service_name": "Corte"}"#));
        assert_eq!(ran.executions[0].args, json!({"service_name": "Corte"}));
        assert_eq!(ran.state.calls[0].repairs, ["read an object that was given as a string"]);
    };
    lc_069 both "One value where a list of such values is expected" => "Put into a list, recorded, run", |w| {
        let ran = one(&w, "look", json!({"tags": "VIP"}));
        assert_eq!(ran.executions[0].args, json!({"tags": ["VIP"]}));
        assert_eq!(ran.state.calls[0].repairs.len(), 1);
    };
    lc_070 both "A list or an object given as a string" => "Read, recorded, run", |w| {
        let ran = one(&w, "look", json!({"tags": "[\"VIP\"]", "filter": "{\"a\": \"b\"}"}));
        assert_eq!(ran.executions[0].args, json!({"tags": ["VIP"], "filter": {"a": "b"}}));
        assert_eq!(ran.state.calls[0].repairs.len(), 2);
    };
    lc_071 both "`null` for an optional argument" => "As if it were absent", |w| {
        let ran = one(&w, "look", json!({"service_name": null, "period": "morning"}));
        assert_eq!(ran.executions[0].args, json!({"period": "morning"}));
    };
    lc_072 native "No arguments at all" => "The empty object", |w| {
        assert_eq!(raw(&w, "").executions[0].args, json!({}));
    };
    lc_073 native "Single quotes, bare keys, Python literals" => "Mended, recorded, run", |w| {
        let ran = raw(&w, "{service_name: 'Corte', 'barber_name': None}");
        assert_eq!(ran.executions[0].args, json!({"service_name": "Corte"}));
    };
    lc_074 native "Arguments that are cut off" => "`invalid_arguments`: what is missing cannot be known", |w| {
        let ran = raw(&w, r#"{"service_name": "Cor"#);
        assert!(ran.codes() == ["invalid_arguments"] && ran.executions.is_empty());
    };
    lc_075 native "A key that is given twice" => "`invalid_arguments`: it has two readings", |w| {
        let ran = raw(&w, r#"{"date": "2026-11-26", "date": "2026-11-27"}"#);
        assert!(ran.codes() == ["invalid_arguments"] && ran.executions.is_empty());
    };
    lc_076 native "Arguments that are a list" => "`invalid_arguments`", |w| {
        let ran = raw(&w, r#"["2026-11-26"]"#);
        assert!(ran.codes() == ["invalid_arguments"] && ran.executions.is_empty());
    };
    lc_077 native "Arguments in the middle of prose" => "`invalid_arguments`", |w| {
        let ran = raw(&w, r#"here: {"date": "2026-11-26"} thanks"#);
        assert!(ran.codes() == ["invalid_arguments"] && ran.executions.is_empty());
    };
    lc_078 both "Arguments larger than 32 KiB" => "`invalid_arguments`; the next request does not carry them", |w| {
        let ran = one(&w, "look", json!({"reason": "x".repeat(100_000)}));
        assert!(ran.codes() == ["invalid_arguments"] && ran.executions.is_empty());
        assert!(ran.told()[0].to_string().contains("larger than 32768 bytes"), "{}", ran.told()[0]);
        assert!(serde_json::to_string(&ran.requests[1].messages).unwrap().len() < 40_000);
    };
    lc_079 both "Arguments nested deeper than 16 levels" => "`invalid_arguments`", |w| {
        let filter = (0..40).fold(json!({}), |inner, _| json!({ "x": inner }));
        let ran = one(&w, "look", json!({ "filter": filter }));
        assert!(ran.codes() == ["invalid_arguments"] && ran.executions.is_empty());
        assert!(ran.told()[0].to_string().contains("nested deeper than 16 levels"), "{}", ran.told()[0]);
    };
    lc_080 both "A required argument is missing" => "`invalid_arguments` that names the field and what it wants", |w| {
        let ran = one(&w, "book", json!({"start_hour": "10:00"}));
        refused(&ran, "/date", "missing");
        assert!(ran.told()[0]["details"]["fields"][0]["expected"].as_str().unwrap().contains("2026-11-26"));
    };
    lc_081 both "Several bad fields" => "One entry for each of them, at once", |w| {
        let ran = one(&w, "book", json!({"start_hour": "10", "tags": 3, "barber": "Íris"}));
        let mut told = fields(&ran);
        told.sort();
        let told: Vec<(&str, &str)> = told.iter().map(|(pointer, problem)| (pointer.as_str(), problem.as_str())).collect();
        assert_eq!(told, [("/barber", "unknown_field"), ("/date", "missing"), ("/start_hour", "bad_format"), ("/tags", "wrong_type")]);
    };
    lc_082 both "An argument that the tool does not have" => "Refused with the nearest name that it has", |w| {
        let ran = one(&w, "look", json!({"service": "Corte"}));
        refused(&ran, "/service", "unknown_field");
        assert_eq!(ran.told()[0]["details"]["fields"][0]["nearest"], "service_name");
    };
    lc_083 both "A number given as text" => "Refused: values are never converted", |w| {
        refused(&one(&w, "look", json!({"appointment_id": "42"})), "/appointment_id", "wrong_type");
    };
    lc_084 both "The id 0" => "Refused before any I/O", |w| {
        refused(&one(&w, "look", json!({"appointment_id": 0})), "/appointment_id", "out_of_range");
    };
    lc_085 both "A negative id" => "Refused before any I/O", |w| {
        refused(&one(&w, "look", json!({"appointment_id": -7})), "/appointment_id", "out_of_range");
    };
    lc_086 both "The id 2,147,483,648" => "Refused before any I/O", |w| {
        refused(&one(&w, "look", json!({"appointment_id": 2_147_483_648_u64})), "/appointment_id", "out_of_range");
    };
    lc_087 both "The ids 1 and 2,147,483,647" => "Run: they are the ends of the range", |w| {
        let low = w.calls("look", json!({"appointment_id": 1}));
        let ran = w.run("oi", [low, w.calls("look", json!({"appointment_id": 2_147_483_647})), w.says("Entendi, obrigada.")]);
        assert_eq!((ran.codes(), ran.executions.len()), (vec!["", ""], 2));
    };
    lc_088 both "An id far beyond every integer" => "Refused before any I/O", |w| {
        let ran = one(&w, "look", json!({"appointment_id": 1e300}));
        assert!(ran.codes() == ["invalid_arguments"] && ran.executions.is_empty());
    };
    lc_089 both "A date in another form" => "Refused with an example of the right one", |w| {
        let ran = one(&w, "look", json!({"date": "26/11/2026"}));
        refused(&ran, "/date", "bad_format");
        assert!(ran.told()[0].to_string().contains("2026-11-26"));
    };
    lc_090 both "A word that is not on the list" => "Refused with the nearest one that is", |w| {
        let ran = one(&w, "look", json!({"period": "mornings"}));
        refused(&ran, "/period", "not_allowed");
        assert_eq!(ran.told()[0]["details"]["fields"][0]["nearest"], "morning");
    };
    lc_091 both "A value that is too long" => "Refused; it is quoted back in part only", |w| {
        let ran = one(&w, "look", json!({"service_name": "x".repeat(5_000)}));
        refused(&ran, "/service_name", "too_long");
        assert!(ran.told()[0].to_string().len() < 1_000);
    };
    lc_092 both "The command has its own guidance for an error" => "`_context` is the command's, not the general one", |w| {
        let ran = one(&w, "look", json!({"appointment_id": 0}));
        assert_eq!(ran.told()[0]["_context"], "Ask the customer for what is missing.");
        assert_eq!(ran.told()[0]["retryable"], false);
    };
    lc_093 both "An error for which the command has no guidance" => "`_context` is the code's default, in the profile's language", |w| {
        let w = w.with(json!({"language": "en"}));
        assert_eq!(one(&w, "nope", json!({})).told()[0]["_context"], "Use only the tools on offer, by their exact names.");
    };
    lc_094 both "The model mends its call" => "It runs; the corrections are counted for the turn only", |w| {
        let wrong = w.calls("book", json!({"date": "amanhã", "start_hour": "10:00"}));
        let ran = w.run("oi", [wrong, w.calls("book", json!({"date": "2026-11-26", "start_hour": "10:00"})), w.says("Tudo certo por aqui.")]);
        assert_eq!((ran.codes(), ran.state.corrections, ran.state.breaker.failures()), (vec!["invalid_arguments", ""], 1, 0));
    };
}
