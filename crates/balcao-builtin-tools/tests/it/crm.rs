//! Pack `crm`.

use balcao_store::{StoreError, ops::audit};
use balcao_tool::ReceiptKind;
use serde_json::{Value, json};

use crate::world::{Problems, World, bad, error, figueira, proven, settings, vereda, world};

async fn tags(world: &World) -> Value {
    world.call(world.livia().await, "get_contact_info", json!({})).await.value["tags"].clone()
}

#[tokio::test]
async fn get_contact_info_tells_what_is_on_file_about_who_writes() {
    let world = figueira().await;
    let result = world.call(world.caio().await, "get_contact_info", json!({})).await;
    let fields = [
        "id",
        "name",
        "phone",
        "email",
        "tags",
        "pipeline_stages",
        "pipeline_stages/0/pipeline",
        "pipeline_stages/0/stage",
    ];
    let value = world.listed("get_contact_info", &result, &fields);
    assert_eq!(
        value,
        json!({
            "id": value["id"].as_i64().unwrap(),
            "name": "Caio Brandão",
            "preferred_name": "Caio",
            "phone": "+5531996401177",
            "email": "caio.brandao@example.com",
            "address": "Rua Sergipe, 90, Belo Horizonte",
            "custom_fields": {"time": "Galo", "café": "sem açúcar"},
            "tags": ["Mensalista", "Prefere manhã"],
            "pipeline_stages": [{"pipeline": "Relacionamento", "stage": "Frequente"}],
        })
    );
    // Nobody can ask about somebody else: identity is not an argument.
    let other = world.call(world.caio().await, "get_contact_info", json!({"phone": "31 98432-7788", "id": 2})).await;
    let rows = [("/id".to_owned(), "unknown_field".to_owned()), ("/phone".to_owned(), "unknown_field".to_owned())];
    assert_eq!(bad(&other), rows);
    let visitor = world.call(world.visitor().await, "get_contact_info", json!({})).await.value;
    assert_eq!(
        (&visitor["name"], &visitor["phone"], &visitor["tags"]),
        (&json!("Visitante do site"), &json!(null), &json!([]))
    );
}

#[tokio::test]
async fn add_tag_adds_a_known_tag_once() {
    let world = figueira().await;
    let livia = world.livia().await;
    let added = world.twice(livia, "add_tag", json!({"tag_name": "mensalista"})).await;
    let value = world.listed("add_tag", &added, &["success", "message"]);
    let expected =
        json!({"success": true, "tag": "Mensalista", "already_existed": false, "message": "Etiqueta adicionada."});
    assert_eq!(value, expected);
    let again = world.call(livia.in_english(), "add_tag", json!({"tag_name": "Mensalista"})).await.value;
    assert_eq!(
        (&again["already_existed"], &again["message"]),
        (&json!(true), &json!("The customer had this tag already."))
    );
    assert_eq!(tags(&world).await, json!(["Indicação", "Mensalista"]));
    // The customer never sees a tag: it proves nothing that a reply may say.
    assert_eq!(proven(&added), []);
}

#[tokio::test]
async fn add_tag_creates_only_what_the_profile_allows() {
    let world = figueira().await;
    let livia = world.livia().await;
    let details = error(&world.call(livia, "add_tag", json!({"tag_name": "Mensalistas"})).await, "not_found");
    assert_eq!((&details["argument"], &details["nearest"]), (&json!("tag_name"), &json!(["Mensalista"])));
    assert_eq!(details["available"].as_array().unwrap().len(), 3);
    assert_eq!(tags(&world).await, json!(["Indicação"]));

    let free = balcao_builtin_tools::Settings { allow_new_tags: true, ..settings() };
    let world = crate::world::world("barbearia-figueira.yaml", "2026-11-24T10:00", &free, |text| text).await;
    let new = world.twice(world.livia().await, "add_tag", json!({"tag_name": " Noivo "})).await.value;
    assert_eq!((&new["success"], &new["tag"], &new["already_existed"]), (&json!(true), &json!("Noivo"), &json!(false)));
    assert_eq!(tags(&world).await, json!(["Indicação", "Noivo"]));
}

#[tokio::test]
async fn remove_tag_says_whether_it_was_there() {
    let world = figueira().await;
    let livia = world.livia().await;
    let removed = world.twice(livia, "remove_tag", json!({"tag_name": "indicacao"})).await;
    let value = world.listed("remove_tag", &removed, &["success", "message", "was_present"]);
    let expected = json!({"success": true, "tag": "Indicação", "was_present": true, "message": "Etiqueta removida."});
    assert_eq!(value, expected);
    assert_eq!((tags(&world).await, proven(&removed)), (json!([]), vec![]));
    let again = world.call(livia.in_english(), "remove_tag", json!({"tag_name": "Indicação"})).await.value;
    assert_eq!(
        (&again["was_present"], &again["message"]),
        (&json!(false), &json!("The customer did not have this tag."))
    );
    let details = error(&world.call(livia, "remove_tag", json!({"tag_name": "Indicacões"})).await, "not_found");
    assert_eq!(details["nearest"], json!(["Indicação"]));
}

#[tokio::test]
async fn list_pipeline_stages_shows_where_the_contact_stands() {
    let world = vereda().await;
    let result = world.call(world.who("81 99701-5522").await, "list_pipeline_stages", json!({})).await;
    let first = |field: &str| format!("pipelines/0/{field}");
    let fields = ["name", "stages", "stages/0/name", "stages/0/position", "stages/0/current"].map(first);
    let fields: Vec<&str> = std::iter::once("pipelines").chain(fields.iter().map(String::as_str)).collect();
    let value = world.listed("list_pipeline_stages", &result, &fields);
    let stage =
        |name: &str, position: u32, current: bool| json!({"name": name, "position": position, "current": current});
    assert_eq!(
        value,
        json!({"pipelines": [
            {"name": "Pacientes", "stages": [stage("Novo", 1, false), stage("Em tratamento", 2, true), stage("Alta", 3, false)]},
            {"name": "Convênios", "stages": [stage("Novo", 1, false), stage("Documentos enviados", 2, false), stage("Aprovado", 3, true)]},
        ]})
    );
}

#[tokio::test]
async fn move_pipeline_stage_moves_or_begins() {
    let world = vereda().await;
    let jorge = world.who("81 98655-4410").await;
    let moved = world.twice(jorge, "move_pipeline_stage", json!({"stage_name": "alta"})).await;
    let value = world.listed("move_pipeline_stage", &moved, &["success", "message", "action"]);
    let expected = json!({"success": true, "pipeline": "Pacientes", "stage": "Alta", "action": "updated", "message": "Etapa atualizada."});
    assert_eq!((value, proven(&moved)), (expected, vec![]));
    let args = json!({"stage_name": "Novo", "pipeline_name": "convenios"});
    let begun = world.call(jorge.in_english(), "move_pipeline_stage", args).await.value;
    let expected = json!({"success": true, "pipeline": "Convênios", "stage": "Novo", "action": "created", "message": "Stage updated."});
    assert_eq!(begun, expected);
    let stages = world.call(jorge, "get_contact_info", json!({})).await.value["pipeline_stages"].clone();
    let stands = |pipeline: &str, stage: &str| json!({"pipeline": pipeline, "stage": stage});
    assert_eq!(stages, json!([stands("Pacientes", "Alta"), stands("Convênios", "Novo")]));
}

#[tokio::test]
async fn move_pipeline_stage_asks_about_what_it_cannot_tell() {
    let world = vereda().await;
    let jorge = world.who("81 98655-4410").await;
    let call = |args| world.call(jorge, "move_pipeline_stage", args);
    let details = error(&call(json!({"stage_name": "Aprovados"})).await, "not_found");
    assert_eq!(details["nearest"], json!(["Aprovado"]));
    let available = details["available_stages"].as_array().unwrap();
    assert_eq!((available.len(), &available[0]), (6, &json!({"pipeline": "Pacientes", "stage": "Novo"})));
    let details = error(&call(json!({"stage_name": "novo"})).await, "ambiguous");
    let both = json!([{"pipeline": "Pacientes", "stage": "Novo"}, {"pipeline": "Convênios", "stage": "Novo"}]);
    assert_eq!(details["candidates"], both);
    let details = error(&call(json!({"stage_name": "Novo", "pipeline_name": "Fornecedores"})).await, "not_found");
    assert_eq!(
        (&details["argument"], &details["available"]),
        (&json!("pipeline_name"), &json!(["Pacientes", "Convênios"]))
    );
    let stages = world.call(jorge, "get_contact_info", json!({})).await.value["pipeline_stages"].clone();
    assert_eq!(stages, json!([{"pipeline": "Pacientes", "stage": "Em tratamento"}]));
}

#[tokio::test]
async fn add_internal_note_is_kept_for_staff_once() {
    let world = figueira().await;
    let caio = world.caio().await;
    let noted = world.twice(caio, "add_internal_note", json!({"content": " Chega dez minutos antes. "})).await;
    let value = world.listed("add_internal_note", &noted, &["success", "message"]);
    assert_eq!(value, json!({"success": true, "message": "Nota guardada para a equipe."}));
    assert_eq!(proven(&noted), [ReceiptKind::Noted]);
    let english = world.call(caio.in_english(), "add_internal_note", json!({"content": "x"})).await.value;
    assert_eq!(english["message"], "Note kept for staff.");
    let notes =
        balcao_app::crm::notes::Notes::new(world.app.clone()).list(world.organization, caio.contact).await.unwrap();
    let notes: Vec<&str> = notes.iter().map(|note| note.content.as_str()).collect();
    assert_eq!(notes, ["Pede sempre a cadeira da janela.", "Chega dez minutos antes.", "x"]);
    let blank = world.call(caio, "add_internal_note", json!({"content": "  "})).await;
    assert_eq!(bad(&blank), [("/content".to_owned(), "empty".to_owned())]);
    assert_eq!(blank.value["details"]["fields"][0]["got"], "  ");
}

#[tokio::test]
async fn update_contact_changes_what_was_told_and_keeps_the_old() {
    let world = figueira().await;
    let livia = world.livia().await;
    let args =
        json!({"email": "livia@EXAMPLE.com", "preferred_name": "Lili", "custom_fields": {"pet": "Nina", "filhos": 2}});
    let changed = world.twice(livia, "update_contact", args.clone()).await;
    let value = world.listed("update_contact", &changed, &["success", "message", "updated"]);
    let updated = json!(["preferred_name", "email", "filhos", "pet"]);
    assert_eq!(value, json!({"success": true, "updated": updated, "message": "Dados atualizados."}));
    assert_eq!(proven(&changed), [ReceiptKind::Updated]);
    let same = world.call(livia.in_english(), "update_contact", args).await.value;
    assert_eq!((&same["updated"], &same["message"]), (&json!([]), &json!("Updated.")));
    let info = world.call(livia, "get_contact_info", json!({})).await.value;
    let read = (&info["email"], &info["preferred_name"], &info["custom_fields"], &info["phone"]);
    let kept =
        (json!("livia@example.com"), json!("Lili"), json!({"pet": "Nina", "filhos": "2"}), json!("+5531984327788"));
    assert_eq!(read, (&kept.0, &kept.1, &kept.2, &kept.3));
    let (organization, subject) = (world.organization, livia.contact.to_string());
    let log: Result<_, StoreError> =
        world.app.store.read(move |tx| audit::of_subject(tx, organization, &subject)).await;
    let log = log.unwrap();
    assert_eq!((log.len(), log[0].action.as_str()), (1, "contact.update"));
    assert!(log[0].before.as_ref().unwrap().contains("\"email\":null"));
}

#[tokio::test]
async fn update_contact_names_each_bad_field() {
    let world = figueira().await;
    let livia = world.livia().await;
    let long = "x".repeat(600);
    let table = [
        (json!({"phone": "31 99999-0000"}), vec![("/phone", "unknown_field")]),
        (json!({"organization": 2}), vec![("/organization", "unknown_field")]),
        (json!({}), vec![("", "too_few")]),
        (json!({"custom_fields": {}}), vec![("", "too_few")]),
        (json!({"email": "livia", "name": "   "}), vec![("/email", "bad_format"), ("/name", "empty")]),
        (json!({"custom_fields": {"pet": long}}), vec![("/custom_fields/pet", "too_long")]),
        (json!({"custom_fields": {" ": "x"}}), vec![("/custom_fields/ ", "empty")]),
        (json!({"name": 7, "email": "a"}), vec![("/email", "too_short"), ("/name", "wrong_type")]),
    ];
    for (args, expected) in table {
        let result = world.call(livia, "update_contact", args.clone()).await;
        let expected: Vec<_> = expected.into_iter().map(|(at, what)| (at.to_owned(), what.to_owned())).collect();
        assert_eq!(bad(&result), expected, "{args}");
    }
    let email = world.call(livia, "update_contact", json!({"email": "livia@"})).await;
    assert_eq!(email.value["details"]["fields"][0]["got"], "livia@");
    let info = world.call(livia, "get_contact_info", json!({})).await.value;
    assert_eq!((&info["name"], &info["email"]), (&json!("Lívia Campos"), &json!(null)));
}

#[tokio::test]
async fn search_knowledge_base_answers_or_says_nothing() {
    let world = figueira().await;
    let caio = world.caio().await;
    let found = world.call(caio, "search_knowledge_base", json!({"query": "vocês aceitam cartão?"})).await;
    let fields = ["results", "count", "results/0/title", "results/0/content", "results/0/category"];
    let value = world.listed("search_knowledge_base", &found, &fields);
    let first = json!({
        "title": "O que aceitamos",
        "content": "Pix, cartão de débito, cartão de crédito em até duas vezes e dinheiro.",
        "category": "Pagamento",
    });
    assert_eq!(value["results"][0], first);
    assert_eq!(value["count"], json!(value["results"].as_array().unwrap().len()));
    // Without a category the field is there and empty.
    let gift = world.call(caio, "search_knowledge_base", json!({"query": "vale-presente"})).await;
    assert_eq!(gift.value["results"][0]["category"], json!(null));
    let nothing = world.call(caio, "search_knowledge_base", json!({"query": "bicicleta"})).await;
    assert_eq!(world.listed("search_knowledge_base", &nothing, &[]), json!({"results": [], "count": 0}));
    let inside = world.call(caio, "search_knowledge_base", json!({"query": "cartão", "category": "criancas"})).await;
    assert_eq!(world.listed("search_knowledge_base", &inside, &[])["count"], 0);
    let unknown =
        world.call(caio, "search_knowledge_base", json!({"query": "pix", "category": "Pagamentoss e prazos"})).await;
    let details = error(&unknown, "not_found");
    assert_eq!((&details["argument"], details["available"].as_array().unwrap().len()), (&json!("category"), 4));
}

#[tokio::test]
async fn get_business_hours_knows_exceptions_and_holidays() {
    let world = figueira().await;
    let caio = world.caio().await;
    let week = world.call(caio, "get_business_hours", json!({})).await;
    let fields = ["timezone", "open_now", "next_opening", "days", "days/0/date", "days/0/weekday", "days/0/periods"];
    let value = world.listed("get_business_hours", &week, &fields);
    world.demanded("get_business_hours", &value, &["days/0/periods/0/opens", "days/0/periods/0/closes"]);
    assert_eq!((&value["timezone"], &value["open_now"]), (&json!("America/Sao_Paulo"), &json!(true)));
    assert_eq!(value["next_opening"], "2026-11-25T09:00");
    assert_eq!(value["days"].as_array().unwrap().len(), 7);
    let today = json!({"date": "2026-11-24", "weekday": "terça", "periods": [{"opens": "09:00", "closes": "20:00"}]});
    assert_eq!(value["days"][0], today);
    let table = [
        ("2026-12-12", json!([]), Some("Fechado: aniversário da cidade")),
        ("23/12", json!([{"opens": "08:00", "closes": "22:00"}]), Some("Horário estendido de Natal")),
        ("2026-12-25", json!([]), Some("Natal")),
        ("domingo", json!([]), None),
    ];
    for (date, periods, note) in table {
        let days = world.call(caio, "get_business_hours", json!({"date": date})).await.value["days"].clone();
        assert_eq!((days.as_array().unwrap().len(), &days[0]["periods"]), (1, &periods), "{date}");
        assert_eq!(days[0].get("note").and_then(Value::as_str), note, "{date}");
    }
    let english = world.call(caio.in_english(), "get_business_hours", json!({"date": "2026-11-28"})).await.value;
    assert_eq!(english["days"][0]["weekday"], "Saturday");
    let wrong = world.call(caio, "get_business_hours", json!({"date": "quarta-feira 2026-11-24"})).await;
    let details = error(&wrong, "invalid_arguments");
    assert_eq!(
        (&details["fields"][0]["pointer"], &details["fields"][0]["nearest"]),
        (&json!("/date"), &json!("2026-11-24"))
    );
}

#[tokio::test]
async fn a_business_that_never_opens_has_no_next_opening() {
    let closed = |text: String| text.replace("sat: [\"08:00-17:00\"]\n  exceptions", "sat: []\n  exceptions");
    let only_holidays = move |text: String| {
        let (head, tail) = closed(text).split_once("  hours: ").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        let (_, rest) = tail.split_once("  exceptions:").unwrap();
        format!("{head}  hours: {{}}\n  exceptions:{rest}")
            .replace("08:00-22:00", "")
            .replace("periods: [\"\"]", "periods: []")
    };
    let world = world("barbearia-figueira.yaml", "2026-11-24T10:00", &settings(), only_holidays).await;
    let result = world.call(world.caio().await, "get_business_hours", json!({"date": "hoje"})).await;
    let value = world.listed("get_business_hours", &result, &["next_opening"]);
    assert_eq!((&value["open_now"], &value["next_opening"]), (&json!(false), &json!(null)));
}

#[tokio::test]
async fn transfer_to_human_tells_who_takes_over() {
    let world = figueira().await;
    let caio = world.caio().await;
    let reason = "Quer negociar o preço de um pacote.";
    let result = world.twice(caio, "transfer_to_human", json!({"reason": reason})).await;
    let value = world.listed("transfer_to_human", &result, &["success", "assigned_to", "reason", "message"]);
    let message = "A equipe foi avisada e assume a conversa.";
    assert_eq!(value, json!({"success": true, "assigned_to": "Davi Lopes", "reason": reason, "message": message}));
    assert_eq!(proven(&result), [ReceiptKind::HandedOff]);
    let english = world.call(caio.in_english(), "transfer_to_human", json!({"reason": "x"})).await.value;
    assert_eq!(english["message"], "Staff have been told and take the conversation.");
    // With nobody on duty the queue has it.
    let nobody = |text: String| {
        text.replace("on_duty: true", "on_duty: false").replace("role: owner,", "role: owner, on_duty: false,")
    };
    let world = crate::world::world("barbearia-figueira.yaml", "2026-11-24T10:00", &settings(), nobody).await;
    let queued = world.call(world.caio().await, "transfer_to_human", json!({"reason": "x"})).await;
    assert_eq!(world.listed("transfer_to_human", &queued, &["assigned_to"])["assigned_to"], json!(null));
}

#[tokio::test]
async fn bad_arguments_are_named_before_anything_runs() {
    let world = figueira().await;
    let livia = world.livia().await;
    let long = "x".repeat(3000);
    let table: [(&str, Value, Problems); 14] = [
        ("add_tag", json!({}), &[("/tag_name", "missing")]),
        ("add_tag", json!({"tag_name": ""}), &[("/tag_name", "too_short")]),
        ("add_tag", json!({"tag": "VIP"}), &[("/tag", "unknown_field"), ("/tag_name", "missing")]),
        ("remove_tag", json!({"tag_name": ["a", "b"]}), &[("/tag_name", "wrong_type")]),
        ("list_pipeline_stages", json!({"pipeline": "x"}), &[("/pipeline", "unknown_field")]),
        (
            "move_pipeline_stage",
            json!({"pipeline_name": ""}),
            &[("/pipeline_name", "too_short"), ("/stage_name", "missing")],
        ),
        ("add_internal_note", json!({"content": long}), &[("/content", "too_long")]),
        (
            "search_knowledge_base",
            json!({"query": "", "category": ""}),
            &[("/category", "too_short"), ("/query", "too_short")],
        ),
        ("get_business_hours", json!({"date": 28}), &[("/date", "wrong_type")]),
        ("get_business_hours", json!({"dia": "hoje"}), &[("/dia", "unknown_field")]),
        ("transfer_to_human", json!({}), &[("/reason", "missing")]),
        ("transfer_to_human", json!({"reason": ""}), &[("/reason", "too_short")]),
        ("update_contact", json!({"custom_fields": {"a": [1]}}), &[("/custom_fields/a", "wrong_type")]),
        ("get_contact_info", json!({"contact_id": 1}), &[("/contact_id", "unknown_field")]),
    ];
    for (tool, args, expected) in table {
        let result = world.call(livia, tool, args.clone()).await;
        let expected: Vec<_> = expected.iter().map(|(at, what)| ((*at).to_owned(), (*what).to_owned())).collect();
        assert_eq!(bad(&result), expected, "{tool} {args}");
    }
    let result = world.call(livia.in_english(), "add_tag", json!({"tag": "VIP"})).await;
    let fields = error(&result, "invalid_arguments")["fields"].clone();
    let near: Vec<&Value> = fields.as_array().unwrap().iter().filter_map(|field| field.get("nearest")).collect();
    assert_eq!(near, [&json!("tag_name")]);
    assert!(result.value["_context"].as_str().unwrap().starts_with("Mend only"));
}
