//! Files of a pack: those in its folder, of a sensible size, and no others.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    fs::FileType,
    io::{self, Read},
    path::{Component, Path, PathBuf},
};

use sha2::{Digest, Sha256};

use crate::regular::open;

/// Largest file of a pack that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Most files of one folder of a pack.
const MAX_FILES: usize = 1_000;
/// Entries of one folder that are looked at, with those that are no files of a pack.
const MAX_ENTRIES: usize = 2 * MAX_FILES;

/// Most bytes of all files of a pack together.
const MAX_PACK_BYTES: u64 = 16 << 20;

/// Most files, and most bytes of them, in a folder with a program.
const MAX_PROGRAM_FILES: usize = 2_000;
const MAX_PROGRAM_BYTES: u64 = 64 << 20;

/// A pack's folder.
#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
    /// The files that were read, and their bytes.
    read: RefCell<BTreeMap<PathBuf, u64>>,
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
    /// All files that were read, together.
    #[error("with it, the files of the pack are larger than {} MiB together", most >> 20)]
    PackTooLarge {
        /// Bytes that they may have.
        most: u64,
    },
    /// More files than anybody writes.
    #[error("there are more than {most} files")]
    TooMany {
        /// So many there may be.
        most: usize,
    },
    /// Bytes that are no text.
    #[error("the file is not text in UTF-8")]
    NotUtf8,
    /// Not there, not readable.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl Folder {
    pub(crate) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), read: RefCell::default() }
    }

    /// The files of a folder, by their paths from the root, in order; and what is in it that is none of ours. A folder that is not there
    /// has no files.
    pub(crate) fn files(&self, name: &str) -> (Vec<String>, Vec<(String, FileError)>) {
        let (mut files, mut refused) = (Vec::new(), Vec::new());
        let Ok(entries) = self.list(name, &mut refused) else { return (files, refused) };
        for (path, kind) in entries {
            if kind.is_file() {
                files.push(path);
            } else if kind.is_symlink() {
                refused.push((path, FileError::Symlink));
            } else if !kind.is_dir() {
                refused.push((path, FileError::NotAFile));
            }
        }
        if files.len() > MAX_FILES && !refused.iter().any(|(_, error)| matches!(error, FileError::TooMany { .. })) {
            refused.push((name.to_owned(), FileError::TooMany { most: MAX_FILES }));
            files.truncate(MAX_FILES);
        }
        files.sort();
        (files, refused)
    }

    /// The names of the folders in a folder.
    pub(crate) fn folders(&self, name: &str) -> io::Result<Vec<String>> {
        let entries = self.list(name, &mut Vec::new())?;
        let folders = entries.into_iter().filter(|(_, kind)| kind.is_dir());
        Ok(folders.filter_map(|(path, _)| path.rsplit('/').next().map(str::to_owned)).collect())
    }

    fn list(&self, name: &str, refused: &mut Vec<(String, FileError)>) -> io::Result<Vec<(String, FileType)>> {
        let mut at = self.root.clone();
        for step in name.split('/') {
            at.push(step);
            if at.symlink_metadata()?.file_type().is_symlink() {
                refused.push((name.to_owned(), FileError::Symlink));
                return Ok(Vec::new());
            }
        }
        let mut entries = Vec::new();
        for (number, entry) in at.read_dir()?.enumerate() {
            if number == MAX_ENTRIES {
                // Whatever stands behind them would be left out in silence.
                refused.push((name.to_owned(), FileError::TooMany { most: MAX_FILES }));
                break;
            }
            let entry = entry?;
            let Some(own) = entry.file_name().to_str().map(str::to_owned) else { continue };
            // Editors leave such files behind.
            if !own.starts_with('.') && !own.ends_with('~') {
                entries.push((format!("{name}/{own}"), entry.file_type()?));
            }
        }
        Ok(entries)
    }

    /// The hash of every file of the folder, by its path from here: what a program of the pack may run or read.
    ///
    /// # Errors
    /// If there is a link or a device among them, or more than can be looked at: what cannot be seen might change unseen.
    pub(crate) fn hashes(&self) -> Result<BTreeMap<String, String>, (String, FileError)> {
        let (mut found, mut waiting, mut length) = (BTreeMap::new(), vec![self.root.clone()], 0_u64);
        while let Some(at) = waiting.pop() {
            let name = |path: &Path| path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().into_owned();
            let failed = |error: io::Error| (name(&at), FileError::Io(error));
            for entry in at.read_dir().map_err(failed)? {
                let path = entry.map_err(failed)?.path();
                let kind = path.symlink_metadata().map_err(failed)?;
                if kind.is_dir() {
                    waiting.push(path);
                    continue;
                }
                let refused = |error| (name(&path), error);
                if kind.is_symlink() {
                    return Err(refused(FileError::Symlink));
                }
                if !kind.is_file() {
                    return Err(refused(FileError::NotAFile));
                }
                length = length.saturating_add(kind.len());
                if length > MAX_PROGRAM_BYTES {
                    return Err(refused(FileError::PackTooLarge { most: MAX_PROGRAM_BYTES }));
                }
                if found.len() >= MAX_PROGRAM_FILES {
                    return Err(refused(FileError::TooMany { most: MAX_PROGRAM_FILES }));
                }
                let (mut hash, mut part) = (Sha256::new(), [0; 16 << 10]);
                let mut file = open(&path).map_err(failed)?.take(MAX_PROGRAM_BYTES);
                loop {
                    let read = file.read(&mut part).map_err(failed)?;
                    let Some(read) = part.get(..read).filter(|read| !read.is_empty()) else { break };
                    hash.update(read);
                }
                let digits = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
                found.insert(name(&path), digits);
            }
        }
        Ok(found)
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
        let mut bytes = Vec::new();
        let file = open(&at)?;
        // Between the look and the opening it may have become something else.
        if !file.metadata()?.is_file() {
            return Err(FileError::NotAFile);
        }
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if length > MAX_BYTES {
            return Err(FileError::TooLarge);
        }
        let mut read = self.read.borrow_mut();
        read.insert(at, length);
        if read.values().sum::<u64>() > MAX_PACK_BYTES {
            return Err(FileError::PackTooLarge { most: MAX_PACK_BYTES });
        }
        String::from_utf8(bytes).map_err(|_not_text| FileError::NotUtf8)
    }
}
