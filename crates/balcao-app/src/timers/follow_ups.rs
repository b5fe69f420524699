//! Follow-ups: written by the model when they are due, from their hint and the conversation; a sentence of ours where it has
//! none that may be sent.
//!
//! What the model writes is cleaned like any reply, and may state nothing: no claim, no time, no figure. Writing it may happen
//! twice (a crash in between); sending it not.

use std::convert::Infallible;
use std::time::Duration;

use balcao_agent::notice::{Notices, fill, notices};
use balcao_agent::reply_checks::claims::{self, ClaimVerdict, Evidence};
use balcao_agent::reply_checks::sanitise::Verdict;
use balcao_domain::follow_up::{FollowUp, FollowUpType};
use balcao_domain::{ConversationId, OrganizationId, TurnId};
use balcao_language::{find_dates, find_times};
use balcao_llm::{Message, ModelRequest, Purpose as Asked, ResponseFormat, ToolChoice, TurnFacts};
use balcao_seeded_bugs::{Bug, is_on};
use balcao_store::messaging::message::{self, Author, NewMessage};
use balcao_store::scheduling::follow_up::DueFollowUp;
use balcao_store::{Tx, crm::contact, messaging::conversation, scheduling::follow_up};
use jiff::{SignedDuration, Timestamp, Zoned};

use super::{May, Timers, may_fire, reaches, tell_skipped};
use crate::context::app_context::{UseCaseError, organization};
use crate::messaging::outbound::enqueue::{self, OutgoingMessage};
use crate::messaging::outbound::message_templates::{Purpose, TemplateVariables};
use crate::messaging::outbound::sender::customer_name;
use crate::turns::side_request;

/// Longest follow-up, in characters.
const MAX_CHARS: usize = 400;
/// So many of the last messages are shown to the model.
const SHOWN: u32 = 12;
/// One call of the model may take so long; then the sentence of ours is sent.
const WITHIN: Duration = Duration::from_secs(30);
/// How long a claim on a follow-up lasts. A process that needs longer counts as crashed.
const IN_HAND: Duration = Duration::from_secs(90);
/// One that was taken so often and not ended is not shown to the model again.
const MAX_TRIES: u32 = 3;

/// What is to be written.
struct Draft {
    organization: OrganizationId,
    /// The channel and the conversation by which it is sent.
    channel: String,
    conversation: ConversationId,
    /// The conversation's last turn, which pays for it.
    turn: Option<TurnId>,
    due: FollowUp,
    /// How often it was taken in hand.
    tries: u32,
    now: Zoned,
    business: String,
    customer: String,
    /// The last messages, oldest first.
    said: Vec<String>,
}

/// What came of taking the next one in hand.
enum Taken {
    /// None is due.
    Nothing,
    /// The follow-up may fire, and the model has to write it.
    Draft(Box<Draft>),
    /// It never should have.
    Skipped,
    /// Not now.
    Moved,
}

impl Timers {
    /// Ends follow-ups that are due: each is sent, moved or skipped. Gives how many ended.
    pub(super) async fn follow_up(&self) -> Result<usize, UseCaseError> {
        let mut ended = 0;
        for _ in 0..self.settings.at_once {
            match self.take().await? {
                Taken::Nothing => break,
                Taken::Draft(draft) => {
                    let (text, id) = (self.write(&draft).await, draft.due.id);
                    match self.send(*draft, text).await {
                        Ok(done) => ended += usize::from(done),
                        // It is taken again when its time in hand is over; the others do not wait for it.
                        Err(error) => tracing::error!(follow_up = %id, %error, "a follow-up could not be sent"),
                    }
                }
                Taken::Skipped => ended += 1,
                Taken::Moved => {}
            }
        }
        Ok(ended)
    }

    /// Claims the next follow-up: no other process writes it until the claim expires.
    async fn take(&self) -> Result<Taken, UseCaseError> {
        let app = self.runner.app();
        let now = app.clock.now();
        let settings = self.settings;
        let work = move |tx: &mut Tx<'_>| {
            let held = SignedDuration::try_from(IN_HAND).unwrap_or(SignedDuration::MAX);
            let Some(taken) = follow_up::take_due(tx, now, now.checked_add(held).unwrap_or(Timestamp::MAX))? else {
                return Ok(Taken::Nothing);
            };
            let DueFollowUp { organization, follow_up, tries } = taken;
            let due = follow_up.clone();
            match tx.savepoint(|tx| prepare(tx, organization, due, tries, &settings, now).map(Ok::<_, Infallible>)) {
                Ok(Ok(taken)) => Ok(taken),
                Err(error) if tries < MAX_TRIES => {
                    tracing::error!(follow_up = %follow_up.id, %error, "a follow-up could not be prepared");
                    Ok(Taken::Moved)
                }
                Err(error) => {
                    tracing::error!(follow_up = %follow_up.id, %error, "a follow-up is given up");
                    skip(tx, organization, &follow_up, "it could not be prepared", now).map(|_ended| Taken::Skipped)
                }
            }
        };
        app.store.write(work).await
    }

    /// The model's words, if they may be sent; else ours.
    async fn write(&self, draft: &Draft) -> String {
        let Ok(agent) = self.runner.agent(&self.profile) else { return String::new() };
        let words = notices(agent.profile.language);
        if draft.tries > MAX_TRIES {
            tracing::error!(follow_up = %draft.due.id, "nobody survived writing a follow-up: it gets words of ours");
            return ours(words, draft.due.kind).to_owned();
        }
        let request = ModelRequest {
            system: fill(&words.follow_up_ask, "hint", &draft.due.hint),
            messages: vec![Message::User { text: draft.said.join("\n") }],
            tools: Vec::new(),
            tool_choice: ToolChoice::None,
            format: ResponseFormat::Text,
            max_output_tokens: 200,
            temperature_milli: None,
            purpose: Asked::FollowUp,
            facts: TurnFacts {
                now: draft.now.clone(),
                locale: agent.profile.language.tag().to_owned(),
                organization: draft.business.clone(),
                address: None,
                opens: None,
                contact_name: Some(draft.customer.clone()),
                appointment: None,
                written: None,
                outdated: 0,
            },
        };
        let written = tokio::time::timeout(WITHIN, self.ask(draft, &request)).await.unwrap_or_default();
        let sanitiser = agent.sanitiser_for(Vec::new());
        let (today, locale) = (draft.now.date(), agent.profile.language);
        let evidence = Evidence { receipts: Vec::new(), today, locale, staff_facing: false };
        match sanitiser.clean(&written).verdict {
            Verdict::Send(reply) if may_be_said(reply.as_str(), &evidence) => reply.as_str().to_owned(),
            Verdict::Send(_) | Verdict::Retry(_) | Verdict::Block(_) => ours(words, draft.due.kind).to_owned(),
        }
    }

    /// The model's answer. It is empty if the model fails, or if strangers have used up what they may cost today.
    async fn ask(&self, draft: &Draft, request: &ModelRequest) -> String {
        let of = (draft.channel.as_str(), draft.conversation);
        let agent = match self.runner.agent_within_budget(&self.profile, draft.organization, of).await {
            Ok(Some(agent)) => agent,
            Ok(None) => return String::new(),
            Err(error) => {
                tracing::warn!(%error, "a follow-up was not written");
                return String::new();
            }
        };
        match side_request::complete(self.runner.app(), &agent, draft.organization, draft.turn, request).await {
            Ok(answer) => answer.text,
            Err(error) => {
                tracing::warn!(%error, "a follow-up was not written");
                String::new()
            }
        }
    }

    /// Everything that sending it is, if it still may be sent; tells whether it ended.
    async fn send(&self, draft: Draft, text: String) -> Result<bool, UseCaseError> {
        let app = self.runner.app();
        let now = app.clock.now();
        let (settings, windows, terms) = (self.settings, self.windows.clone(), self.terms.clone());
        let (organization, timer) = (draft.organization, draft.due.id);
        let marked_apart = is_on(Bug::TimerMarkedApart);
        let work = move |tx: &mut Tx<'_>| {
            let (id, due) = (draft.organization, &draft.due);
            let place = match check(tx, id, due, &settings, now)? {
                May::Fire(place) => place,
                May::Later(_) => return Ok(false),
                May::Skip(why) => return skip(tx, id, due, why, now),
                May::Begin => return skip(tx, id, due, super::NO_CHANNEL, now),
            };
            let facts = TemplateVariables {
                customer: draft.customer.clone(),
                business: draft.business.clone(),
                text: Some(text.clone()),
                ..TemplateVariables::default()
            };
            if !reaches(&windows, &terms, &place, Purpose::FollowUp, &facts, now) {
                return skip(tx, id, due, "the channel's window is closed, and no template for follow-ups exists", now);
            }
            if !marked_apart && !follow_up::end(tx, id, due.id, true)? {
                return Ok(false);
            }
            let conversation = place.conversation.id;
            let new =
                NewMessage { conversation, turn: None, author: Author::System, text: &text, subject: Some(&text) };
            let message = message::insert(tx, id, &new, now)?;
            let template = terms.template(Purpose::FollowUp, &facts);
            let outgoing = OutgoingMessage {
                conversation,
                channel: &place.conversation.channel,
                turn: None,
                message: Some(message),
                kind: "follow_up",
                name: &format!("follow_up/{}", due.id),
                text: &text,
                file: None,
                choices: None,
                about: None,
                fallback: template.as_ref(),
            };
            enqueue::enqueue(tx, id, &outgoing, now)?;
            Ok(true)
        };
        let sent = app.store.write(work).await?;
        if marked_apart {
            let mark = move |tx: &mut Tx<'_>| follow_up::end(tx, organization, timer, true).map_err(UseCaseError::from);
            app.store.write(mark).await?;
        }
        Ok(sent)
    }
}

/// What the model needs for a follow-up that may fire.
fn prepare(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    due: FollowUp,
    tries: u32,
    settings: &super::TimerSettings,
    now: Timestamp,
) -> Result<Taken, UseCaseError> {
    let place = match check(tx, id, &due, settings, now)? {
        May::Fire(place) => place,
        May::Later(at) => {
            follow_up::move_to(tx, id, due.id, at)?;
            return Ok(Taken::Moved);
        }
        May::Skip(why) => return skip(tx, id, &due, why, now).map(|_ended| Taken::Skipped),
        May::Begin => return skip(tx, id, &due, super::NO_CHANNEL, now).map(|_ended| Taken::Skipped),
    };
    let (organization, zone) = organization(tx, id)?;
    let customer = contact::get(tx, id, due.contact)?;
    let said = message::last(tx, id, place.conversation.id, SHOWN)?.into_iter().filter_map(|one| match one.author {
        Author::Contact => Some(format!("> {}", one.text)),
        Author::Agent | Author::Staff | Author::System => Some(format!("< {}", one.text)),
        Author::Draft => None,
    });
    Ok(Taken::Draft(Box::new(Draft {
        organization: id,
        channel: place.conversation.channel.clone(),
        conversation: place.conversation.id,
        turn: conversation::last_turn(tx, id, place.conversation.id)?,
        tries,
        now: now.to_zoned(zone),
        customer: customer_name(&customer, &organization.locale),
        business: organization.name,
        said: said.collect(),
        due,
    })))
}

fn check(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    due: &FollowUp,
    settings: &super::TimerSettings,
    now: Timestamp,
) -> Result<May, UseCaseError> {
    let late = SignedDuration::try_from(settings.late_follow_up).unwrap_or(SignedDuration::MAX);
    if now.duration_since(due.send_at) > late {
        return Ok(May::Skip("it came too late"));
    }
    let (_, zone) = organization(tx, id)?;
    may_fire(tx, settings, id, &zone, due.contact, "follow_up", now)
}

fn skip(tx: &mut Tx<'_>, id: OrganizationId, due: &FollowUp, why: &str, now: Timestamp) -> Result<bool, UseCaseError> {
    if follow_up::end(tx, id, due.id, false)? {
        tell_skipped(tx, id, "follow_up_skipped", &due.id.to_string(), why, now)?;
    }
    Ok(true)
}

/// Whether a text states nothing that would need proof.
fn may_be_said(text: &str, evidence: &Evidence) -> bool {
    let today = evidence.today;
    text.chars().count() <= MAX_CHARS
        && !text.chars().any(char::is_numeric)
        && find_times(text).is_empty()
        && find_dates(text, today).is_empty()
        && claims::check(text, evidence) == ClaimVerdict::Proven
}

const fn ours(words: &Notices, kind: FollowUpType) -> &String {
    match kind {
        FollowUpType::Curiosity => &words.follow_up_curiosity,
        FollowUpType::Value => &words.follow_up_value,
        FollowUpType::Farewell => &words.follow_up_farewell,
    }
}
