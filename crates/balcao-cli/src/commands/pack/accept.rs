//! `balcao pack accept`: the contracts that own packs have now are the ones to be offered.

use std::process::ExitCode;

use balcao_mcp::{CallError, Server, Standing, visible};
use serde_json::Value;

use super::run::own_packs;
use crate::{
    config::Config,
    output::{Failure, counted, one_line, say},
    packs::accept::{self, Accepted, Contracts},
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
    let own = own_packs(config)?;
    let known: Vec<&str> = own.all.iter().map(|one| one.pack.id.as_str()).collect();
    if let Some(strange) = args.packs.iter().find(|id| !known.contains(&id.as_str())) {
        let known = known.join(", ");
        return Err(Failure::usage(format!("there is no pack `{strange}` in packs.folders; there are: {known}")));
    }
    let mut accepted = Accepted::read(&config.packs.accepted)?;
    for one in own.all.iter().filter(|one| args.packs.is_empty() || args.packs.contains(&one.pack.id)) {
        let now = accept::contracts(one);
        let before = accepted.0.insert(one.pack.id.clone(), now.clone());
        say(&told(&one.pack.id, before.as_ref(), &now));
        if let Some(server) = &one.server {
            review(&one.pack.id, server, args.dry_run).await?;
        }
    }
    if !args.dry_run {
        accepted.write(&config.packs.accepted)?;
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
            Standing::New(is) => say(&format!("{pack}: the server's {tool} is new: {}", shown(&is.whole))),
            Standing::Changed { was, is } => {
                say(&format!("{pack}: the server's {tool} was {}", shown(was)));
                say(&format!("{pack}: the server's {tool} is now {}", shown(&is.whole)));
            }
            Standing::Vanished | Standing::Refused(_) => {
                say(&format!("{pack}: the server's {tool}: {}", one_line(&one.standing.for_staff())));
            }
        }
    }
    if dry_run { Ok(()) } else { server.accept(&reviewed).await.map_err(broke) }
}

/// A contract of a server as a person can judge it: what cannot be seen is written out.
fn shown(contract: &Value) -> String {
    visible(&contract.to_string())
}

/// What was accepted, beside what was before.
fn told(pack: &str, before: Option<&Contracts>, now: &Contracts) -> String {
    let commands = counted(now.len(), "command");
    let Some(before) = before else { return format!("{pack}: {commands}") };
    let names = |of: &Contracts, is: &dyn Fn(&String, &String) -> bool| {
        let names: Vec<&str> = of.iter().filter(|(name, hash)| is(name, hash)).map(|(name, _)| name.as_str()).collect();
        names.join(", ")
    };
    let parts = [
        ("new", names(now, &|name, _| !before.contains_key(name))),
        ("changed", names(now, &|name, hash| before.get(name).is_some_and(|other| other != hash))),
        ("gone", names(before, &|name, _| !now.contains_key(name))),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(word, names)| format!("{word}: {names}"))
        .collect();
    format!("{pack}: {commands}; {}", if parts.is_empty() { "nothing changed".to_owned() } else { parts.join("; ") })
}
