use std::collections::BTreeMap;

use super::*;

fn words(text: &str) -> Vec<&'static str> {
    places("a/tests/b.rs", text).into_iter().map(|(_, word)| word).collect()
}

#[test]
fn a_planted_sleep_or_clock_is_found_wherever_tests_are() {
    for (file, planted, word) in [
        ("crates/balcao-web/tests/it/flood.rs", "    std::thread::sleep(Duration::from_millis(50));", "thread::sleep"),
        ("crates/balcao-app/src/inbox_tests.rs", "    tokio::time::sleep(soon).await;", "sleep("),
        ("crates/balcao-app/src/inbox_tests.rs", "    let mut ticks = interval(soon);", "interval("),
        ("crates/balcao-testkit/src/mock.rs", "    let began = Instant::now();", "Instant::now"),
        ("crates/balcao-cli/tests/it/serve.rs", "    let now = SystemClock.now();", "SystemClock"),
        ("tests/browser/world.js", "  await page.waitForTimeout(500);", "waitForTimeout("),
        (".ci/smtp", "for _ in 1 2 3; do sleep 0.1; done", "sleep 0"),
    ] {
        assert!(is_of_tests(file), "{file}");
        let found = BTreeMap::from([(file.to_owned(), places(file, planted))]);
        let problems = judge(&found, &[]);
        assert!(problems.len() == 1 && problems[0].starts_with(&format!("{file}:1: `{word}`")), "{problems:?}");
        assert_eq!(judge(&found, &[(file, 1, "a reason")]), [""; 0]);
    }
}

#[test]
fn tests_that_stand_in_a_file_of_the_program_are_looked_at_and_the_program_is_not() {
    let text = "fn wait() {\n    sleep(soon);\n}\n\n#[cfg(test)]\nmod tests {\n    sleep(soon);\n}\n";
    let tests = tests_of("crates/balcao-app/src/inbox.rs", text).unwrap();
    assert_eq!(places("inbox.rs", &tests), [(7, "sleep(")]);
    assert_eq!(tests_of("crates/balcao-app/src/inbox.rs", "fn wait() {}\n"), None);
    assert_eq!(tests_of("xtask/src/inbox.rs", text), None);
}

#[test]
fn what_goes_by_virtual_time_is_none_unless_the_file_asks_the_real_clock_too() {
    let timed = "    let began = Instant::now();\n    tokio::time::sleep(soon).await;\n";
    assert_eq!(words(timed).len(), 2);
    assert_eq!(words(&format!("#[tokio::test(start_paused = true)]\n{timed}")), [""; 0]);
    assert_eq!(words(&format!("use std::time::Instant;\n#[tokio::test(start_paused = true)]\n{timed}")).len(), 2);
    assert_eq!(words(&format!("#[tokio::test(start_paused = true)]\n{timed}thread::sleep(soon);")), ["thread::sleep"]);
}

#[test]
fn what_only_speaks_of_a_clock_is_none_and_neither_is_the_program() {
    assert_eq!(words("// thread::sleep would do\nuse balcao_domain::SystemClock;\n"), [""; 0]);
    for file in ["crates/balcao-app/src/sender.rs", "tests/browser/package.json", "docs/PERFORMANCE.md"] {
        assert!(!is_of_tests(file), "{file}");
    }
}

#[test]
fn an_excuse_for_what_is_gone_fails() {
    let found = BTreeMap::from([("a/tests/b.rs".to_owned(), places("a/tests/b.rs", "thread::sleep(soon)"))]);
    let told = judge(&found, &[("a/tests/b.rs", 2, "a reason")]);
    assert!(told.len() == 1 && told[0].contains("2 places are excused") && told[0].contains("there are 1"), "{told:?}");
    assert_eq!(judge(&found, &[("a/tests/gone.rs", 1, "a reason")]).len(), 2);
}

#[test]
fn every_excuse_has_its_reason_and_its_file_once() {
    for (file, places, reason) in LIST {
        assert!(is_of_tests(file) && *places > 0 && reason.len() > 20, "{file}");
        assert_eq!(LIST.iter().filter(|(other, ..)| other == file).count(), 1, "{file}");
    }
}
