//! The run loop: start a fresh guest, hand its calls out and their outcomes in, until it is done.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use wasmtime::Store;

use super::bindings::program::lockgate::guest::types as wit;
use super::bindings::program::{ProgramGuest, ProgramGuestPre};
use super::bindings::typescript::TypescriptGuestPre;
use super::core::Core;
use super::exchange::Exchange;
use super::fault;
use super::frame::code_frame;
use super::host::RunState;
use super::source_map::SourceMap;
use super::typescript;
use super::wasi::{Mount, Wasi};
use super::watch::{Stop, Watch};
use crate::code_runtime::{
    Binding, CodeFailure, CodeLanguage, CodeLimits, CodeRequest, CodeResult, FailureKind,
    SourcePosition,
};
use crate::json::Json;

/// What a step may hand over beside texts: the records of its calls, the position and the frames of a failure.
const STEP_OVERHEAD_BYTES: u64 = 1024 * 1024;

/// Frames of a failure that are kept, and bytes of each: the names of functions are the program's choice.
const MAX_FRAMES: usize = 32;
const MAX_FRAME_BYTES: usize = 512;

/// What one sandbox needs to run programs of its language.
pub(super) struct Guests {
    pub(super) core: Arc<Core>,
    pub(super) language: CodeLanguage,
    pub(super) program: ProgramGuestPre<RunState>,
    /// None where programs run as they are.
    pub(super) stripper: Option<TypescriptGuestPre<RunState>>,
    /// The folders that programs may open files in; none where the guest is not linked with WASI.
    pub(super) mounts: Option<Vec<Mount>>,
}

/// Later than any timer comes due.
const FAR_AWAY: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

/// Runs one program, whose request was found to be right.
pub(super) async fn run(
    guests: &Guests,
    request: CodeRequest<'_>,
    file_name: &str,
    disposed: &CancellationToken,
) -> CodeResult {
    let CodeRequest {
        source,
        bindings,
        calls,
        signal,
        limits,
        on_log,
        ..
    } = request;
    let signal_fired = pin!(signal.cancelled());
    let disposal_fired = pin!(disposed.cancelled());
    let mut watch = Watch::start(
        &guests.core.clock,
        &limits,
        (&signal, signal_fired),
        (disposed, disposal_fired),
    );

    let slot = slot(&guests.core, &mut watch).await;
    watch.restart(&limits);
    let mut store = guests.store(RunState::new(&limits, on_log, watch.began()), &limits);
    let mut run = Run {
        guests,
        watch,
        exchange: Exchange::new(calls, bindings, &limits),
        bindings,
        limits: &limits,
        map: SourceMap::default(),
        strip_peak: 0,
    };
    let outcome = match &slot {
        Ok(_) => run.execute(&mut store, source, file_name).await,
        Err(stop) => Err(fault::stopped(*stop, &limits)),
    };
    let outcome = outcome.map_err(|mut failure| {
        failure.code_frame = failure
            .position
            .and_then(|position| code_frame(source, file_name, position, guests.language));
        *failure
    });
    let Exchange {
        mut usage,
        unsubmitted,
        ..
    } = run.exchange;
    usage.compute = run.watch.compute();
    usage.wall = run.watch.began().elapsed();
    let state = store.into_data();
    usage.peak_memory_bytes = run.strip_peak.max(state.memory.peak());
    usage.log_bytes = state.output.bytes();
    CodeResult {
        logs: state.output.into_lines(),
        outcome,
        usage,
        unsubmitted,
    }
}

/// Waits for a free slot.
async fn slot<'c>(
    core: &'c Core,
    watch: &mut Watch<'_>,
) -> Result<tokio::sync::SemaphorePermit<'c>, Stop> {
    if let Ok(permit) = core.slots.try_acquire() {
        return Ok(permit);
    }
    let mut acquire = pin!(core.slots.acquire());
    std::future::poll_fn(|cx| {
        if let Poll::Ready(stop) = watch.poll_signals(cx) {
            return Poll::Ready(Err(stop));
        }
        match acquire.as_mut().poll(cx) {
            Poll::Ready(Ok(permit)) => Poll::Ready(Ok(permit)),
            // Nothing closes the semaphore; if it were closed, nothing could run.
            Poll::Ready(Err(_)) => Poll::Ready(Err(Stop::Disposed)),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

impl Guests {
    fn store(&self, state: RunState, limits: &CodeLimits) -> Store<RunState> {
        let mut store = Store::new(&self.core.engine, state);
        store.limiter(|state| &mut state.memory);
        // Bounds what one step makes the host allocate, whatever lengths a guest claims.
        let texts = limits
            .output_bytes
            .saturating_add(u64::from(limits.pending_bytes));
        let records = u64::from(limits.pending_calls).saturating_mul(size_of::<wit::Call>() as u64);
        let fuel = texts
            .saturating_add(records)
            .saturating_add(STEP_OVERHEAD_BYTES);
        store.set_hostcall_fuel(usize::try_from(fuel).unwrap_or(usize::MAX));
        store.set_epoch_deadline(1);
        store.epoch_deadline_async_yield_and_update(1);
        store
    }
}

/// One program on its way.
struct Run<'r> {
    guests: &'r Guests,
    watch: Watch<'r>,
    exchange: Exchange<'r>,
    bindings: &'r [Binding],
    limits: &'r CodeLimits,
    map: SourceMap,
    /// Memory that stripping the types took at most, in bytes.
    strip_peak: u64,
}

/// What a step asks for.
enum Next {
    /// Outcomes of calls, or the moment of a timer.
    Wait(Option<Instant>),
    Done(Option<String>),
    Failed(wit::Failure),
}

impl Run<'_> {
    async fn execute(
        &mut self,
        store: &mut Store<RunState>,
        source: &str,
        file_name: &str,
    ) -> Result<Option<Json>, Box<CodeFailure>> {
        self.check()?;
        if source.len() as u64 > u64::from(self.limits.source_bytes) {
            return Err(fault::source_too_long(
                source.len(),
                self.limits.source_bytes,
            ));
        }
        let stripped = match &self.guests.stripper {
            None => None,
            Some(stripper) => {
                let state = RunState::new(self.limits, None, self.watch.began());
                let store = self.guests.store(state, self.limits);
                let peak = &mut self.strip_peak;
                let stripped =
                    typescript::strip(stripper, store, source, &mut self.watch, self.limits, peak)
                        .await?;
                self.map = stripped.map;
                Some(stripped.source)
            }
        };
        let source = stripped.as_deref().unwrap_or(source);
        if let Some(mounts) = &self.guests.mounts {
            let wasi = Wasi::new(mounts)
                .map_err(|reason| Box::new(CodeFailure::new(FailureKind::SandboxExit, reason)))?;
            store.data_mut().wasi = Some(Box::new(wasi));
        }
        let (guest, mut step) = self.start(store, source, file_name).await?;
        loop {
            match self.take(step).await? {
                Next::Wait(due) => self.wait(due).await?,
                Next::Done(text) => return self.done(store, text).await,
                Next::Failed(failure) => return Err(self.failed(store, failure, file_name)),
            }
            step = self.resume(store, &guest).await?;
        }
    }

    async fn start(
        &mut self,
        store: &mut Store<RunState>,
        source: &str,
        file_name: &str,
    ) -> Result<(ProgramGuest, wit::Step), Box<CodeFailure>> {
        let names: Vec<Vec<&str>> = self
            .bindings
            .iter()
            .map(|binding| binding.functions.iter().map(|name| &**name).collect())
            .collect();
        let bindings: Vec<wit::Binding<'_>> = self
            .bindings
            .iter()
            .zip(&names)
            .map(|(binding, functions)| wit::Binding {
                global: &binding.global,
                functions,
            })
            .collect();
        let program = wit::Program {
            source,
            file_name,
            bindings: &bindings,
            limits: wit::Limits {
                max_pending_calls: self.limits.pending_calls,
                max_pending_bytes: self.limits.pending_bytes,
                max_timers: self.limits.timers,
                max_output_bytes: u32::try_from(self.limits.output_bytes).unwrap_or(u32::MAX),
                max_depth: self.limits.json_depth,
            },
        };
        let started = async {
            let guest = self.guests.program.instantiate_async(&mut *store).await?;
            store.set_epoch_deadline(1);
            let step = guest.call_start(&mut *store, program).await?;
            Ok((guest, step))
        };
        let ended = self.watch.drive(started, |_| ()).await;
        ended.map_err(|ended| fault::interrupted(ended, store.data_mut(), self.limits))
    }

    /// Hands the collected outcomes to the guest and runs it on. Calls go on meanwhile.
    async fn resume(
        &mut self,
        store: &mut Store<RunState>,
        guest: &ProgramGuest,
    ) -> Result<wit::Step, Box<CodeFailure>> {
        let outcomes = self.exchange.take_outcomes();
        let completions: Vec<wit::Completion<'_>> = outcomes
            .iter()
            .map(|(id, outcome)| wit::Completion {
                id: *id,
                outcome: outcome.as_deref().map_err(String::as_str),
            })
            .collect();
        // Only what is refused from now on explains a trap of this step.
        store.data_mut().memory.take_refused();
        store.set_epoch_deadline(1);
        let resumed = guest.call_resume(&mut *store, &completions);
        let ended = self
            .watch
            .drive(resumed, |cx| self.exchange.collect(cx))
            .await;
        drop(completions);
        self.exchange.recycle(outcomes);
        ended.map_err(|ended| fault::interrupted(ended, store.data_mut(), self.limits))
    }

    /// Takes over the calls of a step, and says what it asks for.
    async fn take(&mut self, step: wit::Step) -> Result<Next, Box<CodeFailure>> {
        let next = match step.state {
            wit::State::Waiting(at) => {
                self.exchange.submit(step.calls).await?;
                self.check()?;
                return Ok(Next::Wait(at.map(|at| self.moment(at))));
            }
            wit::State::Done(text) => Next::Done(text),
            wit::State::Failed(failure) => Next::Failed(failure),
        };
        self.exchange.keep_unsubmitted(step.calls).await?;
        Ok(next)
    }

    fn check(&self) -> Result<(), Box<CodeFailure>> {
        let checked = self.watch.check();
        checked.map_err(|stop| fault::stopped(stop, self.limits))
    }

    /// A moment on the guest's monotonic clock. What is not a time is due at once.
    fn moment(&self, at: f64) -> Instant {
        let began = self.watch.began();
        // Cut to what instants can say; the wall limit comes long before.
        let after = Duration::try_from_secs_f64(at.max(0.0) / 1e6).unwrap_or(FAR_AWAY);
        began.checked_add(after.min(FAR_AWAY)).unwrap_or(began)
    }

    /// Waits until there is something to resume with: outcomes, or a timer that is due.
    async fn wait(&mut self, due: Option<Instant>) -> Result<(), Box<CodeFailure>> {
        // A program whose calls are always ready at once must not keep other tasks from running.
        tokio::task::coop::consume_budget().await;
        let waited = std::future::poll_fn(|cx| {
            self.exchange.collect(cx);
            self.watch.hold(self.exchange.only_asks());
            if self.exchange.has_outcomes() {
                // A call that fails because the run was cancelled must not reach the program as its own error.
                let checked = self.watch.check();
                return Poll::Ready(checked.map_err(|stop| fault::stopped(stop, self.limits)));
            }
            if due.is_none() && !self.exchange.is_waiting() {
                return Poll::Ready(Err(fault::deadlock()));
            }
            let waited = self.watch.poll_until(due, cx);
            waited.map_err(|stop| fault::stopped(stop, self.limits))
        })
        .await;
        self.watch.hold(false);
        waited
    }

    async fn done(
        &mut self,
        store: &mut Store<RunState>,
        text: Option<String>,
    ) -> Result<Option<Json>, Box<CodeFailure>> {
        let Some(text) = text else { return Ok(None) };
        let output = &store.data().output;
        if !output.fits(text.len()) {
            return Err(fault::output(output.hit()));
        }
        self.exchange.json(text).await.map(Some)
    }

    fn failed(
        &self,
        store: &mut Store<RunState>,
        failure: wit::Failure,
        file_name: &str,
    ) -> Box<CodeFailure> {
        let state = store.data_mut();
        if !state
            .output
            .fits(failure.message.len().saturating_add(failure.name.len()))
        {
            return fault::output(state.output.hit());
        }
        // An engine that gets no memory for its error either throws one that says nothing.
        let nameless = failure.name.is_empty() && failure.position.is_none();
        let starved = state.memory.take_refused() && nameless;
        let mut ended = match failure.kind {
            wit::FailureKind::Thrown if starved => fault::memory(state.memory.hit()),
            wit::FailureKind::Thrown | wit::FailureKind::Syntax => {
                Box::new(CodeFailure::new(FailureKind::Exception, failure.message))
            }
            wit::FailureKind::InvalidOutput => Box::new(CodeFailure::new(
                FailureKind::InvalidOutput,
                failure.message,
            )),
            wit::FailureKind::OutOfMemory => fault::memory(state.memory.hit()),
            wit::FailureKind::StackOverflow => fault::stack(),
            wit::FailureKind::OutputLimit => fault::output(state.output.hit()),
        };
        ended.name = failure.name;
        ended.call = failure.call;
        ended.position = failure.position.map(|position| {
            self.map.original(SourcePosition {
                line: position.line,
                column: position.column,
            })
        });
        ended.frames = failure
            .frames
            .into_iter()
            .take(MAX_FRAMES)
            .map(|frame| cut(frame, MAX_FRAME_BYTES))
            .map(|frame| self.map.frame(frame, file_name))
            .collect();
        ended
    }
}

/// The text, cut in the middle where it is longer: both its ends say where it comes from.
fn cut(text: String, max: usize) -> String {
    if text.len() <= max {
        return text;
    }
    let head = text.floor_char_boundary(max / 2);
    let tail = text.ceil_char_boundary(text.len() - max / 2);
    format!("{}…{}", &text[..head], &text[tail..])
}
