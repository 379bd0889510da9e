//! What a tool is: a name, schemas, an executor, and how its results look to a model and to a person.

mod builder;
mod contain;
mod content;
mod context;
mod definition;
mod error;
mod result;
mod view;

pub use builder::{ToolBuilder, TypedToolBuilder};
pub use content::{Content, Resource, ResourceBody};
pub use context::{CallId, CallToken, ContextMessage, RunContext, ToolCall};
pub use definition::{BuildError, Tool, ToolSchema};
pub use error::{ErrorCode, ErrorInfo, ToolError};
pub use result::{Failure, Outcome, Receipt, Success, ToolResult};
pub use view::{
    FileDiff, Location, ReadLine, SearchMatch, ToolCallView, ToolResultView, WebSource,
};

pub(crate) use builder::plain_text;
pub(crate) use contain::{contain, contain_future};
pub(crate) use context::{CallInner, CallState};
pub(crate) use definition::ToolParts;

/// A boxed future that may be sent between threads.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;
