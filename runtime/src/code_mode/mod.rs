//! Code Mode (SPEC H, K): `run_code`, how tools are presented to a model, and the bridge from a program to the pipeline.

mod assemble;
mod bridge;
mod lookup;
mod outcome;
mod run_code;

use std::time::Duration;

pub use assemble::{AssembleError, Assembly, PromptSection};
pub(crate) use run_code::run_code_tool;

use crate::code_runtime::{CallLogSink, CodeLimits};

/// The reserved name of the transport (SPEC D6).
pub const RUN_CODE: &str = "run_code";

/// How the tools of a scope are presented to a model (SPEC H1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Every tool as a schema of its own.
    Native,
    /// Only `run_code`; the tools are in the SDK text, and a direct call of one is refused.
    Code,
    /// Both.
    Both,
}

/// The settings of `run_code` that a registry fixes.
pub(crate) struct CodeModeConfig {
    pub(crate) limits: CodeLimits,
    /// How long a finished run waits for calls that it has cancelled. A body that ignores its signal for longer is dropped,
    /// and counted as dropped.
    pub(crate) grace: Duration,
    /// About how many tokens the SDK text may have.
    pub(crate) sdk_budget_tokens: Option<usize>,
    /// Sees each line of a program as it is printed.
    pub(crate) on_log: Option<CallLogSink>,
}

impl Default for CodeModeConfig {
    fn default() -> Self {
        Self {
            limits: CodeLimits::default(),
            grace: Duration::from_secs(5),
            sdk_budget_tokens: None,
            on_log: None,
        }
    }
}
