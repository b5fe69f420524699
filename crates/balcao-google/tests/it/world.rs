//! A service with two calendars, and a client that is connected to it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use balcao_app::context::calendar_service::{CalendarService as _, EventDraft};
use balcao_domain::outside_event::{EventMark, EventOwner, OutsideEvent};
use balcao_domain::{ManualClock, OrganizationId, Span};
use balcao_google::{Addresses, Credential, Credentials, GoogleCalendar, Grant, Limits};
use balcao_testkit::fakes::google::{CLIENT_ID, CLIENT_SECRET, FakeGoogle};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use secrecy::{ExposeSecret, SecretString};

pub(crate) const RAFA: &str = "rafa@example.test";
pub(crate) const BIA: &str = "c_9f2@group.calendar.google.com";
pub(crate) const NOW: &str = "2026-11-26T12:00:00Z";
pub(crate) const SCOPES: [&str; 3] = ["calendar.events.owned", "calendar.freebusy", "calendar.calendarlist.readonly"];

/// Credentials that a test sets.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) credential: Mutex<Option<Credential>>,
    pub(crate) replaced: Mutex<Vec<String>>,
}

impl Credentials for Known {
    fn find(&self, _organization: OrganizationId) -> Result<Option<Credential>, String> {
        Ok(self.credential.lock().unwrap().clone())
    }

    fn replace(&self, _organization: OrganizationId, _grant: &Grant, token: &SecretString) -> Result<(), String> {
        self.replaced.lock().unwrap().push(token.expose_secret().to_owned());
        Ok(())
    }
}

pub(crate) struct World {
    pub(crate) google: FakeGoogle,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) known: Arc<Known>,
    pub(crate) service: GoogleCalendar,
}

pub(crate) fn instant(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub(crate) fn shop() -> OrganizationId {
    OrganizationId::try_from(7).unwrap()
}

/// Limits without a pause, so that a second try follows at once.
pub(crate) fn limits() -> Limits {
    Limits { pause: Duration::ZERO, bytes: 256 << 10, values: 50_000, ..Limits::default() }
}

pub(crate) fn grant(refresh_token: String) -> Credential {
    Credential::Grant(Grant {
        client_id: CLIENT_ID.to_owned(),
        client_secret: SecretString::from(CLIENT_SECRET),
        refresh_token: SecretString::from(refresh_token),
        granted_at: Some(instant("2026-11-20T12:00:00Z")),
    })
}

impl World {
    /// Connected by the grant of a person.
    pub(crate) fn new() -> Self {
        let world = Self::unconnected();
        *world.known.credential.lock().unwrap() = Some(grant(world.google.grant(&SCOPES)));
        world
    }

    /// With calendars, and without a credential.
    pub(crate) fn unconnected() -> Self {
        let clock = Arc::new(ManualClock::at(instant(NOW)));
        let google = FakeGoogle::start(Arc::<ManualClock>::clone(&clock)).unwrap();
        google.add_calendar(RAFA, "America/Sao_Paulo", "owner").unwrap();
        google.add_calendar(BIA, "America/Sao_Paulo", "owner").unwrap();
        google.set_primary(RAFA);
        let known = Arc::new(Known::default());
        let addresses = Addresses::under(&google.url()).unwrap();
        let (credentials, time) = (Arc::<Known>::clone(&known), Arc::<ManualClock>::clone(&clock));
        let service = GoogleCalendar::new(addresses, limits(), credentials, time).unwrap();
        Self { google, clock, known, service }
    }

    /// Requests to the API so far; those for tokens are left out.
    pub(crate) fn count_requests(&self) -> usize {
        self.google.asked().iter().filter(|asked| asked.target.starts_with("/calendar/")).count()
    }

    /// Requests for tokens so far.
    pub(crate) fn count_tokens(&self) -> usize {
        self.google.asked().iter().filter(|asked| asked.target == "/oauth2/token").count()
    }

    /// Inserts an event of appointment 9 at 15:00 in São Paulo.
    pub(crate) async fn insert(&self, id: &str) -> OutsideEvent {
        self.service.insert(shop(), &draft(id)).await.unwrap()
    }
}

/// A visit from 15:00 to 15:30 in São Paulo.
pub(crate) fn draft(id: &str) -> EventDraft {
    EventDraft {
        calendar: RAFA.to_owned(),
        id: id.to_owned(),
        title: "Corte".to_owned(),
        description: String::new(),
        span: span("2026-11-27T18:00:00Z", "2026-11-27T18:30:00Z"),
        zone: TimeZone::get("America/Sao_Paulo").unwrap(),
        mark: EventMark { owner: EventOwner { installation: "5eed".to_owned(), organization: 7 }, appointment: 9 },
    }
}

pub(crate) fn span(from: &str, until: &str) -> Span {
    Span::new(instant(from), instant(until))
}

/// Friday the 27th, as the shop's day.
pub(crate) fn friday() -> Span {
    span("2026-11-27T03:00:00Z", "2026-11-28T03:00:00Z")
}
