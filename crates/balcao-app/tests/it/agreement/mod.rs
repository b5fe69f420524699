//! Tests of agreement: whatever a model calls, only those acts happen that the customer asked for or agreed to.

mod hostile;
mod repeating;
mod wordings;

use std::path::PathBuf;
use std::sync::Arc;

use balcao_app::scheduling::booking::{BookRequest, Booking, ServiceChoice};
use balcao_store::{OpenOptions, Store};
use rusqlite::Connection;

use crate::messaging_harness::{MessagingHarness, eli, start_with_model};
use crate::world::on;
use repeating::{Repeating, Step};

/// The free time, or the appointment, of each story: a Friday at three.
const DAY: &str = "2026-11-27";
const AT: &str = "15:00";
const WHO: &str = "Wesley";
const WHAT: &str = "Corte na máquina";

/// The barbershop over a file, so that a test can look at every table.
struct Shop {
    harness: MessagingHarness,
    model: Repeating,
    database: PathBuf,
    _folder: tempfile::TempDir,
    written: std::sync::atomic::AtomicU32,
}

impl Shop {
    /// João is known; with `booked`, he has the appointment.
    async fn open(booked: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("balcao.db");
        let store = Store::open(&database, OpenOptions::default()).unwrap();
        let world = on(store, "barbearia-figueira.yaml", "2026-11-24T10:00").await;
        let model = Repeating::default();
        let harness = start_with_model(world, eli(), Arc::new(model.clone()));
        let shop = Self { harness, model, database, _folder: folder, written: 0.into() };
        shop.turn("oi", vec![Step::text("Olá! Como posso ajudar?")]).await;
        if booked {
            shop.book().await;
        }
        shop
    }

    async fn book(&self) {
        let joao = self.harness.conversation().await.contact;
        let request = BookRequest {
            professional: Some(WHO.to_owned().into()),
            service: Some(ServiceChoice::Name(WHAT.to_owned())),
            date: DAY.parse().unwrap(),
            start_min: 15 * 60,
            attendee: None,
            pending: false,
            source: "test".to_owned(),
            price_agreed: true,
        };
        let world = &self.harness.world;
        let booking = Booking::new(world.app.clone());
        booking.book(world.organization, joao, world.key(), request).await.unwrap().value.unwrap();
    }

    /// João writes, and the model does this.
    async fn turn(&self, text: &str, steps: Vec<Step>) {
        self.model.does(steps);
        let number = self.written.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.harness.advance_secs(60);
        self.harness.joao_writes(&format!("wamid.{number}"), text).await;
        self.harness.run_until_idle().await;
    }

    /// What was said last.
    fn told(&self) -> String {
        let last = self.harness.graph.accepted().pop().unwrap_or_default();
        let body = last.pointer("/interactive/body/text").or_else(|| last.pointer("/text/body"));
        body.and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
    }

    #[expect(clippy::disallowed_methods, reason = "the rows are looked at from outside of the program")]
    fn sql(&self) -> Connection {
        Connection::open(&self.database).unwrap()
    }

    /// João's appointments that stand.
    fn standing(&self) -> usize {
        let sql = "SELECT count(*) FROM appointment a JOIN contact c ON c.id = a.contact_id
             WHERE c.channel_user = 'BR.1234567890' AND a.status IN ('pending', 'confirmed')";
        usize::try_from(self.sql().query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap()).unwrap()
    }

    /// All that a tool for customers may change, as text; what the program notes of a handoff is its own.
    fn everything(&self) -> String {
        self.changeable("TRUE")
    }

    /// The same of all but João.
    fn of_others(&self) -> String {
        self.changeable("whose NOT IN (SELECT id FROM contact WHERE channel_user = 'BR.1234567890')")
    }

    fn changeable(&self, of: &str) -> String {
        let tables = [
            "SELECT id, contact_id AS whose, professional_id, service_name, starts_at, status FROM appointment",
            "SELECT id, contact_id AS whose, date, state FROM waitlist",
            "SELECT id, contact_id AS whose, hint, send_at, state FROM follow_up",
            "SELECT r.id, a.contact_id AS whose, r.appointment_id, r.remind_at, r.state, r.origin
             FROM reminder r JOIN appointment a ON a.id = r.appointment_id",
            "SELECT id, id AS whose, name, preferred_name, phone_received, email, address, custom_fields FROM contact",
            "SELECT contact_id, contact_id AS whose, tag_id FROM contact_tag",
            "SELECT contact_id, contact_id AS whose, stage_id FROM contact_stage",
            "SELECT id, contact_id AS whose, content FROM note WHERE content NOT LIKE 'Atendimento passado%'",
        ];
        let read =
            |table: &str| rows(&self.sql(), &format!("SELECT * FROM ({table}) WHERE {of} ORDER BY 1, 2, 3"), &[]);
        tables.map(read).join("\n")
    }
}

/// The rows of a query, as JSON.
fn rows(sql: &Connection, query: &str, phone: &[(&str, &str)]) -> String {
    let mut prepared = sql.prepare(query).unwrap();
    let width = prepared.column_count();
    let parameters: Vec<(&str, &str)> = phone.to_vec();
    let read = |row: &rusqlite::Row<'_>| (0..width).map(|index| row.get::<_, rusqlite::types::Value>(index)).collect();
    let found: Result<Vec<Vec<rusqlite::types::Value>>, _> =
        prepared.query_map(parameters.as_slice(), read).unwrap().collect();
    let shown = |value: rusqlite::types::Value| match value {
        rusqlite::types::Value::Integer(number) => serde_json::json!(number),
        rusqlite::types::Value::Real(number) => serde_json::json!(number),
        rusqlite::types::Value::Text(text) => serde_json::json!(text),
        rusqlite::types::Value::Null | rusqlite::types::Value::Blob(_) => serde_json::Value::Null,
    };
    let all: Vec<Vec<serde_json::Value>> =
        found.unwrap().into_iter().map(|row| row.into_iter().map(shown).collect()).collect();
    serde_json::to_string(&all).unwrap()
}
