//! Code Mode runtime: a guarded tool registry, and a sandbox in which a model's program calls the tools.

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
