//! The state machine of a subscription: what starting, renewing, paying, pausing, resuming and ending do to its dates.
//!
//! The functions decide; the caller reads the subscription and writes the decision, under a comparison of its revision.

use jiff::ToSpan;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::{PlanPeriod, SubscriberStatus, SubscriptionDates};

/// A change of a subscription that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubscriptionAct {
    /// Moves the due date by one period, without a payment.
    Renew {
        /// The due date that is to be moved, so that the act happens once.
        due: Date,
    },
    /// Notes a payment, which moves the due date by the periods that it pays.
    Pay {
        /// How many; at least one moves the date.
        periods: u32,
    },
    /// Lets it rest from today on.
    Pause,
    /// Ends the rest, or takes back an end that is still to come.
    Resume,
    /// Ends it.
    End {
        /// The first day on which it covers nothing; today, if absent.
        on: Option<Date>,
        /// Whether paid days that it has left then may be lost.
        gives_up_paid: bool,
    },
}

/// Why a subscription stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "refusal", content = "details", rename_all = "snake_case")]
pub enum ActRefusal {
    /// It ended before.
    Ended {
        /// When.
        on: Date,
    },
    /// Its end would come before its start.
    EndsBeforeStart {
        /// When it started.
        started: Date,
    },
    /// The start is still to come.
    StartsLater {
        /// Today.
        today: Date,
    },
    /// The first payment would be due before the start.
    DueBeforeStart {
        /// The start.
        started: Date,
    },
    /// Another payment is due than the one that is to be renewed.
    OtherDue {
        /// The due date; `None` if no payment is expected.
        due: Option<Date>,
    },
    /// It is paid beyond its end, and the act does not give the paid days up.
    PaidUntil {
        /// The wanted end.
        on: Date,
        /// The due date, until which it is paid.
        until: Date,
        /// How many paid days would be lost.
        days: i32,
    },
    /// The date would be beyond the calendar, which ends with the year 9999.
    BeyondCalendar,
}

impl SubscriptionDates {
    /// Decides the dates of a subscription that starts on `started`, with the first payment due on `due`, by default on the start.
    ///
    /// # Errors
    /// [`ActRefusal::StartsLater`] if the start is after `today`; [`ActRefusal::DueBeforeStart`].
    pub fn start(started: Date, due: Option<Date>, today: Date) -> Result<Self, ActRefusal> {
        let due = due.unwrap_or(started);
        if started > today {
            return Err(ActRefusal::StartsLater { today });
        }
        if due < started {
            return Err(ActRefusal::DueBeforeStart { started });
        }
        Ok(Self { started: Some(started), due: Some(due), anchor_day: Some(due.day()), paused: None, ended: None })
    }

    /// Decides what an act does on the day `today`: the new dates, or `None` if the subscription is already so.
    ///
    /// A payment that is noted where none was expected is followed by one a period after today. The days of a rest are added to the due
    /// date, because the customer had nothing of them.
    ///
    /// # Errors
    /// [`ActRefusal`]; the subscription stays as it is.
    pub fn decide(self, act: SubscriptionAct, period: PlanPeriod, today: Date) -> Result<Option<Self>, ActRefusal> {
        if let (SubscriberStatus::Cancelled, Some(on)) = (self.status_on(today, 0), self.ended) {
            return match act {
                SubscriptionAct::End { on: wanted, .. } if wanted.is_none_or(|wanted| wanted == on) => Ok(None),
                SubscriptionAct::End { .. }
                | SubscriptionAct::Renew { .. }
                | SubscriptionAct::Pay { .. }
                | SubscriptionAct::Pause
                | SubscriptionAct::Resume => Err(ActRefusal::Ended { on }),
            };
        }
        let changed = match act {
            SubscriptionAct::Renew { due } => self.renew(due, period)?,
            SubscriptionAct::Pay { periods } => self.pay(periods, period, today)?,
            SubscriptionAct::Pause => Self { paused: self.paused.or(Some(today)), ..self },
            SubscriptionAct::Resume => self.resume(today)?,
            SubscriptionAct::End { on, gives_up_paid } => self.end(on.unwrap_or(today), gives_up_paid)?,
        };
        Ok((changed != self).then_some(changed))
    }

    fn renew(self, due: Date, period: PlanPeriod) -> Result<Self, ActRefusal> {
        if self.due == Some(due) {
            return self.move_due(due, period);
        }
        let anchor_day = self.anchor_day.unwrap_or(due.day());
        // The renewal happened before: its caller did not hear so.
        let is_renewed = self.due.is_some() && self.due == period.next_due(due, anchor_day);
        if is_renewed { Ok(self) } else { Err(ActRefusal::OtherDue { due: self.due }) }
    }

    fn pay(self, periods: u32, period: PlanPeriod, today: Date) -> Result<Self, ActRefusal> {
        (0..periods).try_fold(self, |dates, _| dates.move_due(dates.due.unwrap_or(today), period))
    }

    fn move_due(self, from: Date, period: PlanPeriod) -> Result<Self, ActRefusal> {
        let anchor_day = self.anchor_day.unwrap_or(from.day());
        let due = period.next_due(from, anchor_day).ok_or(ActRefusal::BeyondCalendar)?;
        Ok(Self { due: Some(due), anchor_day: Some(anchor_day), ..self })
    }

    fn end(self, on: Date, gives_up_paid: bool) -> Result<Self, ActRefusal> {
        if let Some(started) = self.started.filter(|started| on < *started) {
            return Err(ActRefusal::EndsBeforeStart { started });
        }
        let is_new = self.ended.is_none_or(|planned| on < planned);
        if let Some(until) = self.due.filter(|due| on < *due && is_new && !gives_up_paid) {
            let days = on.until(until).map_or(0, |span| span.get_days());
            return Err(ActRefusal::PaidUntil { on, until, days });
        }
        Ok(Self { ended: Some(on), ..self })
    }

    fn resume(self, today: Date) -> Result<Self, ActRefusal> {
        let Some(paused) = self.paused else { return Ok(Self { ended: None, ..self }) };
        let rested = paused.until(today).map_or(0, |span| i64::from(span.get_days())).max(0);
        let running = Self { paused: None, ..self };
        match self.due {
            Some(due) if rested > 0 => {
                let due = due.checked_add(rested.days()).map_err(|_source| ActRefusal::BeyondCalendar)?;
                Ok(Self { due: Some(due), anchor_day: Some(due.day()), ..running })
            }
            Some(_) | None => Ok(running),
        }
    }
}

#[cfg(test)]
#[path = "act_tests.rs"]
mod tests;
