//! What people did in external calendars: listed, shown with the ways out, and resolved.

use balcao_app::UseCaseError;
use balcao_app::messaging::outbound::reach::Reach;
use balcao_app::scheduling::calendar_conflicts::{
    BookingEffect, CalendarConflict, CalendarConflicts, ConflictChoice, ConflictRefusal, ConflictWay,
};
use balcao_app::scheduling::ways_out::ChangeNotice;
use balcao_domain::OrganizationId;
use balcao_domain::hours::format_minute;
use jiff::civil::DateTime;
use serde::Serialize;

use crate::commands::acting_staff::ActingStaff;
use crate::commands::local_time::local_time;
use crate::commands::reach::carried;
use crate::output::{Failure, error_chain, one_line, print_line};

/// Conflicts of one page.
const PAGE: u32 = 200;
/// Instances of a series that a line shows.
const SHOWN: usize = 5;

/// Options of `balcao calendar resolve`.
#[derive(Debug, clap::Args)]
#[group(id = "choice", required = true, multiple = false)]
pub(super) struct ResolveArgs {
    /// The conflict, by its number in `conflicts`.
    id: i64,
    /// Accepts the change: a deleted event cancels its booking, a moved event moves it, and any other change keeps it. If the booking
    /// already followed a move, the customer gets the message.
    #[arg(long, group = "choice")]
    take: bool,
    /// Restores our event; after a move, also the booking.
    #[arg(long, group = "choice")]
    restore: bool,
    /// Cancels the booking; the customer gets the message.
    #[arg(long, group = "choice")]
    cancel: bool,
    /// Moves the customer to this local time, such as 2026-11-27T10:00.
    #[arg(long, value_name = "TIME", group = "choice", value_parser = local_time)]
    move_to: Option<DateTime>,
    /// The professional at the new time; default: the same professional.
    #[arg(long, value_name = "NAME", requires = "move_to")]
    with: Option<String>,
    /// Sends the customer no message.
    #[arg(long)]
    silent: bool,
    #[command(flatten)]
    me: ActingStaff,
}

impl ResolveArgs {
    fn choice(&self) -> ConflictChoice {
        match self.move_to {
            Some(at) => ConflictChoice::Move {
                date: at.date(),
                start_min: u16::try_from(i32::from(at.hour()) * 60 + i32::from(at.minute())).unwrap_or_default(),
                professional: self.with.clone(),
            },
            None if self.take => ConflictChoice::TakeOutside,
            None if self.cancel => ConflictChoice::Cancel,
            None => ConflictChoice::Restore,
        }
    }
}

/// Prints the open conflicts.
pub(super) async fn list(all: &CalendarConflicts, id: OrganizationId, json: bool) -> Result<(), Failure> {
    let (mut after, mut found) = (None, Vec::new());
    loop {
        let page = all.page(id, after, PAGE).await.map_err(|error| Failure::operation(error_chain(&error)))?;
        found.extend(page.items);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    if json {
        print_json(&found);
    } else if found.is_empty() {
        print_line("no conflicts with calendars");
    } else {
        found.iter().for_each(|one| print_line(&line(one)));
    }
    Ok(())
}

/// Prints the ways that can be taken, each with its command, and with the message to the customer and its price.
pub(super) async fn show(all: &CalendarConflicts, id: OrganizationId, number: i64, json: bool) -> Result<(), Failure> {
    let found = answered(all.find(id, number).await)?;
    if json {
        print_json(&found);
        return Ok(());
    }
    print_line(&line(&found.conflict));
    for way in &found.ways {
        let told = match &way.notice {
            Some(ChangeNotice { reach: Reach::Nothing { .. }, .. }) => "the customer is not told, ",
            Some(_) => "the customer reads it ",
            None => "the customer reads nothing",
        };
        let price = way.notice.as_ref().map(|notice| carried(&notice.reach)).unwrap_or_default();
        let (command, effect) = (command(number, &way.choice), in_words(way));
        print_line(&format!("  {command}  ({effect}; {told}{price})"));
        if let Some(notice) = &way.notice {
            print_line(&format!("      {}", one_line(&notice.text)));
        }
    }
    Ok(())
}

/// The options of `resolve` that take a way.
fn command(number: i64, choice: &ConflictChoice) -> String {
    match choice {
        ConflictChoice::TakeOutside => format!("resolve {number} --take"),
        ConflictChoice::Restore => format!("resolve {number} --restore"),
        ConflictChoice::Cancel => format!("resolve {number} --cancel"),
        ConflictChoice::Move { date, start_min, professional } => {
            let with = professional.as_ref().map(|name| format!(" --with '{}'", one_line(name))).unwrap_or_default();
            format!("resolve {number} --move-to {date}T{}{with}", format_minute(*start_min))
        }
    }
}

fn in_words(way: &ConflictWay) -> String {
    match way.effect {
        BookingEffect::Stays => "the booking stays".to_owned(),
        BookingEffect::Moves => {
            let to = &way.appointment;
            format!("the booking moves to {} {} with {}", to.date, to.start, one_line(&to.professional))
        }
        BookingEffect::Ends => "the booking is cancelled".to_owned(),
    }
}

/// Resolves a conflict, and prints what became of it.
pub(super) async fn resolve(
    all: &CalendarConflicts,
    id: OrganizationId,
    args: ResolveArgs,
    json: bool,
) -> Result<(), Failure> {
    let (number, choice) = (args.id, args.choice());
    let resolved = answered(all.resolve(id, number, choice, !args.silent, args.me.actor()).await)?;
    if json {
        print_json(&resolved);
        return Ok(());
    }
    print_line(&format!("conflict {number} is resolved"));
    if let Some(booking) = &resolved.booking {
        let one = &booking.appointment;
        print_line(&format!("{} {} {} {} {}", one.id, one.date, one.start, one.professional, one.status));
        if let Some(notice) = &booking.notice {
            print_line(&format!("customer, {}: {}", carried(&notice.reach), one_line(&notice.text)));
        }
    }
    Ok(())
}

fn line(one: &CalendarConflict) -> String {
    let who = one.contact_name.as_deref().unwrap_or("no name");
    let event = match &one.known {
        Some(known) => Some(format!(", the customer knows {} {}", known.date, known.start)),
        None => one.event_from.map(|from| format!(", the event is at {from}")),
    };
    let times: Vec<String> = one.instances.iter().take(SHOWN).map(|time| time.from.to_string()).collect();
    let series = match one.instances.len() {
        0 => String::new(),
        count => format!(", {count} times of a series: {}{}", times.join(", "), if count > SHOWN { ", …" } else { "" }),
    };
    let booking = &one.appointment;
    format!(
        "{}  {}  {} {} {} with {} ({who}){}{series}",
        one.id,
        one.kind.as_str(),
        booking.id,
        booking.date,
        booking.start,
        booking.professional,
        event.unwrap_or_default()
    )
}

fn print_json(value: &impl Serialize) {
    print_line(&serde_json::to_string(value).unwrap_or_default());
}

fn answered<T>(answer: Result<Result<T, ConflictRefusal>, UseCaseError>) -> Result<T, Failure> {
    answer.map_err(|error| Failure::operation(error_chain(&error)))?.map_err(Failure::operation)
}
