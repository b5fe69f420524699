//! Files that hold secrets or what customers sent: their owner's alone.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use tempfile::NamedTempFile;

/// Bytes of a file of tokens that is read: thousands of tokens are shorter.
pub(crate) const MOST_BYTES: u64 = 1 << 20;

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

/// Writes a file in the place of the one before, whole or not at all; its owner alone reads it.
///
/// # Errors
/// What the system said.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = NamedTempFile::new_in(folder(path))?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// Reads a file of secrets strictly: a key that stands twice is refused, because another reader might take the other one. The error quotes no
/// value of the file.
///
/// # Errors
/// Why the text is not such a file.
pub(crate) fn read_json<T: serde::de::DeserializeOwned>(bytes: &[u8], what: &str) -> Result<T, String> {
    balcao_json::read_within(bytes, MOST_LEVELS, usize::MAX).map_err(|fault| match fault {
        balcao_json::Fault::Malformed { line, column, .. } => format!("invalid {what} (line {line}, column {column})"),
        other @ (balcao_json::Fault::TooDeep { .. }
        | balcao_json::Fault::TooMany { .. }
        | balcao_json::Fault::TooLarge { .. }
        | balcao_json::Fault::KeyTwice { .. }) => format!("invalid {what}: {other}"),
    })?;
    serde_json::from_slice(bytes).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        format!("invalid {what} (line {line}, column {column}); expected the file that this program wrote")
    })
}

/// Levels of arrays and objects of such a file; this program writes two.
const MOST_LEVELS: usize = 8;

/// Whether others than its owner can read or write a file; a file that is not there is closed.
#[cfg(unix)]
pub(crate) fn is_open(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

/// Systems other than Unix have other rules for who reads a file.
#[cfg(not(unix))]
pub(crate) fn is_open(_path: &Path) -> bool {
    false
}

/// Checks that [`replace`] could write a file there.
///
/// # Errors
/// The path names a folder, or its folder takes no file.
pub(crate) fn check_replace(path: &Path) -> io::Result<()> {
    if path.file_name().is_none() || path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "a folder; expected a file"));
    }
    NamedTempFile::new_in(folder(path)).map(drop)
}

/// Keeps other programs that call this out, until the result is dropped: a file that is read, changed and replaced would lose what
/// another program wrote meanwhile. Only Unix has locks on folders; elsewhere programs are not kept out.
///
/// # Errors
/// What the system said.
#[cfg(feature = "google-calendar")]
pub(crate) fn lock_folder(path: &Path) -> io::Result<Option<File>> {
    if cfg!(not(unix)) {
        return Ok(None);
    }
    let folder = File::open(folder(path))?;
    folder.lock()?;
    Ok(Some(folder))
}

/// The folder of a path; the current one if the path names none.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
