//! `balcao contacts`: finds contacts, so that other commands can name them.

use std::process::ExitCode;

use balcao_app::crm::contacts::{ContactView, Contacts};
use serde_json::Value;

use crate::{
    config::Config,
    output::{Failure, error_chain, one_line, print_line},
    wire,
};

/// Contacts of one look at the database.
const PAGE: u32 = 100;
/// Contacts that one call lists at most.
const LISTED: usize = 200;

/// Options of `balcao contacts`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    balcao contacts find ana reis\n  \
    balcao contacts find \"+55 31 99640-1177\" --json")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Contacts whose name or e-mail address has all these words, or whose number it is.
    Find {
        /// Words of the name or of the e-mail address, or a telephone number.
        #[arg(value_name = "TEXT", required = true)]
        text: Vec<String>,
        /// JSON instead of text.
        #[arg(long)]
        json: bool,
    },
}

/// Runs the command.
pub(crate) async fn run(args: Args, config: &Config) -> Result<ExitCode, Failure> {
    let (app, organization, _) = wire::configured(config, None).await?;
    let contacts = Contacts::new(app);
    let Action::Find { text, json } = args.action;
    let search = text.join(" ");
    let (mut after, mut found) = (None, Vec::new());
    loop {
        let page = contacts.page(organization, Some(search.clone()), after, PAGE).await;
        let page = page.map_err(|error| Failure::operation(error_chain(&error)))?;
        found.extend(page.items);
        after = page.next;
        if after.is_none() || found.len() >= LISTED {
            break;
        }
    }
    let more = found.len() > LISTED || after.is_some();
    found.truncate(LISTED);
    if json {
        print_line(&serde_json::to_value(&found).unwrap_or(Value::Null).to_string());
        return Ok(ExitCode::SUCCESS);
    }
    if found.is_empty() {
        print_line(&format!("no contact is found by `{}`", one_line(&search)));
    }
    found.iter().for_each(|one| print_line(&line(one)));
    if more {
        print_line("and more; expected further words");
    }
    Ok(ExitCode::SUCCESS)
}

/// "con_12  Ana Reis  +5531996401177  ana@example.com"
fn line(one: &ContactView) -> String {
    let known = [one.name.as_ref(), one.phone.as_ref(), one.email.as_ref()];
    let known: Vec<String> = known.into_iter().flatten().map(|text| one_line(text)).collect();
    format!("{}  {}", one.id, known.join("  "))
}
