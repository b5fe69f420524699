//! A file as an answer: saved, never shown, whatever is in it (A-97).

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use balcao_app::messaging::files::FileBytes;

/// The file, to be saved under its name. A reader who opens it all the same runs nothing in it, and reaches nothing with it.
pub(crate) fn download(file: FileBytes) -> Response {
    let named = HeaderValue::from_str(&disposition(&file.name));
    let named = named.unwrap_or_else(|_never| HeaderValue::from_static("attachment"));
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(file.mime)),
        (header::CONTENT_DISPOSITION, named),
        (
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'; sandbox"),
        ),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    (headers, Body::from(file.bytes)).into_response()
}

/// `Content-Disposition` for a name in any script (RFC 6266, RFC 8187).
fn disposition(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '%') || c == ' ' { c } else { '_' })
        .collect();
    let kept = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte);
    let exact: String = name
        .bytes()
        .map(|byte| if kept(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{exact}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_any_script_is_told_in_both_ways_and_breaks_no_header() {
        for (name, expected) in [
            ("tabela.pdf", r#"attachment; filename="tabela.pdf"; filename*=UTF-8''tabela.pdf"#),
            (
                "preço à vista.pdf",
                r#"attachment; filename="pre_o _ vista.pdf"; filename*=UTF-8''pre%C3%A7o%20%C3%A0%20vista.pdf"#,
            ),
            ("a\"b\\c;d\r\n.png", r#"attachment; filename="a_b_c;d__.png"; filename*=UTF-8''a%22b%5Cc%3Bd%0D%0A.png"#),
        ] {
            assert_eq!(disposition(name), expected);
        }
    }
}
