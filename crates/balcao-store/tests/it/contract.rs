//! The contract, each case a test of its own on every back end.

use balcao_store::{OpenOptions, Store};
use balcao_testkit::contract::{self, Case};
use balcao_testkit::postgres::Database;

macro_rules! contract {
    ($($suite:ident: [$($case:ident),* $(,)?])*) => {
        mod sqlite {
            $(mod $suite {$(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $case() {
                    let (_folder, store) = crate::contract::file().await;
                    balcao_testkit::contract::$suite::$case(&store).await;
                }
            )*})*
        }

        mod memory {
            $(mod $suite {$(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $case() {
                    balcao_testkit::contract::$suite::$case(&crate::contract::memory_store().await).await;
                }
            )*})*
        }

        mod postgres {
            $(mod $suite {$(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $case() {
                    let Some((_database, store)) = crate::contract::database() else { return };
                    balcao_testkit::contract::$suite::$case(&store).await;
                }
            )*})*
        }

        const LISTED: &[(&str, &[&str])] = &[$((stringify!($suite), &[$(stringify!($case)),*])),*];
    };
}

contract! {
    store: [
        a_closure_that_fails_undoes_itself_alone,
        a_closure_that_panics_undoes_itself_and_the_next_one_runs,
        a_read_cannot_write,
        an_attempt_that_is_refused_changes_nothing,
        a_foreign_key_is_enforced,
        an_effect_happens_once_per_key,
        overlapping_appointments_are_refused_by_the_claims,
        overlapping_appointments_are_refused_by_the_trigger,
        capacity_is_a_number_of_seats,
        a_cancelled_appointment_frees_its_time_and_its_reminders,
        an_expired_hold_gives_way,
        two_fight_for_one_slot_a_thousand_times,
        one_open_appointment_per_contact_and_start,
        the_audit_log_cannot_be_changed,
        knowledge_is_found_by_its_tokens,
        tenants_do_not_see_each_other,
        events_are_taken_once,
    ]
    delivery: [
        an_event_is_stored_once_per_account,
        an_event_for_nobody_is_kept_once,
        what_waits_is_given_to_one_turn_for_ever,
        a_turn_takes_at_most_so_many_messages,
        a_message_that_waits_can_be_reworded_and_withdrawn,
        what_is_not_ripe_is_not_claimed,
        a_conversation_is_claimed_by_one,
        a_hundred_claim_and_each_conversation_is_claimed_once,
        whoever_lost_the_lease_changes_nothing,
        a_renewed_lease_lasts,
        a_lease_that_ran_out_is_a_death,
        one_suspect_is_worked_on_at_a_time,
        a_failure_waits_and_is_counted,
        what_comes_during_the_work_stays_ripe,
        a_route_keeps_the_latest_word_of_the_customer,
        tenants_have_inboxes_of_their_own,
    ]
    outbox: [
        messages_leave_in_order,
        a_message_is_claimed_by_one,
        an_unknown_message_holds_the_next_back_for_a_while_and_is_never_repeated,
        an_attempt_that_was_cut_short_is_unknown,
        a_late_answer_still_counts_and_an_older_one_does_not,
        a_status_finds_its_message_by_either_name,
        a_turn_has_one_set_of_messages,
        what_is_pending_is_withdrawn_when_a_person_takes_over,
        staff_may_send_a_dead_message_again,
        tenants_have_outboxes_of_their_own,
    ]
}

/// The macro must write the names out; this sees that none is forgotten.
#[test]
fn every_case_runs_on_every_back_end() {
    let suites: [(&str, Vec<Case>); 3] = [
        ("store", contract::store::all()),
        ("delivery", contract::delivery::all()),
        ("outbox", contract::outbox::all()),
    ];
    for ((name, cases), (listed_name, listed)) in suites.iter().zip(LISTED) {
        let names: Vec<&str> = cases.iter().map(|(name, _case)| *name).collect();
        assert_eq!((*name, names.as_slice()), (*listed_name, *listed));
    }
    assert_eq!(suites.len(), LISTED.len());
}

pub(crate) async fn file() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("balcao.db"), OpenOptions::default()).unwrap();
    store.migrate().await.unwrap();
    (folder, store)
}

pub(crate) async fn memory_store() -> Store {
    let store = Store::open_in_memory().unwrap();
    store.migrate().await.unwrap();
    store
}

/// A migrated database of its own, or `None` where there is no PostgreSQL.
pub(crate) fn database() -> Option<(Database, Store)> {
    let database = Database::migrated()?;
    let store = Store::connect(&database.url, OpenOptions::default()).unwrap();
    Some((database, store))
}
