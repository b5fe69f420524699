//! The helpers of packs that programs may call: as global functions, in the program's own confined worker and within its limits.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use balcao_sandbox::Helper;

use crate::{LoadedPack, kind::composite::camel, manifest::Inject};

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
    /// What a program may call: the id and the signature by the name of the function.
    callable: BTreeMap<String, (String, String)>,
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
        for written in
            packs.iter().flat_map(|pack| &pack.pack.helpers).filter(|written| written.inject != Inject::Never)
        {
            if helpers.with_dependencies(&written.id).is_some() {
                let signature = written.signature.clone().unwrap_or_else(|| format!("{}(…)", camel(&written.id)));
                helpers.callable.insert(camel(&written.id), (written.id.clone(), signature));
            }
        }
        helpers
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
        let ids: Vec<String> = named.map(|(id, _)| id.clone()).collect();
        let needed: BTreeSet<String> = ids.iter().filter_map(|id| self.with_dependencies(id)).flatten().collect();
        let code = needed.iter().filter_map(|id| self.code.get(id)).cloned().collect();
        (ids, code)
    }

    /// The signatures, as many as fit.
    pub(super) fn signatures(&self) -> String {
        let mut told = String::new();
        for (_, signature) in self.callable.values() {
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
