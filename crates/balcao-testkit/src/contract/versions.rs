//! What every database must do with versions of business, knowledge and prompts.
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use balcao_domain::VersionKind;
use balcao_store::messaging::message::{self, Author};
use balcao_store::ops::version::{self, NewVersion};
use balcao_store::turns::turn::{self, TurnAgent, TurnVersions};
use balcao_store::{Store, StoreError, Tx, Value, crm::organization, messaging::conversation};

use super::Case;
use super::delivery::{at, write};
use super::store::{now, open_turn, world};
use super::talk::{begin, closing, say};

cases!(
    versions_are_numbered_and_never_change,
    a_turn_names_the_versions_that_it_opened_under,
    transcript_is_current_as_long_as_business_and_knowledge_are,
    reply_names_the_versions_of_its_turn,
);

/// Numbers of a kind count from 1 in each organization, equal content is found by its hash, and no row can be changed.
pub async fn versions_are_numbered_and_never_change(store: &Store) {
    let (one, other) = (world(store, "a").await.organization, world(store, "b").await.organization);
    let written: Result<(), StoreError> = store
        .write(move |tx| {
            let mut append = |organization, kind, hash| {
                organization::lock(tx, organization)?;
                let new = NewVersion { kind, hash, stated: hash, content: "{}", author: "operator" };
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
                version::append(
                    tx,
                    organization,
                    &NewVersion { kind, hash, stated: hash, content: "{}", author: "program" },
                    now(),
                )
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

/// A turn without versions, or under an earlier version of either that states something else, has another state of the business.
pub async fn transcript_is_current_as_long_as_business_and_knowledge_are(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let conversation = begin(tx, world, 0, "a")?.id;
        let turn = |tx: &mut Tx<'_>, text| {
            let id = open_turn(tx, organization, conversation, now())?;
            turn::close(tx, organization, &closing(id, text), at(1))?;
            let found = turn::transcripts(tx, organization, conversation, 0, 9)?;
            Ok::<_, StoreError>(found.into_iter().map(|one| one.is_current).collect::<Vec<_>>())
        };
        let append_stating = |tx: &mut Tx<'_>, kind, hash, stated| {
            version::append(tx, organization, &NewVersion { kind, hash, stated, content: "{}", author: "a" }, now())
        };
        let append = |tx: &mut Tx<'_>, kind, hash| append_stating(tx, kind, hash, hash);
        assert_eq!(turn(tx, "1")?, [false]);
        append(tx, VersionKind::Business, "a")?;
        append(tx, VersionKind::Knowledge, "a")?;
        assert_eq!(turn(tx, "2")?, [false, true]);
        append(tx, VersionKind::Prompt, "a")?;
        assert_eq!(turn(tx, "3")?, [false, true, true]);
        append(tx, VersionKind::Knowledge, "b")?;
        assert_eq!(turn(tx, "4")?, [false, false, false, true]);
        append(tx, VersionKind::Business, "b")?;
        assert_eq!(turn(tx, "5")?, [false, false, false, false, true]);
        // What a reply may state is as it was.
        append_stating(tx, VersionKind::Business, "c", "b")?;
        assert_eq!(turn(tx, "6")?, [false, false, false, false, true, true]);
        Ok(())
    })
    .await;
}

/// What others wrote names none, and what the agent wrote outside of a turn does not either.
pub async fn reply_names_the_versions_of_its_turn(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let conversation = begin(tx, world, 0, "a")?.id;
        let new = NewVersion { kind: VersionKind::Business, hash: "a", stated: "a", content: "{}", author: "a" };
        version::append(tx, organization, &new, now())?;
        let turn = open_turn(tx, organization, conversation, now())?;
        say(tx, world, conversation, Some(turn), Author::Contact, "oi", 0)?;
        say(tx, world, conversation, None, Author::Agent, "lembrete", 1)?;
        say(tx, world, conversation, Some(turn), Author::Agent, "olá", 2)?;
        let said = message::last(tx, organization, conversation, 9)?;
        let (first, last) = (said.first().unwrap().id, said.last().unwrap().id);
        let found = turn::versions_of_messages(tx, organization, conversation, first, last)?;
        assert_eq!(found, [(last, TurnVersions { business: Some(1), knowledge: None, prompt: None })]);
        assert_eq!(turn::versions_of_messages(tx, organization, conversation, first, first)?, []);
        let other = begin(tx, world, 1, "a")?.id;
        assert_eq!(turn::versions_of_messages(tx, organization, other, first, last)?, []);
        Ok(())
    })
    .await;
}
