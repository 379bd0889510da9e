//! What a middleware calls to hand on: the rest of its waterfall.

use std::{fmt, sync::Arc};

use crate::{
    pipeline::Listeners,
    tool::{BoxFuture, ToolError, contain, contain_future},
};

type End<I, O> = dyn Fn(I) -> BoxFuture<'static, Result<O, ToolError>> + Send + Sync;

/// The rest of a waterfall: those listed after this middleware, then the stage itself. Cheap to clone; running it again, as a
/// retry does, runs all of them again.
pub struct Next<I, O> {
    pub(super) input: I,
    listeners: Listeners<I, O>,
    at: usize,
    end: Arc<End<I, O>>,
    place: &'static str,
}

impl<I: Clone, O> Clone for Next<I, O> {
    fn clone(&self) -> Self {
        Self {
            input: self.input.clone(),
            listeners: self.listeners.clone(),
            at: self.at,
            end: self.end.clone(),
            place: self.place,
        }
    }
}

impl<I: Clone + Send + Sync + 'static, O: Send + 'static> Next<I, O> {
    pub(super) fn new(
        place: &'static str,
        input: I,
        listeners: Vec<Arc<super::Listener<I, O>>>,
        end: impl Fn(I) -> BoxFuture<'static, Result<O, ToolError>> + Send + Sync + 'static,
    ) -> Self {
        Self {
            input,
            listeners: listeners.into(),
            at: 0,
            end: Arc::new(end),
            place,
        }
    }

    /// Runs the rest of the waterfall.
    ///
    /// # Errors
    /// The error of a middleware further on, or its panic.
    pub async fn run(self) -> Result<O, ToolError> {
        let Some(listener) = self.listeners.get(self.at).cloned() else {
            return (self.end)(self.input).await;
        };
        let place = self.place;
        let input = self.input.clone();
        let next = Self {
            at: self.at + 1,
            ..self
        };
        // A panic may come from making the future and from polling it; both fail this call and nothing else (SPEC C4).
        match contain(|| listener(input, next)) {
            Ok(running) => contain_future(running).await,
            Err(panic) => Err(panic),
        }
        .unwrap_or_else(|panic| Err(ToolError::from_panic(place, &panic)))
    }
}

impl<I, O> fmt::Debug for Next<I, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next")
            .field("remaining", &(self.listeners.len() - self.at))
            .finish_non_exhaustive()
    }
}
