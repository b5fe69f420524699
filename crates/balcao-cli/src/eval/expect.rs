//! What happened, held against what was expected. No I/O.

use balcao_language::normalize::normalize;

use super::{
    scenario::{Assigned, Expectation, ExpectedAppointment, ExpectedNotes, Mention, NoteFacts},
    snapshot::{AppointmentSnapshot, ContactSnapshot, Snapshot},
};

/// What happened in one turn, or in all of them.
pub(crate) struct Happened<'a> {
    /// The outcome; `None` for the whole scenario.
    pub(crate) outcome: Option<&'a str>,
    /// What the customer read.
    pub(crate) reply: &'a str,
    /// How many messages they got.
    pub(crate) messages_out: usize,
    /// Tools that ran.
    pub(crate) tools: &'a [String],
    /// Everything before the first turn.
    pub(crate) before: &'a Snapshot,
    /// Everything now.
    pub(crate) after: &'a Snapshot,
    /// Who wrote, as a key of the snapshots.
    pub(crate) contact: &'a str,
}

/// Everything that does not hold, in words; empty if all does.
pub(crate) fn check(expected: &Expectation, happened: &Happened<'_>) -> Vec<String> {
    let mut failures = Vec::new();
    let nobody = ContactSnapshot::default();
    let contact = happened.after.get(happened.contact).unwrap_or(&nobody);
    if let Some(outcome) = &expected.outcome
        && happened.outcome != Some(outcome.as_str())
    {
        failures.push(format!("outcome: expected {outcome}, got {}", happened.outcome.unwrap_or("none")));
    }
    failures.extend(check_words(expected, happened.reply));
    if let Some(wanted) = &expected.appointments {
        failures.extend(check_appointments(wanted, &contact.upcoming));
    }
    for tool in expected.tools_called.iter().filter(|tool| !happened.tools.contains(tool)) {
        failures.push(format!("tools_called: {tool} was not called (called: {})", happened.tools.join(", ")));
    }
    for tool in expected.tools_not_called.iter().filter(|tool| happened.tools.contains(tool)) {
        failures.push(format!("tools_not_called: {tool} was called"));
    }
    failures.extend(check_records(expected, contact));
    if let Some(count) = expected.messages_out
        && count != happened.messages_out
    {
        failures.push(format!("messages_out: expected {count}, got {}", happened.messages_out));
    }
    if expected.other_contacts_unchanged == Some(true) {
        for (key, before) in happened.before.iter().filter(|(key, _)| *key != happened.contact) {
            if happened.after.get(key) != Some(before) {
                failures.push(format!("other_contacts_unchanged: {} changed", before.name.as_deref().unwrap_or(key)));
            }
        }
    }
    failures
}

fn check_words(expected: &Expectation, reply: &str) -> Vec<String> {
    let mut failures = Vec::new();
    for mention in expected.mentions.iter().filter(|mention| !occurs(mention, reply)) {
        failures.push(format!("mentions: {} is not in the reply", in_words(mention)));
    }
    for mention in expected.not_mentions.iter().filter(|mention| occurs(mention, reply)) {
        failures.push(format!("not_mentions: {} is in the reply", in_words(mention)));
    }
    failures
}

fn check_appointments(wanted: &[ExpectedAppointment], found: &[AppointmentSnapshot]) -> Vec<String> {
    let fits = |wanted: &ExpectedAppointment, found: &AppointmentSnapshot| {
        wanted.professional.as_ref().is_none_or(|name| *name == found.professional)
            && wanted.service.as_ref().is_none_or(|name| *name == found.service)
            && wanted.starts.is_none_or(|starts| starts == found.starts)
            && wanted.status.as_ref().is_none_or(|status| *status == found.status)
    };
    let mut failures = Vec::new();
    let mut left: Vec<&AppointmentSnapshot> = found.iter().collect();
    for one in wanted {
        match left.iter().position(|found| fits(one, found)) {
            Some(place) => {
                left.remove(place);
            }
            None => failures.push(format!("appointments: {one} is missing; there is {}", list(found))),
        }
    }
    failures.extend(left.into_iter().map(|found| format!("appointments: {found} was not expected")));
    failures
}

/// The items, or that there is none.
fn list<T: std::fmt::Display>(items: &[T]) -> String {
    if items.is_empty() {
        return "none".to_owned();
    }
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn or_none(text: &Option<String>) -> &str {
    text.as_deref().unwrap_or("none")
}

fn check_records(expected: &Expectation, contact: &ContactSnapshot) -> Vec<String> {
    let mut failures = Vec::new();
    let mut same = |what: &str, wanted: &Option<String>, found: &Option<String>| {
        if wanted.is_some() && wanted != found {
            failures.push(format!("{what}: expected {}, got {}", or_none(wanted), or_none(found)));
        }
    };
    if let Some(wanted) = &expected.conversation {
        same("conversation.state", &wanted.state, &contact.state);
        if let Some(Assigned::Named(name)) = &wanted.assigned {
            same("conversation.assigned", &Some(name.clone()), &contact.assigned);
        }
    }
    if let Some(wanted) = &expected.contact {
        same("contact.name", &wanted.name, &contact.name);
        same("contact.email", &wanted.email, &contact.email);
    }
    if let Some(Assigned::Anybody(wanted)) = expected.conversation.as_ref().and_then(|one| one.assigned.as_ref())
        && contact.assigned.is_some() != *wanted
    {
        failures.push(format!("conversation.assigned: expected {wanted}, got {}", or_none(&contact.assigned)));
    }
    if let Some(stage) = expected.contact.as_ref().and_then(|one| one.stage.as_ref())
        && !contact.stages.contains(stage)
    {
        failures.push(format!("contact.stage: expected {stage}, got {}", list(&contact.stages)));
    }
    if let Some(tags) = expected.contact.as_ref().and_then(|one| one.tags.as_ref()) {
        let (mut wanted, mut found) = (tags.clone(), contact.tags.clone());
        wanted.sort();
        found.sort();
        if wanted != found {
            failures.push(format!("contact.tags: expected {}, got {}", list(&wanted), list(&found)));
        }
    }
    match &expected.notes {
        None => {}
        Some(ExpectedNotes::Count(count)) => failures.extend(check_note_count(*count, contact)),
        Some(ExpectedNotes::Facts(NoteFacts { count, mentions })) => {
            failures.extend(count.map(|count| check_note_count(count, contact)).unwrap_or_default());
            if !mentions.is_empty()
                && !contact.notes.iter().any(|note| mentions.iter().all(|mention| occurs(mention, note)))
            {
                failures.push(format!(
                    "notes: none mentions all of {}",
                    mentions.iter().map(in_words).collect::<Vec<_>>().join(", ")
                ));
            }
        }
    }
    failures
}

fn check_note_count(count: usize, contact: &ContactSnapshot) -> Vec<String> {
    if contact.notes.len() == count {
        Vec::new()
    } else {
        vec![format!("notes: expected {count}, got {}", contact.notes.len())]
    }
}

/// Case and accents do not matter.
fn occurs(mention: &Mention, text: &str) -> bool {
    let text = normalize(text);
    match mention {
        Mention::One(one) => text.contains(&normalize(one)),
        Mention::OneOf(several) => several.iter().any(|one| text.contains(&normalize(one))),
    }
}

fn in_words(mention: &Mention) -> String {
    match mention {
        Mention::One(one) => format!("«{one}»"),
        Mention::OneOf(several) => format!("one of «{}»", several.join("», «")),
    }
}

#[cfg(test)]
#[path = "expect_tests.rs"]
mod tests;
