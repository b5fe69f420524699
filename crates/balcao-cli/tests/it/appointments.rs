//! How a shop ends its visits at the command line.

use std::path::Path;

use balcao_testkit::clock::{OutsideClock, VARIABLE};
use serde_json::Value;
use tempfile::{TempDir, tempdir};

use crate::{balcao, code, err, out, root, run, run_by};

const DAVI: &str = "davi@figueira.example";

/// The sample with two unmarked visits of years ago, so that they are over whatever today is.
fn shop() -> TempDir {
    let folder = tempdir().unwrap();
    let text = std::fs::read_to_string(root().join("samples/barbearia-figueira.yaml")).unwrap();
    let missed =
        r#"      - {service: Sobrancelha, professional: Wesley Moura, starts: "2026-10-02T11:00", status: no_show}"#;
    assert!(text.contains(missed));
    let open = missed.replace(", status: no_show", "");
    let open = [open.replace("2026-10-02", "2020-01-07"), open.replace("2026-10-02T11", "2020-01-07T15")].join("\n");
    std::fs::write(folder.path().join("shop.yaml"), text.replace(missed, &format!("{missed}\n{open}"))).unwrap();
    let seeded = run(folder.path(), &["seed", "shop.yaml"], "");
    assert_eq!(code(&seeded), 0, "{}", err(&seeded));
    folder
}

fn appointments(folder: &Path, arguments: &[&str]) -> std::process::Output {
    run(folder, &[&["appointments"], arguments].concat(), "")
}

fn listed(folder: &Path) -> Vec<Value> {
    let day = ["list", "--from", "2020-01-07", "--json"];
    serde_json::from_str(&out(&appointments(folder, &day))).unwrap()
}

#[test]
fn staff_mark_undo_and_complete_the_rest() {
    let folder = shop();
    let folder = folder.path();
    let ids: Vec<String> = listed(folder).iter().map(|one| one["appointment"]["id"].to_string()).collect();
    assert_eq!(ids.len(), 2);
    let unmarked = ["list", "--unmarked", "--from", "2020-01-01", "--to", "2020-12-31"];
    let text = out(&appointments(folder, &unmarked));
    assert!(
        text.lines().count() == 2
            && text.contains("2020-01-07 11:00  Lívia Campos  Sobrancelha  Wesley Moura  confirmed"),
        "{text}"
    );

    let marked = appointments(folder, &["mark", &ids[0], "no-show", "--as", DAVI]);
    assert_eq!(code(&marked), 0, "{}", err(&marked));
    let same = out(&appointments(folder, &["mark", &ids[0], "no-show"]));
    assert!(same.contains("before, by Davi Lopes; nothing changed"), "{same}");
    let other = appointments(folder, &["mark", &ids[0], "completed", "--as", "renata@figueira.example"]);
    assert_eq!(code(&other), 1);
    assert!(err(&other).contains("by Davi Lopes at") && err(&other).contains("` undoes that mark"), "{}", err(&other));
    let undone = appointments(folder, &["undo", &ids[0], "--as", DAVI, "--json"]);
    let undone: Value = serde_json::from_str(&out(&undone)).unwrap();
    assert_eq!((&undone["appointment"]["status"], &undone["changed"]), (&Value::from("confirmed"), &Value::from(true)));
    let again = appointments(folder, &["undo", &ids[0]]);
    assert!(code(&again) == 1 && err(&again).contains("has no mark"), "{}", err(&again));
    assert_eq!(code(&appointments(folder, &["mark", &ids[0], "no-show", "--as", DAVI])), 0);
    let rest = out(&appointments(folder, &["complete-day", "2020-01-07", "--as", DAVI]));
    assert!(rest.contains("1 visits of 2020-01-07"), "{rest}");
    let statuses: Vec<_> = listed(folder).iter().map(|one| one["appointment"]["status"].clone()).collect();
    assert_eq!(statuses, ["no_show", "completed"]);
    assert_eq!(out(&appointments(folder, &unmarked)).trim(), "every visit of the last thirty days has a mark");
    let figures = run(folder, &["stats", "--now", "2020-01-08T10:00", "--months", "1", "--json"], "");
    let figures: Value = serde_json::from_str(&out(&figures)).unwrap();
    assert_eq!(
        (&figures["stats"]["from"], &figures["stats"]["to"]),
        (&Value::from("2020-01-01"), &Value::from("2020-01-31"))
    );
    let sum = &figures["stats"]["summary"];
    let told = ["completed", "no_shows", "unmarked"].map(|name| sum[name].as_u64().unwrap());
    assert_eq!((told, &sum["revenue"]["cents"]), ([1, 1, 0], &Value::from(2500)));
    assert_eq!(figures["no_shows"]["to"], "2020-01-08");
}

#[test]
fn what_does_not_fit_is_refused_with_what_would() {
    let folder = shop();
    let folder = folder.path();
    for (arguments, exit, expected) in [
        (vec!["mark", "apt_999", "no-show"], 1, "unknown appointment apt_999"),
        (vec!["mark", "x", "no-show"], 2, "expected an id"),
        (vec!["mark", "1", "gone"], 2, "completed, no-show, cancelled"),
        (vec!["mark", "1", "no-show", "--as", "ninguem@figueira.example"], 1, DAVI),
        (vec!["undo", "1", "--as", DAVI], 1, "without a record"),
        (vec!["complete-day", "amanhã"], 2, "DATE"),
        (vec!["list", "--from", "2026-11-25", "--to", "2026-11-24"], 2, "a later day"),
    ] {
        let output = appointments(folder, &arguments);
        assert_eq!(code(&output), exit, "{arguments:?}: {}", err(&output));
        assert!(err(&output).contains(expected), "{arguments:?}: {}", err(&output));
    }
}

/// The sample with a booking of a distant Wednesday, on which its professional then has time off.
fn away() -> (TempDir, String) {
    let folder = tempdir().unwrap();
    let text = std::fs::read_to_string(root().join("samples/barbearia-figueira.yaml")).unwrap();
    let missed =
        r#"      - {service: Sobrancelha, professional: Wesley Moura, starts: "2026-10-02T11:00", status: no_show}"#;
    let booked = r#"      - {service: Sobrancelha, professional: Wesley Moura, starts: "2099-01-07T11:00"}"#;
    std::fs::write(folder.path().join("shop.yaml"), text.replace(missed, &format!("{missed}\n{booked}"))).unwrap();
    let seeded = run(folder.path(), &["seed", "shop.yaml"], "");
    assert_eq!(code(&seeded), 0, "{}", err(&seeded));
    let off = r#"time_off+={"from": "2099-01-07T00:00", "to": "2099-01-08T00:00"}"#;
    let edited = run(folder.path(), &["business", "set", "professionals", "Wesley Moura", off, "--yes"], "");
    assert_eq!(code(&edited), 0, "{}", err(&edited));
    let listed = out(&appointments(folder.path(), &["list", "--from", "2099-01-07", "--json"]));
    let listed: Value = serde_json::from_str(&listed).unwrap();
    (folder, format!("apt_{}", listed[0]["appointment"]["id"]))
}

#[test]
fn booking_in_a_time_off_is_listed_shown_and_resolved() {
    let (folder, id) = away();
    let folder = folder.path();
    let conflicts = || out(&appointments(folder, &["conflicts"]));
    let line =
        format!("{id}  2099-01-07 11:00  Lívia Campos  Sobrancelha  Wesley Moura  the professional has time off");
    assert!(conflicts().lines().any(|one| one == line), "{}", conflicts());
    let shown = out(&appointments(folder, &["ways-out", &id]));
    assert!(
        shown.contains(&format!("resolve {id} --cancel  (the customer is not told, because no channel leads to them)")),
        "{shown}"
    );
    assert!(shown.contains("O seu horário de Sobrancelha com Wesley Moura"), "{shown}");

    for (arguments, exit, expected) in [
        (vec!["resolve", "apt_999", "--cancel"], 1, "unknown appointment apt_999"),
        (vec!["resolve", &id], 2, "--move-to"),
        (vec!["resolve", &id, "--cancel", "--keep"], 2, "cannot be used with"),
        (vec!["resolve", &id, "--cancel", "--professional", "Otávio"], 2, "cannot be used with"),
        (vec!["resolve", &id, "--move-to", "amanhã"], 2, "expected a local time"),
        (vec!["resolve", &id, "--move-to", "2099-01-08"], 2, "expected a local time"),
        (vec!["resolve", &id, "--move-to", "2099-01-08T11:00"], 1, "or an earlier one"),
        (vec!["resolve", &id, "--keep", "--as", "ninguem@figueira.example"], 1, DAVI),
    ] {
        let output = appointments(folder, &arguments);
        assert_eq!(code(&output), exit, "{arguments:?}: {}", err(&output));
        assert!(err(&output).contains(expected), "{arguments:?}: {}", err(&output));
    }
    assert_eq!(out(&appointments(folder, &["resolve", &id, "--keep", "--as", DAVI])).trim(), format!("{id} is kept"));
    assert!(!conflicts().contains(&id), "{}", conflicts());
    let cancelled = out(&appointments(folder, &["resolve", &id, "--cancel", "--json"]));
    let cancelled: Value = serde_json::from_str(&cancelled).unwrap();
    assert_eq!((&cancelled["appointment"]["status"], &cancelled["changed"]), (&"cancelled".into(), &true.into()));
    assert_eq!(cancelled["notice"]["reach"]["reason"], "no_channel");
    let again = out(&appointments(folder, &["resolve", &id, "--cancel"]));
    assert!(again.contains("nothing changed"), "{again}");
}

#[test]
fn imported_appointments_have_no_reminders() {
    let (folder, _) = away();
    assert_eq!(out(&appointments(folder.path(), &["reminders"])).trim(), "no planned reminders");
    assert_eq!(out(&appointments(folder.path(), &["reminders", "--json"])).trim(), "[]");
}

/// What the program says at a time of the clock outside.
fn said(folder: &Path, clock: &OutsideClock, arguments: &[&str], input: &str) -> String {
    let output = run_by(balcao(folder).env(VARIABLE, clock.address()), arguments, input);
    format!("{}{}", out(&output), err(&output))
}

#[test]
fn booking_of_what_is_offered_otherwise_or_no_longer_is_moved_with_its_terms_by_its_customer_and_by_staff() {
    let edits = [
        &[][..],
        &["remove", "services", "Sobrancelha"],
        &["set", "services", "Sobrancelha", "active=false"],
        &["set", "professionals", "Wesley Moura", r#"services-="Sobrancelha""#],
    ];
    for edit in edits {
        // A Tuesday, 10:00 in São Paulo.
        let clock = OutsideClock::start("2026-11-24T13:00:00Z".parse().unwrap()).unwrap();
        let folder = shop();
        let folder = folder.path();
        let ask = |words: &str| {
            let chat = ["chat", "--as", "+5531988887777", "--script", "-", "--model", "offline"];
            said(folder, &clock, &chat, &format!("{words}\n"))
        };
        let run = |arguments: &[&str]| said(folder, &clock, arguments, "");
        let upcoming = || -> Value {
            let listed = run(&["appointments", "list", "--from", "2026-11-25", "--to", "2026-11-30", "--json"]);
            let listed: Value = serde_json::from_str(&listed).unwrap_or_else(|_| panic!("{listed}"));
            let own = listed.as_array().unwrap().iter().filter(|one| one["appointment"]["status"] == "confirmed");
            let own: Vec<&Value> = own.map(|one| &one["appointment"]).collect();
            assert_eq!(own.len(), 1, "{edit:?}: {listed}");
            own[0].clone()
        };
        let booked = ask("quero marcar sobrancelha amanhã às 15h com o Wesley") + &ask("sim");
        assert!(booked.contains("marcado!"), "{booked}");
        let made = run(&["business", "set", "services", "Sobrancelha", "price=77.00", "duration_minutes=45", "--yes"]);
        assert!(made.contains("made 1 change") && made.contains("also if it is moved to another time"), "{made}");
        if !edit.is_empty() {
            let made = run(&[&["business"], edit, &["--yes"]].concat());
            assert!(made.contains("made 1 change") && made.contains("and can be moved"), "{edit:?}: {made}");
        }

        let moved = ask("preciso remarcar meu horário para quinta às 16h") + &ask("sim");
        assert!(moved.contains("emarcado") || moved.contains("mudei"), "{edit:?}: {moved}");
        let is_kept = |one: &Value, starts: (&str, &str)| {
            let told = [&one["date"], &one["start"], &one["service"], &one["professional"], &one["finish"]];
            let end = starts.1.replace(":00", ":15");
            assert_eq!(told, [starts.0, starts.1, "Sobrancelha", "Wesley Moura", end.as_str()], "{edit:?}: {one}");
            assert_eq!(one["price"]["cents"], 2_500, "{edit:?}: {one}");
        };
        let one = upcoming();
        is_kept(&one, ("2026-11-26", "16:00"));

        let id = format!("apt_{}", one["id"]);
        let ways = run(&["appointments", "ways-out", &id]);
        assert!(ways.contains(&format!("resolve {id} --move-to")), "{edit:?}: {ways}");
        let moved = run(&["appointments", "resolve", &id, "--move-to", "2026-11-27T11:00", "--as", DAVI]);
        assert!(moved.contains("2026-11-27 11:00"), "{edit:?}: {moved}");
        let one = upcoming();
        is_kept(&one, ("2026-11-27", "11:00"));

        let off = r#"time_off+={"from": "2026-11-27T00:00", "to": "2026-11-28T00:00"}"#;
        let away = run(&["business", "set", "professionals", "Wesley Moura", off, "--yes"]);
        assert!(away.contains("made 1 change"), "{away}");
        let id = format!("apt_{}", one["id"]);
        let kept = run(&["appointments", "resolve", &id, "--keep", "--as", DAVI]);
        assert_eq!(kept.trim(), format!("{id} is kept"));

        // What is offered no longer is not booked again.
        if !edit.is_empty() {
            let refused = ask("quero marcar sobrancelha segunda às 15h com o Wesley") + &ask("sim");
            assert!(!refused.contains("marcado!"), "{edit:?}: {refused}");
            upcoming();
        }
    }
}

/// The profiles of the program that customers book with.
fn booking_profiles() -> Vec<String> {
    let files = std::fs::read_dir(root().join("agents")).unwrap().map(|file| file.unwrap().path());
    let customers = files.filter(|file| !std::fs::read_to_string(file).unwrap().contains("audience: staff"));
    let mut names: Vec<String> = customers.map(|file| file.file_stem().unwrap().display().to_string()).collect();
    names.sort();
    assert_eq!(names, ["eli", "manual", "odys-intake"]);
    names
}

#[test]
fn reminders_are_planned_moved_and_cancelled_with_a_booking_in_every_profile() {
    for profile in booking_profiles() {
        let clock = OutsideClock::start("2026-11-24T13:00:00Z".parse().unwrap()).unwrap();
        let folder = shop();
        let folder = folder.path();
        let ask = |words: &str| {
            let chat = ["chat", "--as", "+5531996401177", "--script", "-", "--model", "offline", "--profile", &profile];
            said(folder, &clock, &chat, &format!("{words}\nsim\n"))
        };
        // The appointment with the times of its reminders.
        let planned = || -> (String, Vec<String>) {
            let listed = said(folder, &clock, &["appointments", "reminders", "--json"], "");
            let listed: Value = serde_json::from_str(&listed).unwrap_or_else(|_| panic!("{profile}: {listed}"));
            let all = listed.as_array().unwrap();
            assert!(all.iter().all(|one| one["origin"] == "automatic"), "{profile}: {listed}");
            let whose = all.first().map(|one| format!("apt_{}", one["appointment"]["id"])).unwrap_or_default();
            (whose, all.iter().map(|one| one["remind_at"].as_str().unwrap().to_owned()).collect())
        };
        let booked = ask("quero corte na máquina com o Wesley amanhã às 15h");
        let (id, times) = planned();
        assert_eq!(times, ["2026-11-24T15:00", "2026-11-25T14:00"], "{profile}: {booked}");

        // Customers of sessions have no tool for it: staff move and cancel.
        let by_staff = profile == "odys-intake";
        let moved = if by_staff {
            let to = ["appointments", "resolve", &id, "--move-to", "2026-11-26T16:00", "--as", DAVI];
            said(folder, &clock, &to, "")
        } else {
            ask("quero remarcar meu horário de amanhã para quinta às 16h")
        };
        let (moved_to, times) = planned();
        assert_eq!(times, ["2026-11-25T16:00", "2026-11-26T15:00"], "{profile}: {moved}");
        assert_ne!(moved_to, id, "{profile}: {moved}");

        let cancelled = if by_staff {
            said(folder, &clock, &["appointments", "resolve", &moved_to, "--cancel", "--as", DAVI], "")
        } else {
            ask("quero cancelar meu horário de quinta")
        };
        assert_eq!(planned().1, [""; 0], "{profile}: {cancelled}");
    }
}
