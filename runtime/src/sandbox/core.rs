//! What sandboxes of one shape share: the engine, its clock, the slots for live guests, and the compiled guests.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::Semaphore;
use wasmtime::Engine;
use wasmtime::component::Linker;

use super::artifacts::{self, Artifact};
use super::bindings::program::ProgramGuestPre;
use super::bindings::typescript::TypescriptGuestPre;
use super::cache::{self, CachePolicy};
use super::clock::EpochClock;
use super::engine;
use super::error::SandboxError;
use super::host::{self, RunState};
use super::progress::ProgressSink;
use super::python;

/// An engine and what belongs to it. Guests are compiled when they are first asked for, once.
pub(super) struct Core {
    pub(super) engine: Engine,
    pub(super) clock: EpochClock,
    /// One permit per live guest.
    pub(super) slots: Semaphore,
    shape: Shape,
    boa: Mutex<Option<ProgramGuestPre<RunState>>>,
    quickjs: Mutex<Option<ProgramGuestPre<RunState>>>,
    python: Mutex<Option<ProgramGuestPre<RunState>>>,
    typescript: Mutex<Option<TypescriptGuestPre<RunState>>>,
}

/// What must be equal for two sandboxes to share a core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) concurrent_runs: u32,
    pub(super) cache: CachePolicy,
    /// The file of the Python guest, where that is what runs. It has an engine of its own: its slots are larger.
    pub(super) python: Option<PathBuf>,
}

/// The cores of this process.
static LIVE: Mutex<Live> = Mutex::new(Live {
    cores: Vec::new(),
    newest: None,
});

struct Live {
    cores: Vec<Weak<Core>>,
    /// Kept alive, so that a process which builds one sandbox after the other prepares its guests once.
    newest: Option<Arc<Core>>,
}

impl Core {
    /// The core of a shape: one that lives already, or a new one.
    pub(super) fn shared(shape: &Shape) -> Result<Arc<Core>, SandboxError> {
        let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
        live.cores.retain(|core| core.strong_count() > 0);
        if let Some(core) = live
            .cores
            .iter()
            .filter_map(Weak::upgrade)
            .find(|core| core.shape == *shape)
        {
            return Ok(core);
        }
        let core = Arc::new(Core::new(shape.clone())?);
        live.cores.push(Arc::downgrade(&core));
        live.newest = Some(Arc::clone(&core));
        Ok(core)
    }

    fn new(shape: Shape) -> Result<Core, SandboxError> {
        let engine = engine::new_engine(
            shape.concurrent_runs,
            match shape.python {
                None => engine::Guests::Small,
                Some(_) => engine::Guests::Python,
            },
        )?;
        let clock = EpochClock::start(&engine)?;
        Ok(Core {
            clock,
            slots: Semaphore::new(shape.concurrent_runs as usize),
            boa: Mutex::new(None),
            quickjs: Mutex::new(None),
            python: Mutex::new(None),
            typescript: Mutex::new(None),
            engine,
            shape,
        })
    }

    /// The guest that runs JavaScript on `engine`.
    pub(super) fn javascript(
        &self,
        engine: super::Engine,
        progress: Option<&ProgressSink>,
    ) -> Result<ProgramGuestPre<RunState>, SandboxError> {
        let (slot, artifact) = match engine {
            super::Engine::Boa => (&self.boa, &artifacts::BOA),
            _ => (&self.quickjs, &artifacts::QUICKJS),
        };
        self.prepare(
            slot,
            artifact,
            progress,
            host::add_to_linker,
            ProgramGuestPre::new,
        )
    }

    /// The guest that runs Python, from its file.
    pub(super) fn python(
        &self,
        path: &Path,
        progress: Option<&ProgressSink>,
    ) -> Result<ProgramGuestPre<RunState>, SandboxError> {
        let prepared = self.python.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(prepared) = &*prepared {
            return Ok(prepared.clone());
        }
        drop(prepared);
        self.prepare(
            &self.python,
            &python::load(path)?,
            progress,
            |linker| {
                wasmtime_wasi::p2::add_to_linker_async(linker)?;
                host::add_to_linker(linker)
            },
            ProgramGuestPre::new,
        )
    }

    /// The guest that strips types.
    pub(super) fn typescript(
        &self,
        progress: Option<&ProgressSink>,
    ) -> Result<TypescriptGuestPre<RunState>, SandboxError> {
        self.prepare(
            &self.typescript,
            &artifacts::TYPESCRIPT,
            progress,
            |_| Ok(()),
            TypescriptGuestPre::new,
        )
    }

    /// Loads, links and keeps a guest. The lock is held meanwhile: who comes second waits instead of compiling again.
    fn prepare<P: Clone>(
        &self,
        slot: &Mutex<Option<P>>,
        artifact: &Artifact,
        progress: Option<&ProgressSink>,
        link: impl FnOnce(&mut Linker<RunState>) -> wasmtime::Result<()>,
        typed: impl FnOnce(wasmtime::component::InstancePre<RunState>) -> wasmtime::Result<P>,
    ) -> Result<P, SandboxError> {
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(prepared) = &*slot {
            return Ok(prepared.clone());
        }
        let component = cache::load(&self.engine, artifact, &self.shape.cache, progress)?;
        let mut linker = Linker::new(&self.engine);
        let prepared = link(&mut linker)
            .and_then(|()| linker.instantiate_pre(&component))
            .and_then(typed)
            .map_err(|error| SandboxError::Guest {
                guest: artifact.name,
                reason: format!("{error:#}"),
            })?;
        *slot = Some(prepared.clone());
        Ok(prepared)
    }
}
