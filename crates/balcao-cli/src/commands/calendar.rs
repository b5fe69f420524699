//! `balcao calendar`: the connection to a calendar service, the calendars of professionals, and what people did in them.

mod conflicts;
#[cfg(feature = "google-calendar")]
mod connect;
#[cfg(feature = "google-calendar")]
mod connected;
mod links;

use std::process::ExitCode;

use crate::config::Config;
use crate::output::Failure;

/// Options of `balcao calendar`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    balcao calendar link \"Wesley Moura\" wesley@group.calendar.example --write\n  \
    balcao calendar status\n  \
    balcao calendar conflicts\n  \
    balcao calendar ways-out 3\n  \
    balcao calendar resolve 3 --restore --as davi@figueira.example")]
pub(crate) struct Args {
    /// The short name of the business; needed only if the database has several.
    #[arg(long, global = true, value_name = "SLUG")]
    business: Option<String>,
    /// JSON instead of text.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Asks for your consent in a local browser and stores the grant.
    Connect {
        /// The local port to which the browser returns; 0 selects a free port.
        #[arg(long, default_value_t = 0, value_name = "PORT")]
        port: u16,
    },
    /// Lists the calendars of the connected account.
    List,
    /// Revokes the grant at Google and deletes it here.
    Disconnect {
        /// Deletes the grant here without a request to Google.
        #[arg(long)]
        local: bool,
    },
    #[command(flatten)]
    Links(links::Action),
}

/// Runs the command.
#[cfg(feature = "google-calendar")]
pub(crate) async fn run(args: Args, mut config: Config) -> Result<ExitCode, Failure> {
    if args.business.is_some() {
        config.organization.slug = args.business;
    }
    match args.action {
        Action::Connect { port } => connect::run(port, args.json, &config).await,
        Action::List => connected::list(args.json, &config).await,
        Action::Disconnect { local } => connected::disconnect(local, args.json, &config).await,
        Action::Links(action) => links::run(action, args.json, &config).await,
    }
}

/// Runs the command. This build has no Google Calendar to connect to.
#[cfg(not(feature = "google-calendar"))]
pub(crate) async fn run(args: Args, mut config: Config) -> Result<ExitCode, Failure> {
    if args.business.is_some() {
        config.organization.slug = args.business;
    }
    match args.action {
        Action::Links(action) => links::run(action, args.json, &config).await,
        Action::Connect { port: _ } | Action::List | Action::Disconnect { local: _ } => Err(Failure::usage(
            "this build has no Google Calendar; build the program with its feature `google-calendar`",
        )),
    }
}
