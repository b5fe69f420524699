use std::fs;

use tempfile::TempDir;

use crate::load::{
    LoadedPack, load, load_folder,
    tests::{GOOD, handlers},
};

/// The good pack with these helpers. `helpers:` stands in line 31.
fn pack(helpers: &str) -> String {
    format!("{GOOD}  helpers:\n{helpers}")
}

fn problems(result: Result<LoadedPack, Vec<balcao_yaml::Problem>>) -> Vec<String> {
    let problems = result.unwrap_err();
    assert!(problems.iter().all(|problem| problem.line > 0), "{problems:?}");
    problems.iter().map(ToString::to_string).collect()
}

fn inline(helpers: &str) -> Vec<String> {
    problems(load("tool.yaml", &pack(helpers), &handlers()))
}

fn folder(helpers: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tool.yaml"), pack(helpers)).unwrap();
    fs::create_dir(folder.path().join("helpers")).unwrap();
    fs::write(folder.path().join("helpers/x.js"), "export default () => 1;\n").unwrap();
    folder
}

#[test]
fn helpers_are_read_from_the_file_and_from_the_folder() {
    let folder = folder(
        "    - id: from-file\n      file: helpers/x.js\n      dependencies: [inline]\n    - id: inline\n      signature: 'f(a, b)'\n      summary: Adds.\n      inject: never\n      function: |\n        function f(a, b) {\n          return a + b\n        }\n",
    );
    let loaded = load_folder(folder.path(), &handlers()).unwrap();
    let [first, second] = loaded.helpers.helpers() else { panic!("{loaded:?}") };
    assert_eq!(
        (first.file.as_str(), first.source.as_str(), first.first_line),
        ("helpers/x.js", "export default () => 1;\n", 1)
    );
    assert_eq!((second.file.as_str(), second.first_line, second.indent), ("tool.yaml", 40, 8));
    assert_eq!(second.function.as_deref(), Some("f"));
}

#[test]
fn what_does_not_hold_together_is_told_with_its_line_and_what_would_be_right() {
    for (helpers, expected) in [
        (
            "    - {id: fold, function: 'x => x'}\n    - id: use\n      dependencies:\n        - flod\n      function: 'x => x'\n",
            "tool.yaml:35:11: helper `use` depends on `flod`, which is not there; did you mean `fold`?\n    35 |         - flod",
        ),
        (
            "    - {id: a, dependencies: [b], function: 'x => x'}\n    - {id: b, dependencies: [a], function: 'x => x'}\n",
            "tool.yaml:32:15: helper `a` needs itself: a → b → a; move what both need into a helper of its own",
        ),
        (
            "    - {id: a, function: 'x => x'}\n    - {id: a, function: 'x => x'}\n",
            "tool.yaml:33:12: two helpers have the id `a`",
        ),
        ("    - {id: a}\n", "tool.yaml:32:12: the helper `a` has no code; add `function: |`"),
        ("    - {id: a, function: x, file: y}\n", "has both `function` and `file`; keep one"),
        (
            "    - {id: a, language: python, function: 'lambda x: x'}\n",
            "tool.yaml:32:25: unsupported_language: helper `a` is written in Python; helpers are written in JavaScript; write it in JavaScript",
        ),
        ("    - {id: a, language: ruby, function: x}\n", "tool.yaml:32:"),
        (
            "    - {id: a, file: helpers/x.js}\n",
            "tool.yaml:32:21: this pack has no folder to read files from; write the code under",
        ),
        ("    - {id: a, fonction: x}\n", "unknown field; did you mean `function`?"),
        ("    - {id: a, function: x, inject: all}\n", "tool.yaml:32:"),
        ("    - {id: a, function: x, signature: no name}\n", "tool.yaml:32:"),
    ] {
        let found = inline(helpers);
        assert!(found.iter().any(|problem| problem.contains(expected)), "{helpers}: {found:#?}");
    }
}

#[test]
fn all_problems_of_helpers_are_told_at_once() {
    let found = inline("    - {id: a, dependencies: [x]}\n    - {id: b, dependencies: [a, y], function: 'x => x'}\n");
    assert_eq!(found.len(), 3, "{found:#?}");
}

#[test]
fn a_file_lies_in_the_packs_folder_is_a_file_and_is_small() {
    let folder = folder("    - {id: a, file: PATH}\n");
    let text = fs::read_to_string(folder.path().join("tool.yaml")).unwrap();
    fs::write(folder.path().join("huge.js"), vec![b' '; (1 << 20) + 1]).unwrap();
    fs::write(folder.path().join("latin.js"), b"// \xe9").unwrap();
    for (path, expected) in [
        ("../x.js", "leads out of the pack's folder"),
        ("helpers/../../x.js", "leads out of the pack's folder"),
        ("/etc/passwd", "leads out of the pack's folder"),
        ("helpers", "is not a file"),
        ("gone.js", "`gone.js` is not read:"),
        ("huge.js", "larger than 1048576 bytes"),
        ("latin.js", "UTF-8"),
    ] {
        fs::write(folder.path().join("tool.yaml"), text.replace("PATH", path)).unwrap();
        let found = problems(load_folder(folder.path(), &handlers()));
        assert!(
            found.iter().any(|one| one.starts_with("tool.yaml:32:21:") && one.contains(expected)),
            "{path}: {found:#?}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_is_not_followed() {
    let folder = folder("    - {id: a, file: PATH}\n");
    let text = fs::read_to_string(folder.path().join("tool.yaml")).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("x.js"), "() => 1").unwrap();
    std::os::unix::fs::symlink(elsewhere.path().join("x.js"), folder.path().join("link.js")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), folder.path().join("linked")).unwrap();
    for path in ["link.js", "linked/x.js"] {
        fs::write(folder.path().join("tool.yaml"), text.replace("PATH", path)).unwrap();
        let found = problems(load_folder(folder.path(), &handlers()));
        assert!(found.iter().any(|one| one.contains("symbolic link")), "{path}: {found:#?}");
    }
}
