//! `multipart/form-data` as far as fakes need it.

/// Returns the head and the content of each part; `None` if the body is not valid multipart.
pub(super) fn fields<'a>(content_type: &str, body: &'a [u8]) -> Option<Vec<(String, &'a [u8])>> {
    let boundary = content_type.strip_prefix("multipart/form-data; boundary=")?;
    let mut fields = Vec::new();
    for part in split(body, format!("--{boundary}").as_bytes()) {
        let Some(head_end) = find(part, b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(part.get(..head_end).unwrap_or_default()).into_owned();
        let content = part.get(head_end + 4..part.len().saturating_sub(2)).unwrap_or_default();
        fields.push((head, content));
    }
    Some(fields)
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

/// The parts between boundaries.
fn split<'a>(mut text: &'a [u8], boundary: &[u8]) -> Vec<&'a [u8]> {
    let mut parts = Vec::new();
    while let Some(at) = find(text, boundary) {
        parts.push(text.get(..at).unwrap_or_default());
        text = text.get(at + boundary.len()..).unwrap_or_default();
    }
    parts
}
