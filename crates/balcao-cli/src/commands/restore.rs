//! `balcao restore`: a backup in the place of the database, and nothing done a second time.

use std::io::Error as IoError;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use balcao_app::admin::restore_guard;
use balcao_app::context::app_context::AppContext;
use balcao_store::ops::restore::Held;
use balcao_store::{ExclusiveLock, OpenOptions, Store, StoreError, StoreErrorClass};

use crate::{
    config::Config,
    output::{Failure, error_chain, print_line},
    time, wire,
};

/// Options of `balcao restore`.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
#[command(after_help = "Examples:\n  \
    balcao restore backups/2026-11-22.db    replaces the database and keeps the old one under another name\n  \
    balcao restore --in-place               after a restore by other means, such as pg_restore\n\n\
    Messages and conversations that waited at the time of the backup were probably sent or answered since. So the program sends and \
    answers none of them; `balcao outbox list` and `balcao inbox list` show them to staff.")]
pub(crate) struct Args {
    /// A copy from `balcao backup`.
    file: Option<PathBuf>,
    /// Works on the current database: only holds back what must not happen twice.
    #[arg(long)]
    in_place: bool,
}

/// Runs the command.
pub(crate) async fn run(args: Args, config: &Config) -> Result<ExitCode, Failure> {
    let held = match args.file {
        Some(file) => put_back(&file, config).await?,
        None => {
            let store = wire::open_store(config)?;
            let _alone = store.serve_alone().map_err(broke)?;
            hold(store).await?
        }
    };
    report(&held);
    Ok(ExitCode::SUCCESS)
}

fn broke(error: StoreError) -> Failure {
    Failure::operation(error_chain(&error))
}

/// Brings a database up to this program and holds back what must not happen twice.
async fn hold(store: Store) -> Result<Vec<(String, Held)>, Failure> {
    store.migrate().await.map_err(broke)?;
    let app = AppContext::new(store, time::clock());
    restore_guard::hold(&app).await.map_err(|error| Failure::operation(error_chain(&error)))
}

/// Makes the copy ready beside the database, and only then exchanges the two.
async fn put_back(file: &Path, config: &Config) -> Result<Vec<(String, Held)>, Failure> {
    if config.database.server().map_err(Failure::usage)?.is_some() {
        let how = "restore a server's database by its own tools, such as pg_restore, and then run `balcao restore --in-place`";
        return Err(Failure::usage(how.to_owned()));
    }
    if !file.is_file() {
        return Err(Failure::usage(format!("file {} not found", file.display())));
    }
    let place = Path::new(&config.database.path);
    let same = |one: &Path| std::fs::canonicalize(one).ok();
    if same(file).is_some_and(|file| Some(file) == same(place)) {
        return Err(Failure::usage(format!(
            "{} is the database itself; name a copy that `balcao backup` made",
            file.display()
        )));
    }
    let _alone = ExclusiveLock::of_file(place).map_err(broke)?;
    let (draft, ready) = (beside(place, ".restoring"), beside(place, ".restored"));
    let tidy = || with_logs(&draft).iter().chain([&ready]).for_each(|name| drop(std::fs::remove_file(name)));
    // What an earlier one that was broken off left behind.
    tidy();
    let made = match make_ready(file, &draft).await {
        // One file without a log: what was held back lies in it, however late the draft is closed.
        Ok(held) => Store::copy_file(&draft, &ready).await.map(|()| held).map_err(broke),
        Err(failure) => Err(failure),
    };
    let held = made.inspect_err(|_failure| tidy())?;
    let fails = |error: IoError| Failure::operation(format!("{}: {error}", place.display()));
    if place.exists() {
        let kept = free_name(place);
        for (old, new) in with_logs(place).iter().zip(with_logs(&kept)).filter(|(old, _)| old.exists()) {
            std::fs::rename(old, new).map_err(fails)?;
        }
        print_line(&format!("{} is kept as {}", place.display(), kept.display()));
    }
    std::fs::rename(&ready, place).map_err(fails)?;
    tidy();
    print_line(&format!("{} is the database now, as {} holds it", place.display(), file.display()));
    Ok(held)
}

/// Copies the backup and holds back what must not happen twice; what is no backup of ours is refused.
async fn make_ready(file: &Path, ready: &Path) -> Result<Vec<(String, Held)>, Failure> {
    let unfit = |why: String| {
        Failure::operation(format!("{} cannot be restored, and nothing was changed: {why}", file.display()))
    };
    Store::copy_file(file, ready).await.map_err(|error| {
        let damaged = error.class() == StoreErrorClass::Corrupt;
        unfit(if damaged { "the copy is damaged, or no database".to_owned() } else { error_chain(&error) })
    })?;
    let store = Store::open(ready, OpenOptions::default()).map_err(|error| unfit(error_chain(&error)))?;
    let status = store.schema_status().await.map_err(|error| unfit(error_chain(&error)))?;
    if status.applied.is_empty() {
        return Err(unfit("it holds no database of Balcão; name a copy that `balcao backup` made".to_owned()));
    }
    hold(store).await
}

/// A name for what is replaced that nothing has yet.
fn free_name(place: &Path) -> PathBuf {
    let stamp = time::now().strftime("%Y%m%dT%H%M%SZ").to_string();
    let names = (1..).map(|round| {
        let again = if round == 1 { String::new() } else { format!("-{round}") };
        beside(place, &format!(".replaced-{stamp}{again}"))
    });
    // There is always another number.
    names.into_iter().find(|name| with_logs(name).iter().all(|one| !one.exists())).unwrap_or_else(|| place.to_owned())
}

fn beside(place: &Path, end: &str) -> PathBuf {
    let mut name = place.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

/// A database, and the two files that SQLite keeps beside it.
fn with_logs(place: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|end| beside(place, end))
}

fn report(held: &[(String, Held)]) {
    for (name, held) in held {
        let Held { messages, conversations, timers, last_known } = held;
        print_line(&format!(
            "{name}: {messages} messages of which nobody knows whether they arrived, {conversations} conversations given to the team, \
             {timers} reminders and follow-ups that were due are not sent"
        ));
        let Some(since) = last_known else { continue };
        print_line(&format!(
            "{name}: what came in after {since} is not in this database, and the channel will not repeat it; look through the \
             business's phone for that time"
        ));
    }
}
