//! The client that a request is counted for: an address, and the networks around it.
//!
//! Invariants: what is counted for an address is counted for every network that it lies in, so that the owner of a network has no more than
//! that network's part; a request whose address cannot be read is counted under one common name, never under none.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use balcao_app::context::request_rate::RequestRate;

/// Where a request comes from, as far as that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caller {
    /// No single client: a program beside ours speaks for many.
    Many,
    /// A client behind a named proxy whose header cannot be read.
    Unreadable,
    /// This address.
    At(IpAddr),
}

/// How much a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    /// An address; of IPv6 a /64, which one household has.
    Address,
    /// A /56 of IPv6, which one customer of a provider has.
    Site,
    /// A /48 of IPv6, or a /24 of IPv4.
    Network,
}

impl Width {
    /// How many times as often as one address it may ask.
    pub(crate) const fn times(self) -> u32 {
        match self {
            Self::Address => 1,
            Self::Site => 2,
            Self::Network => 5,
        }
    }

    /// How many sixteenths of what all share it may have.
    pub(crate) const fn sixteenths(self) -> usize {
        match self {
            Self::Address => 2,
            Self::Site => 3,
            Self::Network => 4,
        }
    }
}

/// A name that a request is counted under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) name: String,
    pub(crate) width: Width,
}

/// The names that what a request takes is counted under, the narrowest first; none if no client is counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ClientKey(Vec<Counted>);

impl Caller {
    /// The name of the caller alone, without the networks around it.
    pub(crate) fn name(self) -> Option<String> {
        match self {
            Self::Many => None,
            Self::Unreadable => Some("unreadable".to_owned()),
            Self::At(address) => Some(own_name(address)),
        }
    }

    /// The client that a share is counted for. Near addresses are many: a proxy, programs beside ours.
    pub(crate) fn sharer(self) -> ClientKey {
        match self {
            Self::At(address) if is_private(address) => ClientKey::default(),
            Self::At(address) => ClientKey::from_address(address),
            Self::Many | Self::Unreadable => {
                ClientKey(self.name().map(|name| counted(name, Width::Address)).into_iter().collect())
            }
        }
    }
}

impl ClientKey {
    /// An address and the networks around it.
    pub(crate) fn from_address(address: IpAddr) -> Self {
        let own = counted(own_name(address), Width::Address);
        match address {
            IpAddr::V4(v4) => {
                let [a, b, c, _] = v4.octets();
                let around = format!("{}/24", Ipv4Addr::new(a, b, c, 0));
                Self(vec![own, counted(around, Width::Network)])
            }
            IpAddr::V6(v6) => {
                let [a, b, c, d, ..] = v6.segments();
                let site = format!("{}/56", Ipv6Addr::new(a, b, c, d & 0xff00, 0, 0, 0, 0));
                let around = format!("{}/48", Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0));
                Self(vec![own, counted(site, Width::Site), counted(around, Width::Network)])
            }
        }
    }

    /// Every name, the narrowest first.
    pub(crate) fn names(&self) -> &[Counted] {
        &self.0
    }

    /// Every name with its pace, where one address has this one.
    pub(crate) fn paced(&self, of_one: RequestRate) -> Vec<(String, RequestRate)> {
        self.0.iter().map(|counted| (counted.name.clone(), of_one.times(counted.width.times()))).collect()
    }

    /// The narrowest name.
    pub(crate) fn own(&self) -> Option<&str> {
        self.0.first().map(|counted| counted.name.as_str())
    }
}

const fn counted(name: String, width: Width) -> Counted {
    Counted { name, width }
}

/// The owner of one IPv6 address has 2⁶⁴ of them.
fn own_name(address: IpAddr) -> String {
    match address {
        IpAddr::V4(v4) => v4.to_string(),
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            format!("{}/64", Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

/// This machine, or a private network.
pub(crate) fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => v4.is_loopback() || v4.is_private() || v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local(),
    }
}

/// The caller that a connection from `peer` speaks for, where `values` are those of `X-Forwarded-For` in order and `is_trusted` says whose
/// word on it counts: the last address on the way here that is no proxy of ours.
///
/// Only what proxies of ours wrote is read, from the end, byte by byte: what stands before it is whatever a client sent.
pub(crate) fn caller<'a>(
    peer: IpAddr,
    values: impl DoubleEndedIterator<Item = &'a [u8]>,
    is_trusted: impl Fn(IpAddr) -> bool,
) -> Caller {
    let mut client = peer;
    for hop in values.rev().flat_map(|value| value.rsplit(|byte| *byte == b',')) {
        if !is_trusted(client) {
            break;
        }
        match hop_address(hop) {
            Some(before) => client = before.to_canonical(),
            None => return Caller::Unreadable,
        }
    }
    Caller::At(client)
}

/// An address as proxies write it: bare, with a port, and of IPv6 also in brackets.
fn hop_address(hop: &[u8]) -> Option<IpAddr> {
    let hop = std::str::from_utf8(hop.trim_ascii()).ok()?;
    let with_port = || hop.parse::<SocketAddr>().ok().map(|address| address.ip());
    let in_brackets = || hop.strip_prefix('[')?.strip_suffix(']')?.parse::<Ipv6Addr>().ok().map(IpAddr::V6);
    hop.parse::<IpAddr>().ok().or_else(with_port).or_else(in_brackets)
}

#[cfg(test)]
#[path = "caller_tests.rs"]
mod tests;
