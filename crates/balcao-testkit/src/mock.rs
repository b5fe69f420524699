//! A mock of an OpenAPI document, run by Prism. It refuses what the document does not allow.

use std::{
    io,
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use crate::wait;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The path of a document in `../shared/material`. The document may be missing.
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
    /// # Errors
    /// If it cannot be started.
    ///
    /// # Panics
    /// If it never listens.
    #[track_caller]
    pub fn over(document: &Path) -> io::Result<Option<Self>> {
        let program = root().join("target/prism/node_modules/@stoplight/prism-cli/dist/index.js");
        if !program.exists() || !document.exists() {
            crate::skip(&format!(
                "no second opinion, because {} or {} is missing",
                program.display(),
                document.display()
            ));
            return Ok(None);
        }
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut command = Command::new("node");
        command.arg(program).args(["mock", "-p", &port.to_string()]).arg(document);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let mock = Self { child, url: format!("http://127.0.0.1:{port}") };
        wait::until("the mock listens", || TcpStream::connect(("127.0.0.1", port)).ok());
        Ok(Some(mock))
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
