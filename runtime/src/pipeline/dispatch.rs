//! Running a call's body, with the layers of `tools/execute` round it.

use std::{pin::pin, sync::atomic::Ordering};

use tokio_util::sync::CancellationToken;

use crate::{
    json::Json,
    pipeline::{Next, decide::Approved},
    registry::Registry,
    text::nearest,
    tool::{
        CallToken, Content, ContextMessage, ErrorCode, Failure, Receipt, RunContext, Tool,
        ToolCall, ToolError, contain, contain_future,
    },
};

/// A call on its way to its body: what a layer of `tools/execute` sees.
#[derive(Clone, Debug)]
pub struct Invocation {
    call: ToolCall,
    signal: CancellationToken,
}

impl Invocation {
    /// The call. A layer can't change it.
    pub fn call(&self) -> &ToolCall {
        &self.call
    }

    /// The signal that the body would see.
    pub fn signal(&self) -> &CancellationToken {
        &self.signal
    }

    /// Adds a message to the model's context, after those of the tool (SPEC E10).
    pub fn defer_context(&self, message: ContextMessage) {
        self.call
            .with_deferred(|deferred| deferred.by_layers.push(message));
    }
}

impl Next<Invocation, Execution> {
    /// Gives the body another cancellation signal; the caller's own stays in force beside it (SPEC E5).
    #[must_use]
    pub fn with_signal(mut self, signal: CancellationToken) -> Self {
        self.input.signal = signal;
        self
    }
}

/// How a body ended, as the layers round it see it.
#[derive(Clone, Debug)]
pub struct Execution(pub(super) Draft);

#[derive(Clone, Debug)]
pub(super) enum Draft {
    Success {
        value: Json,
        /// What the tool's own `render` made of the value, and for which call; none where a layer answered by itself.
        rendered: Option<(CallToken, Vec<Content>)>,
    },
    Failure {
        failure: Failure,
        receipt: Receipt,
    },
}

impl Execution {
    /// A layer's own answer. It is checked against the tool's output schema and rendered, like the tool's (SPEC E5).
    pub fn success(value: Json) -> Self {
        Self(Draft::Success {
            value,
            rendered: None,
        })
    }

    /// A layer's own failure.
    pub fn failure(error: ToolError) -> Self {
        Self(Draft::failed(error, Receipt::Failed))
    }

    /// The value of a success.
    pub fn value(&self) -> Option<&Json> {
        match &self.0 {
            Draft::Success { value, .. } => Some(value),
            Draft::Failure { .. } => None,
        }
    }

    /// The failure, if it is one.
    pub fn error(&self) -> Option<&Failure> {
        match &self.0 {
            Draft::Success { .. } => None,
            Draft::Failure { failure, .. } => Some(failure),
        }
    }
}

impl Draft {
    pub(super) fn failed(error: ToolError, receipt: Receipt) -> Self {
        Self::Failure {
            failure: error.into(),
            receipt,
        }
    }

    pub(super) fn aborted_before(call: &ToolCall) -> Self {
        let message = format!(
            "`{}` was cancelled before it started; nothing was done",
            call.name()
        );
        Self::failed(
            ToolError::with_code(ErrorCode::AbortedBeforeDispatch, message),
            Receipt::CancelledBefore,
        )
    }

    pub(super) fn aborted_after(call: &ToolCall) -> Self {
        let message = format!(
            "`{}` was cancelled after it had started; it may have had effects",
            call.name()
        );
        Self::failed(
            ToolError::with_code(ErrorCode::Aborted, message),
            Receipt::CancelledAfter,
        )
    }

    pub(super) fn dropped(call: &ToolCall) -> Self {
        if !call.body_started() {
            return Self::aborted_before(call);
        }
        let message = format!(
            "`{}` ignored its cancellation and was dropped; it may have had effects",
            call.name()
        );
        Self::failed(
            ToolError::with_code(ErrorCode::Aborted, message),
            Receipt::CancelledAfter,
        )
    }

    /// Cancelled before or after, by whether a body of this call has started: a retry may start several.
    fn aborted(call: &ToolCall) -> Self {
        if call.body_started() {
            Self::aborted_after(call)
        } else {
            Self::aborted_before(call)
        }
    }

    /// Cancellation turns a success into `ABORTED`; a denial, failure or timeout says more and stays (SPEC F2). The receipt of
    /// a failure tells whether a body had started, whoever failed the call.
    pub(super) fn observe_cancellation(self, call: &ToolCall) -> Self {
        let cancelled = call.signal().is_cancelled();
        match self {
            Self::Success { .. } if cancelled => Self::aborted(call),
            Self::Failure {
                failure,
                receipt: Receipt::Failed | Receipt::NeverStarted,
            } => {
                let receipt = match (call.body_started(), cancelled) {
                    (false, _) => Receipt::NeverStarted,
                    (true, false) => Receipt::Failed,
                    (true, true) => Receipt::CancelledAfter,
                };
                Self::Failure { failure, receipt }
            }
            other => other,
        }
    }
}

impl Registry {
    /// The body with its layers. Only an approved call gets here.
    pub(super) async fn run_layers(
        &self,
        call: &ToolCall,
        _: Approved,
    ) -> Result<Draft, ToolError> {
        let layers = self.layer(call.agent()).collect(|state| &state.execute);
        let first = Invocation {
            call: call.clone(),
            signal: call.signal().clone(),
        };
        let draft = if layers.is_empty() {
            self.run_body(first).await
        } else {
            let registry = self.clone();
            let end = move |invocation| {
                let registry = registry.clone();
                Box::pin(async move { Ok(Execution(registry.run_body(invocation).await)) }) as _
            };
            Next::new("an execute layer", first, layers, end)
                .run()
                .await?
                .0
        };
        Ok(settle(call, draft).observe_cancellation(call))
    }

    /// Everything that can go wrong in here is the call's own failure.
    async fn run_body(&self, invocation: Invocation) -> Draft {
        let Invocation { call, signal } = invocation;
        if signal.is_cancelled() || call.signal().is_cancelled() {
            return Draft::aborted(&call);
        }
        let tool = match self.callable(&call) {
            Ok(tool) => tool,
            Err(error) => return Draft::failed(error, Receipt::NeverStarted),
        };
        if let Err(error) = tool.check_arguments(call.arguments()) {
            return Draft::failed(error, Receipt::NeverStarted);
        }
        call.state().body_started.store(true, Ordering::Release);
        match run_fused(&tool, &call, signal).await {
            Ok(value) => render(&call, value),
            Err(error) => Draft::failed(error, Receipt::Failed),
        }
    }

    /// The tool that was approved, if the agent can still see that very tool.
    fn callable(&self, call: &ToolCall) -> Result<Tool, ToolError> {
        let layer = self.layer(call.agent());
        let visible = self.resolve(layer, call.name());
        match (call.tool(), visible) {
            (Some(approved), Some(visible)) if approved.ptr_eq(&visible) => Ok(visible),
            (Some(_), _) => Err(ToolError::with_code(
                ErrorCode::UnknownTool,
                format!(
                    "`{}` was removed or replaced while the call waited; call again",
                    call.name()
                ),
            )),
            (None, _) => {
                let names = self.visible_names(layer);
                let near = nearest(call.name(), names.iter().map(|name| &**name));
                let hint = if near.is_empty() {
                    String::new()
                } else {
                    format!("; did you mean `{}`?", near.join("` or `"))
                };
                Err(ToolError::with_code(
                    ErrorCode::UnknownTool,
                    format!("there is no tool `{}`{hint}", call.name()),
                ))
            }
        }
    }
}

/// Checks and renders a success that this call's own tool has not yet rendered.
fn settle(call: &ToolCall, draft: Draft) -> Draft {
    let Draft::Success { value, rendered } = draft else {
        return draft;
    };
    if rendered
        .as_ref()
        .is_some_and(|(token, _)| *token == call.token())
    {
        return Draft::Success { value, rendered };
    }
    render(call, value)
}

/// A success with its content, or the failure that it turned out to be.
pub(super) fn render(call: &ToolCall, value: Json) -> Draft {
    let Some(tool) = call.tool() else {
        let message = format!(
            "there is no tool `{}` whose output schema could check this answer",
            call.name()
        );
        return Draft::failed(
            ToolError::with_code(ErrorCode::UnknownTool, message),
            Receipt::NeverStarted,
        );
    };
    match tool.render(call.arguments(), &value) {
        Ok(content) => Draft::Success {
            value,
            rendered: Some((call.token(), content)),
        },
        Err(error) => Draft::failed(error, Receipt::Failed),
    }
}

/// Runs the body to its end under both signals, the caller's and a layer's.
async fn run_fused(
    tool: &Tool,
    call: &ToolCall,
    signal: CancellationToken,
) -> Result<Json, ToolError> {
    let caller = call.signal();
    let fused = if signal == *caller {
        None
    } else {
        Some(signal)
    };
    let seen = fused
        .as_ref()
        .map_or_else(|| caller.clone(), CancellationToken::child_token);
    let context = RunContext::new(call.clone(), seen.clone());
    let place = || format!("`{}`", call.name());
    let body = contain(|| (tool.parts().execute)(call.arguments().clone(), context))
        .map_err(|panic| ToolError::from_panic(&place(), &panic))?;
    let mut body = pin!(contain_future(body));
    let ended = if fused.is_some() {
        tokio::select! {
            biased;
            ended = &mut body => ended,
            () = caller.cancelled() => {
                seen.cancel();
                body.await
            }
        }
    } else {
        body.await
    };
    ended.unwrap_or_else(|panic| Err(ToolError::from_panic(&place(), &panic)))
}
