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

/// An event and when it was recorded. In JSON: the event's own members after `at_ms`, the milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// Since the recorder was made.
    #[serde(rename = "at_ms", with = "millis")]
    pub at: Duration,
    /// The event.
    #[serde(flatten)]
    pub event: Event,
}

/// Durations as milliseconds.
mod millis {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(at: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(at.as_secs_f64() * 1e3)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        let ms = f64::deserialize(from)?;
        Duration::try_from_secs_f64(ms / 1e3).map_err(D::Error::custom)
    }
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
