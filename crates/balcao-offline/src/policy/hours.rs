//! Opening hours: of a day, of the week, now, and when it opens next.

use balcao_language::{Locale, format::time};
use jiff::civil::{Date, Time};
use serde_json::Value;

use super::{Answer, ReplyDraft};
use crate::{
    nlu::Day,
    results::{self, Outcome},
    words::Line,
};

/// How many days after a closed one are looked at for the next opening.
const DAYS_AHEAD: i64 = 4;
/// Days that the tool tells if none is named.
const A_WEEK: i64 = 7;

impl ReplyDraft<'_> {
    pub(super) fn hours(&mut self) {
        let utterance = &self.dialogue.utterance;
        let said = |words: &[&str]| words.iter().any(|word| balcao_language::contains_word(&utterance.text, word));
        let holiday = said(&["feriado", "feriados", "holiday", "holidays"]);
        let now = said(&["agora", "nesse momento", "now", "right now"]);
        let today = self.dialogue.today();
        let wanted = utterance.days.first().copied().or_else(|| now.then(|| Day::on(today)));
        // Without a day the tool tells those of a week, so several of them ("quinta ou sexta") are one call.
        let week = today.checked_add(jiff::Span::new().days(A_WEEK - 1)).unwrap_or(today);
        let several = wanted.is_some_and(|day| day.first < day.last && day.first >= today && day.last <= week);
        let wanted = wanted.map(|day| if several { day } else { Day::on(day.first) });
        let date = wanted.filter(|_| !several).map_or(Value::Null, |day| Value::String(day.first.to_string()));
        let Some(outcome) = self.read("get_business_hours", &[("date", date)]) else { return };
        let mut days = days(outcome);
        if let Some(day) = wanted {
            days.retain(|(date, ..)| (day.first..=day.last).contains(date));
        } else if holiday {
            // Which days are holidays is in the notes of days; a holiday that was not named is asked for.
            self.push_line(Line::WhichHoliday);
            return;
        }
        days.truncate(7);
        match days.as_slice() {
            [] => self.push_line(Line::NotKnown),
            [(date, periods, note)] => {
                if let Some(open) = outcome.result.get("open_now").and_then(Value::as_bool).filter(|_| now) {
                    self.push_line(if open { Line::Yes } else { Line::ClosedNow });
                }
                self.push_line(Line::HoursOf { date: *date, periods: periods.clone(), note: note.clone() });
                if periods.is_empty() {
                    self.next_opening(*date);
                }
            }
            several => {
                let days = several.iter().map(|(date, periods, _)| (*date, periods.clone())).collect();
                self.push_line(Line::HoursList { days });
            }
        }
    }

    /// After a closed day: the next one that is open, if it comes soon.
    fn next_opening(&mut self, closed: Date) {
        for ahead in 1..=DAYS_AHEAD {
            let Ok(date) = closed.checked_add(jiff::Span::new().days(ahead)) else { return };
            let Answer::Ready(outcome) = self.ask("get_business_hours", &[("date", Value::String(date.to_string()))])
            else {
                return;
            };
            let found = days(outcome).into_iter().find(|(day, periods, _)| *day == date && !periods.is_empty());
            if let Some((date, periods, _)) = found {
                self.push_line(Line::OpensNext { date, periods });
                return;
            }
        }
    }
}

/// A day, its opening periods and a note on it.
type OpenDay = (Date, Vec<(Time, Time)>, Option<String>);

fn days(outcome: &Outcome) -> Vec<OpenDay> {
    let days = outcome.result.get("days").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let read = |entry: &Value| {
        let date = results::text(entry, &["date"]).as_deref().and_then(results::date_of)?;
        Some((date, periods(entry, "periods"), results::text(entry, &["note"])))
    };
    days.iter().filter_map(read).collect()
}

/// Opening or working periods under `key`.
pub(super) fn periods(entry: &Value, key: &str) -> Vec<(Time, Time)> {
    let list = entry.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let read = |period: &Value| {
        let opens = results::text(period, &["opens", "start", "from"])?;
        let closes = results::text(period, &["closes", "end", "to"])?;
        Some((results::time_of(&opens)?, results::time_of(&closes)?))
    };
    list.iter().filter_map(read).collect()
}

pub(super) fn worded(periods: &[(Time, Time)], locale: Locale) -> String {
    let (and, from, to) = match locale {
        Locale::PtBr => ("e", "das", "às"),
        Locale::En => ("and", "from", "to"),
    };
    let row =
        |(opens, closes): &(Time, Time)| format!("{from} {} {to} {}", time(*opens, locale), time(*closes, locale));
    balcao_language::format::list(&periods.iter().map(row).collect::<Vec<_>>(), and)
}
