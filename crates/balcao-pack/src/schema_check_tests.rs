use balcao_yaml::Document;
use serde_json::json;

use super::*;
use crate::load::tests::GOOD;

fn settled(text: &str) -> (Source, Vec<String>, bool) {
    let mut source = Source::single(Document::read("tool.yaml", text).unwrap());
    let Shape { problems, readable } = check_and_recover(&mut source);
    let told = problems.iter().map(|problem| problem.to_string().lines().next().unwrap().to_owned()).collect();
    (source, told, readable)
}

#[test]
fn a_misspelt_key_is_taken_for_the_one_that_was_meant_and_another_is_left_out() {
    let text = GOOD.replace("  commands:", "  comands:").replace("effect: write", "efect: write\n      zzz: 1");
    let (source, told, readable) = settled(&text);
    assert!(readable, "{told:#?}");
    assert_eq!(told.len(), 3, "{told:#?}");
    assert!(told[0].starts_with("tool.yaml:7:") && told[0].ends_with("did you mean `commands`?"), "{told:#?}");
    assert!(told[1..].iter().any(|one| one.ends_with("did you mean `effect`?")), "{told:#?}");
    assert_eq!(source.value["tool"]["commands"][0]["effect"], json!("write"));
    assert!(source.value["tool"]["commands"][0].get("zzz").is_none());
    // A later problem about this key points to the line where the author wrote it.
    let later = source.problem("/tool/commands/0/effect", "x", None);
    assert_eq!((later.line, later.snippet.trim()), (10, "efect: write"));
}

#[test]
fn a_key_that_is_near_to_one_and_holds_something_else_is_told_once() {
    let (_, told, readable) = settled(&GOOD.replace("  name: Demo\n", "  name: Demo\n  helpes: 7\n"));
    assert!(readable && matches!(told.as_slice(), [one] if one.contains("did you mean `helpers`?")), "{told:#?}");
}

#[test]
fn an_entry_that_cannot_be_mended_is_left_out_and_those_behind_it_keep_their_lines() {
    let case = "      - {id: tag_vip, operation: add_tag, input: {tag_name: VIP}, output: {success: true}}\n";
    let text = GOOD.replace(case, &format!("      - odd\n{case}"));
    let (source, told, readable) = settled(&text);
    assert!(readable && told.len() == 1, "{told:#?}");
    assert_eq!(source.value["tool"]["examples"]["success_cases"].as_array().unwrap().len(), 1);
    let later = source.problem("/tool/examples/success_cases/0/operation", "x", None);
    assert!(later.snippet.contains("tag_vip"), "{later}");
    assert!(source.lacks("success_cases") && !source.lacks("commands"));
    // It may have been anything.
    assert!(source.owes("/tool/commands/0/example_refs/0", "unknown example `even`"));
    assert!(!source.owes("/tool/commands/0/uses_helpers/0", "unknown helper `even`"));
}

#[test]
fn a_wrong_value_is_taken_away_and_hides_nothing_else_of_its_entry() {
    let text =
        GOOD.replace("effect_class: local", "effect_class: local\n      timeout_ms: soon\n      uses_helpers: x");
    let (source, told, readable) = settled(&text);
    assert!(readable && told.len() == 2, "{told:#?}");
    let command = &source.value["tool"]["commands"][0];
    assert_eq!((command.get("timeout_ms"), &command["handler"]), (None, &json!("add_tag")));
    // Nothing hangs on a time limit; what uses no helpers may use any.
    assert!(source.is_hurt("/tool/commands/0") && source.is_damaged("/tool/commands/0/timeout_ms"));
}

#[test]
fn where_something_has_to_be_something_of_the_right_shape_stands_in() {
    for (good, bad) in [
        ("  type: native\n", "  type: nativ\n"),
        ("  type: native\n", "  type: 7\n"),
        ("effect: write", "effect: wirte"),
        ("effect: write", "effect: 7"),
        ("  id: demo\n", ""),
        ("  id: demo\n", "  id: De mo\n"),
        ("    - id: add_tag\n", "    - id: Add tag\n"),
        ("  version: 1.0.0\n", "  version: 1.0\n"),
        ("en: A pack", "en: 7"),
    ] {
        let (_, told, readable) = settled(&GOOD.replace(good, bad));
        assert!(readable && told.len() == 1, "{bad}: {told:#?}");
    }
    let (source, ..) = settled(&GOOD.replace("effect: write", "effect: wirte"));
    assert_eq!(source.value["tool"]["commands"][0]["effect"], json!("write"), "as it was meant");
    // Without commands there is nothing to look at.
    let (_, told, readable) = settled(&GOOD.replace("  commands:\n", "  commands: 7\n  x:\n"));
    assert!(!readable && told.len() == 2, "{told:#?}");
}
