//! The disposer that every registration gives back.

use std::fmt;

/// One thing that was registered. Dropping it, or calling [`dispose`](Self::dispose), undoes exactly that one thing, once
/// (SPEC D1). [`keep`](Self::keep) leaves it in place for as long as its scope lives.
#[must_use = "dropping a registration undoes it at once; call `keep` to leave it in place"]
pub struct Registration {
    undo: Option<Box<dyn FnOnce() + Send + Sync>>,
}

impl Registration {
    pub(crate) fn new(undo: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self {
            undo: Some(Box::new(undo)),
        }
    }

    /// Undoes the registration. Calls that have started are not affected.
    pub fn dispose(self) {
        drop(self);
    }

    /// Leaves the registration in place until its scope is disposed.
    pub fn keep(mut self) {
        self.undo = None;
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if let Some(undo) = self.undo.take() {
            undo();
        }
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration").finish_non_exhaustive()
    }
}
