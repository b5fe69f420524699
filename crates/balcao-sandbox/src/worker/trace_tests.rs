use super::*;

#[test]
fn frames_are_told_in_the_authors_terms() {
    let mut first = Helper::javascript("a", "tool.yaml", "x\ny\nz");
    first.first_line = 10;
    first.indent = 100;
    let helpers = [first, Helper::javascript("b", "b.js", "x")];
    let origins = Origins { helpers: &helpers, shifts: &[16, 0] };
    let stack = "    at one (helper-0:2:5)\n    at <anonymous> (helper-0:1:20)\n    at call (prelude:3:1)\n    at apply (native)\n    at helper-1:9:2\n";
    let (frames, place) = origins.trace(stack);
    assert_eq!(frames, ["one (tool.yaml:11:105)", "<anonymous> (tool.yaml:10:104)", "b.js:1:2"]);
    assert_eq!(place, Some(Place { file: "tool.yaml".to_owned(), line: 11, column: 105 }));
}

#[test]
fn a_trace_that_a_helper_made_up_is_short_and_plain() {
    let helpers = [Helper::javascript("a", "a.js", "x")];
    let origins = Origins { helpers: &helpers, shifts: &[0] };
    let forged = format!(
        "at {} (helper-0:1:1)\nat x (helper-99:1:1)\nat x (helper-0:a:b)\nat \u{1b}[31mred (helper-0:4294967295:4294967295)",
        "n".repeat(10_000)
    );
    let (frames, _) = origins.trace(&forged);
    assert_eq!(frames, [format!("{} (a.js:1:1)", "n".repeat(80)), "[31mred (a.js:1:2)".to_owned()]);
    assert_eq!(origins.trace(&"at x (helper-0:1:1)\n".repeat(1_000)).0.len(), MAX_FRAMES);
}
