//! Plays a scenario: the turn's loop as the engine runs it, without its guardrails and sanitisers.

use balcao_language::{Agreement, Asked, agreement_about, asks_for_human, normalize};
use balcao_llm::{
    ChatProvider, Message, ModelRequest, Purpose, ResponseFormat, ToolCallRequest, ToolChoice, TurnFacts,
};
use balcao_offline::OfflineModel;
use jiff::civil::DateTime;
use serde_json::{Value, json};

use crate::fake::{self, Fake};

pub(crate) struct Story {
    pub(crate) fake: Fake,
    pub(crate) messages: Vec<Message>,
    held: Option<(String, Value)>,
    waiting: bool,
    pub(crate) structured: bool,
    calls: usize,
}

pub(crate) struct Turn {
    pub(crate) reply: String,
    pub(crate) outcome: &'static str,
    pub(crate) tools: Vec<String>,
}

impl Story {
    pub(crate) fn new(fake: Fake) -> Self {
        Self { fake, messages: Vec::new(), held: None, waiting: false, structured: false, calls: 0 }
    }

    pub(crate) fn request(&self, tool_choice: ToolChoice, purpose: Purpose) -> ModelRequest {
        let (mut system, mut messages, mut tools) = (String::new(), self.messages.clone(), fake::tools());
        if self.structured {
            // As the engine renders it: tools in the prompt, results as messages, one object a step.
            if tool_choice == ToolChoice::Auto {
                let row = |tool: &balcao_llm::ToolDefinition| {
                    json!({"name": tool.name, "description": tool.description, "params": tool.input_schema}).to_string()
                };
                system = tools.iter().map(row).collect::<Vec<_>>().join("\n");
            }
            tools.clear();
            messages = messages.into_iter().map(structured).collect();
        }
        ModelRequest {
            system,
            messages,
            tools,
            tool_choice: if self.structured { ToolChoice::None } else { tool_choice },
            format: if self.structured {
                ResponseFormat::Json { name: "turn".to_owned(), schema: json!({}) }
            } else {
                ResponseFormat::Text
            },
            max_output_tokens: 500,
            temperature_milli: None,
            purpose,
            facts: TurnFacts {
                now: self.fake.now.in_tz("America/Sao_Paulo").unwrap(),
                locale: "pt-BR".to_owned(),
                organization: self.fake.organization(),
                address: None,
                opens: None,
                contact_name: self.fake.contact_name.clone(),
                appointment: None,
                written: None,
                outdated: 0,
            },
        }
    }

    pub(crate) async fn say(&mut self, text: &str) -> Turn {
        let before = self.fake.called.len();
        if self.waiting {
            return Turn { reply: String::new(), outcome: "silence", tools: Vec::new() };
        }
        self.messages.push(Message::User { text: text.to_owned() });
        if asks_for_human(text) {
            self.waiting = true;
            return Turn { reply: "…".to_owned(), outcome: "handoff", tools: Vec::new() };
        }
        if let Some((name, arguments)) = self.held.take() {
            let asked = if name == "cancel_appointment" { Asked::Cancelling } else { Asked::Rescheduling };
            if agreement_about(text, asked) == Agreement::Yes {
                self.run(&name, &arguments, true);
            }
        }
        let mut reply = String::new();
        for round in 0..=5 {
            let choice = if round == 5 { ToolChoice::None } else { ToolChoice::Auto };
            let request = self.request(choice, Purpose::Step);
            let mut streamed = String::new();
            let response = OfflineModel
                .complete(&request, &mut |event| {
                    if let balcao_llm::StreamEvent::Text(text) = event {
                        streamed.push_str(text);
                    }
                })
                .await
                .unwrap();
            assert_eq!(streamed, response.text);
            assert_eq!(response, OfflineModel.answer(&request), "the same request gives the same answer");
            let wishes: Vec<(String, Value)> = if self.structured {
                let object: Value = serde_json::from_str(&response.text).unwrap();
                let wish = &object["tool_request"];
                reply = object["response_to_client"].as_str().unwrap_or_default().to_owned();
                wish["name"].as_str().map(|name| (name.to_owned(), wish["params"].clone())).into_iter().collect()
            } else {
                reply = response.text.clone();
                let read = |call: &ToolCallRequest| (call.name.clone(), serde_json::from_str(&call.arguments).unwrap());
                response.tool_calls.iter().map(read).collect()
            };
            if wishes.is_empty() {
                break;
            }
            assert!(round < 5, "no more than five rounds");
            for (name, arguments) in wishes {
                self.run(&name, &arguments, false);
            }
        }
        assert!(!reply.trim().is_empty(), "silence after {text:?}");
        self.messages.push(Message::Assistant { text: reply.clone(), tool_calls: Vec::new() });
        let tools: Vec<String> = self.fake.called.iter().skip(before).cloned().collect();
        let handed = tools.iter().any(|tool| tool == "transfer_to_human");
        self.waiting |= handed;
        Turn { reply, outcome: if handed { "handoff" } else { "reply" }, tools }
    }

    fn run(&mut self, name: &str, arguments: &Value, confirmed: bool) {
        let properties = fake::tools().into_iter().find(|tool| tool.name == name).unwrap().input_schema;
        for key in arguments.as_object().unwrap().keys() {
            assert!(properties["properties"].get(key).is_some(), "{name} knows no {key}");
        }
        let result = self.fake.run(name, arguments, confirmed);
        if result["code"] == "confirmation_required" {
            self.held = Some((name.to_owned(), arguments.clone()));
        }
        self.calls += 1;
        let id = format!("call_{}", self.calls);
        let call =
            ToolCallRequest { id: id.clone(), name: name.to_owned(), arguments: arguments.to_string(), vendor: None };
        self.messages.push(Message::Assistant { text: String::new(), tool_calls: vec![call] });
        let is_error = result.get("error").is_some();
        self.messages.push(Message::ToolResult {
            call_id: id,
            name: name.to_owned(),
            content: result.to_string(),
            is_error,
        });
    }
}

fn structured(message: Message) -> Message {
    match message {
        Message::Assistant { text, tool_calls } => {
            let wish = tool_calls.first().map(
                |call| json!({"name": call.name, "params": serde_json::from_str::<Value>(&call.arguments).unwrap()}),
            );
            let said = if wish.is_none() { Value::from(text) } else { Value::Null };
            let text = json!({"response_to_client": said, "tool_request": wish}).to_string();
            Message::Assistant { text, tool_calls: Vec::new() }
        }
        Message::ToolResult { name, content, .. } => {
            let result: Value = serde_json::from_str(&content).unwrap();
            Message::User { text: json!({"tool_result": {"name": name, "result": result}}).to_string() }
        }
        user @ Message::User { .. } => user,
    }
}

/// Plays a scenario file's value against a business; gives what failed, with the transcript.
pub(crate) async fn play(scenario: &Value, business: &Value, structured: bool) -> Result<(), String> {
    let now: DateTime = scenario["now"].as_str().unwrap().parse().unwrap();
    let contact = &scenario["contact"];
    let mut fake = Fake::new(business.clone(), now, contact["phone"].as_str().unwrap(), contact["name"].as_str());
    fake.rival = scenario["rival"].as_bool().unwrap_or(false);
    fake.broken = strings(&scenario["broken"]);
    let others = fake.others();
    let mut story = Story::new(fake);
    story.structured = structured;
    let mut log = format!("— {}\n", scenario["id"].as_str().unwrap());
    let mut faults = Vec::new();
    for turn in scenario["turns"].as_array().unwrap() {
        let text = turn["customer"].as_str().unwrap();
        let done = story.say(text).await;
        log.push_str(&format!("  > {text}\n    {:?}\n  < {}\n", done.tools, done.reply.replace('\n', "\n    ")));
        story.fake.now = story.fake.now.checked_add(jiff::Span::new().minutes(1)).unwrap();
        let expect = &turn["expect"];
        if let Some(outcome) = expect["outcome"].as_str().filter(|outcome| *outcome != done.outcome) {
            faults.push(format!("{text:?}: outcome {} instead of {outcome}", done.outcome));
        }
        faults.extend(wording(expect, &done.reply));
        faults.extend(tools(expect, &done.tools));
    }
    let expect = &scenario["expect"];
    faults.extend(tools(expect, &story.fake.called));
    if let Some(wanted) = expect["appointments"].as_array() {
        let upcoming = story.fake.upcoming();
        let same = upcoming.len() == wanted.len()
            && upcoming.iter().zip(wanted).all(|(one, want)| {
                let fits = |key: &str, have: &str| want[key].as_str().is_none_or(|want| want == have);
                fits("service", &one.service)
                    && fits("professional", &one.professional)
                    && fits("starts", &one.starts.strftime("%Y-%m-%dT%H:%M").to_string())
                    && fits("status", &one.status)
            });
        if !same {
            faults.push(format!("appointments {upcoming:?} instead of {wanted:?}"));
        }
    }
    if !story.fake.rival && scenario["rival"].is_null() && others != story.fake.others() {
        faults.push("another contact's appointments changed".to_owned());
    }
    eprintln!("{log}");
    if faults.is_empty() { Ok(()) } else { Err(format!("{log}  FAULTS {faults:#?}")) }
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(|one| one.as_str().map(str::to_owned)).collect()
}

fn wording(expect: &Value, reply: &str) -> Vec<String> {
    let folded = normalize(reply);
    let mut faults = Vec::new();
    for want in expect["mentions"].as_array().into_iter().flatten() {
        let any = match want.as_array() {
            Some(list) => list.iter().any(|one| folded.contains(&normalize(one.as_str().unwrap()))),
            None => folded.contains(&normalize(want.as_str().unwrap())),
        };
        if !any {
            faults.push(format!("{reply:?} does not mention {want}"));
        }
    }
    for unwanted in expect["not_mentions"].as_array().into_iter().flatten() {
        if folded.contains(&normalize(unwanted.as_str().unwrap())) {
            faults.push(format!("{reply:?} mentions {unwanted}"));
        }
    }
    faults
}

fn tools(expect: &Value, called: &[String]) -> Vec<String> {
    let mut faults = Vec::new();
    for want in strings(&expect["tools_called"]) {
        if !called.contains(&want) {
            faults.push(format!("{want} was not called: {called:?}"));
        }
    }
    for unwanted in strings(&expect["tools_not_called"]) {
        if called.contains(&unwanted) {
            faults.push(format!("{unwanted} was called"));
        }
    }
    faults
}
