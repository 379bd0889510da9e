//! The bridge (SPEC K): a program's calls become sub-calls in the same pipeline, over the same scheduler as native batches.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio_util::sync::CancellationToken;

use crate::{
    code_mode::{lookup::Lookup, outcome::Tally},
    code_runtime::{CallCompletion, CallHandler, ProgramCall},
    events::{DispatchLog, Event},
    json::Json,
    pipeline::CallRequest,
    registry::Registry,
    scheduler::{Progress, Scheduler, Sequence, Settled},
    tool::{CallId, Content, ContextMessage, Outcome, ToolCall, ToolResult, contain},
};

/// The sub-calls of one program.
pub(super) struct Bridge<'a> {
    registry: &'a Registry,
    outer: &'a ToolCall,
    functions: &'a [Arc<str>],
    /// Answers what is asked about the tools themselves; none where the SDK text says all.
    lookup: Option<Lookup>,
    signal: CancellationToken,
    scheduler: Scheduler,
    /// By scheduler sequence, which counts from 0 what the program counts from 1.
    open: HashMap<Sequence, OpenCall>,
    /// Completions that are known without running anything.
    immediate: VecDeque<CallCompletion>,
    max_queued: usize,
    over: bool,
    contexts: BTreeMap<Sequence, Vec<ContextMessage>>,
    concludes_turn: bool,
    tally: Tally,
}

struct OpenCall {
    program_id: u32,
    name: Arc<str>,
}

/// What the sub-calls leave to the outer call.
pub(super) struct SubCalls {
    /// Deferred contexts, in the order of submission (SPEC K5).
    pub(super) contexts: Vec<ContextMessage>,
    pub(super) concludes_turn: bool,
    pub(super) tally: Tally,
}

impl<'a> Bridge<'a> {
    /// `functions` are the names that the program's call indices mean; `signal` is the run's own.
    pub(super) fn new(
        registry: &'a Registry,
        outer: &'a ToolCall,
        functions: &'a [Arc<str>],
        lookup: Option<Lookup>,
        signal: CancellationToken,
    ) -> Self {
        Self {
            registry,
            outer,
            functions,
            lookup,
            signal,
            scheduler: Scheduler::new(registry.clone()),
            open: HashMap::new(),
            immediate: VecDeque::new(),
            max_queued: usize::try_from(registry.0.code_mode.limits.pending_calls)
                .unwrap_or(usize::MAX),
            over: false,
            contexts: BTreeMap::new(),
            concludes_turn: false,
            tally: Tally::default(),
        }
    }

    /// Ends all that the program left (SPEC K4): the signal fires, queued calls are abandoned without an event, started ones
    /// are awaited. One that ignores its cancellation for longer than `grace` is dropped.
    pub(super) async fn settle(mut self, grace: Duration) -> SubCalls {
        self.over = true;
        self.signal.cancel();
        for (sequence, request) in self.scheduler.abandon_queued() {
            self.open.remove(&sequence);
            self.tally.never_started(request.name().clone());
        }
        if !self.scheduler.is_idle() {
            let drained = async {
                while !self.scheduler.is_idle() {
                    poll_fn(|cx| self.poll_settled(cx)).await;
                }
            };
            if tokio::time::timeout(grace, drained).await.is_err() {
                self.drop_running();
            }
        }
        SubCalls {
            contexts: std::mem::take(&mut self.contexts)
                .into_values()
                .flatten()
                .collect(),
            concludes_turn: self.concludes_turn,
            tally: std::mem::take(&mut self.tally),
        }
    }

    /// Gives up on bodies that ignore their cancellation. Their futures go with the scheduler.
    fn drop_running(&mut self) {
        for settled in self.scheduler.drop_started() {
            if let Some(open) = self.open.remove(&settled.sequence) {
                self.emit_settled(&settled);
                self.keep_contexts(settled.sequence, &settled.result);
                self.tally.dropped(open.name);
            }
        }
    }

    /// Drives the sub-calls until one settles.
    fn poll_settled(&mut self, cx: &mut Context<'_>) -> Poll<Option<CallCompletion>> {
        loop {
            match ready!(self.scheduler.poll_progress(cx)) {
                Progress::Started(start) => {
                    self.registry.emit(|| Event::DispatchStarted {
                        id: start.id,
                        parent_id: self.outer.id().clone(),
                        name: start.name,
                        arguments: start.arguments,
                    });
                }
                Progress::Settled(settled) => return Poll::Ready(self.settled(&settled)),
            }
        }
    }

    fn settled(&mut self, settled: &Settled) -> Option<CallCompletion> {
        let open = self.open.remove(&settled.sequence)?;
        self.emit_settled(settled);
        if self.over {
            self.tally.cancelled(open.name);
        } else {
            self.tally.finished(open.name);
        }
        self.keep_contexts(settled.sequence, &settled.result);
        let outcome = match settled.result.outcome() {
            Outcome::Success(success) => {
                self.concludes_turn |= success.concludes_turn;
                Ok(success.value.clone())
            }
            Outcome::Failure(failure) => Err(failure.message.to_string()),
        };
        Some(CallCompletion {
            id: open.program_id,
            outcome,
        })
    }

    fn emit_settled(&self, settled: &Settled) {
        let Settled {
            call,
            result,
            moments,
            ..
        } = settled;
        self.registry.emit(|| Event::DispatchSettled {
            id: call.id().clone(),
            parent_id: self.outer.id().clone(),
            receipt: result.receipt(),
            timing: moments.timing(),
            log: self.registry.logged_copy(call, result),
        });
    }

    /// What a sub-call adds to the model's context, an image's whole content included (SPEC K5).
    fn keep_contexts(&mut self, sequence: Sequence, result: &ToolResult) {
        let mut contexts = result.additional_contexts().to_vec();
        if !result.is_error() && result.content().iter().any(Content::is_image) {
            contexts.push(ContextMessage {
                content: result.content().to_vec(),
            });
        }
        if !contexts.is_empty() {
            self.contexts.insert(sequence, contexts);
        }
    }

    fn refuse(&mut self, id: u32, message: String) {
        self.immediate.push_back(CallCompletion {
            id,
            outcome: Err(message),
        });
    }
}

/// A run whose future the host drops: its calls go with it, and each that started settles all the same.
impl Drop for Bridge<'_> {
    fn drop(&mut self) {
        self.signal.cancel();
        self.drop_running();
    }
}

impl CallHandler for Bridge<'_> {
    fn submit(&mut self, call: ProgramCall) {
        let Some(name) = self.functions.get(call.function).cloned() else {
            return self.refuse(call.id, "there is no such tool".to_owned());
        };
        if self.over {
            return self.refuse(
                call.id,
                "the run is over; no more calls can be made".to_owned(),
            );
        }
        let lookup = self.lookup.as_ref();
        let asked = call.arguments.as_ref().unwrap_or(&Json::Null);
        if let Some(outcome) = lookup.and_then(|lookup| lookup.answer(&name, asked)) {
            let id = call.id;
            return self.immediate.push_back(CallCompletion { id, outcome });
        }
        if self.scheduler.queued() >= self.max_queued {
            self.tally.never_started(name);
            let limit = self.max_queued;
            let message = format!(
                "{limit} calls are waiting already (limit pending_calls: {limit}); await some first"
            );
            return self.refuse(call.id, message);
        }
        let call_id: CallId = format!("{}:code:{}", self.outer.id(), call.id).into();
        let arguments = call.arguments.unwrap_or_else(Json::empty_object);
        let mut request = CallRequest::new(call_id, name.clone(), arguments)
            .parent(self.outer)
            .signal(self.signal.child_token());
        if let Some(agent) = self.outer.agent() {
            request = request.agent(agent);
        }
        let sequence = self.scheduler.submit(request);
        self.open.insert(
            sequence,
            OpenCall {
                program_id: call.id,
                name,
            },
        );
    }

    fn poll_completion(&mut self, cx: &mut Context<'_>) -> Poll<CallCompletion> {
        loop {
            if let Some(completion) = self.immediate.pop_front() {
                return Poll::Ready(completion);
            }
            if self.scheduler.is_idle() {
                return Poll::Pending;
            }
            if let Some(completion) = ready!(self.poll_settled(cx)) {
                return Poll::Ready(completion);
            }
        }
    }

    fn unsettled(&self) -> usize {
        self.open.len() + self.immediate.len()
    }

    fn only_asks(&self) -> bool {
        self.immediate.is_empty() && self.scheduler.only_asks()
    }
}

impl Registry {
    /// The copy of a result that is logged, after `tools/code-dispatch-log` (SPEC K3).
    fn logged_copy(&self, call: &ToolCall, result: &ToolResult) -> DispatchLog {
        let mut log = DispatchLog::of(result);
        for listener in self
            .layer(call.agent())
            .collect(|state| &state.dispatch_log)
        {
            match contain(|| listener(call, log.clone())) {
                Ok(Ok(changed)) => log = changed,
                Ok(Err(error)) => {
                    tracing::warn!(%error, call = %call.id(), "a dispatch log listener failed")
                }
                Err(_) => tracing::error!(call = %call.id(), "a dispatch log listener panicked"),
            }
        }
        log
    }
}
