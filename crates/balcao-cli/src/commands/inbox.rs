//! `balcao inbox`: conversations as staff see them.

use std::process::ExitCode;

use balcao_app::conversations::{ConversationDetail, ConversationRefusal, ConversationView, Conversations};
use balcao_app::desk::UseCaseError;
use balcao_domain::conversation::ConversationState;
use balcao_domain::{Clock, ConversationId, OrganizationId, SystemClock};
use balcao_store::message::Author;
use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::json;

use crate::{
    config::Config,
    output::{Failure, chain, say},
    wire,
};

/// Options of `balcao inbox`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// JSON instead of text.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Conversations that wait for a person or are with one, the longest waiting first.
    List {
        /// Those of the agent and the closed ones, too.
        #[arg(long)]
        all: bool,
    },
    /// A conversation: why it was handed over, notes, and the last messages.
    Show {
        /// The conversation, as `list` names it.
        #[arg(value_parser = conversation)]
        id: ConversationId,
    },
    /// Takes a conversation over: from then on the agent is silent in it.
    Take {
        /// The conversation, as `list` names it.
        #[arg(value_parser = conversation)]
        id: ConversationId,
        #[command(flatten)]
        me: Me,
    },
    /// Writes to the customer, and takes the conversation over.
    Reply {
        /// The conversation, as `list` names it.
        #[arg(value_parser = conversation)]
        id: ConversationId,
        /// What to write.
        text: String,
        #[command(flatten)]
        me: Me,
    },
    /// Leaves a note that only staff see.
    Note {
        /// The conversation, as `list` names it.
        #[arg(value_parser = conversation)]
        id: ConversationId,
        /// The note.
        text: String,
        #[command(flatten)]
        me: Me,
    },
    /// Gives a conversation back to the agent.
    GiveBack {
        /// The conversation, as `list` names it.
        #[arg(value_parser = conversation)]
        id: ConversationId,
    },
}

#[derive(Debug, clap::Args)]
struct Me {
    /// The e-mail address of the person of staff who acts.
    #[arg(long = "as", value_name = "EMAIL")]
    email: String,
}

/// A conversation's id, with its prefix or without.
fn conversation(text: &str) -> Result<ConversationId, String> {
    let id = text.parse::<i64>().map_or_else(|_| text.parse().ok(), |number| ConversationId::try_from(number).ok());
    id.ok_or_else(|| format!("`{text}` is no conversation; write it as `balcao inbox list` does, such as `cnv_42`"))
}

/// Runs the command.
pub(crate) async fn run(args: Args, config: &Config) -> Result<ExitCode, Failure> {
    let (desk, organization, _clock) = wire::configured(config, None).await?;
    let zone = wire::zone(&desk, organization).await?;
    let staff = Conversations::new(desk);
    let json = args.json;
    match args.action {
        Action::List { all } => list(&staff, organization, all, json, &zone).await?,
        Action::Show { id } => {
            let detail = answered(staff.show(organization, id).await)?;
            if json { say(&as_json(&detail)) } else { show(&detail, &zone) }
        }
        Action::Take { id, me } => {
            let before = answered(staff.take(organization, id, me.email).await)?;
            let from = before.as_ref().map(|name| format!(" from {name}")).unwrap_or_default();
            done(json, id, &format!("conversation {id} is yours{from}; the agent is silent in it"));
        }
        Action::Reply { id, text, me } => {
            answered(staff.reply(organization, id, me.email, text).await)?;
            done(json, id, &format!("written to conversation {id}, which is yours now"));
        }
        Action::Note { id, text, me } => {
            answered(staff.note(organization, id, me.email, text).await)?;
            done(json, id, &format!("noted at conversation {id}"));
        }
        Action::GiveBack { id } => {
            answered(staff.give_back(organization, id).await)?;
            done(json, id, &format!("conversation {id} is the agent's again"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn answered<T>(answer: Result<Result<T, ConversationRefusal>, UseCaseError>) -> Result<T, Failure> {
    answer.map_err(|error| Failure::operation(chain(&error)))?.map_err(Failure::operation)
}

fn done(as_object: bool, id: ConversationId, text: &str) {
    say(&if as_object { json!({"conversation": id, "done": true}).to_string() } else { text.to_owned() });
}

fn as_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

async fn list(
    staff: &Conversations,
    organization: OrganizationId,
    all: bool,
    json: bool,
    zone: &TimeZone,
) -> Result<(), Failure> {
    let states = if all {
        ConversationState::ALL.to_vec()
    } else {
        vec![ConversationState::WaitingHuman, ConversationState::Human]
    };
    let found = staff.list(organization, states).await.map_err(|error| Failure::operation(chain(&error)))?;
    if json {
        say(&as_json(&found));
    } else if found.is_empty() {
        say(if all { "no conversations yet" } else { "nobody waits for a person (--all shows every conversation)" });
    } else {
        for one in &found {
            say(&line(one, zone));
        }
    }
    Ok(())
}

/// "7  Caio Reis  waiting 12 min  Davi Lopes  asked_for_human  «quero falar com alguém»"
fn line(one: &ConversationView, zone: &TimeZone) -> String {
    let who = one.contact_name.as_deref().or(one.phone.as_deref()).unwrap_or("unknown");
    let state = match (one.state, one.waiting_since) {
        (ConversationState::WaitingHuman, Some(since)) => {
            format!("waiting {} min", SystemClock.now().duration_since(since).as_mins().max(0))
        }
        (ConversationState::WaitingHuman, None) => "waiting".to_owned(),
        (ConversationState::Human, _) => "with a person".to_owned(),
        (ConversationState::Ai, _) => "with the agent".to_owned(),
        (ConversationState::Closed, _) => "closed".to_owned(),
    };
    let at = one.last_message_at.to_zoned(zone.clone()).strftime("%d/%m %H:%M").to_string();
    let last: String = one.last_message.as_deref().unwrap_or_default().chars().take(60).collect();
    let assigned = one.assigned_to.as_deref().unwrap_or("nobody");
    let reason = one.reason.as_deref().unwrap_or("–");
    format!("{}  {who}  {state}  {assigned}  {reason}  {at} «{}»", one.id, last.replace('\n', " "))
}

fn show(detail: &ConversationDetail, zone: &TimeZone) {
    let one = &detail.conversation;
    say(&line(one, zone));
    if let (Some(name), Some(phone)) = (&one.contact_name, &one.phone) {
        say(&format!("{name}, {phone}, on {}", one.channel));
    }
    if let Some(summary) = &detail.summary {
        say(&format!("\n{summary}"));
    }
    if !detail.notes.is_empty() {
        say("\nNotes");
        for note in &detail.notes {
            say(&format!("- {}", note.replace('\n', "\n  ")));
        }
    }
    say("\nMessages");
    for message in &detail.messages {
        let who = match message.author {
            Author::Contact => "customer",
            Author::Agent => "agent",
            Author::Staff => "staff",
            Author::System => "program",
            Author::Draft => "not sent",
        };
        let at = message.created_at.to_zoned(zone.clone()).strftime("%d/%m %H:%M").to_string();
        say(&format!("{at} {who}: {}", message.text));
    }
}
