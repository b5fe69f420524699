//! What is wrong with a connection beyond its shape.

use crate::fields::check_header_name;
use crate::fields::check_pointer;
use reqwest::Url;

use super::{Auth, Connection};
use crate::{
    problem::{Problem, escape},
    template::Text,
};

impl Connection {
    pub(super) fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        check_base(&self.base_url, &mut problems);
        for (index, host) in self.hosts.iter().enumerate() {
            let read = Url::parse(&format!("https://{host}/")).ok();
            if read.is_none_or(|url| url.host_str() != Some(host.as_str())) {
                let at = format!("/hosts/{index}");
                problems.push(
                    Problem::new(at, format!("invalid host `{host}`")).suggest("write it as `files.example.com`"),
                );
            }
        }
        for (name, value) in &self.headers {
            let at = format!("/headers/{}", escape(name));
            check_header_name(name, &at, &mut problems);
            only_settings(value, &at, &mut problems);
        }
        if let Some(name) = &self.idempotency_header {
            check_header_name(name, "/idempotency_header", &mut problems);
        }
        if let Some(auth) = &self.auth {
            auth.check(&mut problems);
        }
        self.check_limit(&mut problems);
        if let Some(deliveries) = &self.deliveries {
            problems.extend(deliveries.problems().into_iter().map(|problem| problem.below("/deliveries")));
        }
        for (key, pointer) in [("code", &self.errors.code), ("message", &self.errors.message)] {
            check_pointer(pointer.as_deref(), &format!("/errors/{key}"), &mut problems);
        }
        problems
    }

    fn check_limit(&self, problems: &mut Vec<Problem>) {
        let Some(limit) = &self.rate_limit else { return };
        let at = "/rate_limit/requests";
        let fine = limit.requests.as_u64().is_some_and(|requests| (1..=1_000_000).contains(&requests));
        match limit.requests.as_str() {
            Some(text) => only_settings(text, at, problems),
            None if fine => {}
            None => problems.push(
                Problem::new(at, format!("invalid number of requests `{}`", limit.requests))
                    .suggest("write a number from 1 to 1000000, or `{settings.requests_per_minute}`"),
            ),
        }
        check_header_name(&limit.headers.remaining, "/rate_limit/headers/remaining", problems);
        check_header_name(&limit.headers.reset, "/rate_limit/headers/reset", problems);
    }
}

impl Auth {
    fn check(&self, problems: &mut Vec<Problem>) {
        let ways = [
            self.bearer.is_some(),
            self.header.is_some(),
            self.basic.is_some(),
            self.oauth2_refresh.is_some(),
            self.google_service_account.is_some(),
        ];
        let count = ways.into_iter().filter(|there| *there).count();
        if count != 1 {
            let message = format!("{count} ways to prove who we are");
            let keep = "keep one of bearer, header, basic, oauth2_refresh, google_service_account";
            problems.push(Problem::new("/auth", message).suggest(keep));
        }
        let mut secret = |text: &Option<&str>, at: &str| {
            let Some(text) = text else { return };
            only_settings(text, at, problems);
            if Text::parse(text).is_ok_and(|text| text.holes().next().is_none()) {
                problems.push(
                    Problem::new(at, "a secret must not stand here")
                        .suggest("declare a setting and write `{settings.token}`"),
                );
            }
        };
        secret(&self.bearer.as_deref(), "/auth/bearer");
        secret(&self.header.as_ref().map(|auth| auth.value.as_str()), "/auth/header/value");
        secret(&self.basic.as_ref().map(|auth| auth.password.as_str()), "/auth/basic/password");
        let oauth = self.oauth2_refresh.as_ref();
        secret(&oauth.map(|auth| auth.refresh_token.as_str()), "/auth/oauth2_refresh/refresh_token");
        secret(&oauth.and_then(|auth| auth.client_secret.as_deref()), "/auth/oauth2_refresh/client_secret");
        let google = self.google_service_account.as_ref();
        secret(&google.map(|auth| auth.key.as_str()), "/auth/google_service_account/key");
        if let Some(auth) = google {
            check_url(&auth.token_url, "/auth/google_service_account/token_url", problems);
            if let Some(subject) = &auth.subject {
                only_settings(subject, "/auth/google_service_account/subject", problems);
            }
        }
        if let Some(auth) = oauth {
            check_url(&auth.token_url, "/auth/oauth2_refresh/token_url", problems);
            only_settings(&auth.client_id, "/auth/oauth2_refresh/client_id", problems);
        }
        if let Some(auth) = &self.basic {
            only_settings(&auth.user, "/auth/basic/user", problems);
        }
        if let Some(auth) = &self.header {
            check_header_name(&auth.name, "/auth/header/name", problems);
        }
    }
}

/// A base that a setting gives whole, or that names its host itself: no setting may decide part of a host.
fn check_base(base: &str, problems: &mut Vec<Problem>) {
    only_settings(base, "/base_url", problems);
    let whole = base.starts_with("{settings.") && base.ends_with('}') && base.matches('{').count() == 1;
    let authority = base.split_once("://").map_or("", |(_, rest)| rest.split('/').next().unwrap_or(rest));
    if whole {
        return;
    }
    if authority.contains('{') {
        problems.push(
            Problem::new("/base_url", "a setting must not be part of the host")
                .suggest("write the host out, or give the whole address by one setting"),
        );
        return;
    }
    check_url(base, "/base_url", problems);
}

fn check_url(text: &str, at: &str, problems: &mut Vec<Problem>) {
    if let Err(message) = address(text) {
        problems.push(Problem::new(at, message).suggest("write it as `https://api.example.com/v2`"));
    }
}

/// An address that requests may go to, without user, query and fragment.
pub(crate) fn address(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("invalid address `{text}`: {error}"))?;
    let fault = if !matches!(url.scheme(), "https" | "http") {
        "it must begin with https://"
    } else if !url.username().is_empty() || url.password().is_some() {
        "user and password do not belong into it"
    } else if url.query().is_some() || url.fragment().is_some() {
        "it must not have a query or a fragment"
    } else if url.host_str().is_none_or(|host| host.ends_with('.')) {
        "its host must not end with a dot"
    } else {
        return Ok(url);
    };
    // Without the address: a setting may hold a password in it.
    Err(format!("invalid address for requests: {fault}"))
}

fn only_settings(text: &str, at: &str, problems: &mut Vec<Problem>) {
    match Text::parse(text) {
        Err(message) => problems.push(Problem::new(at, message)),
        Ok(text) => {
            for hole in text.holes().filter(|hole| hole.first() != "settings" || hole.0.len() < 2) {
                let name = hole.0.join(".");
                problems.push(
                    Problem::new(at, format!("`{{{name}}}` is not known here: a connection has no arguments"))
                        .suggest(format!("write `{{settings.{name}}}`")),
                );
            }
        }
    }
}
