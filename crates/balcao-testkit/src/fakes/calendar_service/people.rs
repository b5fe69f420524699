//! What people do in the service.

use balcao_domain::outside_event::{EventState, EventTime, OutsideEvent};
use jiff::SignedDuration;

use super::{MemoryService, State, put};

impl MemoryService {
    /// A person makes an event, `older_s` seconds ago.
    pub fn person_makes(&self, calendar: &str, id: &str, time: EventTime, older_s: i64) {
        let mut state = self.state();
        state.versions += 1;
        let created = self.now.checked_sub(SignedDuration::from_secs(older_s)).unwrap();
        let event = OutsideEvent {
            calendar: calendar.to_owned(),
            id: id.to_owned(),
            version: format!("\"{}\"", state.versions),
            state: EventState::Busy,
            time: Some(time),
            title: Some("Dentista".to_owned()),
            mark: None,
            series: None,
            created_at: Some(created),
            updated_at: Some(created),
        };
        put_by_person(&mut state, event);
    }

    /// A person changes an event.
    pub fn person_changes(&self, calendar: &str, id: &str, change: impl FnOnce(&mut OutsideEvent)) {
        let mut state = self.state();
        let mut event = state.events.get(&(calendar.to_owned(), id.to_owned())).unwrap().clone();
        change(&mut event);
        state.versions += 1;
        event.version = format!("\"{}\"", state.versions);
        put_by_person(&mut state, event);
    }

    /// A person moves an event into another calendar: it leaves a tombstone.
    pub fn person_moves_to(&self, from: &str, id: &str, to: &str) {
        let moved = self.state().events.get(&(from.to_owned(), id.to_owned())).unwrap().clone();
        self.person_deletes(from, id);
        let mut state = self.state();
        state.versions += 1;
        let version = format!("\"{}\"", state.versions);
        put(&mut state, OutsideEvent { calendar: to.to_owned(), version, ..moved });
    }

    /// A person deletes an event.
    pub fn person_deletes(&self, calendar: &str, id: &str) {
        self.person_changes(calendar, id, |event| event.state = EventState::Cancelled);
    }
}

/// Stores what a person made; a listing shows it unless the test hides it.
fn put_by_person(state: &mut State, event: OutsideEvent) {
    if state.hides {
        state.events.insert((event.calendar.clone(), event.id.clone()), event);
    } else {
        put(state, event);
    }
}
