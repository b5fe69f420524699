//! What a customer reads about a change that staff chose.

use balcao_agent::notice::{fill, notices};
use balcao_domain::Money;
use balcao_domain::contact::Contact;
use balcao_language::format;
use balcao_store::crm::organization::Organization;
use balcao_tool::Locale;
use jiff::civil::{Date, Time};

use crate::messaging::outbound::message_templates::{Purpose, TemplateVariables};
use crate::messaging::outbound::sender::customer_name;
use crate::scheduling::agenda::Slot;
use crate::scheduling::appointments::AppointmentView;

/// A change of one appointment.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Change<'a> {
    Moved {
        old: &'a AppointmentView,
        to: &'a Slot,
        /// What it costs there.
        price: Money,
    },
    Cancelled(&'a AppointmentView),
    Kept(&'a AppointmentView),
}

impl Change<'_> {
    /// The template that takes the place of its message.
    pub(crate) const fn purpose(&self) -> Purpose {
        match self {
            Self::Moved { .. } => Purpose::AppointmentMoved,
            Self::Cancelled(_) => Purpose::AppointmentCancelled,
            Self::Kept(_) => Purpose::AppointmentKept,
        }
    }

    /// The kind of its message in the outbox.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Moved { .. } => "appointment_moved",
            Self::Cancelled(_) => "appointment_cancelled",
            Self::Kept(_) => "appointment_kept",
        }
    }
}

/// The time of an appointment or of a free slot.
pub(crate) fn slot_of(view: &AppointmentView) -> Slot {
    Slot { professional: view.professional.clone(), date: view.date, start: view.start.clone() }
}

/// The facts of a message, its whole text included.
pub(crate) fn facts(organization: &Organization, customer: &Contact, change: Change<'_>) -> TemplateVariables {
    let said = Locale::closest_to_tag(&organization.locale);
    let words = notices(said);
    let (view, slot, notice) = match change {
        Change::Moved { old, to, .. } => (old, to.clone(), &words.change_moved),
        Change::Cancelled(view) => (view, slot_of(view), &words.change_cancelled),
        Change::Kept(view) => (view, slot_of(view), &words.change_kept),
    };
    let service = if view.service.is_empty() { words.change_visit.clone() } else { view.service.clone() };
    let price = match change {
        // A visit that costs nothing now needs no word.
        Change::Moved { old, price, .. } if price != old.price && price.cents > 0 => {
            fill(&words.change_price, "price", &price.to_string())
        }
        Change::Moved { .. } | Change::Cancelled(_) | Change::Kept(_) => String::new(),
    };
    let (day, time) = (format::day(slot.date, said), clock(&slot.start, said));
    let values = [
        ("service", service.as_str()),
        ("professional", slot.professional.as_str()),
        ("day", day.as_str()),
        ("time", time.as_str()),
        ("price", price.as_str()),
        ("old_professional", view.professional.as_str()),
        ("old_day", &day_of(view.date, said)),
        ("old_time", &clock(&view.start, said)),
    ];
    let text = values.iter().fold(notice.clone(), |text, (name, value)| fill(&text, name, value));
    TemplateVariables {
        customer: customer_name(customer, &organization.locale),
        business: organization.name.clone(),
        service: Some(service),
        professional: Some(slot.professional),
        day: Some(day),
        time: Some(time),
        text: Some(text),
        answers: Vec::new(),
    }
}

fn day_of(date: Date, said: Locale) -> String {
    format::day(date, said)
}

/// A local time `HH:MM` as customers read it.
fn clock(start: &str, said: Locale) -> String {
    start.parse::<Time>().map_or_else(|_| start.to_owned(), |time| format::time(time, said))
}
