//! Files that hold secrets or what customers sent: their owner's alone.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Makes a file where nothing is yet, which its owner alone reads and writes.
///
/// # Errors
/// What the system said, also that something is there.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
