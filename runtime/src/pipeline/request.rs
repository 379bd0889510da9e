//! What a caller asks for.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::{
    json::{Json, JsonError},
    registry::Scope,
    tool::{CallId, CallToken, ToolCall},
};

/// A call to make: see [`Registry::execute`](crate::Registry::execute).
#[derive(Debug)]
pub struct CallRequest {
    pub(super) id: CallId,
    pub(super) root_id: Option<CallId>,
    pub(super) name: Arc<str>,
    pub(super) arguments: Result<Json, JsonError>,
    pub(super) agent: Option<Scope>,
    pub(super) parent: Option<CallToken>,
    pub(super) signal: CancellationToken,
}

impl CallRequest {
    /// A top-level call without an agent, which nothing cancels.
    pub fn new(id: impl Into<CallId>, name: impl Into<Arc<str>>, arguments: Json) -> Self {
        Self::from_arguments(id.into(), name.into(), Ok(arguments))
    }

    /// The same from the text of the arguments, as models give it. Text that is not lossless JSON makes a call that fails with
    /// `INVALID_ARGS` and still gets its one result (SPEC E1).
    pub fn from_text(id: impl Into<CallId>, name: impl Into<Arc<str>>, arguments: &str) -> Self {
        // Providers send nothing at all for a tool without arguments.
        let arguments = if arguments.trim().is_empty() {
            "{}"
        } else {
            arguments
        };
        Self::from_arguments(id.into(), name.into(), Json::parse(arguments))
    }

    fn from_arguments(id: CallId, name: Arc<str>, arguments: Result<Json, JsonError>) -> Self {
        Self {
            id,
            root_id: None,
            name,
            arguments,
            agent: None,
            parent: None,
            signal: CancellationToken::new(),
        }
    }

    /// The scope that calls.
    #[must_use]
    pub fn agent(mut self, scope: &Scope) -> Self {
        self.agent = Some(scope.clone());
        self
    }

    /// The caller's cancellation signal.
    #[must_use]
    pub fn signal(mut self, signal: CancellationToken) -> Self {
        self.signal = signal;
        self
    }

    /// Makes it a sub-call of another: its policy knows the parent, and its root is the parent's root.
    #[must_use]
    pub fn parent(mut self, parent: &ToolCall) -> Self {
        self.parent = Some(parent.token());
        self.root_id = Some(parent.root_id().clone());
        self
    }

    /// The call's id.
    pub fn id(&self) -> &CallId {
        &self.id
    }

    pub(crate) fn scope(&self) -> Option<&Scope> {
        self.agent.as_ref()
    }

    pub(crate) fn arguments(&self) -> Option<&Json> {
        self.arguments.as_ref().ok()
    }

    /// The name to call.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }
}
