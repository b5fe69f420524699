//! Helpers, and whether a set of them holds together. No engine here: what the code says is the worker's to judge.

use crate::language::Language;
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use crate::error::BundleError;

/// A function that an author wrote.
///
/// Any of these is a helper named `clean-name`:
///
/// ```js
/// function cleanName(payload) { … }          // the function of that name, or the only one
/// const cleanName = (payload) => { … };
/// (payload) => { … }                         // an expression: an arrow, `function (…) {…}`, `async …`
/// module.exports = function (payload) { … }; // or { cleanName, … }, or exports.cleanName
/// export default function (payload) { … }    // or named exports
/// ```
///
/// Where several functions are declared, the one is called that is named as [`Helper::function`] or else as the id says (in any of
/// `clean-name`, `clean_name`, `cleanName`). A helper's dependencies stand there as global functions under the names they were
/// declared with and under their ids in camel case, and `require("clean-name")` gives what the dependency exports. A helper without a function to call
/// may still be one that others depend on. `$json` is the first argument, as authors of n8n code expect. A function may be
/// asynchronous; a promise is awaited within the limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Helper {
    /// Unique within its bundle.
    pub id: String,
    /// What `source` is written in.
    pub language: Language,
    /// The code.
    pub source: String,
    /// The file that errors name, as the author knows it.
    pub file: String,
    /// The line of `file` where `source` begins, from 1. More than 1 where code stands inside a YAML file.
    pub first_line: u32,
    /// Characters that stand before every line of `source` in `file`: the indentation of a YAML block.
    pub indent: u32,
    /// Ids of the helpers that this one uses.
    pub dependencies: Vec<String>,
    /// The name of the function to call, if it differs from the id (from a `signature`).
    pub function: Option<String>,
    /// Compiled as soon as a worker starts, and not when it is first needed: the first call does not wait for it.
    pub at_start: bool,
}

impl Helper {
    /// A helper of JavaScript that is a file of its own and uses no others.
    #[must_use]
    pub fn javascript(id: &str, file: &str, source: &str) -> Self {
        Self {
            id: id.to_owned(),
            language: Language::JavaScript,
            source: source.to_owned(),
            file: file.to_owned(),
            first_line: 1,
            indent: 0,
            dependencies: Vec::new(),
            function: None,
            at_start: false,
        }
    }

    /// This helper with these dependencies.
    #[must_use]
    pub fn with_dependencies(mut self, ids: &[&str]) -> Self {
        self.dependencies = ids.iter().map(|id| (*id).to_owned()).collect();
        self
    }
}

/// Helpers whose ids are unique, whose dependencies exist, and none of which needs itself. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Bundle {
    pub(crate) helpers: Arc<[Helper]>,
    positions: Arc<HashMap<String, u32>>,
    /// For each helper, its dependencies, theirs before them, and itself last.
    orders: Arc<[Vec<u32>]>,
}

/// More helpers than this are a mistake, or an attack on the code that walks their dependencies.
const MAX_HELPERS: usize = 1_000;

/// Bytes of all code together.
const MAX_SOURCE_BYTES: usize = 2 << 20;

impl Bundle {
    /// Checks that the helpers hold together. Does not look at their code: [`Sandbox::check`](crate::Sandbox::check) does.
    ///
    /// # Errors
    /// Every problem at once, in the order of the helpers.
    pub fn new(helpers: Vec<Helper>) -> Result<Self, Vec<BundleError>> {
        if helpers.len() > MAX_HELPERS {
            return Err(vec![BundleError::TooMany { count: helpers.len(), most: MAX_HELPERS }]);
        }
        let bytes = helpers.iter().map(|helper| helper.source.len()).sum();
        if bytes > MAX_SOURCE_BYTES {
            return Err(vec![BundleError::TooLong { bytes, most: MAX_SOURCE_BYTES }]);
        }
        let mut problems = Vec::new();
        let mut positions = HashMap::new();
        for (position, helper) in (0_u32..).zip(&helpers) {
            if positions.insert(helper.id.clone(), position).is_some() {
                problems.push(BundleError::Duplicate { helper: helper.id.clone() });
            }
            if helper.language != Language::JavaScript {
                problems
                    .push(BundleError::UnsupportedLanguage { helper: helper.id.clone(), language: helper.language });
            }
        }
        for helper in &helpers {
            for dependency in helper.dependencies.iter().filter(|id| !positions.contains_key(*id)) {
                problems
                    .push(BundleError::UnknownDependency { helper: helper.id.clone(), dependency: dependency.clone() });
            }
        }
        let mut walk = Walk { helpers: &helpers, positions: &positions, cycles: Vec::new(), told: HashSet::new() };
        let mut orders = Vec::with_capacity(helpers.len());
        for position in (0_u32..).take(helpers.len()) {
            let mut order = Vec::new();
            walk.visit(position, &mut Vec::new(), &mut order);
            orders.push(order);
        }
        problems.append(&mut walk.cycles);
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Self { helpers: helpers.into(), positions: Arc::new(positions), orders: orders.into() })
    }

    /// The helpers, in the order in which they were given.
    #[must_use]
    pub fn helpers(&self) -> &[Helper] {
        &self.helpers
    }

    /// The helper of that id, with its position.
    pub(crate) fn find(&self, id: &str) -> Option<(u32, &Helper)> {
        let position = *self.positions.get(id)?;
        Some((position, self.at(position)?))
    }

    pub(crate) fn at(&self, position: u32) -> Option<&Helper> {
        self.helpers.get(usize::try_from(position).ok()?)
    }

    /// What must be loaded to call the helper at that position: dependencies first, itself last.
    pub(crate) fn order(&self, position: u32) -> &[u32] {
        usize::try_from(position).ok().and_then(|position| self.orders.get(position)).map_or(&[], Vec::as_slice)
    }
}

struct Walk<'a> {
    helpers: &'a [Helper],
    positions: &'a HashMap<String, u32>,
    cycles: Vec<BundleError>,
    /// The members of cycles that were reported, so that each is reported once.
    told: HashSet<u32>,
}

impl Walk<'_> {
    /// Appends what `position` needs, and then itself, to `order`. `path` is how we got here.
    fn visit(&mut self, position: u32, path: &mut Vec<u32>, order: &mut Vec<u32>) {
        if order.contains(&position) {
            return;
        }
        if let Some(at) = path.iter().position(|seen| *seen == position) {
            let members: Vec<u32> = path.iter().skip(at).copied().collect();
            if members.iter().all(|member| self.told.insert(*member)) {
                let names = members.iter().chain([&position]).filter_map(|member| self.id(*member)).collect();
                self.cycles.push(BundleError::Cycle { path: names });
            }
            return;
        }
        let Some(helper) = usize::try_from(position).ok().and_then(|position| self.helpers.get(position)) else {
            return;
        };
        path.push(position);
        for dependency in &helper.dependencies {
            if let Some(next) = self.positions.get(dependency) {
                self.visit(*next, path, order);
            }
        }
        path.pop();
        order.push(position);
    }

    fn id(&self, position: u32) -> Option<String> {
        Some(self.helpers.get(usize::try_from(position).ok()?)?.id.clone())
    }
}

#[cfg(test)]
#[path = "helper_tests.rs"]
mod tests;
