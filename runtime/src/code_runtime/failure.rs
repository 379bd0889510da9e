//! How a run fails: the kinds, the limits that end it, and the misuse of a runtime.

use std::fmt;

/// Why a program has no completion value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FailureKind {
    /// It threw, did not parse, or waits for nothing that can come.
    Exception,
    /// It used up its compute or its wall time.
    Timeout,
    /// The run's signal fired, or the runtime was disposed.
    Abort,
    /// The guest ended: out of memory, out of stack, or a fault of its own.
    SandboxExit,
    /// The completion value is not lossless JSON.
    InvalidOutput,
    /// Logs and result together are longer than the output limit.
    OutputLimit,
    /// It made more calls than a run may.
    CallLimit,
}

impl FailureKind {
    /// Every kind, in the order of the enum.
    pub const ALL: [FailureKind; 7] = [
        FailureKind::Exception,
        FailureKind::Timeout,
        FailureKind::Abort,
        FailureKind::SandboxExit,
        FailureKind::InvalidOutput,
        FailureKind::OutputLimit,
        FailureKind::CallLimit,
    ];

    /// The stable name, e.g. `sandbox-exit`.
    pub fn as_str(self) -> &'static str {
        match self {
            FailureKind::Exception => "exception",
            FailureKind::Timeout => "timeout",
            FailureKind::Abort => "abort",
            FailureKind::SandboxExit => "sandbox-exit",
            FailureKind::InvalidOutput => "invalid-output",
            FailureKind::OutputLimit => "output-limit",
            FailureKind::CallLimit => "call-limit",
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A budget that can end a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Limit {
    /// [`CodeLimits::compute`](super::CodeLimits::compute).
    Compute,
    /// [`CodeLimits::wall`](super::CodeLimits::wall).
    Wall,
    /// [`CodeLimits::memory_bytes`](super::CodeLimits::memory_bytes).
    Memory,
    /// The stack of the engine; not configurable.
    Stack,
    /// [`CodeLimits::output_bytes`](super::CodeLimits::output_bytes) or
    /// [`CodeLimits::log_lines`](super::CodeLimits::log_lines).
    Output,
    /// [`CodeLimits::calls`](super::CodeLimits::calls).
    Calls,
}

impl Limit {
    /// The stable name, e.g. `compute`.
    pub fn as_str(self) -> &'static str {
        match self {
            Limit::Compute => "compute",
            Limit::Wall => "wall",
            Limit::Memory => "memory",
            Limit::Stack => "stack",
            Limit::Output => "output",
            Limit::Calls => "calls",
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// What a limit's value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LimitUnit {
    /// Milliseconds.
    Milliseconds,
    /// Bytes.
    Bytes,
    /// Calls.
    Calls,
    /// Lines of logs.
    Lines,
}

impl LimitUnit {
    /// The short name: `ms`, `bytes`, `calls`, `lines`.
    pub fn as_str(self) -> &'static str {
        match self {
            LimitUnit::Milliseconds => "ms",
            LimitUnit::Bytes => "bytes",
            LimitUnit::Calls => "calls",
            LimitUnit::Lines => "lines",
        }
    }
}

/// The limit that ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LimitHit {
    /// Which.
    pub limit: Limit,
    /// The value that it had, not what the program used.
    pub value: u64,
    /// What `value` counts.
    pub unit: LimitUnit,
}

impl fmt::Display for LimitHit {
    /// For example `compute limit of 60000 ms`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} limit of {} {}",
            self.limit,
            self.value,
            self.unit.as_str()
        )
    }
}

/// A place in the program's own source, both counted from 1; columns count UTF-16 code units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourcePosition {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// Why and where a program failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeFailure {
    /// What kind of end it was.
    pub kind: FailureKind,
    /// The limit that ended the run, where one did.
    pub limit: Option<LimitHit>,
    /// The error's name, e.g. `TypeError`; empty where there is none.
    pub name: String,
    /// What went wrong, and the mend where one is known.
    pub message: String,
    /// Where in the program, as the author wrote it; for a rejected call, where it was called.
    pub position: Option<SourcePosition>,
    /// The program's own frames below the first, innermost first, e.g. `at load (program.ts:3:7)`.
    pub frames: Vec<String>,
    /// The place, the line's text and a caret under the column, in three lines.
    pub code_frame: Option<String>,
    /// The [`ProgramCall::id`](super::ProgramCall::id) of the call whose rejection ended the program, if one did.
    pub call: Option<u32>,
}

impl CodeFailure {
    /// A failure that has no place in the source.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        CodeFailure {
            kind,
            limit: None,
            name: String::new(),
            message: message.into(),
            position: None,
            frames: Vec::new(),
            code_frame: None,
            call: None,
        }
    }
}

impl fmt::Display for CodeFailure {
    /// What a model needs to mend the program: name and message, the code frame, the outer frames.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.name.as_str(), self.message.as_str()) {
            ("", message) => formatter.write_str(message)?,
            (name, "") => formatter.write_str(name)?,
            (name, message) => write!(formatter, "{name}: {message}")?,
        }
        if let Some(frame) = &self.code_frame {
            write!(formatter, "\n{frame}")?;
        }
        for frame in &self.frames {
            write!(formatter, "\n  {frame}")?;
        }
        Ok(())
    }
}

impl std::error::Error for CodeFailure {}

/// A request that no runtime could serve, or a runtime that serves no more. No program has run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodeRuntimeError {
    /// A binding's global is no identifier of the language.
    #[error(
        "binding `{global}` is not an identifier of the program's language: use letters, digits and `_`, not starting with a digit, and no keyword"
    )]
    InvalidGlobal {
        /// The binding's global.
        global: String,
    },
    /// Two bindings have one global.
    #[error("two bindings are called `{global}`: give each global once, with all of its functions")]
    DuplicateGlobal {
        /// The binding's global.
        global: String,
    },
    /// A binding would hide something that programs rely on.
    #[error(
        "binding `{global}` would replace a standard global of the language: choose another name"
    )]
    ReservedGlobal {
        /// The binding's global.
        global: String,
    },
    /// The runtime was disposed.
    #[error("the code runtime was disposed: build a new one to run programs")]
    Disposed,
    /// The run was polled outside of a Tokio runtime.
    #[error(
        "running a program needs a Tokio runtime with its timer: call it inside of one, built with `enable_time` or `enable_all`"
    )]
    NoTokioRuntime,
}
