//! Whether a request comes from Meta: `X-Hub-Signature-256` over the raw bytes.
//!
//! Verify before anything is parsed, and answer 401 with nothing stored if it fails. The bytes must be those of the
//! network: JSON that is written again has another signature.

use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;

/// The header's name.
pub const HEADER: &str = "X-Hub-Signature-256";

/// The app secrets that signatures may be made with.
#[derive(Debug, Clone)]
pub struct AppSecrets {
    current: SecretString,
    previous: Option<(SecretString, Timestamp)>,
}

/// Which secret a signature was made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignedWith {
    /// The secret in use.
    Current,
    /// The one before, which still holds for a while: worth a line in the log.
    Previous,
}

/// Why a request is not Meta's. All of them mean 401; which one it was is for the log alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// There is no signature.
    #[error("no X-Hub-Signature-256 header")]
    Missing,
    /// There are several.
    #[error("several X-Hub-Signature-256 headers")]
    Several,
    /// It is not `sha256=` and 64 lower-case hexadecimal digits.
    #[error("X-Hub-Signature-256 is not `sha256=` and 64 lower-case hexadecimal digits")]
    Malformed,
    /// It is of other bytes, or made with another secret.
    #[error("the signature does not match: the app secret differs, or the body was changed on its way")]
    Mismatch,
}

/// An app secret is empty: anybody could sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the app secret is empty: copy it from the app's basic settings")]
pub struct EmptySecret;

impl AppSecrets {
    /// One secret.
    ///
    /// # Errors
    /// [`EmptySecret`].
    pub fn new(current: SecretString) -> Result<Self, EmptySecret> {
        if current.expose_secret().trim().is_empty() { Err(EmptySecret) } else { Ok(Self { current, previous: None }) }
    }

    /// This secret, and besides the previous one until an instant. A day is enough to change them over.
    ///
    /// # Errors
    /// [`EmptySecret`].
    pub fn with_previous(self, previous: SecretString, until: Timestamp) -> Result<Self, EmptySecret> {
        let Self { current: previous, .. } = Self::new(previous)?;
        Ok(Self { previous: Some((previous, until)), ..self })
    }

    /// The secret in use.
    #[must_use]
    pub const fn current(&self) -> &SecretString {
        &self.current
    }

    /// Whether `body`, as it came, was signed with one of the secrets. `headers` are all values of [`HEADER`]. The time
    /// taken tells nothing about the right signature.
    ///
    /// # Errors
    /// [`SignatureError`]: answer 401 and store nothing.
    pub fn verify<'a>(
        &self,
        headers: impl IntoIterator<Item = &'a [u8]>,
        body: &[u8],
        now: Timestamp,
    ) -> Result<SignedWith, SignatureError> {
        let Claim(claimed) = claim(headers)?;
        if matches(&self.current, body, &claimed) {
            return Ok(SignedWith::Current);
        }
        match &self.previous {
            Some((secret, until)) if now < *until && matches(secret, body, &claimed) => Ok(SignedWith::Previous),
            Some(_) | None => Err(SignatureError::Mismatch),
        }
    }
}

/// What a request says that its signature is. Whether it holds, only [`AppSecrets::verify`] knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim([u8; 32]);

/// Whether a request shows one signature of the right form, so that one that does not is refused before its body is waited for.
/// `headers` are all values of [`HEADER`].
///
/// # Errors
/// [`SignatureError`], never [`SignatureError::Mismatch`]: answer 401 and read nothing.
pub fn claim<'a>(headers: impl IntoIterator<Item = &'a [u8]>) -> Result<Claim, SignatureError> {
    let mut headers = headers.into_iter();
    let header = headers.next().ok_or(SignatureError::Missing)?;
    if headers.next().is_some() {
        return Err(SignatureError::Several);
    }
    read(header).map(Claim).ok_or(SignatureError::Malformed)
}

/// In constant time. HMAC takes keys of any length, so a key cannot be refused.
fn matches(secret: &SecretString, body: &[u8], claimed: &[u8; 32]) -> bool {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.expose_secret().as_bytes()) else { return false };
    mac.update(body);
    mac.verify_slice(claimed).is_ok()
}

/// The bytes of `sha256=<64 lower-case hexadecimal digits>`.
fn read(header: &[u8]) -> Option<[u8; 32]> {
    let digits = header.strip_prefix(b"sha256=")?;
    let mut bytes = [0; 32];
    if digits.len() != 64 {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = match pair {
            [high, low] => digit(*high)? << 4 | digit(*low)?,
            _ => return None,
        };
    }
    Some(bytes)
}

const fn digit(letter: u8) -> Option<u8> {
    match letter {
        b'0'..=b'9' => Some(letter - b'0'),
        b'a'..=b'f' => Some(letter - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
#[path = "signature_tests.rs"]
mod tests;
