//! The one context: making it, and reaching it from code that the engine calls.
#![expect(
    unsafe_code,
    reason = "the engine lends its context along its calls; the shared sources have no parameter for it"
)]

use std::cell::{Cell, RefCell};
use std::ptr::NonNull;
use std::rc::Rc;

use boa_engine::builtins::promise::{OperationType, Promise};
use boa_engine::context::HostHooks;
use boa_engine::context::time::{Clock, JsInstant};
use boa_engine::module::{Module, ModuleLoader, ModuleRequest, Referrer};
use boa_engine::realm::Realm;
use boa_engine::{Context, JsError, JsNativeError, JsObject, JsString};

use super::jobs::{self, Jobs};
use super::value::Value;
use super::{JsResult, Thrown, refused};
use crate::world;

/// Nested calls before the run ends. Those of the program's functions among each other cost no stack; those that the
/// engine's own functions make do, and may use it up before.
const MAX_CALLS: usize = 10_000;
/// Values on the engine's stack.
const MAX_STACK_VALUES: usize = 1 << 20;
/// The largest `ArrayBuffer`, in bytes. Memory as a whole is limited by the host.
const MAX_BUFFER_BYTES: u64 = 1 << 30;
/// Frames that the stack of an error keeps.
const MAX_FRAMES: usize = 50;

thread_local! {
    static CURRENT: Cell<Option<NonNull<Context>>> = const { Cell::new(None) };
    static PENDING: RefCell<Option<JsError>> = const { RefCell::new(None) };
}

/// Makes the context. Once per instance, before anything else of this folder is used.
///
/// # Panics
/// The engine can't be made.
pub(crate) fn start() {
    std::panic::set_hook(Box::new(report_panic));
    crate::memory::find_threshold();
    let mut context = Context::builder()
        .host_hooks(Rc::new(Hooks))
        .clock(Rc::new(WorldClock))
        .job_executor(Rc::new(Jobs))
        .module_loader(Rc::new(NoModules))
        .build()
        .expect("the engine starts with these parts");
    let limits = context.runtime_limits_mut();
    limits.set_recursion_limit(MAX_CALLS);
    limits.set_stack_size_limit(MAX_STACK_VALUES);
    limits.set_backtrace_limit(MAX_FRAMES);
    CURRENT.set(Some(NonNull::from(Box::leak(Box::new(context)))));
}

/// A panic ends the instance. What it says goes out with the program's lines, for no step will.
fn report_panic(panic: &std::panic::PanicHookInfo<'_>) {
    if world::in_snapshot() {
        return;
    }
    let what = panic.payload_as_str().unwrap_or("a panic");
    if what.contains("capacity overflow") || what.contains("overflow during string allocation") {
        // More than there are addresses was needed at once: the host is asked for it, and says what was refused.
        crate::memory::ask_for_all();
    } else {
        world::log(
            world::LogLevel::Error,
            &format!("the engine failed: {what}"),
        );
    }
}

/// Gives the context to `with`, which must not come back here: it calls the engine and nothing of this guest's own.
///
/// # Panics
/// Before [`start`].
pub(super) fn context<T>(with: impl FnOnce(&mut Context) -> T) -> T {
    let mut current = CURRENT.get().expect("the engine was started");
    // SAFETY: the pointer comes from the leaked context, or in `entered` from the reference that the engine lends to the
    // function that runs now and that the function itself does not use. `with` ends before anyone else asks, save for
    // functions that the engine calls meanwhile, which it lends its reference to.
    with(unsafe { current.as_mut() })
}

/// Runs a function that the engine called, and to which it lends its context.
pub(super) fn entered<T>(context: &mut Context, work: impl FnOnce() -> T) -> T {
    let outer = CURRENT.replace(Some(NonNull::from(context)));
    let result = work();
    CURRENT.set(outer);
    result
}

/// Takes over an outcome of the engine: its error becomes the pending exception.
pub(super) fn settle<T>(outcome: boa_engine::JsResult<T>) -> JsResult<T> {
    outcome.map_err(pend)
}

/// Makes an error the pending exception.
pub(super) fn pend(error: JsError) -> Thrown {
    PENDING.set(Some(error));
    Thrown
}

/// The pending exception as the engine's own functions return it.
pub(super) fn take_pending() -> JsError {
    PENDING
        .take()
        .unwrap_or_else(|| JsNativeError::error().into())
}

struct Hooks;

impl HostHooks for Hooks {
    fn promise_rejection_tracker(
        &self,
        promise: &JsObject<Promise>,
        operation: OperationType,
        _: &mut Context,
    ) {
        let promise = Value::from(promise.clone().upcast());
        match operation {
            OperationType::Reject => jobs::rejected(promise),
            OperationType::Handle => jobs::handled(&promise),
        }
    }

    fn ensure_can_compile_strings(
        &self,
        _: Realm,
        _: &[JsString],
        body: &JsString,
        _: bool,
        _: &mut Context,
    ) -> boa_engine::JsResult<()> {
        refused::check_text(&body.to_std_string_lossy())
    }

    fn local_timezone_offset_seconds(&self, _: i64) -> i32 {
        0
    }

    fn max_buffer_size(&self, _: &mut Context) -> u64 {
        MAX_BUFFER_BYTES
    }
}

struct WorldClock;

impl Clock for WorldClock {
    fn now(&self) -> JsInstant {
        let micros = world::elapsed() as u64;
        JsInstant::new(micros / 1_000_000, (micros % 1_000_000) as u32 * 1000)
    }

    fn system_time_millis(&self) -> i64 {
        (world::now() / 1000.0) as i64
    }
}

/// There are no modules: `import()` rejects.
struct NoModules;

impl ModuleLoader for NoModules {
    async fn load_imported_module(
        self: Rc<Self>,
        _: Referrer,
        request: ModuleRequest,
        _: &RefCell<&mut Context>,
    ) -> boa_engine::JsResult<Module> {
        let name = request.specifier().to_std_string_lossy();
        Err(JsNativeError::typ()
            .with_message(format!(
                "there are no modules to import, not '{name}'; use the globals"
            ))
            .into())
    }
}
