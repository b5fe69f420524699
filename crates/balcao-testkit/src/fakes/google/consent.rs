//! The page on which a person gives an OAuth client its rights: a form with a tick box for each.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use jiff::{SignedDuration, Timestamp};

use super::accounts::Code;
use super::oauth::{CLIENT_ID, SCOPES};
use super::shape::Query;
use super::state::State;
use crate::fakes::http::{Reply, Request, decode};

/// How long a code is good for.
const LIVES: SignedDuration = SignedDuration::from_mins(10);

/// What the client asks for.
struct Asked {
    redirect_uri: String,
    state: String,
    challenge: String,
    scopes: Vec<String>,
}

/// `GET /o/oauth2/v2/auth`: the page.
pub(super) fn page(query: &Query) -> Reply {
    match read(query) {
        Ok(asked) => html(200, &form(&asked)),
        Err(words) => html(400, &format!("<h1>Access blocked: authorization error</h1><p>{}</p>", escape(&words))),
    }
}

/// `POST /o/oauth2/v2/consent`: the person's answer, which leads back to the client.
pub(super) fn answer(state: &mut State, request: &Request) -> Reply {
    let form = Query::read(&String::from_utf8_lossy(&request.body));
    let asked = match read(&form) {
        Ok(asked) => asked,
        Err(words) => return html(400, &escape(&words)),
    };
    let redirect = |pairs: &[(&str, &str)]| {
        let pairs: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
        let to = format!("{}?{}", asked.redirect_uri, pairs.join("&"));
        Reply::Json(302, vec![("location".to_owned(), to)], Vec::new())
    };
    if form.get("answer") != Some("allow") {
        return redirect(&[("error", "access_denied"), ("state", &asked.state)]);
    }
    let ticked = |scope: &&String| form.all("tick").any(|one| one == scope.as_str());
    let scopes: BTreeSet<String> = asked.scopes.iter().filter(ticked).cloned().collect();
    let granted: Vec<&str> = scopes.iter().map(String::as_str).collect();
    let granted = granted.join(" ");
    let until = state.now().saturating_add(LIVES).unwrap_or(Timestamp::MAX);
    let code = Code { redirect_uri: asked.redirect_uri.clone(), challenge: asked.challenge, scopes, until };
    let code = state.add_code(code);
    redirect(&[("state", &asked.state), ("code", &code), ("scope", &granted)])
}

fn read(query: &Query) -> Result<Asked, String> {
    let get = |name: &str| query.get(name).filter(|value| !value.is_empty()).map(str::to_owned);
    let need = |name: &str| get(name).ok_or_else(|| format!("Missing required parameter: {name}"));
    if need("client_id")? != CLIENT_ID {
        return Err("The OAuth client was not found.".to_owned());
    }
    let exact = [
        ("response_type", "code"),
        ("access_type", "offline"),
        ("prompt", "consent"),
        ("code_challenge_method", "S256"),
    ];
    for (name, value) in exact {
        if need(name)? != value {
            return Err(format!("Invalid parameter {name}; expected {value}"));
        }
    }
    let redirect_uri = need("redirect_uri")?;
    // A desktop client may name any port of the loopback address (RFC 8252, section 7.3).
    if !redirect_uri.starts_with("http://127.0.0.1:") {
        return Err("redirect_uri_mismatch".to_owned());
    }
    let scopes: Vec<String> = need("scope")?.split(' ').map(str::to_owned).collect();
    if let Some(odd) = scopes.iter().find(|scope| !SCOPES.contains(&scope.as_str())) {
        return Err(format!("invalid_scope: {odd}"));
    }
    let (state, challenge) = (need("state")?, need("code_challenge")?);
    if challenge.len() != 43 {
        return Err("Invalid code_challenge; expected base64url of SHA-256".to_owned());
    }
    Ok(Asked { redirect_uri, state, challenge, scopes })
}

fn form(asked: &Asked) -> String {
    let joined = asked.scopes.join(" ");
    let hidden = [
        ("client_id", CLIENT_ID),
        ("response_type", "code"),
        ("access_type", "offline"),
        ("prompt", "consent"),
        ("code_challenge_method", "S256"),
        ("redirect_uri", &asked.redirect_uri),
        ("scope", &joined),
        ("state", &asked.state),
        ("code_challenge", &asked.challenge),
    ];
    let mut text =
        "<h1>Balcão wants access to your account</h1><form method=\"post\" action=\"/o/oauth2/v2/consent\">".to_owned();
    for (name, value) in hidden {
        // Writing into a text cannot fail.
        let _ = write!(text, "<input type=\"hidden\" name=\"{name}\" value=\"{}\">", escape(value));
    }
    for scope in &asked.scopes {
        let short = scope.rsplit('/').next().unwrap_or_default();
        let _ = write!(
            text,
            "<p><label><input type=\"checkbox\" name=\"tick\" value=\"{0}\" data-scope=\"{short}\" checked> {short}</label></p>",
            escape(scope)
        );
    }
    text + "<button name=\"answer\" value=\"deny\">Cancel</button> <button name=\"answer\" value=\"allow\">Continue</button></form>"
}

fn html(status: u16, body: &str) -> Reply {
    let head = "<meta charset=\"utf-8\"><title>Consent</title><link rel=\"icon\" href=\"data:,\">";
    let page = format!("<!doctype html><html lang=\"en\">{head}{body}</html>");
    Reply::Whole(status, "text/html; charset=utf-8".to_owned(), page.into_bytes())
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

fn encode(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let coded: String = text
        .bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    debug_assert_eq!(decode(&coded), text);
    coded
}
