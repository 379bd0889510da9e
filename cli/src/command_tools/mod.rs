//! Command tools (`--tools FILE`): each tool is a program that reads its arguments as JSON and prints its value as JSON.
//!
//! The manifest:
//!
//! ```json
//! {
//!   "tools": [
//!     {
//!       "name": "word_count",
//!       "description": "Counts the words of a text.",
//!       "parameters": { "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] },
//!       "output": { "type": "integer" },
//!       "command": ["./word-count.sh", "--json"],
//!       "timeout_ms": 10000,
//!       "concurrency_safe": true
//!     }
//!   ]
//! }
//! ```
//!
//! - `name`, `description` and `command` are needed. `command` is a program and its arguments; no shell reads it. A
//!   program or `cwd` that is a relative path is taken from the manifest's folder; `cwd` is that folder by default.
//! - `parameters` and `output` are JSON Schemas in the enforced subset. Without `parameters` the tool takes none; without
//!   `output` any JSON is its value.
//! - The program is given the arguments as one line of JSON on standard input, and has to print one JSON value on standard
//!   output. If it ends with another code than 0, the call fails, and what it printed on standard error is the error's
//!   detail.
//! - `timeout_ms` is the time that it may take; `concurrency_safe` (default false) says that calls may overlap,
//!   `idempotent` (default false) that doing it twice does what doing it once does.
//! - Its environment is empty but for `PATH`, `HOME`, `USER`, `LOGNAME`, `LANG`, `LC_ALL`, `TZ` and `TMPDIR` as they are
//!   here, `LOCKGATE_TOOL` (the tool's name), the variables of `env` (an object of texts), and those that `inherit_env` (a
//!   list of names) takes over: a secret reaches the programs that name it and no others.
//!
//! A call that is cancelled, takes too long, prints too much, or is dropped kills the program and everything that it
//! started in its process group.

mod manifest;
mod process;

use std::{path::Path, sync::Arc};

use lockgate::{ErrorCode, Json, Tool, ToolCallView, ToolError, ToolResultView};

use manifest::Entry;
pub use manifest::ManifestError;
use process::Ended;

/// The tools of the manifest at `path`, in its order.
///
/// # Errors
/// What is wrong with the manifest, naming the file and the tool.
pub fn load(path: &Path) -> Result<Vec<Tool>, ManifestError> {
    manifest::read(path)?
        .into_iter()
        .map(|entry| tool(path, entry))
        .collect()
}

fn tool(path: &Path, entry: Entry) -> Result<Tool, ManifestError> {
    let Entry {
        name,
        description,
        parameters,
        output,
        command,
        timeout,
        concurrency_safe,
        idempotent,
    } = entry;
    let title: Arc<str> = command.line().into();
    let label: Arc<str> = name.as_str().into();
    let command = Arc::new(command);
    let mut builder = Tool::builder(name.as_str(), description)
        .parameters(&parameters)
        .output(&output)
        .concurrency_safe(concurrency_safe)
        .present_call(move |_| {
            Some(ToolCallView::Terminal {
                title: title.clone(),
            })
        })
        .present_result(|_, result| {
            let exit_code = (!result.is_error()).then_some(0);
            Some(ToolResultView::Terminal {
                output: result.text().into(),
                exit_code,
            })
        })
        .execute(move |arguments, context| {
            let (command, label) = (command.clone(), label.clone());
            async move {
                let input = format!("{arguments}\n");
                let ended = command
                    .run(input.into_bytes(), timeout, context.signal())
                    .await;
                value(&label, ended)
            }
        });
    if let Some(timeout) = timeout {
        builder = builder.timeout(timeout);
    }
    if idempotent {
        builder = builder.idempotent();
    }
    builder
        .build()
        .map_err(|error| ManifestError::new(path, Some(&name), error.to_string()))
}

/// The canonical value of a program that ended.
fn value(name: &str, ended: Ended) -> Result<Json, ToolError> {
    let failed = |message: String| Err(ToolError::new(message).named("CommandError"));
    match ended {
        Ended::Success(output) => {
            let text = String::from_utf8(output).map_err(|error| {
                let at = error.utf8_error().valid_up_to();
                invalid_output(name, &format!("is not UTF-8 (at byte {at})"))
            })?;
            if text.trim().is_empty() {
                return Err(invalid_output(name, "is nothing"));
            }
            Json::parse(text.trim())
                .map_err(|error| invalid_output(name, &format!("is not JSON: {error}")))
        }
        Ended::Failure { how, detail } if detail.is_empty() => failed(format!(
            "the command of `{name}` {how} and printed nothing on standard error"
        )),
        Ended::Failure { how, detail } => {
            failed(format!("the command of `{name}` {how}: {detail}"))
        }
        Ended::NotStarted { program, error } => failed(format!(
            "the command of `{name}` can't be started: `{program}`: {error}; check `command` in the manifest"
        )),
        Ended::Broken(error) => failed(format!(
            "talking to the command of `{name}` failed: {error}"
        )),
        Ended::TooMuchOutput(limit) => failed(format!(
            "the command of `{name}` printed more than {limit} bytes and was ended; let it print less"
        )),
        Ended::TimedOut(limit) => Err(ToolError::with_code(
            ErrorCode::ToolTimeout,
            format!(
                "the command of `{name}` took longer than {} ms and was ended",
                limit.as_millis()
            ),
        )),
        Ended::Cancelled => Err(ToolError::new("the call was cancelled").named("AbortError")),
    }
}

fn invalid_output(name: &str, found: &str) -> ToolError {
    ToolError::with_code(
        ErrorCode::InvalidToolOutput,
        format!(
            "the command of `{name}` printed what {found}; it has to print one JSON value on standard output"
        ),
    )
}
