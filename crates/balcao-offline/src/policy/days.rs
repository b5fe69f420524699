//! Free times over several days: a few days, a few times of each.

use jiff::civil::{Date, Time};
use serde_json::Value;

use super::{ReplyDraft, slots::spread, wish::Wish};
use crate::{
    nlu::{Act, Day},
    words::Line,
};

/// How many days an offer looks at.
const OFFERED_DAYS: usize = 5;

impl ReplyDraft<'_> {
    pub(super) fn in_days(&mut self, wish: &Wish, day: Day) {
        let first = day.first.max(self.dialogue.today());
        let mut found = Vec::new();
        let mut waiting = false;
        let mut until = None;
        let mut date = first;
        for _ in 0..OFFERED_DAYS {
            if date > day.last {
                break;
            }
            let calls = self.calls.len();
            // The structured protocol asks one call a step: past the last round the days that were seen must do.
            if !self.may_call && !self.has_seen(date) && !found.is_empty() {
                until = date.yesterday().ok();
                break;
            }
            match self.availability(wish, date) {
                Some(availability) => {
                    // A day without free times names the next that has one: those between need no call.
                    let next = availability.next.as_ref().and_then(|next| next.date);
                    let skips = availability.free.is_empty();
                    found.push((date, availability));
                    if let Some(next) = next.filter(|next| skips && *next > date) {
                        date = next;
                        continue;
                    }
                }
                None if self.calls.len() > calls => waiting = true,
                None => return,
            }
            date = date.tomorrow().unwrap_or(day.last);
        }
        if waiting {
            return;
        }
        let (window, wanted) = (self.dialogue.window, &self.dialogue.times);
        let fits = |time: &Time| {
            window.is_none_or(|window| window.contains(*time)) && (wanted.is_empty() || wanted.contains(time))
        };
        let mut days: Vec<(Date, Vec<Time>)> = found
            .iter()
            .map(|(date, availability)| {
                let mut times: Vec<Time> =
                    availability.free.iter().flat_map(|(_, times)| times.iter().copied()).filter(fits).collect();
                times.sort_unstable();
                times.dedup();
                (*date, spread(&times))
            })
            .filter(|(_, times)| !times.is_empty())
            .collect();
        // The next opening that the last full day named stands for a day that could not be looked at any more.
        let last = found.last().and_then(|(_, availability)| availability.next.as_ref());
        if let Some((date, time)) = last.filter(|_| until.is_some()).and_then(|next| Some((next.date?, next.time?)))
            && date <= day.last
            && fits(&time)
        {
            days.push((date, vec![time]));
            until = Some(date).filter(|date| *date < day.last);
        }
        if (self.is(Act::AnyTime) || self.is(Act::Earliest)) && wish.service.is_some() {
            let first = found.iter().find_map(|(date, availability)| {
                let free = availability.free.iter();
                let open = free.filter_map(|(name, times)| Some((*times.iter().find(|time| fits(time))?, name)));
                open.min().map(|(time, name)| (*date, time, name.clone()))
            });
            if let Some((date, time, name)) = first {
                self.propose(wish, date, time, name);
                return;
            }
        }
        if days.is_empty() {
            self.push_line(Line::NoneInDays { first, last: day.last });
            self.push_line(Line::AnotherDay);
        } else {
            self.push_line(Line::OfferDays { days, until });
        }
    }

    fn has_seen(&self, date: Date) -> bool {
        let day = date.to_string();
        let mut seen = self.dialogue.outcomes.iter().filter(|outcome| outcome.name == "check_availability");
        seen.any(|outcome| outcome.arguments.get("date").and_then(Value::as_str) == Some(&day))
    }
}
