//! The business: organization, services, professionals, plans, pipelines, tags.

use std::collections::BTreeMap;

use balcao_domain::appointment::visit::UnmarkedVisits;
use balcao_domain::hours::{DayException, Hours, Period, WeeklyHours, in_order};
use balcao_domain::professional::Professional;
use balcao_domain::reminder::{MAX_LEAD_MIN, ReminderLeads};
use balcao_domain::scheduling::{CalendarDown, EventTitle, SchedulingRules, SlotMode};
use balcao_domain::service::Service;
use balcao_domain::subscription::{MAX_GRACE_DAYS, Plan, PlanPeriod};
use balcao_domain::{Currency, Money, Span};
use balcao_language::normalize::normalize;
use balcao_store::crm::organization::Organization;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;

use super::reader::{At, Fields, Reader};
use super::{BusinessFile, FORMAT, PlanEntry, ProfessionalEntry, check, content, notices, people, placeholder};

const KEYS: [&str; 12] = [
    "format",
    "organization",
    "professionals",
    "services",
    "plans",
    "pipelines",
    "tags",
    "contacts",
    "staff",
    "knowledge",
    "templates",
    "media",
];

const DAY_MIN: u32 = 1440;

const WEEKDAYS: [(&str, Weekday); 7] = [
    ("mon", Weekday::Monday),
    ("tue", Weekday::Tuesday),
    ("wed", Weekday::Wednesday),
    ("thu", Weekday::Thursday),
    ("fri", Weekday::Friday),
    ("sat", Weekday::Saturday),
    ("sun", Weekday::Sunday),
];

/// Reads everything, noting mistakes; `None` only where no organization could be understood, or where a newer program wrote the file.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<BusinessFile> {
    let root = reader.root();
    is_known_format(reader, &root)?;
    let top = reader.fields(&root, &KEYS)?;
    let organization = reader.required(&top, "organization").and_then(|at| organization(reader, &at));
    // Without a zone or a currency the rest is still read, so that its mistakes are reported, too.
    let zone = organization.as_ref().and_then(|(one, _, _)| TimeZone::get(&one.timezone).ok());
    let zone = zone.unwrap_or(TimeZone::UTC);
    let currency = organization.as_ref().map_or(Currency::BRL, |(one, _, _)| one.currency);

    let services = services(reader, &top, currency);
    let service_names: Vec<String> = services.iter().map(|one| one.name.clone()).collect();
    let professionals = professionals(reader, &top, &service_names, &zone, currency);
    let plans = plans(reader, &top, &service_names, currency);
    let pipelines = pipelines(reader, &top);
    let tags = reader.names(top.get("tags"));
    let staff = content::staff(reader, &top, &professionals);
    let knowledge = content::knowledge(reader, &top);
    let templates = content::templates(reader, &top);
    let media = content::media(reader, &top);
    let world = people::World { services, professionals, plans, pipelines, tags, zone };
    let contacts = people::contacts(reader, &top, &world);
    check::overlaps(reader, &world, &contacts);
    check::names(reader, &world);

    let (organization, exceptions, national_holidays) = organization?;
    let people::World { services, professionals, plans, pipelines, tags, zone: _ } = world;
    Some(BusinessFile {
        organization,
        exceptions,
        national_holidays,
        services,
        professionals,
        plans,
        pipelines,
        tags,
        contacts,
        staff,
        knowledge,
        templates,
        media,
    })
}

/// Notes a format that this program does not know. Its keys may mean something else, so no further mistake is looked for then.
fn is_known_format<'a>(reader: &mut Reader<'a>, root: &At<'a>) -> Option<()> {
    let Some(at) = reader.any_fields(root)?.get("format") else { return Some(()) };
    if at.value.as_u64().is_some_and(|format| (1..=FORMAT).contains(&format)) {
        return Some(());
    }
    let right = if at.value.as_u64().is_some_and(|format| format > FORMAT) {
        "a newer version of Balcão wrote this file; apply it with that version"
    } else {
        "leave the key out, or write the number"
    };
    reader.wrong(&at.pointer, format!("invalid format {}; expected {FORMAT}", at.value), right);
    None
}

type Opened = (Organization, Vec<(Date, DayException)>, bool);

fn organization<'a>(reader: &mut Reader<'a>, at: &At<'a>) -> Option<Opened> {
    const KEYS: [&str; 11] = [
        "name",
        "slug",
        "timezone",
        "locale",
        "currency",
        "phone",
        "address",
        "hours",
        "exceptions",
        "national_holidays",
        "scheduling",
    ];
    let fields = reader.fields(at, &KEYS)?;
    let name = reader.required_text(&fields, "name");
    let slug = reader.required(&fields, "slug").and_then(|at| slug(reader, &at));
    let timezone = reader.required(&fields, "timezone").and_then(|at| zone(reader, &at));
    let currency = fields.get("currency").map_or(Some(Currency::BRL), |at| reader.parsed(&at));
    let weekly = reader.required(&fields, "hours").map(|at| weekly(reader, &at)).unwrap_or_default();
    let exceptions = exceptions(reader, fields.get("exceptions"));
    let phone = reader.phone(&fields, "phone").map(|phone| phone.as_received().to_owned());
    let address = reader.optional_text(&fields, "address");
    let locale = fields.get("locale").map_or(Some("pt-BR".to_owned()), |at| locale(reader, &at));
    let national_holidays = reader.truth(&fields, "national_holidays", false);
    let scheduling = fields.get("scheduling").map_or_else(SchedulingRules::default, |at| scheduling(reader, &at));
    let organization = Organization {
        id: placeholder(0)?,
        slug: slug?,
        name: name?,
        timezone: timezone?,
        locale: locale?,
        currency: currency?,
        phone,
        address,
        weekly_hours: weekly,
        scheduling,
    };
    Some((organization, exceptions, national_holidays))
}

fn slug<'a>(reader: &mut Reader<'a>, at: &At<'a>) -> Option<String> {
    let slug = reader.text(at)?;
    let fine = slug.len() <= 63 && slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if !fine {
        reader.wrong(
            &at.pointer,
            format!("invalid slug `{slug}`"),
            "use small letters without accents, digits and hyphens",
        );
    }
    fine.then_some(slug)
}

fn zone<'a>(reader: &mut Reader<'a>, at: &At<'a>) -> Option<String> {
    let name = reader.text(at)?;
    if TimeZone::get(&name).is_ok() {
        return Some(name);
    }
    let known: Vec<String> = jiff::tz::db().available().map(|zone| zone.to_string()).collect();
    let right = match balcao_yaml::nearest(&name, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "write an IANA zone, such as America/Sao_Paulo".to_owned(),
    };
    reader.wrong(&at.pointer, format!("unknown time zone `{name}`"), right);
    None
}

/// A language that replies can be written in.
fn locale<'a>(reader: &mut Reader<'a>, at: &At<'a>) -> Option<String> {
    let tag = reader.text(at)?;
    let language = tag.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    if ["pt", "en"].contains(&language.as_str()) {
        return Some(tag);
    }
    reader.wrong(&at.pointer, format!("invalid language `{tag}`"), "write `pt-BR` or `en`");
    None
}

fn scheduling<'a>(reader: &mut Reader<'a>, at: &At<'a>) -> SchedulingRules {
    const KEYS: [&str; 17] = [
        "slot_step_minutes",
        "slot_mode",
        "minimum_notice_minutes",
        "maximum_advance_days",
        "cancellation_notice_minutes",
        "default_duration_minutes",
        "maximum_open_appointments",
        "pending_minutes",
        "waitlist_hold_minutes",
        "reminder_minutes",
        "automatic_reminder_minutes",
        "unmarked_visits",
        "when_calendar_is_down",
        "calendar_mirror_minutes",
        "calendar_drop_percent",
        "calendar_event_title",
        "plan_grace_days",
    ];
    const YEAR_MIN: u32 = 366 * DAY_MIN;
    let usual = SchedulingRules::default();
    let Some(fields) = reader.fields(at, &KEYS) else { return usual };
    let mut number = |key, from, to, default| reader.optional_number(&fields, key, from, to).unwrap_or(default);
    let minimum_notice_minutes = number("minimum_notice_minutes", 0, YEAR_MIN, usual.minimum_notice_minutes);
    let maximum_advance_days = number("maximum_advance_days", 0, 3660, usual.maximum_advance_days);
    let cancellation_notice_minutes =
        number("cancellation_notice_minutes", 0, YEAR_MIN, usual.cancellation_notice_minutes);
    let maximum_open_appointments = number("maximum_open_appointments", 1, 1000, usual.maximum_open_appointments);
    let pending_minutes = number("pending_minutes", 1, YEAR_MIN, usual.pending_minutes);
    let waitlist_hold_minutes = number("waitlist_hold_minutes", 1, YEAR_MIN, usual.waitlist_hold_minutes);
    let reminder_minutes = reader.optional_number(&fields, "reminder_minutes", 1, YEAR_MIN);
    let calendar_mirror_minutes = reader.optional_number(&fields, "calendar_mirror_minutes", 1, DAY_MIN);
    let calendar_drop_percent = reader.optional_number(&fields, "calendar_drop_percent", 1, 100);
    let automatic_reminder_minutes = automatic_reminders(reader, fields.get("automatic_reminder_minutes"));
    let plan_grace_days = reader.optional_number(&fields, "plan_grace_days", 0, MAX_GRACE_DAYS).unwrap_or_default();
    let mut minutes = |key, default| reader.optional_minutes(&fields, key, 5, 720).unwrap_or(default);
    let slot_step_minutes = minutes("slot_step_minutes", usual.slot_step_minutes);
    let default_duration_minutes = minutes("default_duration_minutes", usual.default_duration_minutes);
    let modes = [("grid", SlotMode::Grid), ("fit", SlotMode::Fit)];
    let slot_mode = fields.get("slot_mode").and_then(|at| reader.read_word(&at, &modes)).unwrap_or_default();
    let rules = [("ask", UnmarkedVisits::Ask), ("complete", UnmarkedVisits::Complete)];
    let unmarked_visits =
        fields.get("unmarked_visits").and_then(|at| reader.read_word(&at, &rules)).unwrap_or_default();
    let down = [("refuse", CalendarDown::Refuse), ("book_anyway", CalendarDown::BookAnyway)];
    let when_calendar_is_down =
        fields.get("when_calendar_is_down").and_then(|at| reader.read_word(&at, &down)).unwrap_or_default();
    let titles = [("service", EventTitle::Service), ("service_and_name", EventTitle::ServiceAndName)];
    let calendar_event_title =
        fields.get("calendar_event_title").and_then(|at| reader.read_word(&at, &titles)).unwrap_or_default();
    SchedulingRules {
        slot_step_minutes,
        slot_mode,
        minimum_notice_minutes,
        maximum_advance_days,
        cancellation_notice_minutes,
        default_duration_minutes,
        maximum_open_appointments,
        pending_minutes,
        waitlist_hold_minutes,
        reminder_minutes,
        automatic_reminder_minutes,
        unmarked_visits,
        when_calendar_is_down,
        calendar_mirror_minutes,
        calendar_drop_percent,
        calendar_event_title,
        plan_grace_days,
    }
}

/// Minutes before an appointment; an empty list says that there are no automatic reminders.
fn automatic_reminders<'a>(reader: &mut Reader<'a>, at: Option<At<'a>>) -> ReminderLeads {
    let Some(at) = at else { return ReminderLeads::default() };
    let mut minutes = Vec::new();
    for item in reader.items(Some(at.clone())) {
        match reader.number(&item, 1, MAX_LEAD_MIN) {
            Some(number) if minutes.contains(&number) => {
                reader.wrong(
                    &item.pointer,
                    format!("invalid minutes {number}; the list has them already"),
                    "remove one",
                );
            }
            Some(number) => minutes.push(number),
            None => {}
        }
    }
    ReminderLeads::new(minutes).unwrap_or_else(|error| {
        reader.wrong(&at.pointer, error.to_string(), "leave out the least useful ones");
        ReminderLeads::default()
    })
}

fn weekly<'a>(reader: &mut Reader<'a>, at: &At<'a>) -> WeeklyHours {
    let mut hours = WeeklyHours::default();
    let Some(fields) = reader.fields(at, &WEEKDAYS.map(|(word, _)| word)) else { return hours };
    for (word, weekday) in WEEKDAYS {
        if let Some(at) = fields.get(word) {
            let periods = periods(reader, &at);
            // Overlaps were noted, so there is nothing left to refuse.
            drop(hours.set(weekday, periods));
        }
    }
    hours
}

/// The periods of a day, in order; mistakes are noted at the period.
fn periods<'a>(reader: &mut Reader<'a>, at: &At<'a>) -> Vec<Period> {
    let mut periods: Vec<Period> = Vec::new();
    for item in reader.items(Some(at.clone())) {
        let Some(period) = reader.parsed::<Period>(&item) else { continue };
        if !(period.opens_min().is_multiple_of(5) && period.closes_min().is_multiple_of(5)) {
            reader.wrong(
                &item.pointer,
                format!("{period} is not on five minutes"),
                "begin and end at a multiple of five",
            );
            continue;
        }
        let mut with: Vec<Period> = periods.clone();
        with.push(period);
        match in_order(with) {
            Ok(ordered) => periods = ordered,
            Err(error) => reader.wrong(&item.pointer, error.to_string(), "let one end before the other begins"),
        }
    }
    periods
}

fn exceptions<'a>(reader: &mut Reader<'a>, at: Option<At<'a>>) -> Vec<(Date, DayException)> {
    let mut found: Vec<(Date, DayException)> = Vec::new();
    for item in reader.items(at) {
        let Some(fields) = reader.fields(&item, &["date", "periods", "note"]) else { continue };
        let date = reader.required(&fields, "date").and_then(|at| reader.date(&at));
        let periods = reader.required(&fields, "periods").map(|at| periods(reader, &at)).unwrap_or_default();
        let note = reader.optional_text(&fields, "note");
        let Some(date) = date else { continue };
        if found.iter().any(|(other, _)| *other == date) {
            reader.wrong(&item.pointer, format!("{date} has two exceptions"), "put the periods into one");
        }
        found.push((date, DayException { periods, note }));
    }
    found
}

fn services<'a>(reader: &mut Reader<'a>, top: &Fields<'a>, currency: Currency) -> Vec<Service> {
    const KEYS: [&str; 11] = [
        "name",
        "aliases",
        "description",
        "price",
        "duration_minutes",
        "buffer_before_minutes",
        "buffer_after_minutes",
        "minimum_notice_minutes",
        "maximum_advance_days",
        "cancellation_notice_minutes",
        "active",
    ];
    let mut services: Vec<Service> = Vec::new();
    for item in reader.items(top.get("services")) {
        let Some(fields) = reader.fields(&item, &KEYS) else { continue };
        let name = unique_name(reader, &fields, "service", services.iter().map(|one| one.name.as_str()));
        let price = reader.required(&fields, "price").and_then(|at| reader.cents(&at, currency));
        let duration = reader.required(&fields, "duration_minutes").and_then(|at| reader.minutes(&at, 5, 720));
        let (Some(id), Some(name)) = (placeholder(services.len()), name) else { continue };
        services.push(Service {
            id,
            name,
            aliases: reader.texts(fields.get("aliases")),
            description: reader.optional_text(&fields, "description"),
            price: Money::new(price.unwrap_or_default(), currency),
            duration_min: duration.unwrap_or(5),
            buffer_before_min: reader.optional_minutes(&fields, "buffer_before_minutes", 0, 240).unwrap_or_default(),
            buffer_after_min: reader.optional_minutes(&fields, "buffer_after_minutes", 0, 240).unwrap_or_default(),
            notice_min: reader.optional_number(&fields, "minimum_notice_minutes", 0, 366 * DAY_MIN),
            advance_days: reader.optional_number(&fields, "maximum_advance_days", 0, 3660),
            cancellation_notice_min: reader.optional_number(&fields, "cancellation_notice_minutes", 0, 366 * DAY_MIN),
            active: reader.truth(&fields, "active", true),
        });
    }
    services
}

/// The name of a new thing, which none before it has.
fn unique_name<'a, 'n>(
    reader: &mut Reader<'a>,
    fields: &Fields<'a>,
    what: &str,
    mut before: impl Iterator<Item = &'n str>,
) -> Option<String> {
    let name = reader.required_text(fields, "name")?;
    // Customers write "lívia" and "LIVIA": names that differ by no more than that are one name.
    if let Some(other) = before.find(|other| normalize(other) == normalize(&name)) {
        let pointer = format!("{}/name", fields.pointer);
        let message = if other == name {
            format!("there are two {what}s `{name}`")
        } else {
            format!("`{other}` and `{name}` are one name to a customer: there are two {what}s of it")
        };
        reader.wrong(&pointer, message, "rename or remove one");
    }
    Some(name)
}

fn professionals<'a>(
    reader: &mut Reader<'a>,
    top: &Fields<'a>,
    services: &[String],
    zone: &TimeZone,
    currency: Currency,
) -> Vec<ProfessionalEntry> {
    const KEYS: [&str; 14] = [
        "name",
        "aliases",
        "profession",
        "hours",
        "exceptions",
        "services",
        "restrictions",
        "time_off",
        "capacity",
        "phone",
        "email",
        "notify",
        "code",
        "active",
    ];
    let mut professionals: Vec<ProfessionalEntry> = Vec::new();
    for item in reader.items(top.get("professionals")) {
        let Some(fields) = reader.fields(&item, &KEYS) else { continue };
        let before = professionals.iter().map(|one| one.professional.name.as_str());
        let name = unique_name(reader, &fields, "professional", before);
        let weekly = reader.required(&fields, "hours").map(|at| weekly(reader, &at)).unwrap_or_default();
        let offers = offers(reader, fields.get("services"), services, currency);
        let away = time_off(reader, fields.get("time_off"), zone);
        let (Some(id), Some(name)) = (placeholder(professionals.len()), name) else { continue };
        let (phone, email) = (reader.phone(&fields, "phone"), reader.email(&fields, "email"));
        let notify = notices::notify(reader, fields.get("notify"), phone.is_some(), email.is_some());
        let active = reader.truth(&fields, "active", true);
        // An archived one keeps the code, and others may have it.
        let holders = professionals.iter().filter(|one| active && one.professional.active);
        let taken: Vec<&str> = holders.filter_map(|one| one.professional.code.as_deref()).collect();
        let code = notices::code(reader, fields.get("code"), &taken);
        let professional = Professional {
            id,
            name,
            aliases: reader.texts(fields.get("aliases")),
            profession: reader.optional_text(&fields, "profession"),
            hours: Hours {
                weekly,
                exceptions: exceptions(reader, fields.get("exceptions")).into_iter().collect(),
                holidays: BTreeMap::new(),
            },
            services: Vec::new(),
            time_off: Vec::new(),
            restrictions: reader.optional_text(&fields, "restrictions"),
            capacity: reader.optional_number(&fields, "capacity", 1, 100).unwrap_or(1),
            phone: phone.map(|phone| phone.e164().to_owned()),
            email,
            notify,
            code,
            active,
        };
        professionals.push(ProfessionalEntry { professional, offers, away });
    }
    professionals
}

/// Services by name, or with a duration and a price of the professional's own.
fn offers<'a>(
    reader: &mut Reader<'a>,
    at: Option<At<'a>>,
    services: &[String],
    currency: Currency,
) -> Vec<(usize, Option<u32>, Option<i64>)> {
    let mut offers: Vec<(usize, Option<u32>, Option<i64>)> = Vec::new();
    for item in reader.items(at) {
        let (service, duration, price) = if item.value.is_object() {
            let Some(fields) = reader.fields(&item, &["name", "duration_minutes", "price"]) else { continue };
            let service = reader.required(&fields, "name").and_then(|at| reader.reference(&at, "service", services));
            let duration = reader.optional_minutes(&fields, "duration_minutes", 5, 720);
            (service, duration, fields.get("price").and_then(|at| reader.cents(&at, currency)))
        } else {
            (reader.reference(&item, "service", services), None, None)
        };
        let Some(service) = service else { continue };
        if offers.iter().any(|(other, _, _)| *other == service) {
            reader.wrong(&item.pointer, "the service is there twice", "remove one");
            continue;
        }
        offers.push((service, duration, price));
    }
    offers
}

fn time_off<'a>(reader: &mut Reader<'a>, at: Option<At<'a>>, zone: &TimeZone) -> Vec<(Span, Option<String>)> {
    let mut away = Vec::new();
    for item in reader.items(at) {
        let Some(fields) = reader.fields(&item, &["from", "to", "note"]) else { continue };
        let note = reader.optional_text(&fields, "note");
        let mut instant = |key| {
            let at = reader.required(&fields, key)?;
            let local = reader.local_time(&at)?;
            let instant = zone.to_ambiguous_timestamp(local).compatible().ok();
            if instant.is_none() {
                reader.wrong(&at.pointer, "a time outside of the calendar", "write an earlier one");
            }
            instant
        };
        let (Some(from), Some(to)) = (instant("from"), instant("to")) else { continue };
        if from >= to {
            reader.wrong(&item.pointer, "the time off ends before it begins", "let `to` be later than `from`");
            continue;
        }
        let span = Span::new(from, to);
        if away.iter().any(|(other, _)| *other == span) {
            reader.wrong(&item.pointer, "the time off is there twice", "remove one");
            continue;
        }
        away.push((span, note));
    }
    away
}

fn plans<'a>(reader: &mut Reader<'a>, top: &Fields<'a>, services: &[String], currency: Currency) -> Vec<PlanEntry> {
    const KEYS: [&str; 7] = ["name", "price", "period", "covers", "quota", "benefits", "active"];
    let periods = PlanPeriod::ALL.map(|period| (period.as_str(), period));
    let mut plans: Vec<PlanEntry> = Vec::new();
    for item in reader.items(top.get("plans")) {
        let Some(fields) = reader.fields(&item, &KEYS) else { continue };
        let name = unique_name(reader, &fields, "plan", plans.iter().map(|one| one.plan.name.as_str()));
        let price = reader.required(&fields, "price").and_then(|at| reader.cents(&at, currency));
        let period = fields.get("period").and_then(|at| reader.read_word(&at, &periods)).unwrap_or(PlanPeriod::Month);
        let mut covers = Vec::new();
        for covered in reader.items(fields.get("covers")) {
            let service = reader.reference(&covered, "service", services);
            match service {
                Some(service) if covers.contains(&service) => {
                    reader.wrong(&covered.pointer, "the service is there twice", "remove one");
                }
                Some(service) => covers.push(service),
                None => {}
            }
        }
        let (Some(id), Some(name)) = (placeholder(plans.len()), name) else { continue };
        let plan = Plan {
            id,
            name,
            price: Money::new(price.unwrap_or_default(), currency),
            period,
            covers: Vec::new(),
            quota: reader.optional_number(&fields, "quota", 1, 100_000),
            benefits: reader.texts(fields.get("benefits")),
            active: reader.truth(&fields, "active", true),
        };
        plans.push(PlanEntry { plan, covers });
    }
    plans
}

fn pipelines<'a>(reader: &mut Reader<'a>, top: &Fields<'a>) -> Vec<(String, Vec<String>)> {
    let mut pipelines: Vec<(String, Vec<String>)> = Vec::new();
    for item in reader.items(top.get("pipelines")) {
        let Some(fields) = reader.fields(&item, &["name", "stages"]) else { continue };
        let name = unique_name(reader, &fields, "pipeline", pipelines.iter().map(|(name, _)| name.as_str()));
        let stages = reader.required(&fields, "stages");
        let stages = reader.names(stages);
        pipelines.extend(name.map(|name| (name, stages)));
    }
    pipelines
}
