//! What a message adds to what is known: days, times, people, services.

use balcao_language::{
    Agreement, Asked, DateSpan, TimeReading, TimeWindow, agreement, agreement_about, find_dates, find_times_from,
    normalize,
};
use jiff::civil::{Date, Time};

use super::{Dialogue, Goal, Question};
use crate::{
    catalog::Named,
    nlu::{Act, Day, Utterance},
    results::Appointment,
};

impl Dialogue {
    pub(super) fn fill(&mut self, utterance: &Utterance) {
        if utterance.is(Act::Injection) {
            return;
        }
        let only_price = (utterance.is(Act::Prices) || utterance.is(Act::Offers)) && !utterance.is(Act::Book);
        // "E com barba?" adds to what was named before.
        let earlier = self.mentions.last().or(self.weak_mentions.last()).cloned();
        if super::who::answers_a_name(&utterance.text, &self.said) {
            // A guest may be called like a professional or a service.
        } else if self.asked == Question::Service
            && !utterance.is(Act::AnyProfessional)
            && self.catalog.service_in(&utterance.text) == Named::Nothing
        {
            // The answer to "qual serviço?" names one, if only by an alias that the tools know.
            self.mentions.push(format!("marcar {}", utterance.text));
        } else if let Some(earlier) = earlier.filter(|_| normalize(&utterance.text).starts_with("e com ")) {
            self.mentions.push(format!("{earlier} {}", utterance.text));
        } else if only_price {
            self.weak_mentions.push(utterance.text.clone());
        } else if !(informative(utterance) && !utterance.is(Act::Book) && !utterance.is(Act::Availability)) {
            self.mentions.push(utterance.text.clone());
        }
        if (utterance.is(Act::Hours) || utterance.is(Act::WhoWorks)) && !utterance.days.is_empty() {
            self.topic_day = utterance.days.last().copied();
        }
        if informative(utterance) && self.goal != Goal::Book && self.goal != Goal::Reschedule {
            return;
        }
        if utterance.is(Act::Hours) || utterance.is(Act::WhoWorks) {
            self.topic_day = utterance.days.last().copied();
            return;
        }
        self.any_professional |= utterance.is(Act::AnyProfessional);
        match self.goal {
            Goal::Cancel => {
                if let Some(day) = utterance.days.last() {
                    self.source = Some(*day);
                } else if self.asked == Question::Which {
                    self.source = None;
                }
                if !utterance.times.is_empty() {
                    self.times.clone_from(&utterance.times);
                }
                return;
            }
            Goal::Reschedule => self.fill_move(utterance),
            // The day that was spoken of cannot be: another is needed, and none was named.
            Goal::Book | Goal::None if utterance.ruled_out => self.day = None,
            // An impossible date does not replace the day before it, because we ask the customer which day they mean.
            Goal::Book | Goal::None if utterance.problem.is_some() && utterance.days.is_empty() => {
                self.day = self.day.filter(|_| self.other_reading.is_some());
            }
            Goal::Book | Goal::None => {
                if let Some(day) = utterance.days.last() {
                    self.day = Some(self.in_context(*day));
                }
            }
        }
        self.fill_time(utterance);
        self.first_of_several(utterance);
    }

    /// Of several wishes with a day and time each, those of the first count first. The catalog tells whether there are
    /// several.
    pub(super) fn first_of_several(&mut self, utterance: &Utterance) {
        if self.goal != Goal::Book || self.catalog.several_in(&utterance.text).len() < 2 {
            return;
        }
        self.day = utterance.days.first().copied().or(self.day);
        if let ([_, _, ..], Some(time)) = (utterance.days.as_slice(), utterance.times.first()) {
            self.times = vec![*time];
        }
    }

    /// A bare weekday means the day that was spoken of, or the one in the week that was: "sexta" after an offer for next week.
    fn in_context(&self, day: Day) -> Day {
        let Some(spoken) = self.day.filter(|_| day.weekday && self.asked != Question::Nothing) else { return day };
        let mut dates = spoken.first.series(jiff::Span::new().days(1)).take_while(|date| *date <= spoken.last);
        let meant = dates.find(|date| date.weekday() == day.first.weekday());
        meant.map_or(day, |date| Day { target: day.target, ..Day::on(date) })
    }

    /// The words that name several appointments to cancel. An agreement goes on with those that were named before.
    pub(super) fn several_to_cancel(&self, utterance: &Utterance) -> Option<String> {
        if utterance.is(Act::Cancel) && self.asked != Question::Cancel || self.goal == Goal::Cancel {
            let folded = normalize(&utterance.text);
            let several = says_all(&utterance.text).is_some() || folded.contains(" e ") || folded.contains(" and ");
            return several.then(|| utterance.text.clone());
        }
        let declined = agreement_about(&utterance.text, Asked::Cancelling) == Agreement::No;
        self.several.clone().filter(|_| !declined && self.asked == Question::Cancel)
    }

    /// "Com ela": the professional in our last reply, other than the one that the customer wanted so far.
    pub(super) fn pronoun(&self, text: &str) -> Option<String> {
        let said = ["com ela", "com ele", "with her", "with him"];
        said.iter().find(|words| balcao_language::contains_word(text, words))?;
        let wanted = self.professional();
        let named = self.catalog.professionals.iter();
        let mut others =
            named.filter(|name| self.said.contains(name.as_str()) && wanted != Named::One((*name).clone()));
        others.next().filter(|_| others.next().is_none()).cloned()
    }

    fn fill_move(&mut self, utterance: &Utterance) {
        let starts = utterance.is(Act::Reschedule);
        match utterance.days.as_slice() {
            [] => {}
            [only] if starts && !only.target => self.source = Some(*only),
            [only] => self.day = Some(self.in_context(*only)),
            [first, .., last] => {
                self.source = Some(*first);
                self.day = Some(*last);
                if first.target && !last.target {
                    (self.source, self.day) = (Some(*last), Some(*first));
                }
            }
        }
    }

    /// The appointment of which a reply asks where it is to go: "Seu horário é …. Para qual dia …?"
    pub(super) fn named_to_move(&self, said: &str) -> Option<Appointment> {
        let asks = |line: &&str| ["Seu horário é ", "Your appointment is "].iter().any(|lead| line.starts_with(lead));
        let line = said.lines().find(asks).filter(|_| self.goal == Goal::Reschedule)?;
        let dates = find_dates(line, self.today());
        let date = dates.iter().find_map(|found| match found.reading {
            Ok(DateSpan::Day(date)) => Some(date),
            Ok(DateSpan::Range { .. }) | Err(_) => None,
        })?;
        let times = find_times_from(line, Time::MIN);
        let at = |time: Time| {
            times.iter().any(|found| matches!(found.reading, TimeReading::At { time: said, .. } if said == time))
        };
        let mut there = self.upcoming.iter().filter(|one| one.date == Some(date) && one.time.is_none_or(at));
        there.next().filter(|_| there.next().is_none()).cloned()
    }

    fn fill_time(&mut self, utterance: &Utterance) {
        let asked_time =
            matches!(self.asked, Question::Time | Question::Book | Question::Professional) || !self.offered.is_empty();
        let mut times = utterance.times.clone();
        if times.is_empty() && asked_time && utterance.days.is_empty() {
            times.clone_from(&utterance.bare_times);
        }
        if times.is_empty() && self.asked == Question::Time && utterance.days.is_empty() {
            if utterance.is(Act::Earliest) || utterance.is(Act::AnyTime) {
                times.extend(self.offered.first());
            } else if utterance.is(Act::Latest) {
                times.extend(self.offered.last());
            }
        }
        if let ([only], true) = (self.offered.as_slice(), times.is_empty() && self.says_yes_to_offer(utterance)) {
            times.push(*only);
        }
        // "Às 8" after an offer of 8h and 9h means the offered one.
        for time in &mut times {
            let other = self
                .offered
                .iter()
                .find(|offered| offered.minute() == time.minute() && (offered.hour() - time.hour()).abs() == 12);
            if let Some(other) = other.filter(|_| !self.offered.contains(time)) {
                *time = *other;
            }
        }
        let other = ["outro horario", "outros horarios", "outra hora", "other time", "another time"];
        if times.is_empty() && other.iter().any(|words| normalize(&utterance.text).contains(words)) {
            self.times.clear();
        }
        if !times.is_empty() {
            let alternatives = normalize(&utterance.text).contains(" ou ");
            let kept = if alternatives { times } else { times.into_iter().next_back().into_iter().collect() };
            self.times = kept;
            self.window = None;
        } else if utterance.window.is_some() {
            self.window = utterance.window;
            self.times.clear();
        } else if let Some(window) = self.beyond_offer(utterance) {
            self.window = Some(window);
            self.passing = true;
            self.times.clear();
        }
    }

    /// A day without a year that was meant for this year and is over: "20/11" on the 24th, which is read as next year's.
    #[must_use]
    pub fn passed(&self, date: Date) -> Option<Date> {
        let this_year = self.said_without_year(date)?;
        this_year.filter(|meant| *meant < self.today())
    }

    /// The written form of a day without a year that the coming twelve months lack: "29/02" if the next year has no leap day.
    #[must_use]
    pub fn missing(&self, date: Date) -> Option<String> {
        let leap_day = self.said_without_year(date)?.is_none();
        leap_day.then(|| format!("{:02}/{:02}", date.day(), date.month()))
    }

    /// The same day a year before one that is ten months ahead or more and was said without its year, `None` inside where that year
    /// has none. "Daqui a um ano" says no day of the month, and is meant as it stands.
    fn said_without_year(&self, date: Date) -> Option<Option<Date>> {
        let months = jiff::Span::new().months(10);
        let far = self.today().checked_add(months).is_ok_and(|limit| date > limit);
        let says = |number: u32| {
            self.mentions.iter().any(|text| {
                let tokens = balcao_language::tokens(text);
                (0..tokens.len())
                    .any(|at| balcao_language::numbers::number_at(&tokens, at).is_some_and(|said| said.value == number))
            })
        };
        let year = u32::try_from(date.year()).ok()?;
        let dated = says(u32::try_from(date.day()).ok()?) && !says(year) && !says(year % 100);
        (far && dated).then(|| Date::new(date.year().saturating_sub(1), date.month(), date.day()).ok())
    }

    /// "Sim" to an offer of times, and nothing else.
    #[must_use]
    pub fn says_yes_to_offer(&self, utterance: &Utterance) -> bool {
        let picks = [Act::Earliest, Act::Latest, Act::AnyTime, Act::Later, Act::Sooner];
        self.asked == Question::Time
            && !utterance.has_when()
            && utterance.bare_times.is_empty()
            && !utterance.acts.iter().any(|act| picks.contains(act))
            && agreement(&utterance.text) == Agreement::Yes
    }

    /// "Tem mais tarde?" after an offer: what lies beyond its last time; "mais cedo" what lies before its first.
    fn beyond_offer(&self, utterance: &Utterance) -> Option<TimeWindow> {
        let (first, last) = (self.offered.iter().min()?, self.offered.iter().max()?);
        let minute = jiff::Span::new().minutes(1);
        let (from, until) = if utterance.is(Act::Later) {
            (last.checked_add(minute).ok()?, Time::MAX)
        } else if utterance.is(Act::Sooner) {
            (Time::MIN, first.checked_sub(minute).ok()?)
        } else {
            return None;
        };
        Some(TimeWindow { from, until, period: None })
    }
}

/// "Os dois", "tudo": all of what there is, and how many that is, where it is said.
#[must_use]
pub fn says_all(text: &str) -> Option<Option<usize>> {
    const WORDS: &[(&str, Option<usize>)] = &[
        ("os dois", Some(2)),
        ("as duas", Some(2)),
        ("ambos", Some(2)),
        ("ambas", Some(2)),
        ("both", Some(2)),
        ("os tres", Some(3)),
        ("as tres", Some(3)),
        ("tudo", None),
        ("todos", None),
        ("todas", None),
        ("all", None),
        ("meus horarios", None),
        ("meus agendamentos", None),
        ("minhas consultas", None),
        ("minhas sessoes", None),
        ("my appointments", None),
    ];
    let plain = text.to_lowercase().replace("tudo bem", "").replace("tudo bom", "");
    WORDS.iter().find(|(words, _)| balcao_language::contains_word(&plain, words)).map(|(_, count)| *count)
}

/// True if the message gives a time or wants something.
pub(super) fn wants_a_time(utterance: &Utterance) -> bool {
    let cannot_be = utterance.impossible_time.is_some() || utterance.problem.is_some();
    utterance.has_when() || utterance.is(Act::Want) || cannot_be
}

/// True if the message asks for information rather than for an appointment.
pub(super) fn informative(utterance: &Utterance) -> bool {
    let acts = [
        Act::Hours,
        Act::WhoWorks,
        Act::MyAppointments,
        Act::Subscription,
        Act::Plans,
        Act::Services,
        Act::Prices,
        Act::Offers,
        Act::Identity,
        Act::Human,
        Act::Waitlist,
        Act::Reminder,
        Act::LaterContact,
        Act::NoLaterContact,
        Act::NoReminder,
        Act::Keep,
        Act::CancelOther,
        Act::Note,
        Act::OnFile,
        Act::Anger,
    ];
    utterance.acts.iter().any(|act| acts.contains(act))
}
