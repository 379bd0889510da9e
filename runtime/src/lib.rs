//! Code Mode runtime: a guarded tool registry, and a sandbox in which a model's program calls the tools.
//!
//! # A tool
//!
//! A tool is a name, a description, schemas and an async function. From Rust types the schemas are derived; see
//! [`Tool::builder`] for raw JSON Schemas and [`schema`] for the notation of authors.
//!
//! ```
//! use lockgate::{CallRequest, Registry, RunContext, Tool, ToolError, json};
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Greet {
//!     /// The name to greet.
//!     name: String,
//! }
//!
//! async fn greet(args: Greet, _: RunContext) -> Result<String, ToolError> {
//!     Ok(format!("Hello, {}!", args.name))
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let registry = Registry::new();
//! registry.register(Tool::function("greet", "Greets someone by name.", greet).build()?)?.keep();
//!
//! let result = registry.execute(CallRequest::new("call-1", "greet", json!({"name": "Ada"}))).await;
//! assert_eq!(result.text(), "Hello, Ada!");
//! # Ok(()) }
//! ```
//!
//! Every registration gives back a [`Registration`]: dropping it undoes that one thing, `keep` leaves it in place.
//!
//! # A scope
//!
//! A [`Scope`] is what one agent sees: it inherits, restricts, shadows and adds. Scopes form a chain as long as needed.
//!
//! ```
//! # use lockgate::{Registry, Restriction, Tool, json};
//! # fn tool(name: &str) -> Tool { Tool::builder(name, "").parameters(&json!({"type": "object"})).output(&json!({}))
//! #     .execute(|_, _| async { Ok(json!(null)) }).build().unwrap() }
//! let registry = Registry::new();
//! for name in ["read", "write"] {
//!     registry.register(tool(name))?.keep();
//! }
//! let agent = registry.scope("preset").child("agent");
//! agent.restrict(Restriction::allow(["read"]))?.keep();
//! agent.register(tool("note"))?.keep();
//! assert!(agent.get("write").is_none() && agent.get("note").is_some());
//! # Ok::<(), lockgate::RegistryError>(())
//! ```
//!
//! # A guard
//!
//! Restrictions only hide. What must not happen a guard denies, and nothing turns a denial back. Gates of
//! [`on_pre_execute`](Registry::on_pre_execute) may also ask a person, through the host's [`Approval`] service.
//!
//! ```
//! # use lockgate::{CallRequest, Receipt, Registry, Tool, json};
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let registry = Registry::new();
//! # registry.register(Tool::builder("delete", "").parameters(&json!({"type": "object"})).output(&json!({}))
//! #     .execute(|_, _| async { Ok(json!(null)) }).build()?)?.keep();
//! let guard = registry.guard(|call| {
//!     (&**call.name() == "delete").then(|| "nothing is deleted on Sundays".to_owned())
//! })?;
//! let result = registry.execute(CallRequest::new("call-1", "delete", json!({}))).await;
//! assert_eq!(result.receipt(), Receipt::Denied);
//! assert_eq!(result.text(), "Error: nothing is deleted on Sundays");
//! drop(guard);
//! # Ok(()) }
//! ```
//!
//! # A layer
//!
//! A layer stands round the body and hands on with `next.run()`. The first that is registered is the outermost.
//! [`layers`] brings timeouts, retries, tracing, metrics and a policy from a file.
//!
//! ```
//! # use lockgate::{CallRequest, Execution, Registry, Tool, json};
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let registry = Registry::new();
//! # registry.register(Tool::builder("now", "").parameters(&json!({"type": "object"})).output(&json!({}))
//! #     .execute(|_, _| async { Ok(json!(12)) }).build()?)?.keep();
//! registry.on_execute(lockgate::layers::Timeout::new().into_layer())?.keep();
//! registry.on_execute(|invocation, next| async move {
//!     match invocation.call().arguments().get("frozen") {
//!         Some(time) => Ok(Execution::success(time.clone())),
//!         None => next.run().await,
//!     }
//! })?.keep();
//! let result = registry.execute(CallRequest::new("call-1", "now", json!({"frozen": 7}))).await;
//! assert_eq!(result.value(), Some(&json!(7)));
//! # Ok(()) }
//! ```
//!
//! # A batch
//!
//! A model may make several calls in one turn. Calls of tools that say they are safe to overlap do, up to
//! [`max_parallel`](RegistryBuilder::max_parallel); all others run alone. Each call has its own result, in the order given.
//!
//! ```
//! # use lockgate::{CallRequest, Registry, Tool, json};
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let registry = Registry::new();
//! let double = Tool::builder("double", "Doubles a number.")
//!     .parameters(&json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}))
//!     .output(&json!({"type": "integer"}))
//!     .concurrency_safe(true)
//!     .execute(|args, _| async move { Ok((args["n"].as_i64().unwrap_or(0) * 2).into()) })
//!     .build()?;
//! registry.register(double)?.keep();
//! let calls = vec![
//!     CallRequest::from_text("a", "double", r#"{"n": 2}"#),
//!     CallRequest::from_text("b", "double", r#"{"n": "two"}"#),
//! ];
//! let results = registry.execute_batch(None, calls).await;
//! assert_eq!(results[0].value(), Some(&json!(4)));
//! assert_eq!(results[1].error().and_then(|error| error.code()), Some(lockgate::ErrorCode::InvalidArgs));
//! # Ok(()) }
//! ```
//!
//! # `run_code`
//!
//! In the modes [`Code`](Mode::Code) and [`Both`](Mode::Both) the model writes a program instead, and every tool call of that
//! program goes through the same pipeline. [`Scope::assemble`] gives what to put into the model's request.
#![cfg_attr(
    feature = "sandbox",
    doc = r#"
```
use std::sync::Arc;
use lockgate::{CallRequest, Mode, Registry, Tool, json, sandbox::Sandbox};

# #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
let registry = Registry::builder()
    .mode(Mode::Code)
    .code_runtime(Arc::new(Sandbox::builder().build_blocking()?))
    .build()?;
# registry.register(Tool::builder("one", "").parameters(&json!({"type": "object"})).output(&json!({}))
#     .execute(|_, _| async { Ok(json!(1)) }).build()?)?.keep();
let program = json!({
    "code": "const values = await Promise.all([tools.one({}), tools.one({})]); return values.length;",
    "description": "Counts ones.",
});
let result = registry.execute(CallRequest::new("call-1", "run_code", program)).await;
assert_eq!(result.text(), "2");
# Ok(()) }
```
"#
)]

pub mod code_mode;
pub mod code_runtime;
pub mod events;
pub mod json;
pub mod layers;
mod pipeline;
mod registry;
#[cfg(feature = "sandbox")]
pub mod sandbox;
mod scheduler;
pub mod schema;
pub mod sdk;
pub mod text;
mod tool;

pub use code_mode::{Assembly, Mode, RUN_CODE};
pub use json::{Json, JsonError};
pub use pipeline::{
    Approval, ApprovalOutcome, ApprovalRequest, CallRequest, Decision, Dispatched, Execution,
    Finalized, Invocation, Next, Prepared, Settled, Verdict,
};
pub use registry::{
    Change, ConfigError, Registration, Registry, RegistryBuilder, RegistryError, Restriction, Scope,
};
pub use schema::{ParameterSchema, Schema};
pub use tool::{
    BoxFuture, BuildError, CallId, CallToken, Content, ContextMessage, ErrorCode, ErrorInfo,
    Failure, FileDiff, Location, Outcome, ReadLine, Receipt, Resource, ResourceBody, RunContext,
    SearchMatch, Success, Tool, ToolBuilder, ToolCall, ToolCallView, ToolError, ToolResult,
    ToolResultView, ToolSchema, TypedToolBuilder, WebSource,
};

/// The README's own example runs as a test.
#[cfg(all(doctest, feature = "sandbox"))]
#[doc = include_str!("../../README.md")]
struct Readme;
