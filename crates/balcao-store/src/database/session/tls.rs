//! How a connection is protected: `sslmode` and `sslrootcert`, as PostgreSQL's own programs read them.
//!
//! `disable`: never. `prefer`, the default: if the server can, without looking whose certificate it shows. `require`: or not at
//! all; the certificate is checked if a root certificate is named. `verify-ca` and `verify-full`: always checked, against the
//! named roots or else the system's, and with `verify-full` against the host's name too.

use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use crate::database::error::StoreError;

/// What `sslmode` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Disable,
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

impl Mode {
    pub(super) fn read(text: &str) -> Result<Self, StoreError> {
        Ok(match text {
            "disable" => Self::Disable,
            "prefer" => Self::Prefer,
            "require" => Self::Require,
            "verify-ca" => Self::VerifyCa,
            "verify-full" => Self::VerifyFull,
            _ => {
                let why = "its sslmode is invalid; expected disable, prefer, require, verify-ca or verify-full";
                return Err(StoreError::Address { why });
            }
        })
    }

    /// Whether a connection without TLS is out of the question.
    pub(super) const fn is_must(self) -> bool {
        matches!(self, Self::Require | Self::VerifyCa | Self::VerifyFull)
    }
}

/// What a certificate must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Any,
    OfRoots,
    OfRootsForHost,
}

/// The client's side of TLS; `None` if there is to be none.
pub(super) fn client(mode: Mode, roots: Option<&Path>) -> Result<Option<ClientConfig>, StoreError> {
    let wanted = match (mode, roots) {
        (Mode::Disable, _) => return Ok(None),
        (Mode::Prefer, _) | (Mode::Require, None) => Wanted::Any,
        (Mode::Require, Some(_)) | (Mode::VerifyCa, _) => Wanted::OfRoots,
        (Mode::VerifyFull, _) => Wanted::OfRootsForHost,
    };
    let provider = Arc::new(ring::default_provider());
    let inner = if wanted == Wanted::Any {
        None
    } else {
        let roots = match roots {
            Some(file) => of_file(file)?,
            None => of_system(),
        };
        let built = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider)).build();
        Some(built.map_err(|_none| unreadable("no root certificates found; name a file by sslrootcert"))?)
    };
    let verifier = Verifier { wanted, inner, provider: Arc::clone(&provider) };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|_versions| unreadable("TLS could not be set up"))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(Some(config))
}

const fn unreadable(why: &'static str) -> StoreError {
    StoreError::Address { why }
}

fn of_file(file: &Path) -> Result<RootCertStore, StoreError> {
    let fail = |_error| unreadable("the file of sslrootcert cannot be read, or holds no certificate in PEM");
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(fail)? {
        roots.add(certificate.map_err(fail)?).map_err(|_error| unreadable("a certificate of sslrootcert is broken"))?;
    }
    if roots.is_empty() { Err(unreadable("the file of sslrootcert holds no certificate in PEM")) } else { Ok(roots) }
}

fn of_system() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    for error in &found.errors {
        tracing::warn!(%error, "root certificates of the system could not be read");
    }
    roots.add_parsable_certificates(found.certs);
    roots
}

/// Checks as much of a certificate as the mode wants.
#[derive(Debug)]
struct Verifier {
    wanted: Wanted,
    inner: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let Some(inner) = &self.inner else { return Ok(ServerCertVerified::assertion()) };
        match inner.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            // The chain was checked before the name.
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if self.wanted == Wanted::OfRoots => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
