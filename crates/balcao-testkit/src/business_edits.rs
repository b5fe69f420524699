//! Single edits of the sample barbershop, one or more of each kind, for tests of every way by which an edit is made.

use serde_json::{Value, json};

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditKind {
    /// A new entry.
    Add,
    /// A field gets a value.
    Set,
    /// A list gets one more item.
    Append,
    /// The entry goes.
    Remove,
}

/// One edit, in an order in which each can be made after those before it.
#[derive(Debug, Clone)]
pub struct SampleEdit {
    /// The section of the business file.
    pub section: &'static str,
    /// The entry; none of the organization or a new entry.
    pub name: &'static str,
    /// What is done.
    pub kind: EditKind,
    /// The fields with their values.
    pub fields: Value,
    /// Whose row the audit log has.
    pub subject: &'static str,
    /// What that row says was done.
    pub action: &'static str,
}

/// All of them: hours, exceptions, holidays, rules, time off, services, prices, aliases, professionals, plans, pipelines, tags, staff,
/// knowledge, templates and media.
#[must_use]
pub fn all() -> Vec<SampleEdit> {
    use EditKind::{Add, Append, Remove, Set};
    let closed = json!({ "exceptions": { "date": "2027-02-09", "periods": [] } });
    let away = json!({ "time_off": { "from": "2027-01-04T00:00", "to": "2027-01-11T00:00" } });
    let luzes = json!({ "name": "Luzes", "price": "180.00", "duration_minutes": 90 });
    let nina = json!({ "name": "Nina", "hours": { "mon": ["13:00-20:00"] }, "services": ["Sobrancelha"] });
    let weekly = json!({ "name": "Semanal", "price": "25.00", "period": "week", "covers": ["Sobrancelha"] });
    let bia = json!({ "name": "Bia", "email": "bia@figueira.example", "role": "viewer" });
    let notice = json!({ "name": "aviso", "category": "utility", "body": "Olá {{1}}" });
    let list = json!({ "key": "lista", "kind": "document", "path": "lista.pdf" });
    let rows = [
        ("organization", "", Set, json!({ "hours.sun": ["09:00-12:00"] }), "organization", "organization.update"),
        ("organization", "", Append, closed, "organization", "organization.update"),
        ("organization", "", Set, json!({ "national_holidays": false }), "organization", "organization.update"),
        ("organization", "", Set, json!({ "scheduling.pending_minutes": 40 }), "organization", "organization.update"),
        ("professionals", "Otávio Prado", Append, away, "Otávio Prado", "professionals.update"),
        ("services", "Sobrancelha", Set, json!({ "price": "39.90" }), "Sobrancelha", "services.update"),
        ("services", "Sobrancelha", Set, json!({ "aliases": ["design"] }), "Sobrancelha", "services.update"),
        ("services", "", Add, luzes, "Luzes", "services.add"),
        ("services", "Luzes", Remove, Value::Null, "Luzes", "services.archive"),
        ("professionals", "", Add, nina, "Nina", "professionals.add"),
        ("professionals", "Nina", Set, json!({ "restrictions": "só de manhã" }), "Nina", "professionals.update"),
        ("professionals", "Nina", Remove, Value::Null, "Nina", "professionals.archive"),
        ("plans", "Copa", Set, json!({ "price": "199.00" }), "Copa", "plans.update"),
        ("plans", "", Add, weekly, "Semanal", "plans.add"),
        ("plans", "Semanal", Remove, Value::Null, "Semanal", "plans.archive"),
        ("pipelines", "", Add, json!({ "name": "Cursos", "stages": ["Interessado"] }), "Cursos", "pipelines.add"),
        ("pipelines", "Cursos", Append, json!({ "stages": "Matriculado" }), "Cursos", "pipelines.update"),
        ("tags", "", Add, json!({ "name": "Novo" }), "Novo", "tags.add"),
        ("staff", "davi@figueira.example", Set, json!({ "on_duty": false }), "davi@figueira.example", "staff.update"),
        ("staff", "", Add, bia, "bia@figueira.example", "staff.add"),
        ("staff", "bia@figueira.example", Remove, Value::Null, "bia@figueira.example", "staff.remove"),
        ("knowledge", "", Add, json!({ "title": "Pets", "content": "Pode trazer." }), "Pets", "knowledge.add"),
        ("knowledge", "Pets", Set, json!({ "content": "Na coleira." }), "Pets", "knowledge.update"),
        ("knowledge", "Pets", Remove, Value::Null, "Pets", "knowledge.remove"),
        ("templates", "", Add, notice, "aviso (pt_BR)", "templates.add"),
        ("templates", "aviso", Set, json!({ "body": "Oi {{1}}" }), "aviso (pt_BR)", "templates.update"),
        ("templates", "aviso", Remove, Value::Null, "aviso (pt_BR)", "templates.remove"),
        ("media", "", Add, list, "lista", "media.add"),
        ("media", "lista", Set, json!({ "path": "nova.pdf" }), "lista", "media.update"),
        ("media", "lista", Remove, Value::Null, "lista", "media.remove"),
    ];
    let edit =
        |(section, name, kind, fields, subject, action)| SampleEdit { section, name, kind, fields, subject, action };
    rows.map(edit).to_vec()
}
