//! Letters over TLS, from the first byte and after STARTTLS: only to a server whose certificate is for its name and of somebody
//! whom we trust. The authority and its certificates are made here, for one test.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use balcao_channel::channels::email::{Config, Email, Security};
use balcao_channel::outbound::{CorrelationId, OutboundContent};
use balcao_channel::{Channel, Outbound, Recipient, SendClass, UserId};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};

/// An authority (PEM) and a server's settings with a certificate of it for this name.
fn authority_for(name: &str) -> (String, Arc<ServerConfig>) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let own = CertificateParams::new(vec![name.to_owned()]).unwrap().signed_by(&key, &authority).unwrap();
    let chain = vec![CertificateDer::from_pem_slice(own.pem().as_bytes()).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(key.serialize_pem().as_bytes()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let settings = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    (authority.pem(), Arc::new(settings.with_no_client_auth().with_single_cert(chain, key).unwrap()))
}

/// What came over the wire: the commands behind the TLS handshake, and whether a letter came whole.
#[derive(Default, Clone)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Heard {
    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// A server that speaks just enough SMTP for one letter a connection.
fn server(settings: Arc<ServerConfig>, security: Security) -> (u16, Heard) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, heard) = (listener.local_addr().unwrap().port(), Heard::default());
    let ears = heard.clone();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // What a client breaks off is its own affair.
            drop(serve(stream, Arc::clone(&settings), security, &ears));
        }
    });
    (port, heard)
}

fn serve(mut plain: TcpStream, settings: Arc<ServerConfig>, security: Security, ears: &Heard) -> std::io::Result<()> {
    if security == Security::StartTls {
        plain.write_all(b"220 mail\r\n")?;
        while line(&mut plain)? != "STARTTLS" {
            plain.write_all(b"250-mail\r\n250 STARTTLS\r\n")?;
        }
        plain.write_all(b"220 go on\r\n")?;
    }
    let connection = ServerConnection::new(settings).map_err(std::io::Error::other)?;
    let mut stream = BufReader::new(StreamOwned::new(connection, plain));
    if security == Security::Tls {
        stream.get_mut().write_all(b"220 mail\r\n")?;
    }
    let mut text = String::new();
    let mut in_letter = false;
    loop {
        text.clear();
        if stream.read_line(&mut text)? == 0 {
            return Ok(());
        }
        let said = text.trim_end();
        let answer: &[u8] = match said.split(' ').next().unwrap_or_default() {
            "." if in_letter => {
                in_letter = false;
                ears.0.lock().unwrap().push("letter".to_owned());
                b"250 taken\r\n"
            }
            _ if in_letter => continue,
            "EHLO" => b"250-mail\r\n250 AUTH PLAIN LOGIN\r\n",
            "AUTH" => b"235 come in\r\n",
            "DATA" => {
                in_letter = true;
                b"354 go on\r\n"
            }
            "QUIT" => b"221 bye\r\n",
            _ => b"250 ok\r\n",
        };
        if !in_letter {
            ears.0.lock().unwrap().push(said.split(' ').next().unwrap_or_default().to_owned());
        }
        stream.get_mut().write_all(answer)?;
    }
}

/// A line of a stream, byte by byte: what comes behind it belongs to the handshake.
fn line(stream: &mut TcpStream) -> std::io::Result<String> {
    let (mut text, mut byte) = (String::new(), [0_u8; 1]);
    while byte[0] != b'\n' {
        stream.read_exact(&mut byte)?;
        text.push(char::from(byte[0]));
    }
    Ok(text.trim_end().to_owned())
}

fn email(port: u16, security: Security, authority: Option<&str>) -> Email {
    Email::new(Config {
        host: "localhost".to_owned(),
        port,
        security,
        authority: authority.map(|pem| pem.as_bytes().to_vec()),
        login: Some(("balcao".to_owned(), "segredo".into())),
        from: "Figueira <agenda@figueira.example>".to_owned(),
        within: Duration::from_secs(60),
    })
    .unwrap()
}

fn letter() -> Outbound {
    let content = OutboundContent::Mail { subject: "Novo horário".to_owned(), body: "oi".to_owned(), calendar: None };
    Outbound::new(content).unwrap().tracked(CorrelationId::new("org_1:notice/apt_1/booked/email:1").unwrap())
}

fn otavio() -> Recipient {
    Recipient::User(UserId::new("otavio@figueira.example"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_letter_goes_over_tls_to_whoever_proves_their_name() {
    for security in [Security::Tls, Security::StartTls] {
        let (authority, settings) = authority_for("localhost");
        let (port, heard) = server(settings, security);
        email(port, security, Some(&authority)).send(&letter(), &otavio()).await.unwrap();
        let heard = heard.all();
        // Who we are is told behind the handshake alone.
        assert_eq!(heard.iter().filter(|one| *one == "AUTH").count(), 1, "{security:?}: {heard:?}");
        assert!(heard.contains(&"letter".to_owned()), "{security:?}: {heard:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stranger_or_another_name_gets_neither_password_nor_letter() {
    for security in [Security::Tls, Security::StartTls] {
        let (other, _) = authority_for("localhost");
        let (named, elsewhere) = authority_for("mail.example.com");
        let (_, settings) = authority_for("localhost");
        for (settings, trusted) in [(Arc::clone(&settings), None), (settings, Some(other)), (elsewhere, Some(named))] {
            let (port, heard) = server(settings, security);
            let error = email(port, security, trusted.as_deref()).send(&letter(), &otavio()).await.unwrap_err();
            assert_eq!(error.class, SendClass::Misconfigured, "{security:?}: {error}");
            assert_eq!(heard.all(), [""; 0], "{security:?}");
        }
    }
}
