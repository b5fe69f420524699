//! What of a connection comes from settings.

use std::time::Duration;

use reqwest::Url;

use crate::{
    connection::{Connection, address},
    problem::Problem,
    rate::Budget,
    settings::Settings,
    ssrf_guard::Egress,
};

/// Where requests go, if that is permitted.
pub(super) fn base(connection: &Connection, settings: &Settings, egress: &Egress) -> Result<Url, Problem> {
    let at = "/base_url";
    let text = settings.open(&connection.base_url, at)?;
    let url =
        address(&text).map_err(|message| Problem::new(at, message).suggest("write it as `https://api.example.com`"))?;
    egress.check(&url).map_err(|reason| {
        Problem::new(at, format!("this address is not permitted: {reason}"))
            .suggest("whoever runs the server can permit networks of their own")
    })?;
    Ok(url)
}

/// How much may be asked for.
pub(super) fn budget(connection: &Connection, settings: &Settings) -> Result<Budget, Problem> {
    let Some(limit) = &connection.rate_limit else { return Ok(Budget::new(None)) };
    let at = "/rate_limit/requests";
    let requests = match limit.requests.as_str() {
        Some(text) => settings.open(text, at)?.parse::<usize>().ok(),
        None => limit.requests.as_u64().and_then(|requests| usize::try_from(requests).ok()),
    };
    let requests = requests.filter(|requests| (1..=1_000_000).contains(requests));
    let requests =
        requests.ok_or_else(|| Problem::new(at, "invalid number of requests in the setting; expected 1 to 1000000"))?;
    Ok(Budget::new(Some((requests, Duration::from_secs(limit.per_s.into())))))
}
