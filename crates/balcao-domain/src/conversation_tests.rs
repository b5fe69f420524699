use ConversationEvent::{Close, ContactWrites, GiveBack, HandOff, StaffSpeaks};
use ConversationState::{Ai, Closed, Human, WaitingHuman};

use super::*;

#[test]
fn a_conversation_changes_hands_in_these_ways_only() {
    let table = [
        (Ai, HandOff, Some(WaitingHuman)),
        (Ai, StaffSpeaks, Some(Human)),
        (Ai, GiveBack, None),
        (Ai, Close, Some(Closed)),
        (Ai, ContactWrites, None),
        (WaitingHuman, HandOff, None),
        (WaitingHuman, StaffSpeaks, Some(Human)),
        (WaitingHuman, GiveBack, Some(Ai)),
        (WaitingHuman, Close, Some(Closed)),
        (WaitingHuman, ContactWrites, None),
        (Human, HandOff, None),
        (Human, StaffSpeaks, None),
        (Human, GiveBack, Some(Ai)),
        (Human, Close, Some(Closed)),
        (Human, ContactWrites, None),
        (Closed, HandOff, None),
        (Closed, StaffSpeaks, Some(Human)),
        (Closed, GiveBack, None),
        (Closed, Close, None),
        (Closed, ContactWrites, Some(Ai)),
    ];
    for (state, event, after) in table {
        assert_eq!(state.after(event), after, "{state:?} {event:?}");
    }
    for state in ConversationState::ALL {
        assert_eq!(ConversationState::from_word(state.as_str()), Some(state));
        assert_eq!(state.agent_speaks(), state == Ai);
    }
}
