//! A test that skips is seen: the file that collects the skips holds only those that `.ci/skips` permits.

use std::{collections::BTreeSet, fs, path::Path};

const LIST: &str = ".ci/skips";

/// A permitted skip.
#[derive(Debug, PartialEq, Eq)]
struct Row<'a> {
    /// How the path of the file that calls `skip` begins.
    place: &'a str,
    /// Words that the reason contains.
    reason: &'a str,
    /// A path that must be missing; `None` if the skip is permitted on every machine.
    missing: Option<&'a str>,
}

/// Checks the list itself and, where `skipped` names the file that collected the skips of a stage, that the list permits each of them.
///
/// # Errors
/// Invalid rows, rows of places that call no `skip`, and skips that no row permits.
pub(crate) fn check(skipped: Option<String>) -> Result<String, String> {
    let list = read(LIST)?;
    let rows = rows(&list)?;
    let Some(path) = skipped else { return check_places(&rows) };
    let skips = read(&path)?;
    let refused = refused(&skips, &rows, |path| Path::new(path).exists());
    if refused.is_empty() {
        return Ok(format!("{LIST} permits {} skips", skips.lines().count()));
    }
    let problems: Vec<String> = refused.into_iter().map(|skip| format!("skipped: {skip}")).collect();
    Err(format!("{}\nexpected tests that run; install what they need, or add a row to {LIST}", problems.join("\n")))
}

fn read(path: &str) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))
}

fn rows(list: &str) -> Result<Vec<Row<'_>>, String> {
    let lines = list.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(number, line)| {
            row(line).ok_or_else(|| {
                format!("{LIST}:{}: invalid row; expected `PLACE | WORDS | anywhere or without PATH | why`", number + 1)
            })
        })
        .collect()
}

fn row(line: &str) -> Option<Row<'_>> {
    let columns: Vec<&str> = line.split(" | ").map(str::trim).collect();
    let [place, reason, condition, why] = columns.as_slice() else { return None };
    let missing = if *condition == "anywhere" { None } else { Some(condition.strip_prefix("without ")?) };
    let is_whole = [place, reason, why].iter().all(|column| !column.is_empty());
    is_whole.then_some(Row { place, reason, missing })
}

/// Skips that no row permits, each once. `exists` tells whether a path is there.
fn refused<'a>(skips: &'a str, rows: &[Row<'_>], exists: impl Fn(&str) -> bool) -> BTreeSet<&'a str> {
    let is_permitted = |skip: &str| {
        rows.iter().any(|row| {
            let of_place = skip.starts_with(row.place) && skip.contains(row.reason);
            of_place && !row.missing.is_some_and(&exists)
        })
    };
    skips.lines().filter(|skip| !skip.trim().is_empty() && !is_permitted(skip)).collect()
}

/// Each row names the place of a call.
fn check_places(rows: &[Row<'_>]) -> Result<String, String> {
    let calls: Vec<String> = crate::files(&["crates/*.rs"])?
        .into_iter()
        .filter(|file| read(file).is_ok_and(|text| text.contains("skip(")))
        .collect();
    let stale: Vec<String> = rows
        .iter()
        .filter(|row| !calls.iter().any(|file| file.starts_with(row.place)))
        .map(|row| format!("{LIST}: no file under `{}` calls `skip`; expected the place of a call", row.place))
        .collect();
    if stale.is_empty() { Ok(format!("{} permitted skips", rows.len())) } else { Err(stale.join("\n")) }
}

#[cfg(test)]
mod tests {
    use super::{refused, row, rows};

    const LIST: &str = "# a comment\n\
        crates/a/ | the material | without ../material | it lies beside the repository\n\
        crates/b/tests/it.rs | needs root | anywhere | a mount needs root's rights\n";

    #[test]
    fn skip_without_row_is_refused() {
        let rows = rows(LIST).unwrap();
        let skips = "crates/a/x.rs: the material is missing\ncrates/b/tests/it.rs: needs root\ncrates/c/x.rs: needs root\n\
            crates/c/x.rs: needs root\ncrates/b/tests/it.rs: no compiler\n";
        let expected = ["crates/b/tests/it.rs: no compiler", "crates/c/x.rs: needs root"];
        assert!(refused(skips, &rows, |_| false).into_iter().eq(expected));
        assert!(refused("", &rows, |_| false).is_empty());
    }

    #[test]
    fn skip_is_refused_where_nothing_is_missing() {
        let rows = rows(LIST).unwrap();
        let skip = "crates/a/x.rs: the material is missing\n";
        assert!(refused(skip, &rows, |path| path == "../material").into_iter().eq([skip.trim()]));
    }

    #[test]
    fn row_says_place_reason_condition_and_cause() {
        for line in ["crates/a/ | reason | anywhere", "crates/a/ | reason | never | why", " | reason | anywhere | why"]
        {
            assert_eq!(row(line), None, "{line}");
        }
        assert!(rows("crates/a/ | reason").unwrap_err().contains(".ci/skips:1"));
    }

    #[test]
    fn list_is_valid() {
        rows(include_str!("../../.ci/skips")).unwrap();
    }
}
