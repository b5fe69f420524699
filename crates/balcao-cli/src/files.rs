//! Files that a person names.

use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use crate::output::Failure;

/// Reads a text.
///
/// # Errors
/// Wrong usage, with the name of the file and why it cannot be read.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| Failure::usage(format!("{}: {}", path.display(), reason(&error))))
}

/// Writes a text; over a file that is there only if that is `forced`.
///
/// # Errors
/// Nothing was written, with the name of the file and why.
pub(crate) fn write_text(path: &Path, text: &str, forced: bool) -> Result<(), Failure> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).truncate(true).create(true).create_new(!forced);
    let written = options.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| {
        let name = path.display();
        Failure::operation(if error.kind() == ErrorKind::AlreadyExists {
            format!("nothing was written: {name} is there already; expected another file, or --force to write over it")
        } else {
            format!("{name}: {}", reason(&error))
        })
    })
}

/// Says why a file cannot be read or written, in the words of this program instead of the system's.
pub(crate) fn reason(error: &io::Error) -> String {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are rare, and named well enough by the system")]
    match error.kind() {
        ErrorKind::NotFound => "not found; expected a file that exists".to_owned(),
        ErrorKind::PermissionDenied => "access denied; expected a file that this user may use".to_owned(),
        ErrorKind::IsADirectory => "a folder; expected a file".to_owned(),
        ErrorKind::InvalidData => "not UTF-8; save the file as UTF-8".to_owned(),
        ErrorKind::StorageFull => "the disk is full".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_read_is_named_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let told = |path: &Path| read_text(path).unwrap_err().message().to_owned();
        assert!(told(&folder.path().join("no.md")).ends_with("no.md: not found; expected a file that exists"));
        assert!(told(folder.path()).ends_with("a folder; expected a file"));
        let latin = folder.path().join("latin.csv");
        std::fs::write(&latin, b"t\xedtulo;conte\xfado").unwrap();
        assert!(told(&latin).ends_with("not UTF-8; save the file as UTF-8"));
    }
}
