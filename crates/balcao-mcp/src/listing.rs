//! The tools that a server lists, as far as they can be looked at.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    time::Duration,
};

use serde_json::Value;

use crate::{
    contract::{Contract, Standing},
    pins::Pin,
};

/// What a server listed, and when.
#[derive(Debug, Clone, Default)]
pub(crate) struct Listing {
    pub(crate) tools: BTreeMap<String, Result<Contract, String>>,
    /// By the clock's `elapsed`.
    pub(crate) at: Duration,
    /// How many changes had been told of before it was asked for.
    pub(crate) heard: u64,
}

impl Listing {
    /// Adds a tool of a page.
    pub(crate) fn add(&mut self, tool: &Value) {
        let contract = Contract::from_tool(tool);
        let name = tool.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        match self.tools.entry(name) {
            Entry::Vacant(place) => drop(place.insert(contract)),
            // Which of the two is called is the server's choice, so neither is.
            Entry::Occupied(mut there) => {
                drop(there.insert(Err("the server lists two tools of this name".to_owned())));
            }
        }
    }

    /// Whether the server says of a tool that it changes something (`readOnlyHint: false` or `destructiveHint: true`, ToolAnnotations of
    /// the protocol). What it does not say it need not mean: without hints a tool is as the pack says.
    pub(crate) fn changes_something(&self, tool: &str) -> bool {
        let Some(Ok(contract)) = self.tools.get(tool) else { return false };
        let hint = |name: &str| contract.whole.pointer(&format!("/annotations/{name}")).and_then(Value::as_bool);
        let reads = hint("readOnlyHint");
        reads == Some(false) || reads.is_none() && hint("destructiveHint") == Some(true)
    }

    /// How a tool stands to what was accepted.
    pub(crate) fn standing(&self, tool: &str, pins: &BTreeMap<String, Pin>) -> Standing {
        match (self.tools.get(tool), pins.get(tool)) {
            (Some(Err(why)), _) => Standing::Refused(why.clone()),
            (Some(Ok(is)), Some(pin)) if is.hash() == pin.hash => Standing::Accepted,
            (Some(Ok(is)), Some(pin)) => Standing::Changed { was: pin.contract.clone(), is: is.clone() },
            (Some(Ok(is)), None) => Standing::New(is.clone()),
            (None, _) => Standing::Vanished,
        }
    }
}
