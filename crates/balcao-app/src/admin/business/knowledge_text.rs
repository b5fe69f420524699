//! Entries of the knowledge from a text that a person wrote: Markdown, or a table as CSV.

use balcao_language::normalize::normalize;
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};
use serde_json::{Map, Value};

/// Largest text, in bytes.
pub(super) const MOST_BYTES: usize = 1024 * 1024;

/// Most entries of one text.
pub(super) const MOST_ENTRIES: usize = 2_000;

/// Most mistakes that are listed.
const MOST_MISTAKES: usize = 50;

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnowledgeFormat {
    /// Each heading with text below it is an entry; the heading above it, of a higher level, is its category.
    Markdown,
    /// A table with a header: `title`, `content` and, if wanted, `category` (or `titulo`, `conteudo`, `categoria`), parted by comma,
    /// semicolon or tab.
    Csv,
}

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct TextMistake {
    /// From 1.
    pub line: usize,
    /// What is wrong, and what would be right.
    pub message: String,
}

/// Reads entries in the form of a business file. Entries of `category`, if given, are all in it, whatever the text says.
///
/// # Errors
/// Every mistake, in the order of the lines; at most fifty.
pub fn read_knowledge(
    format: KnowledgeFormat,
    text: &str,
    category: Option<&str>,
) -> Result<Vec<Map<String, Value>>, Vec<TextMistake>> {
    let text = &text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    if text.len() > MOST_BYTES {
        let message = format!("invalid text of {} bytes; expected at most {MOST_BYTES}", text.len());
        return Err(vec![TextMistake { line: 1, message }]);
    }
    let mut mistakes = Vec::new();
    let mut found = match format {
        KnowledgeFormat::Markdown => of_markdown(text, &mut mistakes),
        KnowledgeFormat::Csv => of_csv(text, &mut mistakes),
    };
    if mistakes.is_empty() && found.is_empty() {
        let message = "no entry; expected a heading with text below it, or a header with rows".to_owned();
        mistakes.push(TextMistake { line: 1, message });
    }
    if let Some(first) = found.get(MOST_ENTRIES) {
        let message = format!("{} entries; expected at most {MOST_ENTRIES}", found.len());
        mistakes.push(TextMistake { line: first.line, message });
    }
    for entry in &mut found {
        entry.category = category.map(str::to_owned).or(entry.category.take());
    }
    mistakes.sort_by_key(|mistake| mistake.line);
    mistakes.truncate(MOST_MISTAKES);
    if mistakes.is_empty() { Ok(found.into_iter().map(Written::fields).collect()) } else { Err(mistakes) }
}

/// An entry as it was written.
struct Written {
    line: usize,
    category: Option<String>,
    title: String,
    content: String,
}

impl Written {
    fn fields(self) -> Map<String, Value> {
        let category = self.category.map(|category| ("category".to_owned(), Value::from(category)));
        let own = [("title".to_owned(), Value::from(self.title)), ("content".to_owned(), Value::from(self.content))];
        category.into_iter().chain(own).collect()
    }
}

/// A heading, and where its text begins and ends.
struct Heading {
    level: HeadingLevel,
    title: String,
    line: usize,
    text: std::ops::Range<usize>,
}

fn of_markdown(text: &str, mistakes: &mut Vec<TextMistake>) -> Vec<Written> {
    let headings = headings(text);
    let line_of = |at: usize| 1 + text.get(..at).map_or(0, |before| before.matches('\n').count());
    let first = headings.first().map_or(text.len(), |heading| heading.text.start);
    let before = text.get(..first).unwrap_or_default();
    let lead = before.lines().position(|line| !line.trim().is_empty());
    let heading_line = headings.first().map(|heading| heading.line);
    if let Some(line) = lead.map(|place| place + 1).filter(|line| heading_line.is_none_or(|heading| *line < heading)) {
        let message = "text before the first heading; expected a heading that titles it".to_owned();
        mistakes.push(TextMistake { line, message });
    }
    let mut found = Vec::new();
    for (place, heading) in headings.iter().enumerate() {
        let content = text.get(heading.text.clone()).unwrap_or_default().trim();
        let has_below = headings.get(place + 1).is_some_and(|next| next.level > heading.level);
        let line = line_of(heading.text.start.saturating_sub(1)).min(heading.line);
        match (content.is_empty(), heading.title.is_empty(), has_below) {
            (true, _, true) => {}
            (true, _, false) => {
                let message = format!("no text below `{}`; expected what the agent may tell", heading.title);
                mistakes.push(TextMistake { line, message });
            }
            (false, true, _) => {
                let message = "a heading without words; expected the title of the entry".to_owned();
                mistakes.push(TextMistake { line, message });
            }
            (false, false, _) => {
                let above = headings.get(..place).unwrap_or_default().iter().rev();
                let parent = above.into_iter().find(|above| above.level < heading.level);
                found.push(Written {
                    line,
                    category: parent.map(|parent| parent.title.clone()).filter(|title| !title.is_empty()),
                    title: heading.title.clone(),
                    content: content.to_owned(),
                });
            }
        }
    }
    found
}

fn headings(text: &str) -> Vec<Heading> {
    let mut found: Vec<Heading> = Vec::new();
    let mut open: Option<(HeadingLevel, String)> = None;
    for (event, range) in Parser::new(text).into_offset_iter() {
        #[expect(clippy::wildcard_enum_match_arm, reason = "whatever else stands in a heading has no words")]
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                if let Some(last) = found.last_mut() {
                    last.text.end = range.start;
                }
                open = Some((level, String::new()));
            }
            Event::End(TagEnd::Heading(_)) => {
                if let Some((level, title)) = open.take() {
                    let line = 1 + text.get(..range.start).map_or(0, |before| before.matches('\n').count());
                    found.push(Heading { level, title: title.trim().to_owned(), line, text: range.end..text.len() });
                }
            }
            Event::Text(words) | Event::Code(words) => {
                if let Some((_, title)) = &mut open {
                    title.push_str(&words);
                }
            }
            _ => {}
        }
    }
    found
}

/// A column of the table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Category,
    Title,
    Content,
}

impl Column {
    fn of_header(word: &str) -> Option<Self> {
        match normalize(word).as_str() {
            "category" | "categoria" => Some(Self::Category),
            "title" | "titulo" => Some(Self::Title),
            "content" | "conteudo" => Some(Self::Content),
            _ => None,
        }
    }
}

fn of_csv(text: &str, mistakes: &mut Vec<TextMistake>) -> Vec<Written> {
    let header = text.lines().next().unwrap_or_default();
    let count = |delimiter: &char| header.matches(*delimiter).count();
    let delimiter = [',', ';', '\t'].into_iter().max_by_key(count).unwrap_or(',');
    let delimiter = u8::try_from(delimiter).unwrap_or(b',');
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).trim(csv::Trim::All).from_reader(text.as_bytes());
    let columns: Vec<Option<Column>> = match reader.headers() {
        Ok(header) => header.iter().map(Column::of_header).collect(),
        Err(error) => {
            mistakes.push(of_error(&error));
            return Vec::new();
        }
    };
    let place = |wanted: Column| columns.iter().position(|column| *column == Some(wanted));
    let (Some(title), Some(content)) = (place(Column::Title), place(Column::Content)) else {
        let message =
            format!("invalid header `{header}`; expected the columns title, content and, if wanted, category");
        mistakes.push(TextMistake { line: 1, message });
        return Vec::new();
    };
    if let Some(unknown) = columns.iter().position(Option::is_none) {
        let word = reader.headers().ok().and_then(|header| header.get(unknown)).unwrap_or_default();
        let message = format!("unknown column `{word}`; expected title, content or category");
        mistakes.push(TextMistake { line: 1, message });
    }
    // Quotes come in pairs: one without its other swallows the rows behind it.
    if !text.matches('"').count().is_multiple_of(2) {
        let line = 1 + text.rfind('"').and_then(|at| text.get(..at)).map_or(0, |before| before.matches('\n').count());
        let message = "a quote that is not closed; expected quotes in pairs, and two for one within a text".to_owned();
        mistakes.push(TextMistake { line, message });
        return Vec::new();
    }
    let mut found = Vec::new();
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                mistakes.push(of_error(&error));
                continue;
            }
        };
        let line = record.position().map_or(1, |at| usize::try_from(at.line()).unwrap_or(1));
        let text = |at: usize| record.get(at).unwrap_or_default().to_owned();
        for (name, at) in [("title", title), ("content", content)] {
            if text(at).is_empty() {
                let message = format!("an empty `{name}`; expected a text");
                mistakes.push(TextMistake { line, message });
            }
        }
        let category = place(Column::Category).map(text).filter(|category| !category.is_empty());
        found.push(Written { line, category, title: text(title), content: text(content) });
    }
    found
}

fn of_error(error: &csv::Error) -> TextMistake {
    let line = error.position().map_or(1, |at| usize::try_from(at.line()).unwrap_or(1));
    let message = if let csv::ErrorKind::UnequalLengths { expected_len, len, .. } = error.kind() {
        format!("{len} fields; expected {expected_len} as in the header, a text with the delimiter in quotes")
    } else {
        "invalid row; expected fields in the form of the header".to_owned()
    };
    TextMistake { line, message }
}

#[cfg(test)]
#[path = "knowledge_text_tests.rs"]
mod tests;
