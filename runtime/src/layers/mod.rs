//! Ready-made policy and layers: timeouts, retries, tracing, metrics, an allow/deny/ask policy from a file.
//!
//! Each turns into what `on_execute`, `on_pre_execute` or `on_result` take, on the registry or on a scope:
//!
//! ```
//! use std::time::Duration;
//! use lockgate::{Registry, layers::{Metrics, Policy, Retry, Timeout, Trace}};
//!
//! let registry = Registry::new();
//! // The first that is registered is the outermost: every attempt of a retry has a timeout of its own.
//! registry.on_execute(Trace::new().into_layer())?.keep();
//! registry.on_execute(Retry::new(3).backoff(Duration::from_millis(100)).into_layer())?.keep();
//! registry.on_execute(Timeout::new().into_layer())?.keep();
//!
//! let policy = Policy::parse(r#"{ "rules": [{ "tool": "delete_*", "action": "ask" }] }"#)?;
//! registry.on_pre_execute(policy.into_gate())?.keep();
//!
//! let metrics = Metrics::new();
//! registry.on_execute(metrics.layer())?.keep();
//! registry.on_result(metrics.observer())?.keep();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod metrics;
mod policy;
mod retry;
mod timeout;
mod trace;

pub use metrics::{Metrics, MetricsSnapshot};
pub use policy::{Action, Policy, PolicyError, Rule};
pub use retry::Retry;
pub use timeout::Timeout;
pub use trace::Trace;

use crate::{
    pipeline::{Execution, Next},
    tool::{BoxFuture, ToolError},
};

/// The rest of the layers, down to the body.
type ExecuteNext = Next<crate::pipeline::Invocation, Execution>;
/// What a layer gives.
type Executing = BoxFuture<'static, Result<Execution, ToolError>>;
