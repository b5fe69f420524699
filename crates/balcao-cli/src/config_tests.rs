use super::*;

fn environment(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn the_environment_wins_over_the_file_and_both_are_named_as_origin() {
    let text = "[database]\npath = \"a.db\"\n[agents]\nprofile = \"lia\"\n";
    let config = parse(
        "balcao.toml",
        text,
        &environment(&[("BALCAO__DATABASE__PATH", "b.db"), ("BALCAO__MODEL__ATTEMPTS", "3")]),
    )
    .unwrap();
    assert_eq!(
        (config.database.path.as_str(), config.agents.profile.as_str(), config.model.attempts),
        ("b.db", "lia", 3)
    );
    let origin = |key: &str| config.rows().into_iter().find(|row| row.key == key).unwrap().origin;
    assert_eq!(origin("database.path"), "environment, BALCAO__DATABASE__PATH");
    assert_eq!(origin("agents.profile"), "balcao.toml");
    assert_eq!(origin("model.timeout_s"), "default");
}

#[test]
fn an_unknown_key_names_file_line_and_the_nearest_key() {
    let error = parse("balcao.toml", "[database]\npth = \"a.db\"\n", &BTreeMap::new()).unwrap_err();
    assert!(
        error.contains("balcao.toml") && error.contains("line 2") && error.contains("did you mean `path`?"),
        "{error}"
    );
    let error = parse("balcao.toml", "", &environment(&[("BALCAO__MODEL__ATEMPTS", "3")])).unwrap_err();
    assert!(error.contains("BALCAO__MODEL__ATEMPTS") && error.contains("did you mean `attempts`?"), "{error}");
}

#[test]
fn a_wrong_type_names_its_place() {
    let error = parse("balcao.toml", "[model]\nattempts = \"many\"\n", &BTreeMap::new()).unwrap_err();
    assert!(error.contains("line 2"), "{error}");
    let error = parse("balcao.toml", "", &environment(&[("BALCAO__MODEL__ATTEMPTS", "many")])).unwrap_err();
    assert!(error.contains("BALCAO__MODEL__ATTEMPTS"), "{error}");
}

#[test]
fn a_database_server_is_named_by_the_file_or_by_the_environment_and_never_shown() {
    let text = "[database]\nurl = \"postgres://u:from-file@h/d\"\n";
    let from_file = parse("balcao.toml", text, &BTreeMap::new()).unwrap();
    let server = |config: &Config| config.database.server().unwrap().unwrap().expose_secret().to_owned();
    assert_eq!(server(&from_file), "postgres://u:from-file@h/d");
    let variable = environment(&[("BALCAO_DATABASE_URL", "postgres://u:from-env@h/d")]);
    let from_environment = parse("balcao.toml", text, &variable).unwrap();
    assert_eq!(server(&from_environment), "postgres://u:from-env@h/d");
    let section = environment(&[("BALCAO__DATABASE__URL", "postgres://u:from-env@h/d")]);
    assert_eq!(server(&parse("balcao.toml", text, &section).unwrap()), "postgres://u:from-env@h/d");
    for config in [from_file, from_environment] {
        let shown: String = config.rows().iter().map(|row| format!("{} {}", row.key, row.value)).collect();
        assert!(shown.contains("database.url ********"), "{shown}");
        assert!(!format!("{shown}{config:?}").contains("from-"), "{shown}");
        assert_eq!(config.database.missing_file(), None);
    }
    let both = "[database]\nurl = \"postgres://h/d\"\nurl_file = \"secret\"\n";
    assert!(parse("balcao.toml", both, &BTreeMap::new()).unwrap().database.server().unwrap_err().contains("not both"));
}

#[test]
fn secrets_are_masked_wherever_the_configuration_is_shown() {
    let text = "[[model.providers]]\nname = \"main\"\nkind = \"openai\"\napi_key = \"sk-very-secret\"\n";
    let config = parse("balcao.toml", text, &BTreeMap::new()).unwrap();
    let shown: String = config.rows().iter().map(|row| format!("{} {}", row.key, row.value)).collect();
    assert!(shown.contains("********") && !shown.contains("very-secret"), "{shown}");
    assert!(!format!("{config:?}").contains("very-secret"));
}

#[test]
fn a_lease_that_is_shorter_than_an_attempt_to_send_is_refused_with_the_reason_and_the_way_round() {
    let of = |text: &str| parse("balcao.toml", text, &BTreeMap::new());
    for seconds in ["1", "29"] {
        let error = of(&format!("[server]\nlease_s = {seconds}\n")).unwrap_err();
        assert!(error.contains("write 30 or more") && error.contains("20 s"), "{error}");
        assert!(error.contains("server.allow_short_lease"), "{error}");
    }
    assert!(of("[server]\nlease_s = 30\n").is_ok());
    assert!(of("[server]\nlease_s = 601\n").is_err());
    assert!(of("[server]\nlease_s = 1\nallow_short_lease = true\n").is_ok());
    assert!(of("[server]\nlease_s = 0\nallow_short_lease = true\n").is_err());
}

#[test]
fn the_app_secret_before_needs_an_end_and_is_never_shown() {
    let of = |lines: &str| {
        let text =
            format!("[whatsapp]\naccount = \"1\"\ntoken = \"t\"\napp_secret = \"new\"\nverify_token = \"v\"\n{lines}");
        parse("balcao.toml", &text, &BTreeMap::new()).unwrap()
    };
    let before = "previous_app_secret = \"the-one-before\"\n";
    let until = |when: &str| format!("{before}previous_app_secret_until = \"{when}\"\n");
    for (lines, expected) in [
        (before.to_owned(), "previous_app_secret_until is missing"),
        ("previous_app_secret_until = \"2026-12-01\"\n".to_owned(), "previous_app_secret is missing"),
        (until("tomorrow"), "neither a date nor an instant"),
        (until("2026-12-01T09:00:00"), "with its offset; write one such as"),
        (until("2026-13-01"), "neither a date nor an instant"),
        (until("2026-12-01").replace("the-one-before", " "), "empty"),
        (format!("{}previous_app_secret_file = \"x\"\n", until("2026-12-01")), "not both"),
    ] {
        let error = of(&lines).whatsapp.read().err().unwrap();
        assert!(error.contains(expected) && !error.contains("the-one-before"), "{error}");
    }
    for when in ["2026-12-01", "2026-12-01T09:00:00-03:00"] {
        let config = of(&until(when));
        assert!(config.whatsapp.read().unwrap().is_some());
        let shown: String = config.rows().iter().map(|row| format!("{} {}\n", row.key, row.value)).collect();
        assert!(shown.contains("whatsapp.previous_app_secret ********") && shown.contains(when), "{shown}");
        assert!(!format!("{shown}{config:?}").contains("the-one-before"), "{shown}");
    }
    let variables = [
        ("BALCAO__WHATSAPP__PREVIOUS_APP_SECRET", "12"),
        ("BALCAO__WHATSAPP__PREVIOUS_APP_SECRET_UNTIL", "2026-12-01"),
    ];
    let config = parse("balcao.toml", "", &environment(&variables)).unwrap();
    assert_eq!(config.whatsapp.previous_app_secret_until.as_deref(), Some("2026-12-01"));
}

#[test]
fn a_way_to_tell_staff_of_handoffs_that_leads_nowhere_is_refused() {
    let of = |text: &str| parse("balcao.toml", text, &BTreeMap::new());
    let chosen = "[handoffs]\ntell_by = [\"email\", \"whatsapp\"]\n";
    assert!(of(chosen).unwrap_err().contains("email.host"));
    let mail = "[email]\nhost = \"smtp.example.com\"\nfrom = \"agenda@example.com\"\n";
    assert!(of(&format!("{chosen}{mail}")).unwrap_err().contains("no account"));
    let config = of(&format!("{chosen}{mail}[whatsapp]\naccount = \"1\"\n")).unwrap();
    assert!(config.rows().iter().any(|row| row.key == "handoffs.tell_by" && row.value == "email, whatsapp"));
    assert!(of("[handoffs]\ntell_by = [\"pager\"]\n").is_err());
}
