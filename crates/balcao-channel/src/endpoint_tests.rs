use super::*;

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

fn endpoint(url: &str, allow_private: bool) -> Result<Endpoint, EndpointError> {
    Endpoint::new(url, &SecretString::from(SECRET), allow_private)
}

/// The example of the specification of Standard Webhooks.
#[test]
fn the_signature_is_that_of_the_standard() {
    let one = endpoint("https://example.com/hook", false).unwrap();
    let body = r#"{"test": 2432232314}"#;
    assert_eq!(
        one.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", body).unwrap(),
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    );
}

#[test]
fn an_address_leads_out_and_is_secure_unless_the_operator_says_otherwise() {
    for private in [
        "https://127.0.0.1/x",
        "https://[::1]/x",
        "https://localhost/x",
        "https://a.localhost./x",
        "https://10.1.2.3/x",
        "https://172.16.0.1/",
        "https://192.168.1.1:8443/",
        "https://169.254.169.254/latest/meta-data",
        "https://100.64.0.1/",
        "https://0.0.0.0/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://[::ffff:10.0.0.1]/",
        "https://[64:ff9b::a00:1]/",
        "https://[fd00::1]/",
        "https://[fe80::1]/",
    ] {
        assert!(matches!(endpoint(private, false), Err(EndpointError::Private { .. })), "{private}");
        assert!(endpoint(private, true).is_ok(), "{private}");
    }
    assert!(endpoint("https://93.184.216.34/x", false).is_ok());
    assert!(matches!(endpoint("http://example.com/", false), Err(EndpointError::NotSecure { .. })));
    for wrong in ["ftp://example.com/", "example.com", "https://user:pass@example.com/", ""] {
        assert!(matches!(endpoint(wrong, true), Err(EndpointError::Address { .. })), "{wrong}");
    }
}

#[test]
fn a_secret_is_long_enough_to_be_one() {
    for secret in ["", "whsec_", "whsec_c2hvcnQ=", "not base64 at all, whatever its length may be"] {
        let made = Endpoint::new("https://example.com", &SecretString::from(secret), false);
        assert!(matches!(made, Err(EndpointError::Secret)), "{secret}");
    }
    let shown = format!("{:?}", endpoint("https://example.com", false).unwrap());
    assert!(!shown.contains("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") && shown.contains("REDACTED"), "{shown}");
}

#[tokio::test]
async fn a_name_that_leads_inside_is_not_called() {
    // Whatever `localhost.` resolves to here is not public; the guard stands also where the name says nothing.
    let inside = Guarded;
    let name = "localhost".parse().unwrap();
    assert!(reqwest::dns::Resolve::resolve(&inside, name).await.is_err());
}
