//! Ends bodies that take longer than their tool declares.

use std::{pin::pin, time::Duration};

use crate::{
    layers::{ExecuteNext, Executing},
    pipeline::{Execution, Invocation},
    tool::{ErrorCode, ToolError},
};

/// Enforces [`Tool::timeout`](crate::Tool::timeout) (SPEC C1). The time starts when the body does, not when the call was made
/// or queued.
///
/// When it is over, the body's signal fires and the body is awaited (SPEC F1); the call then fails with `TOOL_TIMEOUT`, whatever
/// the body gives. A body that ignores its signal for the grace period is dropped: its future is never polled again.
#[derive(Clone, Debug)]
pub struct Timeout {
    default: Option<Duration>,
    grace: Duration,
}

impl Timeout {
    /// Enforces the timeouts that tools declare; the grace period is 5 s.
    pub fn new() -> Self {
        Self {
            default: None,
            grace: Duration::from_secs(5),
        }
    }

    /// The timeout of tools that declare none. Without it they have none.
    #[must_use]
    pub fn default_timeout(mut self, timeout: Duration) -> Self {
        self.default = Some(timeout);
        self
    }

    /// How long a body that was told to stop is awaited.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// The layer, for `on_execute`.
    pub fn into_layer(
        self,
    ) -> impl Fn(Invocation, ExecuteNext) -> Executing + Send + Sync + 'static {
        move |invocation, next| {
            let declared = invocation.call().tool().and_then(|tool| tool.timeout());
            match declared.or(self.default) {
                Some(timeout) => Box::pin(limited(invocation, next, timeout, self.grace)),
                None => Box::pin(next.run()),
            }
        }
    }
}

impl Default for Timeout {
    fn default() -> Self {
        Self::new()
    }
}

async fn limited(
    invocation: Invocation,
    next: ExecuteNext,
    timeout: Duration,
    grace: Duration,
) -> Result<Execution, ToolError> {
    let stop = invocation.signal().child_token();
    let mut body = pin!(next.with_signal(stop.clone()).run());
    if let Ok(ended) = tokio::time::timeout(timeout, &mut body).await {
        return ended;
    }
    stop.cancel();
    let dropped = tokio::time::timeout(grace, body).await.is_err();
    let name = invocation.call().name();
    let how = if dropped {
        "it ignored its cancellation and was dropped"
    } else {
        "it was cancelled"
    };
    let message = format!(
        "`{name}` took longer than its timeout of {} ms; {how}",
        timeout.as_millis()
    );
    Ok(Execution::failure(ToolError::with_code(
        ErrorCode::ToolTimeout,
        message,
    )))
}
