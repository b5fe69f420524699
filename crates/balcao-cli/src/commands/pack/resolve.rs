//! `balcao pack resolve`: what a model is told of a pack.

use std::{path::PathBuf, process::ExitCode};

use balcao_pack::resolve::{O200k, Question};
use balcao_tool::Locale;
use serde_json::json;

use super::{load, loader};
use crate::output::{Failure, print_line};

/// Options of `balcao pack resolve`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The pack's folder; a name without a path means a folder of `packs/`.
    #[arg(value_name = "DIR")]
    path: PathBuf,
    /// The command; default: the catalogue and the pieces that fit.
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
    /// The words of the user, which decide the order.
    #[arg(long, value_name = "WORDS", default_value = "")]
    text: String,
    /// The most tokens.
    #[arg(long, value_name = "TOKENS", default_value_t = 2_000)]
    budget: usize,
    /// Lists the included and the excluded pieces with their tokens, instead of the text.
    #[arg(long)]
    explain: bool,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let pack = load(&loader()?, &args.path).map_err(|problems| Failure::problems(&problems))?;
    // A command is named as it is written or as models call it.
    let same = |id: &str, named: &str| id.replace('-', "_") == named.replace('-', "_");
    let named = args.command.as_deref();
    let id = named.and_then(|named| pack.pack.commands.iter().map(|one| one.id.as_str()).find(|id| same(id, named)));
    let question = Question { command: id.or(named), words: &args.text, budget: args.budget, locale: Locale::En };
    let tokens = O200k::default();
    let Some(context) = pack.resolve(&question, &tokens) else {
        let id = args.command.as_deref().unwrap_or_default();
        let near = balcao_yaml::nearest(id, pack.pack.commands.iter().map(|command| command.id.as_str()));
        let near = near.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        return Err(Failure::usage(format!("the pack `{}` has no command `{id}`{near}", pack.id)));
    };
    match (args.json, args.explain) {
        (true, _) => {
            let mut shown = json!(context);
            if let Some(fields) = shown.as_object_mut() {
                fields.insert("whole".to_owned(), json!(pack.tokens_of_all(question.locale, &tokens)));
            }
            print_line(&shown.to_string());
        }
        (false, true) => print_line(&context.explain(pack.tokens_of_all(question.locale, &tokens))),
        (false, false) if context.told.is_empty() => {
            let (budget, least) = (context.budget, context.least);
            return Err(Failure::usage(format!("nothing fits into {budget} tokens; write `--budget {least}` or more")));
        }
        (false, false) => print_line(&context.text()),
    }
    Ok(ExitCode::SUCCESS)
}
