//! Opens the turn of a caller that waits for the answer: one transaction stores the messages.

use balcao_domain::contact::Contact;
use balcao_domain::conversation::ConversationState;
use balcao_domain::{ConversationId, OrganizationId};
use balcao_store::Tx;
use balcao_store::crm::contact;
use balcao_store::messaging::conversation;
use balcao_store::messaging::message::{self, Author, NewMessage};
use balcao_store::turns::turn;
use balcao_tool::Locale;
use jiff::Timestamp;

use crate::context::app_context::{AppContext, UseCaseError, organization};
use crate::scheduling::intake::professional_choice;
use crate::turns::opened_turn::{LoadOptions, Opened, TurnSubject, load, reopen};
use crate::turns::versions::{self, PromptVersion};
use crate::turns::{Agent, ContactRef, TurnRequest};

/// What the opening found.
pub(crate) enum OpenResult {
    Fresh(Box<Opened>),
    /// A crash cut the last turn of the conversation short. The new message is not stored yet.
    Interrupted {
        opened: Box<Opened>,
        saved: Option<String>,
    },
}

pub(crate) async fn open(
    app: &AppContext,
    agent: &Agent,
    inbound: &TurnRequest,
    load_options: LoadOptions,
) -> Result<OpenResult, UseCaseError> {
    professional_choice::freshen_before_choice(
        app,
        inbound.organization,
        &inbound.texts,
        load_options.professional_resolution,
    )
    .await?;
    let now = app.clock.now();
    let inbound = inbound.clone();
    let (prompt, locale) = (agent.prompt_version.clone(), agent.profile.language);
    app.store.write(move |tx| open_in_transaction(tx, &inbound, &prompt, locale, load_options, now)).await
}

fn open_in_transaction(
    tx: &mut Tx<'_>,
    inbound: &TurnRequest,
    prompt: &PromptVersion,
    locale: Locale,
    load_options: LoadOptions,
    now: Timestamp,
) -> Result<OpenResult, UseCaseError> {
    let (organization, zone) = organization(tx, inbound.organization)?;
    let contact = find_or_add(tx, inbound, now)?;
    let mut conversation = conversation::find_or_begin(tx, organization.id, contact.id, &inbound.channel, now)?;
    if let Some((turn, saved)) = turn::find_open(tx, organization.id, conversation.id)? {
        let subject = TurnSubject { organization, zone, contact, conversation, turn };
        let opened = load(tx, subject, locale, load_options, now)?;
        return Ok(OpenResult::Interrupted { opened: Box::new(opened), saved });
    }
    if conversation.state == ConversationState::Closed {
        reopen(tx, organization.id, &mut conversation)?;
    }
    let turn = versions::open_turn(tx, organization.id, conversation.id, prompt, now)?;
    for text in &inbound.texts {
        let new = NewMessage {
            conversation: conversation.id,
            turn: Some(turn),
            author: Author::Contact,
            text,
            subject: None,
        };
        message::insert(tx, organization.id, &new, now)?;
    }
    let subject = TurnSubject { organization, zone, contact, conversation, turn };
    let mut opened = load(tx, subject, locale, load_options, now)?;
    // The pending confirmation stays until the turn closes. If a crash cuts this turn short, the customer's yes still counts, once.
    opened.conversation.last_message_at = now;
    conversation::update(tx, opened.organization.id, &opened.conversation)?;
    Ok(OpenResult::Fresh(Box::new(opened)))
}

fn find_or_add(tx: &mut Tx<'_>, inbound: &TurnRequest, now: Timestamp) -> Result<Contact, UseCaseError> {
    let phone = match &inbound.from {
        ContactRef::Contact(id) => return Ok(contact::get(tx, inbound.organization, *id)?),
        ContactRef::Phone(phone) => phone,
    };
    if let Some(known) = contact::find_by_phone(tx, inbound.organization, phone)? {
        return Ok(known);
    }
    let new = contact::NewContact {
        name: inbound.name.clone(),
        phone: Some(phone.clone()),
        ..contact::NewContact::default()
    };
    let id = contact::insert(tx, inbound.organization, &new, now)?;
    Ok(contact::get(tx, inbound.organization, id)?)
}

/// The messages of a turn that was cut short, as one text.
pub(crate) async fn inbound_of(
    app: &AppContext,
    organization: OrganizationId,
    conversation: ConversationId,
) -> Result<String, UseCaseError> {
    let last = app.look(move |tx, _now| Ok(message::last(tx, organization, conversation, 20)?)).await?;
    let unanswered: Vec<String> = last
        .into_iter()
        .rev()
        .take_while(|message| message.author == Author::Contact)
        .map(|message| message.text)
        .collect();
    Ok(unanswered.into_iter().rev().collect::<Vec<_>>().join("\n"))
}
