//! `balcao tools`: what a profile's model sees.

use std::{process::ExitCode, sync::Arc};

use balcao_app::AppContext;
use balcao_store::Store;
use serde_json::{Value, json};

use crate::{
    config::Config,
    output::{Failure, error_chain, print_line},
    packs, profiles, time, wire,
};

/// Options of `balcao tools`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The agent profile; default: the configured one.
    #[arg(long, value_name = "ID")]
    profile: Option<String>,
    /// JSON with the schemas instead of a table.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) async fn run(args: &Args, config: &Config) -> Result<ExitCode, Failure> {
    let all = profiles::load(&config.agents.dir)?;
    let (profile, document) = wire::profile(&all, args.profile.as_deref().unwrap_or(&config.agents.profile))?;
    // The contracts need no data: an empty database stands behind the handlers.
    let store = Store::open_in_memory().map_err(|error| Failure::operation(error_chain(&error)))?;
    let app = AppContext::new(store, time::clock());
    let own = wire::own_packs(config, &app, None).await?;
    let agent = packs::tools::agent(&app, profile, document, &own, Arc::new(balcao_offline::OfflineModel))?;
    let locale = profile.language;
    if args.json {
        let tools: Vec<Value> = agent
            .toolbox
            .iter()
            .map(|tool| {
                json!({
                    "name": tool.spec.name,
                    "pack": tool.spec.pack,
                    "description": tool.spec.description.get(locale),
                    "effect": tool.spec.behaviour.effect,
                    "effect_class": tool.spec.behaviour.class,
                    "confirm": agent.toolbox.confirm(tool),
                    "timeout_ms": u64::try_from(tool.spec.timeout.as_millis()).unwrap_or(u64::MAX),
                    "input_schema": tool.spec.input_schema,
                    "output_schema": tool.spec.output_schema,
                    "contract_hash": tool.contract_hash,
                })
            })
            .collect();
        print_line(&json!({"profile": profile.id, "tools": tools}).to_string());
        return Ok(ExitCode::SUCCESS);
    }
    for tool in agent.toolbox.iter() {
        let word = |value: &dyn erased::Word| value.to_word();
        print_line(&format!(
            "{:<30} {:<9} {:<12} {:<9} {}",
            tool.spec.name,
            tool.spec.pack,
            word(&tool.spec.behaviour.effect),
            word(&agent.toolbox.confirm(tool)),
            parameters(&tool.spec.input_schema),
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// The parameters of a schema in short: optional ones with `?`.
fn parameters(schema: &Value) -> String {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|all| all.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let names = schema
        .get("properties")
        .and_then(Value::as_object)
        .map(|map| map.keys().map(String::as_str).collect::<Vec<_>>())
        .unwrap_or_default();
    let short: Vec<String> = names
        .iter()
        .map(|name| if required.contains(name) { (*name).to_owned() } else { format!("{name}?") })
        .collect();
    if short.is_empty() { "–".to_owned() } else { short.join(", ") }
}

mod erased {
    /// The snake_case word of a unit variant.
    pub(super) trait Word {
        fn to_word(&self) -> String;
    }

    impl<T: serde::Serialize> Word for T {
        fn to_word(&self) -> String {
            serde_json::to_value(self).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
        }
    }
}
