//! The sandbox as a code runtime: building, running, disposing.

use std::fmt;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::RwLock;
use tokio_util::sync::CancellationToken;

use super::cache::CachePolicy;
use super::core::{Core, Shape};
use super::error::SandboxError;
use super::globals;
use super::progress::{Progress, ProgressSink};
use super::run::{self, Guests};
use crate::code_runtime::{
    CodeLanguage, CodeRequest, CodeResult, CodeRuntime, CodeRuntimeError, Isolation,
};

/// The engine that runs JavaScript inside of the sandbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// QuickJS-ng, compiled to WebAssembly.
    #[default]
    QuickJs,
}

impl Engine {
    /// The name that machines use: `quickjs`.
    pub fn as_str(self) -> &'static str {
        match self {
            Engine::QuickJs => "quickjs",
        }
    }
}

/// Live guests of a sandbox, unless its builder says otherwise.
const DEFAULT_CONCURRENT_RUNS: u32 = 64;

/// Builds a [`Sandbox`].
#[derive(Clone)]
#[must_use]
pub struct SandboxBuilder {
    language: CodeLanguage,
    engine: Engine,
    cache: CachePolicy,
    concurrent_runs: u32,
    progress: Option<ProgressSink>,
}

impl SandboxBuilder {
    /// The language of the programs. Default TypeScript, which also takes JavaScript.
    pub fn language(mut self, language: CodeLanguage) -> Self {
        self.language = language;
        self
    }

    /// The engine that runs the programs. Default QuickJS.
    pub fn engine(mut self, engine: Engine) -> Self {
        self.engine = engine;
        self
    }

    /// Where compiled guests are kept between processes. Default: the user's cache directory.
    pub fn cache(mut self, policy: CachePolicy) -> Self {
        self.cache = policy;
        self
    }

    /// How many programs may be alive at one time, paused ones included; more of them wait for a slot. Default 64, at
    /// least 1. Each slot reserves some 12 GiB of address space, and memory only once it is used.
    ///
    /// Sandboxes of one process that agree in this and in the cache share their slots. A program whose call runs another
    /// program holds its slot meanwhile: a chain as long as there are slots would wait for itself.
    pub fn max_concurrent_runs(mut self, runs: u32) -> Self {
        self.concurrent_runs = runs.max(1);
        self
    }

    /// Is told what takes long while the sandbox is built, e.g. the first compilation of a guest.
    pub fn on_progress(mut self, sink: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.progress = Some(Arc::new(sink));
        self
    }

    /// Builds the sandbox without blocking the task: a first compilation takes seconds, and runs on a blocking thread of the
    /// Tokio runtime. Outside of one it runs here.
    ///
    /// # Errors
    /// As [`SandboxBuilder::build_blocking`].
    pub async fn build(self) -> Result<Sandbox, SandboxError> {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return self.build_blocking();
        };
        runtime
            .spawn_blocking(move || self.build_blocking())
            .await
            .unwrap_or_else(|error| {
                Err(SandboxError::Engine {
                    reason: format!("building was cut short: {error}"),
                })
            })
    }

    /// Builds the sandbox on this thread. Building a second one in a process is cheap.
    ///
    /// # Errors
    /// No guest for the language; an engine that can't start; a guest that can't be compiled.
    pub fn build_blocking(self) -> Result<Sandbox, SandboxError> {
        let progress = self.progress.as_ref();
        let strips = match self.language {
            CodeLanguage::TypeScript => true,
            CodeLanguage::JavaScript => false,
            CodeLanguage::Python => {
                return Err(SandboxError::UnsupportedLanguage {
                    language: self.language,
                });
            }
        };
        let core = Core::shared(&Shape {
            concurrent_runs: self.concurrent_runs,
            cache: self.cache.clone(),
        })?;
        let program = match self.engine {
            Engine::QuickJs => core.quickjs(progress)?,
        };
        let stripper = if strips {
            Some(core.typescript(progress)?)
        } else {
            None
        };
        Ok(Sandbox {
            language: self.language,
            engine: self.engine,
            guests: Guests {
                core,
                program,
                stripper,
            },
            disposed: CancellationToken::new(),
            running: RwLock::new(()),
        })
    }
}

impl fmt::Debug for SandboxBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SandboxBuilder")
            .field("language", &self.language)
            .field("engine", &self.engine)
            .field("cache", &self.cache)
            .field("concurrent_runs", &self.concurrent_runs)
            .finish_non_exhaustive()
    }
}

/// Runs programs in WebAssembly, each in a fresh instance of its engine.
///
/// Running needs a Tokio runtime with its timer. The future of a run does its work in the task that polls it; at least every
/// few milliseconds it lets other tasks run.
pub struct Sandbox {
    language: CodeLanguage,
    engine: Engine,
    guests: Guests,
    disposed: CancellationToken,
    /// Read by each run, written by disposal: that is how disposal waits for the runs.
    running: RwLock<()>,
}

impl Sandbox {
    /// A builder with the defaults: TypeScript on QuickJS, the user's cache.
    pub fn builder() -> SandboxBuilder {
        SandboxBuilder {
            language: CodeLanguage::TypeScript,
            engine: Engine::default(),
            cache: CachePolicy::default(),
            concurrent_runs: DEFAULT_CONCURRENT_RUNS,
            progress: None,
        }
    }

    /// The engine that runs the programs.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    async fn checked_run(&self, request: CodeRequest<'_>) -> Result<CodeResult, CodeRuntimeError> {
        if tokio::runtime::Handle::try_current().is_err() {
            return Err(CodeRuntimeError::NoTokioRuntime);
        }
        globals::check(request.bindings)?;
        let _running = self.running.read().await;
        if self.disposed.is_cancelled() {
            return Err(CodeRuntimeError::Disposed);
        }
        let file_name = request
            .file_name
            .unwrap_or_else(|| self.language.default_file_name());
        Ok(run::run(&self.guests, request, file_name, &self.disposed).await)
    }
}

impl CodeRuntime for Sandbox {
    fn language(&self) -> CodeLanguage {
        self.language
    }

    fn isolation(&self) -> Isolation {
        Isolation::WebAssembly
    }

    fn run<'a>(
        &'a self,
        request: CodeRequest<'a>,
    ) -> BoxFuture<'a, Result<CodeResult, CodeRuntimeError>> {
        self.checked_run(request).boxed()
    }

    fn dispose(&self) -> BoxFuture<'_, ()> {
        async {
            self.disposed.cancel();
            let _all_ended = self.running.write().await;
        }
        .boxed()
    }
}

impl fmt::Debug for Sandbox {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Sandbox")
            .field("language", &self.language)
            .field("engine", &self.engine)
            .finish_non_exhaustive()
    }
}
