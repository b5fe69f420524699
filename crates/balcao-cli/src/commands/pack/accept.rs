//! `balcao pack accept`: own packs are to be offered as they are now.

use std::process::ExitCode;

use balcao_mcp::{CallError, Server, Standing, visible};
use balcao_pack::Terms;
use serde_json::Value;

use super::run::own_packs;
use crate::{
    config::Config,
    output::{Failure, counted, one_line, print_line},
    packs::{OwnPack, accept::Accepted},
};

/// Options of `balcao pack accept`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The packs' ids; without one, all of packs.folders.
    #[arg(value_name = "PACK")]
    packs: Vec<String>,
    /// Accepts nothing, and says what would be accepted.
    #[arg(long)]
    dry_run: bool,
}

/// Runs the command.
pub(super) async fn run(args: &Args, config: &Config) -> Result<ExitCode, Failure> {
    let mut reviewing = config.clone();
    reviewing.packs.reviewing = true;
    let own = own_packs(&reviewing)?;
    let known: Vec<&str> = own.all.iter().map(|one| one.pack.id.as_str()).collect();
    if let Some(strange) = args.packs.iter().find(|id| !known.contains(&id.as_str())) {
        let known = known.join(", ");
        return Err(Failure::usage(format!("unknown pack `{strange}` in packs.folders; expected one of: {known}")));
    }
    let mut accepted = Accepted::read(&config.packs.accepted)?;
    for one in own.all.iter().filter(|one| args.packs.is_empty() || args.packs.contains(&one.pack.id)) {
        let stands =
            accepted.of(&config.packs, &one.pack.id).is_some_and(|known| known.shared == one.pack.terms.shared);
        let before = accepted.accept(&config.packs, one);
        tell(one, before.as_ref());
        if !args.dry_run {
            accepted.write(&config.packs.accepted)?;
        }
        if let Some(server) = &one.server {
            // The operator has accepted neither the program nor the address yet; both would get the secrets of the account.
            if args.dry_run && !stands {
                let would = if one.starts_a_program() { "start" } else { "ask" };
                print_line(&format!(
                    "{}: it would {would} {}; what that says of its tools is shown once it is accepted",
                    one.pack.id,
                    server.describe()
                ));
            } else {
                review(&one.pack.id, server, args.dry_run).await?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows what a server says of its tools that was not accepted before, and accepts it.
async fn review(pack: &str, server: &Server, dry_run: bool) -> Result<(), Failure> {
    let broke = |error: CallError| Failure::operation(format!("{pack}: {}: {}", server.describe(), error.for_staff()));
    let reviewed = server.review().await.map_err(broke)?;
    for one in &reviewed {
        let tool = one_line(&one.tool);
        match &one.standing {
            Standing::Accepted => {}
            Standing::New(is) => print_line(&format!("{pack}: the server's {tool} is new: {}", shown(&is.whole))),
            Standing::Changed { was, is } => {
                print_line(&format!("{pack}: the server's {tool} was {}", shown(was)));
                print_line(&format!("{pack}: the server's {tool} is now {}", shown(&is.whole)));
            }
            Standing::Vanished | Standing::Refused(_) => {
                print_line(&format!("{pack}: the server's {tool}: {}", one_line(&one.standing.for_staff())));
            }
        }
    }
    if dry_run { Ok(()) } else { server.accept(&reviewed).await.map_err(broke) }
}

/// A contract of a server as a person can judge it: what cannot be seen is written out.
fn shown(contract: &Value) -> String {
    visible(&contract.to_string())
}

/// What is accepted, and where it differs from what was accepted before.
fn tell(own: &OwnPack, before: Option<&Terms>) {
    let (pack, terms) = (&own.pack.id, &own.pack.terms);
    let commands = counted(terms.commands.len(), "command");
    let Some(before) = before else {
        print_line(&format!("{pack}: {commands}; new"));
        let connection = terms.shared.pointer("/over/connection").or_else(|| terms.shared.get("connection"));
        if let Some(connection) = connection {
            print_line(&format!("{pack}: connection: {}", shortened(connection)));
        }
        return;
    };
    let differences = terms.differences(before);
    let changed = terms.changed(before);
    let names: Vec<&str> = changed.iter().map(String::as_str).collect();
    let gone: Vec<&str> =
        before.commands.keys().filter(|name| !terms.commands.contains_key(*name)).map(String::as_str).collect();
    let mut parts = Vec::new();
    if !names.is_empty() {
        parts.push(format!("changed: {}", names.join(", ")));
    }
    if !gone.is_empty() {
        parts.push(format!("gone: {}", gone.join(", ")));
    }
    print_line(&format!(
        "{pack}: {commands}; {}",
        if parts.is_empty() { "nothing changed".to_owned() } else { parts.join("; ") }
    ));
    for one in &differences {
        let place = format!("{}{}", one.command.as_deref().unwrap_or("all commands"), one.pointer.replace('/', "."));
        let told = |value: &Option<Value>| value.as_ref().map_or_else(|| "nothing".to_owned(), shortened);
        print_line(&format!("{pack}: {}: was {}", one_line(&place), told(&one.was)));
        print_line(&format!("{pack}: {}: is now {}", one_line(&place), told(&one.is)));
    }
}

/// Longest value that is shown, in characters.
const SHOWN: usize = 2_000;

/// A value as a person can judge it: what cannot be seen is written out, and what is very long is cut.
fn shortened(value: &Value) -> String {
    let whole = shown(value);
    match whole.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}… ({} bytes in all)", whole.get(..end).unwrap_or_default(), whole.len()),
        None => whole,
    }
}
