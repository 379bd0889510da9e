//! The door to a code runtime: what a program is given, how its calls travel, what comes back.
//!
//! A [`CodeRuntime`] runs one program at a time per [`run`](CodeRuntime::run), each in a fresh guest. The program's only
//! world is the functions of its [`Binding`]s; a call of one of them goes to the [`CallHandler`]. Nothing here knows how the
//! program is run: the `sandbox` feature brings the WebAssembly runtime, a host may bring its own.

mod failure;
mod limits;

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::{json::Json, tool::CallId};

pub use failure::{
    CodeFailure, CodeRuntimeError, FailureKind, Limit, LimitHit, LimitUnit, SourcePosition,
};
pub use limits::CodeLimits;

/// A language that programs can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CodeLanguage {
    /// TypeScript; types are stripped, not checked.
    TypeScript,
    /// JavaScript, as it is.
    JavaScript,
    /// Python.
    Python,
}

impl CodeLanguage {
    /// Every language, in the order of the enum.
    pub const ALL: [CodeLanguage; 3] = [
        CodeLanguage::TypeScript,
        CodeLanguage::JavaScript,
        CodeLanguage::Python,
    ];

    /// The name that machines use: `typescript`, `javascript`, `python`.
    pub fn as_str(self) -> &'static str {
        match self {
            CodeLanguage::TypeScript => "typescript",
            CodeLanguage::JavaScript => "javascript",
            CodeLanguage::Python => "python",
        }
    }

    /// The name that people use: `TypeScript`, `JavaScript`, `Python`.
    pub fn display_name(self) -> &'static str {
        match self {
            CodeLanguage::TypeScript => "TypeScript",
            CodeLanguage::JavaScript => "JavaScript",
            CodeLanguage::Python => "Python",
        }
    }

    /// The file name that a program carries in its errors when the request gives none, e.g. `program.ts`.
    pub fn default_file_name(self) -> &'static str {
        match self {
            CodeLanguage::TypeScript => "program.ts",
            CodeLanguage::JavaScript => "program.js",
            CodeLanguage::Python => "program.py",
        }
    }
}

impl fmt::Display for CodeLanguage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// What keeps a program away from the host and from other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Isolation {
    /// A fresh WebAssembly instance per run, inside the host's process.
    WebAssembly,
    /// An operating system process per run.
    Process,
    /// Nothing: the program runs as code of the host. For trusted programs and for tests.
    None,
}

impl Isolation {
    /// The name that machines use: `webassembly`, `process`, `none`.
    pub fn as_str(self) -> &'static str {
        match self {
            Isolation::WebAssembly => "webassembly",
            Isolation::Process => "process",
            Isolation::None => "none",
        }
    }
}

/// Runs programs, each in a fresh guest: nothing survives from one run to the next.
pub trait CodeRuntime: Send + Sync {
    /// The language of the programs.
    fn language(&self) -> CodeLanguage;

    /// What keeps the programs away from the host.
    fn isolation(&self) -> Isolation;

    /// Runs one program to its end. A program that fails is a field of the result.
    ///
    /// The future polls the request's [`CallHandler`] in its own task, also while the program computes, and returns as soon
    /// as the outcome is known: calls that still run then are the handler's to settle. It may be dropped at any point; the
    /// guest is gone with it.
    ///
    /// # Errors
    /// [`CodeRuntimeError`] says that the request was wrong or that the runtime was disposed; no program has run then.
    fn run<'a>(
        &'a self,
        request: CodeRequest<'a>,
    ) -> BoxFuture<'a, Result<CodeResult, CodeRuntimeError>>;

    /// Ends running programs as [`FailureKind::Abort`], waits for them, then refuses new ones. May be called again.
    fn dispose(&self) -> BoxFuture<'_, ()>;
}

/// One program and all that it is given.
pub struct CodeRequest<'a> {
    /// The body of an async function.
    pub source: &'a str,
    /// The name that the program carries in its errors; by default [`CodeLanguage::default_file_name`].
    pub file_name: Option<&'a str>,
    /// The global objects through which the program reaches the host.
    pub bindings: &'a [Binding],
    /// Takes the program's calls and brings their outcomes.
    pub calls: &'a mut dyn CallHandler,
    /// Ends the run as [`FailureKind::Abort`] when it fires.
    pub signal: CancellationToken,
    /// The budgets of this run.
    pub limits: CodeLimits,
    /// Sees each log line as it is printed, beside [`CodeResult::logs`]. It must not block.
    pub on_log: Option<LogSink>,
}

impl<'a> CodeRequest<'a> {
    /// A request with the default limits, no file name, no log sink and a signal that never fires.
    pub fn new(source: &'a str, bindings: &'a [Binding], calls: &'a mut dyn CallHandler) -> Self {
        CodeRequest {
            source,
            file_name: None,
            bindings,
            calls,
            signal: CancellationToken::new(),
            limits: CodeLimits::default(),
            on_log: None,
        }
    }
}

impl fmt::Debug for CodeRequest<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("CodeRequest")
            .field("source_bytes", &self.source.len())
            .field("file_name", &self.file_name)
            .field("bindings", &self.bindings.len())
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Sees log lines as they are printed.
pub type LogSink = Arc<dyn Fn(LogLevel, &str) + Send + Sync>;

/// Sees log lines as they are printed, with the call of `run_code` whose program printed them.
pub type CallLogSink = Arc<dyn Fn(&CallId, LogLevel, &str) + Send + Sync>;

/// A global object of the program whose members are host functions, e.g. `tools`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The global's name: an identifier of the language that no standard global has.
    pub global: Arc<str>,
    /// The exact names of its functions, each once. A call names a function by its index here.
    pub functions: Vec<Arc<str>>,
}

/// A call that the program made.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramCall {
    /// The call's number in this run. Numbers grow in the order of the calls; they are at least 1.
    pub id: u32,
    /// Index into [`CodeRequest::bindings`]; always in range.
    pub binding: usize,
    /// Index into [`Binding::functions`]; always in range.
    pub function: usize,
    /// The one argument, as it was when the program called; none where the program passed nothing.
    pub arguments: Option<Json>,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub struct CallCompletion {
    /// The [`ProgramCall::id`]. An unknown or already answered one is ignored.
    pub id: u32,
    /// The value that the program's promise resolves with, or the message that it rejects with.
    pub outcome: Result<Json, String>,
}

/// Takes a program's calls and brings their outcomes. Both happen in the task that polls the run.
pub trait CallHandler: Send {
    /// Takes a call. It must not block; an outcome that is known at once waits for the next poll.
    fn submit(&mut self, call: ProgramCall);

    /// The next outcome, in the order in which outcomes become known. Drives the calls: the runtime polls again whenever
    /// the waker of `cx` was called and whenever the program pauses.
    fn poll_completion(&mut self, cx: &mut Context<'_>) -> Poll<CallCompletion>;

    /// How many submitted calls have no outcome handed out yet. A program that waits while this is 0 waits for nothing that
    /// can come, and fails at once.
    fn unsettled(&self) -> usize;

    /// Whether every unsettled call waits for a person's approval. While a program waits for these alone, the runtime does not
    /// count the time against [`CodeLimits::wall`].
    fn only_asks(&self) -> bool {
        false
    }
}

/// The handler of a program that has no functions to call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoCalls;

impl CallHandler for NoCalls {
    /// Never happens: a call names a function of a binding, and there is none.
    fn submit(&mut self, _call: ProgramCall) {}

    fn poll_completion(&mut self, _cx: &mut Context<'_>) -> Poll<CallCompletion> {
        Poll::Pending
    }

    fn unsettled(&self) -> usize {
        0
    }
}

/// How severe a log line is: the method of `console` that printed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LogLevel {
    /// `console.debug`.
    Debug,
    /// `console.log` and `console.info`.
    Info,
    /// `console.warn`.
    Warn,
    /// `console.error`.
    Error,
}

impl LogLevel {
    /// The name that machines use: `debug`, `info`, `warn`, `error`.
    pub fn as_str(self) -> &'static str {
        match self {
            LogLevel::Debug => "debug",
            LogLevel::Info => "info",
            LogLevel::Warn => "warn",
            LogLevel::Error => "error",
        }
    }
}

/// One line of a program's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// How severe.
    pub level: LogLevel,
    /// What was printed by one call, without the final line feed.
    pub text: String,
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq)]
pub struct CodeResult {
    /// What the program printed, also when it failed; cut to what fits the output limit.
    pub logs: Vec<LogLine>,
    /// The program's completion value, none where it returned nothing; or why there is none.
    pub outcome: Result<Option<Json>, CodeFailure>,
    /// What the run used.
    pub usage: Usage,
    /// Calls that were made too late to start, or past a limit: the handler never saw them.
    pub unsubmitted: Vec<ProgramCall>,
}

/// What a run used of its budgets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Time that the guest really ran, type stripping included.
    pub compute: Duration,
    /// Time from the start of the program to its outcome, also what it waited for approvals; waiting for a free slot is not
    /// in it.
    pub wall: Duration,
    /// The most linear memory that the guest had at one time, in bytes.
    pub peak_memory_bytes: u64,
    /// Calls that the program made.
    pub calls: u64,
    /// Bytes of JSON and error text handed to the program.
    pub bytes_in: u64,
    /// Bytes of JSON that the program handed out: arguments and the completion value.
    pub bytes_out: u64,
    /// Bytes of output, line feeds between the lines included.
    pub log_bytes: u64,
}
