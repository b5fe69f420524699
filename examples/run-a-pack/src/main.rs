//! The tool layer alone: `run-a-pack FOLDER COMMAND ARGUMENTS` tells what a model would be told, checks a call and runs it.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "an example: its clock is the machine's")]
use std::{env::args, error::Error, path::Path};

use balcao_pack::resolve::{O200k, Question};
use balcao_pack::{Handlers, Loader};
use balcao_sandbox::{Launcher, worker};
use balcao_tool::{EffectKey, Locale, Principal, RunMode, ToolContext, canonical};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let given: Vec<String> = args().skip(1).collect();
    if given.first().is_some_and(|first| first == worker::SUBCOMMAND) {
        let _code = worker::run(); // this very program, started again to run helpers
        return Ok(());
    }
    let [folder, command, arguments] = given.as_slice() else { return Err("FOLDER COMMAND ARGUMENTS".into()) };
    let loader = Loader::new(Handlers::new()).helpers_in(Launcher::this_executable(), 1);
    let pack = loader.load_folder(Path::new(folder)).map_err(|problems| format!("{problems:#?}"))?;
    let question = Question { command: Some(command), words: "", budget: 500, locale: Locale::En };
    let context = pack.resolve(&question, &O200k::default()).ok_or("unknown COMMAND; expected one of the pack")?;
    println!("{}\n", context.text());
    let tool =
        pack.tools.iter().find(|tool| tool.spec.name == *command).ok_or("unknown COMMAND; expected one of the pack")?;
    let checked = tool.check_arguments(serde_json::from_str(arguments)?).map_err(|wrong| format!("{wrong:#?}"))?;
    let (key, args_hash) = (EffectKey::derive(1, 1, 0, command, arguments), canonical::hash(&checked.args));
    let (organization, contact, conversation, turn, staff_facing, locale) = (1, 1, 1, 1, true, Locale::En);
    let principal = Principal { organization, contact, conversation, turn, staff_facing, locale };
    let cx = ToolContext { principal, key, args_hash, now: jiff::Zoned::now(), agreed: None, told_prices: Vec::new() };
    println!("{}", tool.execute(&cx, checked.args, RunMode::Execute).await.value);
    Ok(())
}
