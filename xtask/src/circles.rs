//! Circles between files of a crate: modules of one folder that import one another, directly or by way of others.
//!
//! An arrow leads from the module that names a path to the module that the path leads into. Of both, the two modules below their
//! nearest common parent count, so that a folder is one thing for its neighbours. A parent and its child may know one another.
//! Code of tests is left out. The reader sees tokens, not types: what a macro writes, and what is found by a re-export of a parent,
//! makes no arrow.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A module by its names from the root of the crate; the root has none.
type Module = Vec<String>;

/// Every circle of every crate of ours, and how many modules were looked at.
pub(crate) fn check() -> Result<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut modules, mut problems) = (0, Vec::new());
    let crates = std::fs::read_dir(root.join("crates")).map_err(|error| format!("crates: {error}"))?;
    let mut folders: Vec<_> = crates.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.sort();
    for folder in folders {
        let sources = sources(&folder.join("src"))?;
        modules += sources.len();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        problems.extend(circles(&sources).into_iter().map(|circle| format!("{name}: {circle}")));
    }
    if problems.is_empty() {
        return Ok(format!("{modules} modules, no circles among neighbours"));
    }
    problems.push("move what two modules share into a third one below both".to_owned());
    Err(problems.join("\n"))
}

/// The source files of a crate, by module.
fn sources(folder: &Path) -> Result<BTreeMap<Module, String>, String> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![(folder.to_owned(), Module::new())];
    while let Some((folder, module)) = waiting.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for entry in entries {
            let path = entry.map_err(|error| format!("{}: {error}", folder.display()))?.path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                let below = [module.clone(), vec![name]].concat();
                waiting.push((path, below));
                continue;
            }
            let is_source = path.extension().is_some_and(|end| end == "rs") && !name.ends_with("_tests");
            if !is_source {
                continue;
            }
            let own = if ["lib", "main", "mod"].contains(&name.as_str()) {
                module.clone()
            } else {
                [module.clone(), vec![name]].concat()
            };
            let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            found.insert(own, text);
        }
    }
    Ok(found)
}

/// The circles of a crate, each as the folder and its modules.
fn circles(sources: &BTreeMap<Module, String>) -> Vec<String> {
    // By parent: which child knows which, and by what path.
    let mut arrows: BTreeMap<&[String], BTreeMap<&str, BTreeSet<String>>> = BTreeMap::new();
    let mut paths_of: BTreeMap<(&[String], &str, String), BTreeSet<String>> = BTreeMap::new();
    for (module, text) in sources {
        for path in paths(&code(text)) {
            let Some(target) = target(sources, module, &path) else { continue };
            let common = module.iter().zip(&target).take_while(|(a, b)| a == b).count();
            let (Some(from), Some(to)) = (module.get(common), target.get(common)) else { continue };
            let parent = module.get(..common).unwrap_or_default();
            arrows.entry(parent).or_default().entry(from).or_default().insert(to.clone());
            paths_of.entry((parent, from, to.clone())).or_default().insert(path.join("::"));
        }
    }
    let mut found = Vec::new();
    for (parent, known) in &arrows {
        let reach: BTreeMap<&str, BTreeSet<String>> = known.keys().map(|from| (*from, reached(known, from))).collect();
        let mut done = BTreeSet::new();
        for (from, reached) in &reach {
            let in_turn = |to: &&String| reach.get(to.as_str()).is_some_and(|back| back.contains(*from));
            let circle: BTreeSet<&str> = reached.iter().filter(in_turn).map(String::as_str).collect();
            if circle.len() > 1 && done.insert(circle.clone()) {
                let within = if parent.is_empty() { "the root".to_owned() } else { parent.join("/") };
                let mut told = format!("in {within}: {}", circle.iter().copied().collect::<Vec<_>>().join(", "));
                for ((of, from, to), paths) in &paths_of {
                    if of == parent && circle.contains(from) && circle.contains(to.as_str()) && *from != to {
                        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
                        told.push_str(&format!("\n    {from} knows {to} by {}", paths.join(", ")));
                    }
                }
                found.push(told);
            }
        }
    }
    found
}

/// All that a module reaches, itself too if it does.
fn reached(known: &BTreeMap<&str, BTreeSet<String>>, from: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![from.to_owned()];
    while let Some(next) = waiting.pop() {
        for to in known.get(next.as_str()).into_iter().flatten() {
            if found.insert(to.clone()) {
                waiting.push(to.clone());
            }
        }
    }
    found
}

/// The module that a path leads into, if it is one of the crate.
fn target(sources: &BTreeMap<Module, String>, from: &Module, path: &[String]) -> Option<Module> {
    let (first, rest) = path.split_first()?;
    let mut rest = rest;
    let mut module = match first.as_str() {
        "crate" => Module::new(),
        "self" => from.clone(),
        "super" => from.split_last()?.1.to_vec(),
        _ => return None,
    };
    while let Some((step, further)) = rest.split_first() {
        if step == "super" {
            module.pop()?;
        } else {
            let below = [module.clone(), vec![step.clone()]].concat();
            let is_module = sources.keys().any(|known| known.starts_with(&below));
            if !is_module {
                break;
            }
            module = below;
        }
        rest = further;
    }
    Some(module)
}

/// Every path of a text that begins at `crate`, `self` or `super`; groups are taken apart.
fn paths(code: &str) -> Vec<Vec<String>> {
    let tokens = tokens(code);
    let mut found = Vec::new();
    let mut index = 0;
    while let Some(token) = tokens.get(index) {
        let begins = ["crate", "self", "super"].contains(&token.as_str())
            && tokens.get(index + 1).is_some_and(|next| next == "::")
            && index.checked_sub(1).and_then(|before| tokens.get(before)).is_none_or(|before| before != "::");
        index = if begins { tree(&tokens, index, &[], &mut found) } else { index + 1 };
    }
    found
}

/// Reads a path or a tree of them from `index` on; gives where it ends.
fn tree(tokens: &[String], mut index: usize, before: &[String], found: &mut Vec<Vec<String>>) -> usize {
    let mut path = before.to_vec();
    loop {
        match tokens.get(index).map(String::as_str) {
            Some("{") => {
                index += 1;
                while tokens.get(index).is_some_and(|token| token != "}") {
                    index = if tokens.get(index).is_some_and(|token| token == ",") {
                        index + 1
                    } else {
                        tree(tokens, index, &path, found).max(index + 1)
                    };
                }
                return index + 1;
            }
            Some(name) if is_name(name) => {
                path.push(name.to_owned());
                index += 1;
            }
            _ => {
                found.push(path);
                return index;
            }
        }
        if tokens.get(index).is_none_or(|token| token != "::") {
            found.push(path);
            // `x as y` names nothing more.
            let renamed = tokens.get(index).is_some_and(|token| token == "as");
            return if renamed { index + 2 } else { index };
        }
        index += 1;
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Names, `::`, braces and commas; each other sign by itself.
fn tokens(code: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut letters = code.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter.is_alphanumeric() || letter == '_' {
            let mut name = letter.to_string();
            while let Some(next) = letters.next_if(|next| next.is_alphanumeric() || *next == '_') {
                name.push(next);
            }
            found.push(name);
        } else if letter == ':' && letters.next_if_eq(&':').is_some() {
            found.push("::".to_owned());
        } else if !letter.is_whitespace() {
            found.push(letter.to_string());
        }
    }
    found
}

/// A source text without comments, texts, and what stands behind `#[cfg(test)]`, which is the end of each file of ours.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '/' if letters.peek() == Some(&'/') => while letters.next_if(|next| *next != '\n').is_some() {},
            '/' if letters.next_if_eq(&'*').is_some() => {
                let mut last = ' ';
                for next in letters.by_ref() {
                    if last == '*' && next == '/' {
                        break;
                    }
                    last = next;
                }
            }
            '"' => {
                while let Some(next) = letters.next() {
                    match next {
                        '\\' => drop(letters.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            // A quotation mark as a character, not the beginning of a text.
            '\'' if letters.next_if_eq(&'"').is_some() => drop(letters.next()),
            '\'' if letters.next_if_eq(&'\\').is_some() => drop(letters.next()),
            _ => plain.push(letter),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crate_of(files: &[(&str, &str)]) -> BTreeMap<Module, String> {
        let module = |path: &str| path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        files.iter().map(|(path, text)| (module(path), (*text).to_owned())).collect()
    }

    #[test]
    fn neighbours_that_import_one_another_are_a_circle() {
        let two = crate_of(&[("", "mod a; mod b;"), ("a", "use crate::b::B;"), ("b", "use super::a::A;")]);
        let told = "in the root: a, b\n    a knows b by crate::b::B\n    b knows a by super::a::A";
        assert_eq!(circles(&two), [told]);
        let three = crate_of(&[
            ("x/a", "use super::{b::{B, C}, d};"),
            ("x/b", "fn f() { crate::x::c::g() }"),
            ("x/c", "use crate::x::a::A as B;"),
            ("x/d", ""),
        ]);
        assert!(matches!(circles(&three).as_slice(), [one] if one.starts_with("in x: a, b, c\n")));
    }

    #[test]
    fn folders_are_one_thing_for_their_neighbours() {
        let folders = crate_of(&[("a/one", "use crate::b::two;"), ("b/two", ""), ("b/three", "use crate::a::one;")]);
        assert!(matches!(circles(&folders).as_slice(), [one] if one.starts_with("in the root: a, b\n")));
    }

    #[test]
    fn parents_comments_texts_and_tests_make_no_circle() {
        let none = crate_of(&[
            ("", "pub use a::A;"),
            ("a", "// crate::b\nconst T: &str = \"crate::b::B \\\" crate::b\"; const Q: char = '\"'; use crate::A;"),
            ("b", "use crate::a::A;\n#[cfg(test)]\nmod tests { use super::b; }"),
            ("b/child", "use super::B; use crate::b::C; use super::super::a::A;"),
        ]);
        assert_eq!(circles(&none), Vec::<String>::new());
    }
}
