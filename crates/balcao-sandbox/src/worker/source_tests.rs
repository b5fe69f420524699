use super::*;

#[test]
fn an_export_at_the_beginning_of_a_line_makes_a_module() {
    for module in ["export default 1", "const a = 1;\n  export { a };", "export{a}", "export* from 'x'"] {
        assert_eq!(frames(module), [Framed { text: module.to_owned(), shift: 0 }], "{module}");
    }
    for none in ["const exported = 1", "exports.x = 1", "// to export\n1", "const s = 'x export y'"] {
        assert_eq!(frames(none).len(), 3, "{none}");
    }
}

#[test]
fn lines_stay_where_they_are() {
    let source = "function a() {\n  return 1;\n}";
    for framed in frames(source) {
        let first = framed.text.lines().next().unwrap();
        assert_eq!(first.chars().skip(usize::try_from(framed.shift).unwrap()).collect::<String>(), "function a() {");
        assert_eq!(framed.text.lines().nth(1), Some("  return 1;"));
    }
}

#[test]
fn the_end_of_an_expression_is_taken_off() {
    for (source, kept) in [
        ("x => x;", "x => x"),
        ("x => x ; \n;\n", "x => x"),
        ("x => x; // adds", "x => x"),
        ("x => x // adds", "x => x // adds"),
        ("x => 'a; // b'", "x => 'a; // b'"),
        ("// first;\nx => x", "// first;\nx => x"),
        ("", ""),
        (";", ""),
    ] {
        assert_eq!(without_end(source), kept, "{source:?}");
    }
}

#[test]
fn declared_names_are_found_at_any_depth_and_reserved_words_are_not_names() {
    let source = "async function one() {} function* two() {}\nconst three = 1, other = 2; let\n  four; var ação = 1\nfunction (x) {} // function of let us\nconst { five } = x; function if let 1st";
    assert_eq!(names(source), BTreeSet::from(["ação", "four", "of", "one", "three", "two", "us"]));
}
