//! From what ended a guest to the kind, the limit and the message that the author of the program reads.

use wasmtime::Trap;

use super::engine::WASM_STACK_BYTES;
use super::host::RunState;
use super::watch::{Interrupted, Stop};
use crate::code_runtime::{CodeFailure, CodeLimits, FailureKind, Limit, LimitHit, LimitUnit};

/// Why a run ended early, from how the guest was interrupted.
pub(super) fn interrupted(
    interrupted: Interrupted,
    state: &mut RunState,
    limits: &CodeLimits,
) -> Box<CodeFailure> {
    match interrupted {
        Interrupted::Stopped(stop) => stopped(stop, limits),
        Interrupted::Trapped(error) => trapped(&error, state),
    }
}

/// Why a program was not stripped of its types, from how the stripper was interrupted.
pub(super) fn strip_interrupted(
    interrupted: Interrupted,
    state: &mut RunState,
    limits: &CodeLimits,
) -> Box<CodeFailure> {
    if let Interrupted::Trapped(error) = &interrupted
        // The stripper's stack lies at the start of its memory: past its end, it leaves the memory.
        && let Some(Trap::StackOverflow | Trap::MemoryOutOfBounds) = error.downcast_ref()
    {
        let message = "the program nests too deeply to be parsed: split long chains of operators, conditions or functions into statements";
        return at_stack(message);
    }
    self::interrupted(interrupted, state, limits)
}

/// The failure of a run that the host stopped.
pub(super) fn stopped(stop: Stop, limits: &CodeLimits) -> Box<CodeFailure> {
    match stop {
        Stop::Compute => {
            let hit = milliseconds(Limit::Compute, limits.compute);
            let message = format!(
                "the program computed for longer than its limit of {} ms: look for an endless loop, or do less in one run",
                hit.value
            );
            at_limit(FailureKind::Timeout, hit, message)
        }
        Stop::Wall => {
            let hit = milliseconds(Limit::Wall, limits.wall);
            let message = format!(
                "the program took longer than its limit of {} ms: wait for less in one run, or run calls side by side",
                hit.value
            );
            at_limit(FailureKind::Timeout, hit, message)
        }
        Stop::Signal => Box::new(CodeFailure::new(FailureKind::Abort, "the run was aborted")),
        Stop::Disposed => Box::new(CodeFailure::new(
            FailureKind::Abort,
            "the code runtime was disposed during the run",
        )),
    }
}

fn milliseconds(limit: Limit, duration: std::time::Duration) -> LimitHit {
    let value = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    LimitHit {
        limit,
        value,
        unit: LimitUnit::Milliseconds,
    }
}

fn trapped(error: &wasmtime::Error, state: &mut RunState) -> Box<CodeFailure> {
    if let Some(hit) = state.output_hit {
        return output(hit);
    }
    let refused = state.memory.take_refused();
    if error.is::<wasmtime_wasi::I32Exit>() {
        let message =
            "the program ended its own process: to end a program, return from it or raise an error";
        return Box::new(CodeFailure::new(FailureKind::SandboxExit, message));
    }
    match error.downcast_ref::<Trap>() {
        // The stack of a guest lies at the start of its memory: past its end, it leaves the memory.
        Some(Trap::StackOverflow | Trap::MemoryOutOfBounds) => stack(),
        // A guest whose allocator gets nothing gives up: the trap itself doesn't say why.
        _ if refused => memory(state.memory.hit()),
        Some(trap) => {
            let message = format!("the engine that ran the program stopped: {trap}");
            Box::new(CodeFailure::new(FailureKind::SandboxExit, message))
        }
        None => broken(&format!("{error:#}")),
    }
}

/// The failure of a program that used too much memory.
pub(super) fn memory(hit: LimitHit) -> Box<CodeFailure> {
    let message = format!(
        "the program needed more memory than its limit of {} bytes: keep less data at one time, or work through it in parts",
        hit.value
    );
    at_limit(FailureKind::SandboxExit, hit, message)
}

/// The failure of a program that nested calls too deeply.
pub(super) fn stack() -> Box<CodeFailure> {
    at_stack(
        "the program nested calls too deeply and used up the stack: look for endless recursion, or use a loop",
    )
}

fn at_stack(message: &str) -> Box<CodeFailure> {
    let hit = LimitHit {
        limit: Limit::Stack,
        value: WASM_STACK_BYTES as u64,
        unit: LimitUnit::Bytes,
    };
    at_limit(FailureKind::SandboxExit, hit, message.to_owned())
}

/// The failure of a program whose output does not fit.
pub(super) fn output(hit: LimitHit) -> Box<CodeFailure> {
    let message = format!(
        "logs and result together passed the limit of {} {}: print less, or return a part or a summary",
        hit.value,
        hit.unit.as_str()
    );
    at_limit(FailureKind::OutputLimit, hit, message)
}

/// The failure of a program whose result or argument is short as text and large as a value.
pub(super) fn value_too_large(limit: u64) -> Box<CodeFailure> {
    let hit = LimitHit {
        limit: Limit::Output,
        value: limit,
        unit: LimitUnit::Bytes,
    };
    let message = format!(
        "a value of the program takes more memory on the host than twice the output limit of {limit} bytes: hand over less, or in \
         parts, or as one text"
    );
    at_limit(FailureKind::OutputLimit, hit, message)
}

/// The failure of a program that made too many calls.
pub(super) fn calls(limit: u64) -> Box<CodeFailure> {
    let hit = LimitHit {
        limit: Limit::Calls,
        value: limit,
        unit: LimitUnit::Calls,
    };
    let message = format!(
        "the program made more calls than its limit of {limit}: ask for more in one call, or for less in one run"
    );
    at_limit(FailureKind::CallLimit, hit, message)
}

/// The failure of a program that waits for nothing that can come.
pub(super) fn deadlock() -> Box<CodeFailure> {
    let mut failure = CodeFailure::new(
        FailureKind::Exception,
        "the program waits for something that can never come: no call is running and no timer is set; look for a promise \
         (in Python, a future or an event) that nothing resolves",
    );
    failure.name = "Deadlock".to_owned();
    Box::new(failure)
}

/// The failure of a program that is too long to start.
pub(super) fn source_too_long(length: usize, limit: u32) -> Box<CodeFailure> {
    let mut failure = CodeFailure::new(
        FailureKind::Exception,
        format!(
            "the program is {length} bytes long, the limit is {limit}: make it shorter, or read its data through a tool"
        ),
    );
    failure.name = "SyntaxError".to_owned();
    Box::new(failure)
}

/// The failure of a guest that does not keep to its world. Only a fault of the guest, or an attack on it, comes here.
pub(super) fn broken(what: &str) -> Box<CodeFailure> {
    let message = format!(
        "the engine that ran the program broke its contract with the host and was stopped: {what}"
    );
    Box::new(CodeFailure::new(FailureKind::SandboxExit, message))
}

fn at_limit(kind: FailureKind, hit: LimitHit, message: String) -> Box<CodeFailure> {
    let mut failure = CodeFailure::new(kind, message);
    failure.limit = Some(hit);
    Box::new(failure)
}
