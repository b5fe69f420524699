//! `balcao appointments`: the appointments of a day, and how visits ended.

mod ways_out;

use std::process::ExitCode;

use balcao_app::UseCaseError;
use balcao_app::scheduling::appointments::{AppointmentFilter, AppointmentRecord, Appointments};
use balcao_app::scheduling::reminders::{ReminderRecord, Reminders};
use balcao_app::scheduling::visits::{VisitRefusal, VisitView, Visits};
use balcao_domain::appointment::visit::VisitEnd;
use balcao_domain::{AppointmentId, OrganizationId};
use jiff::civil::Date;
use serde_json::json;

use super::acting_staff::{ActingStaff, read_id};
use crate::{
    config::Config,
    output::{Failure, error_chain, one_line, print_line},
    wire,
};

/// Appointments of one look at the database.
const PAGE: u32 = 100;

/// Options of `balcao appointments`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    balcao appointments list --unmarked\n  \
    balcao appointments reminders\n  \
    balcao appointments conflicts\n  \
    balcao appointments resolve apt_31 --move-to 2026-11-27T10:00\n  \
    balcao appointments mark apt_31 no-show --as davi@figueira.example\n  \
    balcao appointments complete-day 2026-11-24 --as davi@figueira.example")]
pub(crate) struct Args {
    /// JSON instead of text.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Lists the appointments of one or more days, also cancelled ones.
    List {
        /// The first local date; default: today.
        #[arg(long, value_name = "DATE")]
        from: Option<Date>,
        /// The last local date; default: the date of `--from`.
        #[arg(long, value_name = "DATE")]
        to: Option<Date>,
        /// Only ended visits without a mark; without dates, those of the last thirty days.
        #[arg(long)]
        unmarked: bool,
    },
    /// Lists planned reminders in order of time.
    Reminders,
    /// Lists future bookings in a time off, a holiday or closed hours, except those that staff keep.
    Conflicts,
    /// Lists the ways to resolve a booking, each with the message to the customer.
    WaysOut {
        /// The appointment, by its id in `conflicts`.
        #[arg(value_parser = appointment)]
        id: AppointmentId,
    },
    /// Moves, cancels or keeps a booking, and writes to the customer.
    Resolve(ways_out::ResolveArgs),
    /// Marks the outcome of a visit that has started.
    Mark {
        /// The appointment, by its id in `list`.
        #[arg(value_parser = appointment)]
        id: AppointmentId,
        /// The outcome.
        end: End,
        #[command(flatten)]
        me: ActingStaff,
    },
    /// Undoes the mark of a visit, within 24 hours.
    Undo {
        /// The appointment, by its id in `list`.
        #[arg(value_parser = appointment)]
        id: AppointmentId,
        #[command(flatten)]
        me: ActingStaff,
    },
    /// Marks all ended visits of a day without a mark as completed.
    CompleteDay {
        /// The local date.
        date: Date,
        #[command(flatten)]
        me: ActingStaff,
    },
}

/// How a visit ended.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum End {
    /// It took place.
    Completed,
    /// The customer did not come.
    NoShow,
    /// The customer cancelled, and the cancellation was entered after the start.
    Cancelled,
}

/// An appointment's id, with its prefix or without.
fn appointment(text: &str) -> Result<AppointmentId, String> {
    read_id("appointment", text, "as in `balcao appointments list`: `apt_31`")
}

/// Runs the command.
pub(crate) async fn run(args: Args, config: &Config) -> Result<ExitCode, Failure> {
    let (app, organization, _) = wire::configured(config, None).await?;
    let visits = Visits::new(app.clone());
    match args.action {
        Action::List { from, to, unmarked } => {
            if let (Some(from), Some(to)) = (from, to)
                && to < from
            {
                return Err(Failure::usage(format!("invalid `--to` {to}; expected {from} or a later day")));
            }
            let (appointments, filter) = (Appointments::new(app), AppointmentFilter { from, to, unmarked });
            let mut after = None;
            let mut shown = Vec::new();
            loop {
                let page = appointments.page(organization, filter, after, PAGE).await;
                let page = page.map_err(|error| Failure::operation(error_chain(&error)))?;
                shown.extend(page.items);
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
            list(&shown, unmarked, args.json);
        }
        Action::Conflicts => ways_out::list(&wire::ways_out(app, config)?, organization, args.json).await?,
        Action::WaysOut { id } => ways_out::show(&wire::ways_out(app, config)?, organization, id, args.json).await?,
        Action::Resolve(choice) => {
            ways_out::resolve(&wire::ways_out(app, config)?, organization, choice, args.json).await?;
        }
        Action::Reminders => reminders(&Reminders::new(app), organization, args.json).await?,
        Action::Mark { id, end, me } => {
            let end = match end {
                End::Completed => VisitEnd::Completed,
                End::NoShow => VisitEnd::NoShow,
                End::Cancelled => VisitEnd::Cancelled,
            };
            let visit = answered(visits.mark_visit(organization, id, end, me.actor()).await)?;
            let by = visit.marked_by.as_deref().unwrap_or("nobody");
            let text = if visit.changed {
                format!("{id} is marked as {end}; `balcao appointments undo {id}` undoes that mark for 24 hours")
            } else {
                format!("{id} was marked as {end} before, by {}; nothing changed", one_line(by))
            };
            done(&visit, &text, args.json);
        }
        Action::Undo { id, me } => {
            let visit = answered(visits.undo_visit_mark(organization, id, me.actor()).await)?;
            done(&visit, &format!("the mark of {id} is undone; it is {} again", visit.appointment.status), args.json);
        }
        Action::CompleteDay { date, me } => {
            let completed = answered(visits.complete_day(organization, date, me.actor()).await)?;
            print_line(&if args.json {
                json!({ "date": date, "completed": completed }).to_string()
            } else {
                format!("{completed} visits of {date} are marked as completed")
            });
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the planned reminders, page by page.
async fn reminders(reminders: &Reminders, organization: OrganizationId, json: bool) -> Result<(), Failure> {
    let (mut after, mut all) = (None, Vec::new());
    loop {
        let page = reminders.page(organization, after, PAGE).await;
        let page = page.map_err(|error| Failure::operation(error_chain(&error)))?;
        all.extend(page.items);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    if json {
        let row = |one: &ReminderRecord| {
            let ReminderRecord { reminder, remind_at_local, appointment, contact, is_unreachable } = one;
            let (minutes, origin) = (reminder.planned.minutes_before, reminder.origin);
            json!({ "reminder": reminder.id, "remind_at": remind_at_local, "minutes_before": minutes, "origin": origin,
                    "appointment": appointment, "contact": contact, "unreachable": is_unreachable })
        };
        print_line(&all.iter().map(row).collect::<serde_json::Value>().to_string());
    } else if all.is_empty() {
        print_line("no planned reminders");
    } else {
        all.iter().for_each(|one| print_line(&reminder_line(one)));
    }
    Ok(())
}

/// "2026-11-24 14:00  60 minutes before apt_31  2026-11-24 15:00  con_12  Corte  Davi Lopes  automatic"
fn reminder_line(one: &ReminderRecord) -> String {
    let ReminderRecord { reminder, remind_at_local, appointment, contact, is_unreachable } = one;
    let (at, minutes) = (remind_at_local.replace('T', " "), reminder.planned.minutes_before);
    let (service, professional) = (one_line(&appointment.service), one_line(&appointment.professional));
    let (id, date, start, origin) = (appointment.id, appointment.date, &appointment.start, reminder.origin.as_str());
    let who = if *is_unreachable { "  no phone and no conversation: remind them yourself" } else { "" };
    format!("{at}  {minutes} minutes before {id}  {date} {start}  {contact}  {service}  {professional}  {origin}{who}")
}

fn answered<T>(answer: Result<Result<T, VisitRefusal>, UseCaseError>) -> Result<T, Failure> {
    answer.map_err(|error| Failure::operation(error_chain(&error)))?.map_err(Failure::operation)
}

fn done(visit: &VisitView, text: &str, json: bool) {
    print_line(&if json { serde_json::to_string(visit).unwrap_or_default() } else { text.to_owned() });
}

fn list(all: &[AppointmentRecord], unmarked: bool, json: bool) {
    if json {
        let rows = all
            .iter()
            .map(|one| json!({ "appointment": one.view, "contact": one.contact, "contact_name": one.contact_name }));
        print_line(&rows.collect::<serde_json::Value>().to_string());
    } else if all.is_empty() {
        print_line(if unmarked { "every visit of the last thirty days has a mark" } else { "no appointments" });
    } else {
        all.iter().for_each(|one| print_line(&line(one)));
    }
}

/// "apt_31  2026-11-24 10:00  Ana Reis  Corte  Davi Lopes  completed by davi@figueira.example"
fn line(one: &AppointmentRecord) -> String {
    let AppointmentRecord { view, contact, contact_name, .. } = one;
    let who = contact_name.as_deref().map_or_else(|| contact.to_string(), one_line);
    let (service, professional) = (one_line(&view.service), one_line(&view.professional));
    let by = view.mark.as_ref().map_or_else(String::new, |mark| format!(" by {}", one_line(mark.by.name())));
    let (id, date, start, status) = (view.id, view.date, &view.start, view.standing());
    format!("{id}  {date} {start}  {who}  {service}  {professional}  {status}{by}")
}
