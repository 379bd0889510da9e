//! Why a sandbox could not be built.

use crate::code_runtime::CodeLanguage;

/// Why a sandbox could not be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// No guest of this build runs the language.
    #[error("the sandbox has no guest for {language}: choose TypeScript or JavaScript")]
    UnsupportedLanguage {
        /// The language that was asked for.
        language: CodeLanguage,
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
