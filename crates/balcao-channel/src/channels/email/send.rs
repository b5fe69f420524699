//! The sender. One letter is one connection, step by step, because the step decides what a failure means: before the letter's last
//! byte it was certainly not sent; after it, without the server's answer, the outcome is unknown.

use std::time::Duration;

use async_trait::async_trait;
use lettre::Address;
use lettre::address::Envelope;
use lettre::message::Mailbox;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::ClientId;
use secrecy::ExposeSecret;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};

use super::bounded::Bounded;
use super::letter::{self, Letter};
use super::{Config, ConfigError, KIND, Security};
use crate::capabilities::Capabilities;
use crate::capabilities::MediaDelivery;
use crate::{
    channel::{Channel, Recipient, SendReceipt},
    error::{GiveUpReason, SendClass, SendError},
    id::{AccountId, ProviderMessageId},
    outbound::{Outbound, OutboundContent, limits},
};

/// An account at a server for mail. Its `Debug` hides the password.
#[derive(Clone)]
pub struct Email {
    account: AccountId,
    config: Config,
    from: Mailbox,
    tls: Option<TlsParameters>,
}

impl std::fmt::Debug for Email {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Email").field("config", &self.config).finish_non_exhaustive()
    }
}

/// A step of a letter's way, before its last byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Connect,
    Login,
    From,
    To,
    Data,
}

impl Email {
    /// Checks the configuration. Nothing is sent.
    ///
    /// # Errors
    /// [`ConfigError`] says what to mend.
    pub fn new(config: Config) -> Result<Self, ConfigError> {
        let (from, tls) = (config.sender()?, config.tls()?);
        Ok(Self { account: AccountId::new(from.email.to_string()), config, from, tls })
    }

    /// The address in a sender such as `Name <address>`, which is also the account's name; `None` if there is none in it.
    #[must_use]
    pub fn address(from: &str) -> Option<String> {
        from.trim().parse::<Mailbox>().ok().map(|mailbox| mailbox.email.to_string())
    }

    /// Connects, and shows who we are; nothing is sent.
    ///
    /// # Errors
    /// As [`Channel::send`]; never of unknown outcome.
    pub async fn probe(&self) -> Result<(), SendError> {
        let until = Instant::now() + self.config.within;
        let mut connection = self.open(until).await?;
        let _bye = timeout_at(until, connection.quit()).await;
        Ok(())
    }

    async fn open(&self, until: Instant) -> Result<AsyncSmtpConnection, SendError> {
        let hello = ClientId::default();
        let place = (self.config.host.trim().to_owned(), self.config.port);
        let mut connection = match self.tls.clone().filter(|_| self.config.security == Security::Tls) {
            // The server proves who it is before it says a line.
            Some(tls) => {
                let within = Some(self.left(until));
                let connect = AsyncSmtpConnection::connect_tokio1(place, within, &hello, Some(tls), None);
                step(Step::Connect, until, connect).await?
            }
            None => {
                let failed = |why: &str| SendError::new(SendClass::retry(), &format!("{NO_CONNECTION}{why}"));
                let connected = timeout_at(until, TcpStream::connect(place)).await;
                let connected = connected.map_err(|_elapsed| failed(": no answer in time"))?;
                let stream = connected.map_err(|_source| failed(""))?;
                let connect = AsyncSmtpConnection::connect_with_transport(Box::new(Bounded::new(stream)), &hello);
                step(Step::Connect, until, connect).await?
            }
        };
        if let Some(tls) = self.tls.clone().filter(|_| self.config.security == Security::StartTls) {
            step(Step::Connect, until, connection.starttls(tls, &hello)).await?;
        }
        if let Some((user, password)) = &self.config.login {
            let credentials = Credentials::new(user.clone(), password.expose_secret().to_owned());
            step(Step::Login, until, connection.auth(&[Mechanism::Plain, Mechanism::Login], &credentials)).await?;
        }
        Ok(connection)
    }

    fn left(&self, until: Instant) -> Duration {
        until.saturating_duration_since(Instant::now()).min(self.config.within)
    }

    async fn deliver(&self, envelope: &Envelope, bytes: &[u8]) -> Result<(), SendError> {
        let until = Instant::now() + self.config.within;
        let mut connection = self.open(until).await?;
        let sender = Mail::new(envelope.from().cloned(), Vec::new());
        step(Step::From, until, connection.command(sender)).await?;
        for to in envelope.to() {
            step(Step::To, until, connection.command(Rcpt::new(to.clone(), Vec::new()))).await?;
        }
        step(Step::Data, until, connection.command(Data)).await?;
        match timeout_at(until, connection.message(bytes)).await {
            Ok(Ok(_accepted)) => {
                // It is theirs now: how we part does not matter, and must not take long.
                let soon = until.min(Instant::now() + Duration::from_secs(2));
                let _bye = timeout_at(soon, connection.quit()).await;
                Ok(())
            }
            Ok(Err(error)) => Err(match error.status() {
                Some(_) if error.is_permanent() => {
                    send_error(SendClass::give_up(GiveUpReason::Rejected), "the letter was refused", &error)
                }
                Some(_) => send_error(SendClass::retry(), "the letter was put off", &error),
                None => {
                    send_error(SendClass::Unknown, "the connection ended after the letter, without an answer", &error)
                }
            }),
            Err(_elapsed) => Err(SendError::new(SendClass::Unknown, "no answer in time after the letter")),
        }
    }
}

/// What staff read if the server cannot be reached.
const NO_CONNECTION: &str = "no connection to the mail server";

/// Runs a step that cannot have sent anything.
async fn step<T>(
    step: Step,
    until: Instant,
    work: impl Future<Output = Result<T, lettre::transport::smtp::Error>>,
) -> Result<T, SendError> {
    let what = match step {
        Step::Connect => NO_CONNECTION,
        Step::Login => "the mail server does not let us in",
        Step::From => "the mail server refuses the sender",
        Step::To => "the mail server refuses the recipient",
        Step::Data => "the mail server takes no letter",
    };
    match timeout_at(until, work).await {
        Ok(Ok(done)) => Ok(done),
        Err(_elapsed) => Err(SendError::new(SendClass::retry(), &format!("{what}: no answer in time"))),
        Ok(Err(error)) => {
            let class = match step {
                // What the server lacks, and a certificate that does not hold, only the operator can mend.
                _ if error.is_tls() || error.is_client() || is_distrust(&error) => SendClass::Misconfigured,
                Step::Login if error.is_permanent() => SendClass::Misconfigured,
                Step::To if error.is_permanent() => SendClass::give_up(GiveUpReason::Unreachable),
                Step::From | Step::Data if error.is_permanent() => SendClass::give_up(GiveUpReason::Rejected),
                Step::Connect | Step::Login | Step::From | Step::To | Step::Data => SendClass::retry(),
            };
            Err(send_error(class, what, &error))
        }
    }
}

/// Whether a handshake failed by what the other side showed, such as a certificate that does not hold. With TLS from the first
/// byte this comes as an error of the connection, with the reason inside.
fn is_distrust(error: &lettre::transport::smtp::Error) -> bool {
    let mut next = std::error::Error::source(error);
    while let Some(cause) = next {
        if cause.downcast_ref::<std::io::Error>().is_some_and(|io| io.kind() == std::io::ErrorKind::InvalidData) {
            return true;
        }
        next = cause.source();
    }
    false
}

/// For staff: the server's number, and not its words, which repeat addresses.
fn send_error(class: SendClass, what: &str, error: &lettre::transport::smtp::Error) -> SendError {
    let code = error.status().map(u16::from);
    SendError { code: code.map(i64::from), ..SendError::new(class, what) }
}

#[async_trait]
impl Channel for Email {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn account(&self) -> &AccountId {
        &self.account
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            max_text: limits::MAIL,
            max_buttons: 0,
            max_rows: 0,
            media: &[],
            own_files: MediaDelivery::Link,
            templates: false,
            quotes: false,
            read_marks: false,
            typing: None,
            window: None,
            // A Message-ID names a letter; that everybody looks at it is not certain.
            idempotent: false,
        }
    }

    async fn send(&self, message: &Outbound, to: &Recipient) -> Result<SendReceipt, SendError> {
        let refused = |what: &str| SendError::new(SendClass::give_up(GiveUpReason::Rejected), what);
        let OutboundContent::Mail { subject, body, calendar } = message.content() else {
            return Err(refused("only letters go by e-mail"));
        };
        let Some(name) = message.correlation() else { return Err(refused("the message has no name of ours")) };
        let unreachable = || SendError::new(SendClass::give_up(GiveUpReason::Unreachable), "no e-mail address");
        let Recipient::User(address) = to else { return Err(unreachable()) };
        let address: Address = address.as_str().parse().map_err(|_source| unreachable())?;
        let envelope = Envelope::new(Some(self.from.email.clone()), vec![address.clone()]);
        let envelope = envelope.map_err(|_source| unreachable())?;
        let id = letter::message_id(name.as_str(), &self.from);
        let letter = Letter { subject, body, calendar: calendar.as_deref() };
        let bytes = letter::written(letter, &id, &self.from, &Mailbox::new(None, address));
        let bytes = bytes.map_err(|error| refused(&format!("the letter cannot be written: {error}")))?;
        self.deliver(&envelope, &bytes).await?;
        Ok(SendReceipt { message: ProviderMessageId::new(id), number: None, user: None, held: false })
    }

    async fn mark_read(&self, _message: &ProviderMessageId) -> Result<(), SendError> {
        Ok(())
    }

    async fn typing(&self, _message: &ProviderMessageId) -> Result<(), SendError> {
        Ok(())
    }
}
