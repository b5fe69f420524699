//! From the text of a `tool.yaml` to checked tools.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use balcao_sandbox::{Bundle, Launcher, Sandbox};
use balcao_tool::Tool;
use balcao_yaml::{Document, Problem};
use serde::Serialize;
use serde_json::Value;

use crate::{
    check::{self, Assembly},
    folder::{FileError, Folder},
    helpers::{self, Code, Linked},
    kind::{Described, Handlers, Kind, Native, Script},
    manifest::{Manifest, Pack, PackKind},
    patterns,
    process::{self, Processors},
    resolve::Shelves,
    schema_check::{self, Shape},
    source::{MAX_PROBLEMS, Source},
    terms::Terms,
    validate::{ArgumentChecks, Compiler, CompilerProblem},
};

/// A pack whose every part was checked.
#[derive(Debug)]
pub struct LoadedPack {
    /// Its id.
    pub id: String,
    /// Its version.
    pub version: String,
    /// Its commands, ready to be registered.
    pub tools: Vec<Tool>,
    /// What decides where its calls go and what they may do: what a person accepts.
    pub terms: Terms,
    /// Its helpers; [`crate::check_helpers`] looks at their code.
    pub helpers: Bundle,
    /// The pack as written.
    pub pack: Arc<Pack>,
    /// Its processors and formats of payloads.
    pub processors: Arc<Processors>,
    /// What its commands demand of their arguments beyond the schema, by command.
    pub admissions: BTreeMap<String, Arc<ArgumentChecks>>,
    /// Where its helpers run; `None` if the loader was given nothing to run them in.
    pub sandbox: Option<Arc<Sandbox>>,
    /// Its prose.
    pub knowledge: Vec<Prose>,
    /// Its scripts: programs that are carried along to be found and read, and never run.
    pub scripts: Vec<Prose>,
    /// The examples that fail, as far as the loader can check them without helpers and reads. Empty unless the pack was loaded for a test
    /// ([`Loader::testing`]).
    pub unheld: Vec<Problem>,
    /// Where each example stands, by its id: the file, and where in it. Kept if it was loaded to be tested: to find a line takes reading
    /// the file again, which is for those that fail.
    pub(crate) places: BTreeMap<String, (Arc<Document>, String)>,
    /// Recorded answers of files, by the id of their success case.
    pub(crate) recorded: BTreeMap<String, Value>,
    pub(crate) kind: Running,
    /// The pieces of context that a model can receive about this pack.
    pub(crate) shelves: Arc<Shelves>,
}

impl LoadedPack {
    /// Where an example stands, if that was kept.
    pub(crate) fn place(&self, id: &str) -> Option<Place> {
        let (document, pointer) = self.places.get(id)?;
        let Problem { file, line, column, .. } = document.problem(pointer, "", None);
        Some(Place { file, line, column })
    }
}

/// Where something stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The file, as it stands in the pack's folder.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
}

/// A text of a pack's knowledge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prose {
    /// Its title.
    pub title: String,
    /// The file that it stands in.
    pub file: String,
    /// The text: Markdown, but for a script.
    pub text: String,
}

/// What runs a pack.
pub(crate) struct Running(pub(crate) Arc<dyn Kind>);

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Kind")
    }
}

/// Loads packs: with the kinds that can run them, and somewhere to run their helpers.
///
/// ```no_run
/// use balcao_pack::{Handlers, Loader};
/// use balcao_sandbox::Launcher;
///
/// let pack = Loader::new(Handlers::new()).helpers_in(Launcher::this_executable(), 2).load_folder("packs/clickup".as_ref());
/// ```
#[derive(Clone)]
pub struct Loader {
    kinds: BTreeMap<PackKind, Arc<dyn Kind>>,
    otherwise: Option<Arc<dyn Kind>>,
    launcher: Option<(Launcher, u8)>,
    autofix: bool,
    testing: bool,
}

impl Loader {
    /// A loader that knows native packs with these handlers, and script packs.
    #[must_use]
    pub fn new(handlers: Handlers) -> Self {
        let native: Arc<dyn Kind> = Arc::new(Native::new(handlers));
        let script: Arc<dyn Kind> = Arc::new(Script);
        let kinds = BTreeMap::from([(PackKind::Native, native), (PackKind::Script, script)]);
        Self { kinds, otherwise: None, launcher: None, autofix: false, testing: false }
    }

    /// Adds what runs packs of a kind, or replaces it.
    #[must_use]
    pub fn kind(mut self, of: PackKind, kind: Arc<dyn Kind>) -> Self {
        self.kinds.insert(of, kind);
        self
    }

    /// Also loads packs of unknown kinds, whose commands can be inspected but not run.
    #[must_use]
    pub fn describing(mut self) -> Self {
        self.otherwise = Some(Arc::new(Described));
        self
    }

    /// Where helpers run, in at most so many workers for each pack.
    #[must_use]
    pub fn helpers_in(mut self, launcher: Launcher, workers: u8) -> Self {
        self.launcher = Some((launcher, workers));
        self
    }

    /// Whether failures of checks that say how they are mended are mended.
    #[must_use]
    pub const fn autofix(mut self, autofix: bool) -> Self {
        self.autofix = autofix;
        self
    }

    /// Also loads a pack with failing examples, so that they can be tested; [`LoadedPack::unheld`] lists them.
    #[must_use]
    pub const fn testing(mut self) -> Self {
        self.testing = true;
        self
    }

    /// Loads a pack that is one text, without a folder. `file` is the name that problems show.
    ///
    /// # Errors
    /// Every problem at once, each with its place and what would be right.
    pub fn load(&self, file: &str, text: &str) -> Result<LoadedPack, Vec<Problem>> {
        self.load_document(Document::read(file, text).map_err(|problem| vec![*problem])?)
    }

    /// The same of a text that has been read.
    ///
    /// # Errors
    /// As those of [`Loader::load`].
    pub fn load_document(&self, document: Document) -> Result<LoadedPack, Vec<Problem>> {
        self.build(Source::single(document), None, Vec::new()).map_err(|unloaded| unloaded.problems)
    }

    /// Loads a pack from its folder: `tool.yaml`, the files that it names, and what its folders add. Problems name files as they stand in
    /// the folder.
    ///
    /// # Errors
    /// Every problem at once, each with its place and what would be right.
    pub fn load_folder(&self, root: &Path) -> Result<LoadedPack, Vec<Problem>> {
        self.examine(root).map_err(|unloaded| unloaded.problems)
    }

    /// Loads the pack as [`Self::load_folder`] does. For a pack that does not load it also returns the code of its helpers, which another
    /// check reads, so that its author sees every mistake at once.
    ///
    /// # Errors
    /// Every problem but those of the code, and the code.
    pub fn examine(&self, root: &Path) -> Result<LoadedPack, Unloaded> {
        let folder = Folder::new(root);
        let file = "tool.yaml";
        let text = folder.read(file).map_err(|error| {
            let (message, suggestion) = unread(root, file, &error);
            Unloaded::of(vec![Problem {
                file: file.to_owned(),
                pointer: String::new(),
                line: 0,
                column: 0,
                message,
                suggestion,
                snippet: String::new(),
            }])
        })?;
        let document = Document::read(file, &text).map_err(|problem| Unloaded::of(vec![*problem]))?;
        let (source, problems) = Source::assemble(document, &folder);
        if source.is_too_large {
            return Err(Unloaded::of(problems));
        }
        self.build(source, Some(&folder), problems)
    }

    fn build(
        &self,
        mut source: Source,
        folder: Option<&Folder>,
        mut problems: Vec<Problem>,
    ) -> Result<LoadedPack, Unloaded> {
        // Nothing is compiled before its memory is known.
        if let Some((at, excess)) = patterns::find_excess(&source.value) {
            problems.push(source.problem(&at, excess, Some("expected fewer or smaller patterns".to_owned())));
            return Err(Unloaded::of(problems));
        }
        let Shape { problems: misshapen, readable } = schema_check::check_and_recover(&mut source);
        problems.extend(misshapen);
        if !readable {
            return Err(Unloaded::of(problems));
        }
        let source = &source;
        let pack = match source.read_as::<Manifest>() {
            Ok(manifest) => manifest.tool,
            Err(problem) => {
                problems.push(*problem);
                return Err(Unloaded::of(problems));
            }
        };
        let mut compiler = Compiler::new(source, &pack);
        let linked = helpers::bundle(&mut compiler, &pack, folder);
        let (bundle, is_apart) = match &linked {
            Linked::Whole(bundle) => (bundle, false),
            Linked::Apart(bundle) => (bundle, true),
        };
        let sandbox = self
            .launcher
            .as_ref()
            .filter(|_| !bundle.helpers().is_empty())
            .map(|(launcher, workers)| Arc::new(Sandbox::new(bundle.clone(), launcher.clone(), *workers)));
        check::check_references(&mut compiler, &pack, folder);
        let processors = Arc::new(process::compile(&mut compiler, &pack));
        let admissions = compiler.admissions(self.autofix);
        let kind = self.kind_of(&mut compiler, &pack);
        let mut tools = Vec::new();
        if let Some(kind) = &kind {
            let (kind, sandbox) = (kind.as_ref(), sandbox.as_ref());
            let assembly = Assembly { pack: &pack, kind, sandbox, processors: &processors, admissions: &admissions };
            tools = check::compile(&mut compiler, &assembly);
            check::check_examples(&mut compiler, &assembly, &tools);
        }
        let recorded = recorded(&mut compiler, &pack, source.room(), folder);
        let own = |found: Vec<CompilerProblem>| found.into_iter().filter(|told| !told.follows).map(|told| told.problem);
        problems.extend(own(compiler.problems));
        let mut unheld: Vec<Problem> = own(compiler.unheld).collect();
        if !self.testing || !problems.is_empty() {
            problems.append(&mut unheld);
        }
        let (Linked::Whole(helpers), Some(kind), true) = (linked, kind, problems.is_empty()) else {
            let code = sandbox.map(|sandbox| Code { sandbox, is_apart });
            return Err(Unloaded { code, ..Unloaded::of(problems) });
        };
        let terms = Terms::of(&source.value, &pack, folder).map_err(|reason| {
            let mend =
                "keep programs and what they read outside of packs, or in plain files of at most 64 MiB together";
            Unloaded::of(vec![source.problem("/tool/connection", reason, Some(mend.to_owned()))])
        })?;
        for tool in &mut tools {
            tool.bind(terms.commands.get(&tool.spec.name).unwrap_or(&Value::Null), &terms.shared);
        }
        let knowledge = prose(&pack, source, folder);
        let script =
            |file: &String| Some(Prose { title: file.clone(), file: file.clone(), text: folder?.read(file).ok()? });
        let scripts = pack.scripts.iter().filter_map(script).collect();
        let (id, version) = (pack.id.clone(), pack.version.clone());
        let places = if self.testing { places(source, &pack) } else { BTreeMap::new() };
        let (pack, kind) = (Arc::new(pack), Running(kind));
        #[rustfmt::skip]
        let loaded = LoadedPack { id, version, tools, terms, helpers, pack, processors, admissions, sandbox, knowledge, scripts, unheld: cut(unheld), places, recorded, kind, shelves: Arc::default() };
        Ok(loaded)
    }

    /// Finds the kind that runs the pack and has checked it as a whole. A pack of an unreadable type is only described.
    fn kind_of(&self, compiler: &mut Compiler<'_>, pack: &Pack) -> Option<Arc<dyn Kind>> {
        if compiler.source.is_damaged("/tool/type") {
            return Some(Arc::new(Described));
        }
        let Some(kind) = self.kinds.get(&pack.kind).or(self.otherwise.as_ref()) else {
            let message = format!("packs of type `{}` cannot be run here", pack.kind.as_str());
            compiler.complain("/tool/type", message, None);
            return None;
        };
        for finding in kind.check(pack) {
            compiler.complain(&format!("/tool{}", finding.pointer), finding.message, finding.suggestion);
        }
        Some(Arc::clone(kind))
    }
}

/// A pack that does not load.
#[derive(Debug)]
pub struct Unloaded {
    /// Why: every problem, each with its place and what would be right.
    pub problems: Vec<Problem>,
    /// The code of its helpers, if there is any and something to look at it in.
    pub code: Option<Code>,
}

impl Unloaded {
    fn of(problems: Vec<Problem>) -> Self {
        Self { problems: cut(problems), code: None }
    }
}

/// Loads a pack that is one text, without a folder, and without anything to run its helpers in.
///
/// # Errors
/// Every problem at once, each with its place and what would be right.
pub fn load(file: &str, text: &str, handlers: &Handlers) -> Result<LoadedPack, Vec<Problem>> {
    Loader::new(handlers.clone()).load(file, text)
}

/// Loads a pack from its folder, without anything to run its helpers in.
///
/// # Errors
/// Every problem at once, each with its place and what would be right.
pub fn load_folder(root: &Path, handlers: &Handlers) -> Result<LoadedPack, Vec<Problem>> {
    Loader::new(handlers.clone()).load_folder(root)
}

/// Why a folder has no definition to read, and what would be right.
fn unread(root: &Path, file: &str, error: &FileError) -> (String, Option<String>) {
    let named = root.display();
    if !root.exists() {
        return (format!("folder `{named}` not found"), Some("`balcao pack new <folder>` writes one".to_owned()));
    }
    if !root.is_dir() {
        return (format!("invalid folder `{named}`"), Some(format!("name the folder that holds its `{file}`")));
    }
    if !root.join(file).exists() {
        return (format!("the folder `{named}` has no `{file}`"), Some(format!("a pack begins with its `{file}`")));
    }
    (error.to_string(), None)
}

/// Sorted as they stand; of very many, the first.
fn cut(mut problems: Vec<Problem>) -> Vec<Problem> {
    problems.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    problems.dedup();
    let more = problems.len().saturating_sub(MAX_PROBLEMS);
    if more > 0 {
        problems.truncate(MAX_PROBLEMS);
        if let Some(last) = problems.last().cloned() {
            let message = format!("and {more} more problems; mend these first");
            problems.push(Problem { message, suggestion: None, snippet: String::new(), ..last });
        }
    }
    problems
}

/// Where the examples stand.
fn places(source: &Source, pack: &Pack) -> BTreeMap<String, (Arc<Document>, String)> {
    let all = pack.examples.ids();
    all.map(|(id, list, place)| (id.to_owned(), source.origin(&format!("/tool/examples/{list}/{place}")))).collect()
}

/// The answers of services that examples name, by the example. All files together have at most `room` values.
fn recorded(
    compiler: &mut Compiler<'_>,
    pack: &Pack,
    mut room: usize,
    folder: Option<&Folder>,
) -> BTreeMap<String, Value> {
    let mut recorded = BTreeMap::new();
    for (place, case) in pack.examples.success_cases.iter().enumerate() {
        let at = format!("/tool/examples/success_cases/{place}/response_file");
        match (&case.response, &case.response_file, folder) {
            (Some(_), Some(_), _) => {
                let suggestion = Some("keep one of them".to_owned());
                compiler.complain(&at, format!("`{}` has both `response` and `response_file`", case.id), suggestion);
            }
            (None, Some(file), Some(folder)) => {
                // The check of the files has already reported a file that cannot be read.
                let Ok(text) = folder.read(file) else { continue };
                match balcao_json::read_within(text.as_bytes(), balcao_json::MOST_LEVELS, room) {
                    Ok(value) => {
                        room = room.saturating_sub(crate::source::values(&value));
                        recorded.insert(case.id.clone(), value);
                    }
                    Err(error) => compiler.complain(&at, format!("invalid JSON in `{file}`: {error}"), None),
                }
            }
            (Some(value), None, _) => drop(recorded.insert(case.id.clone(), value.clone())),
            (None, Some(_), None) | (None, None, _) => {}
        }
    }
    recorded
}

fn prose(pack: &Pack, source: &Source, folder: Option<&Folder>) -> Vec<Prose> {
    let entries = pack.knowledge_base.iter().enumerate();
    let read = entries.filter_map(|(place, entry)| {
        let (file, text) = match (&entry.text, &entry.file) {
            (Some(text), _) => (source.file(&format!("/tool/knowledge_base/{place}")).to_owned(), text.clone()),
            (None, Some(file)) => (file.clone(), folder?.read(file).ok()?),
            (None, None) => return None,
        };
        let title = entry.title.clone().unwrap_or_else(|| file.clone());
        Some(Prose { title, file, text })
    });
    read.collect()
}

#[cfg(test)]
#[path = "load_tests.rs"]
pub(crate) mod tests;
