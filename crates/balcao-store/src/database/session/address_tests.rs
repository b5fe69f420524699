use super::parse;

#[test]
fn an_address_shows_neither_user_nor_password() {
    let address = parse("postgres://balcao:top%40secret@db.internal:6432/shop").unwrap();
    assert_eq!(address.place, "db.internal:6432/shop");
    assert_eq!(address.config.get_password(), Some("top@secret".as_bytes()));
    assert_eq!(format!("{address:?}"), "Address(\"db.internal:6432/shop\")");
    assert_eq!(parse("postgresql://balcao@%2Frun%2Fpg/shop").unwrap().place, "/run/pg:5432/shop");
}

#[test]
fn a_setting_in_the_options_of_an_address_counts() {
    let address = parse("postgres://u@h/d?options=-c%20idle_in_transaction_session_timeout%3D2s").unwrap();
    assert!(address.sets("idle_in_transaction_session_timeout"));
    assert!(!parse("postgres://u@h/d").unwrap().sets("idle_in_transaction_session_timeout"));
}

#[test]
fn a_wrong_address_is_refused_without_being_repeated() {
    for (url, says) in [
        ("mysql://u:s3cret@h/d", "does not begin with postgres://"),
        ("postgres://u:s3@cret@h/d", "holds an `@`"),
        ("postgres://u:s3cret@h", "names no database"),
        ("postgres://u:s3cret@h/d?unknown=s3cret", "options is invalid"),
        ("postgres://u:s3cret@h:port/d", "options is invalid"),
        ("postgres://u:s3cret@h/d?sslmode=always", "sslmode is invalid; expected disable, prefer, require"),
        ("postgres://u:s3cret@%2Frun/d?sslmode=require", "over a socket"),
        ("postgres://u:s3cret@h/d?sslmode=verify-full&sslrootcert=%2Fno%2Fsuch", "sslrootcert cannot be read"),
        ("postgres://u:s3cret@h/d?sslrootcert=%2", "hexadecimal"),
    ] {
        let error = parse(url).unwrap_err();
        let text = format!("{error} {error:?}");
        assert!(text.contains(says), "{text}");
        assert!(!text.contains("s3") && !text.contains("cret"), "{text}");
    }
}
