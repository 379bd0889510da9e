//! The durable stream of events: what happened to every call, serialisable, in order.

mod invariants;
mod jsonl;
mod recorder;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use invariants::InvariantChecker;
pub use jsonl::{FanOut, JsonLines};
pub use recorder::{Recorded, Recorder};

use crate::{
    code_runtime::{CodeFailure, Usage},
    json::Json,
    tool::{CallId, Content, ErrorCode, Outcome, Receipt, ToolCall, ToolResult},
};

/// Takes events. Called in the task of the call; it must not block.
pub trait EventSink: Send + Sync {
    /// Takes one event.
    fn record(&self, event: &Event);
}

/// One event. What turns a log into model messages must ignore the two of sub-calls, so that what a program did never
/// re-enters the model's context (SPEC K3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
#[non_exhaustive]
pub enum Event {
    /// A call entered the pipeline.
    #[serde(rename = "tool/call")]
    CallCreated {
        /// The call.
        id: CallId,
        /// The top-level call that it stems from.
        root_id: CallId,
        /// The name that was called.
        name: Arc<str>,
        /// Its arguments.
        arguments: Json,
    },
    /// A call left the pipeline with its final result.
    #[serde(rename = "tool/result")]
    CallSettled {
        /// The call.
        id: CallId,
        /// The top-level call that it stems from.
        root_id: CallId,
        /// What is known of its side effects.
        receipt: Receipt,
        /// Why it failed, if it did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<LoggedError>,
        /// What the model was shown.
        content: Vec<Content>,
        /// Presentation metadata.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        meta: Option<Json>,
    },
    /// A sub-call of a program truly started.
    #[serde(rename = "tool/code-dispatch-start")]
    DispatchStarted {
        /// The sub-call.
        id: CallId,
        /// The call of `run_code`.
        parent_id: CallId,
        /// The name that was called.
        name: Arc<str>,
        /// Its arguments.
        arguments: Json,
    },
    /// A sub-call of a program settled; exactly one for each that started.
    #[serde(rename = "tool/code-dispatch")]
    DispatchSettled {
        /// The sub-call.
        id: CallId,
        /// The call of `run_code`.
        parent_id: CallId,
        /// What is known of its side effects.
        receipt: Receipt,
        /// Where its time went; none in a log that has no times.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timing: Option<CallTiming>,
        /// The logged copy of its result.
        #[serde(flatten)]
        log: DispatchLog,
    },
    /// A program ended.
    #[serde(rename = "code/run")]
    ProgramEnded {
        /// The call of `run_code`.
        id: CallId,
        /// Why it failed, if it did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<LoggedFailure>,
        /// What it used of its budgets.
        usage: LoggedUsage,
        /// What it printed.
        logs: Arc<[Arc<str>]>,
        /// What became of its calls.
        calls: CallCounts,
    },
}

/// The logged copy of a sub-call's result: all that a listener of `tools/code-dispatch-log` may change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DispatchLog {
    /// The canonical value of a success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Json>,
    /// The error of a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<LoggedError>,
}

/// Where the time of a sub-call went, in milliseconds. What passed from the end of its body to its settling is what remains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallTiming {
    /// From the program's call to its start: the wait in the queue.
    pub waited_ms: f64,
    /// From its start to its body: policy, guards, and the wait for a lane or for the pool to drain.
    pub policy_ms: f64,
    /// The body, its layers included; 0 where it never ran.
    pub body_ms: f64,
    /// Whether it ran alone (SPEC G1).
    pub exclusive: bool,
}

/// An error in the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedError {
    /// The message.
    pub message: Arc<str>,
    /// The stable code, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
}

/// A program's failure in the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedFailure {
    /// The kind (SPEC H5), such as `timeout`.
    pub kind: Arc<str>,
    /// The limit that was hit, such as `compute`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Arc<str>>,
    /// What the model reads, without the captured output.
    pub message: Arc<str>,
}

/// A program's use of its budgets, in the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoggedUsage {
    /// Milliseconds that the guest really ran.
    pub compute_ms: f64,
    /// Milliseconds from start to outcome.
    pub wall_ms: f64,
    /// The most linear memory at one time, in bytes.
    pub memory_bytes: u64,
    /// Calls that the program made.
    pub calls: u64,
    /// Bytes handed to the program.
    pub bytes_in: u64,
    /// Bytes that it handed out.
    pub bytes_out: u64,
    /// Bytes that it printed.
    pub log_bytes: u64,
}

/// What became of a program's calls. The four add up to the calls that it made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallCounts {
    /// Settled while the program ran.
    pub finished: u64,
    /// Running when the program ended: cancelled and awaited.
    pub cancelled: u64,
    /// Running when the program ended, and dropped since they did not end in time.
    pub dropped: u64,
    /// Never started.
    pub never_started: u64,
}

impl Event {
    pub(crate) fn call_created(call: &ToolCall) -> Self {
        Self::CallCreated {
            id: call.id().clone(),
            root_id: call.root_id().clone(),
            name: call.name().clone(),
            arguments: call.arguments().clone(),
        }
    }

    pub(crate) fn call_settled(call: &ToolCall, result: &ToolResult) -> Self {
        Self::CallSettled {
            id: call.id().clone(),
            root_id: call.root_id().clone(),
            receipt: result.receipt(),
            error: DispatchLog::of(result).error,
            content: result.content().to_vec(),
            meta: result.meta().cloned(),
        }
    }
}

impl DispatchLog {
    pub(crate) fn of(result: &ToolResult) -> Self {
        match result.outcome() {
            Outcome::Success(success) => Self {
                value: Some(success.value.clone()),
                error: None,
            },
            Outcome::Failure(failure) => Self {
                value: None,
                error: Some(LoggedError {
                    message: failure.message.clone(),
                    code: failure.code(),
                }),
            },
        }
    }
}

impl From<&Usage> for LoggedUsage {
    fn from(usage: &Usage) -> Self {
        Self {
            compute_ms: usage.compute.as_secs_f64() * 1e3,
            wall_ms: usage.wall.as_secs_f64() * 1e3,
            memory_bytes: usage.peak_memory_bytes,
            calls: usage.calls,
            bytes_in: usage.bytes_in,
            bytes_out: usage.bytes_out,
            log_bytes: usage.log_bytes,
        }
    }
}

impl LoggedFailure {
    pub(crate) fn new(failure: &CodeFailure, message: &str) -> Self {
        Self {
            kind: failure.kind.as_str().into(),
            limit: failure.limit.as_ref().map(|hit| hit.limit.as_str().into()),
            message: message.into(),
        }
    }
}
