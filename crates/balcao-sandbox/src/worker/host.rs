//! Runs calls: compiles helpers when they are first needed, and gives each call an engine that has them loaded and knows of no other call.

use std::{collections::BTreeSet, time::Duration};

use rquickjs::{Ctx, Error, Function, Object, Value, object::Property};

use crate::{
    helper::Helper,
    limits::Limits,
    protocol::{CallHeader, Cause, Failure},
    worker::{
        engine::{self, Code, Deadline, Engine, Renewable},
        source,
        trace::{self, Origins},
    },
};

/// What compiling one helper may take; a caller's limits are for running.
const COMPILING: Limits =
    Limits { time: Duration::from_secs(2), memory_bytes: 64 << 20, output_bytes: u32::MAX, stack_bytes: 1 << 20 };

/// What the engine says where memory ends, or where a string would be longer than any may be.
const OUT_OF_MEMORY: &[&str] = &["out of memory", "string too long", "invalid string length"];

/// Where a realm keeps what the prelude offers the worker, until it is taken away.
const GLUE: &str = "glue";

/// Engines that a worker keeps with helpers loaded: as many as the steps of a long processor.
const LOADED: usize = 8;

/// All code of a bundle, and the engines that run it.
pub(super) struct Host {
    helpers: Vec<Helper>,
    compiled: Vec<Option<Code>>,
    shifts: Vec<u32>,
    prelude: Code,
    /// With nothing loaded.
    bare: Renewable,
    /// With the helpers of a call loaded, the one that served last behind all others.
    loaded: Vec<(Vec<u32>, Renewable)>,
    /// Helpers that cannot be kept loaded: at their top level they ask for the time, or they are too large.
    unkept: BTreeSet<Vec<u32>>,
    /// Kept while a bundle is checked, helper by helper. Compiling runs none of their code, so they may share it.
    compiler: Option<Engine>,
    /// The engine that served the last call. It is renewed after the answer, so that the next call need not wait for it.
    used: Option<Used>,
}

/// Which engine serves.
#[derive(Clone, Copy)]
enum Used {
    Bare,
    /// The last of those that are loaded.
    Loaded,
}

/// What came of a call.
pub(super) struct Outcome {
    /// The answer as JSON.
    pub(super) result: Result<String, Failure>,
    /// Whether this process had better end: after a heap ran full, tearing it down is known to crash.
    pub(super) spent: bool,
}

/// Why a call stopped, before it is known what to call it.
enum Stop {
    Engine(Error),
    Told(Box<Failure>),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

impl Host {
    pub(super) fn new(helpers: Vec<Helper>) -> rquickjs::Result<Self> {
        let compiler = Engine::for_compiling()?;
        let prelude = compiler.context.with(|ctx| engine::compile(&ctx, "prelude", include_str!("prelude.js")))?;
        let mut host = Self {
            compiled: vec![None; helpers.len()],
            shifts: vec![0; helpers.len()],
            helpers,
            bare: Renewable::for_helpers(prelude)?,
            prelude,
            loaded: Vec::new(),
            unkept: BTreeSet::new(),
            used: None,
            compiler: None,
        };
        host.bare.take_snapshot().map_err(|_too_large| Error::Allocation)?;
        host.compile_at_start();
        Ok(host)
    }

    /// Compiles what is to be there before the first call. A call of what cannot be compiled gets the error.
    fn compile_at_start(&mut self) {
        let wanted: Vec<u32> =
            (0_u32..).zip(&self.helpers).filter(|(_, helper)| helper.at_start).map(|(position, _)| position).collect();
        for position in wanted {
            if self.compiled(position).is_err() {
                break;
            }
        }
    }

    /// Makes the engine what it was before the last call. To be called while no call waits.
    pub(super) fn prepare(&mut self) {
        match self.used.take() {
            Some(Used::Bare) => self.bare.renew(),
            Some(Used::Loaded) => {
                if let Some((_, engine)) = self.loaded.last_mut() {
                    engine.renew();
                }
            }
            None => {}
        }
    }

    pub(super) fn call(&mut self, header: &CallHeader, input: &[u8]) -> Outcome {
        // A helper under check answers for its own text first, also where a dependency is broken.
        if let Some(last) = header.order.last().filter(|_| header.check_only)
            && let Err(failure) = self.compiled(*last)
        {
            return Outcome { spent: failure.cause == Cause::Memory, result: Err(failure) };
        }
        let mut codes = Vec::with_capacity(header.order.len());
        for position in &header.order {
            match self.compiled(*position) {
                Ok(code) => codes.push((*position, code)),
                Err(failure) => return Outcome { spent: failure.cause == Cause::Memory, result: Err(failure) },
            }
        }
        if !header.check_only {
            self.compiler = None;
        }
        self.prepare();
        let used = match self.load(header, &codes) {
            Ok(used) => used,
            Err(failure) => return Outcome { spent: failure.cause == Cause::Memory, result: Err(failure) },
        };
        self.used = Some(used);
        let engine = match (used, self.loaded.last()) {
            (Used::Loaded, Some((_, loaded))) => &loaded.engine,
            (Used::Loaded | Used::Bare, _) => &self.bare.engine,
        };
        limit(engine, header);
        let result = engine.context.with(|ctx| {
            let loading = match used {
                Used::Bare => self.load_into(&ctx, &engine.deadline, header, &codes),
                Used::Loaded => Ok(true),
            };
            let done = loading.and_then(|useful| match header.check_only {
                true => checked(&ctx, useful),
                false => self.run(&ctx, &engine.deadline, header, input),
            });
            done.map_err(|stop| self.explain(&ctx, &engine.deadline, stop))
        });
        // Some of the engine's own functions do not look at the time; what they took counts all the same.
        let result = if engine.deadline.passed() && result.is_ok() { Err(failed(Cause::Time, "")) } else { result };
        Outcome { result, spent: false }
    }

    /// Finds the engine that has the helpers of a call loaded, or makes it; the bare one where that cannot be kept.
    fn load(&mut self, header: &CallHeader, codes: &[(u32, Code)]) -> Result<Used, Failure> {
        if header.check_only || self.unkept.contains(&header.order) {
            return Ok(Used::Bare);
        }
        if let Some(at) = self.loaded.iter().position(|(order, _)| *order == header.order) {
            let found = self.loaded.remove(at);
            self.loaded.push(found);
            return Ok(Used::Loaded);
        }
        let new = Renewable::for_helpers(self.prelude).map_err(|error| failed(Cause::Memory, &error.to_string()))?;
        let engine = &new.engine;
        limit(engine, header);
        let loaded = engine.context.with(|ctx| {
            let loading = self.load_into(&ctx, &engine.deadline, header, codes);
            let looked = loading.and_then(|_useful| Ok(asked(&ctx, "looked")?));
            looked.map_err(|stop| self.explain(&ctx, &engine.deadline, stop))
        });
        match loaded {
            Ok(false) if new.take_snapshot().is_ok() => {
                if self.loaded.len() >= LOADED {
                    self.loaded.remove(0);
                }
                self.loaded.push((header.order.clone(), new));
                Ok(Used::Loaded)
            }
            Ok(_of_that_time_or_too_large) => {
                self.unkept.insert(header.order.clone());
                Ok(Used::Bare)
            }
            Err(failure) => {
                // After a heap ran full, tearing it down is known to crash.
                if failure.cause == Cause::Memory {
                    std::mem::forget(new);
                }
                Err(failure)
            }
        }
    }

    /// Loads helpers; what the prelude offers is hidden from them meanwhile. Tells whether the last one has a function.
    fn load_into<'js>(
        &self,
        ctx: &Ctx<'js>,
        deadline: &Deadline,
        header: &CallHeader,
        codes: &[(u32, Code)],
    ) -> Result<bool, Stop> {
        let glue: Object<'js> = ctx.globals().get(GLUE)?;
        ctx.globals().remove(GLUE)?;
        let (begin, open, add): (Function<'js>, Function<'js>, Function<'js>) =
            (glue.get("begin")?, glue.get("open")?, glue.get("add")?);
        begin.call::<_, ()>((number(header.now_ms),))?;
        let mut useful = false;
        for (position, code) in codes {
            let Some(helper) = self.helpers.get(length(*position)) else { continue };
            open.call::<_, ()>(())?;
            let (module, loading) = engine::load(ctx, code)?;
            settle(ctx, deadline, loading.into_value())?;
            useful = add.call((module.namespace()?, helper.id.as_str(), helper.function.as_deref()))?;
        }
        // Defined, not set: whatever a helper put there does not hear of it.
        ctx.globals().prop(GLUE, Property::from(glue).configurable())?;
        Ok(useful)
    }

    fn run<'js>(&self, ctx: &Ctx<'js>, deadline: &Deadline, header: &CallHeader, input: &[u8]) -> Result<String, Stop> {
        let glue: Object<'js> = ctx.globals().get(GLUE)?;
        ctx.globals().remove(GLUE)?;
        // Milliseconds of this era are exact as a number of JavaScript; dates beyond it are not dates there either.
        glue.get::<_, Function<'js>>("begin")?.call::<_, ()>((number(header.now_ms),))?;
        let input = ctx.json_parse(input)?;
        let value: Value<'js> = glue.get::<_, Function<'js>>("call")?.call((input,))?;
        let value = settle(ctx, deadline, value)?;
        let Some(json) = ctx.json_stringify(value)? else { return Ok("null".to_owned()) };
        let json = whole_characters(json.to_string()?);
        if json.len() > length(header.limits.output_bytes) {
            return Err(Stop::Told(Box::new(failed(Cause::Output, ""))));
        }
        Ok(json)
    }

    /// The code of the helper at that position, compiled if it is needed for the first time.
    fn compiled(&mut self, position: u32) -> Result<Code, Failure> {
        let index = length(position);
        if let Some(Some(code)) = self.compiled.get(index) {
            return Ok(code);
        }
        let Some(helper) = self.helpers.get(index) else {
            return Err(failed(Cause::Thrown, "no such helper in this worker"));
        };
        let name = trace::module_name(position);
        let mut complaint = None;
        for framed in source::frames(&helper.source) {
            if let Some(shift) = self.shifts.get_mut(index) {
                *shift = framed.shift;
            }
            let engine = match self.compiler.take() {
                Some(engine) => engine,
                None => Engine::for_compiling().map_err(|error| failed(Cause::Memory, &error.to_string()))?,
            };
            engine.runtime.set_max_stack_size(length(COMPILING.stack_bytes));
            engine.runtime.set_memory_limit(length(COMPILING.memory_bytes));
            engine.deadline.set(COMPILING.time);
            let compiled = engine.context.with(|ctx| {
                engine::compile(&ctx, &name, &framed.text)
                    .map_err(|error| self.explain(&ctx, &engine.deadline, Stop::Engine(error)))
            });
            match compiled {
                Ok(code) => {
                    if let Some(place) = self.compiled.get_mut(index) {
                        *place = Some(code);
                    }
                    self.compiler = Some(engine);
                    return Ok(code);
                }
                Err(failure) => {
                    if failure.cause == Cause::Memory {
                        std::mem::forget(engine);
                        return Err(failure);
                    }
                    complaint = Some(failure);
                    self.compiler = Some(engine);
                }
            }
        }
        Err(complaint.unwrap_or_else(|| failed(Cause::Thrown, "the helper is empty")))
    }

    /// What to call it that a call stopped.
    fn explain(&self, ctx: &Ctx<'_>, deadline: &Deadline, stop: Stop) -> Failure {
        let error = match stop {
            Stop::Told(failure) => return *failure,
            Stop::Engine(Error::Allocation) => return failed(Cause::Memory, ""),
            Stop::Engine(error) => error,
        };
        if !error.is_exception() {
            let cause = if deadline.passed() { Cause::Time } else { Cause::Thrown };
            return failed(cause, &error.to_string());
        }
        let thrown = ctx.catch();
        if thrown.is_null() {
            // The engine throws `null` where not even an error found room. An author hardly ever does.
            return failed(Cause::Memory, "");
        }
        let Some(exception) = thrown.as_exception() else {
            let cause = if deadline.passed() { Cause::Time } else { Cause::Thrown };
            return failed(cause, &format!("threw {}", shown(ctx, &thrown)));
        };
        let name: String = exception.as_object().get("name").unwrap_or_default();
        let message = exception.message().unwrap_or_default();
        let (stack, place) =
            Origins { helpers: &self.helpers, shifts: &self.shifts }.trace(&exception.stack().unwrap_or_default());
        // Asked last: reading an error may run the helper's code, which the deadline bounds.
        let cause = if deadline.passed() {
            Cause::Time
        } else if OUT_OF_MEMORY.contains(&message.as_str()) {
            Cause::Memory
        } else if message == "Maximum call stack size exceeded" {
            Cause::Stack
        } else {
            Cause::Thrown
        };
        // The engine's way to quote a token that is not there.
        let message = match message.strip_suffix(": ''") {
            Some(_) if name == "SyntaxError" => "unexpected end of the code".to_owned(),
            _ => message,
        };
        let message = if name.is_empty() { message } else { format!("{name}: {message}") };
        Failure { cause, message: clipped(&message), stack, place }
    }
}

/// Sets what a call may use.
fn limit(engine: &Engine, header: &CallHeader) {
    engine.runtime.set_max_stack_size(length(header.limits.stack_bytes));
    engine.runtime.set_memory_limit(length(header.limits.memory_bytes));
    // Most calls end before anything is worth collecting.
    engine.runtime.set_gc_threshold(length(header.limits.memory_bytes / 4));
    engine.deadline.set(header.limits.time);
}

/// The report on a helper that was loaded to be looked at.
fn checked(ctx: &Ctx<'_>, useful: bool) -> Result<String, Stop> {
    if useful {
        return Ok("null".to_owned());
    }
    let problem: String = ctx.globals().get::<_, Object<'_>>(GLUE)?.get::<_, Function<'_>>("problem")?.call(())?;
    Err(Stop::Told(Box::new(failed(Cause::Thrown, &problem))))
}

/// What the prelude answers to a question.
fn asked(ctx: &Ctx<'_>, question: &str) -> rquickjs::Result<bool> {
    ctx.globals().get::<_, Object<'_>>(GLUE)?.get::<_, Function<'_>>(question)?.call(())
}

/// Waits for a promise; gives anything else back as it is.
fn settle<'js>(ctx: &Ctx<'js>, deadline: &Deadline, value: Value<'js>) -> Result<Value<'js>, Stop> {
    let Some(promise) = value.as_promise() else { return Ok(value) };
    loop {
        if let Some(result) = promise.result::<Value<'js>>() {
            return Ok(result?);
        }
        // Many small jobs never reach the point where the engine itself looks at the time.
        if deadline.passed() {
            return Err(Stop::Told(Box::new(failed(Cause::Time, ""))));
        }
        if !ctx.execute_pending_job() {
            return Err(Stop::Told(Box::new(failed(Cause::Thrown, "the promise it returned never settles"))));
        }
    }
}

/// A thrown value that is not an error, in a few words.
fn shown<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> String {
    let json = ctx.json_stringify(value.clone()).ok().flatten().and_then(|json| json.to_string().ok());
    clipped(&json.unwrap_or_else(|| value.type_name().to_owned()))
}

fn failed(cause: Cause, message: &str) -> Failure {
    Failure { cause, message: message.to_owned(), stack: Vec::new(), place: None }
}

/// Long messages are the helper's way of talking; an error is short.
fn clipped(text: &str) -> String {
    const MOST: usize = 1_000;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Half a surrogate pair is a string in JavaScript and nothing in Unicode: it becomes U+FFFD.
///
/// `JSON.stringify` writes such halves, and only such, as `\ud800` to `\udfff`.
fn whole_characters(json: String) -> String {
    if !json.contains("\\ud") {
        return json;
    }
    let mut whole = String::with_capacity(json.len());
    let mut rest = json.as_str();
    while let Some((before, after)) = rest.split_once('\\') {
        whole.push_str(before);
        match after.split_at_checked(5) {
            Some((escape, after)) if escape.starts_with("ud") => {
                whole.push('\u{fffd}');
                rest = after;
            }
            // The character after a backslash belongs to it, above all a second backslash.
            _ => {
                let mut characters = after.chars();
                whole.push('\\');
                whole.extend(characters.next());
                rest = characters.as_str();
            }
        }
    }
    whole.push_str(rest);
    whole
}

fn length(bytes: u32) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

#[expect(
    clippy::as_conversions,
    reason = "no other way from i64 to f64; the doc comment at the call says why it is exact"
)]
#[expect(clippy::cast_precision_loss, reason = "see above")]
fn number(now_ms: i64) -> f64 {
    now_ms as f64
}

#[cfg(test)]
#[path = "host_tests.rs"]
mod tests;
