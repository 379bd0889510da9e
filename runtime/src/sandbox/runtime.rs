//! The sandbox as a code runtime: building, running, disposing.

use std::fmt;
use std::path::PathBuf;
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
use super::python;
use super::run::{self, Guests};
use super::wasi::{self, Mount, MountAccess};
use crate::code_runtime::{
    CodeLanguage, CodeRequest, CodeResult, CodeRuntime, CodeRuntimeError, Isolation,
};

/// The engine that runs the programs inside of the sandbox, compiled to WebAssembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// QuickJS-ng: JavaScript and TypeScript.
    QuickJs,
    /// Boa, an engine in Rust alone: JavaScript and TypeScript, several times slower.
    Boa,
    /// CPython: Python.
    CPython,
}

impl Engine {
    /// The name that machines use: `quickjs`, `boa`, `cpython`.
    pub fn as_str(self) -> &'static str {
        match self {
            Engine::QuickJs => "quickjs",
            Engine::Boa => "boa",
            Engine::CPython => "cpython",
        }
    }

    /// The engine of a language, unless a builder says otherwise.
    pub fn default_for(language: CodeLanguage) -> Self {
        match language {
            CodeLanguage::TypeScript | CodeLanguage::JavaScript => Engine::QuickJs,
            CodeLanguage::Python => Engine::CPython,
        }
    }

    /// Whether it runs programs of a language.
    pub fn runs(self, language: CodeLanguage) -> bool {
        let python = language == CodeLanguage::Python;
        match self {
            Engine::QuickJs | Engine::Boa => !python,
            Engine::CPython => python,
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
    engine: Option<Engine>,
    cache: CachePolicy,
    concurrent_runs: u32,
    python_guest: Option<PathBuf>,
    mounts: Vec<Mount>,
    progress: Option<ProgressSink>,
}

impl SandboxBuilder {
    /// The language of the programs. Default TypeScript, which also takes JavaScript.
    pub fn language(mut self, language: CodeLanguage) -> Self {
        self.language = language;
        self
    }

    /// The engine that runs the programs. Default: [`Engine::default_for`] the language.
    pub fn engine(mut self, engine: Engine) -> Self {
        self.engine = Some(engine);
        self
    }

    /// The file of the Python guest, which `cargo xtask guests python` builds. It must belong to the user or to root, and
    /// nobody else may be able to write to it. Default: where that command puts it for this user, in the data directory (e.g.
    /// `~/.local/share/lockgate`) under a name that says which version it is.
    pub fn python_guest(mut self, file: impl Into<PathBuf>) -> Self {
        self.python_guest = Some(file.into());
        self
    }

    /// Lets Python programs open files in a folder of the host, under an absolute path of their own such as `/data`; they
    /// can open none elsewhere. Nothing else than this passes the tools and their guards by: mount only what every program
    /// may read (or change).
    pub fn mount(
        mut self,
        folder: impl Into<PathBuf>,
        path: impl Into<String>,
        access: MountAccess,
    ) -> Self {
        self.mounts.push(Mount {
            host: folder.into(),
            guest: path.into(),
            access,
        });
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
    /// An engine that does not run the language, or can't start; a guest that is missing or can't be compiled; a folder that
    /// can't be mounted.
    pub fn build_blocking(self) -> Result<Sandbox, SandboxError> {
        let progress = self.progress.as_ref();
        let language = self.language;
        let engine = self.engine.unwrap_or(Engine::default_for(language));
        if !engine.runs(language) {
            return Err(SandboxError::EngineMismatch { engine, language });
        }
        let strips = language == CodeLanguage::TypeScript;
        wasi::check(&self.mounts, language)?;
        let python = (engine == Engine::CPython).then(|| {
            self.python_guest
                .clone()
                .unwrap_or_else(python::default_path)
        });
        let core = Core::shared(&Shape {
            concurrent_runs: self.concurrent_runs,
            cache: self.cache.clone(),
            python: python.clone(),
        })?;
        let program = match &python {
            None => core.javascript(engine, progress)?,
            Some(path) => core.python(path, progress)?,
        };
        let stripper = if strips {
            Some(core.typescript(progress)?)
        } else {
            None
        };
        Ok(Sandbox {
            language: self.language,
            engine,
            guests: Guests {
                core,
                language,
                program,
                stripper,
                mounts: python.map(|_| self.mounts),
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
            .field("python_guest", &self.python_guest)
            .field("mounts", &self.mounts)
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
            engine: None,
            cache: CachePolicy::default(),
            concurrent_runs: DEFAULT_CONCURRENT_RUNS,
            python_guest: None,
            mounts: Vec::new(),
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
        globals::check(request.bindings, self.language)?;
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
