//! Whether a database can be trusted with what is acknowledged: what its server is set to, where its file lies, and who else
//! serves from it.

use std::fs::{File, OpenOptions as FileOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::values;

/// Why acknowledged work could be lost on a database, or wrong be read from it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DurabilityError {
    /// The server may lose what it has confirmed when the machine stops.
    #[error("the server runs with {setting}=off: what it confirms is lost if its machine stops; set it to on")]
    NotDurable {
        /// The setting.
        setting: &'static str,
    },
    /// The server only reads.
    #[error("the server is a standby, which only reads; give the address of the primary")]
    Standby,
    /// The file has another name, under which another program would keep another log for it.
    #[error(
        "{} has {links} names (hard links), each of which gets a log of its own: what is written under one is lost under the \
         other; remove the others, or copy the file with `sqlite3 … .backup`", path.display()
    )]
    SeveralNames {
        /// The file.
        path: PathBuf,
        /// How many names it has.
        links: u64,
    },
    /// The file is on a file system whose locks cannot be trusted (F-83).
    #[error(
        "{} is on {kind}: locks do not work there as SQLite needs them, and the file can be damaged; put it on a disk of this \
         machine, or use PostgreSQL", path.display()
    )]
    NetworkFileSystem {
        /// The file.
        path: PathBuf,
        /// What kind of file system it is.
        kind: &'static str,
    },
}

/// What is wrong with a server's settings.
pub(crate) fn of_server(tx: &mut Tx<'_>) -> Result<Vec<DurabilityError>, StoreError> {
    let mut found = Vec::new();
    for setting in ["fsync", "full_page_writes"] {
        let off = tx.query_one("SELECT current_setting(?1) = 'off'", values![setting], |row| row.get::<bool>(0))?;
        found.extend(off.then_some(DurabilityError::NotDurable { setting }));
    }
    let standby = tx.query_one("SELECT pg_is_in_recovery()", &[], |row| row.get::<bool>(0))?;
    found.extend(standby.then_some(DurabilityError::Standby));
    Ok(found)
}

/// What is wrong with the place of a file.
pub(crate) fn of_place(path: &Path) -> Vec<DurabilityError> {
    let links = names(path);
    let several = (links > 1).then(|| DurabilityError::SeveralNames { path: path.to_owned(), links });
    let kind = file_system(path).and_then(network_file_system);
    let network = kind.map(|kind| DurabilityError::NetworkFileSystem { path: path.to_owned(), kind });
    several.into_iter().chain(network).collect()
}

/// How many names a file has.
#[cfg(unix)]
fn names(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).map_or(1, |found| found.nlink())
}

#[cfg(not(unix))]
fn names(_path: &Path) -> u64 {
    1
}

/// Returns the kernel's number of the file system of a path; `None` if the kernel does not report it.
#[cfg(target_os = "linux")]
fn file_system(path: &Path) -> Option<u32> {
    let status = rustix::fs::statfs(path).ok()?;
    // The numbers are 32 bits wide, whatever the platform's type.
    status.f_type.to_le_bytes().first_chunk().copied().map(u32::from_le_bytes)
}

#[cfg(not(target_os = "linux"))]
fn file_system(_path: &Path) -> Option<u32> {
    None
}

/// The share of a path's disk that this user may still fill, in hundredths.
#[cfg(unix)]
pub(crate) fn free_disk(path: &Path) -> Option<u8> {
    let disk = rustix::fs::statvfs(path).ok()?;
    // The total excludes the blocks that the file system reserves for other users.
    let usable = disk.f_blocks.saturating_sub(disk.f_bfree.saturating_sub(disk.f_bavail));
    u8::try_from(u128::from(disk.f_bavail).saturating_mul(100).checked_div(u128::from(usable))?).ok()
}

#[cfg(not(unix))]
pub(crate) fn free_disk(_path: &Path) -> Option<u8> {
    None
}

/// Creates an empty file that only its owner may read and write. SQLite gives its other files the same rights. An existing file keeps its
/// rights, because its owner chose them.
pub(crate) fn make_private(path: &Path) {
    let mut options = FileOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // The next call that opens this path reports an obstacle, so this function ignores it.
    drop(options.open(path));
}

/// Whether every user of the machine may read a database's file.
#[cfg(unix)]
pub(crate) fn is_readable_by_all(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o004 != 0)
}

#[cfg(not(unix))]
pub(crate) fn is_readable_by_all(_path: &Path) -> bool {
    false
}

/// The name of a network file system, by the number that `statfs(2)` has for it.
const fn network_file_system(kind: u32) -> Option<&'static str> {
    Some(match kind {
        0x6969 => "NFS",
        0x517b => "SMB",
        0xff53_4d42 => "CIFS",
        0xfe53_4d42 => "SMB2",
        0x5346_414f | 0x6b41_4653 => "AFS",
        0x7375_7245 => "Coda",
        0x00c3_6400 => "Ceph",
        0x0bd0_0bd0 => "Lustre",
        0x0102_1997 => "9P",
        0x564c => "NCP",
        _ => return None,
    })
}

/// Reads the whole file and gives what is damaged in it; `thorough` holds indexes against their tables, too.
pub(crate) fn damages(tx: &mut Tx<'_>, thorough: bool) -> Result<Vec<String>, StoreError> {
    if tx.is_postgres() {
        return Ok(Vec::new());
    }
    tx.disable_timeout()?;
    let sql = if thorough { "PRAGMA integrity_check(5)" } else { "PRAGMA quick_check(5)" };
    let said = tx.query_all(sql, &[], |row| row.get::<String>(0))?;
    Ok(said.into_iter().filter(|line| line != "ok").collect())
}

/// That no other program serves from a file, for as long as this lives (F-81). The lock is the operating system's: it ends with
/// the process, however that ends. Beside the lock stands when a server was last at work, which a backup put in the file's place
/// does not know of (F-82).
#[derive(Debug)]
pub struct ExclusiveLock {
    lock: File,
    last_served: Option<Timestamp>,
}

impl ExclusiveLock {
    /// Takes the lock of the file at `path`, be it damaged or missing.
    ///
    /// # Errors
    /// [`StoreError::ServedAlready`].
    pub fn of_file(path: &Path) -> Result<Self, StoreError> {
        serve_alone(path)
    }

    /// When a server was last at work on the file of this name, as it noted beside the file; `None` if none did.
    #[must_use]
    pub const fn last_served(&self) -> Option<Timestamp> {
        self.last_served
    }

    /// Notes that a server is at work. What is noted in the database must not be older.
    ///
    /// # Errors
    /// What the operating system said.
    pub fn mark(&mut self, now: Timestamp) -> std::io::Result<()> {
        note(&mut self.lock, Some(now))?;
        self.last_served = Some(now);
        Ok(())
    }
}

/// Takes the lock beside the file at `path`.
pub(crate) fn serve_alone(path: &Path) -> Result<ExclusiveLock, StoreError> {
    // By whichever link it is reached, it is one file.
    let path = &std::fs::canonicalize(path).unwrap_or_else(|_gone| path.to_owned());
    let mut name = path.as_os_str().to_owned();
    name.push("-serving");
    let beside = PathBuf::from(name);
    let cannot = |_| StoreError::ReadOnly { what: beside.display().to_string() };
    let mut options = FileOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut lock = options.read(true).write(true).create(true).truncate(false).open(&beside).map_err(cannot)?;
    let mut noted = String::new();
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            // The error shows the process number to the operator; the lock works without it.
            drop(lock.read_to_string(&mut noted));
            let process = noted.lines().next().unwrap_or_default().trim().to_owned();
            return Err(StoreError::ServedAlready { path: path.to_owned(), process });
        }
        Err(TryLockError::Error(error)) => return Err(cannot(error)),
    }
    // If the text does not parse, the file holds no note of this program, and `last_served` stays `None`.
    drop(lock.read_to_string(&mut noted));
    let micros = noted.lines().nth(1).and_then(|line| line.trim().parse().ok());
    let last_served = micros.and_then(|micros| Timestamp::from_microsecond(micros).ok());
    note(&mut lock, last_served).map_err(cannot)?;
    Ok(ExclusiveLock { lock, last_served })
}

/// Writes the process number and the instant of its last work over the old note. One write sends lines of fixed width, because a process
/// that failed to get the lock may read the note at this moment.
fn note(lock: &mut File, last_served: Option<Timestamp>) -> std::io::Result<()> {
    let at = last_served.map(|at| at.as_microsecond().to_string()).unwrap_or_default();
    let lines = format!("{:<10}\n{at:<20}\n", std::process::id());
    lock.rewind()?;
    lock.write_all(lines.as_bytes())?;
    lock.set_len(u64::try_from(lines.len()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::network_file_system;

    #[test]
    fn f_83_file_systems_of_the_network_are_told_from_a_machines_own() {
        for (kind, name) in [(0x6969, "NFS"), (0xfe53_4d42, "SMB2"), (0x0102_1997, "9P")] {
            assert_eq!(network_file_system(kind), Some(name));
        }
        // ext4, xfs, btrfs, overlay, tmpfs, zfs, f2fs.
        for kind in [0xef53, 0x5846_5342, 0x9123_683e, 0x794c_7630, 0x0102_1994, 0x2fc1_2fc1, 0xf2f5_2010] {
            assert_eq!(network_file_system(kind), None, "{kind:x}");
        }
    }
}
