//! Who calls: a key in `Authorization: Bearer`, its scopes, and the requests that it has left (RFC 6750).

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use balcao_app::admin::keys::{Caller, Scope};

use super::Api;
use crate::problem::Problem;

/// Recognises the caller, counts the request, and demands the scope.
///
/// # Errors
/// 401 without a valid key, 403 without the scope, 429 when the minute's requests are used up.
pub(super) async fn caller(api: &Api, headers: &HeaderMap, scope: Scope) -> Result<Caller, Problem> {
    let presented = bearer(headers)?;
    let caller = api.keys().recognise(presented).await?.ok_or_else(|| {
        // One answer for unknown, expired and revoked keys.
        unauthorized(
            "the key is not valid: unknown, expired or revoked",
            r#"Bearer realm="balcao", error="invalid_token""#,
        )
    })?;
    if let Err(seconds) = api.keys().spend(&caller).await? {
        let detail =
            format!("the key may make {} requests per minute; there are more in {seconds} s", caller.per_minute);
        return Err(Problem::with_code(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail).retry_after(seconds));
    }
    if !caller.may(scope) {
        let scope = scope.as_str();
        let challenge = format!(r#"Bearer realm="balcao", error="insufficient_scope", scope="{scope}""#);
        let problem = Problem::with_code(
            StatusCode::FORBIDDEN,
            "insufficient_scope",
            format!("the key lacks the scope `{scope}`; make one that has it with `balcao key create`"),
        );
        return Err(challenged(problem, &challenge));
    }
    Ok(caller)
}

fn bearer(headers: &HeaderMap) -> Result<&str, Problem> {
    let missing = || unauthorized("a key is needed: `Authorization: Bearer bk_…`", r#"Bearer realm="balcao""#);
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (given.next(), given.next()) else { return Err(missing()) };
    let text = value.to_str().map_err(|_not_ascii| missing())?;
    let (scheme, key) = text.split_once(' ').ok_or_else(missing)?;
    if scheme.eq_ignore_ascii_case("bearer") { Ok(key.trim()) } else { Err(missing()) }
}

fn unauthorized(detail: &str, challenge: &str) -> Problem {
    challenged(Problem::new(StatusCode::UNAUTHORIZED, detail), challenge)
}

fn challenged(problem: Problem, challenge: &str) -> Problem {
    match HeaderValue::from_str(challenge) {
        Ok(value) => problem.header(header::WWW_AUTHENTICATE, value),
        Err(_never) => problem,
    }
}
