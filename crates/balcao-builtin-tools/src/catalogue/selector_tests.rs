use balcao_app::turns::{SelectedTool, SelectionReason};
use balcao_pack::resolve::{Piece, Sort};

use super::{Candidate, fill, interleave};

fn piece(id: &str, tokens: usize) -> Piece {
    Piece { sort: Sort::Rule, id: id.to_owned(), value: 80, tokens, text: format!("Rule: {id}") }
}

fn candidate(name: &str, contract: usize, guidance: Vec<Piece>) -> Candidate {
    let tool = SelectedTool { name: name.to_owned(), reason: SelectionReason::Message };
    Candidate { tool, contract, guidance }
}

fn names(of: &[SelectedTool]) -> Vec<&str> {
    of.iter().map(|tool| tool.name.as_str()).collect()
}

#[test]
fn lists_take_turns_and_a_tool_of_several_keeps_its_first_reason() {
    let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let tools = interleave([
        (SelectionReason::Message, list(&["create", "update"])),
        (SelectionReason::EarlierCall, list(&["delete"])),
        (SelectionReason::EarlierMessage, list(&["create", "find"])),
    ]);
    assert_eq!(names(&tools), ["create", "delete", "update", "find"]);
    assert_eq!(tools[0].reason, SelectionReason::Message);
}

#[test]
fn contracts_keep_a_tenth_of_the_budget_free_for_guidance_and_each_piece_is_told_once() {
    let shared = || piece("dates", 10);
    let tools = vec![
        candidate("create", 55, vec![shared(), piece("long", 30)]),
        candidate("update", 40, vec![shared()]),
        candidate("find", 30, vec![shared(), piece("short", 4)]),
    ];
    let selection = fill(tools, 100);
    assert_eq!(names(&selection.tools), ["create", "find"], "update would take more than nine tenths");
    assert_eq!(selection.guidance, "Rule: dates\nRule: short");
    assert_eq!((selection.tokens, selection.budget), (99, 100));
}

#[test]
fn first_contract_is_shown_if_the_whole_budget_holds_it_and_nothing_exceeds_the_budget() {
    let large = fill(vec![candidate("create", 95, vec![piece("dates", 10)])], 100);
    assert_eq!((names(&large.tools), large.guidance.as_str(), large.tokens), (vec!["create"], "", 95));
    let larger = fill(vec![candidate("create", 101, Vec::new()), candidate("find", 20, Vec::new())], 100);
    assert_eq!(names(&larger.tools), ["find"]);
}
