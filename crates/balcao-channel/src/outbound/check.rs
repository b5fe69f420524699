//! Every limit of what goes out, as one plain function over the content.

use std::collections::HashSet;

use super::{Button, MediaSource, OutboundContent, Section, Template, TemplateParameter, limits};
use crate::inbound::MediaKind;

/// Why a message can never be sent as it is. Each says how to mend it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutboundError {
    /// A part has no words.
    #[error("{part} is empty: write at least one visible character, or leave the part out if it is optional")]
    Empty {
        /// Which part.
        part: &'static str,
    },
    /// A part has too many words.
    #[error("{part} has {length} characters, and at most {limit} are allowed: {mend}")]
    TooLong {
        /// Which part.
        part: &'static str,
        /// How long it is, in UTF-16 units.
        length: usize,
        /// How long it may be.
        limit: usize,
        /// How to mend it.
        mend: &'static str,
    },
    /// Too few or too many of something.
    #[error("there are {count} {part}: give 1 to {limit}")]
    Count {
        /// Of what.
        part: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        limit: usize,
    },
    /// Two of something are the same.
    #[error("`{value}` stands twice among {part}: each must differ, or a tap could not be told from another")]
    Twice {
        /// Among what.
        part: &'static str,
        /// What stands twice.
        value: String,
    },
    /// A heading is missing.
    #[error("a list with several sections needs a title for each of them")]
    SectionTitle,
    /// An address is not for the public web.
    #[error("{part} must be an address that begins with https://")]
    NotHttps {
        /// Which part.
        part: &'static str,
    },
    /// A kind of file cannot have that.
    #[error("{kind} cannot have {part}: {mend}")]
    NotWithMedia {
        /// The kind of file.
        kind: &'static str,
        /// What it cannot have.
        part: &'static str,
        /// What to do.
        mend: &'static str,
    },
    /// No place on Earth.
    #[error("latitude must be from -90 to 90 and longitude from -180 to 180")]
    Coordinates,
    /// A template cannot be called that.
    #[error("invalid template name `{name}`; expected lower-case letters, digits and `_`, at most 512")]
    TemplateName {
        /// The name as given.
        name: String,
    },
    /// There is no such language code.
    #[error("invalid template language `{code}`; expected a code such as pt_BR or en")]
    TemplateLanguage {
        /// The code as given.
        code: String,
    },
    /// Only some gaps are named.
    #[error("either all parameters of a template have a name or none has, as the template itself says")]
    TemplateMixed,
    /// A gap holds what breaks a line.
    #[error("a template parameter is one line: no line breaks, no tabs, no more than four spaces in a row")]
    TemplateLine,
    /// No name of ours.
    #[error("a correlation id has 1 to 512 visible ASCII characters, without spaces")]
    Correlation,
}

const SHORTEN: &str = "shorten it";

pub(super) fn content(content: &OutboundContent) -> Result<(), OutboundError> {
    match content {
        OutboundContent::Text { body, preview_url: _ } => {
            filled("the text", body, limits::TEXT, "cut it into several messages with `split_text`")
        }
        OutboundContent::Media { media, source, caption, filename, voice } => {
            file(*media, source, caption.as_deref(), filename.as_deref(), *voice)
        }
        OutboundContent::Location { latitude, longitude, name, address } => {
            place(*latitude, *longitude)?;
            optional("the name of the place", name.as_deref(), limits::NAME)?;
            optional("the address of the place", address.as_deref(), limits::NAME)
        }
        OutboundContent::Buttons { header, body, footer, buttons } => {
            around(header.as_deref(), body, footer.as_deref())?;
            check_buttons(buttons)
        }
        OutboundContent::List { header, body, footer, open, sections } => {
            around(header.as_deref(), body, footer.as_deref())?;
            filled("the button that opens the list", open, limits::BUTTON_TITLE, SHORTEN)?;
            check_sections(sections)
        }
        OutboundContent::AskNumber { body } => around(None, body, None),
        OutboundContent::Template(template) => check_template(template),
        OutboundContent::Mail { subject, body, calendar: _ } => {
            filled("the subject", subject, limits::SUBJECT, SHORTEN)?;
            filled("the text", body, limits::MAIL, SHORTEN)
        }
    }
}

fn filled(part: &'static str, text: &str, limit: usize, mend: &'static str) -> Result<(), OutboundError> {
    if text.trim().is_empty() {
        return Err(OutboundError::Empty { part });
    }
    let length = limits::length(text);
    if length > limit { Err(OutboundError::TooLong { part, length, limit, mend }) } else { Ok(()) }
}

fn optional(part: &'static str, text: Option<&str>, limit: usize) -> Result<(), OutboundError> {
    text.map_or(Ok(()), |text| filled(part, text, limit, SHORTEN))
}

fn around(header: Option<&str>, body: &str, footer: Option<&str>) -> Result<(), OutboundError> {
    optional("the header", header, limits::HEADER)?;
    let mend = "send the long part as a text before, and keep the question short";
    filled("the body", body, limits::INTERACTIVE_BODY, mend)?;
    optional("the footer", footer, limits::HEADER)
}

fn https(part: &'static str, url: &str) -> Result<(), OutboundError> {
    let rest = url.strip_prefix("https://").filter(|rest| rest.starts_with(|first: char| first.is_alphanumeric()));
    if rest.is_none() || url.contains(|letter: char| letter.is_whitespace() || letter.is_control()) {
        return Err(OutboundError::NotHttps { part });
    }
    filled(part, url, limits::URL, SHORTEN)
}

fn file(
    kind: MediaKind,
    source: &MediaSource,
    caption: Option<&str>,
    filename: Option<&str>,
    voice: bool,
) -> Result<(), OutboundError> {
    let refuse = |part, mend| Err(OutboundError::NotWithMedia { kind: kind.as_str(), part, mend });
    match source {
        MediaSource::Uploaded(id) => filled("the id of the file", id.as_str(), limits::NAME, SHORTEN)?,
        MediaSource::Link(url) => https("the address of the file", url)?,
        MediaSource::Kept(_) | MediaSource::Inline(_) => {}
    }
    match kind {
        MediaKind::Audio | MediaKind::Sticker if caption.is_some() => {
            return refuse("a caption", "send the words as a text of their own");
        }
        MediaKind::Image | MediaKind::Video | MediaKind::Audio | MediaKind::Sticker if filename.is_some() => {
            return refuse("a file name", "send it as a document, or without a name");
        }
        MediaKind::Image | MediaKind::Video | MediaKind::Document | MediaKind::Sticker if voice => {
            return refuse("a voice mark", "only audio is shown as a voice note");
        }
        MediaKind::Image | MediaKind::Video | MediaKind::Audio | MediaKind::Document | MediaKind::Sticker => {}
    }
    optional("the caption", caption, limits::CAPTION)?;
    optional("the file name", filename, limits::NAME)
}

fn place(latitude: f64, longitude: f64) -> Result<(), OutboundError> {
    let on_earth = (-90.0..=90.0).contains(&latitude) && (-180.0..=180.0).contains(&longitude);
    if on_earth { Ok(()) } else { Err(OutboundError::Coordinates) }
}

fn count(part: &'static str, count: usize, limit: usize) -> Result<(), OutboundError> {
    if (1..=limit).contains(&count) { Ok(()) } else { Err(OutboundError::Count { part, count, limit }) }
}

fn distinct<'a>(part: &'static str, values: impl Iterator<Item = &'a str>) -> Result<(), OutboundError> {
    let mut seen = HashSet::new();
    for value in values {
        if !seen.insert(value.trim()) {
            return Err(OutboundError::Twice { part, value: value.to_owned() });
        }
    }
    Ok(())
}

fn check_buttons(buttons: &[Button]) -> Result<(), OutboundError> {
    count("buttons", buttons.len(), limits::BUTTONS)?;
    for button in buttons {
        filled("a button's id", &button.id, limits::BUTTON_ID, SHORTEN)?;
        filled("a button's title", &button.title, limits::BUTTON_TITLE, SHORTEN)?;
    }
    distinct("the ids of buttons", buttons.iter().map(|button| button.id.as_str()))?;
    distinct("the titles of buttons", buttons.iter().map(|button| button.title.as_str()))
}

fn check_sections(sections: &[Section]) -> Result<(), OutboundError> {
    count("sections", sections.len(), limits::SECTIONS)?;
    let rows = || sections.iter().flat_map(|section| &section.rows);
    count("rows", rows().count(), limits::ROWS)?;
    for section in sections {
        if sections.len() > 1 && section.title.is_none() {
            return Err(OutboundError::SectionTitle);
        }
        count("rows of a section", section.rows.len(), limits::ROWS)?;
        optional("a section's title", section.title.as_deref(), limits::SECTION_TITLE)?;
    }
    for row in rows() {
        filled("a row's id", &row.id, limits::ROW_ID, SHORTEN)?;
        filled("a row's title", &row.title, limits::ROW_TITLE, SHORTEN)?;
        optional("a row's description", row.description.as_deref(), limits::ROW_DESCRIPTION)?;
    }
    distinct("the ids of rows", rows().map(|row| row.id.as_str()))
}

fn check_template(template: &Template) -> Result<(), OutboundError> {
    let Template { name, language, body, quick_replies } = template;
    let named_well = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    if name.is_empty() || name.len() > limits::TEMPLATE_NAME || !name.bytes().all(named_well) {
        return Err(OutboundError::TemplateName { name: name.clone() });
    }
    let coded_well = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    if !(2..=8).contains(&language.len()) || !language.bytes().all(coded_well) {
        return Err(OutboundError::TemplateLanguage { code: language.clone() });
    }
    let named = body.iter().filter(|parameter| parameter.name.is_some()).count();
    if named > 0 && named < body.len() {
        return Err(OutboundError::TemplateMixed);
    }
    distinct("the parameters of a template", body.iter().filter_map(|parameter| parameter.name.as_deref()))?;
    body.iter().try_for_each(check_parameter)?;
    if !quick_replies.is_empty() {
        count("quick replies", quick_replies.len(), limits::QUICK_REPLIES)?;
    }
    quick_replies.iter().try_for_each(|payload| filled("a quick reply", payload, limits::QUICK_REPLY, SHORTEN))
}

fn check_parameter(parameter: &TemplateParameter) -> Result<(), OutboundError> {
    let TemplateParameter { name, text } = parameter;
    optional("a parameter's name", name.as_deref(), limits::NAME)?;
    filled("a template parameter", text, limits::TEMPLATE_PARAMETER, SHORTEN)?;
    if text.contains(['\n', '\r', '\t']) || text.contains("     ") {
        return Err(OutboundError::TemplateLine);
    }
    Ok(())
}
