//! Single edits of the sample barbershop, one or more of each kind, for tests of every way by which an edit is made.

use serde_json::{Value, json};

use EditKind::{Add, Append, Remove, Set, Take};

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditKind {
    /// A new entry.
    Add,
    /// A field gets a value.
    Set,
    /// A list gets one more item.
    Append,
    /// A list loses an item.
    Take,
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
    /// The values of that row before the edit.
    pub before: Value,
    /// Its values after the edit.
    pub after: Value,
}

/// All of them: hours, exceptions, holidays, rules, time off, services, prices, aliases, professionals, plans, pipelines, tags, staff,
/// knowledge, templates and media, with one item more and one less of each list that can lose one.
#[must_use]
pub fn all() -> Vec<SampleEdit> {
    [organization(), professionals(), services(), plans(), crm(), texts()].concat()
}

type Row = (&'static str, &'static str, EditKind, Value, &'static str, &'static str, Value, Value);

fn edits<const N: usize>(rows: [Row; N]) -> Vec<SampleEdit> {
    let edit = |(section, name, kind, fields, subject, action, before, after)| SampleEdit {
        section,
        name,
        kind,
        fields,
        subject,
        action,
        before,
        after,
    };
    rows.map(edit).to_vec()
}

/// What differs of an entry that is archived.
fn gone() -> Value {
    json!({ "active": false })
}

fn organization() -> Vec<SampleEdit> {
    let change = |kind, fields, before, after| {
        ("organization", "", kind, fields, "organization", "organization.update", before, after)
    };
    let week = json!({ "mon": ["13:00-20:00"], "tue": ["09:00-20:00"], "wed": ["09:00-20:00"], "thu": ["09:00-20:00"],
        "fri": ["09:00-21:00"], "sat": ["08:00-17:00"] });
    let mut sunday_too = week.clone();
    if let Some(days) = sunday_too.as_object_mut() {
        days.insert("sun".to_owned(), json!(["09:00-12:00"]));
    }
    let city = json!({ "date": "2026-12-12", "periods": [], "note": "Fechado: aniversário da cidade" });
    let eve = json!({ "date": "2026-12-23", "periods": ["08:00-22:00"], "note": "Horário estendido de Natal" });
    let closed = json!({ "date": "2027-02-09", "periods": [] });
    let rules = |days: u32| {
        json!({ "minimum_notice_minutes": 30, "maximum_advance_days": days, "cancellation_notice_minutes": 180,
            "maximum_open_appointments": 4, "pending_minutes": 20, "reminder_minutes": 1440 })
    };
    edits([
        change(Set, json!({ "hours.sun": ["09:00-12:00"] }), json!({ "hours": week }), json!({ "hours": sunday_too })),
        change(
            Append,
            json!({ "exceptions": closed }),
            json!({ "exceptions": [city, eve] }),
            json!({ "exceptions": [city, eve, closed] }),
        ),
        change(
            Take,
            json!({ "exceptions": { "date": "2026-12-12" } }),
            json!({ "exceptions": [city, eve, closed] }),
            json!({ "exceptions": [eve, closed] }),
        ),
        change(Set, json!({ "national_holidays": false }), json!({ "national_holidays": true }), json!({})),
        change(
            Set,
            json!({ "scheduling.maximum_advance_days": 40 }),
            json!({ "scheduling": rules(45) }),
            json!({ "scheduling": rules(40) }),
        ),
    ])
}

fn professionals() -> Vec<SampleEdit> {
    let change = |name, kind, fields, before, after| {
        ("professionals", name, kind, fields, name, "professionals.update", before, after)
    };
    let (otavio, wesley, iris) = ("Otávio Prado", "Wesley Moura", "Íris Valente");
    let away = json!({ "from": "2027-01-04T00:00", "to": "2027-01-11T00:00" });
    let holidays = json!({ "from": "2027-01-04T00:00", "to": "2027-01-11T00:00", "note": "férias" });
    let late = json!({ "date": "2026-12-23", "periods": ["12:00-22:00"] });
    let (iris_names, more_names) = (json!(["Iris", "Íris"]), json!(["Irinha", "Iris", "Íris"]));
    let offered = json!(["Barba desenhada", "Corte e barba", "Corte na máquina", "Sobrancelha"]);
    let more = json!(["Barba desenhada", "Corte de menino", "Corte e barba", "Corte na máquina", "Sobrancelha"]);
    let nina = json!({ "name": "Nina", "hours": { "mon": ["13:00-20:00"] }, "services": ["Sobrancelha"] });
    edits([
        change(otavio, Append, json!({ "time_off": away }), json!({}), json!({ "time_off": [away] })),
        change(
            wesley,
            Take,
            json!({ "time_off": { "from": "2027-01-04T00:00" } }),
            json!({ "time_off": [holidays] }),
            json!({}),
        ),
        change(otavio, Append, json!({ "exceptions": late }), json!({}), json!({ "exceptions": [late] })),
        change(
            wesley,
            Take,
            json!({ "exceptions": { "date": "2026-12-23" } }),
            json!({ "exceptions": [late] }),
            json!({}),
        ),
        change(
            iris,
            Append,
            json!({ "aliases": "Irinha" }),
            json!({ "aliases": iris_names }),
            json!({ "aliases": more_names }),
        ),
        change(
            iris,
            Take,
            json!({ "aliases": "Irinha" }),
            json!({ "aliases": more_names }),
            json!({ "aliases": iris_names }),
        ),
        change(
            wesley,
            Append,
            json!({ "services": "Corte de menino" }),
            json!({ "services": offered }),
            json!({ "services": more }),
        ),
        change(
            wesley,
            Take,
            json!({ "services": "Corte de menino" }),
            json!({ "services": more }),
            json!({ "services": offered }),
        ),
        ("professionals", "", Add, nina.clone(), "Nina", "professionals.add", json!({}), nina),
        change(
            "Nina",
            Set,
            json!({ "restrictions": "só de manhã" }),
            json!({}),
            json!({ "restrictions": "só de manhã" }),
        ),
        ("professionals", "Nina", Remove, Value::Null, "Nina", "professionals.archive", json!({}), gone()),
    ])
}

fn services() -> Vec<SampleEdit> {
    let change = |kind, fields, before, after| {
        ("services", "Sobrancelha", kind, fields, "Sobrancelha", "services.update", before, after)
    };
    let luzes = json!({ "name": "Luzes", "price": "180.00", "duration_minutes": 90 });
    let (one, both, other) = (json!(["design"]), json!(["design", "fio"]), json!(["fio"]));
    edits([
        change(Set, json!({ "price": "39.90" }), json!({ "price": "25.00" }), json!({ "price": "39.90" })),
        change(Set, json!({ "aliases": one }), json!({}), json!({ "aliases": one })),
        change(Append, json!({ "aliases": "fio" }), json!({ "aliases": one }), json!({ "aliases": both })),
        change(Take, json!({ "aliases": "design" }), json!({ "aliases": both }), json!({ "aliases": other })),
        ("services", "", Add, luzes.clone(), "Luzes", "services.add", json!({}), luzes),
        ("services", "Luzes", Remove, Value::Null, "Luzes", "services.archive", json!({}), gone()),
    ])
}

fn plans() -> Vec<SampleEdit> {
    let change = |kind, fields, before, after| ("plans", "Raiz", kind, fields, "Raiz", "plans.update", before, after);
    let weekly = json!({ "name": "Semanal", "price": "25.00", "period": "week", "covers": ["Sobrancelha"] });
    let (one, both) = (json!(["Corte na máquina"]), json!(["Corte de menino", "Corte na máquina"]));
    let (first, second) = ("2 cortes na máquina por mês", "Café");
    edits([
        change(Set, json!({ "price": "99.00" }), json!({ "price": "89.00" }), json!({ "price": "99.00" })),
        change(Append, json!({ "covers": "Corte de menino" }), json!({ "covers": one }), json!({ "covers": both })),
        change(Take, json!({ "covers": "Corte de menino" }), json!({ "covers": both }), json!({ "covers": one })),
        change(
            Append,
            json!({ "benefits": second }),
            json!({ "benefits": [first] }),
            json!({ "benefits": [first, second] }),
        ),
        change(
            Take,
            json!({ "benefits": first }),
            json!({ "benefits": [first, second] }),
            json!({ "benefits": [second] }),
        ),
        ("plans", "", Add, weekly.clone(), "Semanal", "plans.add", json!({}), weekly),
        ("plans", "Semanal", Remove, Value::Null, "Semanal", "plans.archive", json!({}), gone()),
    ])
}

fn crm() -> Vec<SampleEdit> {
    let (davi, bia) = ("davi@figueira.example", "bia@figueira.example");
    let new = json!({ "name": "Bia", "email": bia, "role": "viewer" });
    let (one, both) = (json!(["Interessado"]), json!(["Interessado", "Matriculado"]));
    let courses = json!({ "name": "Cursos", "stages": one });
    edits([
        ("pipelines", "", Add, courses.clone(), "Cursos", "pipelines.add", json!({}), courses),
        (
            "pipelines",
            "Cursos",
            Append,
            json!({ "stages": "Matriculado" }),
            "Cursos",
            "pipelines.update",
            json!({ "stages": one }),
            json!({ "stages": both }),
        ),
        (
            "pipelines",
            "Cursos",
            Remove,
            Value::Null,
            "Cursos",
            "pipelines.remove",
            json!({ "name": "Cursos", "stages": both }),
            json!({}),
        ),
        ("tags", "", Add, json!({ "name": "Novo" }), "Novo", "tags.add", json!({}), json!({ "name": "Novo" })),
        ("tags", "Novo", Remove, Value::Null, "Novo", "tags.remove", json!({ "name": "Novo" }), json!({})),
        ("staff", davi, Set, json!({ "on_duty": false }), davi, "staff.update", json!({}), json!({ "on_duty": false })),
        ("staff", "", Add, new.clone(), bia, "staff.add", json!({}), new.clone()),
        ("staff", bia, Remove, Value::Null, bia, "staff.remove", new, json!({})),
    ])
}

fn texts() -> Vec<SampleEdit> {
    let pets = |content: &str| json!({ "title": "Pets", "content": content });
    let content = |content: &str| json!({ "content": content });
    let notice = |body: &str| json!({ "name": "aviso", "category": "utility", "language": "pt_BR", "body": body });
    let list = |path: &str| json!({ "key": "lista", "kind": "document", "path": path });
    let (old, new) = ("Pode trazer.", "Na coleira.");
    let (hello, hi, told) = ("Olá {{1}}", "Oi {{1}}", "aviso (pt_BR)");
    let written = json!({ "name": "aviso", "category": "utility", "body": hello });
    edits([
        ("knowledge", "", Add, pets(old), "Pets", "knowledge.add", json!({}), pets(old)),
        ("knowledge", "Pets", Set, content(new), "Pets", "knowledge.update", content(old), content(new)),
        ("knowledge", "Pets", Remove, Value::Null, "Pets", "knowledge.remove", pets(new), json!({})),
        ("templates", "", Add, written, told, "templates.add", json!({}), notice(hello)),
        (
            "templates",
            "aviso",
            Set,
            json!({ "body": hi }),
            told,
            "templates.update",
            json!({ "body": hello }),
            json!({ "body": hi }),
        ),
        ("templates", "aviso", Remove, Value::Null, told, "templates.remove", notice(hi), json!({})),
        ("media", "", Add, list("lista.pdf"), "lista", "media.add", json!({}), list("lista.pdf")),
        (
            "media",
            "lista",
            Set,
            json!({ "path": "nova.pdf" }),
            "lista",
            "media.update",
            json!({ "path": "lista.pdf" }),
            json!({ "path": "nova.pdf" }),
        ),
        ("media", "lista", Remove, Value::Null, "lista", "media.remove", list("nova.pdf"), json!({})),
    ])
}
