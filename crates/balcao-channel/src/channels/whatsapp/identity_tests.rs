use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn a_number_of_whatsapp_is_read_with_its_country_code() {
    for (number, e164) in [
        ("554187654321", Some("+5541987654321")),
        ("5541987654321", Some("+5541987654321")),
        ("+554187654321", Some("+5541987654321")),
        ("554132345678", Some("+554132345678")),
        // Eleven digits, but not Brazilian.
        ("16505551234", Some("+16505551234")),
        ("14155552671", Some("+14155552671")),
        ("12", None),
        ("fowefinoewcnw", None),
        ("", None),
    ] {
        let phone = phone(&Number::new(number));
        assert_eq!(phone.as_ref().map(Phone::e164), e164, "{number}");
    }
}

#[test]
fn a_mobile_number_of_brazil_has_two_spellings() {
    for (number, other) in [
        ("554187654321", Some("5541987654321")),
        ("5541987654321", Some("554187654321")),
        ("+5541987654321", Some("554187654321")),
        // Only with the 9 it is a mobile number; without it it would be somebody's landline.
        ("5511932345678", None),
        ("554132345678", None),
        ("16505551234", None),
        ("nobody", None),
    ] {
        assert_eq!(other_spelling(&Number::new(number)), other.map(Number::new), "{number}");
    }
}

#[test]
fn contacts_are_matched_by_id_and_not_by_place() {
    let contacts = [
        json!({ "profile": { "name": "Ana" }, "wa_id": "5511987650001", "user_id": "BR.1" }),
        json!({ "profile": { "name": "Bia", "username": "@bia" }, "wa_id": "5511987650002", "user_id": "BR.2" }),
    ];
    let by_user = person(&json!({ "from_user_id": "BR.2" }), &SENDER, &Contacts::read(&contacts));
    assert_eq!(by_user.name.as_deref(), Some("Bia"));
    assert_eq!(by_user.username.as_deref(), Some("bia"));
    assert_eq!(by_user.number, Some(Number::new("5511987650002")));
    let by_number = person(&json!({ "from": "5511987650001" }), &SENDER, &Contacts::read(&contacts));
    assert_eq!(by_number.user, Some(UserId::new("BR.1")));
    let stranger = person(&json!({ "from": "5511987650003" }), &SENDER, &Contacts::read(&contacts));
    assert_eq!((stranger.name, stranger.user), (None, None));
    assert!(person(&json!({}), &SENDER, &Contacts::read(&contacts)).is_nobody());
    let [only, _] = &contacts;
    assert_eq!(person(&json!({}), &SENDER, &Contacts::read(std::slice::from_ref(only))).name.as_deref(), Some("Ana"));
    let other = person(&json!({ "from": "5511987650003" }), &SENDER, &Contacts::read(std::slice::from_ref(only)));
    assert_eq!(other.name, None, "one contact is no reason to take it for another's");
}

#[test]
fn somebody_without_a_number_is_answered_by_user_id() {
    let hidden = person(&json!({ "from_user_id": "BR.5" }), &SENDER, &Contacts::read(&[]));
    assert_eq!(hidden.recipient(), Some(crate::Recipient::User(UserId::new("BR.5"))));
    let seen = person(&json!({ "from_user_id": "BR.5", "from": "554187654321" }), &SENDER, &Contacts::read(&[]));
    assert_eq!(seen.recipient(), Some(crate::Recipient::Number(Number::new("554187654321"))));
    assert_eq!(Person::default().recipient(), None);
}

#[test]
fn the_first_message_to_a_phone_goes_to_its_new_form() {
    let phone = Phone::parse("(41) 8765-4321").unwrap();
    assert_eq!(first_number(&phone), Number::new("5541987654321"));
}

proptest! {
    #[test]
    fn two_spellings_are_each_others_and_one_person(area in 11_u8..=99, line in 60_000_000_u32..=99_999_999) {
        let short = Number::new(format!("55{area}{line}"));
        if let Some(long) = other_spelling(&short) {
            prop_assert_eq!(other_spelling(&long), Some(short.clone()));
            prop_assert_eq!(phone(&short).unwrap().identity(), phone(&long).unwrap().identity());
        } else {
            prop_assert!(phone(&short).is_none());
        }
    }
}

#[test]
fn of_several_contacts_with_one_id_the_first_counts() {
    let contacts = [
        json!({ "profile": { "name": "Ana" }, "wa_id": "5511987650001", "user_id": "BR.1" }),
        json!({ "profile": { "name": "Bia" }, "wa_id": "5511987650001", "user_id": "BR.2" }),
    ];
    let contacts = Contacts::read(&contacts);
    let name = |item: serde_json::Value| person(&item, &SENDER, &contacts).name;
    assert_eq!(name(json!({ "from": "5511987650001" })).as_deref(), Some("Ana"));
    assert_eq!(name(json!({ "from": "5511987650001", "from_user_id": "BR.2" })).as_deref(), Some("Ana"));
    assert_eq!(name(json!({ "from_user_id": "BR.2" })).as_deref(), Some("Bia"));
}
