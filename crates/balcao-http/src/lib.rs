//! Starts the builder of every HTTP client, so that each client has a provider of TLS.
//!
//! reqwest is built without a provider and uses that of the process. A client that is built before the process has one panics. Clippy
//! forbids the other ways to build a client (`clippy.toml`).
//!
//! Not here: timeouts, redirects, proxies and the permitted addresses. The caller that builds a client sets them.

use reqwest::{Client, ClientBuilder};
use rustls::crypto::{CryptoProvider, ring};

/// A client to be configured: TLS by rustls on ring, and the certificates that the system trusts.
///
/// The first call sets the provider of the whole process, unless the program that these crates are part of chose another.
pub fn builder() -> ClientBuilder {
    if CryptoProvider::get_default().is_none() {
        // Another thread may have been first: with the same one.
        drop(ring::default_provider().install_default());
    }
    #[expect(clippy::disallowed_methods, reason = "this is the place that the others are sent to")]
    Client::builder()
}

#[cfg(test)]
mod tests {
    #[test]
    fn clients_can_be_built_by_many_threads_at_once() {
        std::thread::scope(|scope| {
            let built: Vec<_> = (0..8).map(|_| scope.spawn(|| super::builder().build().is_ok())).collect();
            assert!(built.into_iter().all(|one| one.join().unwrap()));
        });
    }
}
