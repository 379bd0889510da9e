//! Errors of tools: what a body may return, and the stable codes that a host can rely on.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};

/// How many causes of an error its message tells.
const MOST_CAUSES: usize = 16;

/// The stable codes of failed calls (SPEC E11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum ErrorCode {
    /// No tool of that name can be called here. The model can mend it: call another tool.
    UnknownTool,
    /// The arguments do not fit the tool's parameters. The model can mend it.
    InvalidArgs,
    /// The tool returned what its output schema does not allow. The tool's author can mend it.
    InvalidToolOutput,
    /// A schema uses what the enforced subset has not. The tool's author can mend it.
    UnsupportedSchema,
    /// A program failed; the message says how. The model can mend it.
    CodeRunFailed,
    /// The call was cancelled after its body had started: side effects are possible.
    Aborted,
    /// The call was cancelled before its body started: nothing happened.
    AbortedBeforeDispatch,
    /// The body took longer than the tool's `timeout`.
    ToolTimeout,
}

impl ErrorCode {
    /// Every code.
    pub const ALL: [Self; 8] = [
        Self::UnknownTool,
        Self::InvalidArgs,
        Self::InvalidToolOutput,
        Self::UnsupportedSchema,
        Self::CodeRunFailed,
        Self::Aborted,
        Self::AbortedBeforeDispatch,
        Self::ToolTimeout,
    ];

    /// The code as it is written everywhere, such as `UNKNOWN_TOOL`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnknownTool => "UNKNOWN_TOOL",
            Self::InvalidArgs => "INVALID_ARGS",
            Self::InvalidToolOutput => "INVALID_TOOL_OUTPUT",
            Self::UnsupportedSchema => "UNSUPPORTED_SCHEMA",
            Self::CodeRunFailed => "CODE_RUN_FAILED",
            Self::Aborted => "ABORTED",
            Self::AbortedBeforeDispatch => "ABORTED_BEFORE_DISPATCH",
            Self::ToolTimeout => "TOOL_TIMEOUT",
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What kind of error it was: a name, and a stable code where the library knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorInfo {
    /// The error's own name, such as `ToolArgsError`.
    pub name: Arc<str>,
    /// The stable code, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
}

/// The error of a tool's body, of a listener or of a layer.
///
/// Any [`std::error::Error`] turns into one by `?`; its chain of causes becomes part of the message. It is not itself a
/// `std::error::Error`, as that would forbid the conversion.
#[derive(Clone, PartialEq, Eq)]
pub struct ToolError {
    message: Arc<str>,
    info: Option<ErrorInfo>,
}

impl ToolError {
    /// An error with a message that a model will read: say what went wrong and what would help.
    pub fn new(message: impl Into<Arc<str>>) -> Self {
        Self {
            message: message.into(),
            info: None,
        }
    }

    /// An error with a stable code.
    pub fn with_code(code: ErrorCode, message: impl Into<Arc<str>>) -> Self {
        let name = match code {
            ErrorCode::UnknownTool => "UnknownToolError",
            ErrorCode::InvalidArgs => "ToolArgsError",
            ErrorCode::InvalidToolOutput => "ToolOutputError",
            ErrorCode::UnsupportedSchema => "UnsupportedSchemaError",
            ErrorCode::CodeRunFailed => "CodeRunError",
            ErrorCode::Aborted | ErrorCode::AbortedBeforeDispatch => "AbortError",
            ErrorCode::ToolTimeout => "ToolTimeoutError",
        };
        Self {
            message: message.into(),
            info: Some(ErrorInfo {
                name: name.into(),
                code: Some(code),
            }),
        }
    }

    /// The same error under a name of its own, such as `NotFoundError`.
    #[must_use]
    pub fn named(mut self, name: impl Into<Arc<str>>) -> Self {
        let code = self.code();
        self.info = Some(ErrorInfo {
            name: name.into(),
            code,
        });
        self
    }

    /// The message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Name and code, where known.
    pub fn info(&self) -> Option<&ErrorInfo> {
        self.info.as_ref()
    }

    /// The stable code, if it has one.
    pub fn code(&self) -> Option<ErrorCode> {
        self.info.as_ref().and_then(|info| info.code)
    }

    pub(crate) fn into_parts(self) -> (Arc<str>, Option<ErrorInfo>) {
        (self.message, self.info)
    }

    /// The error that stands for a panic in somebody's callback.
    pub(crate) fn from_panic(place: &str, text: &str) -> Self {
        Self::new(format!("{place} panicked: {text}")).named("PanicError")
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolError")
            .field("message", &self.message)
            .field("info", &self.info)
            .finish()
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<E: std::error::Error> From<E> for ToolError {
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        // Bounded: an error can be its own cause.
        for _ in 0..MOST_CAUSES {
            let Some(cause) = source else { break };
            let text = cause.to_string();
            // Many errors already print their cause; saying it twice helps nobody.
            if !message.contains(&text) {
                message.push_str(": ");
                message.push_str(&text);
            }
            source = cause.source();
        }
        Self::new(message)
    }
}
