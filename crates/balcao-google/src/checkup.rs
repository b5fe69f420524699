//! Whether a business is connected well: each step from the credential to its calendars, with the cure for what is wrong.

use balcao_app::context::calendar_service::{
    CalendarId, CalendarService as _, CalendarSummary, DisconnectCause, ServiceError,
};
use balcao_connector::ServiceAccountKey;
use balcao_domain::{OrganizationId, Span};

use crate::credentials::Credential;
use crate::service::GoogleCalendar;

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Well.
    Fine,
    /// It works, and something is to be looked at.
    Warning,
    /// It does not work.
    Wrong,
}

/// What a step found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How it ended.
    pub severity: Severity,
    /// What was found.
    pub says: String,
    /// What to do; empty if nothing.
    pub mend: String,
}

impl Finding {
    fn fine(says: impl Into<String>) -> Self {
        Self { severity: Severity::Fine, says: says.into(), mend: String::new() }
    }

    fn warning(says: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, says: says.into(), mend: mend.into() }
    }

    fn wrong(says: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { severity: Severity::Wrong, says: says.into(), mend: mend.into() }
    }
}

impl GoogleCalendar {
    /// Looks at the connection of a business, and at `calendars` beside those in the account's own list. It changes nothing.
    pub async fn examine(&self, organization: OrganizationId, calendars: &[CalendarId]) -> Vec<Finding> {
        let credential = match self.tokens.credential(organization) {
            Ok(credential) => credential,
            Err(error) => return vec![of_error(&error, "")],
        };
        let account = match &credential {
            Credential::ServiceAccount { key_file, .. } => match ServiceAccountKey::read(key_file) {
                Ok(key) => key.email().to_owned(),
                Err(reason) => return vec![Finding::wrong(reason, "download a new key of the service account")],
            },
            Credential::Grant(_) => "the connected account".to_owned(),
        };
        let listed = match self.calendars(organization).await {
            Ok(listed) => listed,
            Err(error) => return vec![of_error(&error, &account)],
        };
        let writable = listed.iter().filter(|one| one.is_writable).count();
        let mut findings = vec![Finding::fine(format!("{account} sees {} calendars, writes {writable}", listed.len()))];
        findings.extend(listed.iter().filter(|one| one.is_writable).filter_map(of_owner));
        if writable == 0 && calendars.is_empty() {
            let says = format!("no calendar is shared with {account} so that it may change events");
            findings.push(Finding::warning(says, "share the calendar with it, with \"make changes to events\""));
        }
        findings.extend(self.examine_busy(organization, &listed, calendars, &account).await);
        findings
    }

    /// Asks for the busy times of the next hour, as a booking would.
    async fn examine_busy(
        &self,
        organization: OrganizationId,
        listed: &[CalendarSummary],
        named: &[CalendarId],
        account: &str,
    ) -> Vec<Finding> {
        let mut wanted: Vec<CalendarId> =
            listed.iter().filter(|one| one.is_writable).map(|one| one.id.clone()).collect();
        wanted.extend(named.iter().filter(|id| !listed.iter().any(|one| one.id == **id)).cloned());
        if wanted.is_empty() {
            return Vec::new();
        }
        let hour = Span::of_minutes(self.tokens.now(), 60);
        match self.busy(organization, &wanted, hour).await {
            Err(error) => vec![of_error(&error, account)],
            Ok(found) => {
                found.into_iter().filter_map(|(id, busy)| of_busy(&id, busy.err()?.as_str(), account)).collect()
            }
        }
    }
}

/// Who owns the data of a secondary calendar. Since 2026-10-05 Google deletes those whose owner's account is closed.
fn of_owner(calendar: &CalendarSummary) -> Option<Finding> {
    if calendar.data_owner.is_some() || !calendar.id.ends_with("@group.calendar.google.com") {
        return None;
    }
    let says = format!("calendar {} ({}) names no owner of its data", calendar.name, calendar.id);
    let mend =
        "Google deletes secondary calendars whose owner is not an active account: let a person of the business own it";
    Some(Finding::warning(says, mend))
}

fn of_busy(id: &str, reason: &str, account: &str) -> Option<Finding> {
    let says = format!("the busy times of calendar {id} are not known: {reason}");
    Some(match reason {
        "notFound" => Finding::wrong(says, format!("share the calendar with {account}, or correct its id")),
        _ => Finding::warning(says, "nothing is offered from a calendar of which that is not known; look again later"),
    })
}

/// An error with its cure.
fn of_error(error: &ServiceError, account: &str) -> Finding {
    let says = error.to_string();
    match error {
        ServiceError::Disconnected { cause, .. } => Finding::wrong(says, cure(*cause, account)),
        ServiceError::Unavailable { .. } | ServiceError::Unknown { .. } => Finding::warning(
            says,
            "see whether this machine reaches the internet; until then bookings do what `when_calendar_is_down` says",
        ),
        ServiceError::NotFound { .. }
        | ServiceError::Duplicate
        | ServiceError::Changed
        | ServiceError::Deleted
        | ServiceError::TokenGone
        | ServiceError::TooMany { .. }
        | ServiceError::Unreadable { .. }
        | ServiceError::Refused { .. } => Finding::wrong(says, "see what the service says"),
    }
}

fn cure(cause: DisconnectCause, account: &str) -> String {
    match cause {
        DisconnectCause::NotConnected => "run `balcao calendar connect`, or set google.service_account_file".to_owned(),
        DisconnectCause::DeadGrant => {
            "see in the Google account, under its connected apps, whether this program was removed, then run \
             `balcao calendar connect` again"
                .to_owned()
        }
        DisconnectCause::OldGrant => {
            "publish the consent screen (\"In production\"), then run `balcao calendar connect` again".to_owned()
        }
        DisconnectCause::RefusedKey => {
            "check the clock of this machine (NTP), then the key of the service account or the client's secret"
                .to_owned()
        }
        DisconnectCause::MissingScope => {
            format!(
                "run `balcao calendar connect` again and tick every box; a Workspace administrator must allow {account}'s scopes"
            )
        }
        DisconnectCause::ApiDisabled => {
            "enable \"Google Calendar API\" in the project of the Cloud console, then wait some minutes".to_owned()
        }
    }
}
