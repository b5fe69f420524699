//! The links between calendars and professionals, and how each calendar is.

use std::process::ExitCode;

use balcao_app::scheduling::calendar_comparison::{CalendarComparison, Comparison};
use balcao_app::scheduling::calendar_conflicts::CalendarConflicts;
use balcao_app::scheduling::calendar_links::{
    CalendarLinks, CalendarStatus, LastComparison, LastDifference, LinkStatus,
};
use balcao_app::scheduling::calendar_work::{CalendarWork, SyncRefusal};
use balcao_domain::AppointmentId;
use serde::Serialize;
use serde_json::json;

use super::conflicts::{self, ResolveArgs};
use crate::{
    config::Config,
    output::{Failure, error_chain, one_line, print_line},
    wire,
};

/// What is to be done.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Action {
    /// Links a calendar to a professional; its events block the professional's time.
    Link {
        /// The professional, by name.
        professional: String,
        /// The calendar, by its id in the service.
        calendar: String,
        /// Also writes the professional's appointments into it.
        #[arg(long)]
        write: bool,
    },
    /// Unlinks a calendar and removes the events of future appointments from it.
    Unlink {
        /// The professional, by name.
        professional: String,
        /// The calendar, by its id in the service.
        calendar: String,
    },
    /// Shows the links, the age of each copy, and the changes that wait.
    Status,
    /// Reads the linked calendars and writes waiting changes now. Retries what was set aside after three crashes.
    Sync {
        /// Accepts that many events disappeared at once.
        #[arg(long)]
        accept_drop: bool,
    },
    /// Lists bookings that people changed in a calendar, and moves that the customer does not know yet.
    Conflicts,
    /// Lists the ways to resolve a conflict, each with its command, the message to the customer and its price.
    WaysOut {
        /// The conflict, by its number in `conflicts`.
        id: i64,
    },
    /// Resolves a conflict in one of the ways of `ways-out`.
    Resolve(ResolveArgs),
    /// Compares every future appointment with its event, and repairs what needs no decision.
    Reconcile {
        /// Accepts that many events disappeared at once.
        #[arg(long)]
        accept_drop: bool,
    },
}

fn failed(error: impl std::error::Error + 'static) -> Failure {
    Failure::operation(error_chain(&error))
}

/// Runs the command.
pub(super) async fn run(action: Action, json: bool, config: &Config) -> Result<ExitCode, Failure> {
    let (app, id, _) = wire::configured(config, None).await?;
    let links = CalendarLinks::new(app.clone());
    match action {
        Action::Link { professional, calendar, write } => {
            links.link(id, professional.clone(), calendar.clone(), write).await.map_err(failed)?.map_err(failed)?;
            let told = format!("{calendar} is linked to {professional}; `balcao calendar sync` reads it");
            print_answer(json, &json!({ "linked": calendar, "write": write }), &told);
        }
        Action::Unlink { professional, calendar } => {
            links.unlink(id, professional.clone(), calendar.clone()).await.map_err(failed)?.map_err(failed)?;
            print_answer(
                json,
                &json!({ "unlinked": calendar }),
                &format!("{calendar} is not linked to {professional} any more"),
            );
        }
        Action::Status => print_status(json, &links.status(id).await.map_err(failed)?),
        Action::Sync { accept_drop } => {
            let synced = CalendarWork::new(app).sync(id, accept_drop).await.map_err(failed)?;
            synced.map_err(|refusal| match refusal {
                SyncRefusal::NotConnected => failed(refusal),
                SyncRefusal::ManyDeletions { .. } => Failure::operation(format!("{refusal} (`--accept-drop`)")),
            })?;
            print_status(json, &links.status(id).await.map_err(failed)?);
        }
        Action::Conflicts => conflicts::list(&conflicts_of(app, config)?, id, json).await?,
        Action::WaysOut { id: number } => conflicts::show(&conflicts_of(app, config)?, id, number, json).await?,
        Action::Resolve(args) => conflicts::resolve(&conflicts_of(app, config)?, id, args, json).await?,
        Action::Reconcile { accept_drop } => {
            let compared = CalendarComparison::new(app).run(id, accept_drop).await.map_err(failed)?.map_err(failed)?;
            return Ok(print_comparison(json, &compared));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn conflicts_of(app: balcao_app::AppContext, config: &Config) -> Result<CalendarConflicts, Failure> {
    Ok(CalendarConflicts::new(app, config.whatsapp.policies().map_err(Failure::usage)?))
}

fn print_json(value: &impl Serialize) {
    print_line(&serde_json::to_string(value).unwrap_or_default());
}

fn print_answer(json: bool, value: &serde_json::Value, text: &str) {
    print_line(&if json { value.to_string() } else { text.to_owned() });
}

fn print_status(json: bool, status: &CalendarStatus) {
    if json {
        return print_json(status);
    }
    print_line(&format!("service: {}", status.service.unwrap_or("none connected")));
    for LinkStatus { professional, calendar, is_written, synced_at, is_too_old, failure, .. } in &status.links {
        let use_of = if *is_written { "written" } else { "read" };
        let age = synced_at.map_or_else(|| "never read".to_owned(), |at| format!("as of {at}"));
        let old = if *is_too_old { ", too old: nothing is offered" } else { "" };
        let failure = failure.as_ref().map(|why| format!(", failing: {}", one_line(why)));
        print_line(&format!("{professional}  {calendar}  {use_of}  {age}{old}{}", failure.unwrap_or_default()));
    }
    print_line(&format!("{} events wait to be written, {} conflicts", status.waiting, status.conflicts));
    for appointment in &status.set_aside {
        print_line(&format!("set aside after three crashes: the event of appointment {appointment}"));
    }
    if status.comparison_set_aside {
        print_line("set aside after three crashes: the nightly comparison");
    }
    if let Some(LastComparison { ended_at, equal, repaired, differing }) = status.last_comparison {
        print_line(&format!(
            "compared at {ended_at}: {equal} events were as they should be, {repaired} were repaired, {differing} were not"
        ));
    }
    for LastDifference { what, appointment, calendar, event, found_at } in &status.differences {
        let since = found_at.map_or_else(|| what.clone(), |at| format!("{what}, since {at}"));
        print_difference(&since, (*appointment, calendar.as_deref(), event.as_deref()));
    }
    status.unreadable.iter().for_each(|one| print_line(&format!("unreadable: {}", one_line(one))));
}

/// Prints what differs: the appointment, else the event and its calendar.
fn print_difference(what: &str, (appointment, calendar, event): (Option<AppointmentId>, Option<&str>, Option<&str>)) {
    let about = [appointment.map(|one| one.to_string()), event.map(one_line), calendar.map(one_line)];
    let about = about.into_iter().flatten().collect::<Vec<_>>().join(" in ");
    print_line(&format!("{about}: {what}"));
}

/// Prints a comparison; fails if anything differs or was not read, so that a script sees it.
fn print_comparison(json: bool, compared: &Comparison) -> ExitCode {
    if json {
        print_json(compared);
    } else {
        let Comparison { equal, repaired, differences, unread } = compared;
        print_line(&format!(
            "{equal} events are as they should be, {repaired} were repaired, {} are not",
            differences.len()
        ));
        for one in differences {
            let about = (one.appointment, one.calendar.as_deref(), one.event.as_deref());
            print_difference(one.what.as_str(), about);
        }
        for one in unread {
            print_line(&format!("{} was not read: {}", one.calendar, one_line(&one.reason)));
        }
    }
    if compared.is_proof() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
