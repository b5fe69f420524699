//! `balcao agenda`: a professional's agenda for calendar programs: addresses, and files.

use std::path::PathBuf;
use std::process::ExitCode;

use balcao_app::scheduling::feeds::{Detail, FeedView, Feeds, MadeFeed};
use balcao_domain::FeedId;
use jiff::{Timestamp, tz::TimeZone};
use secrecy::ExposeSecret;
use serde_json::json;

use crate::{
    config::Config,
    output::{Failure, error_chain, one_line, print_error, print_line, say_file},
    wire,
};

/// Options of `balcao agenda`.
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
    /// Creates an address that a calendar program can subscribe to, and shows it once.
    Link {
        /// The professional.
        professional: String,
        /// The detail of each appointment: busy, service, `first_name`.
        #[arg(long, default_value = "busy", value_parser = detail)]
        detail: Detail,
    },
    /// Lists all addresses with their state.
    List,
    /// Replaces an address by a new one.
    Renew {
        /// The address, by its id in `list`.
        #[arg(value_parser = feed)]
        id: FeedId,
    },
    /// Closes an address at once.
    Revoke {
        /// The address, by its id in `list`.
        #[arg(value_parser = feed)]
        id: FeedId,
    },
    /// Writes an agenda as a calendar file.
    Export {
        /// The professional.
        professional: String,
        /// The file to write; default: standard output.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// The detail of each appointment: busy, service, `first_name`.
        #[arg(long, default_value = "busy", value_parser = detail)]
        detail: Detail,
    },
}

fn detail(text: &str) -> Result<Detail, String> {
    let known = Detail::ALL.map(Detail::as_str).join(", ");
    Detail::from_word(text).ok_or_else(|| format!("unknown detail `{text}`; expected one of: {known}"))
}

/// An address's id, with its prefix or without.
fn feed(text: &str) -> Result<FeedId, String> {
    let id = text.parse::<i64>().map_or_else(|_| text.parse().ok(), |number| FeedId::try_from(number).ok());
    id.ok_or_else(|| {
        format!("invalid id of a feed `{text}`; expected an id such as `fee_3`, as `balcao agenda list` shows it")
    })
}

fn random() -> Result<[u8; 32], Failure> {
    let mut random = [0_u8; 32];
    getrandom::fill(&mut random)
        .map_err(|error| Failure::operation(format!("the system gives no random bytes: {error}")))?;
    Ok(random)
}

/// Runs the command.
pub(crate) async fn run(args: Args, config: &Config) -> Result<ExitCode, Failure> {
    let (app, organization, _) = wire::configured(config, None).await?;
    let zone = wire::zone(&app, organization).await?;
    let feeds = Feeds::new(app);
    let failed = |error| Failure::operation(error_chain(&error));
    match args.action {
        Action::Link { professional, detail } => {
            let made = feeds.make(organization, professional, detail, random()?).await.map_err(failed)?;
            print_feed(&made.map_err(Failure::operation)?, &zone, args.json);
        }
        Action::Renew { id } => {
            let made = feeds.renew(organization, id, random()?).await.map_err(failed)?;
            print_feed(&made.map_err(Failure::operation)?, &zone, args.json);
        }
        Action::Revoke { id } => {
            feeds.revoke(organization, id).await.map_err(failed)?.map_err(Failure::operation)?;
            print_line(&if args.json {
                json!({ "id": id, "revoked": true }).to_string()
            } else {
                format!("{id} is closed")
            });
        }
        Action::List => {
            let all = feeds.list(organization).await.map_err(failed)?;
            if args.json {
                print_line(&serde_json::to_string(&all).unwrap_or_default());
            } else if all.is_empty() {
                print_line("no addresses yet; make one with `balcao agenda link PROFESSIONAL`");
            } else {
                all.iter().for_each(|one| print_line(&line(one, &zone)));
            }
        }
        Action::Export { professional, out, detail } => {
            let text = feeds.export(organization, professional, detail).await.map_err(failed)?;
            let text = text.map_err(Failure::operation)?;
            match out {
                None => say_file(text.trim_end()),
                Some(path) => std::fs::write(&path, text).map_err(|error| {
                    Failure::operation(format!(
                        "{} cannot be written: {}",
                        path.display(),
                        crate::files::reason(&error)
                    ))
                })?,
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn print_feed(made: &MadeFeed, zone: &TimeZone, json: bool) {
    let path = made.path.expose_secret();
    if json {
        print_line(&json!({ "id": made.view.id, "path": path, "detail": made.view.detail }).to_string());
    } else {
        print_error(&format!(
            "{}; keep this path on your server's address, it is not shown again:",
            line(&made.view, zone)
        ));
        print_line(path);
    }
}

/// "fee_3  Íris Valente  busy  made 23/11/2026 10:02".
fn line(one: &FeedView, zone: &TimeZone) -> String {
    let at = |instant: Timestamp| instant.to_zoned(zone.clone()).strftime("%d/%m/%Y %H:%M").to_string();
    let end = one.revoked_at.map(|revoked| format!("  closed {}", at(revoked))).unwrap_or_default();
    format!("{}  {}  {}  made {}{end}", one.id, one_line(&one.professional), one.detail.as_str(), at(one.created_at))
}
