//! Hashes by which secrets and files are known.

use sha2::{Digest as _, Sha256};

/// The SHA-256 of bytes, in 64 lower-case hexadecimal digits.
pub(crate) fn sha256_hex(bytes: impl AsRef<[u8]>) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
