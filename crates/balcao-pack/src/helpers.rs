//! The `helpers` of a pack: found, read, linked; and their code looked at by the sandbox.

use balcao_sandbox::{self as sandbox, Bundle, BundleError, Sandbox, StartError};
use balcao_yaml::{Problem, nearest};

use crate::{
    folder::Folder,
    kind::composite,
    manifest::{Helper, Pack, Validator},
    source::Source,
};

/// The pack's helpers, linked. Their code is read from the file, or from `folder`, and not looked at.
pub(crate) fn bundle(source: &Source, pack: &Pack, folder: Option<&Folder>) -> Result<Bundle, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut helpers = Vec::new();
    for (index, helper) in pack.helpers.iter().enumerate() {
        match read(source, index, helper, folder) {
            Ok(helper) => helpers.push(helper),
            Err(problem) => {
                problems.push(*problem);
                // Others may depend on it: that it exists is not in doubt.
                helpers.push(linked(helper, "tool.yaml", String::new()));
            }
        }
    }
    for (index, validator) in pack.validators.iter().enumerate() {
        let Some(file) = &validator.file else { continue };
        match check_file(source, index, validator, file, folder) {
            Ok(helper) => helpers.push(helper),
            Err(problem) => problems.push(*problem),
        }
    }
    helpers.extend(composite::drivers(pack));
    match Bundle::new(helpers) {
        Ok(bundle) if problems.is_empty() => Ok(bundle),
        Ok(_) => Err(problems),
        Err(found) => {
            problems.extend(found.into_iter().map(|error| located(source, pack, &error)));
            Err(problems)
        }
    }
}

/// Compiles and loads every helper of a sandbox that was made from a pack's [`LoadedPack::helpers`](crate::LoadedPack::helpers).
/// Empty if all are functions that can be called.
///
/// # Errors
/// If no worker can be started.
pub async fn check_helpers(sandbox: &Sandbox) -> Result<Vec<Problem>, StartError> {
    let found = sandbox.check().await?;
    Ok(found
        .into_iter()
        .map(|error| {
            let helpers = sandbox.bundle().helpers();
            let fallback = helpers.iter().find(|helper| helper.id == error.helper);
            let (file, line, column) = match error.place {
                Some(place) => (place.file, place.line, place.column),
                None => fallback.map_or((String::new(), 0, 0), |helper| {
                    (helper.file.clone(), helper.first_line, helper.indent + 1)
                }),
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
                line: widen(line),
                column: widen(column),
                suggestion: None,
                snippet: snippet.trim_end().to_owned(),
            }
        })
        .collect())
}

/// One helper with its code.
fn read(
    source: &Source,
    index: usize,
    helper: &Helper,
    folder: Option<&Folder>,
) -> Result<sandbox::Helper, Box<Problem>> {
    let at = |field: &str| format!("/tool/helpers/{index}/{field}");
    let problem = |field: &str, message: String, suggestion: Option<&str>| {
        Err(Box::new(source.problem(&at(field), message, suggestion.map(str::to_owned))))
    };
    match (&helper.function, &helper.file) {
        (Some(code), None) => {
            let (line, indent) = source.text_start(&at("function"), code);
            let mut linked = linked(helper, source.file(&at("function")), code.clone());
            linked.first_line = narrow(line);
            linked.indent = narrow(indent);
            Ok(linked)
        }
        (None, Some(file)) => {
            let Some(folder) = folder else {
                let suggestion = Some("write the code under `function: |`");
                return problem("file", "this pack has no folder to read files from".to_owned(), suggestion);
            };
            match folder.read(file) {
                Ok(code) => Ok(linked(helper, file, code)),
                Err(error) => problem(
                    "file",
                    format!("`{file}` is not read: {error}"),
                    Some("name a file in the pack's folder, such as `helpers/x.js`"),
                ),
            }
        }
        (Some(_), Some(_)) => {
            problem("file", format!("the helper `{}` has both `function` and `file`", helper.id), Some("keep one"))
        }
        (None, None) => {
            let message = format!("the helper `{}` has no code", helper.id);
            problem("id", message, Some("add `function: |` with the code, or `file: helpers/x.js`"))
        }
    }
}

/// The file of a validator is a helper of the validator's id.
fn check_file(
    source: &Source,
    index: usize,
    validator: &Validator,
    file: &str,
    folder: Option<&Folder>,
) -> Result<sandbox::Helper, Box<Problem>> {
    let read = match folder {
        Some(folder) => folder.read(file).map_err(|error| error.to_string()),
        None => Err("this pack has no folder to read files from".to_owned()),
    };
    match read {
        Ok(code) => Ok(sandbox::Helper {
            dependencies: validator.dependencies.clone(),
            ..sandbox::Helper::javascript(&validator.id, file, &code)
        }),
        Err(reason) => {
            let suggestion = Some("name a file in the pack's folder, such as `validators/x.js`".to_owned());
            let at = format!("/tool/validators/{index}/file");
            Err(Box::new(source.problem(&at, format!("`{file}` is not read: {reason}"), suggestion)))
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

/// The place of what does not hold together.
fn located(source: &Source, pack: &Pack, error: &BundleError) -> Problem {
    let position = |id: &str| pack.helpers.iter().position(|helper| helper.id == id).unwrap_or_default();
    let message = error.to_string();
    match error {
        BundleError::Duplicate { helper } => {
            let second = pack.helpers.iter().rposition(|other| other.id == *helper).unwrap_or_default();
            source.problem(
                &format!("/tool/helpers/{second}/id"),
                message,
                Some("ids are unique within a pack".to_owned()),
            )
        }
        BundleError::UnknownDependency { helper, dependency } => {
            let known = pack.helpers.iter().map(|other| other.id.as_str()).filter(|id| id != helper);
            let near = nearest(dependency, known).map(|name| format!("did you mean `{name}`?"));
            let holds = |other: &&Helper| other.id == *helper && other.dependencies.contains(dependency);
            let at = pack.helpers.iter().position(|other| holds(&other)).unwrap_or_default();
            let place =
                pack.helpers.get(at).and_then(|other| other.dependencies.iter().position(|id| id == dependency));
            source.problem(&format!("/tool/helpers/{at}/dependencies/{}", place.unwrap_or_default()), message, near)
        }
        BundleError::Cycle { path } => {
            let at = position(path.first().map_or("", String::as_str));
            let suggestion = "move what both need into a helper of its own".to_owned();
            source.problem(&format!("/tool/helpers/{at}/dependencies"), message, Some(suggestion))
        }
        BundleError::UnsupportedLanguage { helper, .. } => {
            let suggestion = "write it in JavaScript: `language: javascript`".to_owned();
            source.problem(&format!("/tool/helpers/{}/language", position(helper)), message, Some(suggestion))
        }
        BundleError::TooMany { .. } | BundleError::TooLong { .. } => source.problem("/tool/helpers", message, None),
    }
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
