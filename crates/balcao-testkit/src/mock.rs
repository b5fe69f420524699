//! A mock of somebody's own OpenAPI document that refuses what the document does not allow: Prism.

use std::{
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A document of the material beside the repository; whether it is there is another question.
#[must_use]
pub fn material(name: &str) -> PathBuf {
    root().join("../shared/material").join(name)
}

/// A running mock, killed when it is dropped.
#[derive(Debug)]
pub struct ValidatingMock {
    child: Child,
    url: String,
}

impl ValidatingMock {
    /// Starts it over a document. `None`, said aloud, where that or Prism is missing:
    /// `npm install --prefix target/prism @stoplight/prism-cli@5` in the repository's root brings it.
    ///
    /// # Panics
    /// If it does not listen within a minute.
    #[must_use]
    pub fn over(document: &Path) -> Option<Self> {
        let program = root().join("target/prism/node_modules/@stoplight/prism-cli/dist/index.js");
        if !program.exists() || !document.exists() {
            eprintln!("no second opinion: {} or {} is missing", program.display(), document.display());
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new("node");
        command.arg(program).args(["mock", "-p", &port.to_string()]).arg(document);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let mock = Self { child, url: format!("http://127.0.0.1:{port}") };
        let deadline = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < deadline, "the mock did not start");
            std::thread::park_timeout(Duration::from_millis(50));
        }
        Some(mock)
    }

    /// Where it listens, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for ValidatingMock {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
