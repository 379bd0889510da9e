//! The stages of a call in their order, each a type of its own: `prepare → dispatch → finalize → finish` (SPEC E13).

use crate::{
    code_mode::{Mode, RUN_CODE},
    events::Event,
    json::Json,
    pipeline::{
        CallRequest,
        decide::{Approved, Refusal},
        dispatch::Draft,
        finalize::{Unfrozen, freeze},
    },
    registry::Registry,
    tool::{
        CallInner, CallState, CallToken, ErrorCode, Receipt, ToolCall, ToolError, ToolResult,
        contain,
    },
};

/// A call that policy has seen. [`Registry::dispatch`] runs it if it may run.
///
/// Only [`Registry::prepare`] makes one, and dispatching uses it up:
///
/// ```
/// # async fn stages(registry: lockgate::Registry, request: lockgate::CallRequest) -> lockgate::ToolResult {
/// let prepared = registry.prepare(request).await;
/// let dispatched = registry.dispatch(prepared).await;
/// let finalized = registry.finalize(dispatched).await;
/// registry.finish(finalized)
/// # }
/// ```
///
/// A call that policy has not seen does not run:
///
/// ```compile_fail,E0308
/// # async fn stages(registry: lockgate::Registry, request: lockgate::CallRequest) {
/// registry.dispatch(request).await;
/// # }
/// ```
///
/// What policy approved once runs once:
///
/// ```compile_fail,E0382
/// # async fn stages(registry: lockgate::Registry, request: lockgate::CallRequest) {
/// let prepared = registry.prepare(request).await;
/// let first = registry.dispatch(prepared).await;
/// let second = registry.dispatch(prepared).await;
/// # }
/// ```
///
/// A result that policy has not judged is not told:
///
/// ```compile_fail,E0308
/// # async fn stages(registry: lockgate::Registry, prepared: lockgate::Prepared) {
/// let dispatched = registry.dispatch(prepared).await;
/// registry.finish(dispatched);
/// # }
/// ```
#[derive(Debug)]
#[must_use = "hand it to `Registry::dispatch`: every call ends with one result"]
pub struct Prepared {
    call: ToolCall,
    gate: Gate,
}

#[derive(Debug)]
enum Gate {
    Open(Approved),
    Closed(Ended),
}

/// A call whose outcome is known. [`Registry::finalize`] lets policy judge it.
#[derive(Debug)]
#[must_use = "hand it to `Registry::finalize`: every call ends with one result"]
pub struct Dispatched {
    call: ToolCall,
    ended: Ended,
}

/// A call whose result is frozen. [`Registry::finish`] tells the observers.
#[derive(Debug)]
#[must_use = "hand it to `Registry::finish`: every call ends with one result"]
pub struct Finalized {
    call: ToolCall,
    result: ToolResult,
}

/// A call that has its identity and has not entered the pipeline.
pub(crate) struct Created {
    pub(crate) call: ToolCall,
    /// The outcome of one that no policy need see.
    refused: Option<Draft>,
}

#[derive(Debug)]
struct Ended {
    draft: Draft,
    /// Whether `tools/post-execute` still judges it.
    judged: bool,
}

impl Ended {
    fn judged(draft: Draft) -> Self {
        Self {
            draft,
            judged: true,
        }
    }

    fn unjudged(draft: Draft) -> Self {
        Self {
            draft,
            judged: false,
        }
    }
}

impl Prepared {
    /// The call.
    pub fn call(&self) -> &ToolCall {
        &self.call
    }

    /// Whether dispatching it will run the body.
    pub fn is_approved(&self) -> bool {
        matches!(self.gate, Gate::Open(_))
    }
}

impl Dispatched {
    /// The call.
    pub fn call(&self) -> &ToolCall {
        &self.call
    }
}

impl Finalized {
    /// The call.
    pub fn call(&self) -> &ToolCall {
        &self.call
    }
}

impl Registry {
    /// Runs a call through the whole pipeline. Whatever happens, it ends with exactly one result and one `tools/result`.
    ///
    /// A body that has started is awaited, also after the call is cancelled (SPEC F1). Dropping the future drops the body.
    pub async fn execute(&self, request: CallRequest) -> ToolResult {
        let prepared = self.prepare(request).await;
        let dispatched = self.dispatch(prepared).await;
        let finalized = self.finalize(dispatched).await;
        self.finish(finalized)
    }

    /// The first stage: create the call, ask the gates of `tools/pre-execute`, then the guards.
    pub async fn prepare(&self, request: CallRequest) -> Prepared {
        let created = self.create(request);
        self.admit(created).await
    }

    /// Lets a created call into the pipeline.
    pub(crate) async fn admit(&self, Created { call, refused }: Created) -> Prepared {
        self.emit(|| Event::call_created(&call));
        let gate = match refused {
            Some(draft) => Gate::Closed(Ended::unjudged(draft)),
            None => match self.decide(&call).await {
                Ok(approved) => Gate::Open(approved),
                Err(refusal) => Gate::Closed(refused_by_policy(&call, refusal)),
            },
        };
        Prepared { call, gate }
    }

    /// The second stage: the layers of `tools/execute` and the body. The only one that may overlap with other calls'.
    pub async fn dispatch(&self, prepared: Prepared) -> Dispatched {
        let Prepared { call, gate } = prepared;
        let ended = match gate {
            Gate::Closed(ended) => ended,
            Gate::Open(_) if call.signal().is_cancelled() => {
                Ended::judged(Draft::aborted_before(&call))
            }
            Gate::Open(approved) => match self.run_layers(&call, approved).await {
                Ok(draft) => Ended::judged(draft),
                Err(error) => Ended::unjudged(Draft::failed(error, failed_receipt(&call))),
            },
        };
        Dispatched { call, ended }
    }

    /// The third stage: `tools/post-execute`, the tool's `finalize_content`, and the freezing of the result.
    pub async fn finalize(&self, dispatched: Dispatched) -> Finalized {
        let Dispatched { call, ended } = dispatched;
        let unfrozen = if ended.judged {
            self.judge(&call, ended.draft).await
        } else {
            Unfrozen::new(ended.draft)
        };
        let result = freeze(&call, unfrozen);
        Finalized { call, result }
    }

    /// The last stage: tells the observers, and gives the very value that they saw (SPEC E9).
    pub fn finish(&self, finalized: Finalized) -> ToolResult {
        let Finalized { call, result } = finalized;
        for observer in self.layer(call.agent()).collect(|state| &state.observers) {
            if let Err(panic) = contain(|| observer(&call, &result)) {
                tracing::error!(call = %call.id(), panic, "a result observer panicked");
            }
        }
        self.emit(|| Event::call_settled(&call, &result));
        result
    }

    /// Gives the call its identity, and the outcome of one that no policy need see.
    pub(crate) fn create(&self, request: CallRequest) -> Created {
        let CallRequest {
            id,
            root_id,
            name,
            arguments,
            agent,
            parent,
            signal,
        } = request;
        let (arguments, broken) = match arguments {
            Ok(arguments) => (arguments, None),
            Err(error) => (Json::Null, Some(error)),
        };
        let layer = self.layer(agent.as_ref());
        let tool = self.resolve(layer, &name);
        let collapsed = parent.is_none() && &*name != RUN_CODE && self.mode(layer) == Mode::Code;
        let call = ToolCall::new(CallInner {
            token: CallToken::fresh(),
            parent,
            root_id: root_id.unwrap_or_else(|| id.clone()),
            id,
            name,
            arguments,
            agent,
            signal,
            tool,
            state: CallState::default(),
        });
        let refused = if let Some(error) = broken {
            let message = format!(
                "the arguments of `{}` are not lossless JSON: {error}",
                call.name()
            );
            Some(Draft::failed(
                ToolError::with_code(ErrorCode::InvalidArgs, message),
                Receipt::NeverStarted,
            ))
        } else if call.signal().is_cancelled() {
            Some(Draft::aborted_before(&call))
        } else if collapsed {
            let message = format!(
                "`{0}` can't be called directly here: call `{RUN_CODE}` with a program that calls `tools`'s `{0}`",
                call.name()
            );
            Some(Draft::failed(
                ToolError::with_code(ErrorCode::UnknownTool, message),
                Receipt::NeverStarted,
            ))
        } else {
            None
        };
        Created { call, refused }
    }

    /// The end of a call whose future was dropped: it is told like any other.
    pub(crate) fn give_up(&self, call: ToolCall) -> ToolResult {
        let result = freeze(&call, Unfrozen::new(Draft::dropped(&call)));
        self.finish(Finalized { call, result })
    }

    /// Whether anybody takes the events.
    pub(crate) fn records(&self) -> bool {
        self.0.events.is_some()
    }

    pub(crate) fn emit(&self, event: impl FnOnce() -> Event) {
        let Some(sink) = &self.0.events else { return };
        if let Err(panic) = contain(|| sink.record(&event())) {
            tracing::error!(panic, "an event sink panicked; the event is lost");
        }
    }
}

fn refused_by_policy(call: &ToolCall, refusal: Refusal) -> Ended {
    match refusal {
        Refusal::Denied(reason) => Ended::judged(Draft::failed(
            ToolError::new(reason).named("DeniedError"),
            Receipt::Denied,
        )),
        Refusal::Cancelled => Ended::judged(Draft::aborted_before(call)),
        Refusal::Broken(error) => Ended::unjudged(Draft::failed(error, Receipt::NeverStarted)),
    }
}

fn failed_receipt(call: &ToolCall) -> Receipt {
    if call.body_started() {
        Receipt::Failed
    } else {
        Receipt::NeverStarted
    }
}
