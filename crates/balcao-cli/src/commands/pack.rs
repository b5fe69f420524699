//! `balcao pack`: what an author of tool packs needs, from an empty folder to a tested pack.

mod author;
mod look;
mod resolve;
mod test;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use balcao_app::Desk;
use balcao_builtin_tools::{Settings, tools};
use balcao_connector::Http;
use balcao_domain::SystemClock;
use balcao_pack::{LoadedPack, Loader, manifest::PackKind};
use balcao_sandbox::Launcher;
use balcao_store::Store;
use balcao_yaml::Problem;
use clap::Subcommand;

use crate::output::{Failure, chain};

/// Workers of a pack that is checked or tested: one case runs after the other.
const WORKERS: u8 = 1;

/// Options of `balcao pack`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Writes a small pack that works, to start from.
    New(author::NewArgs),
    /// Loads packs and tells everything that is wrong with them, helpers' code included.
    Check(author::CheckArgs),
    /// Runs the examples of packs, and tells what has none.
    Test(test::Args),
    /// What a pack offers: its commands, or everything about one of them.
    Show(look::ShowArgs),
    /// The packs in a folder, and those that are built in.
    List(look::ListArgs),
    /// What a model is told before it calls a command, within a budget of tokens.
    Resolve(resolve::Args),
    /// The JSON Schema of `tool.yaml`, for editors.
    Schema,
}

/// Runs the command.
pub(crate) async fn run(args: Args) -> Result<ExitCode, Failure> {
    match args.command {
        Command::New(args) => author::new(&args),
        Command::Check(args) => author::check(&args).await,
        Command::Test(args) => test::run(&args).await,
        Command::Show(args) => look::show(&args),
        Command::List(args) => look::list(&args),
        Command::Resolve(args) => resolve::run(&args),
        Command::Schema => {
            crate::output::say(balcao_pack::SCHEMA.trim_end());
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// A loader that knows what this program knows. What it cannot run, it describes.
fn loader() -> Result<Loader, Failure> {
    // The contracts need no data: an empty database stands behind the handlers.
    let store = Store::open_in_memory().map_err(|error| Failure::operation(chain(&error)))?;
    let settings = Settings {
        allow_new_tags: false,
        reminder_minutes: 60,
        followup_delays: vec![60],
        flows: Vec::new(),
        professional: None,
    };
    let handlers = tools::handlers(&Desk::new(store, Arc::new(SystemClock)), &settings);
    // Nobody is called: the requests are checked, and recorded answers are read as the service's own would be.
    let http = Arc::new(Http::offline());
    Ok(Loader::new(handlers).kind(PackKind::Http, http).describing().helpers_in(Launcher::this_executable(), WORKERS))
}

/// The folder of a pack, named by itself or by its `tool.yaml`.
fn folder(path: &Path) -> &Path {
    let named = path.file_name().is_some_and(|name| name == "tool.yaml");
    path.parent().filter(|_| named).unwrap_or(path)
}

/// Loads a pack; problems name files as they are seen from here.
fn load(loader: &Loader, path: &Path) -> Result<LoadedPack, Vec<Problem>> {
    let folder = folder(path);
    loader.load_folder(folder).map_err(|problems| seen_from_here(folder, problems))
}

fn seen_from_here(folder: &Path, problems: Vec<Problem>) -> Vec<Problem> {
    let shown = |problem: Problem| Problem { file: folder.join(&problem.file).display().to_string(), ..problem };
    problems.into_iter().map(shown).collect()
}

/// The code of the helpers, looked at by the sandbox.
async fn code(pack: &LoadedPack, folder: &Path) -> Result<Vec<Problem>, Failure> {
    let Some(sandbox) = &pack.sandbox else { return Ok(Vec::new()) };
    let problems = balcao_pack::check_helpers(sandbox).await.map_err(|error| Failure::operation(chain(&error)))?;
    Ok(seen_from_here(folder, problems))
}

/// Packs that a command is about.
#[derive(Debug, clap::Args)]
struct Paths {
    /// Folders of packs.
    #[arg(value_name = "DIR", required = true)]
    paths: Vec<PathBuf>,
}
