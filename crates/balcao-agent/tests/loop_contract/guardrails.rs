//! What is decided before any model call.

use balcao_agent::guardrails::{DaySpent, GuardEffect, SlowedDown};
use balcao_agent::prompt::{answered, forwarded};
use balcao_llm::Message;
use balcao_tool::Locale;
use serde_json::json;

use crate::{row::rows, world::Ran};

fn guards(ran: &Ran) -> Vec<(&str, &str)> {
    ran.state.guards.iter().map(|record| (record.guardrail.as_str(), record.action.as_str())).collect()
}

rows! {
    lc_001 both "A person has the conversation" => "Silence; the model is not asked", |w| {
        let ran = w.guarded(|g| g.human_has_it = true).run("oi, tudo bem?", []);
        assert_eq!(ran.silent(), "human_assigned");
        assert!(ran.requests.is_empty());
    };
    lc_002 both "A person has the conversation and the customer asks for one" => "Silence all the same: the first guardrail decides", |w| {
        let ran = w.guarded(|g| g.human_has_it = true).run("quero falar com um atendente", []);
        assert_eq!(guards(&ran), [("human_assigned", "silence")]);
    };
    lc_003 both "The customer asks for a person" => "Handoff by rule with the handoff notice; the model is not asked", |w| {
        let ran = w.run("quero falar com um atendente", []);
        assert_eq!((ran.handed_off(), ran.state.spent.model_calls), ("asked_for_human", 0));
        assert_eq!(ran.told_customer(), "Certo! Já chamei alguém da nossa equipe. Logo te respondem por aqui.");
    };
    lc_004 both "The customer asks for a person, and the profile has that rule switched off" => "The model answers", |w| {
        let w = w.with(json!({"guardrails": {"asks_for_human": false}}));
        let ran = w.run("quero falar com um atendente", [w.says("Posso ajudar por aqui mesmo?")]);
        assert_eq!(ran.replied(), "Posso ajudar por aqui mesmo?");
    };
    lc_005 both "The customer wants no more messages" => "Confirmed in fixed words, and stored when the turn closes", |w| {
        let ran = w.run("PARAR", []);
        assert_eq!(ran.replied(), "Tudo bem, não vamos mais te mandar mensagens por conta própria. Se precisar, é só escrever; para voltar a receber, mande VOLTAR.");
        assert_eq!(ran.state.effects, [GuardEffect::OptOut]);
    };
    lc_006 both "The customer says stop again after that" => "Silence: it is confirmed once", |w| {
        let ran = w.guarded(|g| g.opted_out = true).run("sair", []);
        assert_eq!((ran.silent(), ran.state.effects.len()), ("opt_out", 0));
    };
    lc_343 both "A customer who wanted no proactive messages wants them again" => "Confirmed in fixed words, and stored when the turn closes", |w| {
        let ran = w.guarded(|g| g.opted_out = true).run("Voltar", []);
        assert_eq!(ran.replied(), "Combinado, você volta a receber nossas mensagens.");
        assert_eq!(ran.state.effects, [GuardEffect::OptIn]);
    };
    lc_344 both "Somebody who never opted out writes «voltar»" => "The model answers", |w| {
        assert_eq!(w.run("voltar", [w.says("Voltar para onde?")]).replied(), "Voltar para onde?");
    };
    lc_007 both "A customer who wants no proactive messages asks something" => "The model answers: they wrote first", |w| {
        let w = w.guarded(|g| g.opted_out = true);
        let ran = w.run("vocês abrem no sábado?", [w.says("Abrimos, sim!")]);
        assert_eq!(ran.replied(), "Abrimos, sim!");
    };
    lc_008 both "One message more than the limit a minute" => "Slowed down in fixed words", |w| {
        let w = w.with(json!({"guardrails": {"flood_per_minute": 3}})).guarded(|g| g.messages_last_minute = 4);
        assert_eq!(w.run("oi", []).replied(), "Recebi várias mensagens suas de uma vez. Me conta em uma só o que você precisa?");
    };
    lc_009 both "Too many messages a minute, the first after we asked to slow down" => "Silence, with a note to staff", |w| {
        let w = w.with(json!({"guardrails": {"flood_per_minute": 3}}));
        let w = w.guarded(|g| (g.messages_last_minute, g.slowed_down) = (5, SlowedDown::JustNow));
        let ran = w.run("oi", []);
        assert_eq!(ran.silent(), "flood");
        assert!(matches!(ran.state.effects.as_slice(), [GuardEffect::Note { text }] if text.contains('5')));
    };
    lc_010 both "Too many messages a minute, still" => "Silence without a further note", |w| {
        let w = w.with(json!({"guardrails": {"flood_per_minute": 3}}));
        let w = w.guarded(|g| (g.messages_last_minute, g.slowed_down) = (4, SlowedDown::Before));
        let ran = w.run("oi", []);
        assert_eq!((ran.silent(), ran.state.effects.len()), ("flood", 0));
    };
    lc_011 both "A forbidden topic, in other case and accents" => "The topic's fixed reply; the model is not asked", |w| {
        let topic = json!({"patterns": ["remédio"], "reply": "Sobre isso, fale com a sua médica."});
        let w = w.with(json!({"guardrails": {"forbidden_topics": [topic]}}));
        let ran = w.run("Qual REMEDIO eu tomo?", []);
        assert_eq!((ran.replied(), guards(&ran)), ("Sobre isso, fale com a sua médica.", vec![("forbidden_topic", "reply")]));
    };
    lc_012 both "A forbidden word inside of a longer word" => "No match: only whole words count", |w| {
        let topic = json!({"patterns": ["pix"], "reply": "Não."});
        let w = w.with(json!({"guardrails": {"forbidden_topics": [topic]}}));
        assert_eq!(w.run("quero um corte pixie", [w.says("Claro!")]).replied(), "Claro!");
    };
    lc_013 both "A forbidden topic that staff handle" => "Handoff; the customer reads the topic's reply", |w| {
        let topic = json!({"patterns": ["processo"], "reply": "Vou passar para a gerência.", "handoff": true});
        let ran = w.with(json!({"guardrails": {"forbidden_topics": [topic]}})).run("vou abrir um processo", []);
        assert_eq!((ran.handed_off(), ran.told_customer()), ("guardrail", "Vou passar para a gerência."));
    };
    lc_014 both "The day's number of replies is reached" => "Handoff that names the rule", |w| {
        let ran = w.guarded(|g| g.ai_messages_today = 50).run("oi", []);
        assert_eq!(ran.why(), "guardrail: max_messages");
    };
    lc_015 both "The day's number of replies has no limit in the profile" => "The model answers", |w| {
        let w = w.with(json!({"guardrails": {"max_messages_per_day": 0}})).guarded(|g| g.ai_messages_today = 5_000);
        assert_eq!(w.run("oi", [w.says("Olá!")]).replied(), "Olá!");
    };
    lc_016 both "The conversation's budget of the day is used up" => "Handoff that names the budget, with the fallback sentence", |w| {
        let w = w.with(json!({"budgets": {"conversation_day": {"tokens": 1000}}}));
        let ran = w.guarded(|g| g.conversation_today = DaySpent { tokens: 1_000, ..DaySpent::default() }).run("oi", []);
        assert_eq!(ran.why(), "budget: conversation_day.tokens");
        assert!(ran.told_customer().starts_with("Estou com dificuldade"));
    };
    lc_017 both "The organization's budget of the day is used up" => "Handoff that names the budget", |w| {
        let w = w.with(json!({"budgets": {"organization_day": {"cost_micro_usd": 5, "model_calls": 9}}}));
        let ran = w.guarded(|g| g.organization_today = DaySpent { model_calls: 9, ..DaySpent::default() }).run("oi", []);
        assert_eq!(ran.why(), "budget: organization_day.model_calls");
    };
    lc_018 both "A hot lead that staff want to know of" => "Tag and note are stored; the model answers", |w| {
        let w = w.with(json!({"guardrails": {"hot_leads": [{"patterns": ["casamento"], "tag": "Noiva"}]}}));
        let ran = w.run("é para o meu casamento", [w.says("Parabéns!")]);
        assert_eq!(ran.replied(), "Parabéns!");
        assert!(ran.state.effects.contains(&GuardEffect::Tag { name: "Noiva".to_owned() }));
        assert!(ran.state.effects.iter().any(|effect| matches!(effect, GuardEffect::Note { text } if text.contains("casamento"))));
    };
    lc_019 both "A contact in a stage that staff want to handle" => "Handoff with the handoff notice", |w| {
        let w = w.with(json!({"guardrails": {"hot_leads": [{"stage": "Negociação", "handoff": true}]}}));
        let ran = w.guarded(|g| g.stages.push("Negociação".to_owned())).run("oi", []);
        assert_eq!(ran.why(), "guardrail: hot_lead (Negociação)");
    };
    lc_020 both "Outside of business hours, by default" => "The model answers: it knows that the shop is closed", |w| {
        let w = w.guarded(|g| g.open_now = false);
        assert_eq!(w.run("oi", [w.says("Olá!")]).replied(), "Olá!");
    };
    lc_021 both "Outside of business hours, with a fixed message" => "That message; the model is not asked", |w| {
        let w = w.with(json!({"guardrails": {"outside_hours": {"message": "Abrimos às 9h."}}}));
        assert_eq!(w.guarded(|g| g.open_now = false).run("oi", []).replied(), "Abrimos às 9h.");
    };
    lc_022 both "Outside of business hours, where the profile keeps silent" => "Silence", |w| {
        let w = w.with(json!({"guardrails": {"outside_hours": "silence"}}));
        assert_eq!(w.guarded(|g| g.open_now = false).run("oi", []).silent(), "business_hours");
    };
    lc_023 both "A hot lead outside of business hours with a fixed message" => "The lead's note is kept although a later guardrail ends the turn", |w| {
        let w = w.with(json!({"guardrails": {"hot_leads": [{"patterns": ["casamento"]}], "outside_hours": {"message": "Abrimos às 9h."}}}));
        let ran = w.guarded(|g| g.open_now = false).run("é para o casamento", []);
        assert_eq!(guards(&ran), [("hot_lead", "note"), ("business_hours", "reply")]);
        // The note, and the lead itself, of which staff get a message.
        assert_eq!(ran.state.effects.len(), 2);
    };
    lc_024 both "A guardrail answers in fixed words, and the customer writes again" => "The next turn's history holds what was said", |w| {
        let w = w.with(json!({"guardrails": {"flood_per_minute": 3}})).guarded(|g| g.messages_last_minute = 4);
        let first = w.run("oi", []);
        let w = w.after(&first).guarded(|g| g.messages_last_minute = 1);
        let ran = w.run("quero um corte", [w.says("Vamos lá!")]);
        let said: Vec<&Message> = ran.requests[0].messages.iter().filter(|m| matches!(m, Message::Assistant { .. })).collect();
        assert!(said.len() == 1 && ran.read(0).contains("Recebi várias mensagens suas de uma vez."));
    };
    lc_025 both "A turn ended in silence, and the customer writes again" => "Both messages reach the model as one well-formed request", |w| {
        let first = w.guarded(|g| g.human_has_it = true);
        let silent = first.run("oi", []);
        let w = first.after(&silent).guarded(|g| g.human_has_it = false);
        let ran = w.run("quero um corte", [w.says("Vamos lá!")]);
        assert!(matches!(ran.requests[0].messages.as_slice(), [Message::User { text }] if text.contains("oi") && text.contains("corte")));
    };
    lc_368 both "Words that the customer forwarded ask for a person" => "The model answers: the customer did not say them", |w| {
        let words = forwarded("quero falar com um atendente", Locale::PtBr);
        let ran = w.run(&format!("oi\n{words}"), [w.says("Posso ajudar por aqui mesmo?")]);
        assert_eq!((ran.replied(), guards(&ran).len()), ("Posso ajudar por aqui mesmo?", 0));
    };

    lc_373 both "Words that the customer forwarded name a forbidden topic" => "The topic's own reply, as if they were the customer's: the model reads them", |w| {
        let topic = json!({"patterns": ["processo"], "reply": "Disso não falamos por aqui."});
        let w = w.with(json!({"guardrails": {"forbidden_topics": [topic]}}));
        let ran = w.run(&format!("o que acha?\n{}", forwarded("vou abrir um processo", Locale::PtBr)), []);
        assert_eq!((ran.replied(), guards(&ran).len()), ("Disso não falamos por aqui.", 1));
    };
    lc_375 both "The customer answers by name a message of ours that names a forbidden topic" => "The model answers, unless their own words name it, too", |w| {
        let topic = json!({"patterns": ["processo"], "reply": "Disso não falamos por aqui."});
        let w = w.with(json!({"guardrails": {"forbidden_topics": [topic]}}));
        let quoted = answered("Sobre o seu processo, fale com a gerência.", Locale::PtBr);
        let ran = w.run(&format!("{quoted}\ntudo bem, e abre no sábado?"), [w.says("Abrimos, sim!")]);
        assert_eq!((ran.replied(), guards(&ran).len()), ("Abrimos, sim!", 0));
        let ran = w.run(&format!("{quoted}\nmas e o processo?"), []);
        assert_eq!((ran.replied(), guards(&ran).len()), ("Disso não falamos por aqui.", 1));
    };
}
