//! The helpers of packs that programs may call: as global functions, in the program's own confined worker and within its limits.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use balcao_sandbox::Helper;

use crate::{
    LoadedPack,
    kind::composite::camel,
    manifest::{Command, Inject},
    resolve::used_by,
};

/// Characters that the signatures of helpers may take in the description of the tool.
const MAX_SIGNATURES: usize = 1_500;
/// Ids that the runtime itself uses in a program's worker.
const RESERVED: [&str; 2] = ["program", "program:driver"];

/// The helpers that programs may call. An id that several packs use is not among them, and neither is what depends on it: a program could
/// not say which one it means.
#[derive(Debug, Clone, Default)]
pub struct ProgramHelpers {
    /// The code of all helpers, with those that others depend on.
    code: HashMap<String, Helper>,
    /// What a program may call, by the name of the function.
    callable: BTreeMap<String, Function>,
}

#[derive(Debug, Clone)]
struct Function {
    /// The id of the helper.
    id: String,
    signature: String,
    /// The pack, if commands use the helper whose contracts a turn may show on demand, and no command that is always in view.
    comes_with: Option<String>,
    /// Whether the signature comes with the commands that a turn shows, and not in the description of the tool.
    is_on_demand: bool,
}

impl ProgramHelpers {
    /// The helpers of these packs that a model is shown (`inject`).
    #[must_use]
    pub fn from_packs<'a>(packs: impl IntoIterator<Item = &'a LoadedPack>) -> Self {
        let packs: Vec<&LoadedPack> = packs.into_iter().collect();
        let mut holders: BTreeMap<&str, usize> = RESERVED.into_iter().map(|id| (id, 1)).collect();
        let ids = packs.iter().flat_map(|pack| pack.helpers.helpers()).map(|helper| helper.id.as_str());
        ids.for_each(|id| *holders.entry(id).or_default() += 1);
        let all = packs.iter().flat_map(|pack| pack.helpers.helpers());
        let code: HashMap<String, Helper> = all
            .filter(|helper| holders.get(helper.id.as_str()) == Some(&1))
            .map(|helper| (helper.id.clone(), helper.clone()))
            .collect();
        let mut helpers = Self { code, callable: BTreeMap::new() };
        let all = packs.iter().flat_map(|pack| pack.pack.helpers.iter().map(move |written| (pack, written)));
        for (pack, written) in all.filter(|(_, written)| written.inject != Inject::Never) {
            if helpers.with_dependencies(&written.id).is_some() {
                let id = written.id.clone();
                let signature = written.signature.clone().unwrap_or_else(|| format!("{}(…)", camel(&id)));
                let comes_with = is_of_commands_on_demand(pack, &id).then(|| pack.pack.id.clone());
                helpers.callable.insert(camel(&id), Function { id, signature, comes_with, is_on_demand: false });
            }
        }
        helpers
    }

    /// The same helpers; the signatures of those that commands of these packs use come with the commands that a turn shows.
    #[must_use]
    pub fn on_demand(mut self, packs: &BTreeSet<String>) -> Self {
        for function in self.callable.values_mut() {
            function.is_on_demand = function.comes_with.as_ref().is_some_and(|pack| packs.contains(pack));
        }
        self
    }

    /// Whether some signatures come with the commands that a turn shows.
    pub(super) fn are_on_demand(&self) -> bool {
        self.callable.values().any(|function| function.is_on_demand)
    }

    /// A helper with all that it depends on, `None` if one of them is not there.
    fn with_dependencies(&self, id: &str) -> Option<BTreeSet<String>> {
        let (mut found, mut open) = (BTreeSet::new(), vec![id.to_owned()]);
        while let Some(id) = open.pop() {
            let helper = self.code.get(&id)?;
            if found.insert(id) {
                open.extend(helper.dependencies.iter().cloned());
            }
        }
        Some(found)
    }

    /// The names of the functions that a program may call.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.callable.keys()
    }

    /// The ids of these functions, and the code that they need.
    pub(super) fn code_of<'a>(&self, functions: impl IntoIterator<Item = &'a String>) -> (Vec<String>, Vec<Helper>) {
        let named = functions.into_iter().filter_map(|name| self.callable.get(name));
        let ids: Vec<String> = named.map(|function| function.id.clone()).collect();
        let needed: BTreeSet<String> = ids.iter().filter_map(|id| self.with_dependencies(id)).flatten().collect();
        let code = needed.iter().filter_map(|id| self.code.get(id)).cloned().collect();
        (ids, code)
    }

    /// The signatures that do not come with commands, as many as fit.
    pub(super) fn signatures(&self) -> String {
        let mut told = String::new();
        for Function { signature, .. } in self.callable.values().filter(|function| !function.is_on_demand) {
            if told.chars().count() + signature.chars().count() > MAX_SIGNATURES {
                told.push_str(", …");
                break;
            }
            if !told.is_empty() {
                told.push_str(", ");
            }
            told.push_str(signature);
        }
        told
    }
}

/// Whether commands use a helper, and none of those that are always in view.
fn is_of_commands_on_demand(pack: &LoadedPack, id: &str) -> bool {
    let is_user = |command: &&Command| !command.internal && used_by(command, &pack.helpers).contains(id);
    let mut users = pack.pack.commands.iter().filter(is_user).peekable();
    users.peek().is_some() && users.all(|command| !command.core)
}
