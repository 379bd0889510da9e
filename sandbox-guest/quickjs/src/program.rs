//! One run: compile the program, drive the job queue until it is empty, say what the program waits for.

use std::cell::RefCell;

use crate::engine::{
    JsResult, PromiseState, Thrown, Value, compile, has_jobs, rejections, run_job, take_exception,
};
use crate::failure::{self, Source};
use crate::realm::realm;
use crate::to_json::{Bounds, to_json};
use crate::world::{Completion, Failure, FailureKind, Limits, Program, State, Step};
use crate::{bridge, timers};

/// The run.
struct Run {
    source: String,
    file_name: String,
    limits: Limits,
    /// The promise of the program's function.
    main: Value,
    /// The end, once it is reached: later steps repeat nothing.
    over: bool,
}

thread_local! {
    static RUN: RefCell<Option<Run>> = const { RefCell::new(None) };
}

/// Bytes of a line or a text that may leave.
pub(crate) fn max_output_bytes() -> usize {
    RUN.with_borrow(|run| {
        run.as_ref()
            .map_or(1 << 20, |run| run.limits.max_output_bytes as usize)
    })
}

/// Gives the program's source to `with`; an empty one where no program runs.
pub(crate) fn with_source<T>(with: impl FnOnce(Source<'_>) -> T) -> T {
    RUN.with_borrow(|run| match run {
        Some(run) => with(Source {
            file_name: &run.file_name,
            text: &run.source,
        }),
        None => with(Source {
            file_name: "",
            text: "",
        }),
    })
}

/// Timers that may be set at one time.
pub(crate) fn max_timers() -> usize {
    RUN.with_borrow(|run| {
        run.as_ref()
            .map_or(1000, |run| run.limits.max_timers as usize)
    })
}

/// Starts the program.
pub(crate) fn start(program: Program) -> Step {
    let Program {
        source,
        file_name,
        bindings,
        limits,
    } = program;
    let run = Run {
        source,
        file_name,
        limits,
        main: Value::UNDEFINED,
        over: false,
    };
    RUN.with_borrow_mut(|slot| *slot = Some(run));
    let failed = bridge::bind(bindings, limits).and_then(|()| begin());
    match failed {
        Ok(None) => step(Ok(())),
        Ok(Some(syntax)) => end(State::Failed(syntax)),
        Err(Thrown) => step(Err(Thrown)),
    }
}

/// Compiles and calls the program; a syntax error is a value.
fn begin() -> JsResult<Option<Failure>> {
    let compiled = RUN.with_borrow(|run| {
        let run = run.as_ref().ok_or(Thrown)?;
        compile(&run.source, &run.file_name)
    });
    let function = match compiled {
        Ok(function) => function,
        Err(Thrown) => return Ok(Some(describe(FailureKind::Syntax, &take_exception()))),
    };
    let main = function.call(&realm().global, &[])?;
    RUN.with_borrow_mut(|run| {
        if let Some(run) = run {
            run.main = main;
        }
    });
    Ok(None)
}

/// Hands over completions, fires due timers, and goes on.
pub(crate) fn resume(completions: Vec<Completion>) -> Step {
    let outcome = (|| {
        for completion in completions {
            bridge::settle(completion)?;
            // Each completion is a turn of its own, so that what arrived first is seen first.
            run_jobs()?;
        }
        timers::fire_due()
    })();
    step(outcome)
}

/// Runs the jobs that are queued, and those that they queue.
pub(crate) fn run_jobs() -> JsResult<()> {
    while has_jobs() {
        run_job()?;
    }
    Ok(())
}

/// The step that ends here. An exception that nothing caught ends the run.
fn step(outcome: JsResult<()>) -> Step {
    if RUN.with_borrow(|run| run.as_ref().is_none_or(|run| run.over)) {
        return Step {
            calls: bridge::take_calls(),
            state: State::Waiting(None),
        };
    }
    if outcome.and_then(|()| run_jobs()) == Err(Thrown) {
        let thrown = take_exception();
        return end(State::Failed(describe(FailureKind::Thrown, &thrown)));
    }
    let main = RUN
        .with_borrow(|run| run.as_ref().map(|run| run.main.clone()))
        .unwrap_or(Value::UNDEFINED);
    match main.promise_state() {
        PromiseState::Pending => {
            let next_due = timers::next_due();
            // Nothing can wake the program any more; an error that it lost says more than that.
            if next_due.is_none()
                && bridge::is_idle()
                && let Some(lost) = lost_rejection(&main)
            {
                return end(State::Failed(lost));
            }
            Step {
                calls: bridge::take_calls(),
                state: State::Waiting(next_due),
            }
        }
        PromiseState::Rejected(reason) => {
            end(State::Failed(describe(FailureKind::Thrown, &reason)))
        }
        PromiseState::Fulfilled(value) => end(finish(&main, &value)),
    }
}

/// The failure by the first rejection that nothing handled, if there is one.
fn lost_rejection(main: &Value) -> Option<Failure> {
    let mut lost = rejections();
    lost.retain(|(promise, _)| !promise.is_same_object(main));
    let (_, reason) = lost.first()?;
    let mut failure = describe(FailureKind::Thrown, reason);
    let what = match bridge::title_of(reason) {
        Some(title) => format!("{title} failed and nothing awaited it"),
        None => "a promise was rejected and nothing handled it".into(),
    };
    failure.message = format!("{what}: {}", failure.message);
    if lost.len() > 1 {
        failure
            .message
            .push_str(&format!(" (and {} more)", lost.len() - 1));
    }
    Some(failure)
}

/// The state of a program that returned `value`.
fn finish(main: &Value, value: &Value) -> State {
    if let Some(lost) = lost_rejection(main) {
        return State::Failed(lost);
    }
    if value.is_undefined() {
        return State::Done(None);
    }
    let limits = RUN.with_borrow(|run| run.as_ref().map(|run| run.limits));
    let Some(limits) = limits else {
        return State::Done(None);
    };
    let bounds = Bounds {
        max_depth: limits.max_depth as usize,
        max_bytes: limits.max_output_bytes as usize,
    };
    match to_json(value, "result", bounds) {
        Ok(text) => State::Done(Some(text)),
        Err(problem) => {
            use lockgate_guest_core::lossless::Found;
            let kind = if matches!(problem.found, Found::TooLong(_)) {
                FailureKind::OutputLimit
            } else {
                FailureKind::InvalidOutput
            };
            State::Failed(failure::plain(kind, problem.to_string()))
        }
    }
}

fn end(state: State) -> Step {
    RUN.with_borrow_mut(|run| {
        if let Some(run) = run {
            run.over = true;
        }
    });
    Step {
        calls: bridge::take_calls(),
        state,
    }
}

fn describe(kind: FailureKind, thrown: &Value) -> Failure {
    RUN.with_borrow(|run| match run {
        Some(run) => {
            let source = Source {
                file_name: &run.file_name,
                text: &run.source,
            };
            failure::failure(
                kind,
                thrown,
                source,
                bridge::call_of(thrown),
                run.limits.max_output_bytes as usize,
            )
        }
        None => failure::plain(kind, failure::one_line(thrown)),
    })
}

/// Forgets the run; the snapshot's warm-up ends with it.
pub(crate) fn reset() {
    let old = RUN.take();
    drop(old);
    bridge::reset();
    timers::reset();
}
