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
    wire,
};

/// Options of `balcao pack accept`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The ids of the packs; default: all of `packs.folders`.
    #[arg(value_name = "PACK")]
    packs: Vec<String>,
    /// Shows what would be accepted; accepts nothing.
    #[arg(long)]
    dry_run: bool,
}

/// Runs the command.
pub(super) async fn run(args: &Args, config: &Config) -> Result<ExitCode, Failure> {
    let config = &wire::with_loss_of_acceptances(config).await?;
    let mut reviewing = config.clone();
    reviewing.packs.reviewing = true;
    let own = own_packs(&reviewing).await?;
    let known: Vec<&str> = own.all.iter().map(|one| one.pack.id.as_str()).collect();
    if let Some(strange) = args.packs.iter().find(|id| !known.contains(&id.as_str())) {
        let known = known.join(", ");
        return Err(Failure::usage(format!("unknown pack `{strange}` in packs.folders; expected one of: {known}")));
    }
    let mut accepted = Accepted::read(&config.packs)?;
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
        let (was, is) = both_sides(one.was.as_ref(), one.is.as_ref());
        print_line(&format!("{pack}: {}: was {was}", one_line(&place)));
        print_line(&format!("{pack}: {}: is now {is}", one_line(&place)));
    }
}

/// Longest value that is shown, in characters.
const SHOWN: usize = 2_000;

/// Characters that are shown before and behind what differs of two long values.
const AROUND: usize = 200;

/// Two values as a person can judge their difference. Of long ones the parts that are the same are left out, and never what differs.
fn both_sides(was: Option<&Value>, is: Option<&Value>) -> (String, String) {
    let nothing = || "nothing".to_owned();
    let (Some(was), Some(is)) = (was, is) else {
        return (was.map_or_else(nothing, shown), is.map_or_else(nothing, shown));
    };
    let (was, is): (Vec<char>, Vec<char>) = (shown(was).chars().collect(), shown(is).chars().collect());
    if was.len().max(is.len()) <= SHOWN {
        return (was.into_iter().collect(), is.into_iter().collect());
    }
    let same = was.iter().zip(&is).take_while(|(was, is)| was == is).count();
    let left = was.len().min(is.len()).saturating_sub(same);
    let same_end = was.iter().rev().zip(is.iter().rev()).take(left).take_while(|(was, is)| was == is).count();
    let part = |all: &[char]| {
        let from = same.saturating_sub(AROUND);
        let to = (all.len().saturating_sub(same_end).saturating_add(AROUND)).min(all.len());
        let text: String = all.get(from..to).unwrap_or_default().iter().collect();
        let (before, behind) = (if from > 0 { "…" } else { "" }, if to < all.len() { "…" } else { "" });
        format!("{before}{text}{behind} ({} characters in all)", all.len())
    };
    (part(&was), part(&is))
}

/// A value as a person can judge it: what cannot be seen is written out, and what is very long is cut.
fn shortened(value: &Value) -> String {
    let whole = shown(value);
    match whole.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}… ({} bytes in all)", whole.get(..end).unwrap_or_default(), whole.len()),
        None => whole,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::both_sides;

    #[test]
    fn what_differs_of_two_long_values_is_shown_wherever_it_stands() {
        for place in [0, 1_500, 9_000, 17_999] {
            let text = |letter: &str| format!("{}{letter}{}", "é".repeat(place), "x".repeat(18_000 - place));
            let (was, is) = both_sides(Some(&json!(text("A"))), Some(&json!(text("B"))));
            assert!(was.contains('A') && is.contains('B') && was.len().max(is.len()) < 1_200, "{place}: {was} {is}");
        }
        let long = "y".repeat(5_000);
        let (was, is) = both_sides(Some(&json!("short")), Some(&json!(long)));
        assert!(was.starts_with("\"short\"") && is.matches('y').count() == 5_000, "a difference is never cut");
        assert_eq!(both_sides(None, Some(&json!(1))), ("nothing".to_owned(), "1".to_owned()));
    }
}
