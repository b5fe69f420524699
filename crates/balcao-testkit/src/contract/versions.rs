//! What every database must do with versions of business, knowledge and prompts.
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use balcao_domain::VersionKind;
use balcao_store::ops::version::{self, NewVersion};
use balcao_store::turns::turn::{self, TurnAgent, TurnVersions};
use balcao_store::{Store, StoreError, Tx, Value, crm::organization, messaging::conversation};

use super::Case;
use super::store::{now, world};

cases!(versions_are_numbered_and_never_change, a_turn_names_the_versions_that_it_opened_under);

/// Numbers of a kind count from 1 in each organization, equal content is found by its hash, and no row can be changed.
pub async fn versions_are_numbered_and_never_change(store: &Store) {
    let (one, other) = (world(store, "a").await.organization, world(store, "b").await.organization);
    let written: Result<(), StoreError> = store
        .write(move |tx| {
            let mut append = |organization, kind, hash| {
                organization::lock(tx, organization)?;
                let new = NewVersion { kind, hash, content: "{}", author: "operator" };
                version::append(tx, organization, &new, now()).map(|name| name.to_string())
            };
            assert_eq!(append(one, VersionKind::Business, "h1")?, "business_1");
            assert_eq!(append(one, VersionKind::Business, "h2")?, "business_2");
            assert_eq!(append(one, VersionKind::Business, "h1")?, "business_3");
            assert_eq!(append(one, VersionKind::Prompt, "h1")?, "prompt_1");
            assert_eq!(append(other, VersionKind::Business, "h9")?, "business_1");
            let names =
                |rows: Vec<version::VersionRow>| -> Vec<i64> { rows.iter().map(|row| row.name.number).collect() };
            assert_eq!(names(version::list(tx, one, VersionKind::Business, 2)?), [3, 2]);
            assert_eq!(version::last(tx, one, VersionKind::Business)?.unwrap().name.number, 3);
            assert_eq!(version::last(tx, one, VersionKind::Knowledge)?, None);
            assert_eq!(version::of_hash(tx, one, VersionKind::Business, "h1")?.unwrap().name.number, 3);
            assert_eq!(version::of_hash(tx, one, VersionKind::Business, "h9")?, None);
            let (found, content) = version::find(tx, one, "business_2".parse().unwrap())?.unwrap();
            assert_eq!((found.hash.as_str(), found.author.as_str(), content.as_str()), ("h2", "operator", "{}"));
            assert_eq!(found.created_at, now());
            assert_eq!(version::find(tx, one, "business_4".parse().unwrap())?, None);
            Ok(())
        })
        .await;
    written.unwrap();
    let change = "UPDATE version SET content = '[]' WHERE organization_id = ?1";
    let changed: Result<usize, StoreError> = store.write(move |tx| tx.execute(change, &[Value::from(one)])).await;
    assert!(changed.unwrap_err().to_string().contains("a version never changes"));
}

/// The last ones of business and knowledge, and the one of the agent's prompt, whatever other prompts came later.
pub async fn a_turn_names_the_versions_that_it_opened_under(store: &Store) {
    let world = world(store, "a").await;
    let organization = world.organization;
    let written: Result<(), StoreError> = store
        .write(move |tx| {
            let begin = |tx: &mut Tx<'_>, contact| {
                conversation::find_or_begin(tx, organization, contact, "terminal", now()).map(|found| found.id)
            };
            let append = |tx: &mut Tx<'_>, kind, hash| {
                version::append(tx, organization, &NewVersion { kind, hash, content: "{}", author: "program" }, now())
            };
            let [first, second] = world.contacts;
            let (first, second) = (begin(tx, first)?, begin(tx, second)?);
            let agent = TurnAgent { profile: "eli", prompt: "p1" };
            let (turn, versions) = turn::open(tx, organization, first, agent, now())?;
            assert_eq!(versions, TurnVersions::default());
            for (kind, hash) in [
                (VersionKind::Business, "b1"),
                (VersionKind::Business, "b2"),
                (VersionKind::Knowledge, "k1"),
                (VersionKind::Prompt, "p1"),
                (VersionKind::Prompt, "p2"),
            ] {
                append(tx, kind, hash)?;
            }
            let (_, later) = turn::open(tx, organization, second, agent, now())?;
            let names: Vec<String> = later.names().map(|name| name.to_string()).collect();
            assert_eq!(names, ["business_2", "knowledge_1", "prompt_1"]);
            turn::set_versions(tx, organization, turn, TurnVersions { prompt: Some(2), ..later })?;
            let saved = turn::latest(tx, organization, first, 1)?;
            assert_eq!(saved.first().unwrap().versions, TurnVersions { prompt: Some(2), ..later });
            Ok(())
        })
        .await;
    written.unwrap();
}
