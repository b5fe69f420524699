//! Working time: a professional's own hours ∩ the business's, and of that what they are not away for.
//!
//! The only place that lays the two over each other. Free times are cut from [`shifts`](super::timeline::shifts), because the grid counts from a
//! shift's opening even where somebody is away; whatever tells people when somebody works tells [`works`].

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::in_seconds;
use super::timeline::{Timeline, Window};
use crate::hours::{Hours, Period, of_minutes};
use crate::intervals::{merged, without};
use crate::professional::Professional;

/// When a professional works on a date: in order, and without touching; empty if they do not.
///
/// By the clock on the wall in `zone`, in whole minutes. A minute of the date counts if it occurs at least once while the
/// business is open, the professional's own hours hold and they are not away: so an hour that a clock change skips is
/// nobody's, and one that it repeats counts once. A minute that somebody is away for in part does not count.
#[must_use]
pub fn works(zone: &TimeZone, business: &Hours, professional: &Professional, date: Date) -> Vec<Period> {
    let away = professional.time_off.iter().map(|off| in_seconds(&off.span)).filter(|(start, end)| start < end);
    let away = merged(away.collect());
    let timeline = Timeline::new(zone, date, date);
    let mut minutes = Vec::new();
    for window in timeline.windows(business, &professional.hours).iter().filter(|window| window.offered) {
        minutes.extend(
            without(&[(window.lo, window.hi)], &away).into_iter().filter_map(|(lo, hi)| on_the_wall(window, lo, hi)),
        );
    }
    of_minutes(&merged(minutes))
}

/// The whole minutes of the window's date between two instants of it.
fn on_the_wall(window: &Window, lo: i64, hi: i64) -> Option<(u16, u16)> {
    let midnight = window.anchor - i64::from(window.shift.opens_min()) * 60;
    let (from, to) = ((lo - midnight + 59).div_euclid(60), (hi - midnight).div_euclid(60));
    Some((u16::try_from(from).ok()?, u16::try_from(to).ok()?)).filter(|(from, to)| from < to)
}

#[cfg(test)]
#[path = "working_hours_tests.rs"]
mod tests;
