//! Single edits of professionals.

use serde_json::{Value, json};

use super::EditKind::{Add, Append, Remove, Set, Take};
use super::evidence::{FREE, UNDERSTOOD, free, offer};
use super::{SampleEdit, edits, gone};

pub(super) fn edits_of_professionals() -> Vec<SampleEdit> {
    let change = |name, kind, fields, before, after, evidence| {
        ("professionals", name, kind, fields, name, "professionals.update", before, after, evidence)
    };
    let (scissors, machine, boy) = ("Corte na tesoura", "Corte na máquina", "Corte de menino");
    // The offline model leaves a name out that it does not know.
    let called_irinha = || {
        let words = "tem horário para corte na tesoura com a Irinha dia 03/12?";
        free(UNDERSTOOD, words, "2026-12-03", Some("Irinha"), scissors).by_script()
    };
    let asks_boy = "tem horário para corte de menino com o Wesley dia 01/12?";
    let (otavio, wesley, iris) = ("Otávio Prado", "Wesley Moura", "Íris Valente");
    let away = json!({ "from": "2027-01-04T00:00", "to": "2027-01-11T00:00" });
    let holidays = json!({ "from": "2027-01-04T00:00", "to": "2027-01-11T00:00", "note": "férias" });
    let late = json!({ "date": "2026-12-23", "periods": ["12:00-22:00"] });
    let (iris_names, more_names) = (json!(["Iris", "Íris"]), json!(["Irinha", "Iris", "Íris"]));
    let offered = json!(["Barba desenhada", "Corte e barba", "Corte na máquina", "Sobrancelha"]);
    let more = json!(["Barba desenhada", "Corte de menino", "Corte e barba", "Corte na máquina", "Sobrancelha"]);
    let week = |saturday: &[&str]| {
        let mut days = json!({ "mon": ["13:00-20:00"], "tue": ["09:00-12:00", "13:30-20:00"],
            "wed": ["09:00-12:00", "13:30-20:00"], "thu": ["09:00-18:00"], "fri": ["12:00-21:00"] });
        if let (false, Some(days)) = (saturday.is_empty(), days.as_object_mut()) {
            days.insert("sat".to_owned(), json!(saturday));
        }
        days
    };
    let offers = |minutes: u32| {
        let both = json!({ "name": "Corte e barba", "duration_minutes": minutes, "price": "95.00" });
        json!(["Barba desenhada", both, "Corte na máquina", "Corte na tesoura"])
    };
    let nina = json!({ "name": "Nina", "hours": { "mon": ["13:00-20:00"] }, "services": ["Sobrancelha"] });
    edits([
        change(
            otavio,
            Append,
            json!({ "time_off": away }),
            json!({}),
            json!({ "time_off": [away] }),
            free(
                FREE,
                "tem horário para corte na tesoura com o Otávio dia 05/01?",
                "2027-01-05",
                Some("Otávio"),
                scissors,
            )
            .gone(),
        ),
        change(
            wesley,
            Take,
            json!({ "time_off": { "from": "2027-01-04T00:00" } }),
            json!({ "time_off": [holidays] }),
            json!({}),
            free(
                FREE,
                "tem horário para corte na máquina com o Wesley dia 05/01?",
                "2027-01-05",
                Some("Wesley"),
                machine,
            ),
        ),
        change(
            otavio,
            Append,
            json!({ "exceptions": late }),
            json!({}),
            json!({ "exceptions": [late] }),
            free(
                "21:00",
                "tem horário para corte na tesoura com o Otávio dia 23/12 à noite?",
                "2026-12-23",
                Some("Otávio"),
                scissors,
            ),
        ),
        change(
            wesley,
            Take,
            json!({ "exceptions": { "date": "2026-12-23" } }),
            json!({ "exceptions": [late] }),
            json!({}),
            free(
                "21:00",
                "tem horário para corte na máquina com o Wesley dia 23/12 à noite?",
                "2026-12-23",
                Some("Wesley"),
                machine,
            )
            .gone(),
        ),
        change(
            iris,
            Append,
            json!({ "aliases": "Irinha" }),
            json!({ "aliases": iris_names }),
            json!({ "aliases": more_names }),
            called_irinha(),
        ),
        change(
            iris,
            Take,
            json!({ "aliases": "Irinha" }),
            json!({ "aliases": more_names }),
            json!({ "aliases": iris_names }),
            called_irinha().gone(),
        ),
        change(
            wesley,
            Append,
            json!({ "services": "Corte de menino" }),
            json!({ "services": offered }),
            json!({ "services": more }),
            free(FREE, asks_boy, "2026-12-01", Some("Wesley"), boy),
        ),
        change(
            wesley,
            Take,
            json!({ "services": "Corte de menino" }),
            json!({ "services": more }),
            json!({ "services": offered }),
            free(FREE, asks_boy, "2026-12-01", Some("Wesley"), boy).gone(),
        ),
        change(
            otavio,
            Set,
            json!({ "hours.sat": ["08:00-12:00"] }),
            json!({ "hours": week(&[]) }),
            json!({ "hours": week(&["08:00-12:00"]) }),
            free(
                FREE,
                "tem horário para corte na tesoura com o Otávio dia 05/12?",
                "2026-12-05",
                Some("Otávio"),
                scissors,
            ),
        ),
        change(
            otavio,
            Set,
            json!({ "services": offers(75) }),
            json!({ "services": offers(50) }),
            json!({ "services": offers(75) }),
            free(
                r#""duration_minutes":75"#,
                "tem horário para corte e barba com o Otávio dia 03/12?",
                "2026-12-03",
                Some("Otávio"),
                "Corte e barba",
            ),
        ),
        (
            "professionals",
            "",
            Add,
            nina.clone(),
            "Nina",
            "professionals.add",
            json!({}),
            nina,
            offer("Nina", "quem trabalha aí?"),
        ),
        change(
            "Nina",
            Set,
            json!({ "restrictions": "só de manhã" }),
            json!({}),
            json!({ "restrictions": "só de manhã" }),
            offer("só de manhã", "quem trabalha aí?"),
        ),
        (
            "professionals",
            "Nina",
            Remove,
            Value::Null,
            "Nina",
            "professionals.archive",
            json!({}),
            gone(),
            offer("Nina", "quem trabalha aí?").gone(),
        ),
        (
            "professionals",
            "Nina",
            Set,
            json!({ "active": true }),
            "Nina",
            "professionals.update",
            gone(),
            json!({}),
            offer("Nina", "quem trabalha aí?"),
        ),
    ])
}
