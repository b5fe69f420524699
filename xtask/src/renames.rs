//! The names of `docs/glossary.md`: an item that got a better name does not come back under the old one. `xtask/renames.txt` has a row per
//! item: the file or folder, the old declaration, the new name.

use std::{fs, path::Path};

const TABLE: &str = "xtask/renames.txt";

/// No file of a row declares the old item, and one declares the new one.
pub(crate) fn check() -> Result<String, String> {
    let table = fs::read_to_string(TABLE).map_err(|error| format!("{TABLE}: {error}"))?;
    let (mut rows, mut problems) = (0, Vec::new());
    for (number, row) in table.lines().enumerate().filter(|(_, row)| !row.is_empty() && !row.starts_with('#')) {
        let at = format!("{TABLE}:{}", number + 1);
        let columns: Vec<&str> = row.split(" | ").collect();
        let [folder, old, new] = columns.as_slice() else {
            problems.push(format!("{at}: invalid row; expected `file or folder | old declaration | new name`"));
            continue;
        };
        let Some((kind, name)) = old.split_once(' ') else {
            problems.push(format!("{at}: invalid declaration `{old}`; expected for example `struct Desk`"));
            continue;
        };
        rows += 1;
        let declared = |name: &str| any_file(Path::new(folder), &|text| declares(text, kind, name));
        if declared(name) {
            problems.push(format!("{at}: {folder} declares `{old}` again; expected `{kind} {new}`"));
        }
        if !declared(new) {
            problems.push(format!("{at}: {folder} does not declare `{kind} {new}`"));
        }
    }
    if problems.is_empty() { Ok(format!("{rows} items have their new names")) } else { Err(problems.join("\n")) }
}

/// Whether a text declares an item: `struct Desk`, `fn ask`, `mod desk`, `const STALE`; `field gaps` is a field of a struct, and
/// `variant OfOne` is a variant of an enum.
fn declares(text: &str, kind: &str, name: &str) -> bool {
    let is_word = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let mut lines = text.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
    if kind == "field" {
        let start = format!("{name}: ");
        return lines.any(|line| visible(line).starts_with(&start) && line.ends_with(','));
    }
    if kind == "variant" {
        let is_end = |rest: &str| rest == "," || rest.starts_with('(') || rest.starts_with(" {");
        return lines.any(|line| line.strip_prefix(name).is_some_and(is_end));
    }
    let declaration = format!("{kind} {name}");
    lines.any(|line| {
        line.match_indices(&declaration).any(|(place, _)| {
            let (before, rest) = (line.get(..place).unwrap_or_default(), line.get(place + declaration.len()..));
            rest.is_some_and(is_word) && before.chars().all(|c| c.is_ascii_lowercase() || " ()".contains(c))
        })
    })
}

/// A line without `pub`, `pub(crate)` and the like.
fn visible(line: &str) -> &str {
    let rest = line.strip_prefix("pub").unwrap_or(line);
    let rest = if rest.starts_with('(') { rest.split_once(')').map_or(rest, |(_, rest)| rest) } else { rest };
    rest.trim_start()
}

/// Whether a file holds something, or any of a folder.
fn any_file(folder: &Path, holds: &dyn Fn(&str) -> bool) -> bool {
    if folder.is_file() {
        return fs::read_to_string(folder).is_ok_and(|text| holds(&text));
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| {
        if path.is_dir() {
            return any_file(&path, holds);
        }
        let is_source = path.extension().is_some_and(|end| end == "rs")
            && !path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("_tests"));
        is_source && fs::read_to_string(&path).is_ok_and(|text| holds(&text))
    })
}

#[cfg(test)]
mod tests {
    use super::declares;

    #[test]
    fn a_declaration_is_told_from_a_use_and_from_a_longer_name() {
        let text =
            "use a::Desk;\n// struct Desk\npub(crate) struct Desks;\npub async fn ask(\n    pub gaps: Vec<u8>,\n";
        assert!(!declares(text, "struct", "Desk"));
        assert!(declares("pub(crate) struct Desk<'a> {", "struct", "Desk"));
        assert!(declares(text, "fn", "ask") && !declares(text, "fn", "as"));
        assert!(declares(text, "field", "gaps") && !declares("    gaps: 1\n", "field", "gaps"));
        let variants = "enum Quota {\n    OfOne,\n    Counted(u32),\n    Instead {\n";
        assert!(["OfOne", "Counted", "Instead"].iter().all(|name| declares(variants, "variant", name)));
        assert!(!declares(variants, "variant", "Of") && !declares("    // OfOne,\n", "variant", "OfOne"));
        assert!(!declares("    Self::OfOne,\n", "variant", "OfOne"));
    }
}
