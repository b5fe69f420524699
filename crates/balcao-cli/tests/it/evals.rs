//! The offline model passes the shipped scenarios, and those in `../shared/material` where that folder exists.

use std::path::{Path, PathBuf};

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn scenarios(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "yaml")).collect();
    files.sort();
    files
}

/// Plays all scenarios of a folder in one run; gives how many passed. None may fail.
fn play(folder: &Path, businesses: &Path) -> u64 {
    let output = assert_cmd::Command::cargo_bin("balcao")
        .unwrap()
        .current_dir(root())
        .arg("eval")
        .args(scenarios(folder))
        .arg("--business-dir")
        .arg(businesses)
        .args(["--model", "offline", "--json"])
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"));
    let failed: Vec<String> = report
        .get("scenarios")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter(|one| one.get("passed") != Some(&Value::Bool(true)))
        .map(|one| format!("{}: {}", one["id"], one["failures"]))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert_eq!(report["failed"], 0, "{errors}");
    assert!(output.status.success(), "{errors}");
    report["passed"].as_u64().unwrap()
}

/// How many scenarios of a folder are played with a profile.
fn of_profile(folder: &Path, profile: &str) -> usize {
    let line = format!("profile: {profile}");
    let is_of = |path: &&PathBuf| std::fs::read_to_string(path).unwrap().lines().any(|one| one.trim_end() == line);
    scenarios(folder).iter().filter(is_of).count()
}

#[test]
fn the_shipped_scenarios_hold() {
    let evals = root().join("evals");
    let passed = play(&evals, &root().join("samples"));
    // A file that is lost, or goes over to another profile, fails nothing by itself.
    let mut all = 0;
    for (profile, floor) in [("eli", 160), ("manual", 30), ("odys-intake", 25), ("odys-assistant", 8)] {
        let found = of_profile(&evals, profile);
        assert!(found >= floor, "only {found} scenarios of {profile} are left");
        all += found;
    }
    assert_eq!(usize::try_from(passed).unwrap(), all, "each scenario is played, and is of one of these profiles");
}

#[test]
fn the_scenarios_of_the_material_hold() {
    let material = root().join("../shared/material");
    if !material.is_dir() {
        balcao_testkit::skip(&format!("{} is missing", material.display()));
        return;
    }
    let passed = play(&material.join("conversations"), &material.join("business"));
    assert!(passed > 0, "no scenario was played");
}

/// Plays scenarios at a business that is a sample with something changed in it.
fn play_at(changes: &[(&str, &str)], scenarios: &[(&str, &str)]) {
    let folder = tempfile::tempdir().unwrap();
    let mut business = std::fs::read_to_string(root().join("samples/barbearia-figueira.yaml")).unwrap();
    for (from, to) in changes {
        assert!(business.contains(from), "{from}");
        business = business.replace(from, to);
    }
    std::fs::write(folder.path().join("changed.yaml"), business).unwrap();
    let played = folder.path().join("scenarios");
    std::fs::create_dir(&played).unwrap();
    for (id, rest) in scenarios {
        let text = format!("id: {id}\nbusiness: changed\nnow: 2026-11-24T10:00\n{rest}\n");
        std::fs::write(played.join(format!("{id}.yaml")), text).unwrap();
    }
    assert_eq!(usize::try_from(play(&played, folder.path())).unwrap(), scenarios.len());
}

#[test]
fn a_bare_hour_is_the_mornings_where_somebody_works_then() {
    let open_at_five =
        [("wed: [\"09:00-20:00\"]", "wed: [\"05:00-20:00\"]"), ("wed: [\"10:00-20:00\"]", "wed: [\"05:00-20:00\"]")];
    let with = |profile: &str, text: &str, at: &str, said: &str| {
        format!(
            "profile: {profile}\ncontact: {{phone: \"+5531955550070\", name: Bia}}\nturns:\n  - customer: \"{text}\"\n    \
             expect: {{mentions: [\"{said}\"]}}\n  - customer: sim\nexpect: {{appointments: [{{starts: \"2026-11-25T{at}\"}}]}}"
        )
    };
    let cut = "corte na máquina com o Wesley amanhã";
    let scenarios = [
        ("eli-half-past-six", with("eli", &format!("{cut} às 6h30"), "06:30", "6h30")),
        ("eli-six", with("eli", &format!("{cut} às 6"), "06:00", "6h")),
        ("eli-six-in-the-evening", with("eli", &format!("{cut} às 6 da tarde"), "18:00", "18h")),
        ("eli-three", with("eli", &format!("{cut} às 3"), "15:00", "15h")),
        ("manual-half-past-six", with("manual", &format!("{cut} às 6h30"), "06:30", "6h30")),
        ("intake-half-past-six", with("odys-intake", "quero marcar com o Wesley amanhã às 6h30", "06:30", "6h30")),
        (
            "intake-five-in-the-morning",
            with("odys-intake", "quero marcar com o Wesley amanhã às 5h da manhã", "05:00", "5h"),
        ),
    ];
    let scenarios: Vec<(&str, &str)> = scenarios.iter().map(|(id, text)| (*id, text.as_str())).collect();
    play_at(&open_at_five, &scenarios);
}

#[test]
fn a_professional_without_hours_is_told_as_such_and_not_as_a_closed_house() {
    let no_hours = [
        (
            "hours: {wed: [\"09:00-18:00\"], thu: [\"09:00-18:00\"], fri: [\"09:00-18:00\"], sat: [\"08:00-16:00\"]}",
            "hours: {}",
        ),
        (
            "{service: Corte de menino, professional: Íris Valente",
            "{service: Corte e barba, professional: Otávio Prado",
        ),
        ("{service: Coloração, professional: Íris Valente", "{service: Corte na tesoura, professional: Otávio Prado"),
    ];
    let asks = |profile: &str, text: &str| {
        format!(
            "profile: {profile}\ncontact: {{phone: \"+5531955550071\", name: Bia}}\nturns:\n  - customer: \"{text}\"\n    \
             expect: {{outcome: reply, mentions: [\"horários de atendimento definidos\"], not_mentions: [fechados]}}\n  \
             - customer: sim\n    expect: {{outcome: handoff}}"
        )
    };
    let manual = asks("manual", "quero sobrancelha com a Íris amanhã");
    let intake = asks("odys-intake", "a Íris tem horário amanhã?");
    let staff = "profile: odys-assistant\ncontact: {staff: iris@figueira.example}\nturns:\n  - customer: agenda dos próximos dias\n    \
                 expect: {outcome: reply, mentions: [Nada marcado], not_mentions: [Otávio, Lívia]}";
    play_at(&no_hours, &[("manual-no-hours", &manual), ("intake-no-hours", &intake), ("assistant-no-hours", staff)]);
}
