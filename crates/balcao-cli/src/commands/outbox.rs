//! `balcao outbox`: messages that did not leave, and what to do about them.

use std::process::ExitCode;

use balcao_app::UseCaseError;
use balcao_app::messaging::outbound::dead_letters::{DeadLetter, DeadLetterRefusal, DeadLetters};
use balcao_domain::OutboxId;
use balcao_domain::outbox::OutboxState;
use balcao_store::{StoreError, ops::webhook};
use jiff::tz::TimeZone;
use serde_json::json;

use crate::{
    config::Config,
    output::{Failure, cut, error_chain, indented, one_line, print_cut, print_error, print_line},
    wire,
};

/// So many are listed.
const LISTED: u32 = 200;

/// Options of `balcao outbox`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: balcao outbox retry out_7 --as davi@figueira.example")]
pub(crate) struct Args {
    /// JSON instead of text.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Lists messages that were not sent or have an unknown outcome, newest first.
    List {
        /// Also messages that were given up.
        #[arg(long)]
        all: bool,
    },
    /// Shows a message with its text and the reason of its failure.
    Show {
        /// The message, by its id in `list`.
        #[arg(value_parser = message)]
        id: OutboxId,
    },
    /// Queues a message again; `balcao serve` sends it.
    Retry {
        /// The message, by its id in `list`.
        #[arg(value_parser = message)]
        id: OutboxId,
        #[command(flatten)]
        me: Me,
        /// Sends a message with an unknown outcome; the customer may get it twice.
        #[arg(long)]
        may_arrive_twice: bool,
    },
    /// Gives up a message: it is not sent, and `list` hides it.
    GiveUp {
        /// The message, by its id in `list`.
        #[arg(value_parser = message)]
        id: OutboxId,
        #[command(flatten)]
        me: Me,
    },
    /// Lists outgoing webhooks that were given up.
    Webhooks {
        /// Delivers them again.
        #[arg(long)]
        retry: bool,
    },
}

#[derive(Debug, clap::Args)]
struct Me {
    /// The e-mail address of the staff member who acts.
    #[arg(long = "as", value_name = "EMAIL")]
    email: String,
}

/// A message's id, with its prefix or without.
fn message(text: &str) -> Result<OutboxId, String> {
    let id = text.parse::<i64>().map_or_else(|_| text.parse().ok(), |number| OutboxId::try_from(number).ok());
    id.ok_or_else(|| {
        format!("invalid id of a message `{text}`; expected an id such as `out_7`, as `balcao outbox list` shows it")
    })
}

/// Runs the command.
pub(crate) async fn run(args: Args, config: &Config) -> Result<ExitCode, Failure> {
    let (app, organization, clock) = wire::configured(config, None).await?;
    let zone = wire::zone(&app, organization).await?;
    let letters = DeadLetters::new(app.clone());
    match args.action {
        Action::List { all } => {
            let found = letters.list(organization, all, None, LISTED.saturating_add(1)).await;
            let mut found = found.map_err(|error| Failure::operation(error_chain(&error)))?;
            let more = cut(&mut found, LISTED);
            if args.json {
                print_line(&serde_json::to_string(&found).unwrap_or_default());
            } else if found.is_empty() {
                print_line("no message failed; those that wait to be sent are not listed");
            } else {
                found.iter().for_each(|one| print_line(&line(one, &zone)));
            }
            if more {
                print_cut(found.len(), "messages", "retry or give up these, or list all by the API (`GET /v1/outbox`)");
            }
        }
        Action::Show { id } => {
            let found = answered(letters.show(organization, id).await)?;
            if args.json {
                print_line(&serde_json::to_string(&found).unwrap_or_default());
            } else {
                print_line(&line(&found, &zone));
                print_line(&format!("\n  {}", indented(&found.text, 2)));
            }
        }
        Action::Retry { id, me, may_arrive_twice } => {
            let found = answered(letters.show(organization, id).await)?;
            let retried = letters.retry(organization, id, me.email, may_arrive_twice).await;
            if let Ok(Err(refusal @ DeadLetterRefusal::MayArriveTwice { .. })) = &retried {
                return Err(Failure::operation(format!("{refusal}; if that is right, add --may-arrive-twice")));
            }
            answered(retried)?;
            if found.state == OutboxState::Unknown {
                print_error("it may have arrived before: the customer may get it twice");
            }
            done(args.json, id, &format!("{id} is sent again by `balcao serve`"));
        }
        Action::GiveUp { id, me } => {
            answered(letters.give_up(organization, id, me.email).await)?;
            done(args.json, id, &format!("{id} is given up"));
        }
        Action::Webhooks { retry } => {
            let failed = |error: StoreError| Failure::operation(error_chain(&error));
            if retry {
                let now = clock.shared().now();
                let count =
                    app.store.write(move |tx| webhook::retry(tx, organization, None, now)).await.map_err(failed)?;
                print_line(&if args.json {
                    json!({ "retried": count }).to_string()
                } else {
                    format!("{count} are delivered again")
                });
                return Ok(ExitCode::SUCCESS);
            }
            let found = app.store.read(move |tx| webhook::dead(tx, organization, LISTED)).await.map_err(failed)?;
            if found.is_empty() && !args.json {
                print_line("every webhook was delivered");
            }
            for one in found {
                let failure = one.failure.as_deref().unwrap_or("–");
                print_line(&if args.json {
                    json!({ "endpoint": one.endpoint, "event": one.event, "attempts": one.attempts, "failure": failure }).to_string()
                } else {
                    format!("{}  event {}  {} attempts  {}", one.endpoint, one.event, one.attempts, one_line(failure))
                });
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn answered<T>(answer: Result<Result<T, DeadLetterRefusal>, UseCaseError>) -> Result<T, Failure> {
    answer.map_err(|error| Failure::operation(error_chain(&error)))?.map_err(Failure::operation)
}

fn done(as_object: bool, id: OutboxId, text: &str) {
    print_line(&if as_object { json!({ "message": id, "done": true }).to_string() } else { text.to_owned() });
}

/// "out_7  did not arrive  24/11 10:02  cnv_3  Ana Reis  whatsapp  10 attempts  Service overloaded  «Até amanhã!»"
fn line(one: &DeadLetter, zone: &TimeZone) -> String {
    let state = if one.state == OutboxState::Unknown { "may have arrived" } else { "did not arrive" };
    let state = if one.given_up_at.is_some() { format!("{state}, given up") } else { state.to_owned() };
    let at = one.created_at.to_zoned(zone.clone()).strftime("%d/%m %H:%M").to_string();
    let text: String = one.text.chars().take(60).collect();
    let who = one_line(one.contact_name.as_deref().unwrap_or("unknown"));
    let failure = one_line(one.failure.as_deref().unwrap_or("–"));
    let (id, conversation, channel, attempts) = (one.id, one.conversation, &one.channel, one.attempts);
    format!(
        "{id}  {state}  {at}  {conversation}  {who}  {channel}  {attempts} attempts  {failure}  «{}»",
        one_line(&text)
    )
}
