//! `balcao demo`: the sample barbershop and a chat.

use std::{collections::BTreeMap, process::ExitCode};

use crate::{
    commands::chat,
    config::Config,
    output::{Failure, complain},
    wire,
};

/// The business that the demo serves.
const SAMPLE: &str = include_str!("../../../../samples/barbearia-figueira.yaml");

/// Options of `balcao demo`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// Fixes the business's local clock, for example 2026-11-24T10:00.
    #[arg(long, value_name = "TIME", value_parser = super::chat::local_time)]
    now: Option<jiff::civil::DateTime>,
    /// Shows steps, tool calls, results and timings on standard error.
    #[arg(long)]
    trace: bool,
    /// Reads the customer's messages from a file, or from standard input with `-`: one turn a line.
    #[arg(long, value_name = "FILE")]
    script: Option<String>,
}

/// Runs the command.
pub(crate) async fn run(
    args: Args,
    config: &Config,
    environment: &BTreeMap<String, String>,
) -> Result<ExitCode, Failure> {
    let business = wire::parse_business("samples/barbearia-figueira.yaml", SAMPLE)?;
    let (desk, organization, clock) = wire::fresh(business, args.now).await?;
    complain("Barbearia Figueira, a sample. Try: oi, quero cortar o cabelo amanhã às 15h");
    let args = chat::Args {
        profile: None,
        business: None,
        phone: "+55 11 90000-0000".to_owned(),
        now: args.now,
        script: args.script,
        trace: args.trace,
        json: false,
        model: None,
    };
    let (world, profile) = chat::serve(&args, config, environment, desk, organization, clock)?;
    chat::converse(&args, &world, &profile).await
}
