//! The guarded pipeline (SPEC E): create → pre-execute → guards → execute round the body → post-execute → finalize → result.
//! Every call goes through it, sub-calls included; there is no second door.

mod approval;
mod decide;
mod dispatch;
mod finalize;
mod next;
mod request;
mod stages;

use std::sync::Arc;

pub use approval::{Approval, ApprovalOutcome, ApprovalRequest};
pub use decide::Decision;
pub use dispatch::{Execution, Invocation};
pub use finalize::{Settled, Verdict};
pub use next::Next;
pub use request::CallRequest;
pub use stages::{Dispatched, Finalized, Prepared};

use crate::{
    events::DispatchLog,
    registry::Change,
    tool::{BoxFuture, ToolCall, ToolError, ToolResult},
};

/// A middleware of one of the three waterfalls.
pub(crate) type Listener<I, O> =
    dyn Fn(I, Next<I, O>) -> BoxFuture<'static, Result<O, ToolError>> + Send + Sync;

pub(crate) type Guard = dyn Fn(&ToolCall) -> Option<String> + Send + Sync;
pub(crate) type PreExecuteListener = Listener<ToolCall, Decision>;
pub(crate) type ExecuteListener = Listener<Invocation, Execution>;
pub(crate) type PostExecuteListener = Listener<Settled, Verdict>;
pub(crate) type ResultObserver = dyn Fn(&ToolCall, &ToolResult) + Send + Sync;
pub(crate) type DispatchLogListener =
    dyn Fn(&ToolCall, DispatchLog) -> Result<DispatchLog, ToolError> + Send + Sync;
pub(crate) type ChangeListener = dyn Fn(&Change) -> Result<(), ToolError> + Send + Sync;

/// The call's policy of one kind, global first.
type Listeners<I, O> = Arc<[Arc<Listener<I, O>>]>;
