//! Letters over real SMTP: what a server's answer means, and above all what no answer means.

use std::io::Write;
use std::net::TcpListener;
use std::time::Duration;

use balcao_channel::channels::email::{Config, ConfigError, Email, Security};
use balcao_channel::outbound::{CorrelationId, OutboundContent};
use balcao_channel::{Channel, GiveUpReason, Outbound, Recipient, SendClass, UserId};
use balcao_testkit::fakes::smtp::{FakeSmtp, Trouble};
use balcao_testkit::wait;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, advance};

/// What a letter may take: long, since machines are slow. Where a test waits for its end, virtual time passes.
const WITHIN: Duration = Duration::from_mins(1);

fn config(port: u16) -> Config {
    Config {
        host: "127.0.0.1".to_owned(),
        port,
        security: Security::None,
        authority: None,
        login: Some(("balcao".to_owned(), "segredo".into())),
        from: "Barbearia Figueira <agenda@figueira.example>".to_owned(),
        within: WITHIN,
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
    ] {
        fake.make([trouble]);
        let error = email.send(&letter("oi"), &otavio()).await.unwrap_err();
        assert_eq!((error.class, error.code), (class, code), "{trouble:?}: {error}");
        assert!(!error.to_string().contains("otavio"), "{error}");
    }
    assert_eq!(fake.letters(), []);
}

#[tokio::test]
async fn a_server_that_says_nothing_is_left_in_time_and_has_no_letter() {
    let (fake, email) = server();
    fake.make([Trouble::Silence]);
    let silent = fake.clone();
    wait::stand_until(move || silent.fell_silent(1));
    let began = Instant::now();
    let error = email.send(&letter("oi"), &otavio()).await.unwrap_err();
    assert_eq!((error.class, error.code, began.elapsed().as_secs()), (SendClass::retry(), None, WITHIN.as_secs()));
    assert_eq!(fake.letters(), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_whose_line_does_not_end_is_left_after_a_mebibyte() {
    let endless = TcpListener::bind("127.0.0.1:0").unwrap();
    let email = Email::new(config(endless.local_addr().unwrap().port())).unwrap();
    let said = std::thread::spawn(move || {
        let (mut client, _) = endless.accept().unwrap();
        let (mut said, piece) = (0, [b'a'; 16 * 1024]);
        while client.write_all(&piece).is_ok() {
            said += piece.len();
        }
        said
    });
    let error = email.send(&letter("oi"), &otavio()).await.unwrap_err();
    assert_eq!((error.class, error.code), (SendClass::retry(), None), "{error}");
    // What lies in the buffers of both sides was not read.
    assert!(said.join().unwrap() < 32 << 20);
}

/// Lets the server give so many answers, each after this time.
async fn answer_each_after(fake: &FakeSmtp, answers: usize, time: Duration) {
    for answer in 1..=answers {
        let waits = fake.clone();
        spawn_blocking(move || waits.fell_silent(answer)).await.unwrap();
        advance(time).await;
        fake.answers();
    }
    std::future::pending().await
}

#[tokio::test]
async fn a_slow_server_has_the_time_of_a_letter_for_all_its_answers_together() {
    let _time = wait::stand();
    for (each, answers, expected) in [
        // Each comes soon enough, and all together do not.
        (WITHIN * 2 / 5, 3, Err((SendClass::retry(), None))),
        // The greeting, those to six commands and that to the letter.
        (WITHIN / 100, 8, Ok(())),
    ] {
        let (fake, email) = server();
        fake.make([Trouble::Slow]);
        let letter = letter("oi");
        let otavio = otavio();
        let sent = tokio::select! {
            sent = email.send(&letter, &otavio) => sent,
            () = answer_each_after(&fake, answers, each) => panic!("it answers no more"),
        };
        assert_eq!(sent.map(drop).map_err(|error| (error.class, error.code)), expected);
        assert_eq!(fake.letters().len(), usize::from(expected.is_ok()));
    }
}

#[tokio::test]
async fn nobody_knows_what_came_of_a_letter_that_was_not_answered() {
    let (fake, email) = server();
    let time = wait::stand();
    let began = Instant::now();
    // One that hangs up in the middle is not told apart: our bytes were on their way.
    for trouble in [Trouble::DropAfterData, Trouble::DropAtData] {
        fake.make([trouble]);
        let error = email.send(&letter("oi"), &otavio()).await.unwrap_err();
        assert_eq!(error.class, SendClass::Unknown, "{trouble:?}: {error}");
    }
    assert_eq!(began.elapsed(), Duration::ZERO, "nothing is waited for");
    fake.make([Trouble::SilenceAfterData]);
    let silent = fake.clone();
    drop(spawn_blocking(move || silent.fell_silent(1)));
    drop(time);
    let error = email.send(&letter("oi"), &otavio()).await.unwrap_err();
    assert_eq!((error.class, began.elapsed().as_secs()), (SendClass::Unknown, WITHIN.as_secs()), "{error}");
    assert_eq!(fake.letters().len(), 2, "but for the one that was cut off in its middle they arrived all the same");
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
    assert!(from.to_string().contains("invalid sender `Figueira`"), "{from}");
    assert!(matches!(Email::new(Config { host: " ".to_owned(), ..config(25) }), Err(ConfigError::Host)));
    let authority = Some(b"-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n".to_vec());
    let tls = Email::new(Config { security: Security::Tls, authority, ..config(25) });
    assert!(matches!(tls, Err(ConfigError::Tls { .. })));
    assert!(!format!("{:?}", Email::new(config(25)).unwrap()).contains("segredo"));
}
