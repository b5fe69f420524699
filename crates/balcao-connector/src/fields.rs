//! Checks of names that a pack writes.

use crate::problem::Problem;

pub(crate) fn check_header_name(name: &str, at: &str, problems: &mut Vec<Problem>) {
    const OURS: [&str; 6] = ["host", "content-length", "transfer-encoding", "connection", "upgrade", "te"];
    if reqwest::header::HeaderName::from_bytes(name.as_bytes()).is_err() {
        problems
            .push(Problem::new(at, format!("invalid name of a header `{name}`; expected a name such as X-Api-Key")));
    } else if OURS.contains(&name.to_ascii_lowercase().as_str()) {
        problems.push(Problem::new(at, format!("`{name}` is set by the client itself")).suggest("leave it out"));
    }
}

pub(crate) fn check_pointer(pointer: Option<&str>, at: &str, problems: &mut Vec<Problem>) {
    if let Some(pointer) = pointer.filter(|pointer| !pointer.is_empty() && !pointer.starts_with('/')) {
        let message = format!("invalid JSON pointer `{pointer}`");
        problems.push(Problem::new(at, message).suggest(format!("write `/{}`", pointer.replace('.', "/"))));
    }
}
