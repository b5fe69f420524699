//! The notices that a professional wants, and the code word in a first message that selects the professional.

use balcao_domain::professional::Notify;

use super::reader::{At, Reader};

/// Longest code, in characters.
const MAX_CODE: usize = 30;

/// `[whatsapp, email]`: what is wanted needs a number or an address to go to.
pub(super) fn notify<'a>(reader: &mut Reader<'a>, at: Option<At<'a>>, phone: bool, email: bool) -> Notify {
    let mut wanted = Notify::default();
    for item in reader.items(at) {
        let Some(is_mail) = reader.read_word(&item, &[("whatsapp", false), ("email", true)]) else { continue };
        let (key, known) = if is_mail { ("email", email) } else { ("phone", phone) };
        if !known {
            reader.wrong(&item.pointer, format!("`{key}` is missing, and notices go to it"), format!("add `{key}:`"));
        }
        let place = if is_mail { &mut wanted.email } else { &mut wanted.whatsapp };
        *place = true;
    }
    wanted
}

/// Reads a code of lower-case letters, digits and hyphens; rejects a code that another professional has.
pub(super) fn code<'a>(reader: &mut Reader<'a>, at: Option<At<'a>>, taken: &[&str]) -> Option<String> {
    let at = at?;
    let code = reader.text(&at)?;
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !code.chars().all(fits) || code.len() > MAX_CODE {
        let message = format!("invalid code `{code}`");
        reader.wrong(
            &at.pointer,
            message,
            "1 to 30 lower-case letters without accents, digits and hyphens, such as ana-prado",
        );
        return None;
    }
    if taken.contains(&code.as_str()) {
        reader.wrong(&at.pointer, format!("two professionals have the code `{code}`"), "change one");
        return None;
    }
    Some(code)
}
