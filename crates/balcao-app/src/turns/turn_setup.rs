//! The setup of a turn: the prompt, the history and the facts about the business, the day and the contact that the model reads.

use balcao_domain::Locale;
use std::collections::BTreeMap;
use std::sync::Arc;

use balcao_agent::history::{self, EarlierTurn};
use balcao_agent::memory::WorkingMemory;
use balcao_agent::prompt::{
    self, AgentFacts, ContactFacts, DayFacts, HoursFacts, NowFacts, OrganizationFacts, PromptData, PromptError,
};
use balcao_agent::reply_checks::sanitise::Sanitiser;
use balcao_agent::turn::{ContactCard, TurnSetup};
use balcao_language::format;
use balcao_llm::TurnFacts;
use balcao_tool::Toolbox;
use jiff::ToSpan;
use jiff::civil::Date;

use super::{Agent, Opened, stale_inbound};

/// Days that the prompt's calendar shows, today included.
const CALENDAR_DAYS: i32 = 14;

pub(super) fn build(agent: &Agent, opened: &Opened, sanitiser: Arc<Sanitiser>) -> Result<TurnSetup, PromptError> {
    let profile = &agent.profile;
    let locale = profile.language;
    let next_opening = opened.opening_hours.next_opening.as_ref().map(|at| {
        let day = format::day_from(at.date(), opened.now.date(), locale);
        let at_word = if locale == Locale::PtBr { "às" } else { "at" };
        format!("{day} {at_word} {}", format::time(at.time(), locale))
    });
    let mut data = prompt_data(agent, opened, next_opening.clone(), locale);
    let history = history::fit(&earlier_turns(agent, opened), profile.model.history_tokens);
    let system = prompt::system(&profile.prompt, &data, profile.language)?;
    let is_outdated = opened.history.iter().any(|turn| !turn.is_current);
    // An outdated summary proves no figure, so the proof is a prompt without it.
    let proof = match data.summary.take_if(|_| is_outdated) {
        Some(_) => Some(prompt::system(&profile.prompt, &data, profile.language)?),
        None => None,
    };
    Ok(TurnSetup {
        system,
        proof,
        facts: TurnFacts {
            now: opened.now.clone(),
            locale: profile.language.tag().to_owned(),
            organization: opened.organization.name.clone(),
            address: opened.organization.address.clone(),
            opens: opened.opening_hours.earliest,
            contact_name: opened.contact.preferred_name.clone().or_else(|| opened.contact.name.clone()),
            appointment: opened
                .answered_notification
                .as_ref()
                .and_then(|context| context.about.as_ref())
                .map(|about| about.id.into()),
            written: opened.written.clone(),
            outdated: history.outdated,
        },
        history,
        contact: ContactCard {
            name: opened.contact.name.clone(),
            phone: opened.contact.phone.as_ref().map(|phone| phone.e164().to_owned()),
        },
        notification: opened.answered_notification.as_ref().map(|context| context.text.clone()),
        is_overtaken: opened.is_overtaken,
        team_returns_at: if opened.opening_hours.open_now { None } else { next_opening },
        profile: Arc::clone(profile),
        toolbox: Arc::clone(&agent.toolbox),
        sanitiser,
    })
}

/// Lists the turns before this one. The tool results of an outdated turn get a note that the business has changed since.
fn earlier_turns(agent: &Agent, opened: &Opened) -> Vec<EarlierTurn> {
    let noted = |turn: &EarlierTurn| match turn.is_current {
        true => turn.clone(),
        false => EarlierTurn {
            messages: history::note_change(turn.messages.clone(), &agent.toolbox, agent.profile.language),
            is_current: false,
        },
    };
    opened.history.iter().map(noted).collect()
}

fn prompt_data(agent: &Agent, opened: &Opened, next_opening: Option<String>, locale: Locale) -> PromptData {
    let (profile, now) = (&agent.profile, &opened.now);
    let day =
        |date: Date| DayFacts { weekday: format::weekday(date.weekday(), locale).to_owned(), date: date.to_string() };
    PromptData {
        agent: AgentFacts {
            name: profile.name.clone(),
            tone: profile.tone.clone(),
            instructions: profile.instructions.clone(),
        },
        organization: OrganizationFacts {
            name: opened.organization.name.clone(),
            address: opened.organization.address.clone(),
            phone: opened.organization.phone.clone(),
        },
        tools: tool_names(&agent.toolbox),
        now: NowFacts {
            weekday: format::weekday(now.date().weekday(), locale).to_owned(),
            date: now.date().to_string(),
            time: now.strftime("%H:%M").to_string(),
            zone: opened.organization.timezone.clone(),
        },
        hours: HoursFacts { open_now: opened.opening_hours.open_now, next_opening },
        calendar: (0..CALENDAR_DAYS).filter_map(|ahead| now.date().checked_add(ahead.days()).ok()).map(day).collect(),
        contact: ContactFacts {
            name: opened.contact.name.as_deref().map(one_line),
            preferred_name: opened.contact.preferred_name.as_deref().map(one_line),
        },
        upcoming: opened.upcoming.iter().map(|item| one_line(item)).collect(),
        notification: opened.answered_notification.as_ref().map(|context| one_line(&context.text)),
        written: opened.written.as_ref().map(|at| stale_inbound::lateness_text(at, now.date(), profile.language)),
        written_days: opened
            .written
            .as_ref()
            .map(|at| days_since(at.date(), now.date()))
            .unwrap_or_default()
            .into_iter()
            .map(day)
            .collect(),
        memory: memory_text(&opened.memory).as_deref().map(one_line),
        summary: opened.conversation.summary.as_deref().map(one_line),
    }
}

/// The names of tools by their commands. If several commands have one name, the first counts; shipped packs come before others.
fn tool_names(toolbox: &Toolbox) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for tool in toolbox.iter() {
        names.entry(tool.command.clone()).or_insert_with(|| tool.spec.name.clone());
    }
    names
}

/// The days that a late message may mean by words such as "amanhã": the day of the message and the seven days after it.
fn days_since(written: Date, today: Date) -> Vec<Date> {
    let week = || (0..=7).filter_map(|ahead| written.checked_add(ahead.days()).ok()).collect();
    if written < today { week() } else { Vec::new() }
}

pub(crate) fn memory_text(memory: &WorkingMemory) -> Option<String> {
    let parts = [&memory.service, &memory.day, &memory.time, &memory.professional];
    let known: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
    (!known.is_empty()).then(|| known.join(", "))
}

/// Turns a text of a contact or a model into one plain line, so that it cannot begin a section of the prompt.
fn one_line(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}
