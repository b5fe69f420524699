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

        /// Each suite of the contract: its name, its cases, and the names listed here.
        fn suites() -> Vec<(&'static str, Vec<Case>, Vec<&'static str>)> {
            vec![$((stringify!($suite), contract::$suite::all(), vec![$(stringify!($case)),*])),*]
        }
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
        what_an_effect_gave_is_found_by_its_key,
        overlapping_appointments_are_refused_by_the_claims,
        overlapping_appointments_are_refused_by_the_trigger,
        capacity_is_a_number_of_seats,
        a_claim_takes_the_first_free_seat,
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
        what_came_last_is_known_by_account,
        an_event_for_nobody_is_kept_once,
        what_waits_is_given_to_one_turn_for_ever,
        a_turn_takes_at_most_so_many_messages,
        what_came_out_of_order_is_given_in_the_order_of_writing,
        a_message_that_waits_can_be_reworded_and_withdrawn,
        what_has_no_words_is_taken_alone,
        what_was_read_can_be_retracted,
        the_latest_of_an_inbox_come_in_order_of_arrival,
        what_is_not_due_is_not_leased,
        a_conversation_is_leased_by_one,
        a_hundred_lease_and_each_conversation_is_leased_once,
        whoever_lost_the_lease_changes_nothing,
        a_renewed_lease_lasts,
        no_renewal_makes_a_lease_shorter,
        a_lease_that_ran_out_is_a_death,
        one_suspect_is_worked_on_at_a_time,
        a_failure_waits_and_is_counted,
        what_comes_during_the_work_stays_ripe,
        a_route_keeps_the_latest_word_of_the_customer,
        whom_an_advertisement_led_here_is_known_and_when_they_were_answered,
        tenants_have_inboxes_of_their_own,
    ]
    packs: [
        a_delivery_and_a_change_are_taken_once_for_ever,
        a_delivery_without_a_name_is_a_repeat_for_a_short_while_only,
        a_delivery_becomes_one_event_and_forgets_what_was_sent,
        a_delivery_that_cannot_be_read_is_tried_again_and_then_given_up,
        a_delivery_that_the_program_died_at_three_times_is_set_aside,
        a_delivery_starts_one_command_whose_end_is_recorded_once,
        a_command_that_was_begun_three_times_without_an_end_is_set_aside,
        commands_in_hand_at_a_death_run_one_at_a_time,
        what_services_tell_waits_for_the_contact_and_shares_no_turn,
    ]
    edits: [
        an_organization_is_changed_and_no_other,
        a_service_is_replaced_with_its_aliases,
        a_professional_is_replaced_with_all_that_belongs_to_it,
        a_plan_is_replaced_with_what_it_covers,
        exceptions_and_holidays_are_taken_back,
        a_person_of_staff_is_changed_archived_and_brought_back,
        a_stage_is_added_behind_the_others,
        templates_and_media_are_put_and_removed,
    ]
    feeds: [
        an_address_opens_one_agenda_until_it_is_revoked,
        an_agenda_holds_what_takes_time_in_order,
        an_appointment_that_is_moved_keeps_its_name_and_who_comes,
        a_conversation_keeps_whom_it_is_about,
    ]
    calendar_conflicts: [
        a_conflict_is_open_once_and_resolved_once,
        a_series_is_one_conflict_that_ends_with_its_last_instance,
        a_report_of_a_move_follows_the_appointment_and_ends_with_it,
        time_of_an_event_that_stays_when_its_visit_moves_is_taken,
        a_comparison_is_claimed_once_a_day_and_again_after_a_crash,
        a_comparison_at_which_three_programs_crashed_is_set_aside,
    ]
    outside_calendars: [
        an_appointment_raises_its_event_only_where_a_calendar_is_linked_for_writing,
        a_push_is_claimed_by_one_and_a_lost_claim_writes_nothing,
        a_moved_appointment_hands_its_event_on,
        a_moved_appointment_is_opened_again_while_its_time_is_free,
        a_visit_that_is_marked_cancelled_and_comes_back_raises_its_event,
        an_event_at_which_three_programs_crashed_is_set_aside,
        a_calendar_at_which_three_programs_crashed_is_set_aside,
        a_professional_has_one_calendar_to_write_into,
        a_reading_holds_its_calendar_and_whoever_lost_it_writes_nothing,
        a_channel_finds_its_calendar_in_any_business,
        the_copy_tells_busy_time_and_how_old_it_is,
        an_event_that_cannot_be_read_is_put_aside_once,
    ]
    calendar_claims: [
        a_claim_goes_with_its_key,
        a_held_appointment_is_agreed_or_removed,
    ]
    deferred: [
        a_deferred_write_is_seen_by_the_next_read,
        a_deferred_write_that_fails_undoes_its_transaction,
        a_deferred_write_that_fails_is_no_affair_of_its_neighbours,
        a_deferred_write_is_undone_with_its_attempt,
        what_failed_before_an_attempt_is_not_forgotten_with_it,
        what_failed_in_an_attempt_is_not_forgotten_with_the_next_one,
        a_deferred_write_that_fails_at_the_commit_is_in_nobodys_way,
        deferred_writes_keep_their_order_however_many,
        values_that_do_not_fit_fail_where_they_are_given,
        a_deferred_write_cannot_write_in_a_read,
        what_is_read_ahead_is_what_is_read,
        an_agenda_and_a_turn_are_the_same_if_they_are_read_ahead,
    ]
    outbox: [
        messages_leave_in_order,
        a_message_is_claimed_by_one,
        a_claim_that_nobody_learned_of_is_given_back,
        an_unknown_message_holds_the_next_back_for_a_while_and_is_never_repeated,
        an_attempt_that_was_cut_short_is_unknown,
        a_late_answer_still_counts_and_an_older_one_does_not,
        what_was_given_up_is_left_behind_by_what_leaves_after_it,
        a_status_finds_its_message_by_either_name,
        f_55_a_turn_has_one_set_of_messages,
        what_is_pending_is_withdrawn_when_a_person_takes_over,
        staff_may_send_a_dead_message_again,
        a_template_takes_the_place_of_what_came_too_late_once,
        a_price_is_known_before_and_the_dead_cost_nothing,
        what_may_be_chosen_counts_in_its_conversation_for_a_while,
        tenants_have_outboxes_of_their_own,
        a_message_is_held_while_its_file_is_handed_in_and_only_by_whoever_has_it,
        what_has_not_left_follows_whoever_moved,
        what_did_not_arrive_is_sent_anew_as_another_copy,
        a_message_of_the_thread_is_known_by_what_leaves_of_it,
    ]
    pace: [
        an_account_that_can_send_nothing_is_paused_as_a_whole,
        an_account_that_is_too_fast_waits_as_a_whole,
        what_would_leave_too_fast_is_put_back_at_no_cost,
        what_a_day_may_take_is_taken_once_however_many_take_at_once,
    ]
    records: [
        an_organization_is_found_by_its_slug,
        a_contact_is_kept_whole_and_found_by_what_identifies_it,
        contacts_are_listed_page_by_page,
        services_and_professionals_come_back_as_they_went_in,
        plans_cover_services,
        a_name_is_taken_once,
        a_row_outside_the_rules_is_refused,
        hours_of_a_date_and_holidays_replace_each_other,
        a_contact_stands_in_one_stage_of_each_pipeline,
        a_tag_is_attached_once,
        names_are_ordered_byte_by_byte,
        knowledge_is_listed_by_category_and_forgotten,
        vectors_of_knowledge_are_kept_by_model_and_gone_with_their_entries,
        notes_templates_and_media_are_kept,
        texts_keep_every_character,
        what_a_business_has_booked_of_us_is_kept,
        a_35_a_contact_was_last_known_when_they_or_staff_wrote_or_came,
    ]
    quotes: [
        a_quoted_message_names_its_matter,
    ]
    talk: [
        a_turn_that_is_over_has_no_more_effects,
        a_conversation_begins_once_and_keeps_what_is_written,
        those_who_wait_longest_come_first,
        whoever_opted_out_on_one_channel_has_opted_out,
        whom_the_web_chat_alone_knows_is_a_stranger,
        conversations_go_to_the_least_loaded_on_duty,
        a_conversation_has_one_open_turn,
        a_closed_turn_cannot_be_saved_or_closed_again,
        transcripts_are_the_last_ones_oldest_first,
        what_turns_used_up_is_summed,
        the_last_messages_come_oldest_first,
        a_turn_has_one_reply_and_it_can_be_taken_back,
        what_nobody_answered_is_counted,
        the_last_message_that_was_said_is_no_draft,
        what_was_written_after_a_text_is_counted,
        the_last_thing_told_is_the_last_thing_that_we_said,
        the_words_of_a_turn_are_the_contacts,
        f_154_a_conversation_has_one_open_handoff,
        handoffs_are_open_until_they_are_resolved,
    ]
    api: [
        a_key_is_found_by_its_prefix_and_revoked_once,
        the_requests_of_a_minute_are_given_out_once,
        many_take_requests_at_once_and_nobody_gets_too_many,
        a_name_of_a_conversation_is_taken_once_per_organization,
        pages_of_conversations_have_no_gap_and_no_repeat,
        pages_of_messages_and_handoffs_go_back_in_time,
        pages_of_appointments_go_on_in_time,
        a_turn_tells_its_end_once_it_is_closed,
    ]
    chat: [
        an_entry_of_one_name_is_kept_once,
        entries_are_numbered_without_gaps_however_many_write_at_once,
        whoever_read_up_to_a_number_asks_for_what_comes_after,
        an_answer_is_on_its_way_while_something_waits_or_is_worked_on,
        tenants_do_not_read_each_others_entries,
        a_pace_is_kept_by_name_and_forgotten_when_it_is_over,
        a_file_is_shown_in_its_own_conversation,
    ]
    served: [
        a_program_works_off_only_what_it_serves,
        what_a_program_sends_is_given_up_by_its_own,
        keys_open_only_what_is_served,
    ]
    watch: [
        what_waits_is_counted_and_its_age_told,
        what_waits_too_long_is_leased_to_be_handed_over_once,
        what_is_not_ripe_yet_is_not_stuck,
        what_failed_is_listed_until_staff_let_it_be,
        an_event_is_one_delivery_for_each_endpoint_that_is_known,
        a_webhook_is_delivered_by_one_and_comes_again_after_a_death,
        a_webhook_that_was_given_up_can_be_delivered_once_more,
        a_webhook_that_the_program_died_at_three_times_is_given_up,
        deaths_at_webhooks_of_one_endpoint_are_taken_back,
        tenants_are_told_of_their_own,
    ]
    agenda: [
        whoever_waits_is_offered_what_was_freed,
        an_offer_that_nobody_took_lapses,
        follow_ups_are_counted_by_episode_and_cancelled,
        what_is_due_ends_once,
        a_hold_expires_unless_it_is_confirmed,
        appointments_on_a_plan_are_counted,
        figures_are_added_up_within_a_span_and_a_tenant,
        every_appointment_of_a_span_is_told_once_in_order,
    ]
    versions: [
        versions_are_numbered_and_never_change,
        a_turn_names_the_versions_that_it_opened_under,
        transcript_is_current_as_long_as_business_and_knowledge_are,
        reply_names_the_versions_of_its_turn,
    ]
    reminders: [
        a_reminder_that_was_cancelled_can_be_planned_again,
        a_reminder_is_known_by_its_start_and_its_minutes,
        a_sent_reminder_is_confirmed_once,
        a_mark_ends_the_reminders,
        two_who_begin_a_conversation_at_once_get_the_same_one,
    ]
    visits: [
        a_visit_is_marked_by_one_and_undone_exactly,
        a_cancelled_visit_comes_back_unless_its_time_is_taken,
        a_visit_that_nobody_marked_is_taken_up_once,
        unmarked_visits_are_completed_with_their_events_and_audit_rows,
        an_appointment_is_kept_once_for_a_reason,
    ]
    subscriptions: [
        a_subscription_starts_once_and_again_after_its_end,
        of_two_changes_of_one_revision_the_first_is_written,
        a_payment_counts_once_per_reference,
        subscriptions_are_listed_by_id_and_tenant,
    ]
    restored: [
        f_82_what_a_lost_program_may_have_done_is_held_once,
        f_82_another_business_is_not_held,
        f_82_the_last_note_of_a_server_at_work_counts,
        f_82_events_are_numbered_past_what_a_lost_program_gave,
    ]
    retention: [
        what_is_older_than_its_time_goes_and_what_is_not_stays,
        what_work_goes_on_from_stays_however_old,
        what_came_is_forgotten_and_that_it_came_is_not,
        what_happened_goes_but_for_the_latest_and_its_numbers_rise,
        a_batch_is_no_larger_than_it_may_be,
        the_days_deleting_is_done_by_one,
        a_deletion_at_which_three_programs_died_is_set_aside,
        tenants_keep_their_own,
    ]
    attachments: [
        a_file_is_fetched_by_one_and_again_after_a_death,
        files_in_hand_at_a_death_are_fetched_one_at_a_time,
        the_bytes_of_a_file_come_back_as_they_went_in,
        only_the_attempt_that_counts_ends_the_waiting,
        a_turn_waits_for_files_of_what_it_has_not_read,
        a_file_goes_with_its_message_and_its_contact,
        tenants_do_not_read_each_others_files,
        a_customers_file_belongs_to_the_message_that_its_turn_made,
        a_file_of_staff_is_sent_with_one_message_of_its_conversation,
    ]
}

/// The macro must write the names out; this sees that none is forgotten.
#[test]
fn every_case_runs_on_every_back_end() {
    for (suite, cases, listed) in suites() {
        let names: Vec<&str> = cases.iter().map(|(name, _case)| *name).collect();
        assert_eq!((suite, names), (suite, listed));
    }
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

/// Creates a private, migrated database; `None` if PostgreSQL is not installed.
pub(crate) fn database() -> Option<(Database, Store)> {
    let database = Database::migrated()?;
    let store = Store::connect(&database.url, OpenOptions::default()).unwrap();
    Some((database, store))
}
