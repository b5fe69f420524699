//! `balcao inbox`: conversations as staff see them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use balcao_app::context::app_context::UseCaseError;
use balcao_app::context::staff_email::Actor;
use balcao_app::conversations::{
    ConversationDetail, ConversationRefusal, ConversationView, Conversations, Delivery, DeliveryStep, Said,
};
use balcao_app::messaging::files::{FileView, Files};
use balcao_channel::file::own::LARGEST;
use balcao_domain::attachment::AttachmentState;
use balcao_domain::conversation::ConversationState;
use balcao_domain::{AttachmentId, ConversationId, OrganizationId};
use balcao_store::messaging::message::Author;
use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::json;

use crate::private;
use crate::{
    config::Config,
    output::{Failure, error_chain, indented, one_line, print_cut, print_error, print_line},
    time, wire,
};

/// Options of `balcao inbox`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    balcao inbox show cnv_3\n  \
    balcao inbox attachment att_9 --output foto.jpg\n  \
    balcao inbox reply cnv_3 'A tabela de preços.' --attach tabela.pdf --as davi@figueira.example")]
pub(crate) struct Args {
    /// JSON instead of text.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Lists conversations that wait for staff or are with staff, the longest waiting first.
    List {
        /// Also conversations of the agent and closed ones.
        #[arg(long)]
        all: bool,
    },
    /// Shows a conversation: the reason of the handoff, notes and the last messages.
    Show {
        /// The conversation, by its id in `list`.
        #[arg(value_parser = conversation)]
        id: ConversationId,
    },
    /// Takes over a conversation; the agent is then silent.
    Take {
        /// The conversation, by its id in `list`.
        #[arg(value_parser = conversation)]
        id: ConversationId,
        #[command(flatten)]
        me: Me,
    },
    /// Saves a file of a message. Its sender chose its content, so open it with care.
    Attachment {
        /// The file, by its id in `show`.
        #[arg(value_parser = attachment)]
        id: AttachmentId,
        /// The file to write; default: its own name in the current folder. An existing file stays as it is.
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Sends the customer a text, a file or both, and takes over the conversation.
    Reply {
        /// The conversation, by its id in `list`.
        #[arg(value_parser = conversation)]
        id: ConversationId,
        /// The text.
        #[arg(required_unless_present = "attach", default_value = "", hide_default_value = true)]
        text: String,
        /// A picture, film, sound or document to send.
        #[arg(long, value_name = "FILE")]
        attach: Option<PathBuf>,
        #[command(flatten)]
        me: Me,
    },
    /// Adds a note that only staff see.
    Note {
        /// The conversation, by its id in `list`.
        #[arg(value_parser = conversation)]
        id: ConversationId,
        /// The note.
        text: String,
        #[command(flatten)]
        me: Me,
    },
    /// Gives a conversation back to the agent.
    GiveBack {
        /// The conversation, by its id in `list`.
        #[arg(value_parser = conversation)]
        id: ConversationId,
        /// The e-mail address of the staff member who acts; default: the operator of the server.
        #[arg(long = "as", value_name = "EMAIL")]
        email: Option<String>,
    },
}

#[derive(Debug, clap::Args)]
struct Me {
    /// The e-mail address of the staff member who acts.
    #[arg(long = "as", value_name = "EMAIL")]
    email: String,
}

/// A conversation's id, with its prefix or without.
fn conversation(text: &str) -> Result<ConversationId, String> {
    let id = text.parse::<i64>().map_or_else(|_| text.parse().ok(), |number| ConversationId::try_from(number).ok());
    id.ok_or_else(|| {
        format!(
            "invalid id of a conversation `{text}`; expected an id such as `cnv_42`, as `balcao inbox list` shows it"
        )
    })
}

/// A file's id, with its prefix or without.
fn attachment(text: &str) -> Result<AttachmentId, String> {
    let id = text.parse::<i64>().map_or_else(|_| text.parse().ok(), |number| AttachmentId::try_from(number).ok());
    id.ok_or_else(|| {
        format!("invalid id of a file `{text}`; expected an id such as `att_9`, as `balcao inbox show` shows it")
    })
}

/// Runs the command.
pub(crate) async fn run(args: Args, config: &Config) -> Result<ExitCode, Failure> {
    let (app, organization, _clock) = wire::configured(config, None).await?;
    let zone = wire::zone(&app, organization).await?;
    let (files, staff) = (Files::new(app.clone()), Conversations::new(app));
    let json = args.json;
    match args.action {
        Action::List { all } => list(&staff, organization, all, json, &zone).await?,
        Action::Show { id } => {
            let detail = answered(staff.show(organization, id).await)?;
            if json { print_line(&as_json(&detail)) } else { show(&detail, &zone) }
        }
        Action::Take { id, me } => {
            let before = answered(staff.take(organization, id, me.email).await)?;
            let from = before.as_ref().map(|name| format!(" from {name}")).unwrap_or_default();
            done(json, id, &format!("conversation {id} is yours{from}; the agent is silent in it"));
        }
        Action::Attachment { id, output } => save(&files, organization, id, output, json).await?,
        Action::Reply { id, text, attach: Some(path), me } => {
            let (name, bytes) = read(&path)?;
            let taken = files.take_in(organization, id, me.email.clone(), name, bytes).await;
            let file = taken.map_err(|error| Failure::operation(error_chain(&error)))?.map_err(Failure::operation)?;
            answered(staff.send_file(organization, id, me.email, file.id, text).await)?;
            done(json, id, &format!("{} is sent to conversation {id}, which is yours now", file.name));
        }
        Action::Reply { id, text, attach: None, me } => {
            answered(staff.reply(organization, id, me.email, text).await)?;
            done(json, id, &format!("written to conversation {id}, which is yours now"));
        }
        Action::Note { id, text, me } => {
            answered(staff.note(organization, id, me.email, text).await)?;
            done(json, id, &format!("noted at conversation {id}"));
        }
        Action::GiveBack { id, email } => {
            let by = email.map_or(Actor::Operator, Actor::Staff);
            let unanswered = answered(staff.give_back(organization, id, by).await)?;
            if json {
                print_line(&json!({ "conversation": id, "done": true, "unanswered": unanswered }).to_string());
            } else {
                print_line(&format!("conversation {id} is the agent's again"));
            }
            if unanswered > 0 {
                print_error(&format!(
                    "warning: {unanswered} of the customer's messages came while it was with staff and have no answer; the agent \
                     answers what comes next. Write to them: balcao inbox reply {id} …"
                ));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn answered<T>(answer: Result<Result<T, ConversationRefusal>, UseCaseError>) -> Result<T, Failure> {
    answer.map_err(|error| Failure::operation(error_chain(&error)))?.map_err(Failure::operation)
}

/// A file to be sent: its name and its bytes. What is larger than any that is sent is not read.
fn read(path: &Path) -> Result<(String, Vec<u8>), Failure> {
    let at = |error: std::io::Error| {
        Failure::usage(format!("--attach {}: {}", path.display(), crate::files::reason(&error)))
    };
    let size = std::fs::metadata(path).map_err(at)?.len();
    if usize::try_from(size).map_or(true, |size| size > LARGEST) {
        return Err(Failure::operation(format!(
            "{} is larger than {LARGEST} bytes, the most that is sent",
            path.display()
        )));
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok((name, std::fs::read(path).map_err(at)?))
}

/// Saves a file where nothing is yet.
async fn save(
    files: &Files,
    organization: OrganizationId,
    id: AttachmentId,
    output: Option<PathBuf>,
    json: bool,
) -> Result<(), Failure> {
    let opened = files.open(organization, id).await.map_err(|error| Failure::operation(error_chain(&error)))?;
    let file = opened.map_err(Failure::operation)?;
    let path = output.unwrap_or_else(|| PathBuf::from(&file.name));
    let at = |error: std::io::Error| Failure::operation(format!("{}: {error}", path.display()));
    let mut new = private::create(&path).map_err(at)?;
    new.write_all(&file.bytes).map_err(at)?;
    let (size, place) = (file.bytes.len(), path.display().to_string());
    print_line(&if json {
        json!({ "attachment": id, "file": place, "mime": file.mime, "size": size }).to_string()
    } else {
        format!("{id} is saved as {} ({}, {size} bytes)", one_line(&place), one_line(file.mime))
    });
    Ok(())
}

fn done(as_object: bool, id: ConversationId, text: &str) {
    print_line(&if as_object { json!({"conversation": id, "done": true}).to_string() } else { text.to_owned() });
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
    let found = staff.list(organization, states).await.map_err(|error| Failure::operation(error_chain(&error)))?;
    if json {
        print_line(&as_json(&found.items));
    } else if found.items.is_empty() {
        print_line(if all {
            "no conversations yet"
        } else {
            "nobody waits for a person (--all shows every conversation)"
        });
    } else {
        for one in &found.items {
            print_line(&line(one, zone));
        }
    }
    if found.more {
        print_cut(found.items.len(), "conversations", "the API lists all of them (`GET /v1/conversations`)");
    }
    Ok(())
}

/// "7  Caio Reis  waiting 12 min  Davi Lopes  asked_for_human  «quero falar com alguém»"; of what we wrote and is not known to have
/// left, how far it came.
fn line(one: &ConversationView, zone: &TimeZone) -> String {
    let who = one_line(one.contact_name.as_deref().or(one.phone.as_deref()).unwrap_or("unknown"));
    let state = match (one.state, one.waiting_since) {
        (ConversationState::WaitingHuman, Some(since)) => {
            format!("waiting {} min", time::now().duration_since(since).as_mins().max(0))
        }
        (ConversationState::WaitingHuman, None) => "waiting".to_owned(),
        (ConversationState::Human, _) => "with a person".to_owned(),
        (ConversationState::Ai, _) => "with the agent".to_owned(),
        (ConversationState::Closed, _) => "closed".to_owned(),
    };
    let at = one.last_message_at.to_zoned(zone.clone()).strftime("%d/%m %H:%M").to_string();
    let last: String = one.last_message.as_deref().unwrap_or_default().chars().take(60).collect();
    let assigned = one.assigned_to.as_deref().unwrap_or("nobody");
    let reason = one_line(one.reason.as_deref().unwrap_or("–"));
    let on_its_way = one.last_message_delivery.as_ref().filter(|delivery| delivery.state >= DeliveryStep::Waiting);
    let reached = on_its_way.map(|delivery| format!(" ({})", reached(delivery))).unwrap_or_default();
    format!("{}  {who}  {state}  {assigned}  {reason}  {at} «{}»{reached}", one.id, one_line(&last))
}

fn show(detail: &ConversationDetail, zone: &TimeZone) {
    let one = &detail.conversation;
    print_line(&line(one, zone));
    if let (Some(name), Some(phone)) = (&one.contact_name, &one.phone) {
        print_line(&format!("{}, {}, on {}", one_line(name), one_line(phone), one.channel));
    }
    if let Some(summary) = &detail.summary {
        print_line(&format!("\nSummary\n  {}", indented(summary, 2)));
    }
    if !detail.notes.is_empty() {
        print_line("\nNotes");
        for note in &detail.notes {
            print_line(&format!("- {}", indented(note, 2)));
        }
    }
    print_line("\nMessages");
    let mut under: &[String] = &[];
    for Said { message, attachments, delivery, versions } in &detail.messages {
        if !versions.is_empty() && versions != under {
            under = versions;
            print_line(&format!("  under {}", under.join(", ")));
        }
        let who = match message.author {
            Author::Contact => "customer",
            Author::Agent => "agent",
            Author::Staff => "staff",
            Author::System => "program",
            Author::Draft => "not sent",
        };
        let at = message.created_at.to_zoned(zone.clone()).strftime("%d/%m %H:%M").to_string();
        let arrived = delivery.as_ref().map(|delivery| format!(" ({})", arrived(delivery))).unwrap_or_default();
        print_line(&format!("{at} {who}{arrived}: {}", indented(&message.text, 4)));
        for file in attachments {
            print_line(&format!("  {}", shown(file)));
        }
    }
}

/// "did not arrive: Service overloaded; see `balcao outbox`", "read, utility, R$ 0,0350"
fn arrived(delivery: &Delivery) -> String {
    let category = delivery.category.as_ref().map(|category| format!(", {}", one_line(category)));
    let price = delivery.price.map(|price| format!(", {price}"));
    format!("{}{}{}", reached(delivery), category.unwrap_or_default(), price.unwrap_or_default())
}

fn reached(delivery: &Delivery) -> String {
    let why = delivery.failure.as_ref().map(|failure| format!(": {}", one_line(failure))).unwrap_or_default();
    match delivery.state {
        DeliveryStep::Read => "read".to_owned(),
        DeliveryStep::Delivered => "delivered".to_owned(),
        DeliveryStep::Sent => "sent".to_owned(),
        DeliveryStep::Waiting if why.is_empty() => "on its way".to_owned(),
        DeliveryStep::Waiting => format!("tried again{why}"),
        DeliveryStep::Unknown => format!("may have arrived{why}; see `balcao outbox`"),
        DeliveryStep::Failed => format!("did not arrive{why}; see `balcao outbox`"),
    }
}

/// "att_9  image  att_9.jpg  48213 bytes"
fn shown(file: &FileView) -> String {
    let what = match file.state {
        AttachmentState::Stored => file.size.map(|size| format!("{size} bytes")).unwrap_or_default(),
        AttachmentState::Waiting => "is being fetched".to_owned(),
        AttachmentState::Unreadable => one_line(file.failure.as_deref().unwrap_or("cannot be read")),
        AttachmentState::Expired => "deleted by age".to_owned(),
    };
    let spoken = file.transcript.as_ref().map(|spoken| format!("  «{}»", one_line(spoken))).unwrap_or_default();
    format!("{}  {}  {}  {what}{spoken}", file.id, file.kind, one_line(&file.name))
}

#[cfg(test)]
#[path = "inbox_tests.rs"]
mod tests;
