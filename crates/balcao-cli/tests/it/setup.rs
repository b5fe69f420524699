use tempfile::tempdir;

use crate::{code, err, out, root, run};

#[test]
fn what_init_writes_can_be_used_as_it_is() {
    let folder = tempdir().unwrap();
    assert_eq!(code(&run(folder.path(), &["init", "shop"], "")), 0);
    let shop = folder.path().join("shop");
    for (arguments, expected) in [
        (vec!["config", "show"], "balcao.toml"),
        (vec!["seed", "--check", "negocio.yaml"], "no mistakes"),
        (vec!["migrate"], "new"),
        (vec!["seed", "negocio.yaml"], "1 services"),
        (vec!["tools"], "create_appointment"),
        (vec!["doctor"], "ok       calendar"),
    ] {
        let output = run(&shop, &arguments, "");
        assert_eq!(code(&output), 0, "{arguments:?}: {}{}", out(&output), err(&output));
        assert!(out(&output).contains(expected), "{arguments:?}: {}", out(&output));
    }
    let chat = run(&shop, &["chat", "--script", "-", "--now", "2026-11-24T10:00"], "quanto custa?\n");
    assert!(out(&chat).contains("100,00"), "{}{}", out(&chat), err(&chat));
    let again = run(folder.path(), &["init", "shop"], "");
    assert_eq!(code(&again), 1);
    assert!(err(&again).contains("nothing was written"));
}

#[test]
fn file_of_init_shows_the_ceilings_of_the_web_chat_as_they_are_without_it() {
    let folder = tempdir().unwrap();
    assert_eq!(code(&run(folder.path(), &["init", "."], "")), 0);
    let values = || {
        let shown = run(folder.path(), &["config", "show", "--json"], "");
        let rows: Vec<serde_json::Value> = serde_json::from_str(&out(&shown)).unwrap();
        let row = |key: &str| rows.iter().find(|row| row["key"] == key).unwrap().clone();
        ["strangers_tokens_day", "strangers_usd_day", "visitors_per_address_day", "files_mib_day"]
            .map(|key| row(&format!("chat.{key}")))
    };
    let defaults = values();
    let file = folder.path().join("balcao.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    // The section as an owner switches it on, with its ceilings.
    let (before, section) = text.split_once("# [chat]").unwrap();
    let (section, after) = section.split_once("\n\n").unwrap();
    let section = section.replace("\n# ", "\n").replace("secret_file", "# secret_file");
    std::fs::write(&file, format!("{before}[chat]{section}\n\n{after}")).unwrap();
    for (default, set) in defaults.iter().zip(values()) {
        assert_eq!((&set["value"], &default["origin"]), (&default["value"], &serde_json::json!("default")));
        assert_ne!(set["origin"], "default", "{set}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_doctor_runs_a_helper_in_a_worker_of_the_same_executable() {
    let folder = tempdir().unwrap();
    let doctor = run(folder.path(), &["doctor"], "");
    assert!(out(&doctor).contains("helpers        run"), "{}{}", out(&doctor), err(&doctor));
    assert!(out(&doctor).contains("resource limits on"), "{}", out(&doctor));
}

#[test]
fn migrating_twice_changes_nothing_and_check_only_looks() {
    let folder = tempdir().unwrap();
    assert_eq!(code(&run(folder.path(), &["migrate", "--check"], "")), 1);
    assert!(!folder.path().join("balcao.db").exists());
    assert_eq!(code(&run(folder.path(), &["migrate"], "")), 0);
    let again = run(folder.path(), &["migrate", "--json"], "");
    assert!(out(&again).contains("\"missing\":[]"), "{}", out(&again));
    assert_eq!(code(&run(folder.path(), &["migrate", "--check"], "")), 0);
}

#[test]
fn the_tools_of_eli_are_the_specified_ones() {
    let folder = tempdir().unwrap();
    let output = run(folder.path(), &["tools", "--profile", "eli", "--json"], "");
    let tools: serde_json::Value = serde_json::from_str(&out(&output)).unwrap();
    let mut names: Vec<&str> =
        tools["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    let mut expected = vec![
        "get_contact_info",
        "add_tag",
        "remove_tag",
        "list_pipeline_stages",
        "move_pipeline_stage",
        "add_internal_note",
        "update_contact",
        "search_knowledge_base",
        "get_business_hours",
        "transfer_to_human",
        "get_services",
        "get_barbers",
        "check_availability",
        "get_subscriber_status",
        "get_subscription_plans",
        "get_appointment_history",
        "create_appointment",
        "cancel_appointment",
        "reschedule_appointment",
        "schedule_appointment_reminder",
        "join_waitlist",
        "schedule_followup",
        "cancel_followup",
    ];
    expected.sort_unstable();
    assert_eq!(names, expected);
    for tool in tools["tools"].as_array().unwrap() {
        assert_eq!(tool["input_schema"]["additionalProperties"], false, "{}", tool["name"]);
    }
}

#[test]
fn the_samples_load() {
    let folder = tempdir().unwrap();
    for sample in ["samples/barbearia-figueira.yaml", "samples/clinica-vereda.yaml"] {
        let output = run(folder.path(), &["seed", &root().join(sample).display().to_string(), "--yes"], "");
        assert_eq!(code(&output), 0, "{}", err(&output));
    }
    let both = run(folder.path(), &["chat", "--script", "-"], "oi\n");
    assert_eq!(code(&both), 2);
    assert!(err(&both).contains("organization.slug"), "{}", err(&both));
}

#[test]
fn what_would_be_deleted_is_told_before_it_is_and_days_that_cannot_be_are_mistakes() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    run(folder, &["seed", &root().join("samples/barbearia-figueira.yaml").display().to_string()], "");
    // Long ago a customer was answered; with the offline model everything happens by the clock that is given.
    let told = run(folder, &["chat", "--script", "-", "--now", "2020-11-24T10:00"], "quais os serviços?\n");
    assert_eq!(code(&told), 0, "{}", err(&told));
    let rows = |arguments: &[&str]| -> serde_json::Value {
        let output = run(folder, &[&["retention", "--json"], arguments].concat(), "");
        assert_eq!(code(&output), 0, "{}", err(&output));
        serde_json::from_str::<serde_json::Value>(&out(&output)).unwrap()["rows"].clone()
    };
    let first = rows(&["--dry-run"]);
    assert_eq!((&first["messages"], &first["traces"]), (&2.into(), &1.into()), "{first}");
    assert_eq!(rows(&["--dry-run"]), first, "it was only told");
    assert_eq!(rows(&[]), first);
    let after = run(folder, &["retention"], "");
    assert!(out(&after).contains("nothing is old enough"), "{}", out(&after));
    std::fs::write(folder.join("balcao.toml"), "[retention]\noutbox_days = 5\n").unwrap();
    let refused = run(folder, &["retention", "--dry-run"], "");
    assert!(code(&refused) == 2 && err(&refused).contains("35 to 36500, or 0"), "{}", err(&refused));
}

#[test]
fn the_doctor_says_what_serve_would_refuse() {
    let folder = tempdir().unwrap();
    std::fs::write(
        folder.path().join("balcao.toml"),
        "[chat]\nenabled = true\nsecret = \"short\"\n[server]\nlisten = \"here\"\n[handoffs]\ntell_by = [\"whatsapp\"]\n",
    )
    .unwrap();
    let told = run(folder.path(), &["doctor"], "");
    assert_eq!(code(&told), 1);
    for part in ["chat.origins is empty", "127.0.0.1:8080", "set whatsapp.account or evolution.instance", "clock"] {
        assert!(out(&told).contains(part), "{part}: {}", out(&told));
    }
}

#[test]
fn a_second_business_in_a_database_is_told_with_what_it_takes_from_then_on() {
    let folder = tempdir().unwrap();
    let sample = |name: &str| root().join("samples").join(name).display().to_string();
    let first = run(folder.path(), &["seed", &sample("barbearia-figueira.yaml")], "");
    assert_eq!((code(&first), err(&first).contains("organization.slug")), (0, false), "{}", err(&first));
    let again = run(folder.path(), &["seed", &sample("barbearia-figueira.yaml")], "");
    assert!(!err(&again).contains("organization.slug"), "{}", err(&again));
    let refused = run(folder.path(), &["seed", &sample("clinica-vereda.yaml")], "");
    assert_eq!(code(&refused), 2, "{}", err(&refused));
    assert!(err(&refused).contains("adds a second business `vereda` beside `figueira`"), "{}", err(&refused));
    assert!(err(&refused).contains("--yes") && !err(&refused).contains("the nearest"), "{}", err(&refused));
    let second = run(folder.path(), &["seed", &sample("clinica-vereda.yaml"), "--yes"], "");
    assert_eq!(code(&second), 0, "{}", err(&second));
    assert!(err(&second).contains("organization.slug = \"vereda\""), "{}", err(&second));
}

#[test]
fn slug_with_a_slip_loads_no_second_business_unasked() {
    let folder = tempdir().unwrap();
    let text = std::fs::read_to_string(root().join("samples/barbearia-figueira.yaml")).unwrap();
    std::fs::write(folder.path().join("shop.yaml"), &text).unwrap();
    std::fs::write(folder.path().join("slip.yaml"), text.replace("slug: figueira", "slug: figuiera")).unwrap();
    assert_eq!(code(&run(folder.path(), &["seed", "shop.yaml"], "")), 0);
    let slip = run(folder.path(), &["seed", "slip.yaml"], "");
    assert_eq!(code(&slip), 2, "{}", err(&slip));
    assert!(err(&slip).contains("adds a second business `figuiera` beside `figueira`; the nearest is `figueira`"));
    // Every command still knows which business is meant.
    assert_eq!(code(&run(folder.path(), &["business", "export"], "")), 0);
}

#[test]
fn a_service_that_nobody_offers_is_a_warning_with_a_way_out() {
    let folder = tempdir().unwrap();
    let sample = std::fs::read_to_string(root().join("samples/barbearia-figueira.yaml")).unwrap();
    let before = "  - {name: Sobrancelha, price";
    let more = format!("  - {{name: Luzes, price: \"90.00\", duration_minutes: 60}}\n{before}");
    // An editor of another system wrote it, mark and all.
    std::fs::write(folder.path().join("loja.yaml"), format!("\u{feff}{}", sample.replace(before, &more))).unwrap();
    for arguments in [vec!["seed", "--check", "loja.yaml"], vec!["seed", "loja.yaml"]] {
        let output = run(folder.path(), &arguments, "");
        assert_eq!(code(&output), 0, "{}", err(&output));
        let warned =
            "warning: nobody offers `Luzes`: no customer can book it; name it under `services` of a professional";
        assert!(err(&output).contains(warned), "{}", err(&output));
        assert_eq!(err(&output).matches("warning").count(), 1, "{}", err(&output));
    }
    let output = run(folder.path(), &["seed", "--check", "--json", "loja.yaml"], "");
    assert!(out(&output).contains("\"warnings\":[\"nobody offers `Luzes`"), "{}", out(&output));
    assert_eq!(err(&output), "");
}

#[test]
fn plan_edit_and_doctor_warn_of_an_active_service_without_a_professional() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    let sample = std::fs::read_to_string(root().join("samples/barbearia-figueira.yaml")).unwrap();
    let before = "  - {name: Sobrancelha, price";
    let more = format!("  - {{name: Luzes, price: \"90.00\", duration_minutes: 60}}\n{before}");
    std::fs::write(folder.join("loja.yaml"), &sample).unwrap();
    assert_eq!(code(&run(folder, &["seed", "loja.yaml"], "")), 0);
    std::fs::write(folder.join("loja.yaml"), sample.replace(before, &more)).unwrap();
    let warnings = |arguments: &[&str]| {
        let output = run(folder, arguments, "");
        assert_eq!(code(&output), 0, "{arguments:?}: {}{}", out(&output), err(&output));
        (err(&output).matches("warning: nobody offers").count(), out(&output))
    };
    let found =
        |name: &str| out(&run(folder, &["doctor"], "")).contains(&format!("of figueira: nobody offers `{name}`"));
    let offer = ["business", "set", "professionals", "Wesley Moura", "services+=Luzes", "--yes"];
    let add = ["business", "add", "services", "name=Mechas", "price=180.00", "duration_minutes=90", "--yes"];
    assert_eq!(warnings(&["business", "plan", "loja.yaml"]).0, 1);
    let (said, shown) = warnings(&["business", "plan", "loja.yaml", "--json"]);
    assert!(said == 0 && shown.contains("\"warnings\":[\"nobody offers `Luzes`"), "{shown}");
    assert!(!found("Luzes"), "a plan alone changes nothing");
    assert_eq!(warnings(&["business", "apply", "loja.yaml", "--yes"]).0, 1);
    assert!(found("Luzes"));
    // The file says it again, once.
    assert_eq!(warnings(&["seed", "loja.yaml"]).0, 1);
    assert_eq!(warnings(&offer).0, 0);
    assert!(!found("Luzes"));
    assert_eq!(warnings(&add).0, 1);
    assert!(found("Mechas"));
    // An archived service needs no professional.
    assert_eq!(warnings(&["business", "remove", "services", "Mechas", "--yes"]).0, 0);
    assert!(!found("Mechas"));
}

#[cfg(not(feature = "google-calendar"))]
#[test]
fn build_without_google_calendar_names_the_missing_feature() {
    let folder = tempdir().unwrap();
    std::fs::write(folder.path().join("balcao.toml"), "[google]\nservice_account_file = \"key.json\"\n").unwrap();
    for action in ["connect", "list", "disconnect"] {
        let output = run(folder.path(), &["calendar", action], "");
        assert_eq!(code(&output), 2, "{}", out(&output));
        assert!(err(&output).contains("its feature `google-calendar`"), "{}", err(&output));
    }
    let found = out(&run(folder.path(), &["doctor"], ""));
    assert!(found.contains("this build has no Google Calendar"), "{found}");
}
