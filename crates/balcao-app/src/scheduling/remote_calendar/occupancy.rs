//! The time that an event of an external calendar takes.

use balcao_domain::calendar_push::WantedEvent;
use balcao_domain::outside_event::{EventState, EventTime, OutsideEvent};
use balcao_store::scheduling::calendar_mirror::BusyEvent;
use jiff::tz::TimeZone;

/// The time that an event takes; whole days are those of `zone`.
pub(super) fn busy_time(event: &OutsideEvent, zone: &TimeZone) -> Option<BusyEvent> {
    let span = event.time.and_then(|time| time.span(zone)).filter(|_| event.state == EventState::Busy)?;
    Some(BusyEvent {
        calendar: event.calendar.clone(),
        event: event.id.clone(),
        span,
        all_day: matches!(event.time, Some(EventTime::AllDay { .. })),
        version: event.version.clone(),
    })
}

/// The time that our own event takes where a person made it another than that of its visit, such as a longer one or one in another calendar.
/// It is not offered while staff decide, and not after they let it stand; the time of the visit is taken by the visit.
pub(super) fn time_beside_visit(
    event: &OutsideEvent,
    visit: Option<&WantedEvent>,
    zone: &TimeZone,
) -> Option<BusyEvent> {
    let is_of_visit =
        |busy: &BusyEvent| visit.is_some_and(|visit| (visit.span, &visit.calendar) == (busy.span, &busy.calendar));
    busy_time(event, zone).filter(|busy| !is_of_visit(busy))
}
