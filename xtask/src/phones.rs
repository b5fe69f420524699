//! Writes the numbering plans of `balcao-domain` from `PhoneNumberMetadata.xml` of libphonenumber.
//!
//! The columns are told in `crates/balcao-domain/src/phone/plans.rs`. The file is read by its tags, as it lies in
//! libphonenumber's `resources` folder; it has no tag within a tag of the same name.

use std::{collections::BTreeMap, path::Path};

/// What makes a number a line. `noInternationalDialling` only marks some of these.
const LINES: &str = "fixedLine mobile tollFree premiumRate sharedCost personalNumber voip pager uan voicemail";

/// Reads the file that is named and puts the table into its place.
pub(crate) fn write(file: Option<String>) -> Result<String, String> {
    let file = file.ok_or("which file? `cargo run -p xtask -- phones <PhoneNumberMetadata.xml>`")?;
    let xml = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    let xml = without_comments(&xml);
    let read = |territory: &str| {
        let begins = || territory.chars().take(60).collect::<String>();
        Row::read(territory).ok_or_else(|| format!("{file}: something is missing in `<territory {}…`", begins()))
    };
    // Brazil is read by a rule of its own.
    let territories = xml.split("<territory ").skip(1).filter(|territory| !territory.starts_with("id=\"BR\""));
    let mut rows: Vec<Row> = territories.map(read).collect::<Result<_, _>>()?;
    let codes: Vec<String> = rows.iter().map(|row| row.code.clone()).collect();
    for row in &mut rows {
        if codes.iter().filter(|code| **code == row.code).count() == 1 {
            row.own.clear();
        }
    }
    rows.sort_by_key(|row| (row.code.clone(), !row.main));
    let text: String = rows.iter().map(Row::line).collect();
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/balcao-domain/src/phone/plans.txt");
    std::fs::write(&place, text).map_err(|error| format!("{}: {error}", place.display()))?;
    Ok(format!("{} regions are written", rows.len()))
}

struct Row {
    code: String,
    region: String,
    main: bool,
    own: String,
    prefix: String,
    stand_in: String,
    rewriting: String,
    all: String,
    lines: Vec<String>,
}

impl Row {
    fn read(territory: &str) -> Option<Self> {
        let (head, body) = territory.split_once('>')?;
        let value = |name: &str| attribute(head, name).map(|value| squeezed(&value));
        let prefix = value("nationalPrefix").unwrap_or_default();
        let parsing = value("nationalPrefixForParsing").unwrap_or_else(|| prefix.clone());
        let (stand_in, rewriting) = match value("nationalPrefixTransformRule") {
            Some(rule) => rewriting(&parsing, &rule)?,
            None => (plain(&parsing), String::new()),
        };
        // Kinds of the same lengths are one pattern.
        let mut lines: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for kind in LINES.split(' ').filter_map(|kind| element(body, kind)) {
            let lengths = attribute(kind, "national")?.replace(['[', ']'], "");
            let patterns = lines.entry(lengths).or_default();
            let pattern = plain(&squeezed(element(kind, "nationalNumberPattern")?));
            if !patterns.contains(&pattern) {
                patterns.push(pattern);
            }
        }
        Some(Self {
            code: value("countryCode")?,
            region: value("id")?,
            main: value("mainCountryForCode").is_some(),
            own: value("leadingDigits").map_or_else(|| "=".to_owned(), |digits| plain(&digits)),
            prefix,
            stand_in,
            rewriting,
            all: plain(&squeezed(element(element(body, "generalDesc")?, "nationalNumberPattern")?)),
            lines: lines.iter().map(|(lengths, patterns)| format!("{lengths} {}", patterns.join("|"))).collect(),
        })
    }

    fn line(&self) -> String {
        let Self { code, region, own, prefix, stand_in, rewriting, all, lines, .. } = self;
        let lines = lines.join("\t");
        format!("{code}\t{region}\t{own}\t{prefix}\t{stand_in}\t{rewriting}\t{all}\t{lines}\n")
    }
}

/// A prefix with a group that stays, such as `0?(?:(11|22)15)?` with `9$1`: what stands in for the prefix, and the
/// rewriting.
fn rewriting(parsing: &str, rule: &str) -> Option<(String, String)> {
    let lead = rule.strip_suffix("$1")?;
    let open = parsing.match_indices('(').find(|(at, _)| !parsing.split_at(*at).1.starts_with("(?"))?.0;
    let (before, group) = parsing.split_at(open);
    let close = group.char_indices().scan(0, |depth, (at, symbol)| {
        *depth += i32::from(symbol == '(') - i32::from(symbol == ')');
        Some((at, *depth))
    });
    let close = close.into_iter().find(|(_, depth)| *depth == 0)?.0;
    let (part, after) = (group.get(1..close)?, group.get(close + 1..)?);
    let (before, after, stand_in) = match (after.strip_prefix('$'), before.strip_suffix("(?:")) {
        (Some(others), _) => (before, "$", others.trim_start_matches('|')),
        (None, Some(before)) => (before, after.strip_suffix(")?")?, before),
        (None, None) => (before, after, ""),
    };
    Some((plain(stand_in), format!("{} {} {} {lead}", plain(before), plain(part), plain(after))))
}

fn plain(pattern: &str) -> String {
    pattern.replace("(?:", "(").replace("\\d", "d")
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

fn element<'x>(xml: &'x str, name: &str) -> Option<&'x str> {
    xml.split_once(&format!("<{name}>"))?.1.split_once(&format!("</{name}>")).map(|(inside, _)| inside)
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    // Space comes before a name: `nationalPrefix` ends `internationalPrefix`.
    let tag = tag.split_whitespace().fold(String::new(), |tag, word| tag + " " + word);
    Some(tag.split_once(&format!(" {name}=\""))?.1.split_once('"')?.0.to_owned())
}

fn without_comments(xml: &str) -> String {
    let mut parts = xml.split("<!--");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.filter_map(|part| part.split_once("-->")).fold(first, |text, (_, rest)| text + rest)
}
