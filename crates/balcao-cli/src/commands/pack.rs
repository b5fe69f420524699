//! `balcao pack`: what an author of tool packs needs, from an empty folder to a tested pack.

mod accept;
mod author;
mod live;
mod look;
mod resolve;
mod run;
mod schema;
mod scratch;
mod search;
mod test;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use balcao_app::AppContext;
use balcao_builtin_tools::tools;
use balcao_pack::{LoadedPack, Loader, Unloaded};
use balcao_store::Store;
use balcao_yaml::Problem;
use clap::Subcommand;

use crate::{
    config::Config,
    output::{Failure, error_chain},
    packs::{self, Connected},
    profiles, time,
};

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
    /// Writes a small working pack as a start.
    New(author::NewArgs),
    /// Loads packs and reports all mistakes, also in the code of helpers.
    Check(author::CheckArgs),
    /// Runs the examples of packs, and lists what has no example.
    Test(test::Args),
    /// Shows the commands of a pack, or all details of one command.
    Show(look::ShowArgs),
    /// Lists the packs of a folder and the built-in packs.
    List(look::ListArgs),
    /// Shows the text that a model reads before it calls a command, within a budget of tokens.
    Resolve(resolve::Args),
    /// Runs one command of an own pack with its account, or shows its requests.
    Run(run::RunArgs),
    /// Undoes a command by the undo command that its pack names.
    Undo(run::UndoArgs),
    /// Accepts the current contracts of own packs; the program withholds a changed contract until then.
    Accept(accept::Args),
    /// Searches packs: commands, helpers, checks, known mistakes, examples and prose.
    Search(search::Args),
    /// The JSON Schema of `tool.yaml`, for editors.
    Schema,
}

/// Runs the command.
pub(crate) async fn run(args: Args, config: Result<Config, Failure>) -> Result<ExitCode, Failure> {
    match args.command {
        Command::New(args) => author::new(&args),
        Command::Check(args) => author::check(&args).await,
        Command::Test(args) => test::run(&args, config).await,
        Command::Show(args) => look::show(&args),
        Command::List(args) => look::list(&args),
        Command::Resolve(args) => resolve::run(&args),
        Command::Run(args) => run::run(&args, &config?).await,
        Command::Undo(args) => run::undo(&args, &config?).await,
        Command::Accept(args) => accept::run(&args, &config?).await,
        Command::Search(args) => search::run(&args, &config?).await,
        Command::Schema => schema::run(),
    }
}

/// A loader that knows what this program knows. What it cannot run, it describes.
fn loader() -> Result<Loader, Failure> {
    // The contracts need no data: an empty database stands behind the handlers.
    let store = Store::open_in_memory().map_err(|error| Failure::operation(error_chain(&error)))?;
    let handlers = tools::handlers(&AppContext::new(store, time::clock()), &profiles::usual_settings());
    // Nobody is called: the requests are checked, and recorded answers are read as the service's own would be.
    Ok(packs::loader(handlers, &Connected::default(), WORKERS).describing())
}

/// The folder of a pack, named by itself or by its `tool.yaml`. A name without a folder here means one of `packs/`.
fn folder(path: &Path) -> PathBuf {
    let among_packs = Path::new("packs").join(path);
    if path.components().count() == 1 && !path.exists() && among_packs.is_dir() {
        return among_packs;
    }
    let named = path.file_name().is_some_and(|name| name == "tool.yaml");
    path.parent().filter(|_| named).unwrap_or(path).to_owned()
}

/// Loads a pack; problems name files as they are seen from here.
fn load(loader: &Loader, path: &Path) -> Result<LoadedPack, Vec<Problem>> {
    let folder = folder(path);
    loader.load_folder(&folder).map_err(|problems| seen_from_here(&folder, problems))
}

fn seen_from_here(folder: &Path, problems: Vec<Problem>) -> Vec<Problem> {
    let shown = |problem: Problem| Problem { file: folder.join(&problem.file).display().to_string(), ..problem };
    problems.into_iter().map(shown).collect()
}

/// Loads a pack, with the code of its helpers looked at by the sandbox: all mistakes, in the order of their places.
async fn examine(loader: &Loader, path: &Path) -> Result<Result<LoadedPack, Vec<Problem>>, Failure> {
    let folder = folder(path);
    let failed = |error| Failure::operation(error_chain(&error));
    let (loaded, mut problems) = match loader.examine(&folder) {
        Ok(pack) => {
            let found = match &pack.sandbox {
                Some(sandbox) => balcao_pack::check_helpers(sandbox).await.map_err(failed)?,
                None => Vec::new(),
            };
            (Some(pack), found)
        }
        Err(Unloaded { mut problems, code }) => {
            if let Some(code) = code {
                problems.extend(code.check().await.map_err(failed)?);
            }
            (None, problems)
        }
    };
    match loaded {
        Some(mut pack) if problems.is_empty() => {
            pack.unheld = seen_from_here(&folder, pack.unheld);
            Ok(Ok(pack))
        }
        loaded => {
            problems.extend(loaded.into_iter().flat_map(|pack| pack.unheld));
            problems.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
            Ok(Err(seen_from_here(&folder, problems)))
        }
    }
}

/// Packs that a command is about.
#[derive(Debug, clap::Args)]
struct Paths {
    /// Folders of packs.
    #[arg(value_name = "DIR", required = true)]
    paths: Vec<PathBuf>,
}
