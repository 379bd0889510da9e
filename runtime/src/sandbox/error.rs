//! Why a sandbox could not be built.

use std::path::PathBuf;

use super::runtime::Engine;
use crate::code_runtime::CodeLanguage;

/// Why a sandbox could not be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// The engine does not run the language.
    #[error(
        "the engine {} does not run {language}: leave the engine out, or choose {}",
        engine.as_str(),
        Engine::default_for(*language).as_str()
    )]
    EngineMismatch {
        /// The engine that was asked for.
        engine: Engine,
        /// The language that was asked for.
        language: CodeLanguage,
    },
    /// The Python guest, which is not built in, is not where it was looked for.
    #[error(
        "there is no Python guest at {}: build it with `cargo xtask guests python`, or name the file of one that was \
         (`--python-guest`, `SandboxBuilder::python_guest`)",
        path.display()
    )]
    PythonGuestMissing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The file of the Python guest can't be read, or can't be trusted.
    #[error("the Python guest at {} is not used: {reason}", path.display())]
    PythonGuestRefused {
        /// The file.
        path: PathBuf,
        /// Why, and what would mend it.
        reason: String,
    },
    /// A folder can't be mounted.
    #[error("the folder {} can't be mounted: {reason}", folder.display())]
    Mount {
        /// The folder.
        folder: PathBuf,
        /// Why, and what would mend it.
        reason: String,
    },
    /// The WebAssembly engine could not start.
    #[error("the WebAssembly engine could not start: {reason}")]
    Engine {
        /// What the engine or the system said.
        reason: String,
    },
    /// A guest could not be compiled or linked.
    #[error("the {guest} guest could not be prepared: {reason}")]
    Guest {
        /// The guest's name.
        guest: &'static str,
        /// What the engine said.
        reason: String,
    },
}
