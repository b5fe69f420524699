//! Whether each step of a connection is looked at, and its cause named.

use balcao_google::{Credential, Finding, Severity, UsedCalendar};
use balcao_testkit::fakes::google::{Call, Fault, SERVICE_ACCOUNT};
use secrecy::SecretString;

use crate::world::{BIA, RAFA, World, instant, shop};

/// A calendar that the configuration names.
fn named(id: &str) -> UsedCalendar {
    UsedCalendar { id: id.to_owned(), professional: None, is_written: false }
}

fn linked(id: &str, professional: &str, is_written: bool) -> UsedCalendar {
    UsedCalendar { professional: Some(professional.to_owned()), is_written, ..named(id) }
}

async fn examine(world: &World, calendars: &[&str]) -> Vec<Finding> {
    let calendars: Vec<UsedCalendar> = calendars.iter().map(|id| named(id)).collect();
    world.service.examine(shop(), &calendars).await
}

fn by_service_account() -> World {
    let world = World::unconnected();
    let key_file = SecretString::from(world.google.key_file());
    *world.known.credential.lock().unwrap() = Some(Credential::ServiceAccount { key_file, subject: None });
    world
}

/// What is not fine of these calendars.
async fn troubles(world: &World, used: &[UsedCalendar]) -> Vec<Finding> {
    let mut all = world.service.examine(shop(), used).await;
    all.retain(|one| one.severity != Severity::Fine);
    all
}

/// The one finding that is not fine.
async fn trouble(world: &World, calendars: &[&str]) -> Finding {
    let mut all = examine(world, calendars).await;
    all.retain(|one| one.severity != Severity::Fine);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

#[tokio::test]
async fn good_connection_has_no_trouble() {
    let world = World::new();
    let all = examine(&world, &[RAFA]).await;
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(all[0].says, "the connected account sees 2 calendars, writes 2");
}

#[tokio::test]
async fn each_cause_has_its_cure() {
    let world = World::unconnected();
    assert!(trouble(&world, &[]).await.mend.contains("balcao calendar connect"));

    let world = World::new();
    world.google.kill_grants("Token has been expired or revoked.");
    let young = trouble(&world, &[]).await.mend;
    assert!(young.contains("connected apps") && !young.contains("publish"), "{young}");
    world.clock.set(instant("2026-11-27T12:00:00Z"));
    assert!(trouble(&world, &[]).await.mend.contains("publish the consent screen"));

    for (reason, cure) in [("accessNotConfigured", "enable"), ("insufficientPermissions", "tick every box")] {
        let world = World::new();
        world.google.fail(Call::Calendars, Fault::refuse(403, reason));
        let found = trouble(&world, &[]).await;
        assert_eq!(found.severity, Severity::Wrong);
        assert!(found.mend.contains(cure), "{found:?}");
    }

    let world = World::new();
    let found = trouble(&world, &["gone@example.test"]).await;
    assert!(found.says.contains("gone@example.test") && found.mend.contains("share the calendar"), "{found:?}");

    let world = World::new();
    world.google.share_calendar(BIA, "writer", None);
    assert!(trouble(&world, &[]).await.mend.contains("owner is not an active account"));

    let world = World::new();
    world.google.fail(Call::Calendars, Fault::refuse(503, "backendError"));
    world.google.fail(Call::Calendars, Fault::refuse(503, "backendError"));
    assert_eq!(trouble(&world, &[]).await.severity, Severity::Warning);
}

#[tokio::test]
async fn service_account_without_a_shared_calendar_is_named_with_its_address() {
    let world = by_service_account();
    world.google.remove_calendar(RAFA);
    world.google.share_calendar(BIA, "reader", None);
    let found = trouble(&world, &[]).await;
    assert!(found.says.contains(SERVICE_ACCOUNT), "{found:?}");
}

#[tokio::test]
async fn linked_calendar_that_google_does_not_know_is_wrong_and_named_with_its_professional() {
    let world = World::new();
    for (is_written, link) in [(true, "CALENDAR --write`"), (false, "CALENDAR`")] {
        let used = [linked(RAFA, "Rafa Dias", true), linked("gone@example.test", "Bia Reis", is_written)];
        let found = troubles(&world, &used).await;
        assert!(found.len() == 1 && found[0].severity == Severity::Wrong, "{found:?}");
        let Finding { says, mend, .. } = &found[0];
        assert!(says.contains("calendar gone@example.test, linked to Bia Reis, cannot be read"), "{says}");
        assert!(mend.contains("`balcao calendar unlink \"Bia Reis\" gone@example.test`"), "{mend}");
        assert!(mend.contains("share the calendar with the connected account") && mend.ends_with(link), "{mend}");
    }
}

#[tokio::test]
async fn read_only_calendar_is_wrong_if_it_is_linked_for_writing() {
    let world = by_service_account();
    world.google.share_calendar(BIA, "reader", None);
    let used = [linked(BIA, "Rafa Dias", false), linked(BIA, "Bia Reis", true), named(BIA)];
    let found = troubles(&world, &used).await;
    assert!(found.len() == 1 && found[0].severity == Severity::Wrong, "{found:?}");
    let Finding { says, mend, .. } = &found[0];
    assert!(says.contains(BIA) && says.contains("Bia Reis") && says.contains("read-only"), "{says}");
    assert!(mend.contains("make changes to events") && mend.contains("`balcao calendar link \"Bia Reis\""), "{mend}");
    assert_eq!(troubles(&world, &[linked(BIA, "Rafa Dias", false), named(BIA)]).await, []);

    world.google.share_calendar(BIA, "freeBusyReader", None);
    let found = troubles(&world, &[linked(BIA, "Rafa Dias", false)]).await;
    assert!(found.len() == 1 && found[0].severity == Severity::Wrong, "{found:?}");
    assert!(found[0].mend.contains("see all event details"), "{found:?}");
}

#[tokio::test]
async fn named_calendar_that_is_read_only_is_a_warning_and_its_busy_times_are_asked_for() {
    let world = by_service_account();
    world.google.share_calendar(BIA, "reader", None);
    let found = trouble(&world, &[RAFA, BIA]).await;
    assert_eq!(found.severity, Severity::Warning);
    assert!(found.says.contains(BIA) && found.mend.contains("make changes to events"), "{found:?}");

    world.google.set_busy_error(BIA, Some("internalError"));
    let found = troubles(&world, &[named(BIA)]).await;
    assert!(found.len() == 2 && found[1].says.contains("busy times"), "{found:?}");
}

#[tokio::test]
async fn linked_calendar_that_does_not_answer_is_a_warning_and_the_next_one_is_looked_at() {
    let world = World::new();
    (0..2).for_each(|_| world.google.fail(Call::List, Fault::refuse(503, "backendError")));
    let used = [linked(BIA, "Bia Reis", true), linked("gone@example.test", "Rafa Dias", false)];
    let found = troubles(&world, &used).await;
    assert_eq!(found.iter().map(|one| one.severity).collect::<Vec<_>>(), [Severity::Warning, Severity::Wrong]);
    assert!(found[0].says.contains(BIA) && found[1].says.contains("gone@example.test"), "{found:?}");
}

#[tokio::test]
async fn linked_calendar_of_another_owner_is_wrong_under_a_consent_and_the_cure_is_the_owners_account() {
    let world = World::new();
    world.google.share_calendar(BIA, "reader", None);
    for (is_written, right) in [(true, "make changes to events"), (false, "see all event details")] {
        let found = troubles(&world, &[linked(BIA, "Bia Reis", is_written), linked(RAFA, "Rafa Dias", true)]).await;
        assert!(found.len() == 1 && found[0].severity == Severity::Wrong, "{found:?}");
        let Finding { says, mend, .. } = &found[0];
        assert!(says.contains(BIA) && says.contains("Bia Reis"), "{says}");
        assert!(mend.contains("the owner's account with `balcao calendar connect`") && mend.contains(right), "{mend}");
    }
}
