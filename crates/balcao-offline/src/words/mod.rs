//! Texts of the offline model: the policy decides each [`Line`], and each language words it.

mod en;
mod pt;

use balcao_language::{Locale, Period, TimeWindow};
use jiff::civil::{Date, Time};

use crate::results::Appointment;

/// A place on the waiting list.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Waited {
    /// The day.
    pub(crate) date: Date,
    /// The part of the day, if one was named.
    pub(crate) period: Option<Period>,
    /// The professional, if the customer named one.
    pub(crate) professional: Option<String>,
    /// For what, if something was named.
    pub(crate) service: Option<String>,
}

/// One thing to say. Holds nothing but what tools returned, what the customer said, and the turn's facts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Line {
    /// A greeting by first name, alone or before something else; `moves` if appointments can be moved here, not only cancelled.
    Hello { name: Option<String>, organization: String, alone: bool, moves: bool },
    /// After thanks.
    Welcome,
    /// After a goodbye.
    Goodbye,
    /// To anger; offers a person.
    Sorry,
    /// What we are.
    Identity { organization: String },
    /// To attempts to steer the program.
    NotThat,
    /// Nothing was understood.
    WhatElse,
    /// The customer will think about it.
    NoHurry,
    /// A change or proposal was declined.
    LeftAsIs,
    /// A proposal was declined.
    NoProblem,
    /// The services, with price and length as worded parts.
    Services { list: Vec<String> },
    /// A service's price, in general or with one professional.
    Price { service: String, with: Option<String>, price: Option<String>, length: Option<String> },
    /// The team.
    Team { date: Option<Date>, list: Vec<String> },
    /// Whether one person works that day.
    Works { name: String, date: Date, hours: Option<String> },
    /// A professional does these services.
    Does { name: String, services: Vec<String> },
    /// A professional does not do that service.
    DoesNotDo { name: String, service: String },
    /// Who does a service.
    Performers { service: String, list: Vec<String> },
    /// A professional does not work on the day that was wanted.
    Away { name: String, date: Date },
    /// Who works that day instead.
    InsteadThatDay { list: Vec<String> },
    /// A professional's restrictions, in the business's words.
    Restriction { name: String, text: String },
    /// Opening hours of one day.
    HoursOf { date: Date, periods: Vec<(Time, Time)>, note: Option<String> },
    /// The next day that is open after a closed one.
    OpensNext { date: Date, periods: Vec<(Time, Time)> },
    /// Not open at this moment.
    ClosedNow,
    /// Holidays differ: which one?
    WhichHoliday,
    /// Yes, before what is so.
    Yes,
    /// What was proposed is not booked.
    NotYet,
    /// Opening hours of several days.
    HoursList { days: Vec<(Date, Vec<(Time, Time)>)> },
    /// Content of the knowledge base.
    Knowledge { content: String },
    /// The knowledge base has nothing; offers a person.
    NotKnown,
    /// Which service.
    AskService { list: Vec<String> },
    /// Which of these services.
    WhichService { list: Vec<String> },
    /// Which day.
    AskDay,
    /// Asks which of the professionals who are free then the customer wants.
    AskProfessional { date: Date, time: Time, list: Vec<String> },
    /// Lists the professionals who are free then. It asks no question, because the customer only wanted to know.
    FreeThen { date: Date, time: Time, list: Vec<String> },
    /// Which of these people.
    WhichProfessional { list: Vec<String> },
    /// No such person.
    NoSuchProfessional { said: String, list: Vec<String> },
    /// Free times of one day by professional, cut to a few; asks which.
    Offer { date: Date, free: Vec<(String, Vec<Time>)>, service: Option<String> },
    /// Free times of several days, looked at up to a day before the last one wanted; asks which.
    OfferDays { days: Vec<(Date, Vec<Time>)>, until: Option<Date> },
    /// No free time that day, or in the part of it that was wanted.
    NoneFree { date: Date, professional: Option<String>, part: Option<TimeWindow> },
    /// None in those days.
    NoneInDays { first: Date, last: Date },
    /// The next opening.
    NextFree { next: Appointment },
    /// The wanted time is not free.
    NotFree { date: Date, time: Time, professional: Option<String> },
    /// Times near the wanted one; asks which.
    Nearby { list: Vec<(Option<String>, Vec<Time>)> },
    /// Times near the wanted one, some of them on other days; asks which.
    NearbyDays { list: Vec<(Date, Option<String>, Vec<Time>)> },
    /// Nothing near: another day?
    AnotherDay,
    /// A booking to agree to.
    Propose { what: Appointment },
    /// A booking that is done.
    Booked { what: Appointment },
    /// Why a plan does not pay for what is booked, in the words of the tool.
    PlanNotice { text: String },
    /// A session that is booked, at its price or by a plan.
    SessionBooked { what: Appointment, price: Option<String>, plan: Option<String> },
    /// What is booked already stays, where one more is proposed.
    OneMore { what: Appointment },
    /// Nothing was asked for: what is proposed is the usual, and another service may be asked for.
    AnotherIsPossible,
    /// What is booked is changed by the team alone; offers a person.
    TeamChanges { what: Appointment },
    /// A move that is done.
    Moved { what: Appointment },
    /// A cancellation that is done.
    Cancelled { what: Appointment },
    /// A held call to agree to, in the tool's words.
    Confirm { summary: String },
    /// Several things will be done, each after its own agreement.
    OneByOne,
    /// The contact has no appointment.
    NoAppointments,
    /// Not on that day.
    NotThatDay { date: Date, list: Vec<Appointment> },
    /// The contact's appointments.
    Appointments { list: Vec<Appointment> },
    /// Says that the agent neither shows nor changes appointments of other people; if `asks`, asks which of their own they mean.
    OnlyOwn { asks: bool },
    /// A professional has no working hours; offers a person.
    NoHours { name: String },
    /// Which appointment.
    Which { list: Vec<Appointment> },
    /// The past visits.
    LastVisit { what: Appointment },
    /// When to move to.
    AskNewTime { what: Appointment },
    /// A tool refused, in its own words.
    Refused { message: Option<String> },
    /// The day's weekday contradicts its date.
    WeekdayMismatch { date: Date, said: jiff::civil::Weekday },
    /// Which of several days that may be meant; or whether it is the time that was offered.
    WhichDay { days: Vec<Date>, time: Option<Time> },
    /// A date that is over this year.
    DatePassed { date: Date },
    /// A date that no calendar has.
    ImpossibleDate { written: String },
    /// A time that no clock has.
    ImpossibleTime { written: String },
    /// Which of the times that were offered; without them, which day and time.
    WhichTime { times: Vec<Time> },
    /// What is wanted is what the customer has.
    HaveAlready { what: Appointment },
    /// The subscription.
    Subscribed { plans: Vec<String>, due: Option<Date> },
    /// No active subscription.
    NotSubscribed { message: Option<String> },
    /// The plans on sale.
    Plans { list: Vec<String> },
    /// No plans on sale.
    NoPlans,
    /// Where the business is.
    Address { address: String },
    /// Repeats the name of the person that the appointment is for.
    For { name: String },
    /// A professional does these services, and which is wanted?
    OnlyDoes { name: String, list: Vec<String> },
    /// Says that only these professionals can be booked here.
    OnlyWith { said: String, list: Vec<String> },
    /// Says that the customer cannot choose a professional here; offers a person, or any professional who is free.
    CannotChoose { name: String },
    /// Asks for the writer's name, or for the guest's name.
    AskName { guest: bool },
    /// A person has been called.
    Transferred,
    /// On the waiting list.
    Waitlisted { wanted: Waited },
    /// The reminder is set.
    ReminderSet { minutes: Option<u32> },
    /// A reminder can be planned once the appointment is booked.
    ReminderLater,
    /// No reminder will be planned.
    NoReminder,
    /// A planned reminder that only a person can drop; offers one.
    ReminderStays,
    /// A follow-up is planned.
    FollowUpSet,
    /// The contact's name has been changed.
    NameKept { name: String },
    /// Something cannot be done now; offers a person.
    CannotNow,
    /// The first of several services, and those that come after it.
    OneAtATime { first: String, rest: Vec<String> },
    /// What is still to be booked: when, if the service is settled, else which service?
    NextOf { wish: String, settled: bool },
    /// Repeats the name of the professional.
    With { name: String },
    /// A service that is on no list, in the customer's words.
    NotOffered { said: String },
    /// The e-mail address has been changed.
    EmailKept { email: String },
    /// The team will read it.
    Noted,
    /// What is on file.
    OnFile { list: Vec<String> },
    /// No follow-up will come.
    NoFollowUp,
    /// To cancel this?
    MayCancel { what: Appointment },
    /// To move this there?
    MayMove { what: Appointment, to: Appointment },
    /// How to go on.
    MoreHelp,
}

/// The reply that the lines make: short paragraphs, a question last.
pub(crate) fn reply(lines: &[Line], locale: Locale, today: Date) -> String {
    let said: Vec<String> = lines
        .iter()
        .map(|line| match locale {
            Locale::PtBr => pt::render_line(line, today),
            Locale::En => en::render_line(line, today),
        })
        .filter(|said| !said.is_empty())
        .collect();
    said.join("\n")
}

/// The person that the customer named, in our words to them: "mim" is "você", "meu pai" "seu pai".
pub(crate) fn to_you(person: &str, locale: Locale) -> String {
    let you = match locale {
        Locale::PtBr => "você",
        Locale::En => "you",
    };
    let word = |word: &str| match word {
        "mim" | "eu" | "me" | "myself" => you.to_owned(),
        "meu" => "seu".to_owned(),
        "minha" => "sua".to_owned(),
        "my" => "your".to_owned(),
        "mae" => "mãe".to_owned(),
        "irmao" => "irmão".to_owned(),
        "irma" => "irmã".to_owned(),
        "bebe" => "bebê".to_owned(),
        "pessoa" if person.ends_with(|c: char| c.is_ascii_digit()) => "a pessoa".to_owned(),
        other => other.to_owned(),
    };
    person.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// A service for a person; only a time if the service is not known yet.
pub(crate) fn wish_of(service: Option<&str>, person: &str, locale: Locale) -> String {
    match (service, locale) {
        (Some(service), Locale::PtBr) => format!("{service} para {person}"),
        (Some(service), Locale::En) => format!("{service} for {person}"),
        (None, Locale::PtBr) => format!("o horário para {person}"),
        (None, Locale::En) => format!("the time for {person}"),
    }
}
