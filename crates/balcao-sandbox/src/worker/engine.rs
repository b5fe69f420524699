//! One engine: a runtime and a realm in it, and for helpers a heap that is put back after each call.
//!
//! Two kinds differ in one thing: only the compiler's can read source text. A helper's realm has no way from text to code: `eval`,
//! `Function` and their relatives are not hidden there, the engine lacks them.

use std::{cell::Cell, rc::Rc, time::Duration};

use rquickjs::{
    Context, Ctx, Module, Runtime,
    context::intrinsic::{Date, Eval, Json, MapSet, Promise, Proxy, RegExp, RegExpCompiler, TypedArrays},
    loader::{Loader, bundle::Bundle},
    module::{Declared, Evaluated, WriteOptions},
};

use crate::worker::heap::{DoesNotFit, Heap};

/// What helpers see. No `WeakRef` (when memory is collected would show), no `Performance` (a clock).
type Helpers = (Date, RegExpCompiler, RegExp, Json, Proxy, MapSet, TypedArrays, Promise);
type Compiler = (Helpers, Eval);

/// Code the engine can load: a name, and what [`compile`] made. Never freed, because the engine reads it in place; a worker compiles each helper
/// once in its life.
pub(super) type Code = &'static [(&'static str, &'static [u8])];

/// When a call must end, in processor time of this thread.
#[derive(Debug, Default)]
pub(super) struct Deadline {
    at: Cell<Option<Duration>>,
    passed: Cell<bool>,
}

impl Deadline {
    /// Starts over.
    pub(super) fn set(&self, from_now: Duration) {
        self.passed.set(false);
        self.at.set(Some(processor_time() + from_now));
    }

    /// Whether it has passed; once it has, it has until it is set again.
    pub(super) fn passed(&self) -> bool {
        if self.at.get().is_some_and(|at| processor_time() >= at) {
            self.passed.set(true);
        }
        self.passed.get()
    }
}

/// A runtime and a realm in it.
pub(super) struct Engine {
    // Dropped in this order: the realm lives in the runtime, and both on the heap.
    pub(super) context: Context,
    pub(super) runtime: Runtime,
    pub(super) deadline: Rc<Deadline>,
}

/// An engine for helpers, and the heap it lives on.
pub(super) struct Renewable {
    pub(super) engine: Engine,
    heap: Heap,
}

impl Engine {
    /// For turning source text into code.
    pub(super) fn for_compiling() -> rquickjs::Result<Self> {
        Self::new::<Compiler>(Runtime::new()?)
    }

    fn new<I: rquickjs::context::Intrinsic>(runtime: Runtime) -> rquickjs::Result<Self> {
        let deadline = Rc::new(Deadline::default());
        let asked = Rc::clone(&deadline);
        runtime.set_interrupt_handler(Some(Box::new(move || asked.passed())));
        let context = Context::custom::<I>(&runtime)?;
        Ok(Self { context, runtime, deadline })
    }
}

impl Renewable {
    /// For helpers: without a compiler, with our prelude. It is renewed to its [snapshot](Self::take_snapshot).
    pub(super) fn for_helpers(prelude: Code) -> rquickjs::Result<Self> {
        let heap = Heap::new().ok_or(rquickjs::Error::Allocation)?;
        let engine = Engine::new::<Helpers>(Runtime::new_with_alloc(heap.blocks())?)?;
        engine.context.with(|ctx| load(&ctx, prelude).map(drop))?;
        Ok(Self { engine, heap })
    }

    /// From now on it is renewed to here.
    ///
    /// # Errors
    /// If too much was loaded to be kept. It works, and cannot be renewed.
    pub(super) fn take_snapshot(&self) -> Result<(), DoesNotFit> {
        self.heap.take_snapshot()
    }

    /// Makes it what it was when it was kept: nothing of the last call is left, however that ended.
    #[expect(unsafe_code, reason = "see the comment at the block")]
    pub(super) fn renew(&mut self) {
        // SAFETY: whatever a call held of the engine carried the lifetime of `Context::with`, which is over: the engine is borrowed
        // mutably here. The worker makes no value persistent, and gives the realm no function of its own.
        unsafe { self.heap.restore() };
    }
}

/// Has the C library look for the time zone now: later it could not read its files, and would die trying.
pub(super) fn settle_time_zone() -> rquickjs::Result<()> {
    Engine::for_compiling()?.context.with(|ctx| ctx.eval("new Date(0).getTimezoneOffset()"))
}

/// Compiles a module in an engine that can.
pub(super) fn compile(ctx: &Ctx<'_>, name: &str, source: &str) -> rquickjs::Result<Code> {
    let module = Module::declare(ctx.clone(), name, source)?;
    // The text is not kept (`toString` of a function does not give it away), the lines are.
    let bytes = module.write(WriteOptions { strip_source: true, ..WriteOptions::default() })?;
    let (name, bytes): (&str, &[u8]) =
        (Box::leak(name.to_owned().into_boxed_str()), Box::leak(bytes.into_boxed_slice()));
    Ok(Box::leak(Box::new([(name, bytes)])))
}

/// Loads compiled code and starts it. The promise tells when its top level has run.
pub(super) fn load<'js>(
    ctx: &Ctx<'js>,
    code: Code,
) -> rquickjs::Result<(Module<'js, Evaluated>, rquickjs::Promise<'js>)> {
    let name = code.first().map_or("", |(name, _)| name);
    let module: Module<'js, Declared> = Bundle(code).load(ctx, name, None)?;
    module.eval()
}

/// Of this thread: a machine that is busy with others does not use up a helper's time.
#[cfg(unix)]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Where processor time cannot be had, time since the first question.
#[cfg(not(unix))]
fn processor_time() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}
