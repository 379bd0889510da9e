//! The traces of past runs: what clients may read as `lockgate://runs/<id>`, within bounds.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use lockgate::{
    Json,
    events::{Event, Recorded},
};

/// Runs whose traces are kept, over all clients; the oldest goes first.
pub const MAX_TRACES: usize = 200;
/// Bytes of all traces together.
pub const MAX_TRACES_BYTES: usize = 64 * 1024 * 1024;
/// Bytes of one trace; events after it are left out, and the resource's description says how many.
pub const MAX_TRACE_BYTES: usize = 4 * 1024 * 1024;
/// Bytes of one line. A longer one loses its arguments, values and contents.
const MAX_LINE_BYTES: usize = 64 * 1024;
/// Bytes of an error's text in a line that was too long.
const MAX_TEXT_BYTES: usize = 1_000;

/// A run that is being traced.
pub(super) struct Tracing {
    began: Instant,
    state: Mutex<Lines>,
}

#[derive(Default)]
struct Lines {
    text: String,
    left_out: u64,
}

/// A finished trace.
#[derive(Clone)]
pub(super) struct Trace {
    pub(super) session: u64,
    pub(super) id: Arc<str>,
    /// What the model said that the program does.
    pub(super) about: Arc<str>,
    pub(super) text: Arc<str>,
}

/// The ring of finished traces.
#[derive(Default)]
pub(super) struct Traces(Mutex<Ring>);

#[derive(Default)]
struct Ring {
    traces: VecDeque<Trace>,
    bytes: usize,
}

impl Tracing {
    pub(super) fn new() -> Self {
        Self {
            began: Instant::now(),
            state: Mutex::default(),
        }
    }

    pub(super) fn record(&self, event: &Event) {
        let recorded = Recorded {
            at: self.began.elapsed(),
            event: event.clone(),
        };
        let Ok(line) = Json::from_serialize(&recorded) else {
            return;
        };
        let mut text = line.to_string();
        if text.len() > MAX_LINE_BYTES {
            text = shortened(&line, text.len()).to_string();
        }
        let mut lines = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.left_out > 0 || lines.text.len() + text.len() >= MAX_TRACE_BYTES {
            lines.left_out += 1;
            return;
        }
        lines.text.push_str(&text);
        lines.text.push('\n');
    }

    /// The text so far, a line of JSON for each event, and how many events it lacks.
    pub(super) fn text(&self) -> (String, u64) {
        let lines = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (lines.text.clone(), lines.left_out)
    }
}

/// The event without what may be long: it stays one that tools for traces can read.
fn shortened(line: &Json, bytes: usize) -> Json {
    let note = || Json::from(format!("left out: the line had {bytes} bytes"));
    let members = line.as_object().into_iter().flatten();
    let members = members.map(|(key, value)| {
        let value = match key {
            "arguments" | "value" | "meta" => note(),
            "content" | "logs" => Json::empty_array(),
            "error" | "failure" => {
                let parts = value.as_object().into_iter().flatten();
                let parts = parts.map(|(key, part)| (key, short_text(part)));
                Json::Object(parts.collect())
            }
            _ => value.clone(),
        };
        (key, value)
    });
    Json::Object(members.collect())
}

fn short_text(value: &Json) -> Json {
    match value.as_str() {
        Some(text) => Json::from(&text[..text.floor_char_boundary(MAX_TEXT_BYTES)]),
        None => value.clone(),
    }
}

impl Traces {
    pub(super) fn add(&self, trace: Trace) {
        let mut ring = self.lock();
        ring.bytes += trace.text.len();
        ring.traces.push_back(trace);
        while ring.traces.len() > MAX_TRACES || ring.bytes > MAX_TRACES_BYTES {
            match ring.traces.pop_front() {
                Some(old) => ring.bytes -= old.text.len(),
                None => break,
            }
        }
    }

    /// Those of one session, the newest first: nobody sees another client's runs.
    pub(super) fn of(&self, session: u64) -> Vec<Trace> {
        let ring = self.lock();
        let own = ring.traces.iter().filter(|trace| trace.session == session);
        own.rev().cloned().collect()
    }

    /// The session is over; nobody can read them any more.
    pub(super) fn forget(&self, session: u64) {
        let mut ring = self.lock();
        ring.traces.retain(|trace| trace.session != session);
        ring.bytes = ring.traces.iter().map(|trace| trace.text.len()).sum();
    }

    fn lock(&self) -> MutexGuard<'_, Ring> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
