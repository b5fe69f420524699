//! The `helpers` of a pack: found, read, linked; and their code looked at by the sandbox.

use std::{collections::HashSet, sync::Arc};

use balcao_sandbox::{self as sandbox, Bundle, BundleError, CompileError, Language, Sandbox, StartError};
use balcao_yaml::{Problem, nearest};

use crate::{
    folder::Folder,
    kind::composite,
    manifest::{Helper, Pack, Validator},
    validate::Compiler,
};

/// The helpers of a pack.
pub(crate) enum Linked {
    /// They hold together.
    Whole(Bundle),
    /// The helpers do not link, which the compiler has reported. This bundle holds the code that can be checked alone.
    Apart(Bundle),
}

/// The pack's helpers, linked. Their code is read from the file, or from `folder`, and not looked at.
pub(crate) fn bundle(compiler: &mut Compiler<'_>, pack: &Pack, folder: Option<&Folder>) -> Linked {
    let before = compiler.problems.len();
    let mut helpers = Vec::new();
    for (index, helper) in pack.helpers.iter().enumerate() {
        // What cannot be read is there all the same: others may depend on it.
        let read = read(compiler, index, helper, folder);
        helpers.push(read.unwrap_or_else(|| linked(helper, "tool.yaml", String::new())));
    }
    for (index, validator) in pack.validators.iter().enumerate() {
        let Some(file) = &validator.file else { continue };
        helpers.extend(check_file(compiler, index, validator, file, folder));
    }
    let written = helpers.clone();
    helpers.extend(composite::drivers(pack));
    match Bundle::new(helpers) {
        Ok(bundle) if compiler.problems.len() == before => return Linked::Whole(bundle),
        Ok(_) => {}
        Err(found) => found.iter().for_each(|error| located(compiler, pack, error)),
    }
    Linked::Apart(apart(written))
}

/// Those whose code is there, without what ties them together.
fn apart(written: Vec<sandbox::Helper>) -> Bundle {
    let mut seen = HashSet::new();
    let there = |helper: &sandbox::Helper| helper.language == Language::JavaScript && !helper.source.trim().is_empty();
    let alone = written.into_iter().filter(|helper| there(helper) && seen.insert(helper.id.clone()));
    let alone = alone.map(|helper| sandbox::Helper { dependencies: Vec::new(), ..helper }).collect();
    // If the helpers are too many or too long, the compiler has reported that, and their code is not checked.
    Bundle::new(alone).unwrap_or_default()
}

/// The helpers' code of a pack that does not load, to be looked at all the same.
#[derive(Debug, Clone)]
pub struct Code {
    pub(crate) sandbox: Arc<Sandbox>,
    /// They do not hold together, so that each is looked at by itself.
    pub(crate) is_apart: bool,
}

impl Code {
    /// What is wrong with it, as [`check_helpers`] tells it.
    ///
    /// # Errors
    /// If no worker can be started.
    pub async fn check(&self) -> Result<Vec<Problem>, StartError> {
        let found = if self.is_apart { self.sandbox.check_syntax().await? } else { self.sandbox.check().await? };
        Ok(problems_of(&self.sandbox, found))
    }
}

/// Compiles and loads every helper of a sandbox that was made from a pack's [`LoadedPack::helpers`](crate::LoadedPack::helpers).
/// Empty if all are functions that can be called.
///
/// # Errors
/// If no worker can be started.
pub async fn check_helpers(sandbox: &Sandbox) -> Result<Vec<Problem>, StartError> {
    Ok(problems_of(sandbox, sandbox.check().await?))
}

fn problems_of(sandbox: &Sandbox, found: Vec<CompileError>) -> Vec<Problem> {
    let helpers = sandbox.bundle().helpers();
    found.into_iter().map(|error| placed(helpers, error)).collect()
}

/// A mistake in code, with its place in the file that holds it.
fn placed(helpers: &[sandbox::Helper], error: CompileError) -> Problem {
    let fallback = helpers.iter().find(|helper| helper.id == error.helper);
    let (file, line, column) = match error.place {
        Some(place) => (place.file, place.line, place.column),
        None => {
            fallback.map_or((String::new(), 0, 0), |helper| (helper.file.clone(), helper.first_line, helper.indent + 1))
        }
    };
    // Several helpers may stand in one file; the line belongs to the one that it lies in.
    let snippet = helpers
        .iter()
        .filter(|helper| helper.file == file)
        .find_map(|helper| {
            let below = usize::try_from(line.checked_sub(helper.first_line)?).ok()?;
            helper.source.lines().nth(below)
        })
        .unwrap_or_default();
    Problem {
        message: format!("helper `{}`: {}", error.helper, error.message),
        file,
        pointer: String::new(),
        line: widen(line),
        column: widen(column),
        suggestion: None,
        snippet: snippet.trim_end().to_owned(),
    }
}

/// Reads one helper with its code; `None` after a report to the compiler if the code cannot be read.
fn read(
    compiler: &mut Compiler<'_>,
    index: usize,
    helper: &Helper,
    folder: Option<&Folder>,
) -> Option<sandbox::Helper> {
    let at = |field: &str| format!("/tool/helpers/{index}/{field}");
    let (field, message, suggestion) = match (&helper.function, &helper.file) {
        (Some(code), None) => {
            let (line, indent) = compiler.source.text_start(&at("function"), code);
            let mut linked = linked(helper, compiler.source.file(&at("function")), code.clone());
            linked.first_line = narrow(line);
            linked.indent = narrow(indent);
            return Some(linked);
        }
        (None, Some(file)) => match folder.map(|folder| folder.read(file)) {
            Some(Ok(code)) => return Some(linked(helper, file, code)),
            None => {
                let message = "this pack has no folder to read files from".to_owned();
                ("file", message, "write the code under `function: |`")
            }
            Some(Err(error)) => {
                let message = format!("`{file}` is not read: {error}");
                ("file", message, "name a file in the pack's folder, such as `helpers/x.js`")
            }
        },
        (Some(_), Some(_)) => {
            ("file", format!("the helper `{}` has both `function` and `file`", helper.id), "keep one")
        }
        (None, None) => {
            let message = format!("the helper `{}` has no code", helper.id);
            ("id", message, "add `function: |` with the code, or `file: helpers/x.js`")
        }
    };
    compiler.complain(&at(field), message, Some(suggestion.to_owned()));
    None
}

/// The file of a validator is a helper of the validator's id.
fn check_file(
    compiler: &mut Compiler<'_>,
    index: usize,
    validator: &Validator,
    file: &str,
    folder: Option<&Folder>,
) -> Option<sandbox::Helper> {
    let read = match folder {
        Some(folder) => folder.read(file).map_err(|error| error.to_string()),
        None => Err("this pack has no folder to read files from".to_owned()),
    };
    match read {
        Ok(code) => Some(sandbox::Helper {
            dependencies: validator.dependencies.clone(),
            ..sandbox::Helper::javascript(&validator.id, file, &code)
        }),
        Err(reason) => {
            let suggestion = Some("name a file in the pack's folder, such as `validators/x.js`".to_owned());
            let at = format!("/tool/validators/{index}/file");
            compiler.complain(&at, format!("`{file}` is not read: {reason}"), suggestion);
            None
        }
    }
}

fn linked(helper: &Helper, file: &str, source: String) -> sandbox::Helper {
    let name = helper.signature.as_deref().and_then(|signature| signature.split_once('('));
    sandbox::Helper {
        id: helper.id.clone(),
        language: helper.language,
        source,
        file: file.to_owned(),
        first_line: 1,
        indent: 0,
        dependencies: helper.dependencies.clone(),
        function: name.map(|(name, _)| name.trim().to_owned()),
        at_start: !helper.lazy_load,
    }
}

/// Tells what does not hold together, at its place.
fn located(compiler: &mut Compiler<'_>, pack: &Pack, error: &BundleError) {
    let position = |id: &str| pack.helpers.iter().position(|helper| helper.id == id).unwrap_or_default();
    let (at, suggestion) = match error {
        BundleError::Duplicate { helper } => {
            let second = pack.helpers.iter().rposition(|other| other.id == *helper).unwrap_or_default();
            (format!("/tool/helpers/{second}/id"), Some("ids are unique within a pack".to_owned()))
        }
        BundleError::UnknownDependency { helper, dependency } => {
            let known = pack.helpers.iter().map(|other| other.id.as_str()).filter(|id| id != helper);
            let near = nearest(dependency, known).map(|name| format!("did you mean `{name}`?"));
            let holds = |other: &&Helper| other.id == *helper && other.dependencies.contains(dependency);
            let at = pack.helpers.iter().position(|other| holds(&other)).unwrap_or_default();
            let place =
                pack.helpers.get(at).and_then(|other| other.dependencies.iter().position(|id| id == dependency));
            (format!("/tool/helpers/{at}/dependencies/{}", place.unwrap_or_default()), near)
        }
        BundleError::Cycle { path } => {
            let at = position(path.first().map_or("", String::as_str));
            let suggestion = "move what both need into a helper of its own".to_owned();
            (format!("/tool/helpers/{at}/dependencies"), Some(suggestion))
        }
        BundleError::UnsupportedLanguage { helper, .. } => {
            let suggestion = "write it in JavaScript: `language: javascript`".to_owned();
            (format!("/tool/helpers/{}/language", position(helper)), Some(suggestion))
        }
        BundleError::TooMany { .. } | BundleError::TooLong { .. } => ("/tool/helpers".to_owned(), None),
    };
    compiler.complain(&at, error.to_string(), suggestion);
}

fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn widen(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
#[path = "helpers_tests.rs"]
mod tests;
