//! Whether a business is connected well: each step from the credential to its calendars, with the cure for what is wrong.

use std::collections::{BTreeMap, BTreeSet};

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

/// A calendar that a business uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedCalendar {
    /// Its id.
    pub id: CalendarId,
    /// The professional that it is linked to; `None` of one that only the configuration names.
    pub professional: Option<String>,
    /// Whether it is linked for writing.
    pub is_written: bool,
}

/// Under which name Google knows the program.
struct Account {
    /// Its address, or what it is called here.
    name: String,
    /// Whether its rights end at the calendars that it owns, as those of a consent do.
    owns_only: bool,
}

/// The right of Google's that a calendar to write into needs, by its name there.
const WRITE: &str = "make changes to events";

impl GoogleCalendar {
    /// Looks at the connection of a business, at the calendars that it uses, and at those that the account may write into. It changes
    /// nothing.
    pub async fn examine(&self, organization: OrganizationId, used: &[UsedCalendar]) -> Vec<Finding> {
        let credential = match self.tokens.credential(organization) {
            Ok(credential) => credential,
            Err(error) => return vec![of_error(&error, "")],
        };
        let account = match &credential {
            Credential::ServiceAccount { key_file, .. } => match ServiceAccountKey::read(key_file) {
                Ok(key) => Account { name: key.email().to_owned(), owns_only: false },
                Err(reason) => return vec![Finding::wrong(reason, "download a new key of the service account")],
            },
            Credential::Grant(_) => Account { name: "the connected account".to_owned(), owns_only: true },
        };
        let listed = match self.calendars(organization).await {
            Ok(listed) => listed,
            Err(error) => return vec![of_error(&error, &account.name)],
        };
        let writable = listed.iter().filter(|one| one.is_writable).count();
        let mut findings =
            vec![Finding::fine(format!("{} sees {} calendars, writes {writable}", account.name, listed.len()))];
        findings.extend(listed.iter().filter(|one| one.is_writable).filter_map(of_owner));
        if writable == 0 && used.is_empty() {
            let says = format!("no calendar is shared with {} so that it may change events", account.name);
            findings.push(Finding::warning(says, "share the calendar with it, with \"make changes to events\""));
        }
        let (readable, found) = self.examine_access(organization, used, &account).await;
        findings.extend(found);
        findings.extend(self.examine_busy(organization, &listed, readable, &account.name).await);
        findings
    }

    /// Asks what the account may do with each calendar that is used; gives those that it may read.
    async fn examine_access(
        &self,
        organization: OrganizationId,
        used: &[UsedCalendar],
        account: &Account,
    ) -> (BTreeSet<CalendarId>, Vec<Finding>) {
        let mut asked: BTreeMap<&str, Result<bool, ServiceError>> = BTreeMap::new();
        for one in used {
            if !asked.contains_key(one.id.as_str()) {
                asked.insert(&one.id, self.may_write(organization, &one.id).await);
            }
        }
        // The link of a calendar says more of it than the configuration.
        let is_linked = |id: &str| used.iter().any(|one| one.id == id && one.professional.is_some());
        let told = used.iter().filter(|one| one.professional.is_some() || !is_linked(&one.id));
        let findings = told.filter_map(|one| of_access(one, asked.get(one.id.as_str())?, account)).collect();
        let readable = asked.into_iter().filter(|(_, access)| access.is_ok());
        (readable.map(|(id, _)| id.to_owned()).collect(), findings)
    }

    /// Asks for the busy times of the next hour, as a booking would.
    async fn examine_busy(
        &self,
        organization: OrganizationId,
        listed: &[CalendarSummary],
        mut wanted: BTreeSet<CalendarId>,
        account: &str,
    ) -> Vec<Finding> {
        wanted.extend(listed.iter().filter(|one| one.is_writable).map(|one| one.id.clone()));
        let wanted: Vec<CalendarId> = wanted.into_iter().collect();
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

/// What is wrong with a calendar that is used, by the answer whether the account may write into it.
fn of_access(used: &UsedCalendar, may_write: &Result<bool, ServiceError>, account: &Account) -> Option<Finding> {
    let UsedCalendar { id, professional, is_written } = used;
    match may_write {
        Ok(true) => None,
        Ok(false) => of_read_only(used, account),
        Err(error) => {
            let whose = professional.as_ref().map_or_else(String::new, |who| format!(", linked to {who},"));
            let says = format!("calendar {id}{whose} cannot be read: {error}");
            let right = if *is_written { WRITE } else { "see all event details" };
            Some(match (error, professional) {
                (ServiceError::Disconnected { cause: DisconnectCause::MissingScope, .. }, _) if account.owns_only => {
                    let mend = format!(
                        "a consent reaches only calendars that the account owns: connect the owner's account with \
                         `balcao calendar connect`, and tick every box; or share the calendar with a service account, with \"{right}\""
                    );
                    Finding::wrong(says, mend)
                }
                (
                    ServiceError::Disconnected { .. } | ServiceError::Unavailable { .. } | ServiceError::Unknown { .. },
                    _,
                ) => Finding { says, ..of_error(error, &account.name) },
                (_, None) => {
                    Finding::wrong(says, format!("share the calendar with {}, or correct its id", account.name))
                }
                (_, Some(who)) => {
                    let write = if *is_written { " --write" } else { "" };
                    let mend = format!(
                        "share the calendar with {}, with \"{right}\", or link another one: \
                         `balcao calendar unlink \"{who}\" {id}`, then `balcao calendar link \"{who}\" CALENDAR{write}`",
                        account.name
                    );
                    Finding::wrong(says, mend)
                }
            })
        }
    }
}

/// What is wrong with a calendar that the account may only read.
fn of_read_only(used: &UsedCalendar, account: &Account) -> Option<Finding> {
    let (UsedCalendar { id, professional, is_written }, account) = (used, &account.name);
    let share = format!("share it with {account}, with \"{WRITE}\"");
    match professional {
        None => {
            let says = format!("calendar {id} is read-only for {account}");
            Some(Finding::warning(says, format!("{share}, before you link it for writing")))
        }
        Some(who) if *is_written => {
            let says = format!("calendar {id}, linked to {who} for writing, is read-only for {account}");
            let mend = format!("{share}, or link it for reading: `balcao calendar link \"{who}\" {id}`");
            Some(Finding::wrong(says, mend))
        }
        Some(_) => None,
    }
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
