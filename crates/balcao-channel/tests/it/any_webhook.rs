//! What must hold of any bytes that somebody posts as a webhook of WhatsApp. The fuzz target `webhook` drives the same function.

use balcao_channel::channels::whatsapp::signature::{AppSecrets, SignedWith};
use balcao_channel::channels::whatsapp::webhook;
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use sha2::Sha256;

const SECRET: &str = "an app secret";

/// As Meta signs.
pub(crate) fn sign(body: &[u8]) -> String {
    // Keys of any length are taken.
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.update(body);
    let hex: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={hex}")
}

/// The first byte says how many of the next are a signature; the rest is the body.
pub(crate) fn drive(input: &[u8]) {
    let Some((length, rest)) = input.split_first() else { return };
    let (shown, body) = rest.split_at(usize::from(*length).min(rest.len()));
    let secrets = AppSecrets::new(SECRET.to_owned().into()).unwrap();
    let (now, right) = (Timestamp::UNIX_EPOCH, sign(body));
    let believed = secrets.verify([shown], body, now).is_ok();
    assert_eq!(believed, shown == right.as_bytes(), "{shown:?}");
    assert_eq!(secrets.verify([right.as_bytes()], body, now), Ok(SignedWith::Current));
    assert!(secrets.verify([right.as_bytes(), shown], body, now).is_err(), "of two neither counts");
    let read = webhook::parse(body);
    assert_eq!(read, webhook::parse(body), "read twice, it says the same");
    if let Ok(events) = read {
        // Nothing comes of nothing: each event has its own piece of the body.
        assert!(events.len() <= body.len(), "{} events of {} bytes", events.len(), body.len());
    }
}
