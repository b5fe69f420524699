use super::*;

#[test]
fn an_email_address_is_one_that_mail_servers_accept() {
    for (text, kept) in [
        ("ana@example.com", "ana@example.com"),
        (" Ana.Silva+x@Example.COM.br ", "Ana.Silva+x@example.com.br"),
        ("a@b-c.io", "a@b-c.io"),
    ] {
        assert_eq!(check_email(text).as_deref(), Ok(kept));
    }
    for text in [
        "",
        "ana",
        "ana@",
        "@example.com",
        "ana@example",
        "ana@@example.com",
        "a b@example.com",
        "ana@-x.com",
        "ana@x..com",
        ".a@x.com",
        "a@x.c",
        "ána@x.com",
        "a@x.com; b@y.com",
    ] {
        assert!(check_email(text).is_err(), "{text}");
    }
}

#[test]
fn each_part_of_an_address_may_be_as_long_as_mail_servers_take_it() {
    let local = |length: usize| format!("{}@x.com", "a".repeat(length));
    assert!(check_email(&local(64)).is_ok() && check_email(&local(65)).is_err());
    let label = |length: usize| format!("a@{}.com", "b".repeat(length));
    assert!(check_email(&label(63)).is_ok() && check_email(&label(64)).is_err());
    let labels = |last: usize| format!("a@{}{}.com", format!("{}.", "b".repeat(61)).repeat(4), "c".repeat(last));
    assert_eq!(labels(1).len() - 2, 253);
    assert!(check_email(&labels(1)).is_ok() && check_email(&labels(2)).is_err());
    for text in ["a.@x.com", "a..b@x.com", "a@x-.com", "a@x.12", "a@.com", "a@x_y.com", "a@x.c1"] {
        assert_eq!(check_email(text).is_ok(), text == "a@x.c1", "{text}");
    }
}
