//! TLS to PostgreSQL: a server with a certificate of a generated authority, and every `sslmode`.

use balcao_store::{OpenOptions, Store, StoreError};
use balcao_testkit::postgres::OwnServer;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

/// An authority and a certificate of it for this name: both certificates and the key, as PEM.
fn certificate(name: &str) -> (String, String, String) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec![name.to_owned()]).unwrap().signed_by(&key, &authority).unwrap();
    (authority.pem(), certificate.pem(), key.serialize_pem())
}

/// Whether the connection that a store got is encrypted, or why it got none.
async fn try_connect(url: String) -> Result<bool, StoreError> {
    let store = Store::connect(&url, OpenOptions::default())?;
    let encrypted = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    store.read(move |tx| tx.query_one(encrypted, &[], |row| row.get::<bool>(0))).await
}

#[tokio::test]
async fn every_sslmode_does_what_it_says() {
    let (root, own, key) = certificate("localhost");
    let (stranger, ..) = certificate("localhost");
    let settings = "ssl = on\nssl_cert_file = '../own.pem'\nssl_key_file = '../own.key'";
    let files = [("own.pem", own.as_str()), ("own.key", key.as_str())];
    let Some(server) = OwnServer::start(settings, &files) else { return };
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("root.pem", &root), ("stranger.pem", &stranger), ("empty.pem", &String::new())] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let file = |name: &str| folder.path().join(name).display().to_string().replace('/', "%2F");
    let (port, root, stranger) = (server.port, file("root.pem"), file("stranger.pem"));
    let at = |host: &str, query: &str| format!("postgres://postgres@{host}:{port}/postgres{query}");
    for (host, query, encrypted) in [
        ("localhost", "", true),
        ("localhost", "?sslmode=disable", false),
        ("localhost", "?sslmode=prefer", true),
        ("localhost", "?sslmode=require", true),
        ("127.0.0.1", &format!("?sslmode=require&sslrootcert={root}"), true),
        ("127.0.0.1", &format!("?sslmode=verify-ca&sslrootcert={root}"), true),
        ("localhost", &format!("?sslrootcert={root}&sslmode=verify-full&application_name=x"), true),
    ] {
        let found = try_connect(at(host, query)).await;
        assert_eq!(found.map_err(|error| format!("{error}: {error:?}")), Ok(encrypted), "{host} {query}");
    }
    for (host, query) in [
        // The certificate is for another name; of another authority; of none that the system knows.
        ("127.0.0.1", format!("?sslmode=verify-full&sslrootcert={root}")),
        ("localhost", format!("?sslmode=verify-full&sslrootcert={stranger}")),
        ("localhost", format!("?sslmode=verify-ca&sslrootcert={stranger}")),
        ("localhost", format!("?sslmode=require&sslrootcert={stranger}")),
        ("localhost", "?sslmode=verify-full".to_owned()),
    ] {
        let error = try_connect(at(host, &query)).await.unwrap_err();
        assert!(format!("{error:?}").contains("ertificate"), "{host} {query}: {error:?}");
    }
    let error = try_connect(at("localhost", &format!("?sslmode=verify-full&sslrootcert={}", file("empty.pem")))).await;
    assert!(matches!(error, Err(StoreError::Address { .. })), "{error:?}");
}

#[tokio::test]
async fn a_server_without_tls_is_taken_only_where_that_is_allowed() {
    let Some(server) = OwnServer::start("", &[]) else { return };
    let at = |mode: &str| format!("{}?sslmode={mode}", server.url("postgres"));
    assert!(!try_connect(at("prefer")).await.unwrap());
    for mode in ["require", "verify-ca", "verify-full"] {
        let error = try_connect(at(mode)).await.unwrap_err();
        assert!(matches!(error, StoreError::CannotConnect { .. }), "{mode}: {error:?}");
    }
}
