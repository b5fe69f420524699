//! How long and how many: WhatsApp's limits. Lengths are in UTF-16 units ([`length`]).

/// Text of a message.
pub const TEXT: usize = 4096;
/// Words beside buttons or a list. Meta's page allows a list 4,096; its specification says 1,024.
pub const INTERACTIVE_BODY: usize = 1024;
/// A line above or below buttons or a list.
pub const HEADER: usize = 60;
/// Words below a file.
pub const CAPTION: usize = 1024;
/// Buttons of one message.
pub const BUTTONS: usize = 3;
/// Words on a button.
pub const BUTTON_TITLE: usize = 20;
/// What a button gives back.
pub const BUTTON_ID: usize = 256;
/// Sections of a list.
pub const SECTIONS: usize = 10;
/// Rows of a list, in all its sections.
pub const ROWS: usize = 10;
/// A section's heading.
pub const SECTION_TITLE: usize = 24;
/// A row's words.
pub const ROW_TITLE: usize = 24;
/// A row's second line.
pub const ROW_DESCRIPTION: usize = 72;
/// What a row gives back.
pub const ROW_ID: usize = 200;
/// A template's name.
pub const TEMPLATE_NAME: usize = 512;
/// One gap of a template. The whole body may have 1,024.
pub const TEMPLATE_PARAMETER: usize = 1024;
/// Quick replies of a template.
pub const QUICK_REPLIES: usize = 10;
/// What a quick reply gives back. Meta states none; a button's is kept.
pub const QUICK_REPLY: usize = 256;
/// Our own name of a message.
pub const CORRELATION: usize = 512;
/// Names and addresses of places, names of files and cards. Meta states none.
pub const NAME: usize = 240;
/// An address of a page.
pub const URL: usize = 2000;

/// What a letter is about.
pub const SUBJECT: usize = 200;
/// Words of a letter.
pub const MAIL: usize = 20_000;

/// How long a text is, in UTF-16 units.
///
/// Meta counts "characters" and does not say which. No reading counts more than UTF-16 units, except bytes, which its
/// own examples exceed; so what fits here fits there.
#[must_use]
pub fn length(text: &str) -> usize {
    text.encode_utf16().count()
}
