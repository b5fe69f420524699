//! Where Google answers, or a stand-in for it.

use balcao_connector::Egress;
use ipnet::IpNet;
use reqwest::Url;

/// Why an address cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid address `{url}`; expected {expected}")]
pub struct AddressError {
    /// As given.
    pub url: String,
    /// What would be right.
    pub expected: &'static str,
}

/// The addresses of the API, of the two endpoints for tokens, and of the consent page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addresses {
    pub(crate) api: Url,
    pub(crate) token: Url,
    pub(crate) revoke: Url,
    pub(crate) consent: Url,
    /// The stand-in is on this machine, so plain HTTP may be used.
    is_local: bool,
}

impl Addresses {
    /// Google's own.
    ///
    /// # Errors
    /// Never: the addresses are fixed.
    pub fn google() -> Result<Self, AddressError> {
        Ok(Self {
            api: parse("https://www.googleapis.com/calendar/v3")?,
            token: parse("https://oauth2.googleapis.com/token")?,
            revoke: parse("https://oauth2.googleapis.com/revoke")?,
            consent: parse("https://accounts.google.com/o/oauth2/v2/auth")?,
            is_local: false,
        })
    }

    /// Those of a stand-in, all under one base: an address of TLS, or `http://` to this machine.
    ///
    /// # Errors
    /// The base is another address, or has a query, a fragment or a user.
    pub fn under(base: &str) -> Result<Self, AddressError> {
        let refuse = |expected| AddressError { url: base.to_owned(), expected };
        let url = parse(base)?;
        let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
        let is_local = host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
        if !(url.scheme() == "https" || (url.scheme() == "http" && is_local)) {
            return Err(refuse("https://…, or http:// and a loopback address such as 127.0.0.1"));
        }
        if url.query().is_some() || url.fragment().is_some() || !url.username().is_empty() || url.password().is_some() {
            return Err(refuse("an address without user, query and fragment"));
        }
        let base = base.trim_end_matches('/');
        Ok(Self {
            api: parse(&format!("{base}/calendar/v3"))?,
            token: parse(&format!("{base}/oauth2/token"))?,
            revoke: parse(&format!("{base}/oauth2/revoke"))?,
            consent: parse(&format!("{base}/o/oauth2/v2/auth"))?,
            is_local,
        })
    }

    /// The token endpoint, as a key file of a service account must name it.
    #[must_use]
    pub fn token_url(&self) -> &str {
        self.token.as_str()
    }

    /// What requests may reach: public addresses, and this machine if the stand-in is here.
    pub(crate) fn egress(&self) -> Egress {
        let nets = ["127.0.0.0/8", "::1/128"].iter().filter_map(|net| net.parse::<IpNet>().ok());
        let allow = if self.is_local { nets.collect() } else { Vec::new() };
        Egress { allow, plain_http: self.is_local, ..Egress::default() }
    }

    /// Whether requests go without TLS.
    pub(crate) fn is_plain(&self) -> bool {
        self.api.scheme() == "http"
    }
}

fn parse(url: &str) -> Result<Url, AddressError> {
    let refuse =
        |_error| AddressError { url: url.to_owned(), expected: "an address such as https://www.googleapis.com" };
    Url::parse(url).map_err(refuse)
}
