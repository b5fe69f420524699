//! Professionals learn of appointments that are booked, moved and cancelled with them: once, with the booking, on their chosen channel.

use std::sync::Arc;

use balcao_agent::profile::HotLead;
use balcao_app::admin::business::{Business, Edit, Section};
use balcao_app::context::notification_accounts::HandoffAlerts;
use balcao_app::context::notification_accounts::NotificationAccounts;
use balcao_app::messaging::outbound::message_templates::{ApprovedTemplate, Purpose, TemplateVariable};
use balcao_app::messaging::outbound::send_policy::SendPolicy;
use balcao_app::messaging::outbound::sender::{Sender, SenderSettings};
use balcao_app::scheduling::booking::{BookRequest, Booking, RescheduleRequest, ServiceChoice};
use balcao_app::scheduling::intake::{Intake, IntakeRequest};
use balcao_channel::Channel;
use balcao_channel::channels::email::{Config, Email, Security};
use balcao_channel::channels::whatsapp::price::Category;
use balcao_domain::outbox::OutboxState;
use balcao_domain::{Clock, ContactId, ConversationId, Phone};
use balcao_llm::providers::scripted::says;
use balcao_store::messaging::outbox::{self, Outbox};
use balcao_store::{Store, StoreError, Tx, messaging::conversation};
use balcao_testkit::fakes::graph::{ACCOUNT, Template};
use balcao_testkit::fakes::smtp::{FakeSmtp, Trouble};
use balcao_testkit::wait;
use jiff::civil::date;
use tokio::sync::Notify;

use crate::messaging_harness::{eli, start_in_world};
use crate::world::World;

const FROM: &str = "agenda@figueira.example";

/// The sample, where Otávio wants both ways, Wesley none, and Íris has nowhere that notices could go.
async fn shop(email: bool) -> World {
    let mut world =
        crate::world::edited(Store::open_in_memory().unwrap(), "barbearia-figueira.yaml", "2026-11-24T10:00", |text| {
            text.replace(
                "    email: otavio@figueira.example\n",
                "    email: otavio@figueira.example\n    notify: [whatsapp, email]\n",
            )
        })
        .await;
    let accounts = NotificationAccounts {
        whatsapp: Some(("whatsapp".to_owned(), ACCOUNT.to_owned())),
        email: email.then(|| FROM.to_owned()),
        ..NotificationAccounts::default()
    };
    world.app = world.app.clone().with_notices(accounts);
    world
}

fn wish(who: &str, hour: u16) -> BookRequest {
    BookRequest {
        professional: Some(who.to_owned().into()),
        service: Some(ServiceChoice::Name("Corte na máquina".to_owned())),
        date: date(2026, 11, 25),
        start_min: hour * 60,
        attendee: None,
        pending: false,
        source: "agent".to_owned(),
        price_agreed: true,
    }
}

async fn written(world: &World) -> Vec<Outbox> {
    let organization = world.organization;
    let read = world.app.store.read(move |tx: &mut Tx<'_>| {
        let mut all = Vec::new();
        for state in OutboxState::ALL {
            all.extend(outbox::list(tx, organization, state, 100)?);
        }
        all.sort_by_key(|one| i64::from(one.id));
        Ok::<_, StoreError>(all)
    });
    read.await.unwrap()
}

fn kinds(all: &[Outbox]) -> Vec<(&str, &str)> {
    all.iter().map(|one| (one.kind.as_str(), one.channel.as_str())).collect()
}

async fn livia(world: &World) -> ContactId {
    world.contact("31 98432-7788").await
}

#[tokio::test]
async fn each_change_is_told_once_by_both_ways_and_a_replay_tells_nothing_more() {
    let world = shop(true).await;
    let (who, booking) = (livia(&world).await, Booking::new(world.app.clone()));
    let key = world.key();
    let booked = booking.book(world.organization, who, key.clone(), wish("Otávio", 14)).await.unwrap();
    let id = booked.value.unwrap().appointment.id;
    booking.book(world.organization, who, key, wish("Otávio", 14)).await.unwrap().value.unwrap();
    // Asked for once more by another turn: they have it.
    booking.book(world.organization, who, world.key(), wish("Otávio", 14)).await.unwrap().value.unwrap();
    booking.preview_cancel(world.organization, who, Some(id)).await.unwrap().unwrap();
    assert_eq!(kinds(&written(&world).await), [("notice_booked", "whatsapp"), ("notice_booked", "email")]);
    let moved = RescheduleRequest {
        appointment: Some(id),
        date: date(2026, 11, 25),
        start_min: 15 * 60,
        professional: None,
        service: None,
        source: "agent".to_owned(),
        price_agreed: true,
    };
    let moved = booking.reschedule(world.organization, who, world.key(), moved).await.unwrap().value.unwrap();
    let id = moved.new.appointment.id;
    booking.cancel(world.organization, who, world.key(), Some(id)).await.unwrap().value.unwrap();
    let all = written(&world).await;
    let (told, letters): (Vec<&Outbox>, Vec<&Outbox>) = all.iter().partition(|one| one.channel == "whatsapp");
    let words: Vec<&str> = told.iter().map(|one| one.body.as_str()).collect();
    for (text, parts) in words.iter().zip([
        ["Novo agendamento", "Lívia Campos", "quarta, 25/11 às 14h", "31 98432-7788"],
        ["Agendamento remarcado", "às 15h", "Era quarta", "às 14h"],
        ["Agendamento cancelado", "Lívia Campos", "às 15h", "Corte na máquina"],
    ]) {
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    }
    let uid = |body: &str| body.split("UID:").nth(1).unwrap().split('\\').next().unwrap().to_owned();
    assert_eq!(letters.len(), 3);
    assert!(letters.windows(2).all(|two| uid(&two[0].body) == uid(&two[1].body)), "one event in the calendar");
    for (letter, part) in
        letters.iter().zip([["SEQUENCE:0", "CONFIRMED"], ["SEQUENCE:1", "CONFIRMED"], ["SEQUENCE:2", "CANCELLED"]])
    {
        assert!(part.iter().all(|part| letter.body.contains(part)), "{}", letter.body);
    }
}

/// Adds a conversation of a contact with Otávio as its professional.
async fn about_otavio(world: &World, who: ContactId) -> ConversationId {
    let (organization, now) = (world.organization, world.clock.now());
    let set = world.app.store.write(move |tx: &mut Tx<'_>| {
        let begun = conversation::find_or_begin(tx, organization, who, "terminal", now)?;
        conversation::set_professional(tx, organization, begun.id, Some(1.try_into().unwrap()))?;
        Ok::<_, StoreError>(begun.id)
    });
    set.await.unwrap()
}

/// A letter's calendar file, its folded lines made whole.
fn calendar_of(letter: &Outbox) -> String {
    fn found(value: &serde_json::Value) -> Option<&str> {
        let inside = value.as_object().and_then(|all| all.values().find_map(found));
        value.as_str().filter(|text| text.starts_with("BEGIN:VCALENDAR")).or(inside)
    }
    found(&serde_json::from_str(&letter.body).unwrap()).unwrap().replace("\r\n ", "")
}

#[tokio::test]
async fn a_session_booked_through_the_intake_is_told_once_with_who_comes_and_their_number() {
    let world = shop(true).await;
    let (who, intake) = (livia(&world).await, Intake::new(world.app.clone()));
    let (conversation, organization) = (about_otavio(&world, who).await, world.organization);
    let session = |name: &str, phone: &str, hour: u16| IntakeRequest {
        date: date(2026, 11, 25),
        start_min: hour * 60,
        client_name: name.to_owned(),
        client_phone: Phone::parse(phone).unwrap(),
        service: None,
        price_agreed: true,
    };
    let own = session("Lívia", "31 98432-7788", 14);
    // The second time is a replay, the third another turn that asks for what is booked.
    let key = world.key();
    for key in [key.clone(), key, world.key()] {
        intake.book(organization, who, conversation, key, own.clone()).await.unwrap().value.unwrap();
        let told = written(&world).await;
        assert_eq!(kinds(&told), [("notice_booked", "whatsapp"), ("notice_booked", "email")]);
    }
    // Sessions for a stranger with a new number, and for another customer, Ivo: the answer reveals nothing about Ivo.
    let (stranger, known) = (session("Rosa Lima", "31 91234-5678", 15), session("Ivo Paz", "31 99640-1177", 17));
    for other in [stranger, known] {
        let key = world.key();
        for key in [key.clone(), key] {
            let booked = intake.book(organization, who, conversation, key, other.clone()).await.unwrap();
            assert!(booked.value.unwrap().for_somebody_else.is_some());
        }
    }
    let all = written(&world).await;
    let (told, letters): (Vec<&Outbox>, Vec<&Outbox>) = all.iter().partition(|one| one.channel == "whatsapp");
    assert_eq!((told.len(), letters.len()), (3, 3), "one by each way of each session");
    for (place, parts) in [
        vec!["Lívia Campos", "quarta, 25/11 às 14h", "31 98432-7788"],
        vec!["Rosa Lima", "quarta, 25/11 às 15h", "Marcado por Lívia Campos", "+5531912345678"],
        vec!["Ivo Paz", "quarta, 25/11 às 17h", "Marcado por Lívia Campos", "+5531996401177"],
    ]
    .iter()
    .enumerate()
    {
        let calendar = calendar_of(letters[place]).replace("\\,", ",");
        for part in parts {
            for text in [&told[place].body, &letters[place].body, &calendar] {
                assert!(text.contains(part) && !text.contains("Caio"), "{part} is not in {text}");
            }
        }
        let summary = calendar.lines().find(|line| line.starts_with("SUMMARY:")).unwrap();
        assert!(summary.ends_with(parts[0]), "{summary}");
    }
}

#[tokio::test]
async fn who_wants_none_gets_none_and_a_move_to_somebody_else_tells_both() {
    let world = shop(true).await;
    let (who, booking) = (livia(&world).await, Booking::new(world.app.clone()));
    let booked = booking.book(world.organization, who, world.key(), wish("Wesley", 14)).await.unwrap();
    let id = booked.value.unwrap().appointment.id;
    assert_eq!(written(&world).await, []);
    let to = |appointment, professional: &str, hour: u16| RescheduleRequest {
        appointment: Some(appointment),
        date: date(2026, 11, 25),
        start_min: hour * 60,
        professional: Some(professional.to_owned()),
        service: None,
        source: "agent".to_owned(),
        price_agreed: true,
    };
    let moved = booking.reschedule(world.organization, who, world.key(), to(id, "Otávio", 15)).await.unwrap();
    let id = moved.value.unwrap().new.appointment.id;
    booking.reschedule(world.organization, who, world.key(), to(id, "Wesley", 16)).await.unwrap().value.unwrap();
    let kinds_of: Vec<String> = written(&world).await.into_iter().map(|one| one.kind).collect();
    assert_eq!(kinds_of, ["notice_booked", "notice_booked", "notice_cancelled", "notice_cancelled"]);
}

#[tokio::test]
async fn a_booking_that_is_refused_tells_nobody() {
    let world = shop(true).await;
    let (who, booking) = (livia(&world).await, Booking::new(world.app.clone()));
    booking.book(world.organization, who, world.key(), wish("Otávio", 3)).await.unwrap().value.unwrap_err();
    assert_eq!(written(&world).await, []);
}

fn mail(fake: &FakeSmtp) -> Arc<dyn Channel> {
    let config = Config {
        host: "127.0.0.1".to_owned(),
        port: fake.port(),
        security: Security::None,
        authority: None,
        login: None,
        from: FROM.to_owned(),
        within: std::time::Duration::from_mins(1),
    };
    Arc::new(Email::new(config).unwrap())
}

async fn letter_state(world: &World) -> (OutboxState, u32) {
    let all = written(world).await;
    let letter = all.iter().find(|one| one.channel == "email").unwrap();
    (letter.state, letter.attempts)
}

/// The first attempt at a letter: time stands but for a server that falls silent.
async fn first_attempt(sender: &Sender, fake: &FakeSmtp, time: wait::Standing, falls_silent: bool) -> wait::Standing {
    if !falls_silent {
        sender.work_off().await.unwrap();
        return time;
    }
    let silent = fake.clone();
    let runs_then = async {
        tokio::task::spawn_blocking(move || silent.fell_silent(1)).await.unwrap();
        drop(time);
    };
    let (worked, ()) = tokio::join!(sender.work_off(), runs_then);
    worked.unwrap();
    wait::hold()
}

#[tokio::test]
async fn a_letter_is_put_off_refused_or_unknown_by_the_rules_of_the_outbox() {
    let mut time = wait::stand();
    for (troubles, state, attempts, arrived) in [
        (vec![], OutboxState::Sent, 1, 1),
        (vec![Trouble::Answer("RCPT", 451), Trouble::AnswerLetter(421)], OutboxState::Sent, 3, 1),
        (vec![Trouble::Answer("RCPT", 550)], OutboxState::Dead, 1, 0),
        // The first server accepts no letter, so none was sent. A break after the letter began leaves an unknown outcome.
        (vec![Trouble::Silence], OutboxState::Sent, 2, 1),
        (vec![Trouble::SilenceAfterData], OutboxState::Unknown, 1, 1),
        (vec![Trouble::DropAfterData], OutboxState::Unknown, 1, 1),
        (vec![Trouble::DropAtData], OutboxState::Unknown, 1, 0),
    ] {
        let silent = troubles.iter().any(|one| matches!(one, Trouble::Silence | Trouble::SilenceAfterData));
        let fake = FakeSmtp::start(None).unwrap();
        fake.make(troubles.clone());
        let world = shop(true).await;
        let (who, booking) = (livia(&world).await, Booking::new(world.app.clone()));
        booking.book(world.organization, who, world.key(), wish("Otávio", 14)).await.unwrap().value.unwrap();
        let sender = Sender::new(world.app.clone(), [mail(&fake)], SenderSettings::default(), Arc::new(Notify::new()));
        time = first_attempt(&sender, &fake, time, silent).await;
        for _ in 0..5 {
            world.clock.advance(jiff::SignedDuration::from_mins(10));
            sender.work_off().await.unwrap();
        }
        assert_eq!(letter_state(&world).await, (state, attempts), "{troubles:?}");
        assert_eq!(fake.letters().len(), arrived, "{troubles:?}: what may have arrived is not sent again");
        assert_eq!(fake.breaches(), [""; 0]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outside_the_window_the_template_for_its_purpose_takes_its_place() {
    let world = shop(false).await;
    let graph = crate::messaging_harness::meta(&world);
    graph.keep_template(Template::new("novo_agendamento", "Oi! {{1}} marcou {{2}} para {{3}}, às {{4}}. Até lá!"));
    let (who, booking) = (livia(&world).await, Booking::new(world.app.clone()));
    booking.book(world.organization, who, world.key(), wish("Otávio", 14)).await.unwrap().value.unwrap();
    let template = ApprovedTemplate {
        name: "novo_agendamento".to_owned(),
        language: "pt_BR".to_owned(),
        category: Category::Utility,
        parameters: vec![
            (None, TemplateVariable::Customer),
            (None, TemplateVariable::Service),
            (None, TemplateVariable::Day),
            (None, TemplateVariable::Time),
        ],
        quick_replies: Vec::new(),
    };
    let terms = SendPolicy { templates: [(Purpose::NoticeBooked, template)].into(), ..SendPolicy::default() };
    crate::messaging_harness::sender(&world, &graph).with_terms("whatsapp", ACCOUNT, terms).work_off().await.unwrap();
    let sent = graph.accepted();
    assert_eq!(sent.len(), 1, "{sent:?}");
    let text = sent[0].to_string();
    for part in ["novo_agendamento", "Lívia Campos", "Corte na máquina", "quarta, 25/11", "14h", "5531988112040"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

/// Loads the sample; Davi, who is on duty, has a number, and staff receive handoff alerts on these channels.
async fn alerted(email: bool, whatsapp: bool) -> World {
    let mut world =
        crate::world::edited(Store::open_in_memory().unwrap(), "barbearia-figueira.yaml", "2026-11-24T10:00", |text| {
            text.replace(
                "role: attendant, on_duty: true",
                "role: attendant, on_duty: true, phone: \"+55 31 98700-0202\"",
            )
        })
        .await;
    world.app = world.app.clone().with_notices(NotificationAccounts {
        whatsapp: Some(("whatsapp".to_owned(), ACCOUNT.to_owned())),
        email: Some(FROM.to_owned()),
        handoffs: HandoffAlerts { email, whatsapp },
    });
    world
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_to_take_a_handoff_is_told_by_the_ways_that_the_business_chose() {
    for (email, whatsapp) in [(false, false), (true, false), (true, true)] {
        let shop = start_in_world(alerted(email, whatsapp).await, eli(), []);
        shop.joao_writes("wamid.1", "quero falar com um atendente").await;
        shop.advance_secs(3);
        shop.dispatcher.work_off().await.unwrap();
        let all = written(&shop.world).await;
        let alerts: Vec<_> = all.iter().filter(|one| one.kind == "notice_handoff").collect();
        let channels: Vec<_> = alerts.iter().map(|one| one.channel.as_str()).collect();
        let chosen = [(email, "email"), (whatsapp, "whatsapp")];
        assert_eq!(channels, chosen.iter().filter(|way| way.0).map(|way| way.1).collect::<Vec<_>>());
        let conversation = shop.conversation().await.id.to_string();
        for alert in alerts {
            assert!(alert.body.contains("João") && alert.body.contains(&conversation), "{}", alert.body);
            assert!(
                alert.recipient.contains("davi@") || alert.recipient.contains("5531987000202"),
                "{}",
                alert.recipient
            );
        }
    }
}

/// Who writes of a wedding is a hot lead.
fn eager_for_weddings() -> balcao_agent::Profile {
    let mut profile = eli();
    profile.guardrails.hot_leads =
        vec![HotLead { patterns: vec!["casamento".to_owned()], stage: None, tag: None, handoff: false }];
    profile
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_left_the_staff_gets_no_alert() {
    let shop = start_in_world(alerted(true, true).await, eager_for_weddings(), [says("Que ótimo!")]);
    let (organization, davi) = (shop.world.organization, "davi@figueira.example");
    let business = Business::new(shop.world.app.clone());
    let leaves = Edit::Remove { section: Section::Staff, name: davi.to_owned() };
    let (file, plan) = business.plan_edit(organization, leaves).await.unwrap().unwrap();
    business.apply(organization, file, plan.hash, "Renata".to_owned()).await.unwrap().unwrap();
    shop.joao_writes("wamid.1", "é para o meu casamento").await;
    shop.advance_secs(3);
    shop.dispatcher.work_off().await.unwrap();
    shop.joao_writes("wamid.2", "quero falar com um atendente").await;
    shop.advance_secs(3);
    shop.dispatcher.work_off().await.unwrap();
    let all = written(&shop.world).await;
    for kind in ["notice_hot_lead", "notice_handoff"] {
        let alerts: Vec<_> = all.iter().filter(|one| one.kind == kind).collect();
        assert!(!alerts.is_empty(), "{kind}: {all:?}");
        let is_his = |to: &str| to.contains(davi) || to.contains("5531987000202");
        assert!(!alerts.iter().any(|one| is_his(&one.recipient)), "{alerts:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hot_lead_is_told_to_staff_once_a_day_and_to_endpoints() {
    let profile = eager_for_weddings();
    let answers = ["Que ótimo!", "Claro!", "Bom dia!"].map(says);
    let shop = start_in_world(alerted(true, true).await, profile, answers);
    let mut told = Vec::new();
    for (number, hours) in [0, 1, 24].into_iter().enumerate() {
        shop.world.clock.advance(jiff::SignedDuration::from_hours(hours));
        shop.joao_writes(&format!("wamid.{number}"), "é para o meu casamento").await;
        shop.advance_secs(3);
        shop.dispatcher.work_off().await.unwrap();
        let mut alerts = written(&shop.world).await;
        alerts.retain(|one| one.kind == "notice_hot_lead");
        assert!(alerts.iter().all(|one| one.body.contains("João") && one.body.contains("casamento")), "{alerts:?}");
        let organization = shop.world.organization;
        let events = shop.world.app.store.read(move |tx| {
            tx.query_one(
                "SELECT count(*) FROM event WHERE organization_id = ?1 AND kind = 'hot_lead'",
                &[organization.into()],
                |row| row.get::<i64>(0),
            )
        });
        let events = events.await.map_err(|error: StoreError| error).unwrap();
        told.push((alerts.len(), events));
    }
    let staff = shop.world.staff().await.into_iter().filter(|one| one.role.answers_customers());
    let alerts: usize = staff.map(|one| 1 + usize::from(one.phone.is_some())).sum();
    assert!(alerts > 1);
    assert_eq!(told, [(alerts, 1), (alerts, 1), (2 * alerts, 2)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outside_the_window_an_alert_goes_as_its_template_with_the_name_of_the_customer() {
    let shop = start_in_world(alerted(false, true).await, eli(), []);
    shop.joao_writes("wamid.1", "quero falar com um atendente").await;
    shop.advance_secs(3);
    shop.dispatcher.work_off().await.unwrap();
    let template = ApprovedTemplate {
        name: "conversa_espera".to_owned(),
        language: "pt_BR".to_owned(),
        category: Category::Utility,
        parameters: vec![(None, TemplateVariable::Customer)],
        quick_replies: Vec::new(),
    };
    shop.graph.keep_template(Template::new("conversa_espera", "{{1}} espera por você."));
    shop.sends(SendPolicy { templates: [(Purpose::NoticeHandoff, template)].into(), ..SendPolicy::default() }).await;
    let sent = shop.graph.accepted();
    let sent = sent.iter().find(|one| one["type"] == "template").unwrap().to_string();
    for part in ["conversa_espera", "João", "5531987000202"] {
        assert!(sent.contains(part), "{part} is not in {sent}");
    }
}
