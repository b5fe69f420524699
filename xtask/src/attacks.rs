//! Every attack that was found, every mistake with external calendars, and everything that a shop lives through stays tried: each row of a
//! list names tests that are there.

use std::{collections::BTreeSet, fs, path::Path};

/// A list of what must stay tried.
struct List {
    file: &'static str,
    /// What its rows are, in the plural.
    rows: &'static str,
    /// What a row says besides.
    besides: Besides,
}

/// What a row of a list says besides its tests.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Besides {
    /// Nothing that is checked.
    Nothing,
    /// Why it needs no test that looks at memory, where it names none.
    Measure,
    /// The command that does what is tried.
    Command,
}

const ATTACKS: List = List { file: "tests/attack/LIST", rows: "attacks", besides: Besides::Measure };
const CALENDARS: List =
    List { file: "tests/calendars/LIST", rows: "mistakes with calendars", besides: Besides::Nothing };
const SHOP: List = List { file: "tests/shop/LIST", rows: "events of a shop", besides: Besides::Command };
/// The rows of the list of a shop that an audit of the first version asks for, by the names that the audit gave them.
const AUDITED: [&str; 11] = [
    "T9",
    "T10",
    "get_stats",
    "get_no_show_clients",
    "loaded-business",
    "Pulse",
    "D6",
    "Gap-1",
    "Gap-3",
    "Gap-6.1",
    "Ref-5",
];
/// The attribute of a test that is not run; in two pieces, since whole it is a mark of unfinished work.
const IGNORED: &str = concat!("#[", "ignore");

/// The page of budgets, whose last column names tests, too.
const BUDGETS: &str = "docs/BUDGETS.md";

/// Every row of the tables of budgets names at least one test in its last column, and all of them are there.
pub(crate) fn check_budgets() -> Result<String, String> {
    let page = fs::read_to_string(BUDGETS).map_err(|error| format!("{BUDGETS}: {error}"))?;
    let (mut rows, mut problems) = (0, Vec::new());
    let is_row = |row: &str| row.starts_with("| ") && !row.starts_with("| what |");
    for (number, row) in page.lines().enumerate().filter(|(_, row)| is_row(row)) {
        let at = format!("{BUDGETS}:{}", number + 1);
        let columns: Vec<&str> = row.trim_end_matches(" |").split(" | ").collect();
        let tests = columns.last().copied().unwrap_or_default();
        rows += 1;
        if let [_what, budget, place, ..] = columns.as_slice() {
            problems.extend(differing(budget, place).into_iter().map(|problem| format!("{at}: {problem}")));
        }
        let named: Vec<&str> = tests.split(", ").map(|test| test.trim_matches('`')).collect();
        problems.extend(
            named
                .into_iter()
                .filter(|test| !is_written(test))
                .map(|test| format!("{at}: missing test `{test}`; expected tests that go beyond the budget")),
        );
    }
    if problems.is_empty() { Ok(format!("{rows} budgets have tests")) } else { Err(problems.join("\n")) }
}

/// Constants that a row names as `` `NAME` in `file` `` and whose value its budget does not say.
fn differing(budget: &str, place: &str) -> Vec<String> {
    let mut problems = Vec::new();
    for named in place.split("`, `") {
        let parts: Vec<&str> = named.split('`').filter(|part| !part.trim().is_empty()).collect();
        let Some(at) = parts.iter().position(|part| part.trim() == "in") else { continue };
        let before = at.checked_sub(1).and_then(|before| parts.get(before));
        let (Some(name), Some(file)) = (before, parts.get(at + 1)) else { continue };
        let text = fs::read_to_string(file).unwrap_or_default();
        match value(&text, name) {
            Some(Some(value)) if !spellings(value).iter().any(|spelling| budget.contains(spelling.as_str())) => {
                problems.push(format!("`{name}` is {value}; expected `{budget}` to say so"));
            }
            Some(_) => {}
            None => problems.push(format!("unknown constant `{name}` of `{file}`")),
        }
    }
    problems
}

/// The value of a constant of a file, or the default of a field; inside, `None` if it is neither a product nor a shift of numbers.
fn value(text: &str, name: &str) -> Option<Option<u64>> {
    let written = constant(text, name).or_else(|| default_of_field(text, name))?;
    let number = |word: &str| match word.trim() {
        "MIB" => Some(1 << 20),
        word => word.replace('_', "").parse::<u64>().ok(),
    };
    let written = written.strip_prefix("Duration::from_secs(").map_or(written, |seconds| seconds.trim_end_matches(')'));
    Some(match written.split_once("<<") {
        Some((base, shift)) => number(base).zip(number(shift)).map(|(base, shift)| base << shift),
        None => written.split('*').map(number).product(),
    })
}

fn constant<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let rest = text.split(&format!("const {name}: ")).nth(1)?;
    Some(rest.split_once(" = ")?.1.split_once(';')?.0)
}

/// What `impl Default` writes for a field, on a line of its own.
fn default_of_field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let defaults = text.split("impl Default for ").nth(1)?;
    defaults.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(": ")?.strip_suffix(','))
}

/// How a number may stand in the table.
fn spellings(value: u64) -> Vec<String> {
    let digits = value.to_string();
    let place = |at: usize| at > 0 && (digits.len() - at).is_multiple_of(3);
    let grouped =
        digits.char_indices().map(|(at, digit)| if place(at) { format!(",{digit}") } else { digit.to_string() });
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")]
        .into_iter()
        .filter(|(bits, _)| value > 0 && value.is_multiple_of(1 << bits));
    let sizes = units.map(|(bits, unit)| format!("{} {unit}", value >> bits));
    std::iter::once(grouped.collect()).chain(sizes).collect()
}

/// The names of the Rust tests of all rows, as `cargo test` filters them: without the crate, and without its folder of tests.
pub(crate) fn filters() -> Result<String, String> {
    let file = ATTACKS.file;
    let list = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let rows = list.lines().filter(|row| !row.is_empty() && !row.starts_with('#'));
    let named = rows.filter_map(|row| row.split(" | ").nth(2)).flat_map(|tests| tests.split(", "));
    let filters: BTreeSet<&str> = named.filter_map(filter).collect();
    Ok(filters.into_iter().collect::<Vec<_>>().join("\n"))
}

/// `balcao-cli::it::attack::door::h05` is `attack::door::h05` there. The browser's tests are not Rust's.
fn filter(test: &str) -> Option<&str> {
    let (package, path) = test.split_once("::")?;
    let binary = ["it::", "loop_contract::"].iter().find_map(|binary| path.strip_prefix(binary));
    (package != "browser").then_some(binary.unwrap_or(path))
}

/// Rows of all lists name at least one test, and every test that they name is written somewhere in its crate.
pub(crate) fn check() -> Result<String, String> {
    Ok(format!("{}; {}; {}", check_list(&ATTACKS)?, check_list(&CALENDARS)?, check_list(&SHOP)?))
}

fn check_list(of: &List) -> Result<String, String> {
    let file = of.file;
    let list = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let (mut rows, mut tests, mut problems, mut ids) = (0, 0, Vec::new(), BTreeSet::new());
    for (number, row) in list.lines().enumerate().filter(|(_, row)| !row.is_empty() && !row.starts_with('#')) {
        let at = format!("{file}:{}", number + 1);
        let columns: Vec<&str> = row.split(" | ").collect();
        let ([id, _what, named] | [id, _what, named, _]) = columns.as_slice() else {
            problems.push(format!("{at}: invalid row; expected `ID | what is tried | crate::path::of::test, …`"));
            continue;
        };
        if of.besides == Besides::Command && !names_command(columns.get(3).copied()) {
            problems.push(format!(
                "{at}: {id} names no command; expected `| \u{60}balcao …\u{60}` with one of its commands"
            ));
        }
        if of.besides == Besides::Measure && !is_measured(named, columns.get(3).copied()) {
            problems.push(format!(
                "{at}: {id} has no measure; expected a test under attack::weight, or `| pure: ` with a reason"
            ));
        }
        if !ids.insert((*id).to_owned()) {
            problems.push(format!("{at}: {id} stands there twice"));
        }
        rows += 1;
        for test in named.split(", ") {
            tests += 1;
            if !is_written(test) {
                problems.push(format!("{at}: unknown test `{test}`"));
            }
        }
    }
    if of.besides == Besides::Command {
        problems.extend(
            missing(&ids).map(|name| format!("{file}: no row `{name}`; expected one for each finding of the audit")),
        );
    }
    if problems.is_empty() {
        Ok(format!("{rows} {} are tried by {tests} tests", of.rows))
    } else {
        Err(problems.join("\n"))
    }
}

/// The findings of the audit that no row is about.
fn missing(ids: &BTreeSet<String>) -> impl Iterator<Item = &'static str> {
    AUDITED.into_iter().filter(|name| !ids.contains(*name))
}

/// Whether a row names a test that asks for health and looks at memory while the attack lasts, or says why it needs none.
fn is_measured(named: &str, remark: Option<&str>) -> bool {
    let reason = remark.and_then(|remark| remark.strip_prefix("pure: "));
    match remark {
        None => named.contains("::attack::weight::"),
        Some(_) => reason.is_some_and(|reason| !reason.trim().is_empty()),
    }
}

/// Whether the last column names a command of the program, with a subcommand if it has some: each command has a module of its own.
fn names_command(remark: Option<&str>) -> bool {
    let command = remark.and_then(|remark| remark.strip_prefix("`balcao ")?.strip_suffix('`'));
    let (name, rest) = command.map(|command| command.split_once(' ').unwrap_or((command, ""))).unwrap_or_default();
    let folder = Path::new("crates/balcao-cli/src/commands").join(name);
    let Ok(text) = fs::read_to_string(folder.with_extension("rs")) else { return false };
    has_subcommand(&text, rest)
        && options(rest)
            .all(|option| has_option(&text, &option) || any_file(&folder, "rs", &|text| has_option(text, &option)))
}

/// Whether the module of a command takes the first of these words as its subcommand, or has none.
fn has_subcommand(text: &str, words: &str) -> bool {
    let Some((_, variants)) = text.split_once("Subcommand)]\n") else { return true };
    let variants = variants.split_once("\n}").map_or(variants, |(variants, _)| variants);
    let named = variants
        .lines()
        .filter_map(|line| line.strip_prefix("    ").filter(|line| line.starts_with(char::is_uppercase)));
    let names = named.map(|line| kebab(line.split(|sign: char| !sign.is_alphanumeric()).next().unwrap_or_default()));
    let wanted = words.split(' ').next().unwrap_or_default();
    names.into_iter().any(|name| name == wanted)
}

/// The options among words, as the fields that hold them.
fn options(words: &str) -> impl Iterator<Item = String> {
    words.split(' ').filter_map(|word| Some(word.strip_prefix("--")?.replace('-', "_")))
}

/// Whether a module has an option of that field.
fn has_option(text: &str, field: &str) -> bool {
    text.contains(&format!("\n    {field}: ")) || text.contains(&format!("\n        {field}: "))
}

/// The name of a variant as the command line has it.
fn kebab(variant: &str) -> String {
    let mut name = String::new();
    for letter in variant.chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.extend(letter.to_lowercase());
    }
    name
}

/// Whether a file of the crate, or of the browser's tests (`browser::NAME`), has a test of that name.
fn is_written(test: &str) -> bool {
    let mut steps = test.split("::");
    let (Some(crate_name), Some(name)) = (steps.next(), steps.last()) else { return false };
    if crate_name == "browser" {
        return any_file(Path::new("tests/browser"), "js", &|text| text.contains(&format!("test(\"{name}\"")));
    }
    let folder = Path::new("crates").join(crate_name);
    let modules: Vec<&str> = test.split("::").skip(1).filter(|step| *step != "tests" && *step != name).collect();
    if !has_module(&folder, &modules) {
        return false;
    }
    // Names of the loop's contract stand before what they say, those of the store's in a list.
    let listed = [format!("\n    {name} both \""), format!("\n    {name} native \""), format!("\n        {name},\n")];
    let written = [format!("fn {name}(")];
    any_file(&folder, "rs", &|text| {
        let of_contract = listed.iter().any(|one| text.contains(one.as_str()));
        of_contract || written.iter().any(|one| is_run(text, one))
    })
}

/// Whether the path of a test leads to a file: a filter by a path that leads nowhere runs nothing. Of the contract suites the last steps
/// come from a macro.
fn has_module(folder: &Path, modules: &[&str]) -> bool {
    let (root, steps) = match modules {
        ["it", steps @ ..] => (folder.join("tests/it"), steps),
        [suite @ "loop_contract", steps @ ..] => (folder.join("tests").join(suite), steps),
        steps => (folder.join("src"), steps),
    };
    let is_file = |steps: &[&str]| {
        let path = root.join(steps.join("/"));
        path.with_extension("rs").is_file() || path.join("mod.rs").is_file()
    };
    steps.is_empty() || is_file(steps) || (steps.first() == Some(&"contract") && is_file(&["contract"]))
}

/// Whether a function is run as a test: its attributes say so, and none has it ignored.
fn is_run(text: &str, function: &str) -> bool {
    let places = text.match_indices(function).map(|(place, _)| text.get(..place).unwrap_or_default());
    let mut attributes = places.map(|before| before.rsplit("\n\n").next().unwrap_or_default());
    attributes.any(|before| before.contains("test") && before.contains("#[") && !before.contains(IGNORED))
}

fn any_file(folder: &Path, end: &str, holds: &dyn Fn(&str) -> bool) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return !path.ends_with("node_modules") && any_file(&path, end, holds);
        }
        path.extension().is_some_and(|found| found == end) && fs::read_to_string(&path).is_ok_and(|text| holds(&text))
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_test_is_found_by_its_path_inside_of_its_program() {
        assert_eq!(super::filter("balcao-cli::it::attack::door::h05"), Some("attack::door::h05"));
        assert_eq!(super::filter("balcao-tool::cost::tests::few"), Some("cost::tests::few"));
        assert_eq!(super::filter("balcao-agent::loop_contract::confirm::lc_208"), Some("confirm::lc_208"));
        assert_eq!(super::filter("browser::on a page"), None);
    }

    #[test]
    fn a_row_is_measured_or_says_why_it_needs_no_measure() {
        let weighed = "balcao-cli::it::attack::weight::bombs::u11";
        assert!(super::is_measured(weighed, None) && super::is_measured("a::b", Some("pure: a rule is judged")));
        assert!(!super::is_measured("a::b", None) && !super::is_measured("a::b", Some("pure: ")));
        assert!(!super::is_measured("a::b", Some("why not")));
    }

    #[test]
    fn a_command_is_named_with_its_subcommand_and_its_options() {
        let text = "#[derive(Debug, Subcommand)]\nenum Command {\n    /// Marks.\n    Mark(mark::Args),\n    /// All.\n    \
                    CompleteDay {\n        #[arg(long)]\n        no_shows: u32,\n    },\n}\n";
        assert!(super::has_subcommand(text, "mark") && super::has_subcommand(text, "complete-day --no-shows 20"));
        assert!(!super::has_subcommand(text, "marks") && !super::has_subcommand(text, ""));
        assert!(super::has_subcommand("struct Args;\n", ""));
        let fits = |words: &str| super::options(words).all(|option| super::has_option(text, &option));
        assert!(fits("complete-day --no-shows 20") && fits("mark") && !fits("complete-day --shows"));
    }

    #[test]
    fn each_finding_of_the_audit_has_a_row() {
        let all = super::AUDITED.map(str::to_owned);
        assert_eq!(super::missing(&all.clone().into()).next(), None);
        assert_eq!(super::missing(&all.into_iter().filter(|name| name != "D6").collect()).collect::<Vec<_>>(), ["D6"]);
    }

    #[test]
    fn a_budget_says_the_value_of_its_constant() {
        let value = |written: &str| super::value(&format!("pub const MOST: usize = {written};"), "MOST");
        assert_eq!(
            (value("64 << 20"), value("16 * MIB"), value("2_000")),
            (Some(Some(64 << 20)), Some(Some(16 << 20)), Some(Some(2_000)))
        );
        let text = "struct A {\n    most: usize,\n}\nimpl Default for A {\n    most: 30 * 1024,\n    time: Duration::from_secs(15),\n";
        assert_eq!(
            (super::value(text, "most"), super::value(text, "time"), super::value(text, "least")),
            (Some(Some(30 << 10)), Some(Some(15)), None)
        );
        assert_eq!((value("2 * OTHER"), super::value("", "MOST")), (Some(None), None));
        assert_eq!(super::spellings(1 << 20), ["1,048,576", "1 MiB", "1024 KiB"]);
        assert!(super::spellings(4 << 30).contains(&"4 GiB".to_owned()));
        assert_eq!(super::spellings(100_000), ["100,000"]);
        let told = super::differing("3 MiB", "fixed: `MOST` in `no/such/file.rs`");
        assert_eq!(told, ["unknown constant `MOST` of `no/such/file.rs`"]);
    }

    #[test]
    fn a_function_counts_if_it_is_run() {
        let run = |attributes: &str| super::is_run(&format!("use x;\n\n{attributes}fn it() {{}}"), "fn it(");
        assert!(run("#[test]\n") && run("/// Why.\n#[tokio::test]\nasync "));
        assert!(!run("") && !run(&format!("#[test]\n{}]\n", super::IGNORED)));
    }
}
