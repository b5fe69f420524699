//! Single edits of the sample barbershop, one or more of each kind, for tests of every way by which an edit is made.

mod evidence;
mod imports;
mod professionals;

use serde_json::{Value, json};

use EditKind::{Add, Append, Remove, Set, Take};
pub use evidence::{ABSENT_TAG, Evidence, Place};
use evidence::{UNDERSTOOD, free, hand_off, hours, known, offer, plan, reminder, stages, tags};
pub use imports::{SampleImport, imports};

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
    /// Where the edit is seen.
    pub evidence: Evidence,
}

/// All of them: hours, exceptions, holidays, rules, time off, services, prices, aliases, professionals, plans, pipelines, tags, staff,
/// knowledge, templates and media, with one item more and one less of each list that can lose one.
#[must_use]
pub fn all() -> Vec<SampleEdit> {
    [organization(), professionals::edits_of_professionals(), services(), plans(), crm(), texts()].concat()
}

type Row = (&'static str, &'static str, EditKind, Value, &'static str, &'static str, Value, Value, Evidence);

fn edits<const N: usize>(rows: [Row; N]) -> Vec<SampleEdit> {
    let edit = |(section, name, kind, fields, subject, action, before, after, evidence)| SampleEdit {
        section,
        name,
        kind,
        fields,
        subject,
        action,
        before,
        after,
        evidence,
    };
    rows.map(edit).to_vec()
}

/// What differs of an entry that is archived.
fn gone() -> Value {
    json!({ "active": false })
}

fn organization() -> Vec<SampleEdit> {
    let change = |kind, fields, before, after, evidence| {
        ("organization", "", kind, fields, "organization", "organization.update", before, after, evidence)
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
    let rules = |days: u32, reminder: u32| {
        json!({ "minimum_notice_minutes": 30, "maximum_advance_days": days, "cancellation_notice_minutes": 180,
            "maximum_open_appointments": 4, "pending_minutes": 20, "reminder_minutes": reminder })
    };
    edits([
        change(
            Set,
            json!({ "hours.sun": ["09:00-12:00"] }),
            json!({ "hours": week }),
            json!({ "hours": sunday_too }),
            hours(r#""closes":"12:00""#, "vocês abrem domingo?", "2026-11-29"),
        ),
        change(
            Append,
            json!({ "exceptions": closed }),
            json!({ "exceptions": [city, eve] }),
            json!({ "exceptions": [city, eve, closed] }),
            hours(r#""periods":[]"#, "vocês abrem dia 09/02/2027?", "2027-02-09"),
        ),
        change(
            Take,
            json!({ "exceptions": { "date": "2026-12-12" } }),
            json!({ "exceptions": [city, eve, closed] }),
            json!({ "exceptions": [eve, closed] }),
            hours("aniversário da cidade", "vocês abrem dia 12/12?", "2026-12-12").gone(),
        ),
        change(
            Set,
            json!({ "national_holidays": false }),
            json!({ "national_holidays": true }),
            json!({}),
            hours("Natal", "vocês abrem dia 25/12?", "2026-12-25").gone(),
        ),
        change(
            Set,
            json!({ "scheduling.maximum_advance_days": 70 }),
            json!({ "scheduling": rules(45, 1_440) }),
            json!({ "scheduling": rules(70, 1_440) }),
            free("TOO_FAR", "tem horário para corte na tesoura dia 14/01?", "2027-01-14", None, "Corte na tesoura")
                .gone(),
        ),
        change(
            Set,
            json!({ "scheduling.reminder_minutes": 600 }),
            json!({ "scheduling": rules(70, 1_440) }),
            json!({ "scheduling": rules(70, 600) }),
            reminder(
                r#""minutes_before":600"#,
                "marque sobrancelha com o Wesley dia 17/12 às 10:00 e me lembre antes",
                "2026-12-17",
            ),
        ),
    ])
}

fn services() -> Vec<SampleEdit> {
    let change = |kind, fields, before, after, evidence| {
        ("services", "Sobrancelha", kind, fields, "Sobrancelha", "services.update", before, after, evidence)
    };
    let called = |name: &'static str, words: &'static str| free(UNDERSTOOD, words, "2026-12-03", None, name);
    let shows_luzes = || free(r#""service":"Luzes""#, "tem horário para luzes dia 03/12?", "2026-12-03", None, "Luzes");
    let luzes = json!({ "name": "Luzes", "price": "180.00", "duration_minutes": 90 });
    let (one, both, other) = (json!(["design"]), json!(["design", "fio"]), json!(["fio"]));
    edits([
        change(
            Set,
            json!({ "price": "39.90" }),
            json!({ "price": "25.00" }),
            json!({ "price": "39.90" }),
            offer("39,90", "quanto custa a sobrancelha?"),
        ),
        change(
            Set,
            json!({ "aliases": one }),
            json!({}),
            json!({ "aliases": one }),
            called("design", "tem horário para design dia 03/12?"),
        ),
        change(
            Append,
            json!({ "aliases": "fio" }),
            json!({ "aliases": one }),
            json!({ "aliases": both }),
            called("fio", "tem horário para fio dia 03/12?"),
        ),
        change(
            Take,
            json!({ "aliases": "design" }),
            json!({ "aliases": both }),
            json!({ "aliases": other }),
            called("design", "tem horário para design dia 03/12?").gone(),
        ),
        ("services", "", Add, luzes.clone(), "Luzes", "services.add", json!({}), luzes, shows_luzes()),
        (
            "services",
            "Luzes",
            Remove,
            Value::Null,
            "Luzes",
            "services.archive",
            json!({}),
            gone(),
            shows_luzes().gone(),
        ),
        (
            "services",
            "Luzes",
            Set,
            json!({ "active": true }),
            "Luzes",
            "services.update",
            gone(),
            json!({}),
            shows_luzes(),
        ),
    ])
}

fn plans() -> Vec<SampleEdit> {
    let change = |kind, fields, before, after, evidence| {
        ("plans", "Raiz", kind, fields, "Raiz", "plans.update", before, after, evidence)
    };
    let weekly = json!({ "name": "Semanal", "price": "25.00", "period": "week", "covers": ["Sobrancelha"] });
    let (one, both) = (json!(["Corte na máquina"]), json!(["Corte de menino", "Corte na máquina"]));
    let (first, second) = ("2 cortes na máquina por mês", "Café");
    edits([
        change(
            Set,
            json!({ "price": "99.00" }),
            json!({ "price": "89.00" }),
            json!({ "price": "99.00" }),
            plan("99,00"),
        ),
        change(
            Append,
            json!({ "covers": "Corte de menino" }),
            json!({ "covers": one }),
            json!({ "covers": both }),
            plan("Corte de menino"),
        ),
        change(
            Take,
            json!({ "covers": "Corte de menino" }),
            json!({ "covers": both }),
            json!({ "covers": one }),
            plan("Corte de menino").gone(),
        ),
        change(
            Append,
            json!({ "benefits": second }),
            json!({ "benefits": [first] }),
            json!({ "benefits": [first, second] }),
            plan(second),
        ),
        change(
            Take,
            json!({ "benefits": first }),
            json!({ "benefits": [first, second] }),
            json!({ "benefits": [second] }),
            plan(first).gone(),
        ),
        ("plans", "", Add, weekly.clone(), "Semanal", "plans.add", json!({}), weekly, plan("Semanal")),
        (
            "plans",
            "Semanal",
            Remove,
            Value::Null,
            "Semanal",
            "plans.archive",
            json!({}),
            gone(),
            plan("Semanal").gone(),
        ),
        (
            "plans",
            "Semanal",
            Set,
            json!({ "active": true }),
            "Semanal",
            "plans.update",
            gone(),
            json!({}),
            plan("Semanal"),
        ),
    ])
}

fn crm() -> Vec<SampleEdit> {
    let (davi, bia) = ("davi@figueira.example", "bia@figueira.example");
    let new = json!({ "name": "Bia", "email": bia, "role": "attendant" });
    let (one, both) = (json!(["Interessado"]), json!(["Interessado", "Matriculado"]));
    let courses = json!({ "name": "Cursos", "stages": one });
    edits([
        ("pipelines", "", Add, courses.clone(), "Cursos", "pipelines.add", json!({}), courses, stages("Cursos")),
        (
            "pipelines",
            "Cursos",
            Append,
            json!({ "stages": "Matriculado" }),
            "Cursos",
            "pipelines.update",
            json!({ "stages": one }),
            json!({ "stages": both }),
            stages("Matriculado"),
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
            stages("Cursos").gone(),
        ),
        (
            "tags",
            "",
            Add,
            json!({ "name": "Novo" }),
            "Novo",
            "tags.add",
            json!({}),
            json!({ "name": "Novo" }),
            tags(r#""Novo""#),
        ),
        (
            "tags",
            "Novo",
            Remove,
            Value::Null,
            "Novo",
            "tags.remove",
            json!({ "name": "Novo" }),
            json!({}),
            tags(r#""Novo""#).gone(),
        ),
        (
            "staff",
            davi,
            Set,
            json!({ "on_duty": false }),
            davi,
            "staff.update",
            json!({}),
            json!({ "on_duty": false }),
            hand_off("Davi Lopes").gone(),
        ),
        ("staff", "", Add, new.clone(), bia, "staff.add", json!({}), new, hand_off("Bia")),
        ("staff", bia, Remove, Value::Null, bia, "staff.archive", json!({}), gone(), hand_off("Bia").gone()),
        ("staff", bia, Set, json!({ "active": true }), bia, "staff.update", gone(), json!({}), hand_off("Bia")),
    ])
}

fn texts() -> Vec<SampleEdit> {
    let pets = |content: &str| json!({ "title": "Pets", "content": content });
    let content = |content: &str| json!({ "content": content });
    let notice = |body: &str| json!({ "name": "aviso", "category": "utility", "language": "pt_BR", "body": body });
    let list = |path: &str| json!({ "key": "lista", "kind": "document", "path": path });
    let (old, new) = ("Pode trazer.", "Na coleira.");
    let (hello, hi, told) = ("Olá {{1}}", "Oi {{1}}", "aviso (pt_BR)");
    let of_templates = "a template is sent when a channel's window is closed, which it never is in a customer's turn";
    let of_media = "no tool sends files";
    let written = json!({ "name": "aviso", "category": "utility", "body": hello });
    edits([
        ("knowledge", "", Add, pets(old), "Pets", "knowledge.add", json!({}), pets(old), known(old)),
        ("knowledge", "Pets", Set, content(new), "Pets", "knowledge.update", content(old), content(new), known(new)),
        ("knowledge", "Pets", Remove, Value::Null, "Pets", "knowledge.remove", pets(new), json!({}), known(new).gone()),
        (
            "templates",
            "",
            Add,
            written,
            told,
            "templates.add",
            json!({}),
            notice(hello),
            Evidence::of_version(hello, of_templates),
        ),
        (
            "templates",
            "aviso",
            Set,
            json!({ "body": hi }),
            told,
            "templates.update",
            json!({ "body": hello }),
            json!({ "body": hi }),
            Evidence::of_version(hi, of_templates),
        ),
        (
            "templates",
            "aviso",
            Remove,
            Value::Null,
            told,
            "templates.remove",
            notice(hi),
            json!({}),
            Evidence::of_version(hi, of_templates).gone(),
        ),
        (
            "media",
            "",
            Add,
            list("lista.pdf"),
            "lista",
            "media.add",
            json!({}),
            list("lista.pdf"),
            Evidence::of_version("lista.pdf", of_media),
        ),
        (
            "media",
            "lista",
            Set,
            json!({ "path": "nova.pdf" }),
            "lista",
            "media.update",
            json!({ "path": "lista.pdf" }),
            json!({ "path": "nova.pdf" }),
            Evidence::of_version("nova.pdf", of_media),
        ),
        (
            "media",
            "lista",
            Remove,
            Value::Null,
            "lista",
            "media.remove",
            list("nova.pdf"),
            json!({}),
            Evidence::of_version("nova.pdf", of_media).gone(),
        ),
    ])
}
