//! A private PostgreSQL for tests: one server for all test processes of a run, a database of its own for each test.
//!
//! `BALCAO_TEST_POSTGRES_URL` names a server to be used instead; its user must be allowed to create databases. Without it, the installed
//! programs (on the `PATH`, else under `/usr/lib/postgresql`) start a server in the folder for temporary files. It listens on a socket
//! there and writes without `fsync`. It ends itself when no process holds a database and none has asked for one in three minutes.

mod own;

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use balcao_store::{OpenOptions, Store};
use postgres::{Client, NoTls};
use sha2::{Digest, Sha256};

pub use own::{OwnServer, Stop};

const VARIABLE: &str = "BALCAO_TEST_POSTGRES_URL";

/// The oldest version that is supported.
const OLDEST: u32 = 15;

/// A migrated database for one test, dropped with this value.
#[derive(Debug)]
pub struct Database {
    /// Its address, as the program has it: its user owns it, and is held to row-level security.
    pub url: String,
    /// The address of a superuser, for a test that inspects the database.
    pub admin_url: String,
    server: Server,
    name: String,
    /// Held as long as this is: the server does not end under it, however long a test takes.
    _in_use: Option<File>,
}

/// A server, by the address of any of its databases.
#[derive(Debug, Clone)]
struct Server(String);

impl Database {
    /// Creates a database with the current schema; `None`, with a message on stderr, if PostgreSQL is not installed.
    #[must_use]
    pub fn migrated() -> Option<Self> {
        Self::create(true)
    }

    /// Creates a database without any table; `None`, with a message on stderr, if PostgreSQL is not installed.
    #[must_use]
    pub fn empty() -> Option<Self> {
        Self::create(false)
    }

    fn create(migrated: bool) -> Option<Self> {
        // The client cannot run on a thread that runs async code.
        match apart(move || create(migrated)) {
            Ok(database) => Some(database),
            Err(error) => {
                crate::skip(&format!(
                    "no PostgreSQL for the tests ({error}); install it (apt-get install postgresql), or set \
                     {VARIABLE}=postgres://user:password@host/postgres"
                ));
                None
            }
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let (server, name) = (self.server.clone(), self.name.clone());
        // What is left of a private server goes with it.
        drop(apart(move || server.run(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))));
    }
}

fn apart<T: Send + 'static>(work: impl FnOnce() -> Result<T, String> + Send + 'static) -> Result<T, String> {
    std::thread::spawn(work).join().unwrap_or_else(|_panic| Err("the helper panicked".to_owned()))
}

static NUMBER: AtomicU32 = AtomicU32::new(0);

fn create(migrated: bool) -> Result<Database, String> {
    let place = Place::of_this_checkout()?;
    let lock = place.lock()?;
    let (server, in_use) = match std::env::var_os(VARIABLE) {
        Some(url) => (Server(url.into_string().map_err(|_url| format!("invalid {VARIABLE}; expected UTF-8"))?), None),
        None => (place.server()?, Some(place.in_use()?)),
    };
    let name = format!("balcao_test_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    server.run(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))?;
    server.run(ROLE)?;
    let template = if migrated { server.template()? } else { "template0".to_owned() };
    server.run(&format!("CREATE DATABASE {name} TEMPLATE {template} OWNER balcao_app"))?;
    drop(lock);
    Ok(Database { url: server.app_url(&name), admin_url: server.url(&name), server, name, _in_use: in_use })
}

/// Creates the user of the program in tests. It is not a superuser, so that row-level security applies to it.
const ROLE: &str = "DO $$ BEGIN
    CREATE ROLE balcao_app LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD 'balcao';
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$";

impl Server {
    /// The same for the program's user.
    fn app_url(&self, name: &str) -> String {
        let url = self.url(name);
        let (scheme, rest) = url.split_once("://").unwrap_or(("postgres", &url));
        let host = rest.split_once('@').map_or(rest, |(_user, host)| host);
        format!("{scheme}://balcao_app:balcao@{host}")
    }

    /// The address of one of its databases.
    fn url(&self, name: &str) -> String {
        let (scheme, rest) = self.0.split_once("://").unwrap_or(("postgres", &self.0));
        let (before, query) = rest.split_once('?').unwrap_or((rest, ""));
        let host = before.split_once('/').map_or(before, |(host, _name)| host);
        let query = if query.is_empty() { String::new() } else { format!("?{query}") };
        format!("{scheme}://{host}/{name}{query}")
    }

    fn client(&self) -> Result<Client, String> {
        Client::connect(&self.0, NoTls).map_err(|error| format!("cannot connect: {error}"))
    }

    fn run(&self, sql: &str) -> Result<(), String> {
        self.client()?.batch_execute(sql).map_err(|error| format!("{sql}: {error:?}"))
    }

    /// The name of a migrated database to copy; it is made if there is none of the migrations as they are now.
    fn template(&self) -> Result<String, String> {
        let name = format!("balcao_template_app_{}", fingerprint()?);
        let found = self
            .client()?
            .query_opt("SELECT 1 FROM pg_database WHERE datname = $1", &[&name])
            .map_err(|error| error.to_string())?;
        if found.is_none() {
            let unfinished = format!("{name}_unfinished");
            self.run(&format!("DROP DATABASE IF EXISTS {unfinished} WITH (FORCE)"))?;
            self.run(&format!("CREATE DATABASE {unfinished} TEMPLATE template0 OWNER balcao_app"))?;
            let store =
                Store::connect(&self.app_url(&unfinished), OpenOptions { readers: 1, ..OpenOptions::default() })
                    .map_err(|error| format!("{error}: {error:?}"))?;
            let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(|error| error.to_string())?;
            runtime.block_on(store.migrate()).map_err(|error| format!("{error}: {error:?}"))?;
            drop(store);
            self.run(&format!("ALTER DATABASE {unfinished} RENAME TO {name}"))?;
        }
        Ok(name)
    }
}

/// What the migrations are now, so that a template of others is not taken for theirs.
fn fingerprint() -> Result<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../balcao-store/migrations/postgres");
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let mut digest = Sha256::new();
    for file in files {
        digest.update(std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?);
    }
    Ok(hexadecimal(&digest.finalize()))
}

fn hexadecimal(digest: &[u8]) -> String {
    digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

/// Where a private server lives.
struct Place {
    folder: PathBuf,
    lock: PathBuf,
}

impl Place {
    fn of_this_checkout() -> Result<Self, String> {
        let checkout = hexadecimal(&Sha256::digest(env!("CARGO_MANIFEST_DIR")));
        let folder = std::env::temp_dir().join(format!("balcao-postgres-{checkout}"));
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Self { lock: folder.with_extension("lock"), folder })
    }

    /// Takes the lock for starting the server, for creating a database or for ending the server.
    fn lock(&self) -> Result<File, String> {
        let file = File::create(&self.lock).map_err(|error| format!("{}: {error}", self.lock.display()))?;
        file.lock().map_err(|error| format!("{}: {error}", self.lock.display()))?;
        Ok(file)
    }

    /// Takes a shared lock while this process uses a database. The death of the process releases the lock.
    fn in_use(&self) -> Result<File, String> {
        let path = self.folder.join("in-use");
        let file = File::create(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        file.lock_shared().map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(file)
    }

    fn server(&self) -> Result<Server, String> {
        let host = self.folder.display().to_string().replace('/', "%2F");
        let server = Server(format!("postgres://postgres@{host}/postgres"));
        // The process that ends the server reads the age of this file.
        let used = self.folder.join("used");
        std::fs::write(&used, "").map_err(|error| format!("{}: {error}", used.display()))?;
        if server.client().is_ok() {
            return Ok(server);
        }
        let programs = programs().ok_or_else(|| format!("no PostgreSQL {OLDEST} or later is installed"))?;
        let start = self.script(&["/bin/sh"], &programs, START)?.status();
        if !start.is_ok_and(|status| status.success()) {
            let log = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
            return Err(format!("the server did not start: {log}"));
        }
        self.script(&["setsid", "/bin/sh"], &programs, WATCH)?.spawn().map_err(|error| format!("setsid: {error}"))?;
        server.client().map(|_client| server)
    }

    /// A script that runs with the rights of the user `postgres` if ours are root's: PostgreSQL refuses those.
    fn script(&self, shell: &[&str], programs: &Path, script: &str) -> Result<Command, String> {
        let owner = std::fs::metadata(&self.lock).map_err(|error| error.to_string())?.uid();
        let mut words: Vec<&str> = Vec::new();
        if owner == 0 {
            let chown = Command::new("chown").arg("postgres").arg(&self.folder).status();
            if !chown.is_ok_and(|status| status.success()) {
                return Err("the user postgres does not exist, and root may not run it".to_owned());
            }
            words.extend(["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]);
        }
        words.extend(shell);
        let mut command = Command::new("env");
        command.args(words).arg("-c").arg(script);
        command.current_dir(&self.folder).env("BIN", programs).env("LOCK", &self.lock).env("FOLDER", &self.folder);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(command)
    }
}

const START: &str = r#"
rm -rf data
"$BIN/initdb" -D data -A trust -U postgres --no-sync -E UTF8 --locale=C >log 2>&1 || exit 1
"$BIN/pg_ctl" -D data -w -t 300 -l server.log start >>log 2>&1 -o "-c listen_addresses='' \
    -c unix_socket_directories='$FOLDER' -c fsync=off -c full_page_writes=off -c max_connections=300"
"#;

const WATCH: &str = r#"
while sleep 10; do
    exec 9<"$LOCK"
    flock 9
    if flock --nonblock in-use true && [ -z "$(find used -mmin -3)" ]; then
        "$BIN/pg_ctl" -D data -m immediate stop
        rm -rf data
        exit
    fi
    exec 9<&-
done
"#;

/// The folder of the newest PostgreSQL that is installed.
fn programs() -> Option<PathBuf> {
    let on_path: Vec<PathBuf> =
        std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
    let packaged = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let packaged = packaged.filter_map(|entry| Some(entry.ok()?.path().join("bin")));
    let folders = on_path.into_iter().chain(packaged);
    let complete =
        folders.filter(|folder| ["initdb", "pg_ctl", "postgres"].iter().all(|one| folder.join(one).exists()));
    complete.filter_map(|folder| Some((version(&folder)?, folder))).max().map(|(_version, folder)| folder)
}

fn version(folder: &Path) -> Option<u32> {
    let output = Command::new(folder.join("postgres")).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let number = text.split_whitespace().nth(2)?.split(|character: char| !character.is_ascii_digit()).next()?;
    number.parse().ok().filter(|number| *number >= OLDEST)
}
