//! A front desk over a bare calendar: it knows opening hours, busy times and free starts, and nothing of anybody's events.

use balcao_language::{Asked, normalize};
use jiff::ToSpan;
use jiff::civil::{Date, Time};
use serde_json::Value;

use super::{
    Answer, ReplyDraft,
    slots::{clock, nearest, spread},
    toolset::{CANCEL, RESCHEDULE, SCHEDULE, SLOTS},
};
use crate::{
    catalog::Named,
    nlu::{Act, Day},
    results::{self, Appointment, Outcome},
    state::{Goal, Question, is_asked_for},
    words::Line,
};

pub(super) const HUMAN: &str = "requestHumanSupportTool";
const END: &str = "endConversationTool";

/// How long a visit takes of which nothing is known.
const USUAL_MIN: i32 = 30;
/// Days that an offer looks at after the first.
pub(super) const OFFERED_DAYS: i64 = 6;

/// Words that say that all is settled.
const SETTLED: &[&str] =
    &["so isso", "era isso", "mais nada", "nada mais", "that's all", "that is all", "nothing else"];

/// One day of the calendar.
#[derive(Clone)]
pub(super) struct OpenDay {
    pub(super) date: Date,
    pub(super) open: Vec<(Time, Time)>,
    busy: Vec<(Time, Time)>,
    free: Vec<Time>,
    /// The free starts of services that not everybody offers.
    free_of: Vec<(String, Vec<Time>)>,
    /// True if nothing but `free` is free: the hours are also those of people who do not offer the service.
    only_free: bool,
    pub(super) note: Option<String>,
}

impl ReplyDraft<'_> {
    pub(super) fn calendar(&mut self) {
        if self.is(Act::Injection) {
            self.push_line(Line::NotThat);
            return;
        }
        if self.hand_over_by(HUMAN) {
            return;
        }
        let done = self.effects();
        if done && self.next_is_complete() {
            self.find_a_time();
        }
        self.told_of_themselves();
        self.asked_for_information();
        let before = (self.lines.len(), self.calls.len());
        if !done && !self.asks_meanwhile() {
            self.about_an_appointment();
        }
        let touched = done || before != (self.lines.len(), self.calls.len());
        if self.lines.is_empty() && self.calls.is_empty() && self.settled() {
            match self.ask(END, &[]) {
                Answer::Asked => return,
                Answer::Ready(_) | Answer::Missing => {
                    self.push_line(if self.is(Act::Goodbye) { Line::Goodbye } else { Line::Welcome });
                    return;
                }
            }
        }
        if self.lines.is_empty() && self.calls.is_empty() && !self.dialogue.utterance.questions.is_empty() {
            if self.names_somebody() {
                self.what_somebody_does();
            } else {
                self.not_known_or_nobody();
            }
        }
        self.manners(touched);
    }

    /// "Aceita pix?" to "qual deles?": the question is answered, and which of them stays open.
    fn asks_meanwhile(&self) -> bool {
        let said = &self.dialogue.utterance;
        self.dialogue.asked == Question::Which
            && !said.questions.is_empty()
            && !said.has_when()
            && !self.is(Act::Cancel)
            && !self.is(Act::Reschedule)
    }

    /// Whether the customer says goodbye, or that all is settled while nothing is open.
    fn settled(&self) -> bool {
        let folded = normalize(&self.dialogue.utterance.text);
        let open = self.dialogue.goal != Goal::None;
        self.is(Act::Goodbye) || !open && SETTLED.iter().any(|words| folded.contains(words))
    }

    fn about_an_appointment(&mut self) {
        match self.dialogue.goal {
            Goal::None => {
                // "Sobrancelha", and no more: what there is, the calendar tells.
                let named = |draft: &Self| draft.dialogue.catalog.service_in(&draft.dialogue.utterance.text);
                let today = self.dialogue.today();
                let known =
                    |draft: &mut Self| draft.dialogue.catalog.has_services() || draft.days(today, today).is_some();
                if self.bare_words() && known(self) && matches!(named(self), Named::One(_) | Named::Several(_)) {
                    self.find_a_time();
                }
            }
            Goal::Cancel => self.cancel_event(),
            Goal::Reschedule => self.move_event(),
            Goal::Book => self.book_event(),
        }
    }

    fn cancel_event(&mut self) {
        if let Some(outcome) = self.answered(CANCEL) {
            if outcome.is_held() {
                self.confirm(outcome);
            } else {
                self.refused_by(outcome);
            }
            return;
        }
        if self.repeats_held(CANCEL, Asked::Cancelling)
            || self.speaks_of_others(true) != Some(false)
            || self.listed().is_none()
        {
            return;
        }
        let Some(what) = self.meant() else { return };
        self.cancel_this_event(&what);
    }

    fn cancel_this_event(&mut self, what: &Appointment) {
        if let Answer::Missing = self.ask(CANCEL, &[("eventId", what.id.clone().unwrap_or(Value::Null))]) {
            self.push_line(Line::CannotNow);
        }
    }

    /// Finds out which event and when it is to be, then lets the tool ask and move it in one act.
    fn move_event(&mut self) {
        if let Some(outcome) = self.answered(RESCHEDULE) {
            if outcome.is_held() {
                self.confirm(outcome);
            } else {
                self.not_had(outcome, "newDate", "newTime");
            }
            return;
        }
        if self.repeats_held(RESCHEDULE, Asked::Rescheduling)
            || self.unclear_time()
            || self.speaks_of_others(true) != Some(false)
            || self.listed().is_none()
        {
            return;
        }
        let Some(what) = self.meant() else { return };
        let dialogue = self.dialogue;
        // "Remarcar sexta" names the event if there is one that day, else where it is to go.
        let source_is_target = dialogue.day.is_none()
            && dialogue.source.is_some_and(|day| what.date.is_none_or(|date| date < day.first || day.last < date));
        let day = if source_is_target { dialogue.source } else { dialogue.day };
        if let Some(line) = day.and_then(|day| super::no_such_day(dialogue, day)) {
            self.push_line(line);
            return;
        }
        let same = ["mesmo horario", "mesma hora", "same time"];
        let same = same.iter().any(|words| balcao_language::contains_word(&dialogue.utterance.text, words));
        let time = dialogue.times.first().copied().or(what.time.filter(|_| same));
        let date = match (day, time) {
            (Some(day), _) if day.first == day.last => day.first,
            (None, Some(_)) => what.date.unwrap_or_else(|| dialogue.today()),
            _ => {
                self.push_line(Line::AskNewTime { what });
                return;
            }
        };
        match time {
            Some(time) => self.move_to(&what, date, time),
            None => self.times_of(date),
        }
    }

    fn move_to(&mut self, what: &Appointment, date: Date, time: Time) {
        let arguments = [
            ("eventId", what.id.clone().unwrap_or(Value::Null)),
            ("newDate", written(date)),
            ("newTime", Value::String(clock(time))),
        ];
        if let Answer::Missing = self.ask(RESCHEDULE, &arguments) {
            self.push_line(Line::CannotNow);
        }
    }

    /// Offers the free times of a day. What the event is, the calendar does not tell: its length is the usual one.
    fn times_of(&mut self, date: Date) {
        let Some(days) = self.days(date, date) else { return };
        let window = self.dialogue.window;
        let fits = |time: &Time| window.is_none_or(|window| window.contains(*time));
        let Some(day) = days.first() else { return self.push_line(Line::AnotherDay) };
        let free: Vec<Time> = day.starts(USUAL_MIN).into_iter().filter(fits).collect();
        if free.is_empty() {
            self.push_line(Line::NoneFree { date, professional: self.only_one(), part: window });
            self.push_line(Line::AnotherDay);
        } else {
            self.push_line(Line::OfferDays { days: vec![(date, spread(&free))], until: None });
        }
    }

    fn book_event(&mut self) {
        if let Some(outcome) = self.answered(SCHEDULE) {
            self.not_scheduled(outcome);
            return;
        }
        let is_digression = !self.about_booking() && !is_asked_for(&self.dialogue.said) && !self.names_somebody();
        if is_digression && self.repeat_proposal() {
            return;
        }
        if self.declines() {
            self.push_line(Line::NoProblem);
            return;
        }
        if let Some(proposal) = self.agreed() {
            if self.names_are_known() {
                self.schedule(&proposal);
            }
            return;
        }
        if !self.unclear_time() {
            self.find_a_time();
        }
    }

    /// Proposes what is wanted, asks what is missing of it, or says what is free instead.
    fn find_a_time(&mut self) {
        let (dialogue, today) = (self.dialogue, self.dialogue.today());
        // "Quinta ou sexta" means both.
        let several = match dialogue.utterance.days.as_slice() {
            [first, .., last] if first.first < last.last && dialogue.wanted_services().len() < 2 => {
                Some(Day { last: last.last, ..Day::on(first.first) })
            }
            _ => None,
        };
        let day = several.or(dialogue.day).or(dialogue.topic_day);
        if let Some(line) = day.and_then(|day| super::no_such_day(dialogue, day)) {
            self.push_line(line);
            return;
        }
        let asked = day.unwrap_or(Day { last: today.saturating_add(OFFERED_DAYS.days()), ..Day::on(today) });
        let last = asked.last.min(asked.first.saturating_add(OFFERED_DAYS.days()));
        let Some(days) = self.days(asked.first.max(today), last) else { return };
        if !self.with_whom() {
            return;
        }
        if self.dialogue.queue.is_empty() {
            self.one_at_a_time();
        }
        let Some(service) = self.service_wanted() else { return };
        if day.is_none() {
            self.push_line(Line::AskDay);
            return;
        }
        if !self.names_are_known() {
            return;
        }
        self.offer_of(&service, &days);
    }

    /// The service by its name in the calendar; asks which.
    fn service_wanted(&mut self) -> Option<String> {
        let names: Vec<String> = self.dialogue.catalog.services.iter().map(|one| one.name.clone()).collect();
        let proposed = self.dialogue.proposal.as_ref().and_then(|proposal| proposal.service.clone());
        match self.dialogue.service() {
            Named::One(name) => return Some(name),
            named if proposed.is_none() && self.tells_what_one_does(&named) => {}
            Named::Several(list) => self.which_service(list),
            Named::Unknown(said) => {
                self.push_line(Line::NotOffered { said });
                self.push_line(Line::AskService { list: names });
            }
            Named::Nothing if proposed.is_some() => return proposed,
            Named::Nothing if self.service_moved().is_some() => return self.service_moved(),
            Named::Nothing => self.push_line(Line::AskService { list: names }),
        }
        None
    }

    /// What is moved stays what it is, where this conversation booked it.
    fn service_moved(&self) -> Option<String> {
        let dialogue = self.dialogue;
        let when = |one: &Appointment| (one.date, one.time);
        let same = |one: &&Appointment| dialogue.moving.as_ref().is_none_or(|what| when(what) == when(one));
        let booked: Vec<&Appointment> = dialogue.booked_here.iter().filter(same).collect();
        match booked.as_slice() {
            [only] if dialogue.goal == Goal::Reschedule => only.service.clone(),
            _ => None,
        }
    }

    /// Asks which of these services the customer wants. If the answer does not help, lists prices and durations, and then offers a
    /// person.
    fn which_service(&mut self, list: Vec<String>) {
        let again = self.dialogue.asked == Question::Service && !self.dialogue.utterance.has_when();
        let told = self.dialogue.said.contains('\n');
        match (again, told) {
            (false, _) => self.push_line(Line::WhichService { list }),
            (true, false) => {
                self.services_of(&list);
                self.push_line(Line::AskService { list: Vec::new() });
            }
            (true, true) => self.push_line(Line::Refused { message: None }),
        }
    }

    /// Proposes the wanted time, or says what is free instead.
    fn offer_of(&mut self, service: &str, days: &[OpenDay]) {
        let minutes = self.dialogue.catalog.service(service).and_then(|one| one.data.get("durationMinutes")?.as_i64());
        let minutes = minutes.and_then(|minutes| i32::try_from(minutes).ok()).unwrap_or(USUAL_MIN);
        let days: Vec<OpenDay> = days.iter().map(|day| day.limit_to(service)).collect();
        let days = days.as_slice();
        if let ([day], Some(time)) = (days, self.dialogue.times.first().copied()) {
            if day.is_free(time, minutes) && day.is_on_grid(time) {
                let (service, professional) = (Some(service.to_owned()), self.only_one());
                let (date, time) = (Some(day.date), Some(time));
                let what = Appointment { date, time, service, professional, ..Appointment::default() };
                self.for_whom();
                self.push_line(Line::Propose { what });
                return;
            }
            let near = nearest(&day.starts(minutes), time);
            if !near.is_empty() && !self.dialogue.is_offer_outdated {
                self.push_line(Line::NotFree { date: day.date, time, professional: self.only_one() });
                self.push_line(Line::Nearby { list: vec![(None, near)] });
                return;
            }
        }
        if let [day] = days
            && day.open.is_empty()
        {
            self.not_open(day);
            return;
        }
        let window = self.dialogue.window;
        let fits = |time: &Time| window.is_none_or(|window| window.contains(*time));
        let starts = |day: &OpenDay| spread(&day.starts(minutes).into_iter().filter(fits).collect::<Vec<_>>());
        let free: Vec<(Date, Vec<Time>)> =
            days.iter().map(|day| (day.date, starts(day))).filter(|(_, times)| !times.is_empty()).collect();
        match (days, free.is_empty()) {
            ([only], true) => self.none_free_on(only, service, minutes),
            (_, true) => self.push_line(Line::AnotherDay),
            (_, false) => {
                if let Some(name) = self.only_one() {
                    self.push_line(Line::With { name });
                }
                self.push_line(Line::OfferDays { days: free, until: None });
            }
        }
    }

    /// Says why a day has no times: the business is closed, or the professional that the customer asked for does not work.
    fn not_open(&mut self, day: &OpenDay) {
        let week = day.date.saturating_add(OFFERED_DAYS.days());
        let Some(days) = self.days(day.date, week) else { return };
        match self.only_one() {
            Some(name) if day.note.is_none() && days.iter().all(|day| day.open.is_empty()) => {
                self.push_line(Line::NoHours { name });
                return;
            }
            Some(name) if day.note.is_none() => self.push_line(Line::Away { name, date: day.date }),
            _ => self.push_line(Line::HoursOf { date: day.date, periods: Vec::new(), note: day.note.clone() }),
        }
        self.push_line(Line::AnotherDay);
    }

    /// What is free in another part of a day, or on the days after it, where what was wanted of it is full.
    fn none_free_on(&mut self, day: &OpenDay, service: &str, minutes: i32) {
        let none = Line::NoneFree { date: day.date, professional: self.only_one(), part: self.dialogue.window };
        let others = spread(&day.starts(minutes));
        if !others.is_empty() {
            self.push_line(none);
            self.push_line(Line::Nearby { list: vec![(None, others)] });
            return;
        }
        let Ok(next) = day.date.tomorrow() else { return };
        let Some(days) = self.days(next, day.date.saturating_add(OFFERED_DAYS.days())) else { return };
        self.push_line(none);
        let window = self.dialogue.window;
        let fits = |time: &Time| window.is_none_or(|window| window.contains(*time));
        let starts =
            |day: &OpenDay| spread(&day.limit_to(service).starts(minutes).into_iter().filter(fits).collect::<Vec<_>>());
        let free = days.iter().map(|day| (day.date, starts(day))).filter(|(_, times)| !times.is_empty());
        let days: Vec<(Date, Vec<Time>)> = free.take(2).collect();
        self.push_line(if days.is_empty() { Line::AnotherDay } else { Line::OfferDays { days, until: None } });
    }

    fn schedule(&mut self, what: &Appointment) {
        let (Some(date), Some(time), Some(service)) = (what.date, what.time, what.service.clone()) else {
            self.push_line(Line::AskDay);
            return;
        };
        let arguments = [
            ("serviceName", Value::String(service)),
            ("appointmentDate", written(date)),
            ("appointmentTime", Value::String(clock(time))),
            ("clientFullName", self.guest_name().map_or(Value::Null, Value::String)),
        ];
        if let Answer::Missing = self.ask(SCHEDULE, &arguments) {
            self.push_line(Line::CannotNow);
        }
    }

    fn not_scheduled(&mut self, outcome: &Outcome) {
        match outcome.code() {
            Some("not_found" | "ambiguous") => {
                let list = super::slots::candidates(&outcome.result);
                self.push_line(Line::AskService { list });
            }
            Some("invalid_arguments") => self.push_line(Line::AskDay),
            Some(_) if outcome.is_held() => self.confirm(outcome),
            Some(_) => {
                self.failure(outcome);
            }
            None => self.not_had(outcome, "appointmentDate", "appointmentTime"),
        }
    }

    /// Words the refusal of a day and a time, which the call names so: what is free near it, or why it is not to be had.
    fn not_had(&mut self, outcome: &Outcome, day: &str, hour: &str) {
        let others = results::appointments(&outcome.result, &["alternatives"]);
        let given = |key: &str| results::text(&outcome.arguments, &[key]);
        let (date, time) =
            (given(day).as_deref().and_then(results::date_of), given(hour).as_deref().and_then(results::time_of));
        let near: Vec<Time> = others.iter().filter(|one| one.date == date).filter_map(|one| one.time).collect();
        match (date, time) {
            (Some(date), Some(time)) if !near.is_empty() => {
                self.push_line(Line::NotFree { date, time, professional: None });
                self.push_line(Line::Nearby { list: vec![(None, nearest(&near, time))] });
            }
            _ => self.refused_by(outcome),
        }
    }

    /// Words a refusal of this pack, or a failure.
    fn refused_by(&mut self, outcome: &Outcome) {
        if outcome.code().is_some() {
            self.failure(outcome);
            return;
        }
        if let Some(told) = results::text(&outcome.result, &["error"]) {
            self.push_line(Line::Refused { message: Some(told) });
        }
        // Another day may do; of what else is refused a person knows more.
        let other_day = ["TOO_FAR", "PAST_DATE", "TOO_LATE", "OUTSIDE_HOURS"];
        let reason = outcome.result.get("reason").and_then(Value::as_str);
        let another = reason.is_some_and(|reason| other_day.contains(&reason));
        self.push_line(if another { Line::AskDay } else { Line::Refused { message: None } });
    }

    /// Days of the calendar; `None` while they are missing, or where they were refused.
    pub(super) fn days(&mut self, first: Date, last: Date) -> Option<Vec<OpenDay>> {
        let outcome = self.read(SLOTS, &[("startDate", written(first)), ("endDate", written(last))])?;
        if !outcome.succeeded() {
            self.refused_by(outcome);
            return None;
        }
        let all = outcome.result.get("days").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        Some(all.iter().filter_map(read_day).collect())
    }
}

impl OpenDay {
    /// The day for a service: where not everybody offers it, what is free with those who do.
    fn limit_to(&self, service: &str) -> Self {
        let own = self.free_of.iter().find(|(name, _)| name == service).map(|(_, free)| free.clone());
        let only_free = own.is_some();
        Self { free: own.unwrap_or_else(|| self.free.clone()), only_free, ..self.clone() }
    }

    /// Whether a visit of so many minutes can start then.
    fn is_free(&self, start: Time, minutes: i32) -> bool {
        let (from, to) = (of_day(start), of_day(start).saturating_add(minutes));
        let within = |(opens, closes): &(Time, Time)| of_day(*opens) <= from && to <= end_of(*closes);
        let clear = |(start, end): &(Time, Time)| to <= of_day(*start) || end_of(*end) <= from;
        let known = !self.only_free || self.free.contains(&start);
        known && self.open.iter().any(within) && self.busy.iter().all(clear)
    }

    /// Whether appointments begin at that minute: whole steps from the free starts, the smallest gap between which is the step.
    fn is_on_grid(&self, time: Time) -> bool {
        let Some(first) = self.free.first() else { return true };
        let step = step_of(&self.free);
        self.free.contains(&time) || step.is_some_and(|step| (of_day(time) - of_day(*first)) % step == 0)
    }

    fn starts(&self, minutes: i32) -> Vec<Time> {
        self.free.iter().copied().filter(|time| self.is_free(*time, minutes)).collect()
    }
}

/// The step of free starts: the smallest gap between two of them, in minutes.
fn step_of(free: &[Time]) -> Option<i32> {
    let gaps = free.windows(2).filter_map(|pair| match pair {
        [one, next] => Some(of_day(*next) - of_day(*one)),
        _ => None,
    });
    gaps.filter(|gap| *gap > 0).min()
}

fn of_day(time: Time) -> i32 {
    i32::from(time.hour()) * 60 + i32::from(time.minute())
}

/// A period's end: the day's is its last moment.
fn end_of(time: Time) -> i32 {
    if time == balcao_language::format::END_OF_DAY { 24 * 60 } else { of_day(time) }
}

fn read_day(value: &Value) -> Option<OpenDay> {
    let date = results::text(value, &["date"]).as_deref().and_then(results::date_of)?;
    let hours = results::text(value, &["businessHours"]).unwrap_or_default();
    let period = |text: &str| {
        let (opens, closes) = text.trim().split_once('-')?;
        Some((results::time_of(opens)?, results::time_of(closes)?))
    };
    let open = hours.split(',').filter_map(period).collect();
    let busy = super::hours::periods(value, "busySlots");
    let times = |list: &Value| -> Vec<Time> {
        let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
        list.iter().filter_map(|start| results::time_of(start.as_str()?)).collect()
    };
    let free = value.get("freeSlots").map(times).unwrap_or_default();
    let step = step_of(&free).unwrap_or(i32::MAX);
    // "10:15-16:30": each start from the one to the other.
    let run = |text: &str| -> Vec<Time> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let Some((first, last)) = results::time_of(first).zip(results::time_of(last)) else { return Vec::new() };
        let next = |time: &Time| time.checked_add(jiff::Span::new().minutes(step)).ok();
        std::iter::successors(Some(first), next).take_while(|time| *time <= last).collect()
    };
    let runs = |list: &Value| -> Vec<Time> {
        let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
        list.iter().filter_map(Value::as_str).flat_map(run).collect()
    };
    let free_of = value.get("freeSlotsOf").and_then(Value::as_object);
    let free_of = free_of.map(|of| of.iter().map(|(name, list)| (name.clone(), runs(list))).collect());
    let note = results::text(value, &["note"]);
    Some(OpenDay { date, open, busy, free, free_of: free_of.unwrap_or_default(), only_free: false, note })
}

/// A date as the pack wants it.
pub(super) fn written(date: Date) -> Value {
    Value::String(date.strftime("%d/%m/%Y").to_string())
}
