use balcao_yaml::Document;

use super::*;
use crate::load::tests::GOOD;

fn settled(text: &str) -> (Source, Vec<String>, bool) {
    let mut source = Source::single(Document::read("tool.yaml", text).unwrap());
    let Shape { problems, readable } = settle(&mut source);
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
    // What is told of it later is told where it was written.
    let later = source.problem("/tool/commands/0/effect", "x", None);
    assert_eq!((later.line, later.snippet.trim()), (10, "efect: write"));
}

#[test]
fn a_key_that_is_near_to_one_and_holds_something_else_is_told_once() {
    let (_, told, readable) = settled(&GOOD.replace("  name: Demo\n", "  name: Demo\n  helpes: 7\n"));
    assert!(readable && matches!(told.as_slice(), [one] if one.contains("did you mean `helpers`?")), "{told:#?}");
}

#[test]
fn an_entry_with_a_mistake_is_left_out_and_those_behind_it_keep_their_lines() {
    let case = "      - {id: tag_vip, operation: add_tag, input: {tag_name: VIP}, output: {success: true}}\n";
    let text = GOOD.replace(case, &format!("      - {{id: odd, operation: 7, input: {{}}, output: {{}}}}\n{case}"));
    let (source, told, readable) = settled(&text);
    assert!(readable && told.len() == 1, "{told:#?}");
    assert_eq!(source.value["tool"]["examples"]["success_cases"].as_array().unwrap().len(), 1);
    let later = source.problem("/tool/examples/success_cases/0/operation", "x", None);
    assert!(later.snippet.contains("tag_vip"), "{later}");
    assert!(source.lacks("success_cases") && !source.lacks("commands"));
    let of_it = source.problem("/tool/id", "there is no example `odd`", None);
    let of_another = source.problem("/tool/id", "there is no example `even`", None);
    assert_eq!((source.owes(&of_it), source.owes(&of_another)), (true, false));
}

#[test]
fn where_everything_hangs_on_what_is_misshapen_the_look_ends() {
    for (good, bad) in
        [("  type: native\n", "  type: nativ\n"), ("effect: write", "effect: wirte"), ("  id: demo\n", "")]
    {
        let (_, told, readable) = settled(&GOOD.replace(good, bad));
        assert!(!readable && told.len() == 1, "{bad}: {told:#?}");
    }
    let (_, told, readable) = settled(&GOOD.replace("  version: 1.0.0\n", "").replace("en: A pack", "fr: Un"));
    assert!(readable, "{told:#?}");
}
