use super::*;

fn tokens(secret: &str) -> Tokens {
    Tokens::new(&SecretString::from(secret.repeat(8))).unwrap()
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

#[test]
fn a_token_is_its_visitor_until_it_runs_out() {
    let ours = tokens("ours");
    let token = ours.issue("0198", at(1_000));
    assert_eq!(ours.read(&token, at(999)), Some("0198".to_owned()));
    assert_eq!(ours.read(&token, at(1_000)), None);
}

#[test]
fn what_we_did_not_sign_is_nobody() {
    let ours = tokens("ours");
    let token = ours.issue("0198", at(1_000));
    let (said, signature) = token.rsplit_once('.').unwrap();
    let later = format!("0198.9999.{signature}");
    let other = format!("0199.1000.{signature}");
    let theirs = tokens("them").issue("0198", at(1_000));
    let long = format!("{}.{signature}", "x".repeat(300));
    for forged in [later, other, theirs, long, format!("{said}."), said.to_owned(), String::new(), ".".repeat(9)] {
        assert_eq!(ours.read(&forged, at(0)), None, "{forged}");
    }
}

#[test]
fn a_short_secret_is_refused() {
    assert!(Tokens::new(&SecretString::from("x".repeat(31))).is_err());
    assert!(Tokens::new(&SecretString::from(format!("{:40}", "x"))).is_err());
}
