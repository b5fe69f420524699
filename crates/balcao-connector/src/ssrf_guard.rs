//! Keeps requests out of private networks: an address in a pack or in a setting must not become a way into them.
//!
//! Invariant: what was checked is what is connected to. Names are looked up and judged in one step, at the moment of the connection, and
//! the client connects to nothing but the addresses that passed.

use std::{
    fmt, io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::{Arc, LazyLock},
    time::Duration,
};

use async_trait::async_trait;
use ipnet::IpNet;
use reqwest::{
    Client, Url,
    dns::{Addrs, Name, Resolve, Resolving},
    redirect, retry,
};

/// What this server lets requests reach. Said by whoever runs it, never by a pack.
#[derive(Debug, Clone)]
pub struct Egress {
    /// Networks that may be reached though they are not public.
    pub allow: Vec<IpNet>,
    /// Plain HTTP is permitted, to those networks only.
    pub plain_http: bool,
    /// A trial run: nothing is sent that may change something, and no program is started. What a request does is judged by its method.
    pub safe_only: bool,
    /// Who looks names up.
    pub lookup: Arc<dyn Lookup>,
}

impl Default for Egress {
    fn default() -> Self {
        Self { allow: Vec::new(), plain_http: false, safe_only: false, lookup: Arc::new(SystemLookup) }
    }
}

/// Looks names up.
#[async_trait]
pub trait Lookup: Send + Sync + fmt::Debug {
    /// The addresses of a name.
    ///
    /// # Errors
    /// If it has none, or cannot be looked up.
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The operating system's own way.
#[derive(Debug, Clone, Copy)]
pub struct SystemLookup;

#[async_trait]
impl Lookup for SystemLookup {
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
    }
}

impl Egress {
    /// Whether requests may be sent to that address. Networks are looked at in the form that is connected to.
    #[must_use]
    pub fn permits(&self, address: IpAddr) -> bool {
        is_public(address) || self.lists(address)
    }

    fn lists(&self, address: IpAddr) -> bool {
        let bare = address.to_canonical();
        self.allow.iter().any(|network| network.contains(&bare))
    }

    /// A client that connects to nothing but permitted addresses, follows no redirect, repeats nothing and uses no proxy. `plain`:
    /// without TLS, which goes to listed networks only.
    ///
    /// # Errors
    /// If there is no client to be had.
    pub fn client(&self, connect: Duration, plain: bool) -> Result<Client, reqwest::Error> {
        balcao_http::builder()
            .connect_timeout(connect)
            // Followed by us, if at all: the credentials would travel along.
            .redirect(redirect::Policy::none())
            // By default a request is repeated when its connection is shut down, though it may have been carried out.
            .retry(retry::never())
            // A proxy would resolve names for us, and unguarded.
            .no_proxy()
            .referer(false)
            .https_only(!plain)
            .dns_resolver(Guarded { egress: self.clone(), listed_only: plain })
            .user_agent(concat!("balcao/", env!("CARGO_PKG_VERSION")))
            .build()
    }

    /// What can be said of an address before its name is looked up.
    ///
    /// # Errors
    /// Why it is not permitted.
    pub fn check(&self, url: &Url) -> Result<(), String> {
        let literal = match url.host_str().map(|host| host.trim_start_matches('[').trim_end_matches(']')) {
            Some(host) => host.parse::<IpAddr>().ok(),
            None => return Err("it has no host".to_owned()),
        };
        match url.scheme() {
            "https" => {}
            "http" if self.plain_http => {}
            _ => return Err("it must begin with https://".to_owned()),
        }
        let name = url.host_str().unwrap_or_default().trim_end_matches('.');
        let local = name == "localhost" || name.ends_with(".localhost");
        let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
        // Plain HTTP, which anybody on the way can read, goes to listed networks only.
        let may = |address| if url.scheme() == "http" { self.lists(address) } else { self.permits(address) };
        let barred = literal.is_some_and(|address| !may(address)) || (local && !self.lists(loopback));
        if barred { Err("it leads to this machine or into a private network".to_owned()) } else { Ok(()) }
    }
}

/// Why a name is not connected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Barred;

impl fmt::Display for Barred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name leads to no address that may be reached")
    }
}

impl std::error::Error for Barred {}

/// The client's resolver.
#[derive(Debug, Clone)]
pub(crate) struct Guarded {
    pub(crate) egress: Egress,
    /// Plain HTTP is in use, which only goes to listed networks.
    pub(crate) listed_only: bool,
}

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let guarded = self.clone();
        Box::pin(async move {
            let found = guarded.egress.lookup.lookup(name.as_str()).await?;
            let fine = |address: &IpAddr| {
                if guarded.listed_only { guarded.egress.lists(*address) } else { guarded.egress.permits(*address) }
            };
            let passed: Vec<SocketAddr> =
                found.into_iter().filter(fine).map(|address| SocketAddr::new(address, 0)).collect();
            if passed.is_empty() {
                return Err(Barred.into());
            }
            let addresses: Addrs = Box::new(passed.into_iter());
            Ok(addresses)
        })
    }
}

/// Networks that are not the public internet (IANA's registries of special-purpose addresses), and multicast.
const SPECIAL_V4: [&str; 17] = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.31.196.0/24",
    "192.52.193.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
];

/// Within 2000::/3, the only part that is given out.
const SPECIAL_V6: [&str; 4] = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

static SPECIAL: LazyLock<Vec<IpNet>> =
    LazyLock::new(|| SPECIAL_V4.iter().chain(&SPECIAL_V6).filter_map(|net| net.parse().ok()).collect());

/// Whether an address lies in the public internet.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(_) => !SPECIAL.iter().any(|network| network.contains(&address)),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, high, low] = address.segments();
    let embedded = || {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public(IpAddr::V4(Ipv4Addr::new(a, b, c, d)))
    };
    // IPv4 in another dress: mapped (RFC 4291), NAT64 with the well-known prefix (RFC 6052).
    if [a, b, c, d, e, f] == [0, 0, 0, 0, 0, 0xffff] || [a, b, c, d, e, f] == [0x64, 0xff9b, 0, 0, 0, 0] {
        return embedded();
    }
    a & 0xe000 == 0x2000 && !SPECIAL.iter().any(|network| network.contains(&IpAddr::V6(address)))
}

#[cfg(test)]
#[path = "ssrf_guard_tests.rs"]
mod tests;
