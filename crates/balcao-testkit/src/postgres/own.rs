//! A PostgreSQL of one test, which may be stopped, killed and started again.

use std::net::TcpListener;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use postgres::{Client, NoTls};
use tempfile::TempDir;

use super::programs;

/// How a server is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Sessions are ended, and everything is written.
    Fast,
    /// As if it had crashed: it recovers at the next start.
    Immediate,
}

/// A server on a port of 127.0.0.1, ended with this. Everybody may come in as `postgres`.
#[derive(Debug)]
pub struct OwnServer {
    folder: TempDir,
    programs: PathBuf,
    /// Whether this program runs with root's rights.
    as_root: bool,
    /// Where it listens.
    pub port: u16,
}

impl OwnServer {
    /// Starts a server; `None`, with a message on stderr, if PostgreSQL is not installed. Lines of `settings` go into its configuration;
    /// `files` are laid beside its data, readable for it alone.
    #[must_use]
    pub fn start(settings: &str, files: &[(&str, &str)]) -> Option<Self> {
        match Self::try_start(settings, files) {
            Ok(server) => Some(server),
            Err(error) => {
                crate::skip(&format!("no PostgreSQL of its own for a test ({error})"));
                None
            }
        }
    }

    fn try_start(settings: &str, files: &[(&str, &str)]) -> Result<Self, String> {
        let programs = programs().ok_or("none is installed")?;
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
        let port = listener.local_addr().map_err(|error| error.to_string())?.port();
        drop(listener);
        let as_root = std::fs::metadata(folder.path()).map_err(|error| error.to_string())?.uid() == 0;
        let server = Self { folder, programs, as_root, port };
        let fail = |error: std::io::Error| error.to_string();
        for (name, text) in files {
            std::fs::write(server.folder.path().join(name), text).map_err(fail)?;
        }
        let path = server.folder.path().display().to_string();
        let settings = format!(
            "listen_addresses = '127.0.0.1'\nport = {port}\nunix_socket_directories = '{path}'\nfsync = off\n\
             full_page_writes = off\nmax_connections = 100\n{settings}\n"
        );
        std::fs::write(server.folder.path().join("settings"), settings).map_err(fail)?;
        server.give_away()?;
        server.script(
            "chmod 700 . && for file in *; do chmod 600 \"$file\"; done
             \"$BIN/initdb\" -D data -A trust -U postgres --no-sync -E UTF8 --locale=C >log 2>&1 && cat settings >> data/postgresql.conf",
        )?;
        server.start_again()?;
        Ok(server)
    }

    /// The address of one of its databases.
    #[must_use]
    pub fn url(&self, name: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{name}", self.port)
    }

    /// Where a file that was laid beside its data is.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs statements in one of its databases. Not to be called on a thread that runs async code.
    ///
    /// # Errors
    /// What the server said.
    pub fn run(&self, name: &str, sql: &str) -> Result<(), String> {
        let mut client = Client::connect(&self.url(name), NoTls).map_err(|error| format!("{error:?}"))?;
        client.batch_execute(sql).map_err(|error| format!("{error:?}"))
    }

    /// Stops it.
    ///
    /// # Errors
    /// It did not stop.
    pub fn stop(&self, how: Stop) -> Result<(), String> {
        let mode = match how {
            Stop::Fast => "fast",
            Stop::Immediate => "immediate",
        };
        self.script(&format!("\"$BIN/pg_ctl\" -D data -w -t 300 -m {mode} stop >>log 2>&1"))
    }

    /// Starts it again.
    ///
    /// # Errors
    /// It did not start.
    pub fn start_again(&self) -> Result<(), String> {
        self.script("\"$BIN/pg_ctl\" -D data -w -t 300 -l server.log start >>log 2>&1")
    }

    /// PostgreSQL refuses to run with root's rights: then the folder is the user postgres's.
    fn give_away(&self) -> Result<(), String> {
        if !self.as_root {
            return Ok(());
        }
        let given = Command::new("chown").args(["-R", "postgres"]).arg(self.folder.path()).status();
        if given.is_ok_and(|status| status.success()) {
            Ok(())
        } else {
            Err("the user postgres does not exist".to_owned())
        }
    }

    fn script(&self, script: &str) -> Result<(), String> {
        let mut command = Command::new("env");
        if self.as_root {
            command.args(["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]);
        }
        command.args(["/bin/sh", "-c", script]).current_dir(self.folder.path()).env("BIN", &self.programs);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let status = command.status().map_err(|error| error.to_string())?;
        if status.success() {
            return Ok(());
        }
        let log = |name| std::fs::read_to_string(self.folder.path().join(name)).unwrap_or_default();
        Err(format!("{script}: {status}: {}{}", log("log"), log("server.log")))
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        drop(self.stop(Stop::Immediate));
    }
}
