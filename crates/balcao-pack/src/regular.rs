//! Regular files of a bounded size. A read of a pipe or a device might never end, and another user may change the target of a link.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// Reads a file that is not a link.
///
/// # Errors
/// If it cannot be read, is a link, a pipe, a device or a folder, or holds more than `max_bytes`.
pub fn read_regular(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    read(open(path).map_err(explain_link)?, max_bytes)
}

/// Reads a file that the operator names, by a link if they like: systems that mount configuration do it by links.
///
/// # Errors
/// If it cannot be read, leads to no regular file, or holds more than `max_bytes`.
pub fn read_named(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    read(open_with(path, 0)?, max_bytes)
}

fn read(file: File, max_bytes: u64) -> io::Result<Vec<u8>> {
    // Judged by what was opened: the path may lead elsewhere by now.
    if !file.metadata()?.is_file() {
        return Err(irregular());
    }
    let mut bytes = Vec::new();
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length <= max_bytes) {
        return Ok(bytes);
    }
    Err(io::Error::other(format!("invalid file; expected one of at most {max_bytes} bytes")))
}

fn irregular() -> io::Error {
    io::Error::other("invalid file; expected a regular one, not a link, a pipe, a device or a folder")
}

/// "Too many levels of symbolic links" is what a system says of one that it was not to follow.
#[cfg(unix)]
fn explain_link(error: io::Error) -> io::Error {
    if error.raw_os_error() == Some(libc::ELOOP) { irregular() } else { error }
}

#[cfg(not(unix))]
fn explain_link(error: io::Error) -> io::Error {
    error
}

/// Opens a file without following a link, and without waiting for a writer if the file is a pipe.
#[cfg(unix)]
pub(crate) fn open(path: &Path) -> io::Result<File> {
    open_with(path, libc::O_NOFOLLOW)
}

#[cfg(not(unix))]
pub(crate) fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(unix)]
fn open_with(path: &Path, flags: i32) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    File::options().read(true).custom_flags(flags | libc::O_NONBLOCK).open(path)
}

#[cfg(not(unix))]
fn open_with(path: &Path, _flags: i32) -> io::Result<File> {
    File::open(path)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use tempfile::tempdir;

    use super::*;

    #[test]
    fn a_file_is_regular_bounded_and_reached_by_no_link() {
        let folder = tempdir().unwrap();
        let (file, link, at) = (folder.path().join("file"), folder.path().join("link"), folder.path());
        std::fs::write(&file, "text").unwrap();
        symlink(&file, &link).unwrap();
        assert_eq!(read_regular(&file, 4).unwrap(), b"text");
        assert_eq!(read_named(&link, 4).unwrap(), b"text");
        assert!(read_regular(&link, 4).unwrap_err().to_string().contains("a regular one"));
        for read in [read_regular, read_named] {
            assert!(read(&file, 3).unwrap_err().to_string().contains("at most 3 bytes"));
            assert!(read(at, 4).unwrap_err().to_string().contains("a regular one"));
            assert!(read(Path::new("/dev/zero"), 4).unwrap_err().to_string().contains("a regular one"));
        }
    }
}
