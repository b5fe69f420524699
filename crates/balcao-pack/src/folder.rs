//! Files of a pack: those in its folder, of a sensible size, and no others.

use std::{
    fs::File,
    io::{self, Read},
    path::{Component, Path, PathBuf},
};

/// Largest file of a pack that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// A pack's folder.
#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
}

/// Why a file of a pack is not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    /// An absolute path, or one with `..` or a drive in it.
    #[error("the path leads out of the pack's folder")]
    Outside,
    /// A symbolic link may lead anywhere, now or later.
    #[error("it is, or lies behind, a symbolic link")]
    Symlink,
    /// A folder, a device, a pipe.
    #[error("it is not a file")]
    NotAFile,
    /// Larger than any helper.
    #[error("the file is larger than {MAX_BYTES} bytes")]
    TooLarge,
    /// Not there, not readable, not UTF-8.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl Folder {
    pub(crate) fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// The text of the file at `path`, which is written with `/`.
    pub(crate) fn read(&self, path: &str) -> Result<String, FileError> {
        let mut at = self.root.clone();
        for component in Path::new(path).components() {
            match component {
                Component::Normal(name) => at.push(name),
                Component::CurDir => continue,
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(FileError::Outside),
            }
            if at.symlink_metadata()?.file_type().is_symlink() {
                return Err(FileError::Symlink);
            }
        }
        if path.contains('\\') {
            return Err(FileError::Outside);
        }
        if !at.symlink_metadata()?.is_file() {
            return Err(FileError::NotAFile);
        }
        let mut text = String::new();
        File::open(&at)?.take(MAX_BYTES + 1).read_to_string(&mut text)?;
        if u64::try_from(text.len()).is_ok_and(|length| length > MAX_BYTES) {
            return Err(FileError::TooLarge);
        }
        Ok(text)
    }
}
