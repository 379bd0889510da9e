//! An event sink in memory.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use crate::events::{Event, EventSink};

/// Keeps every event with its time. For tests, for a UI, for the report of one run.
#[derive(Debug)]
pub struct Recorder {
    started: Instant,
    events: Mutex<Vec<Recorded>>,
}

/// An event and when it was recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// Since the recorder was made.
    pub at: Duration,
    /// The event.
    pub event: Event,
}

impl Recorder {
    /// An empty recorder; its clock starts now.
    pub fn new() -> Self {
        Self {
            started: Instant::now(),
            events: Mutex::default(),
        }
    }

    /// A copy of what was recorded so far, in order.
    pub fn events(&self) -> Vec<Recorded> {
        self.events
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new()
    }
}

impl EventSink for Recorder {
    fn record(&self, event: &Event) {
        let recorded = Recorded {
            at: self.started.elapsed(),
            event: event.clone(),
        };
        self.events
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(recorded);
    }
}
