//! Writes events as lines of JSON, and hands them to several sinks.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use crate::{
    events::{Event, EventSink, Recorded},
    json::Json,
};

/// Writes each event as one line of JSON. A line is written whole or the error is kept: see [`finish`](Self::finish).
#[derive(Debug)]
pub struct JsonLines<W> {
    state: Mutex<(W, Option<io::Error>)>,
    /// What the times of the lines are counted from; none where lines have no times.
    began: Option<Instant>,
}

impl<W: Write + Send> JsonLines<W> {
    /// Writes to `writer`; wrap a file in a `BufWriter`.
    pub fn new(writer: W) -> Self {
        Self {
            state: Mutex::new((writer, None)),
            began: None,
        }
    }

    /// Begins each line with `at_ms`, the milliseconds since now: a trace, each of whose lines is a [`Recorded`].
    pub fn timed(writer: W) -> Self {
        Self {
            began: Some(Instant::now()),
            ..Self::new(writer)
        }
    }

    /// Writes out what is buffered.
    ///
    /// # Errors
    /// The first error of writing so far; nothing was written after it.
    pub fn flush(&self) -> io::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (writer, failed) = &mut *state;
        match failed {
            Some(error) => Err(io::Error::new(error.kind(), error.to_string())),
            None => writer.flush(),
        }
    }

    /// Flushes, and gives the writer back.
    ///
    /// # Errors
    /// The first error of writing; nothing was written after it.
    pub fn finish(self) -> io::Result<W> {
        let (mut writer, failed) = self
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        match failed {
            Some(error) => Err(error),
            None => writer.flush().map(|()| writer),
        }
    }
}

impl<W: Write + Send> EventSink for JsonLines<W> {
    fn record(&self, event: &Event) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (writer, failed) = &mut *state;
        if failed.is_some() {
            return;
        }
        // Our own writer: a foreign one gives up on the depth that a hostile program can choose, and the log with it.
        let line = match self.began {
            Some(began) => Json::from_serialize(&Recorded {
                at: began.elapsed(),
                event: event.clone(),
            }),
            None => Json::from_serialize(event),
        };
        let written = line.map_err(io::Error::other).and_then(|line| {
            let mut line = line.to_string();
            line.push('\n');
            writer.write_all(line.as_bytes())
        });
        if let Err(error) = written {
            tracing::error!(%error, "the event log can't be written");
            *failed = Some(error);
        }
    }
}

/// Hands every event to each of its sinks, in their order.
#[derive(Clone, Default)]
pub struct FanOut(Vec<Arc<dyn EventSink>>);

impl FanOut {
    /// To these sinks.
    pub fn new(sinks: impl IntoIterator<Item = Arc<dyn EventSink>>) -> Self {
        Self(sinks.into_iter().collect())
    }
}

impl EventSink for FanOut {
    fn record(&self, event: &Event) {
        for sink in &self.0 {
            sink.record(event);
        }
    }
}
