//! A calendar that lives in memory and behaves as an external service: with `ETag`s of its own, answers that get lost, people who edit
//! what is booked, times when it does not answer, and credentials that it may refuse (401). Its client keeps a copy and updates it with a
//! sync token. If the service has forgotten the token (410), the client reads everything again.
#![expect(clippy::unwrap_used, reason = "a fake of the tests")]

use std::collections::BTreeMap;
use std::sync::Mutex;

use async_trait::async_trait;
use balcao_app::context::names::NameRefusal;
use balcao_app::scheduling::availability::Slot;
use balcao_app::scheduling::booking::{BookRequest, BookingRefusal, RescheduleRequest, ServiceChoice};
use balcao_app::scheduling::calendar::{
    Act, BusyDay, BusyQuery, Calendar, CalendarError, Done, Entry, EntryId, Health, Outcome, Owner, Read, Reading,
    Refusal, Source, Version, Visit, VisitPart, VisitParts,
};
use balcao_app::scheduling::catalog::{Offer, ProfessionalView, ServiceView};
use balcao_domain::hours::{Period, format_minute};
use balcao_domain::{AppointmentStatus, ContactId, Currency, Money, OrganizationId};
use balcao_store::turns::ledger::EffectKey;
use jiff::Timestamp;
use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

use crate::contract::calendar::Hand;

const NAME: &str = "memory";
const MINUTES: u16 = 30;
const OPEN: [(u16, u16); 2] = [(9 * 60, 12 * 60), (14 * 60, 18 * 60)];

/// What goes wrong with the next acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It is done, and the answer is lost.
    AnswerLost,
    /// The request never arrives, and the client cannot detect that.
    RequestLost,
    /// Before the request arrives, a person edits a part of the entry that its owner does not see.
    Touched,
    /// Before the request arrives, a person moves the entry to half an hour later.
    Shifted,
}

#[derive(Debug, Clone)]
struct Event {
    /// In its private properties: the service itself knows of no contacts.
    owner: ContactId,
    professional: String,
    date: Date,
    start_min: u16,
    /// The services behind the first, each as long as it.
    more: Vec<VisitPart>,
    status: AppointmentStatus,
    edits: u32,
}

impl Event {
    fn ends_min(&self) -> u16 {
        let parts = u16::try_from(self.more.len()).unwrap_or_default().saturating_add(1);
        self.start_min.saturating_add(MINUTES.saturating_mul(parts))
    }
}

#[derive(Debug, Default)]
struct State {
    events: BTreeMap<i64, Event>,
    /// What changed, one after the other. A sync token is a place in it.
    log: Vec<i64>,
    /// Tokens before this place are forgotten.
    remembers_from: usize,
    /// The client's copy of the calendar, and the sync token that came with it.
    copy: BTreeMap<i64, Event>,
    token: usize,
    /// Whether the service refuses the client's credentials.
    shut_out: bool,
    done: BTreeMap<String, Result<Done, Refusal>>,
    faults: Vec<Fault>,
    /// Loses every other answer.
    lossy: bool,
    acts: u32,
    down: bool,
}

impl State {
    /// Whether the client cannot ask the service.
    fn silent(&self) -> bool {
        self.down || self.shut_out
    }

    /// What the client reads: the service's events, or its copy of them.
    fn readable(&self) -> &BTreeMap<i64, Event> {
        if self.silent() { &self.copy } else { &self.events }
    }

    /// An edit by the client itself, which therefore knows of the edit without a sync.
    fn put(&mut self, id: i64, event: Event) {
        self.copy.insert(id, event.clone());
        self.events.insert(id, event);
        self.log.push(id);
    }

    /// An edit by a person in the service's own calendar; the client learns of it at its next sync.
    fn edit(&mut self, id: i64, change: impl FnOnce(&mut Event)) {
        if let Some(event) = self.events.get_mut(&id) {
            change(event);
            event.edits = event.edits.saturating_add(1);
            self.log.push(id);
        }
    }
}

/// The calendar of [`crate::contract::calendar::Setting`].
#[derive(Debug)]
pub struct Memory {
    today: Date,
    now: Timestamp,
    state: Mutex<State>,
}

impl Memory {
    /// Empty, at that instant.
    #[must_use]
    pub fn new(now: Timestamp, today: Date) -> Self {
        Self { today, now, state: Mutex::default() }
    }

    /// Makes this calendar lose every other answer.
    #[must_use]
    pub fn lossy(self) -> Self {
        self.state.lock().unwrap().lossy = true;
        self
    }

    /// What goes wrong with the next acts, one after the other.
    pub fn suffer(&self, faults: impl IntoIterator<Item = Fault>) {
        self.state.lock().unwrap().faults.extend(faults);
    }

    /// From now on it does not answer: reads come from a copy, acts fail.
    pub fn go_down(&self) {
        self.state.lock().unwrap().down = true;
    }

    /// Brings the client's copy up to date, as its job does from time to time; not while the service cannot be asked.
    pub fn sync(&self) {
        let mut state = self.state.lock().unwrap();
        if state.silent() {
            return;
        }
        if state.token < state.remembers_from {
            // 410: what the copy has may have been deleted long ago.
            state.copy = state.events.clone();
        } else {
            let changed: Vec<i64> = state.log.iter().skip(state.token).copied().collect();
            for id in changed {
                match state.events.get(&id).cloned() {
                    Some(event) => state.copy.insert(id, event),
                    None => state.copy.remove(&id),
                };
            }
        }
        state.token = state.log.len();
    }

    /// A person adds a service to an entry, behind those that it has.
    pub fn add_part(&self, id: &EntryId, part: VisitPart) {
        let number = id.as_str().trim_start_matches("evt").parse().unwrap();
        self.state.lock().unwrap().edit(number, |event| event.more.push(part));
    }

    fn seen<T>(&self, value: T) -> Reading<T> {
        let silent = self.state.lock().unwrap().silent();
        Reading { value, source: if silent { Source::Mirror { as_of: self.now } } else { Source::Live } }
    }

    /// Runs an act once per key, with what goes wrong with it.
    fn act(
        &self,
        key: &EffectKey,
        target: Option<i64>,
        work: impl FnOnce(&mut State) -> Result<Done, Refusal>,
    ) -> Outcome {
        let mut state = self.state.lock().unwrap();
        if state.down {
            return Err(CalendarError::Unavailable { calendar: NAME, reason: "503".to_owned() });
        }
        if state.shut_out {
            return Err(CalendarError::Disconnected { calendar: NAME, reason: "401 authError".to_owned() });
        }
        let lost = || CalendarError::Unknown { calendar: NAME, reason: "the connection was reset".to_owned() };
        state.acts = state.acts.saturating_add(1);
        let fault = if state.faults.is_empty() { None } else { Some(state.faults.remove(0)) };
        match (fault, target) {
            (Some(Fault::RequestLost), _) => return Err(lost()),
            (Some(Fault::Touched), Some(id)) => state.edit(id, |_event| {}),
            (Some(Fault::Shifted), Some(id)) => {
                state.edit(id, |event| event.start_min = event.start_min.saturating_add(30))
            }
            _ => {}
        }
        let answer = match state.done.get(&key.key) {
            Some(before) => before.clone(),
            None => {
                let answer = work(&mut state);
                // A refused act runs again at the next request. The calendar keeps only acts that succeeded, as an external service does.
                if answer.is_ok() {
                    state.done.insert(key.key.clone(), answer.clone());
                }
                answer
            }
        };
        let is_lost = fault == Some(Fault::AnswerLost) || state.lossy && state.acts % 2 == 1;
        if is_lost { Err(lost()) } else { Ok(answer) }
    }

    fn judge(&self, state: &State, request: &BookRequest, but: Option<i64>) -> Result<(), BookingRefusal> {
        if let Some(ServiceChoice::Name(name)) = &request.service
            && !name.eq_ignore_ascii_case("corte")
        {
            let known = vec!["Corte".to_owned()];
            return Err(BookingRefusal::Service(NameRefusal::NotFound { query: name.clone(), nearest: None, known }));
        }
        if request.date < self.today {
            return Err(BookingRefusal::PastDate { today: self.today, time: "08:00".to_owned() });
        }
        let fits = |(opens, closes): &(u16, u16)| *opens <= request.start_min && request.start_min + MINUTES <= *closes;
        if !is_open(request.date) || !OPEN.iter().any(fits) {
            return Err(BookingRefusal::OutsideHours {
                works: Vec::new(),
                note: None,
                absent: None,
                alternatives: Vec::new(),
            });
        }
        if !is_free(state, request.date, request.start_min, but) {
            let free = OPEN.iter().flat_map(|(opens, closes)| (*opens..*closes).step_by(usize::from(MINUTES)));
            let free = free.filter(|start| is_free(state, request.date, *start, but)).take(5);
            let slot =
                |start| Slot { professional: "Ana Prado".to_owned(), date: request.date, start: format_minute(start) };
            return Err(BookingRefusal::SlotTaken { alternatives: free.map(slot).collect() });
        }
        Ok(())
    }

    fn own(&self, state: &State, owner: Owner, id: &EntryId) -> Result<(i64, Event), Refusal> {
        let number = id.as_str().strip_prefix("evt").and_then(|text| text.parse::<i64>().ok());
        let found = number.and_then(|number| Some((number, state.readable().get(&number)?.clone())));
        found
            .filter(|(_, event)| event.owner == owner.contact)
            .ok_or_else(|| Refusal::NotFound { upcoming: self.list_entries(state, owner) })
    }

    fn list_entries(&self, state: &State, owner: Owner) -> Vec<Entry> {
        let own = state.readable().iter().filter(|(_, event)| event.owner == owner.contact && event.status.is_open());
        let mut own: Vec<Entry> = own.map(|(id, event)| entry(*id, event)).collect();
        own.sort_by_key(|entry| (entry.visit.date, entry.visit.start.clone()));
        own
    }

    fn as_seen(&self, state: &State, owner: Owner, id: &EntryId, seen: &Version) -> Result<(i64, Event), Refusal> {
        let (number, event) = self.own(state, owner, id)?;
        let now = entry(number, &event);
        if now.version == *seen { Ok((number, event)) } else { Err(Refusal::Changed { now: Box::new(now) }) }
    }
}

/// Adds an event, and gives its entry.
fn add(state: &mut State, owner: Owner, request: &BookRequest) -> Entry {
    // An id is never used again, also not after a deletion.
    let id = i64::try_from(state.log.len()).unwrap_or(i64::MAX - 1).saturating_add(1);
    let event = Event {
        owner: owner.contact,
        professional: "Ana Prado".to_owned(),
        date: request.date,
        start_min: request.start_min,
        more: Vec::new(),
        status: AppointmentStatus::Confirmed,
        edits: 0,
    };
    state.put(id, event.clone());
    entry(id, &event)
}

fn is_open(date: Date) -> bool {
    !matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday)
}

fn is_free(state: &State, date: Date, start: u16, but: Option<i64>) -> bool {
    let clear = |(id, event): (&i64, &Event)| {
        Some(*id) == but
            || event.date != date
            || !event.status.is_open()
            || event.ends_min() <= start
            || start + MINUTES <= event.start_min
    };
    state.readable().iter().all(clear)
}

fn entry(id: i64, event: &Event) -> Entry {
    let first = VisitParts::of_one("Corte".to_owned(), event.professional.clone());
    let parts = first.iter().chain(&event.more).cloned().collect::<Vec<_>>();
    let visit = Visit {
        parts: parts.try_into().unwrap(),
        date: event.date,
        start: format_minute(event.start_min),
        finish: format_minute(event.ends_min()),
        finish_date: event.date,
        status: event.status,
        price: Money::new(4_500, Currency::BRL),
        attendee: None,
    };
    Entry { id: EntryId::new(format!("evt{id}")), version: Version::new(format!("\"{}\"", event.edits)), visit }
}

/// The booking that a move asks for.
fn wish(request: &RescheduleRequest) -> BookRequest {
    BookRequest {
        professional: None,
        service: None,
        date: request.date,
        start_min: request.start_min,
        attendee: None,
        pending: false,
        source: request.source.clone(),
        price_agreed: true,
    }
}

#[async_trait]
impl Calendar for Memory {
    fn name(&self) -> &'static str {
        NAME
    }

    async fn offer(&self, _organization: OrganizationId) -> Read<Offer> {
        let service = ServiceView {
            id: 1_i64.try_into().unwrap(),
            name: "Corte".to_owned(),
            aliases: Vec::new(),
            description: None,
            price: Money::new(4_500, Currency::BRL),
            duration_min: u32::from(MINUTES),
        };
        let professional = ProfessionalView {
            id: 1_i64.try_into().unwrap(),
            name: "Ana Prado".to_owned(),
            aliases: Vec::new(),
            profession: None,
            services: vec!["Corte".to_owned()],
            terms: Vec::new(),
            restrictions: None,
            works: Vec::new(),
        };
        Ok(self.seen(Offer { services: vec![service], professionals: vec![professional] }))
    }

    async fn busy(&self, _owner: Owner, query: BusyQuery) -> Read<Result<Vec<BusyDay>, BookingRefusal>> {
        if query.to < self.today {
            let refusal = BookingRefusal::PastDate { today: self.today, time: "08:00".to_owned() };
            return Ok(self.seen(Err(refusal)));
        }
        let period = |(from, to): (u16, u16)| Period::new(from, to).unwrap();
        let mut days = Vec::new();
        let mut date = query.from.max(self.today);
        while date <= query.to {
            let state = self.state.lock().unwrap();
            let taken = state.readable().values().filter(|event| event.date == date && event.status.is_open());
            let mut busy: Vec<Period> =
                taken.map(|event| period((event.start_min, event.start_min + MINUTES))).collect();
            busy.sort_unstable();
            let open = if is_open(date) { OPEN.map(period).to_vec() } else { Vec::new() };
            let hours = open.iter().flat_map(|one| (one.opens_min()..one.closes_min()).step_by(usize::from(MINUTES)));
            let free = hours.filter(|start| is_free(&state, date, *start, None)).map(format_minute).collect();
            let closed = open.is_empty();
            days.push(BusyDay { date, open, busy, free, free_for: Vec::new(), closed, note: None });
            date = date.saturating_add(1.day());
        }
        Ok(self.seen(Ok(days)))
    }

    async fn list(&self, owner: Owner, from: Date, to: Date) -> Read<Vec<Entry>> {
        let own = self.list_entries(&self.state.lock().unwrap(), owner);
        let within = |entry: &Entry| (from.max(self.today)..=to).contains(&entry.visit.date);
        Ok(self.seen(own.into_iter().filter(within).collect()))
    }

    async fn find(&self, owner: Owner, id: &EntryId) -> Read<Option<Entry>> {
        let found = self.own(&self.state.lock().unwrap(), owner, id).ok();
        Ok(self.seen(found.map(|(number, event)| entry(number, &event))))
    }

    async fn would_book(&self, owner: Owner, request: BookRequest) -> Outcome {
        let state = self.state.lock().unwrap();
        let mut would = State { events: state.events.clone(), ..State::default() };
        drop(state);
        Ok(self
            .judge(&would, &request, None)
            .map_err(Refusal::Rule)
            .map(|()| Done::from_entry(add(&mut would, owner, &request))))
    }

    async fn would_cancel(&self, owner: Owner, id: &EntryId) -> Outcome {
        let found = self.own(&self.state.lock().unwrap(), owner, id);
        Ok(found.and_then(|(number, event)| match event.status.is_open() {
            true => Ok(Done::from_entry(entry(number, &event))),
            false => Err(Refusal::Rule(BookingRefusal::AlreadyCancelled)),
        }))
    }

    async fn would_reschedule(&self, owner: Owner, id: &EntryId, request: RescheduleRequest) -> Outcome {
        let state = self.state.lock().unwrap();
        let judged = self.own(&state, owner, id).and_then(|(number, event)| {
            self.judge(&state, &wish(&request), Some(number)).map_err(Refusal::Rule)?;
            let before = entry(number, &event).visit;
            let moved = Event { date: request.date, start_min: request.start_min, ..event };
            Ok(Done { before: Some(before), ..Done::from_entry(entry(number, &moved)) })
        });
        Ok(judged)
    }

    async fn book(&self, owner: Owner, key: EffectKey, request: BookRequest) -> Outcome {
        self.act(&key, None, |state| {
            self.judge(state, &request, None).map_err(Refusal::Rule)?;
            Ok(Done::from_entry(add(state, owner, &request)))
        })
    }

    async fn cancel(&self, owner: Owner, key: EffectKey, id: &EntryId, seen: &Version) -> Outcome {
        self.act(&key, number_of(id), |state| {
            let (number, mut event) = self.as_seen(state, owner, id, seen)?;
            if !event.status.is_open() {
                return Err(Refusal::Rule(BookingRefusal::AlreadyCancelled));
            }
            event.status = AppointmentStatus::Cancelled;
            event.edits = event.edits.saturating_add(1);
            state.put(number, event.clone());
            Ok(Done::from_entry(entry(number, &event)))
        })
    }

    async fn reschedule(
        &self,
        owner: Owner,
        key: EffectKey,
        id: &EntryId,
        seen: &Version,
        request: RescheduleRequest,
    ) -> Outcome {
        self.act(&key, number_of(id), |state| {
            let (number, mut event) = self.as_seen(state, owner, id, seen)?;
            self.judge(state, &wish(&request), Some(number)).map_err(Refusal::Rule)?;
            let before = entry(number, &event).visit;
            event.date = request.date;
            event.start_min = request.start_min;
            event.edits = event.edits.saturating_add(1);
            state.put(number, event.clone());
            Ok(Done { before: Some(before), ..Done::from_entry(entry(number, &event)) })
        })
    }

    async fn came_of(
        &self,
        _owner: Owner,
        key: &EffectKey,
        _act: Act,
    ) -> Result<Option<Result<Done, Refusal>>, CalendarError> {
        Ok(self.state.lock().unwrap().done.get(&key.key).cloned())
    }

    async fn health(&self, _organization: OrganizationId) -> Health {
        let silent = self.state.lock().unwrap().silent();
        if silent { Health::Mirrored { as_of: self.now } } else { Health::Well }
    }
}

impl Hand for Memory {
    fn give_to(&self, id: &EntryId, professional: &str) {
        let professional = professional.to_owned();
        self.state.lock().unwrap().edit(number_of(id).unwrap(), |event| event.professional = professional);
    }

    fn delete(&self, id: &EntryId) {
        let mut state = self.state.lock().unwrap();
        let number = number_of(id).unwrap();
        state.events.remove(&number);
        state.log.push(number);
    }

    fn sync(&self) {
        Self::sync(self);
    }

    fn forget_tokens(&self) {
        let mut state = self.state.lock().unwrap();
        // What it has forgotten it cannot tell of either.
        let place = state.log.len().saturating_add(1);
        state.log = vec![0; place];
        state.remembers_from = place;
    }

    fn go_down(&self) {
        Self::go_down(self);
    }

    fn shut_out(&self, shut_out: bool) {
        self.state.lock().unwrap().shut_out = shut_out;
    }
}

fn number_of(id: &EntryId) -> Option<i64> {
    id.as_str().strip_prefix("evt")?.parse().ok()
}
