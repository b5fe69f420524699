use proptest::prelude::*;

use super::*;

const SECRET: &str = "segredo-do-app";
const EMPTY_ENTRY: &[u8] = br#"{"object":"whatsapp_business_account","entry":[]}"#;
const EMPTY_ENTRY_SIGNATURE: &[u8] = b"sha256=f695aba3a0c16a1b6e640394ee3edfebae02dd2d8df7d46fde532cc72d870e25";
/// One line; the escapes are literal, as Meta sends them.
const ESCAPED: &[u8] = br#"{"object":"whatsapp_business_account","entry":[{"id":"9001","changes":[{"field":"messages","value":{"messaging_product":"whatsapp","metadata":{"display_phone_number":"551130001000","phone_number_id":"7001"},"contacts":[{"profile":{"name":"Jo\u00e3o"},"wa_id":"554187654321","user_id":"BR.1234567890"}],"messages":[{"from":"554187654321","from_user_id":"BR.1234567890","id":"wamid.TESTE1","timestamp":"1795182300","type":"text","text":{"body":"Ol\u00e1"}}]}}]}]}"#;
const ESCAPED_SIGNATURE: &[u8] = b"sha256=5e03c5078eb84ca4002c5ea7d95320b11579cf096f19d9fd1228cfc95a67e90b";

fn secrets() -> AppSecrets {
    AppSecrets::new(SECRET.into()).unwrap()
}

fn now() -> Timestamp {
    "2026-11-23T12:00:00Z".parse().unwrap()
}

fn verify(headers: &[&[u8]], body: &[u8]) -> Result<SignedWith, SignatureError> {
    secrets().verify(headers.iter().copied(), body, now())
}

#[test]
fn the_vectors_verify() {
    assert_eq!(ESCAPED.len(), 461);
    assert_eq!(verify(&[EMPTY_ENTRY_SIGNATURE], EMPTY_ENTRY), Ok(SignedWith::Current));
    assert_eq!(verify(&[ESCAPED_SIGNATURE], ESCAPED), Ok(SignedWith::Current));
}

#[test]
fn the_fake_signs_as_meta_does() {
    let signed = balcao_testkit::fakes::graph::webhooks::sign(SECRET, ESCAPED);
    assert_eq!(signed.as_bytes(), ESCAPED_SIGNATURE);
}

#[test]
fn a_46_the_same_json_written_anew_does_not_verify() {
    let again = String::from_utf8(ESCAPED.to_vec()).unwrap().replace("\\u00e1", "á");
    assert_eq!(verify(&[ESCAPED_SIGNATURE], again.as_bytes()), Err(SignatureError::Mismatch));
    let spaced = [EMPTY_ENTRY, b"\n"].concat();
    assert_eq!(verify(&[EMPTY_ENTRY_SIGNATURE], &spaced), Err(SignatureError::Mismatch));
}

#[test]
fn anything_but_one_whole_signature_in_lower_case_is_refused() {
    let upper = EMPTY_ENTRY_SIGNATURE.to_ascii_uppercase();
    let upper_digits = [&b"sha256="[..], &upper[7..]].concat();
    let other = [&b"sha256="[..], &[b'0'; 64]].concat();
    let long = [EMPTY_ENTRY_SIGNATURE, b"00"].concat();
    let spaced = [b" ", EMPTY_ENTRY_SIGNATURE].concat();
    for (headers, error) in [
        (vec![], SignatureError::Missing),
        (vec![EMPTY_ENTRY_SIGNATURE, EMPTY_ENTRY_SIGNATURE], SignatureError::Several),
        (vec![&b""[..]], SignatureError::Malformed),
        (vec![b"sha256="], SignatureError::Malformed),
        (vec![&EMPTY_ENTRY_SIGNATURE[7..]], SignatureError::Malformed),
        (vec![&EMPTY_ENTRY_SIGNATURE[..70]], SignatureError::Malformed),
        (vec![&long], SignatureError::Malformed),
        (vec![&spaced], SignatureError::Malformed),
        (vec![&upper], SignatureError::Malformed),
        (vec![&upper_digits], SignatureError::Malformed),
        (vec![b"sha1=f695aba3a0c16a1b6e640394ee3edfebae02dd2d8df7d46fde532cc72d870e25"], SignatureError::Malformed),
        (vec![&other], SignatureError::Mismatch),
    ] {
        assert_eq!(verify(&headers, EMPTY_ENTRY), Err(error), "{headers:?}");
    }
}

#[test]
fn the_secret_before_holds_until_its_end() {
    let changed = AppSecrets::new("novo".into()).unwrap();
    let until: Timestamp = "2026-11-24T12:00:00Z".parse().unwrap();
    let both = changed.clone().with_previous(SECRET.into(), until).unwrap();
    let signed = || [EMPTY_ENTRY_SIGNATURE];
    assert_eq!(changed.verify(signed(), EMPTY_ENTRY, now()), Err(SignatureError::Mismatch));
    assert_eq!(both.verify(signed(), EMPTY_ENTRY, now()), Ok(SignedWith::Previous));
    assert_eq!(both.verify(signed(), EMPTY_ENTRY, until), Err(SignatureError::Mismatch));
}

#[test]
fn an_empty_secret_is_none() {
    assert_eq!(AppSecrets::new("  ".into()).unwrap_err(), EmptySecret);
    assert_eq!(secrets().with_previous("".into(), now()).unwrap_err(), EmptySecret);
}

#[test]
fn a_secret_is_never_shown() {
    assert!(!format!("{:?}", secrets()).contains(SECRET));
}

proptest! {
    #[test]
    fn no_bytes_pass_that_were_not_signed(header in any::<Vec<u8>>(), body in any::<Vec<u8>>()) {
        prop_assert!(verify(&[&header], &body).is_err());
    }

    #[test]
    fn no_guessed_signature_passes(guess in "sha256=[0-9a-f]{64}", body in any::<Vec<u8>>()) {
        prop_assert_eq!(verify(&[guess.as_bytes()], &body), Err(SignatureError::Mismatch));
    }

    #[test]
    fn no_changed_byte_passes(at in 0..ESCAPED.len(), bits in 1_u8..) {
        let mut body = ESCAPED.to_vec();
        body[at] ^= bits;
        prop_assert_eq!(verify(&[ESCAPED_SIGNATURE], &body), Err(SignatureError::Mismatch));
    }
}
