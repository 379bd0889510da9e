//! Asking somebody: the host's approval service (SPEC E3).

use crate::{
    registry::Scope,
    tool::{BoxFuture, ToolCall},
};

/// What the approval service is asked.
#[derive(Clone, Debug)]
pub struct ApprovalRequest {
    /// The call, with the exact arguments that would run.
    pub call: ToolCall,
    /// The agent that calls.
    pub agent: Scope,
    /// Why policy asks.
    pub reason: Option<String>,
}

/// What was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApprovalOutcome {
    /// This one call may run.
    AllowedOnce,
    /// It may not.
    Rejected {
        /// What the person said.
        reason: Option<String>,
    },
    /// The question was withdrawn, or the call was cancelled meanwhile.
    Cancelled,
    /// Nobody can be asked now.
    Unavailable,
}

/// The host's approval service. Given to [`RegistryBuilder::approval`](crate::RegistryBuilder::approval).
pub trait Approval: Send + Sync {
    /// Asks. The pipeline stops waiting, and drops the future, when the call is cancelled.
    fn request(&self, request: ApprovalRequest) -> BoxFuture<'_, ApprovalOutcome>;
}
