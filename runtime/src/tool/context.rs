//! A call on its way through the pipeline, and what its body is given.

use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::{
    json::Json,
    registry::Scope,
    tool::{Content, Tool},
};

/// The name of one call, unique in its session. Chosen by the host for top-level calls, derived for sub-calls.
pub type CallId = Arc<str>;

/// The identity of one call within this process. It can be compared, and nothing else: it has no text and no number that
/// could reach a model, a log or a guest (SPEC E1).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CallToken(u64);

impl CallToken {
    pub(crate) fn fresh() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl fmt::Debug for CallToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallToken(..)")
    }
}

/// A message that joins the model's context after a result (SPEC C5, E10).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextMessage {
    /// What the model is shown.
    pub content: Vec<Content>,
}

impl ContextMessage {
    /// A message of one text block.
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self {
            content: vec![Content::text(text)],
        }
    }
}

/// A call, as policy, layers and tools see it. Immutable and cheap to clone.
#[derive(Clone)]
pub struct ToolCall(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) token: CallToken,
    pub(crate) parent: Option<CallToken>,
    pub(crate) id: CallId,
    pub(crate) root_id: CallId,
    pub(crate) name: Arc<str>,
    pub(crate) arguments: Json,
    pub(crate) agent: Option<Scope>,
    pub(crate) signal: CancellationToken,
    pub(crate) tool: Option<Tool>,
    pub(crate) state: CallState,
}

/// What changes while a call runs.
#[derive(Default)]
pub(crate) struct CallState {
    pub(crate) body_started: AtomicBool,
    /// The approval service has been asked about this call and has not answered.
    pub(crate) awaits_approval: AtomicBool,
    pub(crate) deferred: Mutex<Deferred>,
}

/// What a body asked for besides its value.
#[derive(Default)]
pub(crate) struct Deferred {
    pub(crate) by_tool: Vec<ContextMessage>,
    pub(crate) by_layers: Vec<ContextMessage>,
    pub(crate) concludes_turn: bool,
}

impl ToolCall {
    pub(crate) fn new(inner: Inner) -> Self {
        Self(Arc::new(inner))
    }

    /// The identity of this call.
    pub fn token(&self) -> CallToken {
        self.0.token
    }

    /// The identity of the call whose body made this one; none for a top-level call.
    pub fn parent(&self) -> Option<CallToken> {
        self.0.parent
    }

    /// The call's id.
    pub fn id(&self) -> &CallId {
        &self.0.id
    }

    /// The id of the top-level call that this one stems from; its own id if it is one.
    pub fn root_id(&self) -> &CallId {
        &self.0.root_id
    }

    /// The name that was called, whether or not there is such a tool.
    pub fn name(&self) -> &Arc<str> {
        &self.0.name
    }

    /// The arguments, as they were when the call was made. Nothing can change them (SPEC A1, E3).
    pub fn arguments(&self) -> &Json {
        &self.0.arguments
    }

    /// The scope that calls; none means that only global policy applies (SPEC E12).
    pub fn agent(&self) -> Option<&Scope> {
        self.0.agent.as_ref()
    }

    /// The caller's own cancellation signal.
    pub fn signal(&self) -> &CancellationToken {
        &self.0.signal
    }

    /// The tool that the name meant when the call was made.
    pub fn tool(&self) -> Option<&Tool> {
        self.0.tool.as_ref()
    }

    pub(crate) fn state(&self) -> &CallState {
        &self.0.state
    }

    pub(crate) fn body_started(&self) -> bool {
        self.0.state.body_started.load(Ordering::Acquire)
    }

    pub(crate) fn awaits_approval(&self) -> bool {
        self.0.state.awaits_approval.load(Ordering::Acquire)
    }

    pub(crate) fn with_deferred<R>(&self, change: impl FnOnce(&mut Deferred) -> R) -> R {
        change(
            &mut self
                .0
                .state
                .deferred
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }
}

impl fmt::Debug for ToolCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolCall")
            .field("id", &self.0.id)
            .field("name", &self.0.name)
            .finish_non_exhaustive()
    }
}

/// What a tool's body is given besides its arguments.
#[derive(Clone, Debug)]
pub struct RunContext {
    call: ToolCall,
    signal: CancellationToken,
}

impl RunContext {
    pub(crate) fn new(call: ToolCall, signal: CancellationToken) -> Self {
        Self { call, signal }
    }

    /// The call that this body serves.
    pub fn call(&self) -> &ToolCall {
        &self.call
    }

    /// Fires when the call is cancelled, by its caller or by a layer such as a timeout. A body must observe it and end
    /// soon: it is always awaited (SPEC F1).
    pub fn signal(&self) -> &CancellationToken {
        &self.signal
    }

    /// Adds a message to the model's context, after this call's result. It survives a later cancellation (SPEC F3).
    pub fn defer_context(&self, message: ContextMessage) {
        self.call
            .with_deferred(|deferred| deferred.by_tool.push(message));
    }

    /// Asks the host to end the model's turn if this call succeeds.
    pub fn conclude_turn(&self) {
        self.call
            .with_deferred(|deferred| deferred.concludes_turn = true);
    }
}

pub(crate) use Inner as CallInner;
