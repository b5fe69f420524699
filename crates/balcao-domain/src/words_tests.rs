//! The words under which states are stored and shown.

use crate::{
    attachment::AttachmentState,
    conversation::ConversationState,
    entitlement::{Feature, Tier},
    follow_up::FollowUpType,
    inbox::InboxState,
    outbox::OutboxState,
    outcome::Outcome,
    staff::Role,
    subscription::{PlanPeriod, SubscriberStatus},
    version::VersionKind,
    waitlist::DayPeriod,
};

/// Every value has its word, the word is read as that value, and no other word is.
fn check<T: Copy + PartialEq + std::fmt::Debug>(
    all: &[T],
    words: &[&str],
    word: impl Fn(T) -> &'static str,
    read: impl Fn(&str) -> Option<T>,
) {
    assert_eq!(all.iter().map(|one| word(*one)).collect::<Vec<_>>(), words);
    for (one, text) in all.iter().zip(words) {
        assert_eq!(read(text), Some(*one), "{text}");
    }
    for other in ["", "xyzzy", "Pending"] {
        assert_eq!(read(other), None, "{other:?}");
    }
}

#[test]
fn each_state_has_its_word() {
    check(
        &AttachmentState::ALL,
        &["waiting", "stored", "unreadable", "expired"],
        AttachmentState::as_str,
        AttachmentState::from_word,
    );
    check(
        &ConversationState::ALL,
        &["ai", "waiting_human", "human", "closed"],
        ConversationState::as_str,
        ConversationState::from_word,
    );
    check(&Feature::ALL, &["assistant", "free_questions"], Feature::as_str, Feature::from_word);
    check(&Tier::ALL, &["basic", "complete"], Tier::as_str, Tier::from_word);
    check(&FollowUpType::ALL, &["curiosity", "value", "farewell"], FollowUpType::as_str, FollowUpType::from_word);
    check(&VersionKind::ALL, &["business", "knowledge", "prompt"], VersionKind::as_str, VersionKind::from_word);
    check(
        &InboxState::ALL,
        &["new", "assigned", "answered", "handed_off", "ignored"],
        InboxState::as_str,
        InboxState::from_word,
    );
    check(
        &OutboxState::ALL,
        &["pending", "sending", "sent", "unknown", "dead"],
        OutboxState::as_str,
        OutboxState::from_word,
    );
    check(&PlanPeriod::ALL, &["week", "month", "year"], PlanPeriod::as_str, PlanPeriod::from_word);
    check(
        &SubscriberStatus::ALL,
        &["active", "overdue", "paused", "cancelled"],
        SubscriberStatus::as_str,
        SubscriberStatus::from_word,
    );
    check(&DayPeriod::ALL, &["morning", "afternoon", "evening"], DayPeriod::as_str, DayPeriod::from_word);
    check(&Role::ALL, &["owner", "manager", "attendant", "professional", "viewer"], Role::as_str, |word| {
        word.parse().ok()
    });
    let outcomes = [Outcome::Reply, Outcome::Handoff, Outcome::Silence].map(Outcome::as_str);
    assert_eq!(outcomes, ["reply", "handoff", "silence"]);
    assert_eq!(
        (Feature::FreeQuestions.to_string(), Tier::Basic.to_string()),
        ("free_questions".to_owned(), "basic".to_owned())
    );
}

#[test]
fn states_are_final_with_staff_and_see_money_as_they_should() {
    use ConversationState::{Human, WaitingHuman};
    assert_eq!(InboxState::ALL.map(InboxState::is_final), [false, false, true, true, true]);
    for state in ConversationState::ALL {
        assert_eq!(state.is_with_staff(), matches!(state, WaitingHuman | Human), "{state:?}");
    }
    assert_eq!(Role::ALL.map(Role::sees_all_money), [true, true, false, false, false]);
}
