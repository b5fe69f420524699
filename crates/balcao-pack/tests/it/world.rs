//! A pack whose commands answer what a test says, and remember what they were called with.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use balcao_pack::{
    Finding, Handlers, Kind, LoadedPack, Loader, PackParts,
    manifest::{Command, Pack, PackKind},
};
use balcao_sandbox::Launcher;
use balcao_tool::{
    EffectKey, ErrorCode, Found, Locale, Preview, Principal, ToolContext, ToolError, ToolHandler, ToolOutput,
    ToolResult, Toolbox,
};
use serde_json::{Value, json};

pub(crate) type Calls = Arc<Mutex<Vec<(String, Value)>>>;

/// Commands by id with what they answer; `null`: not found; a text: a fault with these words; `{in_turn: []}`: one after the other, and
/// then the last one.
#[derive(Clone, Default)]
pub(crate) struct Canned {
    pub(crate) answers: BTreeMap<String, Value>,
    pub(crate) calls: Calls,
}

impl Canned {
    pub(crate) fn new(answers: Value) -> Self {
        let answers = answers.as_object().unwrap().iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        Self { answers, calls: Calls::default() }
    }

    pub(crate) fn loader(&self) -> Loader {
        let launcher = Launcher::new(env!("CARGO_BIN_EXE_pack-test-worker"), &[]);
        Loader::new(Handlers::new()).kind(PackKind::Http, Arc::new(self.clone())).helpers_in(launcher, 1)
    }

    pub(crate) fn called(&self) -> Vec<(String, Value)> {
        self.calls.lock().unwrap().clone()
    }
}

impl Kind for Canned {
    fn check(&self, pack: &Pack) -> Vec<Finding> {
        let base = pack.connection.as_ref().and_then(|connection| connection.get("base_url"));
        let wrong = Finding::new("/connection/base_url", "no address").suggest("write `base_url: https://…`");
        if base.is_some() { Vec::new() } else { vec![wrong] }
    }

    fn handler(&self, _parts: PackParts<'_>, command: &Command) -> Result<Arc<dyn ToolHandler>, Vec<Finding>> {
        if command.handler.get("path").is_none() {
            return Err(vec![Finding::new("/handler", "no path")]);
        }
        let answer = self.answers.get(&command.id).cloned().unwrap_or_else(|| json!({}));
        Ok(Arc::new(Answer { id: command.id.clone(), answer, calls: Arc::clone(&self.calls) }))
    }
}

struct Answer {
    id: String,
    answer: Value,
    calls: Calls,
}

#[async_trait]
impl ToolHandler for Answer {
    async fn call(&self, _cx: &ToolContext, args: Value) -> ToolResult<ToolOutput> {
        let mut calls = self.calls.lock().unwrap();
        let before = calls.iter().filter(|(name, _)| *name == self.id).count();
        calls.push((self.id.clone(), args));
        if let Some(answers) = self.answer.get("in_turn").and_then(Value::as_array) {
            return Ok(ToolOutput::success(answers.get(before).or(answers.last()).unwrap().clone()));
        }
        if self.answer.is_null() {
            return Err(ToolError::new(ErrorCode::NotFound, "there is no such thing").into());
        }
        if self.answer.is_string() {
            return Err(ToolError::new(ErrorCode::Unavailable, "the system does not answer").into());
        }
        Ok(ToolOutput::success(self.answer.clone()))
    }

    async fn preview(&self, _cx: &ToolContext, _args: Value) -> ToolResult<Preview> {
        Ok(Preview::Ask("Shall it be done?".to_owned()))
    }

    async fn find(&self, _cx: &ToolContext, _args: Value) -> ToolResult<Found> {
        Ok(Found::Absent)
    }

    fn confirmable(&self) -> bool {
        true
    }

    fn args_schema(&self) -> Value {
        json!({})
    }
}

pub(crate) fn problems(loaded: Result<LoadedPack, Vec<balcao_yaml::Problem>>) -> Vec<String> {
    loaded.err().unwrap_or_default().iter().map(ToString::to_string).collect()
}

/// The tools of a pack as a turn sees them.
pub(crate) fn toolbox(pack: LoadedPack) -> Toolbox {
    let mut registry = balcao_tool::Registry::default();
    for tool in pack.tools {
        registry.add(tool).unwrap();
    }
    registry.toolbox(|_| true)
}

pub(crate) fn context() -> ToolContext {
    let principal =
        Principal { organization: 1, contact: 2, conversation: 3, turn: 4, staff_facing: true, locale: Locale::En };
    let now = "2026-11-23T09:00[America/Sao_Paulo]".parse().unwrap();
    ToolContext {
        principal,
        key: EffectKey::derive(4, 1, 0, "t", "h"),
        args_hash: "h".to_owned(),
        now,
        agreed: None,
        told_prices: Vec::new(),
    }
}

/// A pack of two reads and two writes; `more` follows at the level of `commands`.
pub(crate) fn pack(more: &str) -> String {
    format!("{BASE}{more}")
}

const BASE: &str = r#"tool:
  id: tasks
  type: http
  name: Tasks
  version: 1.0.0
  description: {pt-BR: Tarefas, en: Tasks}
  connection: {base_url: "https://api.example.com"}
  commands:
    - id: get_list_custom_fields
      description: {pt-BR: Campos, en: Fields}
      effect: read
      handler: {method: GET, path: "/list/{list_id}/field"}
      input_schema: {type: object, additionalProperties: false, required: [list_id], properties: {list_id: {type: string}}}
      output_schema: {type: object, required: [fields], properties: {fields: {type: array}}}
    - id: get_task
      description: {pt-BR: Tarefa, en: Task}
      effect: read
      handler: {method: GET, path: "/task/{task_id}"}
      input_schema: {type: object, additionalProperties: false, required: [task_id], properties: {task_id: {type: string}}}
      output_schema: {type: object}
    - id: create_task
      description: {pt-BR: Cria, en: Creates}
      effect: write
      confirm: none
      handler: {method: POST, path: "/list/{list_id}/task"}
      input_schema:
        type: object
        additionalProperties: false
        required: [list_id]
        properties:
          list_id: {type: string}
          name: {type: string}
          priority: {type: integer}
          due_date: {type: integer}
          email: {type: string}
          parent: {type: string}
          assignees: {}
          custom_fields: {type: array, items: {type: object}}
      output_schema: {type: object}
    - id: update_task
      description: {pt-BR: Muda, en: Changes}
      effect: write
      confirm: customer
      handler: {method: PUT, path: "/task/{task_id}"}
      input_schema:
        type: object
        additionalProperties: false
        required: [task_id]
        properties:
          task_id: {type: string}
          name: {type: string}
          assignees:
            type: object
            additionalProperties: false
            properties: {add: {type: array, items: {type: integer}}, rem: {type: array, items: {type: integer}}}
      output_schema: {type: object}
"#;

/// Validators that find one anti-pattern.
pub(crate) const UPDATE: &str = r#"  validators:
    - id: validate-update-task
      validates: update_task
      checks:
        - task_id_format: [regular, custom]
        - {assignee_format: update_api, anti_pattern: assignee-format-mismatch, fix: true}
  anti_patterns:
    - id: assignee-format-mismatch
      title: The form of create in update
      wrong: {assignees: [123, 456]}
      correct: {assignees: {add: [123], rem: [456]}}
      why: The update call wants {add, rem}
      reference: validators.validate-update-task
"#;
