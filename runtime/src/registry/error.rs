//! What can go wrong when something is registered.

use std::sync::Arc;

use crate::tool::ToolError;

/// Why a registration was refused. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// The layer has a tool of that name.
    #[error(
        "tool `{name}` is already registered in {scope}; for a variant of one agent, register it on that agent's own \
         scope (`registry.scope(\"agent\").register(…)`), where it shadows this one"
    )]
    DuplicateTool {
        /// The name.
        name: Arc<str>,
        /// The layer.
        scope: Arc<str>,
    },
    /// The name is the transport's own (SPEC D6).
    #[error(
        "`{name}` is reserved: it can't be registered, shadowed or restricted; choose another name"
    )]
    ReservedName {
        /// The name.
        name: Arc<str>,
    },
    /// The filter has neither `allow` nor `deny`, or only empty lists.
    #[error(
        "the restriction is empty: name at least one tool to allow or to deny; known tools: {}",
        list(known)
    )]
    EmptyRestriction {
        /// The names that the scope inherits.
        known: Vec<Arc<str>>,
    },
    /// The filter names something that the scope does not inherit.
    #[error(
        "the restriction names `{name}`, which the scope does not inherit; known tools: {}",
        list(known)
    )]
    UnknownTool {
        /// The name.
        name: Arc<str>,
        /// The names that the scope inherits.
        known: Vec<Arc<str>>,
    },
    /// The filter names a tool of the scope itself, which its restrictions never hide (SPEC D3).
    #[error(
        "the restriction names `{name}`, which this scope registered itself and so can't hide; dispose its registration \
         instead; known tools: {}",
        list(known)
    )]
    OwnTool {
        /// The name.
        name: Arc<str>,
        /// The names that the scope inherits.
        known: Vec<Arc<str>>,
    },
    /// The scope has chosen its mode (SPEC D5).
    #[error("{scope} already has a presentation mode; dispose that registration first")]
    ModeAlreadySet {
        /// The scope.
        scope: Arc<str>,
    },
    /// The scope was disposed.
    #[error("{scope} was disposed; make a new scope")]
    Disposed {
        /// The scope.
        scope: Arc<str>,
    },
    /// A listener of `tools/change` refused the registration, which was rolled back (SPEC D7).
    #[error("a change listener refused the change, which was rolled back: {0}")]
    RefusedByListener(ToolError),
}

fn list(names: &[Arc<str>]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}
