//! A model's own parallel tool calls, run as one batch.

use std::future::poll_fn;

use crate::{
    pipeline::CallRequest,
    registry::{Registry, Scope},
    scheduler::{Progress, Scheduler},
    tool::ToolResult,
};

impl Registry {
    /// Runs the calls that a model made in one turn: they start in the order given, overlap where their tools allow it, and
    /// each has its own result, in the order given (SPEC G1). `agent` is the scope of all of them; without it each call keeps its
    /// own.
    ///
    /// ```
    /// # use lockgate::{CallRequest, Registry, Tool, json};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let registry = Registry::new();
    /// # registry.register(Tool::builder("one", "").parameters(&json!({"type": "object"})).output(&json!({}))
    /// #     .execute(|_, _| async { Ok(json!(1)) }).build()?)?.keep();
    /// let calls = vec![CallRequest::new("a", "one", json!({})), CallRequest::new("b", "two", json!({}))];
    /// let results = registry.execute_batch(None, calls).await;
    /// assert!(!results[0].is_error());
    /// assert!(results[1].is_error(), "there is no tool `two`");
    /// # Ok(()) }
    /// ```
    pub async fn execute_batch(
        &self,
        agent: Option<&Scope>,
        calls: Vec<CallRequest>,
    ) -> Vec<ToolResult> {
        let mut scheduler = Scheduler::new(self.clone());
        let mut results: Vec<Option<ToolResult>> = calls.iter().map(|_| None).collect();
        for call in calls {
            scheduler.submit(match agent {
                Some(scope) => call.agent(scope),
                None => call,
            });
        }
        while !scheduler.is_idle() {
            if let Progress::Settled(settled) = poll_fn(|cx| scheduler.poll_progress(cx)).await
                && let Some(slot) = usize::try_from(settled.sequence)
                    .ok()
                    .and_then(|at| results.get_mut(at))
            {
                *slot = Some(settled.result);
            }
        }
        results.into_iter().flatten().collect()
    }
}
