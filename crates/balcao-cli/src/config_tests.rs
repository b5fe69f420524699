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
fn a_moment_may_stand_without_quotes_as_toml_writes_it() {
    for (written, until) in [
        ("2026-12-01", Some("2026-12-01T00:00:00Z")),
        ("2026-12-01T09:00:00-03:00", Some("2026-12-01T12:00:00Z")),
        ("2026-12-01 09:00:00-03:00", Some("2026-12-01T12:00:00Z")),
        ("2026-12-01T09:00:00", None),
        ("09:00:00", None),
    ] {
        let text = format!("[whatsapp]\nprevious_app_secret_until = {written}\n");
        let config = parse("balcao.toml", &text, &BTreeMap::new()).unwrap();
        assert_eq!(config.whatsapp.previous_until().map(|until| until.to_string()).as_deref(), until, "{written}");
    }
    let number = parse("balcao.toml", "[whatsapp]\nprevious_app_secret_until = 2026\n", &BTreeMap::new()).unwrap_err();
    assert!(number.contains("a date or an instant is expected") && number.contains("balcao.toml"), "{number}");
}

#[test]
fn a_way_to_tell_staff_of_handoffs_that_leads_nowhere_is_told_with_the_keys_that_lead_somewhere() {
    let of = |text: &str| parse("balcao.toml", text, &BTreeMap::new());
    let chosen = "[handoffs]\ntell_by = [\"email\", \"whatsapp\"]\n";
    let both = handoffs::check(&of(chosen).unwrap()).unwrap_err();
    assert!(both.contains("email.host") && both.contains("whatsapp.account or evolution.instance"), "{both}");
    let mail = "[email]\nhost = \"smtp.example.com\"\nfrom = \"agenda@example.com\"\n";
    let one = handoffs::check(&of(&format!("{chosen}{mail}")).unwrap()).unwrap_err();
    assert!(one.contains("whatsapp.account") && !one.contains("email.host"), "{one}");
    let config = of(&format!("{chosen}{mail}[whatsapp]\naccount = \"1\"\n")).unwrap();
    assert_eq!(handoffs::check(&config), Ok(()));
    assert!(config.rows().iter().any(|row| row.key == "handoffs.tell_by" && row.value == "email, whatsapp"));
}

#[test]
fn ways_to_staff_are_a_list_and_all_words_that_are_none_are_told() {
    let of = |ways: &str| parse("balcao.toml", &format!("[handoffs]\ntell_by = {ways}\n"), &BTreeMap::new());
    let all = of("[\"pager\", \"email\", \"fax\", 7]").unwrap_err();
    assert!(all.contains("invalid `tell_by` `pager`, `fax`, `7`; expected `email` or `whatsapp`"), "{all}");
    let text = of("\"whatsapp\"").unwrap_err();
    assert!(text.contains("`tell_by` is a list: write [\"whatsapp\"]"), "{text}");
    let variable = parse("balcao.toml", "", &environment(&[("BALCAO__HANDOFFS__TELL_BY", "email")])).unwrap_err();
    assert!(
        variable.starts_with("BALCAO__HANDOFFS__TELL_BY: ") && variable.contains("write [\"email\"]"),
        "{variable}"
    );
    let list = parse("balcao.toml", "", &environment(&[("BALCAO__HANDOFFS__TELL_BY", "[\"email\"]")])).unwrap();
    assert!(list.handoffs.alerts().email);
}

#[test]
fn what_is_set_in_a_list_or_by_a_file_is_shown_as_set() {
    let text = "[whatsapp]\ntoken_file = \"t\"\n[[packs.accounts]]\npack = \"clickup\"\norganization = \"figueira\"\n\
                [[webhooks]]\nname = \"crm\"\nurl = \"https://example.com\"\n[[model.providers]]\nname = \"main\"\nkind = \"openai\"\n";
    let config = parse("balcao.toml", text, &BTreeMap::new()).unwrap();
    let origin =
        |key: &str| config.rows().into_iter().find(|row| row.key == key).unwrap_or_else(|| panic!("{key}")).origin;
    for key in ["packs.accounts.clickup.figueira", "webhooks.crm", "model.providers.main", "whatsapp.token"] {
        assert_eq!(origin(key), "balcao.toml", "{key}");
    }
    for key in ["whatsapp.app_secret", "packs.folders", "email.host"] {
        assert_eq!(origin(key), "default", "{key}");
    }
}
