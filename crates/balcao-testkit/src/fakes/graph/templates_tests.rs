use super::*;

fn used(name: &str, language: &str, parameters: &[Value]) -> Value {
    json!({ "name": name, "language": { "code": language },
        "components": [{ "type": "body", "parameters": parameters }] })
}

fn named(name: &str) -> Value {
    json!({ "type": "text", "parameter_name": name, "text": "x" })
}

fn code(all: &[Template], used: &Value) -> Option<i64> {
    fits(all, used).err().map(|broken| broken.code)
}

#[test]
fn a_template_is_held_against_what_was_approved() {
    let plain = || json!({ "type": "text", "text": "x" });
    let all = [
        Template::new("lembrete", "Oi {{nome}}, seu horário é {{hora}}."),
        Template::new("aviso", "Oi {{1}}, há {{2}}."),
        Template::new("aviso", "Hi {{1}}, new: {{2}}.").in_language("en"),
        Template::new("cansado", "Oi.").in_state("PAUSED"),
        Template::new("fora", "Oi.").in_state("DISABLED"),
        Template::new("novo", "Oi.").in_state("PENDING"),
    ];
    for (message, verdict) in [
        (used("lembrete", "pt_BR", &[named("nome"), named("hora")]), None),
        (used("lembrete", "pt_BR", &[named("hora"), named("nome")]), None),
        (used("aviso", "en", &[plain(), plain()]), None),
        (used("sumiu", "pt_BR", &[]), Some(132_001)),
        (used("lembrete", "en", &[named("nome"), named("hora")]), Some(132_001)),
        (used("novo", "pt_BR", &[]), Some(132_001)),
        (used("cansado", "pt_BR", &[]), Some(132_015)),
        (used("fora", "pt_BR", &[]), Some(132_016)),
        (used("lembrete", "pt_BR", &[named("nome")]), Some(132_000)),
        (used("aviso", "pt_BR", &[plain(), plain(), plain()]), Some(132_000)),
        (used("lembrete", "pt_BR", &[named("nome"), named("dia")]), Some(132_012)),
        (used("lembrete", "pt_BR", &[plain(), plain()]), Some(132_012)),
        (used("aviso", "pt_BR", &[named("1"), named("2")]), Some(132_012)),
        (used("aviso", "pt_BR", &[plain(), json!({ "type": "text", "text": "x".repeat(1_024) })]), Some(132_005)),
    ] {
        assert_eq!(code(&all, &message), verdict, "{message}");
    }
}

#[test]
fn a_button_answers_only_where_the_template_has_one() {
    let all = [Template::new("lembrete", "Vem?").with_buttons(&["Confirmar", "Remarcar"])];
    let pressed = |index: &str, kind: &str| {
        let button = json!({ "type": "button", "sub_type": kind, "index": index,
            "parameters": [{ "type": "payload", "payload": "p" }] });
        code(&all, &json!({ "name": "lembrete", "language": { "code": "pt_BR" }, "components": [button] }))
    };
    assert_eq!((pressed("0", "quick_reply"), pressed("1", "quick_reply")), (None, None));
    assert_eq!((pressed("2", "quick_reply"), pressed("0", "url")), (Some(132_018), Some(132_018)));
}
