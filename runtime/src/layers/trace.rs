//! A `tracing` span round every body.

use tracing::{Instrument, Level, field};

use crate::{
    layers::{ExecuteNext, Executing},
    pipeline::Invocation,
};

/// One span per call, `tool_call`, with the call's `id`, `root_id` and `tool`, and the `outcome` when it ends. Sub-calls of a
/// program run inside the span of their `run_code`. Arguments and values stay out of it: they may be secret, or large.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trace;

impl Trace {
    /// Spans of level `INFO`.
    pub fn new() -> Self {
        Self
    }

    /// The layer, for `on_execute`.
    pub fn into_layer(
        self,
    ) -> impl Fn(Invocation, ExecuteNext) -> Executing + Send + Sync + 'static {
        |invocation, next| {
            let call = invocation.call();
            let span = tracing::span!(
                Level::INFO,
                "tool_call",
                id = %call.id(),
                root_id = %call.root_id(),
                tool = %call.name(),
                outcome = field::Empty,
            );
            let own = span.clone();
            let running = async move {
                let ended = next.run().await;
                let outcome = match &ended {
                    Ok(execution) => execution.error().map_or("ok", |failure| {
                        failure
                            .code()
                            .map_or("error", crate::tool::ErrorCode::as_str)
                    }),
                    Err(_) => "layer_error",
                };
                // Not the current span: where this one is filtered out, that is the host's own.
                own.record("outcome", outcome);
                ended
            };
            Box::pin(running.instrument(span))
        }
    }
}
