use super::*;

fn secret(text: &str) -> SecretString {
    SecretString::from(text.to_owned())
}

fn kept(file: &TokenFile, configured: &str) -> Option<String> {
    file.kept(&secret(configured)).map(|token| token.expose_secret().to_owned())
}

#[test]
fn an_exchanged_token_outlives_the_program_until_the_operator_sets_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("packs.tokens.json");
    let file = TokenFile::new(&path, "orders", Some("figueira"));
    assert_eq!(kept(&file, "first"), None);
    file.keep(&secret("first"), &secret("second"));
    file.keep(&secret("first"), &secret("third"));
    TokenFile::new(&path, "orders", None).keep(&secret("x"), &secret("y"));
    let again = TokenFile::new(&path, "orders", Some("figueira"));
    assert_eq!(kept(&again, "first").as_deref(), Some("third"));
    assert_eq!(kept(&again, "another"), None);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o077, 0);
    }
    assert!(!std::fs::read_to_string(&path).unwrap().contains("first"));
}

#[test]
fn a_token_that_was_exchanged_before_the_organization_was_named_is_still_known() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("packs.tokens.json");
    TokenFile::new(&path, "orders", None).keep(&secret("first"), &secret("second"));
    let named = TokenFile::new(&path, "orders", Some("figueira"));
    assert_eq!(kept(&named, "first").as_deref(), Some("second"));
    assert_eq!(kept(&TokenFile::new(&path, "others", Some("figueira")), "first"), None);
    named.keep(&secret("first"), &secret("third"));
    assert_eq!(kept(&named, "first").as_deref(), Some("third"));
    assert_eq!(kept(&TokenFile::new(&path, "orders", None), "first").as_deref(), Some("second"));
}

#[cfg(unix)]
#[test]
fn a_file_of_tokens_without_an_end_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("packs.tokens.json");
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    let file = TokenFile::new(&path, "orders", None);
    assert!(file.check().unwrap_err().contains("expected a regular one"));
    assert_eq!(kept(&file, "first"), None);
}

#[test]
fn a_place_where_nothing_can_be_kept_is_told_before_a_token_is_exchanged() {
    let folder = tempfile::tempdir().unwrap();
    let check = |path: &Path| TokenFile::new(path, "orders", None).check();
    assert_eq!(check(&folder.path().join("packs.tokens.json")), Ok(()));
    let broken = folder.path().join("broken.json");
    std::fs::write(&broken, "{bad").unwrap();
    let nowhere = folder.path().join("nowhere/x.json");
    for (path, part) in [
        (Path::new(""), "expected a file"),
        (&nowhere, "nothing can be written"),
        (folder.path(), "packs.tokens"),
        (&broken, "broken.json"),
    ] {
        let error = check(path).unwrap_err();
        assert!(error.contains("packs.tokens") && error.contains(part), "{error}");
    }
}

#[test]
fn a_file_that_is_none_is_not_written_over_and_stops_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("packs.tokens.json");
    std::fs::write(&path, "no JSON").unwrap();
    let file = TokenFile::new(&path, "orders", None);
    assert_eq!(kept(&file, "first"), None);
    file.keep(&secret("first"), &secret("second"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "no JSON");
}

#[test]
fn a_file_of_tokens_that_names_one_twice_is_refused_and_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("packs.tokens.json");
    let one = |token: &str| format!("\"orders\": {{\"instead_of\": \"x\", \"refresh_token\": \"{token}\"}}");
    for (text, says) in [
        (format!("{{{}, {}}}", one("first-token"), one("second-token")), "given twice"),
        ("{\"orders\": \"first-token\"}".to_owned(), "invalid file of tokens"),
    ] {
        std::fs::write(&path, text).unwrap();
        let told = TokenFile::new(&path, "orders", None).check().unwrap_err();
        assert!(told.contains(says) && !told.contains("-token"), "{told}");
    }
}
