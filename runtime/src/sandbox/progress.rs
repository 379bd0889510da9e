//! What building a sandbox tells while it works.

use std::sync::Arc;
use std::time::Duration;

/// A thing that happens while a sandbox is built and that a person may want to know.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// A guest is compiled; this takes seconds, and happens once per machine where the cache works.
    Compiling {
        /// The guest's name.
        guest: &'static str,
    },
    /// A guest was compiled.
    Compiled {
        /// The guest's name.
        guest: &'static str,
        /// How long it took.
        took: Duration,
    },
    /// Compiled code is not kept, so that the next process compiles again.
    NotCached {
        /// The guest's name.
        guest: &'static str,
        /// Why, and what would mend it.
        reason: String,
    },
}

/// Sees [`Progress`] as it happens, on the thread that builds.
pub type ProgressSink = Arc<dyn Fn(&Progress) + Send + Sync>;
