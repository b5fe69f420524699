//! Values of ClickUp's custom fields are checked by what the fields are in ClickUp, whatever the call says of them.

use std::path::Path;

use balcao_tool::{CallDecision, CallResult, Locale, ResultClass, RunMode, Toolbox, validate_call};
use serde_json::{Value, json};

use crate::world::{Canned, context, toolbox};

const VOTES: &str = "5a3c9d0e-0022-4222-8333-444455556666";
const DATE: &str = "5a3c9d0e-0008-4222-8333-444455556666";
const ORIGIN: &str = "5a3c9d0e-0009-4222-8333-444455556666";
const STARS: &str = "5a3c9d0e-0019-4222-8333-444455556666";
const WHATSAPP: &str = "0f000000-0000-4000-8000-000000000004";

fn fields() -> Value {
    json!([
        {"id": VOTES, "name": "Votos", "type": "votes", "type_config": {}},
        {"id": DATE, "name": "Retorno", "type": "date", "type_config": {}},
        {"id": ORIGIN, "name": "Origem", "type": "drop_down", "type_config": {"options": [{"id": WHATSAPP, "name": "WhatsApp", "orderindex": 0}]}},
        {"id": STARS, "name": "Avaliação", "type": "emoji", "type_config": {"count": 3}},
    ])
}

fn clickup(world: &Canned) -> Toolbox {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/clickup");
    toolbox(world.loader().load_folder(&folder).unwrap_or_else(|found| panic!("{found:#?}")))
}

fn clickup_with_fields() -> (Canned, Toolbox) {
    let world = Canned::new(json!({
        "list_custom_fields": {"fields": fields()},
        "get_task": {"id": "86b4bnnny", "custom_fields": fields()},
        "create_task": {"id": "86b4bnnnz"},
    }));
    let tools = clickup(&world);
    (world, tools)
}

async fn call(tools: &Toolbox, tool: &str, args: Value) -> CallResult {
    match validate_call::validate_call(tools, tool, &args.to_string(), Locale::En) {
        CallDecision::Run(planned) => {
            tools.get(tool).unwrap().execute(&context(), planned.args, RunMode::Execute).await
        }
        CallDecision::Answer(result) => result,
    }
}

/// The commands that were sent.
fn sent(world: &Canned) -> Vec<String> {
    world.called().into_iter().map(|(name, _)| name).collect()
}

/// Where the refusal points and what it cites.
fn refused(result: &CallResult) -> Vec<(String, String)> {
    let fields = result.value["details"]["fields"].as_array().unwrap_or_else(|| panic!("{result:?}"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    fields.iter().map(|field| (text(&field["pointer"]), text(&field["anti_pattern"]))).collect()
}

#[tokio::test]
async fn a_value_is_checked_by_the_type_that_the_field_has_when_the_call_says_none_or_another() {
    for list in [json!({}), json!({"list_id": "90110223"})] {
        for stated in [json!({}), json!({"field_type": "number"})] {
            for (field, value, cites) in [
                (VOTES, json!(3), "votes-field-set"),
                (DATE, json!(1_795_269_600), "date-in-seconds"),
                (ORIGIN, json!(0), "drop-down-by-label"),
                (ORIGIN, json!("WhatsApp"), "drop-down-by-label"),
                (ORIGIN, json!("0f000009-0000-4000-8000-000000000004"), "drop-down-by-label"),
                (STARS, json!(4), "wrong-field-value"),
            ] {
                if stated != json!({}) && !value.is_number() {
                    continue;
                }
                let (world, tools) = clickup_with_fields();
                let mut args = json!({"task_id": "86b4bnnny", "field_id": field, "value": value});
                for more in [&list, &stated] {
                    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                }
                let result = call(&tools, "set_custom_field", args.clone()).await;
                assert_eq!(refused(&result), [("/value".to_owned(), cites.to_owned())], "{args} -> {result:?}");
                assert!(!sent(&world).contains(&"set_custom_field".to_owned()), "{args}");
            }
        }
    }
}

#[tokio::test]
async fn what_fits_the_field_is_written_and_the_fields_are_read_once() {
    let (world, tools) = clickup_with_fields();
    for (field, value) in [(DATE, json!(1_795_269_600_000_i64)), (ORIGIN, json!(WHATSAPP)), (STARS, json!(3))] {
        let args = json!({"task_id": "86b4bnnny", "field_id": field, "value": value});
        let result = call(&tools, "set_custom_field", args).await;
        assert_eq!(result.class, ResultClass::Success, "{result:?}");
    }
    assert_eq!(sent(&world), ["get_task", "set_custom_field", "set_custom_field", "set_custom_field"]);
    for _ in 0..2 {
        let entries = json!([{"id": STARS, "value": 2}]);
        let new = json!({"list_id": "90110223", "name": "x", "custom_fields": entries});
        assert_eq!(call(&tools, "create_task", new).await.class, ResultClass::Success);
    }
    assert_eq!(sent(&world).iter().filter(|name| *name == "list_custom_fields").count(), 1);
}

#[tokio::test]
async fn of_several_fields_and_of_several_new_tasks_every_wrong_value_is_told() {
    let (world, tools) = clickup_with_fields();
    let entries = json!([{"id": VOTES, "value": 1}, {"id": STARS, "value": 2}, {"id": DATE, "value": 1_795_269_600}]);
    let told = |before: &str| {
        [("0", "votes-field-set"), ("2", "date-in-seconds")]
            .map(|(place, cites)| (format!("{before}/{place}/value"), cites.to_owned()))
    };
    let set = call(&tools, "set_custom_fields", json!({"task_id": "86b4bnnny", "fields": entries})).await;
    assert_eq!(refused(&set), told("/fields"), "{set:?}");
    let new = json!({"list_id": "90110223", "name": "x", "custom_fields": entries});
    let new = call(&tools, "create_task", new).await;
    assert_eq!(refused(&new), told("/custom_fields"), "{new:?}");
    let tasks = json!({"list_id": "90110223", "tasks": [{"name": "a"}, {"name": "b", "custom_fields": entries}]});
    let several = call(&tools, "create_tasks", tasks).await;
    assert_eq!(refused(&several), told("/tasks/1/custom_fields"), "{several:?}");
    assert_eq!(sent(&world), ["get_task", "list_custom_fields"]);
}

#[tokio::test]
async fn a_field_that_the_task_lacks_is_refused_with_those_that_it_has() {
    let (_world, tools) = clickup_with_fields();
    let unknown = "00000000-0000-4222-8333-444455556666";
    let result =
        call(&tools, "set_custom_field", json!({"task_id": "86b4bnnny", "field_id": unknown, "value": 1})).await;
    assert_eq!(refused(&result), [("/field_id".to_owned(), "wrong-field-id".to_owned())]);
    assert!(result.value.to_string().contains(&format!("Avaliação = {STARS}")), "{}", result.value);
}

#[tokio::test]
async fn without_an_answer_about_the_field_nothing_is_written() {
    for (answer, points) in [(json!(null), Some("/task_id")), (json!("down"), None)] {
        let world = Canned::new(json!({"get_task": answer}));
        let tools = clickup(&world);
        let result =
            call(&tools, "set_custom_field", json!({"task_id": "86b4bnnny", "field_id": DATE, "value": 1})).await;
        match points {
            Some(points) => assert_eq!(refused(&result).first().unwrap().0, points),
            None => assert_eq!(result.class, ResultClass::Fault, "{result:?}"),
        }
        assert_eq!(sent(&world), ["get_task"]);
    }
}
