//! A sample business in a fresh database, at a fixed time.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use balcao_app::AppContext;
use balcao_app::admin::business::Business;
use balcao_app::admin::seed::BusinessFile;
use balcao_app::scheduling::booking::{BookRequest, Booked, Booking, BookingRefusal, ServiceChoice};
use balcao_domain::hours::parse_minute;
use balcao_domain::{ContactId, ManualClock, OrganizationId};
use balcao_store::turns::ledger::EffectKey;
use balcao_store::{Store, crm::contact};
use jiff::tz::TimeZone;

pub(crate) struct World {
    pub(crate) app: AppContext,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) organization: OrganizationId,
    zone: TimeZone,
    keys: std::sync::atomic::AtomicU32,
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(crate) async fn on(store: Store, sample: &str, local: &str) -> World {
    edited(store, sample, local, |text| text).await
}

/// Creates a world from a sample that `change` has edited.
pub(crate) async fn edited(store: Store, sample: &str, local: &str, change: impl Fn(String) -> String) -> World {
    let text = change(std::fs::read_to_string(root().join("samples").join(sample)).unwrap());
    of_file(store, BusinessFile::read(sample, &text).unwrap(), local).await
}

/// Creates a world from the given business file.
pub(crate) async fn of_file(store: Store, file: BusinessFile, local: &str) -> World {
    let zone = TimeZone::get(file.timezone()).unwrap();
    let now = zone.to_timestamp(local.parse().unwrap()).unwrap();
    store.migrate().await.unwrap();
    let organization = file.import(&store, now).await.unwrap().organization;
    let clock = Arc::new(ManualClock::at(now));
    World { app: AppContext::new(store, clock.clone()), clock, organization, zone, keys: 0.into() }
}

/// The sample barbershop on a Monday morning.
pub(crate) async fn figueira() -> World {
    on(Store::open_in_memory().unwrap(), "barbearia-figueira.yaml", "2026-11-23T09:00").await
}

impl World {
    pub(crate) async fn contact(&self, phone: &str) -> ContactId {
        let phone = balcao_domain::Phone::parse(phone).unwrap();
        let organization = self.organization;
        let found = self.app.store.read(move |tx| contact::find_by_phone(tx, organization, &phone)).await;
        found.map_err(|error: balcao_store::StoreError| error).unwrap().unwrap().id
    }

    pub(crate) async fn caio(&self) -> ContactId {
        self.contact("31 99640-1177").await
    }

    pub(crate) async fn livia(&self) -> ContactId {
        self.contact("31 98432-7788").await
    }

    pub(crate) async fn staff(&self) -> Vec<balcao_store::crm::staff::Staff> {
        let organization = self.organization;
        self.app.store.read(move |tx| balcao_store::crm::staff::list(tx, organization)).await.unwrap()
    }

    /// Applies the sample barbershop as `change` has edited it.
    pub(crate) async fn change_business(&self, change: impl Fn(String) -> String) {
        let text = change(std::fs::read_to_string(root().join("samples/barbearia-figueira.yaml")).unwrap());
        let file = BusinessFile::read("shop.yaml", &text).unwrap();
        let business = Business::new(self.app.clone());
        let plan = business.plan(self.organization, file.clone()).await.unwrap().unwrap();
        business.apply(self.organization, file, plan.hash, "Renata".to_owned()).await.unwrap().unwrap();
    }

    /// A key that no effect has used.
    pub(crate) fn key(&self) -> EffectKey {
        let number = self.keys.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        EffectKey { key: format!("k{number}"), args_hash: String::new(), turn: None, tool: "test".to_owned() }
    }

    pub(crate) async fn book(&self, who: ContactId, request: BookRequest) -> Result<Booked, BookingRefusal> {
        Booking::new(self.app.clone()).book(self.organization, who, self.key(), request).await.unwrap().value
    }

    pub(crate) fn set_local(&self, local: &str) {
        self.clock.set(self.zone.to_timestamp(local.parse().unwrap()).unwrap());
    }
}

/// A visit that a customer wants; with any professional, if the name is empty.
pub(crate) fn wish(professional: &str, service: &str, date: &str, start: &str) -> BookRequest {
    BookRequest {
        professional: Some(professional.to_owned()).filter(|name| !name.is_empty()).map(Into::into),
        service: Some(ServiceChoice::Name(service.to_owned())),
        date: date.parse().unwrap(),
        start_min: parse_minute(start).unwrap(),
        attendee: None,
        pending: false,
        source: "test".to_owned(),
        price_agreed: true,
    }
}
