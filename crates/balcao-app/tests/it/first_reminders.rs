//! Reminders of contacts who never wrote: by a template, or listed for staff.

use balcao_app::messaging::outbound::send_policy::SendPolicy;
use balcao_app::scheduling::booking::{BookRequest, Booking, ServiceChoice};
use balcao_app::scheduling::reminders::Reminders;
use balcao_domain::{Clock, ContactId, Phone};
use balcao_store::crm::contact::{self, NewContact};
use balcao_store::messaging::conversation::{self, Conversation};
use jiff::Timestamp;
use serde_json::json;

use crate::messaging_harness::{MessagingHarness, start_harness, terms};
use crate::timers::{remind_automatically, skipped};

/// A contact that staff entered, with a booking on Wednesday, 25 November at 15:00, reminded so many minutes before.
async fn entered_by_staff(shop: &MessagingHarness, phone: Option<&str>, minutes: u32) -> ContactId {
    remind_automatically(shop, vec![minutes]).await;
    let organization = shop.world.organization;
    let new = NewContact {
        name: Some("Rita Prado".to_owned()),
        phone: phone.map(|phone| Phone::parse(phone).unwrap()),
        ..Default::default()
    };
    let now = shop.world.clock.now();
    let rita = shop.in_transaction(move |tx| contact::insert(tx, organization, &new, now)).await;
    let request = BookRequest {
        professional: Some("Wesley".to_owned().into()),
        service: Some(ServiceChoice::Name("Corte na máquina".to_owned())),
        date: "2026-11-25".parse().unwrap(),
        start_min: 15 * 60,
        attendee: None,
        pending: false,
        source: "staff".to_owned(),
        price_agreed: true,
    };
    let booking = Booking::new(shop.world.app.clone());
    booking.book(organization, rita, shop.world.key(), request).await.unwrap().value.unwrap();
    rita
}

#[tokio::test]
async fn contact_known_by_phone_only_gets_the_reminder_as_a_template_and_answers_in_that_conversation() {
    let shop = start_harness([]).await;
    let rita = entered_by_staff(&shop, Some("(31) 98888-7070"), 60).await;
    shop.world.set_local("2026-11-25T14:00");
    assert_eq!(shop.fires(terms()).await, 1);
    assert_eq!(shop.fires(terms()).await, 0, "once");
    let [sent] = shop.graph.accepted().try_into().unwrap();
    assert_eq!((&sent["to"], &sent["template"]["name"]), (&json!("+5531988887070"), &json!("lembrete")));
    // Her answer comes into the conversation that the reminder began, and it confirms.
    shop.writes_as(Some("5531988887070"), Some("BR.707"), "wamid.9", "sim").await;
    shop.run_until_idle().await;
    let all = conversations(&shop, rita).await;
    assert_eq!(all.len(), 1);
    assert!(shop.texts().last().unwrap().starts_with("Presença confirmada"), "{:?}", shop.texts());
}

#[tokio::test]
async fn contact_who_cannot_be_reminded_is_listed_for_staff_and_begins_no_conversation() {
    let without_template = SendPolicy { templates: [].into(), ..terms() };
    for (phone, terms, why, listed) in [
        (None, terms(), "no phone and no conversation", true),
        (Some("31 98888-7070"), without_template, "never wrote, and no template", false),
    ] {
        let shop = start_harness([]).await;
        let rita = entered_by_staff(&shop, phone, 60).await;
        let organization = shop.world.organization;
        let reminders = Reminders::new(shop.world.app.clone());
        let page = reminders.page(organization, None, 10).await.unwrap();
        assert_eq!(page.items.iter().map(|one| one.is_unreachable).collect::<Vec<_>>(), [listed]);
        shop.world.set_local("2026-11-25T14:00");
        assert_eq!(shop.fires(terms).await, 1);
        assert!(skipped(&shop).await[0].contains(why), "{:?}", skipped(&shop).await);
        let all = conversations(&shop, rita).await;
        assert!(all.is_empty() && shop.graph.accepted().is_empty());
    }
}

#[tokio::test]
async fn first_reminder_waits_for_the_end_of_quiet_hours_and_nobody_who_opted_out_gets_it() {
    let shop = start_harness([]).await;
    let rita = entered_by_staff(&shop, Some("31 98888-7070"), 8 * 60).await;
    shop.world.set_local("2026-11-25T07:00");
    assert_eq!(shop.fires(terms()).await, 0);
    assert!(shop.graph.accepted().is_empty() && conversations(&shop, rita).await.is_empty());
    shop.world.set_local("2026-11-25T08:00");
    assert_eq!((shop.fires(terms()).await, shop.graph.accepted().len()), (1, 1));

    // A contact who opted out on the web chat has no conversation on WhatsApp, and gets none.
    let shop = start_harness([]).await;
    let rita = entered_by_staff(&shop, Some("31 98888-7070"), 60).await;
    let organization = shop.world.organization;
    shop.in_transaction(move |tx| {
        let mut found = conversation::find_or_begin(tx, organization, rita, "api", Timestamp::UNIX_EPOCH)?;
        found.opted_out_at = Some(Timestamp::UNIX_EPOCH);
        conversation::update(tx, organization, &found)
    })
    .await;
    shop.world.set_local("2026-11-25T14:00");
    shop.fires(terms()).await;
    assert!(shop.graph.accepted().is_empty() && skipped(&shop).await[0].contains("wants no"));
}

async fn conversations(shop: &MessagingHarness, contact: ContactId) -> Vec<Conversation> {
    let organization = shop.world.organization;
    shop.in_transaction(move |tx| conversation::of_contact(tx, organization, contact)).await
}
