//! What is fixed for the life of a registry.

use std::{
    sync::{Arc, RwLock},
    time::Duration,
};

use crate::{
    code_mode::{self, CodeModeConfig, Mode},
    code_runtime::{CallLogSink, CodeLimits, CodeRuntime},
    events::EventSink,
    pipeline::Approval,
    registry::{Registry, RegistryInner, layer::Layer},
};

/// Builds a [`Registry`]; see [`Registry::builder`].
#[must_use = "call `build`"]
pub struct RegistryBuilder {
    mode: Mode,
    max_parallel: usize,
    code_runtime: Option<Arc<dyn CodeRuntime>>,
    code_mode: CodeModeConfig,
    approval: Option<Arc<dyn Approval>>,
    events: Option<Arc<dyn EventSink>>,
}

/// Why a registry could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// No call could ever start.
    #[error("`max_parallel` is 0, so no call could start; 1 means one at a time")]
    NoLanes,
}

impl Default for RegistryBuilder {
    fn default() -> Self {
        Self {
            mode: Mode::Native,
            max_parallel: 10,
            code_runtime: None,
            code_mode: CodeModeConfig::default(),
            approval: None,
            events: None,
        }
    }
}

impl RegistryBuilder {
    /// How tools are presented where no scope on the chain chose (SPEC H1). The default is [`Mode::Native`].
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// What runs the programs of `run_code`.
    pub fn code_runtime(mut self, runtime: Arc<dyn CodeRuntime>) -> Self {
        self.code_runtime = Some(runtime);
        self
    }

    /// The budgets of each program.
    pub fn code_limits(mut self, limits: CodeLimits) -> Self {
        self.code_mode.limits = limits;
        self
    }

    /// Sees each line of every program as it is printed, with the id of the call of `run_code`. It must not block.
    pub fn on_program_log(mut self, sink: CallLogSink) -> Self {
        self.code_mode.on_log = Some(sink);
        self
    }

    /// About how many tokens the SDK text may have. Past it some tools are declared in full, fairly over their groups, and the
    /// others are listed; programs then find and read them by `tools.$search("words")` and `tools.$describe("name")`, which
    /// cost no model turn. Without it everything is declared in full.
    pub fn sdk_budget_tokens(mut self, tokens: usize) -> Self {
        self.code_mode.sdk_budget_tokens = Some(tokens);
        self
    }

    /// How long a finished program waits for calls that it has cancelled; a body that ignores its cancellation for longer is
    /// dropped. The default is 5 s.
    pub fn cancellation_grace(mut self, grace: Duration) -> Self {
        self.code_mode.grace = grace;
        self
    }

    /// The most calls whose bodies may overlap in one batch or one program (SPEC G1). The default is 10; 1 means serial.
    pub fn max_parallel(mut self, calls: usize) -> Self {
        self.max_parallel = calls;
        self
    }

    /// Who answers when policy says `ask` (SPEC E3). Without it, `ask` means deny.
    pub fn approval(mut self, approval: impl Approval + 'static) -> Self {
        self.approval = Some(Arc::new(approval));
        self
    }

    /// Where the durable events of calls go.
    pub fn events(mut self, sink: Arc<dyn EventSink>) -> Self {
        self.events = Some(sink);
        self
    }

    /// The finished registry.
    ///
    /// # Errors
    /// A setting with which nothing could run.
    pub fn build(self) -> Result<Registry, ConfigError> {
        if self.max_parallel == 0 {
            return Err(ConfigError::NoLanes);
        }
        Ok(self.assemble())
    }

    pub(super) fn assemble(self) -> Registry {
        Registry(Arc::new_cyclic(|registry| RegistryInner {
            global: Layer::new("the global layer", None),
            mode: self.mode,
            max_parallel: self.max_parallel,
            run_code: code_mode::run_code_tool(registry.clone(), self.code_runtime.as_deref()),
            code_runtime: self.code_runtime,
            code_mode: self.code_mode,
            approval: self.approval,
            events: self.events,
            change: RwLock::default(),
        }))
    }
}
