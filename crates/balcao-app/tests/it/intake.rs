//! Sessions that the intake books while the database is in trouble: tried again, a bounded number of times; booked once or not at all.

use std::sync::Arc;

use balcao_builtin_tools::Settings;
use balcao_domain::{Clock, ContactId, Currency};
use balcao_store::{CommitOutcome, InlineDatabase, StoreError, Tx, messaging::conversation, scheduling::appointment};
use balcao_tool::context::{Agreed, EffectKey, Principal, ToolContext};
use balcao_tool::{CallResult, ErrorCode, Locale, ResultClass, RunMode};
use jiff::tz::TimeZone;
use serde_json::json;

use crate::lost_answers::{Fates, refused};
use crate::world::{self, World};

async fn appointments(world: &World, who: ContactId) -> usize {
    let organization = world.organization;
    let read = world.app.store.read(move |tx: &mut Tx<'_>| {
        appointment::of_contact(tx, organization, who, Currency::BRL).map(|all| all.len())
    });
    read.await.map_err(|error: StoreError| error).unwrap()
}

/// What `book_appointment` answers while transactions meet these fates, how many of them were left, and how many appointments
/// there are more.
async fn booked(fates: impl IntoIterator<Item = CommitOutcome>) -> (CallResult, usize, usize) {
    let gate = Arc::new(Fates::default());
    let store = InlineDatabase::new().unwrap().behind(gate.clone());
    let world = world::on(store, "barbearia-figueira.yaml", "2026-11-23T09:00").await;
    let (organization, who, now) = (world.organization, world.livia().await, world.clock.now());
    let begun = world.app.store.write(move |tx: &mut Tx<'_>| {
        let begun = conversation::find_or_begin(tx, organization, who, "terminal", now)?;
        conversation::set_professional(tx, organization, begun.id, Some(2.try_into().unwrap()))?;
        Ok::<_, StoreError>(begun.id)
    });
    let conversation = begun.await.unwrap();
    let settings =
        Settings { professional: None, allow_new_tags: false, reminder_minutes: 60, followup_delays: Vec::new() };
    let tools = balcao_builtin_tools::registry(&world.app, &settings).unwrap();
    let principal = Principal {
        organization: organization.into(),
        contact: who.into(),
        conversation: conversation.into(),
        turn: 1,
        staff_facing: false,
        locale: Locale::PtBr,
    };
    let cx = ToolContext {
        principal,
        key: EffectKey::derive(1, 1, 0, "book_appointment", "hash"),
        args_hash: "hash".to_owned(),
        now: now.to_zoned(TimeZone::get("America/Sao_Paulo").unwrap()),
        // The customer knows the price, which no plan pays.
        agreed: Some(Agreed {
            question: "Este horário custa R$ 50,00. Posso marcar (R$ 50,00)?".to_owned(),
            asked_at: now,
        }),
        told_prices: Vec::new(),
    };
    let args = json!({"date": "2026-11-25", "time": "11:00", "client_name": "Lívia", "client_phone": "31 98432-7788"});
    let before = appointments(&world, who).await;
    gate.0.lock().unwrap().extend(fates);
    let result = tools.get("book_appointment").unwrap().execute(&cx, args, RunMode::Execute).await;
    let left = std::mem::take(&mut *gate.0.lock().unwrap()).len();
    (result, left, appointments(&world, who).await - before)
}

#[tokio::test]
async fn what_the_database_puts_off_twice_is_booked_once() {
    let (result, left, more) = booked([refused(), refused()]).await;
    assert_eq!((result.class, left, more), (ResultClass::Success, 0, 1), "{}", result.value);
}

#[tokio::test]
async fn what_it_puts_off_as_often_as_is_tried_is_unavailable_and_not_booked() {
    // The look at the price meets the first; a fourth try would find the database well.
    let (result, left, more) = booked([refused(), refused(), refused(), refused()]).await;
    assert_eq!((result.code, left, more), (Some(ErrorCode::Unavailable), 0, 0), "{}", result.value);
    assert_eq!((result.class, &result.value["retryable"]), (ResultClass::Fault, &json!(true)));
}

#[tokio::test]
async fn what_would_fail_again_is_not_tried_again() {
    let closed = || CommitOutcome::Refuse(StoreError::Closed);
    // The look at the price meets the first.
    let (result, left, more) = booked([closed(), closed(), refused()]).await;
    assert_eq!((result.code, left, more), (Some(ErrorCode::Internal), 1, 0), "{}", result.value);
}
