use serde_json::json;

use super::*;

const BODY: &[u8] = br#"{"webhook_id":"w","event":"taskDeleted","task_id":"t1"}"#;
const SIGNATURE: &str = "fb2136849134ca29ef21b532e834ed28da1283636e6d384ecd18221405d422fe";

fn clickup() -> Deliveries {
    let once = ["/webhook_id", "/event", "/history_items/0/id"];
    Deliveries::read(&json!({ "signature_header": "X-Signature", "once": once, "change": ["/history_items/0/id"] }))
        .unwrap()
}

fn secret() -> Vec<SecretString> {
    vec![SecretString::from("clickup-secret")]
}

fn signed(body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(b"clickup-secret").unwrap();
    mac.update(body);
    hexadecimal(&mac.finalize().into_bytes())
}

#[test]
fn a_delivery_is_accepted_by_its_signature_over_the_very_bytes() {
    let delivery = clickup().accept(&secret(), Some(SIGNATURE), BODY).unwrap();
    assert_eq!(delivery.body["task_id"], json!("t1"));
    // The same with a space in it is another text.
    let other = br#"{"webhook_id": "w","event":"taskDeleted","task_id":"t1"}"#;
    assert_eq!(clickup().accept(&secret(), Some(SIGNATURE), other), Err(Refused::Forged));
}

#[test]
fn what_is_not_signed_or_signed_otherwise_is_refused() {
    let accept = |secrets: &[SecretString], signature: Option<&str>| clickup().accept(secrets, signature, BODY).err();
    assert_eq!(accept(&secret(), None), Some(Refused::Unsigned));
    assert_eq!(accept(&secret(), Some(" ")), Some(Refused::Unsigned));
    assert_eq!(accept(&[], Some(SIGNATURE)), Some(Refused::Forged));
    assert_eq!(accept(&[SecretString::from("other")], Some(SIGNATURE)), Some(Refused::Forged));
    for wrong in
        [SIGNATURE.split_at(63).0, &SIGNATURE.to_uppercase(), &format!("sha256={SIGNATURE}"), "é", &"0".repeat(64)]
    {
        assert_eq!(accept(&secret(), Some(wrong)), Some(Refused::Forged), "{wrong}");
    }
    // A secret that was never set signs nothing.
    let mut mac = Hmac::<Sha256>::new_from_slice(b"").unwrap();
    mac.update(BODY);
    let empty = hexadecimal(&mac.finalize().into_bytes());
    assert_eq!(accept(&[SecretString::from("")], Some(&empty)), Some(Refused::Forged));
}

#[test]
fn a_delivery_is_not_lost_for_a_character() {
    for (body, name) in [
        (&b"{\"name\":\"oi \xff\"}"[..], "oi \u{fffd}"),
        (b"{\"name\":\"oi \xc3\"}", "oi \u{fffd}"),
        (b"{\"name\":\"one\ntwo\tthree\"}", "one\ntwo\tthree"),
        (br#"{"name":"oi \ud83d"}"#, "oi \u{fffd}"),
    ] {
        let delivery = clickup().accept(&secret(), Some(&signed(body)), body).unwrap();
        assert_eq!(delivery.body, json!({ "name": name }));
    }
}

#[test]
fn a_50_while_a_secret_is_exchanged_both_are_accepted() {
    let both = [SecretString::from("new"), SecretString::from("clickup-secret")];
    assert!(clickup().accept(&both, Some(SIGNATURE), BODY).is_ok());
}

#[test]
fn a_52_what_is_signed_and_means_two_things_is_refused() {
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(70), "]".repeat(70));
    let many = format!("{{\"event\":\"a\",\"a\":[0{}]}}", ",0".repeat(balcao_json::MOST_VALUES));
    for body in [r#"{"event":"a","event":"b"}"#, "[]", "x", &deep, &many] {
        let signature = signed(body.as_bytes());
        assert_eq!(clickup().accept(&secret(), Some(&signature), body.as_bytes()), Err(Refused::Unreadable));
    }
}

#[test]
fn a_repeat_has_the_same_key_and_paired_events_share_their_change() {
    let accept = |event: &str, history: &str| {
        let body = json!({ "webhook_id": "w", "event": event, "history_items": [{ "id": history }] }).to_string();
        clickup().accept(&secret(), Some(&signed(body.as_bytes())), body.as_bytes()).unwrap()
    };
    let (status, again, paired, other) = (
        accept("taskStatusUpdated", "1"),
        accept("taskStatusUpdated", "1"),
        accept("taskUpdated", "1"),
        accept("taskUpdated", "2"),
    );
    assert_eq!(status.once, again.once);
    assert_ne!(status.once, paired.once);
    assert_eq!(status.change, paired.change);
    assert_ne!(paired.change, other.change);
    // A delete has no history: the whole body tells it apart.
    let delete = clickup().accept(&secret(), Some(SIGNATURE), BODY).unwrap();
    assert_eq!((delete.once.len(), delete.change), (64, None));
    assert_eq!((status.named, delete.named), (true, false));
}

#[test]
fn what_is_wrong_with_a_description_is_told() {
    let problems =
        Deliveries::read(&json!({ "signature_header": "X Signature", "once": ["id"], "change": [] })).unwrap_err();
    let places: Vec<&str> = problems.iter().map(|problem| problem.pointer.as_str()).collect();
    assert_eq!(places, ["/signature_header", "/once/0"]);
}

#[test]
fn what_is_not_signed_is_taken_with_the_secret_of_its_header_alone() {
    let both = json!({ "signature_header": "X-Signature", "secret_header": "X-Secret", "once": ["/id"] });
    let deliveries = Deliveries::read(&both).unwrap();
    let shown = SecretString::from("a-secret-of-our-own".to_owned());
    let keys = Keys { signing: secret(), shown: vec![SecretString::from(String::new()), shown] };
    assert_eq!(deliveries.headers(&keys), ["X-Signature", "X-Secret"]);
    let body = br#"{"auto_id": "a", "payload": {}}"#;
    let judge =
        |header: &str, held: &str| deliveries.judge(&keys, header, held, body).map(|delivery| delivery.once.len());
    assert_eq!(judge("x-secret", "a-secret-of-our-own"), Ok(64));
    for held in ["", "a-secret-of-our-ow", "a-secret-of-our-own ", "A-SECRET-OF-OUR-OWN"] {
        assert_eq!(judge("X-Secret", held), Err(Refused::Forged), "{held:?}");
    }
    // Neither key does the other's work, and another header proves nothing.
    assert_eq!(judge("X-Signature", "a-secret-of-our-own"), Err(Refused::Forged));
    assert_eq!(judge("X-Secret", &signed(body)), Err(Refused::Forged));
    assert_eq!(judge("X-Other", "a-secret-of-our-own"), Err(Refused::Unsigned));
    let only = Keys { signing: secret(), shown: Vec::new() };
    assert_eq!(deliveries.headers(&only), ["X-Signature"]);
    assert_eq!(deliveries.judge(&only, "X-Secret", "", body), Err(Refused::Forged));
    let nothing = Deliveries::read(&json!({ "once": ["/id"] })).unwrap_err();
    assert!(nothing[0].to_string().contains("secret_header"), "{nothing:?}");
}
