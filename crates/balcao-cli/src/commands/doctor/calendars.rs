//! Whether the calendar of each business answers.

use balcao_app::scheduling::calendar::{BuiltIn, Calendar, Health};
use balcao_app::scheduling::calendar_links::CalendarLinks;
use balcao_store::{Store, crm::organization::Organization};

use super::Finding;
use crate::{config::Config, output::error_chain, time, wire};

/// Asks the calendar of a business. A check of linked calendars reads what changed in them, and may move bookings and alert staff. So only
/// the program that serves the business does it; the check of the service looks at the calendars of the others.
pub(super) async fn check(store: &Store, config: &Config, of: &Organization, is_served: bool) -> Option<Finding> {
    let app = wire::serving(store.clone(), of.id, time::clock(), config);
    // A service that cannot be set up has a finding of its own.
    let app = wire::with_calendar_service(app.clone(), config).unwrap_or(app);
    let status = match CalendarLinks::new(app.clone()).status(of.id).await {
        Ok(status) => status,
        Err(error) => {
            let says = format!("of {}: {}", of.slug, error_chain(&error));
            return Some(Finding::wrong("calendar", says, "see what the database says"));
        }
    };
    match (status.links.len(), status.service) {
        (links @ 1.., None) => Some(unconnected(&of.slug, links)),
        (1.., Some(_)) if !is_served => None,
        _ => Some(health(&of.slug, BuiltIn::new(app).health(of.id).await)),
    }
}

/// Links of a business whose program is connected to no service.
fn unconnected(slug: &str, links: usize) -> Finding {
    Finding::wrong(
        "calendar",
        format!(
            "of {slug}: professionals have linked calendars ({links}), and no calendar service is configured: none is read or written"
        ),
        "configure [google] (docs/GOOGLE-CALENDAR.md), or unlink each of them: `balcao calendar status` lists them, \
         `balcao calendar unlink PROFESSIONAL CALENDAR` unlinks one",
    )
}

/// What a business's calendar says of itself.
fn health(slug: &str, health: Health) -> Finding {
    match health {
        Health::Well => Finding::fine("calendar", format!("of {slug}: answers")),
        Health::Mirrored { as_of } => Finding::warning(
            "calendar",
            format!("of {slug}: does not answer; times are told from a copy of {as_of}, and nothing can be booked"),
            "see whether its service is up and lets us in",
        ),
        Health::Down { reason } => Finding::wrong(
            "calendar",
            format!("of {slug}: does not answer: {reason}"),
            "see whether its service is up and lets us in",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::doctor::verdict_word;

    #[test]
    fn a_calendar_that_does_not_answer_is_wrong_and_one_with_a_copy_a_warning() {
        let copy = Health::Mirrored { as_of: "2026-11-24T13:00:00Z".parse().unwrap_or_default() };
        let down = Health::Down { reason: "401".to_owned() };
        let verdicts = [Health::Well, copy, down].map(|one| health("figueira", one));
        assert_eq!(verdicts.each_ref().map(|one| verdict_word(&one.verdict)), ["ok", "warning", "wrong"]);
        assert!(verdicts.iter().skip(1).all(|one| one.mend.is_some()));
        assert_eq!(verdicts.last().map(|one| one.says.contains("401")), Some(true));
    }
}
