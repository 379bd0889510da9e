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
///
/// In a batch or a program, a call that waits for an answer stands aside: calls behind it go on, so that the questions of a
/// fan-out are asked at the same time. Once answered it is the next to start. While a program waits for nothing but answers,
/// its wall clock stands still; an approval service should bound its own wait.
pub trait Approval: Send + Sync {
    /// Asks. The pipeline stops waiting, and drops the future, when the call is cancelled.
    fn request(&self, request: ApprovalRequest) -> BoxFuture<'_, ApprovalOutcome>;
}
