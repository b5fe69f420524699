//! Whether a call may run: the schema, the checks, and what is mended.

use std::{collections::BTreeMap, sync::Arc};

use balcao_sandbox::{Call, Sandbox};
use balcao_tool::{ArgumentCheck, Checked, FieldProblem, Internal, ToolContext, ToolError, limits, validate::Schema};
use balcao_yaml::nearest;
use serde_json::{Value, json};

use super::{Check, Cited, Failure, Lookup, Rule, fix::Mending, path::FieldPath, reads::undecided};
use crate::{expression::Expression, kind::script, manifest::Verdict};

/// All that a command demands of its arguments.
#[derive(Debug)]
pub struct ArgumentChecks {
    pub(super) command: String,
    pub(super) checks: Arc<[Check]>,
    /// Whether failures that can be mended are mended.
    pub(super) autofix: bool,
    /// The anti-patterns of the pack, for helpers that tell several apart.
    pub(super) cited: Arc<BTreeMap<String, Arc<Cited>>>,
}

/// What checks may use that is not in the arguments.
#[derive(Clone, Copy)]
pub struct CheckContext<'a> {
    /// The context of the call: its caller and its instant.
    pub cx: &'a ToolContext,
    /// What reads.
    pub lookup: &'a dyn Lookup,
    /// What runs helpers.
    pub sandbox: Option<&'a Sandbox>,
}

/// Why a call does not run.
#[derive(Debug)]
pub enum CheckError {
    /// Its arguments: everything that is wrong with them.
    Arguments(Vec<FieldProblem>),
    /// A check could not be made.
    Undecided(Box<ToolError>),
}

impl From<CheckError> for Box<ToolError> {
    fn from(refused: CheckError) -> Self {
        match refused {
            CheckError::Arguments(problems) => Self::new(ToolError::invalid(problems)),
            CheckError::Undecided(error) => error,
        }
    }
}

impl ArgumentChecks {
    /// Returns these checks with automatic fixes switched on; `None` if no check has a fix.
    pub(crate) fn mended_where_known(&self) -> Option<Self> {
        let knows = self.checks.iter().any(|check| check.fix.is_some());
        let (command, checks, cited) = (self.command.clone(), Arc::clone(&self.checks), Arc::clone(&self.cited));
        knows.then_some(Self { command, checks, autofix: true, cited })
    }

    /// Whether it has checks that read or run helpers.
    #[must_use]
    pub fn reads(&self) -> bool {
        self.checks.iter().any(|check| !check.is_pure())
    }

    /// Judges arguments by the schema and by the checks that need no I/O: what [`Self::admit`] goes on from.
    ///
    /// # Errors
    /// Everything that is wrong.
    pub fn judge(&self, schema: &Schema, args: Value) -> Result<Checked, Vec<FieldProblem>> {
        let broken = schema.problems(&args);
        self.check(schema, args, broken)
    }

    /// Judges arguments that [`Self::judge`] let pass by the checks that read and the helpers.
    ///
    /// # Errors
    /// Every problem of the arguments, or the reason why a check could not decide.
    pub async fn admit(&self, world: CheckContext<'_>, schema: &Schema, args: Value) -> Result<Checked, CheckError> {
        let found = self.look(world, &args).await?;
        if found.is_empty() {
            return Ok(Checked { args, mended: Vec::new() });
        }
        if let Some((mended, words)) = self.mended(&found, &args) {
            let again = self.look(world, &mended).await?;
            if again.is_empty() && schema.is_valid(&mended) && self.failures(&mended).is_empty() {
                return Ok(Checked { args: mended, mended: words });
            }
        }
        Err(CheckError::Arguments(field_problems(found, &args)))
    }

    fn failures(&self, args: &Value) -> Vec<(&Check, Failure)> {
        let mut all = Vec::new();
        let mut failures = Vec::new();
        for check in self.checks.iter() {
            if let Rule::Pure(pure) = &check.rule
                && check.applies(args)
            {
                pure.judge(args, &mut failures);
                all.extend(failures.drain(..).map(|failure| (check, failure)));
            }
        }
        all
    }

    /// What helpers that read nothing say first; nothing is read for a call that they refuse.
    async fn look(&self, world: CheckContext<'_>, args: &Value) -> Result<Vec<(&Check, Failure)>, CheckError> {
        for reading in [false, true] {
            let mut all = Vec::new();
            let now = self.checks.iter().filter(|check| !check.is_pure() && check.reads() == reading);
            for check in now.filter(|check| check.applies(args)) {
                let failures = self.seen(check, world, args).await?;
                all.extend(failures.into_iter().map(|failure| (check, failure)));
            }
            if !all.is_empty() {
                return Ok(all);
            }
        }
        Ok(Vec::new())
    }

    /// What one check that reads or asks a helper says.
    async fn seen(&self, check: &Check, world: CheckContext<'_>, args: &Value) -> Result<Vec<Failure>, CheckError> {
        match &check.rule {
            Rule::Pure(_) => Ok(Vec::new()),
            Rule::Read(read) => read.judge(world.cx, world.lookup, args).await.map_err(CheckError::Undecided),
            Rule::Helper { id, arguments, field, reads } => {
                let mut over = args.clone();
                for (name, question) in reads {
                    let answer = question.ask(world.cx, world.lookup, args).await.map_err(CheckError::Undecided)?;
                    if let Some(over) = over.as_object_mut() {
                        over.insert(name.clone(), answer.unwrap_or(Value::Null));
                    }
                }
                let arguments = self.given(arguments.as_deref(), &over)?;
                self.asked(world, id, &arguments, field.as_ref()).await
            }
        }
    }

    /// What a helper is called with.
    fn given(&self, stated: Option<&[Expression]>, args: &Value) -> Result<Vec<Value>, CheckError> {
        let Some(stated) = stated else { return Ok(vec![args.clone(), json!({ "command": self.command })]) };
        let values = stated.iter().map(|argument| argument.value(args)).collect::<Result<_, _>>();
        values.map_err(|error| CheckError::Undecided(undecided(Internal::from_error(&error))))
    }

    /// What a helper says of the arguments.
    async fn asked(
        &self,
        world: CheckContext<'_>,
        id: &str,
        arguments: &[Value],
        field: Option<&FieldPath>,
    ) -> Result<Vec<Failure>, CheckError> {
        let call = Call { now_ms: world.cx.now.timestamp().as_millisecond(), ..Call::new(id, arguments) };
        let answer = script::run(world.sandbox, &call).await.map_err(|error| undecided_by(&error))?;
        let unsaid = Verdict { valid: false, message: None, path: None, fix: None, anti_pattern: None };
        if let Value::Bool(valid) = answer {
            return Ok(if valid { Vec::new() } else { vec![self.refusal(unsaid, field)] });
        }
        let verdicts = if let Value::Array(verdicts) = answer { verdicts } else { vec![answer] };
        let mut failures = Vec::new();
        for verdict in verdicts {
            match serde_json::from_value::<Verdict>(verdict) {
                Ok(Verdict { valid: true, .. }) => {}
                Ok(verdict) => {
                    self.knows(id, &verdict)?;
                    failures.push(self.refusal(verdict, field));
                }
                Err(error) => {
                    let note = format!("helper `{id}` must give {{valid, message, path, fix, anti_pattern}}: {error}");
                    return Err(CheckError::Undecided(undecided(Internal::note(note))));
                }
            }
        }
        Ok(failures)
    }

    /// A verdict that names an anti-pattern which is not there is none, as one of another form is none.
    fn knows(&self, helper: &str, verdict: &Verdict) -> Result<(), CheckError> {
        let Some(named) = verdict.anti_pattern.as_deref().filter(|named| !self.cited.contains_key(*named)) else {
            return Ok(());
        };
        let near = nearest(named, self.cited.keys().map(String::as_str));
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let note = format!("helper `{helper}` names the anti-pattern `{named}`, which is not there{near}");
        Err(CheckError::Undecided(undecided(Internal::note(note))))
    }

    fn refusal(&self, verdict: Verdict, field: Option<&FieldPath>) -> Failure {
        let Verdict { message, path, fix, anti_pattern, .. } = verdict;
        let within = field.map(|field| field.pointer(&[])).unwrap_or_default();
        let pointer = match path {
            Some(path) if path.starts_with('/') => path,
            Some(path) if !path.is_empty() => format!("{within}/{}", path.replace('.', "/")),
            Some(_) | None => within,
        };
        let cited = anti_pattern.and_then(|id| self.cited.get(id.as_str()).map(Arc::clone));
        let expected = message.unwrap_or_else(|| "arguments that pass the check".to_owned());
        Failure { pointer, problem: "not_allowed", expected, mended: fix, cited, ..Failure::default() }
    }

    /// The arguments with every failure mended that can be, and what was done; `None` if one cannot be, or may not be.
    fn mended(&self, failures: &[(&Check, Failure)], args: &Value) -> Option<(Value, Vec<String>)> {
        if !self.autofix {
            return None;
        }
        let mut now = args.clone();
        let mut words = Vec::new();
        let mut done: Vec<&Check> = Vec::new();
        for (check, failure) in failures {
            if done.iter().any(|other| std::ptr::eq(*other, *check)) {
                continue;
            }
            done.push(check);
            // What one check knows was made of the arguments as they came; over mended ones it is asked again.
            let known = if now == *args { failure.mended.clone() } else { self.known(check, &now) };
            let next = check.fix.as_ref()?.mend(&now, known.as_ref())?;
            words.push(Mending::words(&now, &next));
            now = next;
        }
        Some((now, words))
    }

    fn known(&self, check: &Check, args: &Value) -> Option<Value> {
        let Rule::Pure(pure) = &check.rule else { return None };
        let mut failures = Vec::new();
        pure.judge(args, &mut failures);
        failures.into_iter().find_map(|failure| failure.mended)
    }
}

impl ArgumentCheck for ArgumentChecks {
    fn check(&self, schema: &Schema, args: Value, broken: Vec<FieldProblem>) -> Result<Checked, Vec<FieldProblem>> {
        let failures = self.failures(&args);
        if failures.is_empty() && broken.is_empty() {
            return Ok(Checked { args, mended: Vec::new() });
        }
        if let Some((mended, words)) = self.mended(&failures, &args)
            && schema.is_valid(&mended)
            && self.failures(&mended).is_empty()
        {
            return Ok(Checked { args: mended, mended: words });
        }
        // The message of a check is more precise than a type error of the schema, so it replaces the type error for the same field.
        let mut problems = field_problems(failures, &args);
        for problem in broken {
            let said = problems.iter().any(|other| covers(&other.pointer, &problem.pointer));
            if !said && problems.len() < limits::MAX_FIELD_PROBLEMS {
                problems.push(problem);
            }
        }
        Err(problems)
    }

    fn mending(&self) -> Option<Arc<dyn ArgumentCheck>> {
        Some(Arc::new(self.mended_where_known()?))
    }
}

/// Returns whether a problem at one place also concerns the other place.
fn covers(told: &str, other: &str) -> bool {
    let within = |inner: &str, outer: &str| {
        !outer.is_empty() && inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    within(other, told) || within(told, other)
}

fn field_problems(failures: Vec<(&Check, Failure)>, args: &Value) -> Vec<FieldProblem> {
    let mut problems: Vec<FieldProblem> = Vec::new();
    for (check, mut failure) in failures.into_iter().take(limits::MAX_FIELD_PROBLEMS) {
        if let (None, Some(fix)) = (&failure.nearest, &check.fix) {
            let mended = fix.mend(args, failure.mended.as_ref());
            failure.nearest = mended.and_then(|mended| mended.pointer(&failure.pointer).cloned());
        }
        let problem = check.tell(failure);
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    problems
}

fn undecided_by(error: &script::RunError) -> CheckError {
    CheckError::Undecided(undecided(Internal::from_error(error)))
}

/// Shared by the tool, which judges without I/O, and the guard, which goes on.
pub(crate) type Shared = Arc<ArgumentChecks>;
