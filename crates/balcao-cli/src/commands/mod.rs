//! The commands, one file each.

mod acting_staff;
mod agenda;
mod appointments;
mod backup;
mod business;
mod calendar;
pub(crate) mod chat;
mod config_show;
mod contacts;
mod demo;
mod doctor;
mod eval;
mod inbox;
mod init;
mod key;
mod knowledge;
mod local_time;
mod migrate;
mod outbox;
mod pack;
mod plan;
mod reach;
mod restore;
mod retention;
mod seed;
mod serve;
mod stats;
mod subscriptions;
mod tools;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Parser, Subcommand};

use tracing::level_filters::LevelFilter;

use crate::{
    config::{self, Config},
    output::Failure,
    signals,
    telemetry::Telemetry,
};

/// Self-hosted AI front desk: answers a business's customers, and acts for them through tools that can be trusted.
#[derive(Debug, Parser)]
#[command(name = "balcao", version, about, propagate_version = true, max_term_width = 120)]
pub(crate) struct Cli {
    /// The configuration file; default: `balcao.toml` in the current folder, if it exists.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Logs more to standard error; may be repeated.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Chats with the agent in the terminal, as a customer.
    Chat(chat::Args),
    /// Runs the server: receives webhooks, sends replies, answers the API under `/v1`.
    Serve(serve::Args),
    /// Runs the sample barbershop without a configuration, on a local page or in the terminal.
    Demo(demo::Args),
    /// Loads a business from a YAML file into the configured database.
    Seed(seed::Args),
    /// Changes the business: shows a plan, asks for a yes and applies exactly this plan.
    Business(business::Args),
    /// Creates the configured database or brings it up to date.
    Migrate(migrate::Args),
    /// Writes a commented configuration, a profile and a business file as a start.
    Init(init::Args),
    /// Checks configuration, database, model and clock, and names the cure of each problem.
    Doctor(doctor::Args),
    /// Lists the tools of a profile with their schemas.
    Tools(tools::Args),
    /// Creates, checks, tests, shows and runs tool packs.
    Pack(pack::Args),
    /// The configuration.
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// The inbox of staff: list, show, take over, reply, note, give back.
    Inbox(inbox::Args),
    /// Lists appointments and reminders, resolves conflicts, and marks how visits ended.
    Appointments(appointments::Args),
    /// Finds contacts and changes their data.
    Contacts(contacts::Args),
    /// Subscriptions to plans: list, start, pay, renew, pause, resume, end.
    Subscriptions(subscriptions::Args),
    /// Messages that were not sent: list, retry, give up.
    Outbox(outbox::Args),
    /// Deletes data whose retention period has passed.
    Retention(retention::Args),
    /// Copies the database, also while the server runs.
    Backup(backup::Args),
    /// Restores a backup without repeating messages and replies that may have left since.
    Restore(restore::Args),
    /// Shows and sets the features that the business may use.
    Plan(plan::Args),
    /// The knowledge base: search, import, prepare the vectors for search by meaning.
    Knowledge(knowledge::Args),
    /// Shows the figures of the last months: appointments, no-shows, revenue.
    Stats(stats::Args),
    /// Keys of the HTTP API: create, list, revoke.
    #[command(visible_alias = "keys")]
    Key(key::Args),
    /// The agenda of a professional for calendar programs: addresses to subscribe to, and files.
    Agenda(agenda::Args),
    /// Calendars of a service outside, such as Google Calendar: connect, link, read, conflicts.
    Calendar(calendar::Args),
    /// Runs scenario files and compares the results with the expected ones.
    Eval(eval::Args),
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Shows the effective values with their origin; masks secrets.
    Show(config_show::Args),
}

/// Runs a command.
pub(crate) async fn run(cli: Cli) -> Result<ExitCode, Failure> {
    // The one place that reads the environment.
    let environment: BTreeMap<String, String> = std::env::vars().collect();
    let loaded = config::load(cli.config.as_deref(), &environment);
    let serves = matches!(cli.command, Command::Serve(_));
    let usual = if serves { LevelFilter::WARN } else { LevelFilter::ERROR };
    // A command that needs no configuration runs where it is broken, too.
    let fallback = Config::default();
    let telemetry = Telemetry::start(loaded.as_ref().unwrap_or(&fallback), cli.verbose, usual, &environment)?;
    // These two finish what is under way.
    let ends_itself = matches!(cli.command, Command::Serve(_) | Command::Demo(_));
    let command = Box::pin(dispatch(cli.command, cli.config.as_deref(), loaded, &environment));
    let result = if ends_itself { command.await } else { signals::unless_interrupted(command).await };
    telemetry.end().await;
    result
}

async fn dispatch(
    command: Command,
    file: Option<&Path>,
    loaded: Result<Config, Failure>,
    environment: &BTreeMap<String, String>,
) -> Result<ExitCode, Failure> {
    match command {
        Command::Chat(args) => Box::pin(chat::run(args, &loaded?, environment)).await,
        Command::Serve(args) => Box::pin(serve::run(args, loaded?, environment)).await,
        Command::Demo(args) => Box::pin(demo::run(args, loaded?, environment)).await,
        Command::Seed(args) => seed::run(&args, &loaded?).await,
        Command::Business(args) => business::run(args, &loaded?).await,
        Command::Migrate(args) => migrate::run(&args, &loaded?).await,
        Command::Init(args) => init::run(&args),
        Command::Doctor(args) => doctor::run(&args, file, environment).await,
        Command::Tools(args) => tools::run(&args, &loaded?).await,
        Command::Pack(args) => Box::pin(pack::run(args, loaded)).await,
        Command::Config { command: ConfigCommand::Show(args) } => config_show::run(&args, &loaded?),
        Command::Inbox(args) => inbox::run(args, &loaded?).await,
        Command::Appointments(args) => appointments::run(args, &loaded?).await,
        Command::Contacts(args) => contacts::run(args, &loaded?).await,
        Command::Subscriptions(args) => subscriptions::run(args, &loaded?).await,
        Command::Outbox(args) => outbox::run(args, &loaded?).await,
        Command::Backup(args) => backup::run(args, &loaded?).await,
        Command::Restore(args) => restore::run(args, &loaded?).await,
        Command::Knowledge(args) => knowledge::run(args, &loaded?).await,
        Command::Retention(args) => retention::run(args, &loaded?).await,
        Command::Plan(args) => plan::run(args, &loaded?).await,
        Command::Stats(args) => stats::run(args, &loaded?).await,
        Command::Key(args) => key::run(args, &loaded?).await,
        Command::Agenda(args) => agenda::run(args, &loaded?).await,
        Command::Calendar(args) => Box::pin(calendar::run(args, loaded?)).await,
        Command::Eval(args) => Box::pin(eval::run(args, &loaded?, environment)).await,
    }
}
