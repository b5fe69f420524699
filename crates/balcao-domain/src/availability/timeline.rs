//! Civil dates laid out as stretches of constant UTC offset, and hours laid over them as windows of instants.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use crate::hours::{Hours, Period};

/// A stretch of one local date with one UTC offset. A date has one, or two where the clock changes in it.
struct Piece {
    date: Date,
    /// When the local day began, or would have begun, at this piece's offset; in seconds since the epoch.
    midnight: i64,
    lo: i64,
    hi: i64,
    /// Whether its starts are asked for; the day after the last one is there only so that a slot may cross midnight.
    offered: bool,
}

/// The dates asked for, in order.
pub(super) struct Timeline(Vec<Piece>);

/// Open time of one shift within one piece.
pub(super) struct Window {
    /// Which shift.
    pub(super) shift: Period,
    /// Where the grid counts from: the period's opening.
    pub(super) anchor: i64,
    /// The first open instant.
    pub(super) lo: i64,
    /// The first instant after.
    pub(super) hi: i64,
    /// Until when it is open without a break: windows that touch are one for an appointment's end.
    pub(super) limit: i64,
    /// Whether its starts are asked for.
    pub(super) offered: bool,
    /// The same local time in the piece before: what to subtract, and that piece's bounds.
    earlier: Option<(i64, i64, i64)>,
}

impl Window {
    /// Whether the local time of `start` already occurred before the clock was set back.
    pub(super) fn repeats(&self, start: i64) -> bool {
        self.earlier.is_some_and(|(shift, lo, hi)| lo <= start - shift && start - shift < hi)
    }
}

impl Timeline {
    /// Lays out `from` to `to`, both included, and the day after.
    pub(super) fn new(zone: &TimeZone, from: Date, to: Date) -> Self {
        const DAY: i64 = 86_400;
        let mut pieces = Vec::new();
        if from > to {
            return Self(pieces);
        }
        let days = i64::from((to - from).get_days()) + 2;
        let first = Timestamp::UNIX_EPOCH; // civil days are counted as if in UTC
        let civil_first =
            from.to_zoned(TimeZone::UTC).map_or(0, |zoned| zoned.timestamp().duration_since(first).as_secs());
        let offsets = offsets(zone, civil_first - 2 * DAY, civil_first + (days + 2) * DAY);
        let mut date = from;
        for number in 0..days {
            let civil = civil_first + number * DAY;
            for (lo, hi, offset) in &offsets {
                let midnight = civil - offset;
                let (lo, hi) = (midnight.max(*lo), (midnight + DAY).min(*hi));
                if lo < hi {
                    pieces.push(Piece { date, midnight, lo, hi, offered: number + 1 < days });
                }
            }
            date = date.saturating_add(1.day());
        }
        Self(pieces)
    }

    /// The open windows of a professional who works `hours` in a business open for `business`, in order.
    pub(super) fn windows(&self, business: &Hours, hours: &Hours) -> Vec<Window> {
        let mut windows: Vec<Window> = Vec::with_capacity(self.0.len() * 2);
        let mut before: Option<&Piece> = None;
        for piece in &self.0 {
            let earlier = before
                .filter(|earlier| earlier.date == piece.date)
                .map(|earlier| (piece.midnight - earlier.midnight, earlier.lo, earlier.hi));
            windows.extend(shifts(business, hours, piece.date).filter_map(|shift| piece.window(shift, earlier)));
            before = Some(piece);
        }
        let mut next: Option<(i64, i64)> = None;
        for window in windows.iter_mut().rev() {
            if let Some((_, limit)) = next.filter(|(lo, _)| *lo == window.hi) {
                window.limit = limit;
            }
            next = Some((window.lo, window.limit));
        }
        windows
    }
}

impl Piece {
    fn window(&self, shift: Period, earlier: Option<(i64, i64, i64)>) -> Option<Window> {
        let anchor = self.midnight + i64::from(shift.opens_min()) * 60;
        let lo = anchor.max(self.lo);
        let hi = (self.midnight + i64::from(shift.closes_min()) * 60).min(self.hi);
        (lo < hi).then_some(Window { shift, anchor, lo, hi, limit: hi, offered: self.offered, earlier })
    }
}

/// The stretches of constant offset between two instants: start, end, offset, all in seconds.
fn offsets(zone: &TimeZone, from: i64, to: i64) -> Vec<(i64, i64, i64)> {
    let Ok(start) = Timestamp::from_second(from) else { return Vec::new() };
    let mut stretches = Vec::new();
    let (mut lo, mut offset) = (from, i64::from(zone.to_offset(start).seconds()));
    for change in zone.following(start) {
        let at = change.timestamp().as_second();
        if at >= to {
            break;
        }
        stretches.push((lo, at, offset));
        (lo, offset) = (at, i64::from(change.offset().seconds()));
    }
    stretches.push((lo, to, offset));
    stretches
}

/// What is planned on a date: when the business is open and somebody of these hours works, in order. Closed days, holidays
/// and special openings are in the hours; time off is not taken out.
pub(super) fn shifts<'a>(business: &'a Hours, own: &'a Hours, date: Date) -> impl Iterator<Item = Period> + 'a {
    business.on(date).iter().flat_map(move |open| own.on(date).iter().filter_map(|works| works.intersection(open)))
}
