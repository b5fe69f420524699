//! Keeps requests out of private networks: an address in the configuration must not become a way into them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Resolves names to public addresses only, at the moment of the connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Guarded;

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let public: Vec<_> = found.filter(|address| is_public(address.ip())).collect();
            if public.is_empty() {
                return Err("the name leads to no public address".into());
            }
            let addresses: Addrs = Box::new(public.into_iter());
            Ok(addresses)
        })
    }
}

/// Whether a host, as it stands in an address, is certainly not public. Names are looked at when they are resolved.
pub(super) fn is_private_host(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let name = bare.trim_end_matches('.').to_ascii_lowercase();
    bare.parse::<IpAddr>().map_or_else(|_| name == "localhost" || name.ends_with(".localhost"), |ip| !is_public(ip))
}

pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        || a == 0
        || a >= 240
        // Carriers' own (RFC 6598), benchmarks (RFC 2544), protocol assignments (RFC 6890).
        || (a == 100 && (64..128).contains(&b))
        || (a == 198 && (18..20).contains(&b))
        || (a, b, c) == (192, 0, 0);
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(v4) = address.to_ipv4_mapped() {
        return is_public_v4(v4);
    }
    let [first, second, .., high, low] = address.segments();
    // Addresses of IPv4 in another dress: NAT64 (RFC 6052), 6to4 (RFC 3056).
    if (first, second) == (0x64, 0xff9b) {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        return is_public_v4(Ipv4Addr::new(a, b, c, d));
    }
    // Only 2000::/3 is given out; of that not documentation, 6to4, and what IANA keeps (2001::/23).
    first & 0xe000 == 0x2000
        && (first, second) != (0x2001, 0x0db8)
        && first != 0x2002
        && !(first == 0x2001 && second < 0x0200)
}
