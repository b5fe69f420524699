//! English.

use balcao_language::{
    Locale, Period,
    format::{self, list, time},
};
use jiff::civil::{Date, Time};

use super::{Line, Waited};
use crate::{
    results::Appointment,
    state::{GUEST_NAME, OWN_NAME},
};

const EN: Locale = Locale::En;

fn day(date: Date, today: Date) -> String {
    format::day_from(date, today, EN)
}

fn times(times: &[Time]) -> String {
    let said: Vec<String> = times.iter().map(|at| time(*at, EN)).collect();
    list(&said, "and")
}

fn when(what: &Appointment, today: Date) -> String {
    let date = what.date.map(|date| day(date, today));
    let clock = what.time.map(|at| time(at, EN));
    match (date, clock) {
        (Some(date), Some(clock)) => format!("{date} at {clock}"),
        (Some(date), None) => date,
        (None, Some(clock)) => format!("at {clock}"),
        (None, None) => String::new(),
    }
}

/// "Corte with João Batista, Friday, Nov 27 at 15:00".
fn full(what: &Appointment, today: Date) -> String {
    let with = what.professional.as_ref().map(|name| format!(" with {name}")).unwrap_or_default();
    match &what.service {
        Some(service) => format!("{service}{with}, {}", when(what, today)),
        // A calendar tells when its events are, and not what they are.
        None => format!("appointment{with} {}", when(what, today)),
    }
}

fn full_list(all: &[Appointment], today: Date) -> String {
    all.iter().map(|one| format!("- {}", full(one, today))).collect::<Vec<_>>().join("\n")
}

fn periods(periods: &[(Time, Time)]) -> String {
    let said: Vec<String> =
        periods.iter().map(|(opens, closes)| format!("from {} to {}", time(*opens, EN), time(*closes, EN))).collect();
    list(&said, "and")
}

fn hello(name: Option<&str>, organization: &str, alone: bool, moves: bool) -> String {
    let greeting = name.map_or_else(|| "Hi!".to_owned(), |name| format!("Hi, {name}!"));
    if alone {
        let change = if moves { "reschedule" } else { "cancel" };
        format!(
            "{greeting} I am the automatic attendant of {organization}. I can book, {change} or answer questions. How can I help?"
        )
    } else {
        greeting
    }
}

pub(super) fn render_line(line: &Line, today: Date) -> String {
    match line {
        Line::Hello { name, organization, alone, moves } => hello(name.as_deref(), organization, *alone, *moves),
        Line::Welcome => "You are welcome! Just write if you need anything else.".to_owned(),
        Line::Goodbye => "See you! 👋".to_owned(),
        Line::Sorry => {
            "I am sorry about that. Would you like me to call someone from the team to sort it out with you?"
                .to_owned()
        }
        Line::Identity { organization } => format!(
            "I am the automatic attendant of {organization}: a program, not a person. I can check times, book and answer questions, or call someone from the team."
        ),
        Line::NotThat => {
            "I cannot help with that. I can check times and prices, book, or answer questions about our services. What do you need?".to_owned()
        }
        Line::WhatElse => {
            "I did not quite get that. Would you like to book, to change a booking, or to ask something?".to_owned()
        }
        Line::NoHurry => "Of course, no hurry! Just write when you like.".to_owned(),
        Line::LeftAsIs => "All right, I left everything as it was. 👍".to_owned(),
        Line::NoProblem => "No problem! Tell me if another day or time suits you.".to_owned(),
        Line::Services { list } => format!("Our services:\n{}", bullets(list)),
        Line::Price { service, with, price, length } => {
            let with = with.as_ref().map(|name| format!(" with {name}")).unwrap_or_default();
            let price = price.as_ref().map(|price| format!(" costs {price}")).unwrap_or_default();
            let length = length.as_ref().map(|length| format!(" and takes {length}")).unwrap_or_default();
            format!("{service}{with}{price}{length}.")
        }
        Line::Team { date, list } if list.is_empty() => match date {
            Some(date) => format!("I found nobody working {}.", on(*date, today)),
            None => "I cannot find the team list right now.".to_owned(),
        },
        Line::Team { date, list } => match date {
            Some(date) => format!("{} you can see:\n{}", sentence(&on(*date, today)), bullets(list)),
            None => format!("Our team:\n{}", bullets(list)),
        },
        Line::Works { name, date, hours: Some(hours) } => format!("Yes, {name} works {} {hours}.", on(*date, today)),
        Line::Works { name, date, hours: None } => format!("{name} does not work {}.", on(*date, today)),
        Line::Does { name, services } => format!("Yes, {name} does {}.", commas(services, "and")),
        Line::DoesNotDo { name, service } => format!("{name} does not do {service}."),
        Line::Performers { service, list } => format!("{service} is done by {}.", commas(list, "or")),
        Line::Away { name, date } => {
            format!("{} there is no time: {name} does not work that day.", sentence(&on(*date, today)))
        }
        Line::InsteadThatDay { list } => format!("That day you can come to {}.", commas(list, "or")),
        Line::Restriction { name, text } => format!("{name}: {text}."),
        Line::HoursOf { date, periods: open, note } => {
            let note = note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
            if open.is_empty() {
                format!("{} we are closed{note}.", sentence(&on(*date, today)))
            } else {
                format!("{} we are open {}{note}.", sentence(&on(*date, today)), periods(open))
            }
        }
        Line::OpensNext { date, periods: open } => format!("We open again {} {}.", on(*date, today), periods(open)),
        Line::ClosedNow => "We are closed at the moment.".to_owned(),
        Line::WhichHoliday => "That depends on the holiday. Which day do you mean?".to_owned(),
        Line::Yes => "Yes!".to_owned(),
        Line::NotYet => "No, it is not booked yet.".to_owned(),
        Line::HoursList { days } => {
            let row = |(date, open): &(Date, Vec<(Time, Time)>)| {
                let name = format::weekday(date.weekday(), EN);
                if open.is_empty() { format!("{name}: closed") } else { format!("{name}: {}", periods(open)) }
            };
            format!("Our opening hours:\n{}", bullets(&days.iter().map(row).collect::<Vec<_>>()))
        }
        Line::Knowledge { content } => content.clone(),
        Line::NotKnown => {
            "Sorry, I do not have that here. Would you like me to call someone from the team to answer?".to_owned()
        }
        Line::AskService { list } if list.is_empty() => "Which service would you like?".to_owned(),
        Line::AskService { list } => format!("Which service would you like? We have {}.", commas(list, "and")),
        Line::WhichService { list } => format!("Which service: {}?", commas(list, "or")),
        Line::AskDay => "Which day would you like?".to_owned(),
        Line::AskProfessional { date, time: at, list } => format!(
            "{} at {} works with {}. Who would you like?",
            sentence(&day(*date, today)),
            time(*at, EN),
            commas(list, "or")
        ),
        Line::FreeThen { date, time: at, list } => format!(
            "Yes: {} at {}, with {}. Tell me if you want it booked.",
            day(*date, today),
            time(*at, EN),
            commas(list, "or")
        ),
        Line::WhichProfessional { list } if list.len() == 1 => format!("Did you mean {}?", commas(list, "or")),
        Line::WhichProfessional { list } => format!("Who would you like: {}?", commas(list, "or")),
        Line::NoSuchProfessional { said, list } if list.is_empty() => {
            format!("I did not find {said} on the team. Who would you like?")
        }
        Line::NoSuchProfessional { said, list } if list.len() == 1 => {
            format!("I did not find {said} on the team. Did you mean {}?", commas(list, "or"))
        }
        Line::NoSuchProfessional { said, list } => {
            format!("I did not find {said} on the team. Who would you like: {}?", commas(list, "or"))
        }
        Line::Offer { date, free, service } => {
            let service = service.as_ref().map(|name| format!(" for {name}")).unwrap_or_default();
            let when = sentence(&on(*date, today));
            match free.as_slice() {
                [(name, at)] => format!("{when} I have{service} with {name}: {}. Which time do you prefer?", times(at)),
                several => {
                    let rows: Vec<String> = several.iter().map(|(name, at)| format!("{name}: {}", times(at))).collect();
                    format!("{when} I have{service}:\n{}\nWhich time do you prefer?", bullets(&rows))
                }
            }
        }
        Line::OfferDays { days, until } => {
            let until = until.map(|last| format!(" until {}", day(last, today))).unwrap_or_default();
            let rows: Vec<String> = days.iter().map(|(date, at)| format!("{}: {}", day(*date, today), times(at))).collect();
            format!("I have{until}:\n{}\nWhich day and which time do you prefer?", bullets(&rows))
        }
        Line::NoneFree { date, professional, part } => {
            let with = professional.as_ref().map(|name| format!(" with {name}")).unwrap_or_default();
            let part = match part.map(|part| part.period) {
                None => "",
                Some(Some(Period::Morning)) => " in the morning",
                Some(Some(Period::Afternoon)) => " in the afternoon",
                Some(Some(Period::Evening)) => " in the evening",
                Some(Some(Period::Night)) => " at night",
                Some(None) => " in that part of the day",
            };
            format!("{} I have no free time{with}{part}.", sentence(&on(*date, today)))
        }
        Line::NoneInDays { first, last } => {
            format!("I have no free time from {} to {}.", day(*first, today), day(*last, today))
        }
        Line::NextFree { next } => format!("The next free one is {}. Does it suit you, or would you prefer another day?", free_place(next, today)),
        Line::NotFree { date, time: at, professional } => {
            let with = professional.as_ref().map(|name| format!(" with {name}")).unwrap_or_default();
            format!("{} at {}{with} is not free.", sentence(&day(*date, today)), time(*at, EN))
        }
        Line::Nearby { list } => {
            let rows: Vec<String> = list
                .iter()
                .map(|(name, at)| match name {
                    Some(name) => format!("{name}: {}", times(at)),
                    None => times(at),
                })
                .collect();
            match rows.as_slice() {
                [only] => format!("The nearest: {only}. Which time do you prefer?"),
                _ => format!("The nearest:\n{}\nWhich time do you prefer?", bullets(&rows)),
            }
        }
        Line::NearbyDays { list } => {
            let row = |(date, name, at): &(Date, Option<String>, Vec<Time>)| {
                let with = name.as_ref().map(|name| format!(" with {name}")).unwrap_or_default();
                format!("{}{with}: {}", day(*date, today), times(at))
            };
            let rows: Vec<String> = list.iter().map(row).collect();
            format!("The nearest:\n{}\nWhich day and time do you prefer?", bullets(&rows))
        }
        Line::AnotherDay => "Would you like to try another day?".to_owned(),
        Line::Propose { what } => {
            let with = what.professional.as_ref().map(|name| format!(" with {name}")).unwrap_or_default();
            let service = what.service.as_ref().map(|name| format!(" for {name}")).unwrap_or_default();
            format!("I have {}{with}{service}. Shall I book it?", when(what, today))
        }
        Line::Booked { what } => format!("Done, you are booked! {}. See you!", sentence(&full(what, today))),
        Line::PlanNotice { text } => text.clone(),
        Line::SessionBooked { what, price, plan } => {
            let plan = plan.as_ref().map(|plan| format!(" with the plan {plan}"));
            let price = price.as_ref().map(|price| format!(" for {price}")).or(plan).unwrap_or_default();
            let service = what.service.as_ref().map(|name| format!(": {name}{price}")).unwrap_or_default();
            let with = what.professional.as_ref().map(|name| format!(" with {name}")).unwrap_or_default();
            format!("Booked{service}{with}, {}.", when(what, today))
        }
        Line::AnotherIsPossible => "If it is another service, just tell me which.".to_owned(),
        Line::OneMore { what } => format!("You already have {}; this would be one more.", full(what, today)),
        Line::TeamChanges { what } => format!(
            "You already have {}, and it stays booked. Changing or cancelling it is the team's. Would you like me to call someone from the team?",
            full(what, today)
        ),
        Line::Moved { what } => format!("Done, rescheduled: {}.", full(what, today)),
        Line::Cancelled { what } if what.date.is_none() && what.time.is_none() => {
            "Done, your appointment is cancelled. Just write when you want to book again.".to_owned()
        }
        Line::Cancelled { what } => {
            format!("Done, cancelled: {}. Just write when you want to book again.", full(what, today))
        }
        Line::OneByOne => "All right, one at a time.".to_owned(),
        Line::Confirm { summary } => summary.clone(),
        Line::NoAppointments => {
            "I found no upcoming appointment of yours. Would you like to book one?".to_owned()
        }
        Line::NotThatDay { date, list } => {
            format!("{} I found no appointment of yours. What I have is:\n{}\n{}", sentence(&on(*date, today)), full_list(list, today), if list.len() == 1 { "Is it that one?" } else { "Which one?" })
        }
        Line::Appointments { list } => match list.as_slice() {
            [only] => format!("You have {}.", full(only, today)),
            several => format!("You have:\n{}", full_list(several, today)),
        },
        Line::OnlyOwn { asks } => {
            let asks = if *asks { " If it is one of yours, which one?" } else { "" };
            format!("I only see and change what you booked yourself; of other people's times I can tell nothing.{asks}")
        }
        Line::NoHours { name } => format!(
            "{name} has no working hours set yet, so I cannot book it here. Shall I call someone from the team?"
        ),
        Line::Which { list } => format!("You have more than one:\n{}\nWhich one?", full_list(list, today)),
        Line::LastVisit { what } => format!("Your last visit: {}.", full(what, today)),
        Line::AskNewTime { what } => format!("Your appointment is {}. Which day and time would you like instead?", full(what, today)),
        Line::Refused { message: Some(message) } => message.clone(),
        Line::Refused { message: None } => {
            "I could not do that here. Would you like me to call someone from the team?".to_owned()
        }
        Line::WeekdayMismatch { date, said } => format!(
            "Just to be sure: {} is a {}, not a {}. Which day do you want?",
            format::short_date(*date, EN),
            format::weekday(date.weekday(), EN),
            format::weekday(*said, EN)
        ),
        Line::WhichDay { days, time: at } => {
            let mut of: Vec<String> = days.iter().map(|day| format::dated(*day, today, EN)).collect();
            of.extend(at.map(|at| format!("the time {}", time(at, EN))));
            format!("Just to be sure, which day do you want: {}?", format::list(&of, "or"))
        }
        Line::DatePassed { date } => {
            format!("{} is over. Which day would you like?", format::short_date_from(*date, today, EN))
        }
        Line::ImpossibleDate { written } => format!("I cannot find {written} in the calendar. Which day do you want?"),
        Line::ImpossibleTime { written } => format!("There is no {written} on the clock. What time would you like?"),
        Line::WhichTime { times } if times.is_empty() => "Which day and which time would you prefer?".to_owned(),
        Line::WhichTime { times: at } => {
            let at: Vec<String> = at.iter().map(|at| time(*at, EN)).collect();
            format!("Which time: {}?", list(&at, "or"))
        }
        Line::HaveAlready { what } => format!("You have that one already: {}.", full(what, today)),
        Line::Subscribed { plans, due } => {
            let due = due.map(|due| format!(" and is due on {}", format::short_date(due, EN))).unwrap_or_default();
            match plans.as_slice() {
                [] => format!("Your subscription is active{due}."),
                names => format!("Your plan {} is active{due}.", commas(names, "and")),
            }
        }
        Line::NotSubscribed { message: Some(message) } => message.clone(),
        Line::NotSubscribed { message: None } => "I found no active subscription for you.".to_owned(),
        Line::Plans { list } => format!("Our plans:\n{}", bullets(list)),
        Line::NoPlans => "We have no subscription plans at the moment.".to_owned(),
        Line::Address { address } => format!("We are at {address}."),
        Line::For { name } => format!("For {name}, then."),
        Line::OnlyDoes { name, list } => format!("With {name} I can book {}. Which service would you like?", commas(list, "or")),
        Line::OnlyWith { said, list } => format!("I cannot book {said} here: only {}.", commas(list, "or")),
        Line::CannotChoose { name } => format!(
            "I cannot promise {name} here. If anybody will do, say \"with anyone\". Would you like me to call someone from the team?"
        ),
        Line::AskName { guest } => (if *guest { GUEST_NAME } else { OWN_NAME })[1].to_owned(),
        Line::Transferred => "I have called someone from the team. They will answer you here shortly.".to_owned(),
        Line::Waitlisted { wanted } => {
            format!("Done, you are on the waiting list{}. We will tell you here if a slot opens.", waited(wanted, today))
        }
        Line::ReminderSet { minutes: Some(minutes) } => format!("All right, I will remind you {} before.", length(*minutes)),
        Line::ReminderSet { minutes: None } => "All right, I will send you a reminder before the appointment.".to_owned(),
        Line::ReminderLater => "I can plan a reminder once the appointment is booked: ask me again then.".to_owned(),
        Line::NoReminder => "All right, no reminder then.".to_owned(),
        Line::ReminderStays => {
            "That reminder I cannot drop myself. Shall I call someone from the team?".to_owned()
        }
        Line::FollowUpSet => "All right, I will write to you here.".to_owned(),
        Line::NameKept { name } => format!("Nice to meet you, {name}!"),
        Line::CannotNow => {
            "Sorry, I cannot look that up right now. Would you like me to call someone from the team?".to_owned()
        }
        Line::OneAtATime { first, rest } => {
            format!("One at a time: {first} first, then {}.", list(rest, "and"))
        }
        Line::NextOf { wish, settled: true } => format!("Now {wish}: which time would you like?"),
        Line::NextOf { wish, settled: false } => format!("Now {wish}: which service, and at what time?"),
        Line::With { name } => format!("With {name}, then."),
        Line::NotOffered { said } => format!("We do not have \"{said}\" on our list."),
        Line::EmailKept { email } => format!("Noted: {email}."),
        Line::Noted => "Noted! I left it for the team.".to_owned(),
        Line::OnFile { list } if list.is_empty() => "We have nothing on file about you yet.".to_owned(),
        Line::OnFile { list: known } => format!("We have on file: {}.", list(known, "and")),
        Line::NoFollowUp => "All right, I will not write. Just text when you like.".to_owned(),
        Line::MayCancel { what } => format!("Shall I cancel {}?", full(what, today)),
        Line::MayMove { what, to } => format!("Shall I move {} to {}?", full(what, today), when(to, today)),
        Line::MoreHelp => "Can I help you with anything else?".to_owned(),
    }
}

fn waited(wanted: &Waited, today: Date) -> String {
    let service = wanted.service.as_ref().map(|name| format!(" for {name}")).unwrap_or_default();
    let with = wanted.professional.as_ref().map(|name| format!(" with {name}")).unwrap_or_default();
    let period = match wanted.period {
        Some(Period::Morning) => ", in the morning",
        Some(Period::Afternoon) => ", in the afternoon",
        Some(Period::Evening | Period::Night) => ", in the evening",
        None => "",
    };
    format!("{service}{with}, {}{period}", day(wanted.date, today))
}

fn on(date: Date, today: Date) -> String {
    if date == today || today.tomorrow().ok() == Some(date) {
        return day(date, today);
    }
    format!("on {}", day(date, today))
}

fn free_place(next: &Appointment, today: Date) -> String {
    let with = next.professional.as_ref().map(|name| format!(" with {name}")).unwrap_or_default();
    format!("{}{with}", when(next, today))
}

fn length(minutes: u32) -> String {
    match minutes {
        1440 => "1 day".to_owned(),
        60 => "1 hour".to_owned(),
        whole if whole >= 1440 && whole.is_multiple_of(1440) => format!("{} days", whole / 1440),
        whole if whole >= 60 && whole.is_multiple_of(60) => format!("{} hours", whole / 60),
        other => format!("{other} minutes"),
    }
}

fn bullets(rows: &[String]) -> String {
    rows.iter().map(|row| format!("- {row}")).collect::<Vec<_>>().join("\n")
}

fn commas(items: &[String], last: &str) -> String {
    list(items, last)
}

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
