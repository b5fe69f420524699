//! `balcao appointments conflicts`, `ways-out` and `resolve`: bookings outside of working time.

use balcao_app::UseCaseError;
use balcao_app::messaging::outbound::reach::Reach;
use balcao_app::scheduling::ways_out::{ResolveRefusal, Way, WayOut, WaysOut};
use balcao_domain::conflict::ConflictReason;
use balcao_domain::{AppointmentId, OrganizationId};
use jiff::civil::DateTime;
use serde::Serialize;

use super::appointment;
use crate::commands::acting_staff::ActingStaff;
use crate::commands::local_time::local_time;
use crate::commands::reach::carried;
use crate::output::{Failure, error_chain, one_line, print_line};

/// Conflicts that one call lists at most.
const LISTED: usize = 200;

/// The way out that a person chose.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("way").required(true).args(["move_to", "cancel", "keep"]))]
pub(super) struct ResolveArgs {
    /// The appointment, by its id in `conflicts`.
    #[arg(value_parser = appointment)]
    id: AppointmentId,
    /// Moves it to this local time, such as 2026-11-27T10:00.
    #[arg(long, value_name = "TIME", value_parser = local_time)]
    move_to: Option<DateTime>,
    /// The name of the professional at the new time; default: the same professional.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["cancel", "keep"])]
    professional: Option<String>,
    /// Cancels it.
    #[arg(long)]
    cancel: bool,
    /// Keeps it: the professional works all the same.
    #[arg(long)]
    keep: bool,
    /// Writes to the customer that the booking stays; without it, the customer gets a message only about a move or a cancellation.
    #[arg(long, conflicts_with = "silent")]
    notify: bool,
    /// Sends the customer no message.
    #[arg(long)]
    silent: bool,
    #[command(flatten)]
    me: ActingStaff,
}

impl ResolveArgs {
    fn way(&self) -> Way {
        match self.move_to {
            Some(to) => Way::Move {
                date: to.date(),
                start_min: u16::try_from(i32::from(to.hour()) * 60 + i32::from(to.minute())).unwrap_or_default(),
                professional: self.professional.clone(),
            },
            None if self.cancel => Way::Cancel,
            None => Way::Keep,
        }
    }
}

/// Prints the conflicts.
pub(super) async fn list(ways: &WaysOut, organization: OrganizationId, json: bool) -> Result<(), Failure> {
    let found = ways.conflicts(organization, LISTED).await;
    let found = found.map_err(|error| Failure::operation(error_chain(&error)))?;
    if json {
        print_json(&found);
        return Ok(());
    }
    if found.items.is_empty() {
        print_line("no booking lies in a time off, a holiday or closed hours");
    }
    for one in &found.items {
        let who = one.contact_name.as_deref().map_or_else(|| one.contact.to_string(), one_line);
        let view = &one.appointment;
        let (service, professional) = (one_line(&view.service), one_line(&view.professional));
        let (id, date, start, why) = (view.id, view.date, &view.start, in_words(one.reason));
        print_line(&format!("{id}  {date} {start}  {who}  {service}  {professional}  {why}"));
    }
    if found.more > 0 {
        print_line(&format!("and {} more", found.more));
    }
    Ok(())
}

/// Prints the ways out of one booking.
pub(super) async fn show(
    ways: &WaysOut,
    organization: OrganizationId,
    id: AppointmentId,
    json: bool,
) -> Result<(), Failure> {
    let found = answered(ways.find(organization, id).await)?;
    if json {
        print_json(&found);
        return Ok(());
    }
    let view = &found.appointment;
    let (service, professional) = (one_line(&view.service), one_line(&view.professional));
    let why = match found.reason {
        Some(reason) if found.is_kept => format!("{}; it is kept", in_words(reason)),
        Some(reason) => in_words(reason).to_owned(),
        None => "it lies in working time".to_owned(),
    };
    print_line(&format!("{id}  {} {}  {service}  {professional}  {why}", view.date, view.start));
    for way in &found.ways {
        let untold = if matches!(way.reach, Reach::Nothing { .. }) { "the customer is not told, " } else { "" };
        let line = command(id, view.professional.as_str(), way);
        print_line(&format!("  {line}  ({untold}{})", carried(&way.reach)));
        print_line(&format!("      {}", one_line(&way.text)));
    }
    Ok(())
}

/// The options of `resolve` that take a way.
fn command(id: AppointmentId, professional: &str, way: &WayOut) -> String {
    match &way.to {
        Some(to) => {
            let with = if to.professional == professional {
                String::new()
            } else {
                format!(" --professional '{}'", one_line(&to.professional))
            };
            format!("resolve {id} --move-to {}T{}{with}", to.date, to.start)
        }
        None if way.way == "keep" => format!("resolve {id} --keep --notify"),
        None => format!("resolve {id} --{}", way.way),
    }
}

/// Takes a way out, and prints what became of it.
pub(super) async fn resolve(
    ways: &WaysOut,
    organization: OrganizationId,
    choice: ResolveArgs,
    json: bool,
) -> Result<(), Failure> {
    let (id, way) = (choice.id, choice.way());
    let notify = match (choice.notify, choice.silent) {
        (true, _) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    };
    let done = answered(ways.resolve(organization, id, way.clone(), notify, choice.me.actor()).await)?;
    if json {
        print_json(&done);
        return Ok(());
    }
    let now = &done.appointment;
    let what = match way {
        Way::Move { .. } => {
            format!("{id} is now {}: {} {} with {}", now.id, now.date, now.start, one_line(&now.professional))
        }
        Way::Cancel => format!("{id} is cancelled"),
        Way::Keep => format!("{id} is kept"),
    };
    print_line(&if done.changed { what } else { format!("{what}; it was so before, and nothing changed") });
    match done.notice {
        Some(notice) if matches!(notice.reach, Reach::Nothing { .. }) => {
            print_line(&format!(
                "the customer is not told, {}; tell them yourself: {}",
                carried(&notice.reach),
                one_line(&notice.text)
            ));
        }
        Some(notice) => {
            print_line(&format!("the customer is told, {}: {}", carried(&notice.reach), one_line(&notice.text)));
        }
        None => {}
    }
    Ok(())
}

const fn in_words(reason: ConflictReason) -> &'static str {
    match reason {
        ConflictReason::TimeOff => "the professional has time off",
        ConflictReason::BusinessClosed => "the business is closed",
        ConflictReason::NotWorking => "the professional does not work then",
    }
}

fn print_json(value: &impl Serialize) {
    print_line(&serde_json::to_string(value).unwrap_or_default());
}

fn answered<T>(answer: Result<Result<T, ResolveRefusal>, UseCaseError>) -> Result<T, Failure> {
    answer.map_err(|error| Failure::operation(error_chain(&error)))?.map_err(Failure::operation)
}
