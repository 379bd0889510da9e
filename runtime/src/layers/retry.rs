//! Tries again what failed, where the tool says that this is safe.

use std::time::Duration;

use crate::{
    layers::{ExecuteNext, Executing},
    pipeline::{Execution, Invocation},
    tool::{ErrorCode, Failure, ToolError},
};

/// Retries failed calls of tools that are [idempotent](crate::ToolBuilder::idempotent), with a pause that doubles each time.
///
/// Failures that the same call would only repeat are not retried: wrong arguments, unknown tools, invalid output, cancellation.
#[derive(Clone, Debug)]
pub struct Retry {
    attempts: u32,
    backoff: Duration,
    longest: Duration,
}

impl Retry {
    /// Up to this many attempts in all; 0 and 1 both mean a single one. The first pause is 100 ms, the longest 10 s.
    pub fn new(attempts: u32) -> Self {
        Self {
            attempts,
            backoff: Duration::from_millis(100),
            longest: Duration::from_secs(10),
        }
    }

    /// The pause before the second attempt.
    #[must_use]
    pub fn backoff(mut self, pause: Duration) -> Self {
        self.backoff = pause;
        self
    }

    /// No pause gets longer than this.
    #[must_use]
    pub fn longest_pause(mut self, pause: Duration) -> Self {
        self.longest = pause;
        self
    }

    /// The layer, for `on_execute`.
    pub fn into_layer(
        self,
    ) -> impl Fn(Invocation, ExecuteNext) -> Executing + Send + Sync + 'static {
        move |invocation, next| {
            let safe = invocation
                .call()
                .tool()
                .is_some_and(|tool| tool.is_idempotent());
            if safe && self.attempts > 1 {
                Box::pin(self.clone().run(invocation, next))
            } else {
                Box::pin(next.run())
            }
        }
    }

    async fn run(self, invocation: Invocation, next: ExecuteNext) -> Result<Execution, ToolError> {
        let mut pause = self.backoff.min(self.longest);
        for _ in 1..self.attempts {
            let execution = next.clone().run().await?;
            if !execution.error().is_some_and(worth_retrying) {
                return Ok(execution);
            }
            tokio::select! {
                biased;
                // The failure says more than that the wait for another attempt was cancelled.
                () = invocation.signal().cancelled() => return Ok(execution),
                () = tokio::time::sleep(pause) => {}
            }
            pause = pause.saturating_mul(2).min(self.longest);
        }
        next.run().await
    }
}

fn worth_retrying(failure: &Failure) -> bool {
    match failure.code() {
        None | Some(ErrorCode::ToolTimeout | ErrorCode::CodeRunFailed) => true,
        Some(
            ErrorCode::UnknownTool
            | ErrorCode::InvalidArgs
            | ErrorCode::InvalidToolOutput
            | ErrorCode::UnsupportedSchema
            | ErrorCode::Aborted
            | ErrorCode::AbortedBeforeDispatch,
        ) => false,
    }
}
