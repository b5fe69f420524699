//! Whether each step of a connection is looked at, and its cause named.

use balcao_google::{Credential, Finding, Severity};
use balcao_testkit::fakes::google::{Call, Fault, SERVICE_ACCOUNT};
use secrecy::SecretString;

use crate::world::{BIA, RAFA, World, instant, shop};

async fn examine(world: &World, calendars: &[&str]) -> Vec<Finding> {
    let calendars: Vec<String> = calendars.iter().map(|id| (*id).to_owned()).collect();
    world.service.examine(shop(), &calendars).await
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
    let world = World::unconnected();
    let key_file = SecretString::from(world.google.key_file());
    *world.known.credential.lock().unwrap() = Some(Credential::ServiceAccount { key_file, subject: None });
    world.google.remove_calendar(RAFA);
    world.google.share_calendar(BIA, "reader", None);
    let found = trouble(&world, &[]).await;
    assert!(found.says.contains(SERVICE_ACCOUNT), "{found:?}");
}
