use std::collections::BTreeMap;

use super::*;

fn expectation(yaml: &str) -> Expectation {
    balcao_yaml::Document::read("x.yaml", yaml).unwrap().read_as().unwrap()
}

fn snapshot() -> Snapshot {
    let ana = ContactSnapshot {
        name: Some("Ana".into()),
        tags: vec!["VIP".into()],
        stages: vec!["Agendado".into()],
        upcoming: vec![AppointmentSnapshot {
            professional: "Caio".into(),
            service: "Corte".into(),
            starts: "2026-11-25T15:00".parse().unwrap(),
            status: "confirmed".into(),
        }],
        notes: vec!["Cliente: Ana\nMotivo: breaker".into()],
        state: Some("ai".into()),
        ..ContactSnapshot::default()
    };
    let bia = ContactSnapshot { name: Some("Bia".into()), ..ContactSnapshot::default() };
    BTreeMap::from([("ana".to_owned(), ana), ("bia".to_owned(), bia)])
}

fn failures(yaml: &str, reply: &str) -> Vec<String> {
    let (before, after) = (snapshot(), snapshot());
    let tools = vec!["create_appointment".to_owned()];
    let happened = Happened {
        outcome: Some("reply"),
        reply,
        messages_out: 1,
        tools: &tools,
        before: &before,
        after: &after,
        contact: "ana",
    };
    check(&expectation(yaml), &happened)
}

#[test]
fn each_key_holds_when_it_should() {
    let good = "
outcome: reply
mentions: [[15h, '15:00'], JOAO]
not_mentions: [create_appointment]
appointments: [{professional: Caio, starts: '2026-11-25T15:00'}]
tools_called: [create_appointment]
tools_not_called: [cancel_appointment]
conversation: {state: ai, assigned: false}
contact: {name: Ana, tags: [VIP], stage: Agendado}
notes: {mentions: [Ana, BREAKER]}
messages_out: 1
other_contacts_unchanged: true
";
    assert_eq!(failures(good, "Marcado às 15h com o João."), Vec::<String>::new());
}

#[test]
fn each_key_fails_when_it_should() {
    for bad in [
        "outcome: handoff",
        "mentions: [[16h, '16:00']]",
        "not_mentions: [joão]",
        "appointments: []",
        "appointments: [{professional: Caio, service: Barba}]",
        "appointments: [{professional: Caio}, {professional: Caio}]",
        "tools_called: [cancel_appointment]",
        "tools_not_called: [create_appointment]",
        "conversation: {state: human}",
        "conversation: {assigned: true}",
        "contact: {name: Bia}",
        "contact: {tags: []}",
        "contact: {stage: Novo}",
        "notes: 2",
        "notes: {mentions: [Bia]}",
        "messages_out: 2",
    ] {
        assert!(!failures(bad, "Marcado às 15h com o João.").is_empty(), "{bad}");
    }
}

#[test]
fn a_change_of_somebody_else_is_seen() {
    let (before, mut after) = (snapshot(), snapshot());
    after.get_mut("bia").unwrap().tags.push("VIP".into());
    let happened = Happened {
        outcome: None,
        reply: "",
        messages_out: 0,
        tools: &[],
        before: &before,
        after: &after,
        contact: "ana",
    };
    assert_eq!(check(&expectation("other_contacts_unchanged: true"), &happened).len(), 1);
}

#[test]
fn an_unknown_key_of_a_scenario_is_a_mistake() {
    assert!(balcao_yaml::Document::read("x.yaml", "mention: [x]").unwrap().read_as::<Expectation>().is_err());
}
