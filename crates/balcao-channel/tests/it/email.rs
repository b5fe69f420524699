//! Letters over real SMTP: what a server's answer means, and above all what no answer means.

use std::time::{Duration, Instant};

use balcao_channel::channels::email::{Config, ConfigError, Email, Security};
use balcao_channel::outbound::{CorrelationId, OutboundContent};
use balcao_channel::{Channel, GiveUpReason, Outbound, Recipient, SendClass, UserId};
use balcao_testkit::fakes::smtp::{FakeSmtp, Trouble};

fn config(port: u16) -> Config {
    Config {
        host: "127.0.0.1".to_owned(),
        port,
        security: Security::None,
        authority: None,
        login: Some(("balcao".to_owned(), "segredo".into())),
        from: "Barbearia Figueira <agenda@figueira.example>".to_owned(),
        within: Duration::from_secs(1),
    }
}

fn server() -> (FakeSmtp, Email) {
    let fake = FakeSmtp::start(Some(("balcao", "segredo"))).unwrap();
    let email = Email::new(config(fake.port())).unwrap();
    (fake, email)
}

fn letter(body: &str) -> Outbound {
    let calendar = Some("BEGIN:VCALENDAR\r\nSUMMARY:Ação\r\nEND:VCALENDAR\r\n".to_owned());
    let content =
        OutboundContent::Mail { subject: "Novo horário\r\nBcc: x@y.z".to_owned(), body: body.to_owned(), calendar };
    Outbound::new(content).unwrap().tracked(CorrelationId::new("org_1:notice/apt_1/booked/email:1").unwrap())
}

fn otavio() -> Recipient {
    Recipient::User(UserId::new("otavio@figueira.example"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_letter_arrives_with_the_calendar_file_and_a_name_that_stays() {
    let (fake, email) = server();
    let body = "Corte com Ana, terça às 10h.\n.\n..começa com ponto";
    let receipt = email.send(&letter(body), &otavio()).await.unwrap();
    email.send(&letter(body), &otavio()).await.unwrap();
    assert_eq!(fake.breaches(), [""; 0]);
    let letters = fake.letters();
    assert_eq!(
        (letters[0].from.as_str(), letters[0].to.as_slice()),
        ("agenda@figueira.example", &["otavio@figueira.example".to_owned()][..])
    );
    let text = &letters[0].text;
    for part in [
        &format!("Message-ID: {}\r\n", receipt.message),
        "To: otavio@figueira.example\r\n",
        "text/calendar; charset=utf-8; method=PUBLISH",
        "filename=\"agendamento.ics\"",
        "Auto-Submitted: auto-generated\r\n",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(!text.contains("\r\nBcc:"), "{text}");
    assert!(letters[1].text.contains(&format!("Message-ID: {}\r\n", receipt.message)));
    assert_eq!(receipt.message.as_str().matches('@').count(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_certainly_not_sent_is_told_apart_by_what_the_server_says() {
    let (fake, email) = server();
    let rejected = SendClass::give_up(GiveUpReason::Rejected);
    for (trouble, class, code) in [
        (Trouble::Answer("EHLO", 421), SendClass::retry(), Some(421)),
        (Trouble::Answer("AUTH", 535), SendClass::Misconfigured, Some(535)),
        (Trouble::Answer("AUTH", 454), SendClass::retry(), Some(454)),
        (Trouble::Answer("MAIL", 451), SendClass::retry(), Some(451)),
        (Trouble::Answer("MAIL", 550), rejected, Some(550)),
        (Trouble::Answer("RCPT", 450), SendClass::retry(), Some(450)),
        (Trouble::Answer("RCPT", 550), SendClass::give_up(GiveUpReason::Unreachable), Some(550)),
        (Trouble::Answer("DATA", 452), SendClass::retry(), Some(452)),
        (Trouble::Answer("DATA", 554), rejected, Some(554)),
        (Trouble::AnswerLetter(451), SendClass::retry(), Some(451)),
        (Trouble::AnswerLetter(552), rejected, Some(552)),
        (Trouble::Silence, SendClass::retry(), None),
        // Each answer comes soon enough, and all together do not.
        (Trouble::Slow(Duration::from_millis(400)), SendClass::retry(), None),
    ] {
        fake.make([trouble]);
        let error = email.send(&letter("oi"), &otavio()).await.unwrap_err();
        assert_eq!((error.class, error.code), (class, code), "{trouble:?}: {error}");
        assert!(!error.to_string().contains("otavio"), "{error}");
    }
    assert_eq!(fake.letters(), []);
    fake.make([Trouble::Slow(Duration::from_millis(10))]);
    email.send(&letter("oi"), &otavio()).await.unwrap();
    assert_eq!(fake.letters().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_knows_what_came_of_a_letter_that_was_not_answered() {
    let (fake, email) = server();
    // One that hangs up in the middle is not told apart: our bytes were on their way.
    for trouble in [Trouble::DropAfterData, Trouble::SilenceAfterData, Trouble::DropAtData] {
        fake.make([trouble]);
        let started = Instant::now();
        let error = email.send(&letter("oi"), &otavio()).await.unwrap_err();
        assert_eq!(error.class, SendClass::Unknown, "{trouble:?}: {error}");
        assert!(started.elapsed() < Duration::from_secs(5));
    }
    assert_eq!(fake.letters().len(), 2, "the first two arrived all the same");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_without_tls_or_without_anybody_there_gets_neither_password_nor_letter() {
    let fake = FakeSmtp::start(None).unwrap();
    let starttls = Email::new(Config { security: Security::StartTls, ..config(fake.port()) }).unwrap();
    let error = starttls.send(&letter("oi"), &otavio()).await.unwrap_err();
    assert_eq!(error.class, SendClass::Misconfigured, "{error}");
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let email = Email::new(config(nobody)).unwrap();
    assert_eq!(email.send(&letter("oi"), &otavio()).await.unwrap_err().class, SendClass::retry());
    assert!(email.probe().await.is_err());
    assert_eq!((fake.letters(), fake.breaches()), (Vec::new(), Vec::new()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_password_is_found_before_anything_is_sent() {
    let (fake, email) = server();
    email.probe().await.unwrap();
    let wrong =
        Email::new(Config { login: Some(("balcao".to_owned(), "outro".into())), ..config(fake.port()) }).unwrap();
    assert_eq!(wrong.probe().await.unwrap_err().class, SendClass::Misconfigured);
    assert_eq!(fake.letters(), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_letters_to_addresses_go_by_e_mail() {
    let (fake, email) = server();
    let named = CorrelationId::new("x").unwrap();
    let text = Outbound::text("oi").unwrap().tracked(named);
    assert_eq!(email.send(&text, &otavio()).await.unwrap_err().class, SendClass::give_up(GiveUpReason::Rejected));
    for to in ["", "otavio", "a@b>\r\nRCPT TO:<x@y.z"] {
        let to = Recipient::User(UserId::new(to));
        let error = email.send(&letter("oi"), &to).await.unwrap_err();
        assert_eq!(error.class, SendClass::give_up(GiveUpReason::Unreachable));
    }
    assert_eq!(fake.connections(), 0);
}

#[test]
fn a_configuration_says_what_is_wrong_with_it() {
    let open = Email::new(Config { host: "mail.example.com".to_owned(), ..config(25) }).unwrap_err();
    assert!(matches!(open, ConfigError::Open { .. }) && open.to_string().contains("starttls or tls"), "{open}");
    let from = Email::new(Config { from: "Figueira".to_owned(), ..config(25) }).unwrap_err();
    assert!(from.to_string().contains("`Figueira` is no sender"), "{from}");
    assert!(matches!(Email::new(Config { host: " ".to_owned(), ..config(25) }), Err(ConfigError::Host)));
    let authority = Some(b"-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n".to_vec());
    let tls = Email::new(Config { security: Security::Tls, authority, ..config(25) });
    assert!(matches!(tls, Err(ConfigError::Tls { .. })));
    assert!(!format!("{:?}", Email::new(config(25)).unwrap()).contains("segredo"));
}
