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
