//! Reads what a turn starts from, in the transaction that opens it.

use balcao_agent::breaker::Breaker;
use balcao_agent::guardrails::{DaySpent, GuardInput, SlowedDown};
use balcao_agent::history::EarlierTurn;
use balcao_agent::limits::NOTIFICATION_EXPIRY;
use balcao_agent::memory::WorkingMemory;
use balcao_agent::notice::notices;
use balcao_agent::profile::Audience;
use balcao_agent::turn::PendingConfirmation;
use balcao_domain::Appointment;
use balcao_domain::contact::Contact;
use balcao_domain::conversation::ConversationEvent;
use balcao_domain::{ContactId, ConversationId, OrganizationId, TurnId};
use balcao_language::format;
use balcao_store::crm::organization::Organization;
use balcao_store::messaging::conversation::{self, Conversation};
use balcao_store::messaging::message::{self, Author};
use balcao_store::turns::turn::{self, Spent};
use balcao_store::{Tx, crm::pipeline, knowledge, queries::prefetch, scheduling::appointment, scheduling::catalog};
use balcao_tool::{Locale, Principal, With};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, Zoned};
use serde::de::DeserializeOwned;

use super::Agent;
use super::answered_notification::{self, AnsweredNotification, TurnScope, WordedAppointment};
use crate::context::app_context::UseCaseError;
use crate::scheduling::hours::{self, OpenState};
use crate::scheduling::intake::professional_choice::{self, ResolutionMode};

/// How many earlier turns are looked at; the token budget usually cuts earlier.
const HISTORY_TURNS: u32 = 40;

/// How long a request to slow down counts.
const SLOWED_DOWN_FOR: SignedDuration = SignedDuration::from_mins(10);

/// Everything that a turn starts from.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The business.
    pub organization: Organization,
    /// The contact.
    pub contact: Contact,
    /// The conversation.
    pub conversation: Conversation,
    /// The turn.
    pub turn: TurnId,
    /// The organization's local time.
    pub now: Zoned,
    pub(super) breaker: Breaker,
    pub(super) memory: WorkingMemory,
    pub(super) pending_confirmation: Option<PendingConfirmation>,
    pub(super) guardrail_input: GuardInput,
    pub(super) opening_hours: OpenState,
    pub(super) history: Vec<EarlierTurn>,
    pub(super) upcoming: Vec<String>,
    pub(super) answered_notification: Option<AnsweredNotification>,
    /// When the messages were written, if they come late.
    pub(super) written: Option<Zoned>,
    /// Whether another turn was answered after the late messages were written.
    pub(super) is_overtaken: bool,
    /// The contact's appointment, if the contact has exactly one. It counts as the one in question if no notification names another.
    pub(super) sole_appointment: Option<WordedAppointment>,
    pub(super) public_texts: Vec<String>,
}

impl Opened {
    /// The identity that the turn's tools are bound to.
    pub(super) fn principal(&self, agent: &Agent) -> Principal {
        Principal {
            organization: self.organization.id.into(),
            contact: self.contact.id.into(),
            conversation: self.conversation.id.into(),
            turn: self.turn.into(),
            staff_facing: agent.profile.audience == Audience::Staff,
            locale: agent.profile.language,
        }
    }
}

/// What a turn of this profile loads in addition to what every turn loads.
#[derive(Debug, Clone, Copy)]
pub(super) struct LoadOptions {
    /// Messages a minute above which the contact is asked to slow down; 0: no limit.
    flood_per_minute: u32,
    /// What the day has cost, for budgets.
    spent: bool,
    /// The contact's stages, for hot leads.
    stages: bool,
    /// When the turn must resolve the professional of the conversation; `None` if the tools need no professional.
    pub(super) professional_resolution: Option<ResolutionMode>,
    /// The texts that the business publishes, for a sanitiser that is not built yet.
    pub(super) public_texts: bool,
}

impl LoadOptions {
    pub(super) fn from_agent(agent: &Agent, public_texts: bool) -> Self {
        let unlimited = balcao_agent::profile::Budgets::default();
        Self {
            flood_per_minute: agent.profile.guardrails.flood_per_minute,
            spent: agent.profile.budgets != unlimited,
            stages: agent.profile.guardrails.hot_leads.iter().any(|lead| lead.stage.is_some()),
            professional_resolution: resolution_mode(agent),
            public_texts,
        }
    }
}

/// Decides how the tools of a profile find their professional. A profile that names a professional needs no question.
fn resolution_mode(agent: &Agent) -> Option<ResolutionMode> {
    let any = |with: With| agent.toolbox.iter().any(|tool| tool.spec.with == Some(with));
    if any(With::One) {
        return Some(ResolutionMode::Always);
    }
    (any(With::AskedFor) && agent.profile.professional.is_none()).then_some(ResolutionMode::AskedFor)
}

/// Reopens a closed conversation with an empty context: the turn ignores the old one.
pub(super) fn reopen(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: &mut Conversation,
) -> Result<(), UseCaseError> {
    conversation.state = conversation.state.after(ConversationEvent::ContactWrites).unwrap_or(conversation.state);
    let last = conversation::last_turn(tx, organization, conversation.id)?.map_or(0, i64::from);
    conversation.context_from = last.saturating_add(1);
    conversation.episode = conversation.episode.saturating_add(1);
    conversation.assigned_staff = None;
    conversation.breaker = None;
    conversation.pending_confirmation = None;
    conversation.memory = None;
    conversation.summary = None;
    Ok(())
}

/// What the opening transaction has read before it loads the rest of a turn.
pub(super) struct TurnSubject {
    pub(super) organization: Organization,
    pub(super) zone: TimeZone,
    pub(super) contact: Contact,
    pub(super) conversation: Conversation,
    pub(super) turn: TurnId,
}

/// Loads everything else that the turn starts from.
pub(super) fn load(
    tx: &mut Tx<'_>,
    subject: TurnSubject,
    locale: Locale,
    load_options: LoadOptions,
    now: Timestamp,
) -> Result<Opened, UseCaseError> {
    let TurnSubject { organization, zone, contact, mut conversation, turn } = subject;
    let local = now.to_zoned(zone.clone());
    let org = organization.id;
    let midnight = local.start_of_day().map_or(now, |start| start.timestamp());
    let recently = now.checked_sub(SignedDuration::try_from(NOTIFICATION_EXPIRY).unwrap_or_default()).unwrap_or(now);
    let minute_ago = now.checked_sub(SignedDuration::from_mins(1)).unwrap_or(now);
    prefetch::prefetch_turn(
        tx,
        &prefetch::TurnPrefetch {
            organization: org,
            contact: contact.id,
            conversation: conversation.id,
            turn,
            transcripts: (conversation.context_from, HISTORY_TURNS),
            told_since: recently,
            written_since: minute_ago,
            answered_since: midnight,
            now,
        },
    )?;
    let opening_hours = hours::open_state(tx, &organization, &zone, now)?;
    let history = turn::transcripts(tx, org, conversation.id, conversation.context_from, HISTORY_TURNS)?
        .iter()
        .filter_map(|turn| {
            Some(EarlierTurn { messages: serde_json::from_str(&turn.messages).ok()?, is_current: turn.is_current })
        })
        .collect();
    let scope = TurnScope {
        organization: &organization,
        zone: &zone,
        contact: contact.id,
        conversation: conversation.id,
        turn,
        locale,
        is_asked: conversation.pending_confirmation.is_some(),
    };
    let answered_notification = answered_notification::find_answered_notification(tx, &scope, recently, now)?;
    if let Some(mode) = load_options.professional_resolution {
        let asked_professional =
            answered_notification.as_ref().and_then(|context| context.about.as_ref()).map(|about| about.professional);
        professional_choice::resolve_professional(
            tx,
            org,
            contact.id,
            &mut conversation,
            asked_professional,
            mode,
            now,
        )?;
    }
    let found = appointment::upcoming_of_contact(tx, org, contact.id, organization.currency, now)?;
    let upcoming = upcoming_of(tx, &scope, &found)?;
    let sole_appointment = match found.as_slice() {
        [only] => Some(answered_notification::worded(tx, &scope, only)?),
        _ => None,
    };
    let stages = if load_options.stages { stages_of(tx, org, contact.id)? } else { Vec::new() };
    let spent = |tx: &mut Tx<'_>, of| {
        if load_options.spent { turn::spent_since(tx, org, of, midnight).map(day) } else { Ok(DaySpent::default()) }
    };
    let messages_last_minute = message::count_since(tx, org, conversation.id, Author::Contact, minute_ago)?;
    let guardrail_input = GuardInput {
        human_has_it: !conversation.state.agent_speaks(),
        opted_out: conversation.opted_out_at.is_some(),
        messages_last_minute,
        slowed_down: if load_options.flood_per_minute == 0 || messages_last_minute <= load_options.flood_per_minute {
            SlowedDown::No
        } else {
            slowed_down(tx, org, conversation.id, turn, locale, now)?
        },
        ai_messages_today: message::count_since(tx, org, conversation.id, Author::Agent, midnight)?,
        stages,
        open_now: opening_hours.open_now,
        conversation_today: spent(tx, Some(conversation.id))?,
        organization_today: spent(tx, None)?,
        exhausted: None,
        visit_confirmed: answered_notification.as_ref().and_then(|context| context.confirmed.clone()),
    };
    Ok(Opened {
        breaker: parsed(conversation.breaker.as_deref()),
        memory: parsed(conversation.memory.as_deref()),
        pending_confirmation: conversation
            .pending_confirmation
            .as_deref()
            .and_then(|json| serde_json::from_str(json).ok()),
        answered_notification,
        written: None,
        is_overtaken: false,
        sole_appointment,
        public_texts: if load_options.public_texts { public_texts(tx, org)? } else { Vec::new() },
        organization,
        contact,
        conversation,
        turn,
        now: local,
        guardrail_input,
        opening_hours,
        history,
        upcoming,
    })
}

/// Lists the contact's appointments with all facts that the model must neither forget nor guess: service, professional, time, price, id.
fn upcoming_of(tx: &mut Tx<'_>, scope: &TurnScope<'_>, found: &[Appointment]) -> Result<Vec<String>, UseCaseError> {
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let (locale, zone) = (scope.locale, scope.zone);
    let names = catalog::professional_names(tx, scope.organization.id)?;
    let with = if locale == Locale::PtBr { "com" } else { "with" };
    let line = |one: &Appointment| {
        let starts = one.span.start.to_zoned(zone.clone());
        let (day, time) = (format::day(starts.date(), locale), format::time(starts.time(), locale));
        let who = names.get(&one.professional).map_or("", String::as_str);
        format!("{} {with} {who}, {day} {time}, {} (id {})", one.service_name, one.price, i64::from(one.id))
    };
    Ok(found.iter().map(line).collect())
}

/// Whether the contact was asked to slow down lately, and has written since.
fn slowed_down(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    turn: TurnId,
    locale: Locale,
    now: Timestamp,
) -> Result<SlowedDown, UseCaseError> {
    let since = now.checked_sub(SLOWED_DOWN_FOR).unwrap_or(now);
    let notice = &notices(locale).slow_down;
    Ok(match message::written_since(tx, organization, conversation, notice, since, turn)? {
        None => SlowedDown::No,
        Some(0) => SlowedDown::JustNow,
        Some(_) => SlowedDown::Before,
    })
}

fn stages_of(tx: &mut Tx<'_>, organization: OrganizationId, contact: ContactId) -> Result<Vec<String>, UseCaseError> {
    let places = pipeline::stages_of(tx, organization, contact)?;
    let all = pipeline::list(tx, organization)?.into_iter().flat_map(|pipeline| pipeline.stages);
    Ok(all.filter(|stage| places.iter().any(|(_, place)| *place == stage.id)).map(|stage| stage.name).collect())
}

/// The texts that the business publishes. A reply may contain any part of them verbatim.
fn public_texts(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Vec<String>, UseCaseError> {
    Ok(knowledge::list(tx, organization)?.into_iter().map(|entry| entry.content).collect())
}

/// Parses the saved value; returns the default if it cannot be read, because a lost count must not prevent an answer.
fn parsed<T: DeserializeOwned + Default>(json: Option<&str>) -> T {
    json.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default()
}

fn day(spent: Spent) -> DaySpent {
    let natural = |number: i64| u64::try_from(number).unwrap_or(0);
    DaySpent {
        model_calls: natural(spent.model_calls),
        tool_calls: natural(spent.tool_calls),
        tokens: natural(spent.tokens),
        cost_micro_usd: natural(spent.cost_micro_usd),
    }
}
