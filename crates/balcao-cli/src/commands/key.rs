//! `balcao key`: keys of the HTTP API.

use std::process::ExitCode;

use balcao_app::admin::keys::{ApiKeys, KeyRequest, KeyView, Scope, USUAL_PER_MINUTE};
use balcao_domain::ApiKeyId;
use jiff::{Timestamp, ToSpan, tz::TimeZone};
use secrecy::ExposeSecret;
use serde_json::json;

use crate::{
    config::Config,
    output::{Failure, error_chain, one_line, print_error, print_line},
    wire,
};

/// Options of `balcao key`.
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
    /// Creates a key and shows it once.
    Create {
        /// Its purpose.
        #[arg(long)]
        name: String,
        /// A scope: turn, read, write, inbox, business. May be repeated.
        #[arg(long = "scope", value_name = "SCOPE", required = true, value_delimiter = ',', value_parser = scope)]
        scopes: Vec<Scope>,
        /// The key expires after so many days.
        #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=3_650))]
        days: Option<u32>,
        /// Requests per minute.
        #[arg(long, value_name = "N", default_value_t = USUAL_PER_MINUTE, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        per_minute: u32,
    },
    /// Lists all keys with their scopes, their last use and their state.
    List,
    /// Revokes a key at once.
    Revoke {
        /// The key, by its id in `list`.
        #[arg(value_parser = key)]
        id: ApiKeyId,
    },
}

fn scope(text: &str) -> Result<Scope, String> {
    let known = Scope::ALL.map(Scope::as_str);
    Scope::from_word(text).ok_or_else(|| {
        let near = balcao_yaml::nearest(text, known);
        let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        format!("unknown scope `{text}`; expected one of: {}{hint}", known.join(", "))
    })
}

/// A key's id, with its prefix or without.
fn key(text: &str) -> Result<ApiKeyId, String> {
    let id = text.parse::<i64>().map_or_else(|_| text.parse().ok(), |number| ApiKeyId::try_from(number).ok());
    id.ok_or_else(|| {
        format!("invalid id of a key `{text}`; expected an id such as `key_3`, as `balcao key list` shows it")
    })
}

/// Runs the command.
pub(crate) async fn run(args: Args, config: &Config) -> Result<ExitCode, Failure> {
    let (app, organization, clock) = wire::configured(config, None).await?;
    let zone = wire::zone(&app, organization).await?;
    let keys = ApiKeys::new(app);
    let failed = |error| Failure::operation(error_chain(&error));
    match args.action {
        Action::Create { name, scopes, days, per_minute } => {
            let now = clock.shared().now();
            let expires_at = days.and_then(|days| now.checked_add((i64::from(days) * 24).hours()).ok());
            let mut random = [0_u8; 32];
            getrandom::fill(&mut random)
                .map_err(|error| Failure::operation(format!("the system gives no random bytes: {error}")))?;
            let request = KeyRequest { name, scopes, expires_at, per_minute };
            let made = keys.create(organization, request, random).await.map_err(failed)?.map_err(Failure::operation)?;
            let key = made.key.expose_secret();
            if args.json {
                print_line(&json!({ "id": made.view.id, "key": key, "scopes": made.view.scopes }).to_string());
            } else {
                print_error(&format!("{}; keep this, it is not shown again:", line(&made.view, now, &zone)));
                print_line(key);
            }
        }
        Action::List => {
            let all = keys.list(organization).await.map_err(failed)?;
            if args.json {
                print_line(&serde_json::to_string(&all).unwrap_or_default());
            } else if all.is_empty() {
                print_line("no keys yet; make one with `balcao key create --name NAME --scope SCOPE`");
            } else {
                let now = clock.shared().now();
                all.iter().for_each(|one| print_line(&line(one, now, &zone)));
            }
        }
        Action::Revoke { id } => {
            keys.revoke(organization, id).await.map_err(failed)?.map_err(Failure::operation)?;
            print_line(&if args.json {
                json!({ "id": id, "revoked": true }).to_string()
            } else {
                format!("{id} is revoked")
            });
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// "key_3  reports  bk_x1Yz2a…  read, write  600 a minute  last used 23/11/2026 10:02  expires 01/01/2027".
fn line(one: &KeyView, now: Timestamp, zone: &TimeZone) -> String {
    let at = |instant: Timestamp| instant.to_zoned(zone.clone()).strftime("%d/%m/%Y %H:%M").to_string();
    let scopes: Vec<&str> = one.scopes.iter().map(|scope| scope.as_str()).collect();
    let used = one.last_used_at.map_or_else(|| "never used".to_owned(), |used| format!("last used {}", at(used)));
    let end = match (one.revoked_at, one.expires_at) {
        (Some(revoked), _) => format!("revoked {}", at(revoked)),
        (None, Some(expires)) if expires <= now => format!("expired {}", at(expires)),
        (None, Some(expires)) => format!("expires {}", at(expires)),
        (None, None) => "without end".to_owned(),
    };
    let (id, name, prefix, per_minute) = (one.id, one_line(&one.name), &one.prefix, one.per_minute);
    format!("{id}  {name}  {prefix}…  {}  {per_minute} a minute  {used}  {end}", scopes.join(", "))
}
