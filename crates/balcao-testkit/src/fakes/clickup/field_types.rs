//! The custom fields of the list: one of every type.

use serde_json::{Value, json};

/// The types, with the names that the list gives them.
const TYPES: [(&str, &str); 27] = [
    ("text", "Observações"),
    ("short_text", "Apelido"),
    ("email", "E-mail"),
    ("phone", "Telefone"),
    ("url", "Site"),
    ("number", "Nota"),
    ("currency", "Valor"),
    ("checkbox", "Confirmado"),
    ("date", "Retorno"),
    ("drop_down", "Origem"),
    ("labels", "Serviços"),
    ("users", "Responsável"),
    ("tasks", "Relacionadas"),
    ("list_relationship", "Cliente"),
    ("attachment", "Fotos"),
    ("location", "Endereço"),
    ("manual_progress", "Andamento"),
    ("automatic_progress", "Progresso"),
    ("formula", "Dias"),
    ("emoji", "Avaliação"),
    ("rollup", "Total"),
    ("time_tracking", "Tempo"),
    ("votes", "Votos"),
    ("signature", "Assinatura"),
    ("button", "Enviar"),
    ("short_text", "Código"),
    ("number", "Idade"),
];

/// All fields of the list.
pub(super) fn all() -> Vec<Value> {
    let option = |index: u32, name: &str, key: &str| {
        let id = format!("0f00000{index}-0000-4000-8000-0000000000{:02}", key.len());
        let mut option = json!({ "id": id, "color": "#2ecd6f", "orderindex": index });
        option[key] = json!(name);
        option
    };
    let config = |kind: &str| match kind {
        "drop_down" => json!({ "options": [option(0, "WhatsApp", "name"), option(1, "Indicação", "name")] }),
        "labels" => json!({ "options": [option(0, "Corte", "label"), option(1, "Coloração", "label")] }),
        "emoji" => json!({ "count": 5, "code_point": "2b50" }),
        "manual_progress" => json!({ "start": 0, "end": 100, "current": 0 }),
        "currency" => json!({ "precision": 2, "currency_type": "BRL" }),
        _ => json!({}),
    };
    let field = |(index, (kind, name)): (usize, &(&str, &str))| {
        let id = format!("5a3c9d0e-{index:04}-4222-8333-444455556666");
        json!({ "id": id, "name": name, "type": kind, "type_config": config(kind), "date_created": "1790000000000",
            "hide_from_guests": false, "required": false })
    };
    TYPES.iter().enumerate().map(field).collect()
}
