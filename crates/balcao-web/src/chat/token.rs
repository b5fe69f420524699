//! A visitor's token: the name that the server gave them, until when it holds, and the server's signature over both.
//!
//! Nothing is stored: the bearer of a signed token is that visitor, and a token for another name cannot be made
//! without the secret.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;

/// Longest token that is looked at, in bytes.
const LONGEST: usize = 256;

/// Signs and reads tokens.
#[derive(Debug, Clone)]
pub struct Tokens(Hmac<Sha256>);

/// The secret is too short: tokens could be forged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the secret is shorter than {} characters; `openssl rand -hex 32` makes a good one", Tokens::SHORTEST)]
pub struct ShortSecret;

impl Tokens {
    /// Shortest secret, in characters.
    pub const SHORTEST: usize = 32;

    /// Tokens under a secret; every server of the business must have the same one.
    ///
    /// # Errors
    /// [`ShortSecret`].
    pub fn new(secret: &SecretString) -> Result<Self, ShortSecret> {
        let secret = secret.expose_secret().trim();
        if secret.chars().count() < Self::SHORTEST {
            return Err(ShortSecret);
        }
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).map_err(|_length| ShortSecret)?;
        // The same secret may sign other things: a signature of theirs is none of ours.
        mac.update(b"balcao web chat visitor\0");
        Ok(Self(mac))
    }

    /// A token for a name (letters, digits and hyphens) that holds before an instant.
    pub(crate) fn issue(&self, name: &str, until: Timestamp) -> String {
        let said = format!("{name}.{}", until.as_second());
        let signature = URL_SAFE_NO_PAD.encode(self.mac(&said).finalize().into_bytes());
        format!("{said}.{signature}")
    }

    /// The name in a token that is ours and still holds.
    pub(crate) fn read(&self, token: &str, now: Timestamp) -> Option<String> {
        if token.len() > LONGEST {
            return None;
        }
        let (said, signature) = token.rsplit_once('.')?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        self.mac(said).verify_slice(&signature).ok()?;
        let (name, until) = said.rsplit_once('.')?;
        (now.as_second() < until.parse().ok()?).then(|| name.to_owned())
    }

    /// A name that hides what it was made from: without the secret it cannot be traced back.
    pub(crate) fn mark(&self, of: &str) -> String {
        // No token says this: a name in one has no space.
        URL_SAFE_NO_PAD.encode(self.mac(&format!("mark of {of}")).finalize().into_bytes())
    }

    fn mac(&self, said: &str) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        mac.update(said.as_bytes());
        mac
    }
}

#[cfg(test)]
#[path = "token_tests.rs"]
mod tests;
