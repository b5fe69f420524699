use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair};
use rustls_pki_types::{PrivateKeyDer, pem::PemObject};
use secrecy::ExposeSecret;
use serde_json::json;

use super::*;

/// Made for tests with `openssl genpkey`; it opens nothing.
const PEM: &str = include_str!("../../tests/it/test_key.pem");

/// What `openssl dgst -sha256 -sign` makes of the statement below with that key.
const SIGNATURE: &str = concat!(
    "MOWzgWskFd4_etT14zf86c3UYsyqs9mOuM6o-kW5N0Wh7C1fUCHiVDSxbz4xEhV4g0Pz4l8hbhZSOGmpXpcJZhWz5s-",
    "dYVCOWOxoy5Qo6-",
    "EDwOe4PqtUN6JdZoFWodjXdIuGpaEk4sL2Q6iuuvjAjJJZ6QcBco_nBTRG52_wLNe5Ru2BCz0HV7koLlJKFAmes_gcyvLNGQsI2C",
    "RiFEm6ajrNhxHO9pOjceALIhAxXEWuGsptsMOoImCnmGglAOgaF1MBVlQ2K1dJmHypJHGxQNCqoJZW1ENH5CKi6PBCBCia-",
    "BqD_hwkXXJLqbbMa6kzuQ9F0ZASsxgsWO114yg-Mw",
);

fn signer(private_key: &str) -> Result<Signer, String> {
    let account = ServiceAccount {
        key: "{settings.key}".to_owned(),
        scope: "https://www.googleapis.com/auth/calendar".to_owned(),
        subject: Some("dona@figueira.example".to_owned()),
        token_url: "https://oauth2.googleapis.com/token".to_owned(),
    };
    let file = json!({ "private_key": private_key, "private_key_id": "kid-7", "token_uri": account.token_url,
        "client_email": "agenda@p.iam.gserviceaccount.com" });
    let settings = Settings::new().secret("key", file.to_string());
    let told = |problems: Vec<Problem>| problems.iter().map(ToString::to_string).collect::<String>();
    Signer::new(&account, &settings, "/auth").map_err(told)
}

fn pem(label: &str, der: &[u8]) -> String {
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", STANDARD.encode(der))
}

/// The key in PKCS#8, and the same in PKCS#1: what lies in it behind 26 bytes that say what it is.
fn both_forms() -> [String; 2] {
    let der = PrivateKeyDer::from_pem_slice(PEM.as_bytes()).unwrap();
    [PEM.to_owned(), pem("RSA PRIVATE KEY", &der.secret_der()[26..])]
}

#[test]
fn what_is_signed_and_how_is_the_same_to_the_byte_as_another_program_does_it() {
    let stated = [
        r#"{"typ":"JWT","alg":"RS256","kid":"kid-7"}"#.to_owned(),
        format!(
            r#"{{"iss":"agenda@p.iam.gserviceaccount.com","scope":"{}","aud":"{}","sub":"{}","iat":{},"exp":{}}}"#,
            "https://www.googleapis.com/auth/calendar",
            "https://oauth2.googleapis.com/token",
            "dona@figueira.example",
            1_795_600_800,
            1_795_604_400
        ),
    ];
    let to = Url::parse("https://oauth2.googleapis.com/token").unwrap();
    let now = "2026-11-25T10:00:00Z".parse().unwrap();
    let expected = format!("{}.{SIGNATURE}", stated.map(|part| URL_SAFE_NO_PAD.encode(part)).join("."));
    for form in both_forms() {
        let assertion = signer(&form).unwrap().assertion(&to, now).unwrap();
        assert_eq!(assertion.expose_secret(), expected);
    }
}

#[test]
fn what_is_no_rsa_key_is_told_apart_from_one_and_not_repeated() {
    let (none, unfit) = ("expected an RSA key in PEM;", "expected an RSA key of 2048 to 4096 bits;");
    let elliptic = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &SystemRandom::new()).unwrap();
    let [pkcs8, _] = both_forms();
    for (text, says) in [
        ("SECRET".to_owned(), none),
        (pem("PUBLIC KEY", b"SECRET"), none),
        (pkcs8.replace("END PRIVATE", "END"), none),
        (pem("PRIVATE KEY", elliptic.as_ref()), unfit),
        (pem("PRIVATE KEY", b"SECRET"), unfit),
        (pem("RSA PRIVATE KEY", b"SECRET"), unfit),
    ] {
        let told = signer(&text).err().unwrap();
        assert!(told.contains(says), "{told}");
        assert!(!told.contains("SECRET") && !told.contains(&STANDARD.encode("SECRET")), "{told}");
    }
}
