//! The final, immutable result of a call.

use std::sync::Arc;

use crate::{
    json::Json,
    tool::{Content, ContextMessage, ErrorCode, ErrorInfo, ToolError},
};

/// The final result of a call. Cheap to clone; the caller and every observer hold the same value (SPEC E9).
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult(Arc<Inner>);

#[derive(Debug, PartialEq)]
struct Inner {
    outcome: Outcome,
    content: Vec<Content>,
    contexts: Vec<ContextMessage>,
    receipt: Receipt,
}

/// How a call ended (SPEC E11).
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The call succeeded.
    Success(Success),
    /// The call failed.
    Failure(Failure),
}

/// The parts of a success that a failure has not.
#[derive(Clone, Debug, PartialEq)]
pub struct Success {
    /// The canonical value, valid by the tool's output schema.
    pub value: Json,
    /// What the presenter may need later; only for top-level calls (SPEC E10).
    pub meta: Option<Json>,
    /// The tool asks the host to end the model's turn after this call.
    pub concludes_turn: bool,
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong, for the model.
    pub message: Arc<str>,
    /// Name and code, where known.
    pub info: Option<ErrorInfo>,
}

/// What is known of a call's side effects. Every call ends with exactly one.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Receipt {
    /// It failed and no body had started: bad arguments, an unknown tool, a listener or a layer that failed. Nothing happened.
    NeverStarted,
    /// Policy denied it.
    Denied,
    /// The body ran, or a layer answered in its place, and the call succeeded.
    Completed,
    /// The body ran and failed, or policy failed it afterwards: side effects are possible.
    Failed,
    /// Cancelled before the body: nothing happened.
    CancelledBefore,
    /// Cancelled after the body had started: side effects are possible.
    CancelledAfter,
}

impl Receipt {
    /// The receipt as it is written in logs, such as `cancelled_before`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NeverStarted => "never_started",
            Self::Denied => "denied",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::CancelledBefore => "cancelled_before",
            Self::CancelledAfter => "cancelled_after",
        }
    }
}

impl Failure {
    /// The stable code, if it has one.
    pub fn code(&self) -> Option<ErrorCode> {
        self.info.as_ref().and_then(|info| info.code)
    }
}

impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Self {
        let (message, info) = error.into_parts();
        Self { message, info }
    }
}

impl ToolResult {
    pub(crate) fn new(
        outcome: Outcome,
        content: Vec<Content>,
        contexts: Vec<ContextMessage>,
        receipt: Receipt,
    ) -> Self {
        Self(Arc::new(Inner {
            outcome,
            content,
            contexts,
            receipt,
        }))
    }

    /// Success or failure.
    pub fn outcome(&self) -> &Outcome {
        &self.0.outcome
    }

    /// Whether the call failed.
    pub fn is_error(&self) -> bool {
        matches!(self.0.outcome, Outcome::Failure(_))
    }

    /// The canonical value of a success.
    pub fn value(&self) -> Option<&Json> {
        match &self.0.outcome {
            Outcome::Success(success) => Some(&success.value),
            Outcome::Failure(_) => None,
        }
    }

    /// The failure, if it is one.
    pub fn error(&self) -> Option<&Failure> {
        match &self.0.outcome {
            Outcome::Success(_) => None,
            Outcome::Failure(failure) => Some(failure),
        }
    }

    /// What the model is shown. For a failure: `Error: <message>`, unless policy replaced it.
    pub fn content(&self) -> &[Content] {
        &self.0.content
    }

    /// All text blocks of the content, joined by newlines.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.0.content.iter().filter_map(Content::as_text).collect();
        texts.join("\n")
    }

    /// Presentation metadata of a top-level success.
    pub fn meta(&self) -> Option<&Json> {
        match &self.0.outcome {
            Outcome::Success(success) => success.meta.as_ref(),
            Outcome::Failure(_) => None,
        }
    }

    /// Messages to add to the model's context after this result, in order (SPEC E10).
    pub fn additional_contexts(&self) -> &[ContextMessage] {
        &self.0.contexts
    }

    /// Whether the host should end the model's turn.
    pub fn concludes_turn(&self) -> bool {
        matches!(&self.0.outcome, Outcome::Success(success) if success.concludes_turn)
    }

    /// What is known of side effects.
    pub fn receipt(&self) -> Receipt {
        self.0.receipt
    }

    /// Whether both are the very same value, not merely an equal one.
    pub fn ptr_eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
