//! The traces of past runs: what clients may read as `lockgate://runs/<id>`, within bounds.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use lockgate::{
    Json,
    events::{Event, Recorded},
    json,
};

/// Runs whose traces are kept, over all clients; the oldest goes first.
pub const MAX_TRACES: usize = 200;
/// Bytes of all traces together.
pub const MAX_TRACES_BYTES: usize = 64 * 1024 * 1024;
/// Bytes of one trace; what comes after it is left out, and the last line says how much.
pub const MAX_TRACE_BYTES: usize = 4 * 1024 * 1024;
/// Bytes of one line. A longer one loses its arguments, values and contents.
const MAX_LINE_BYTES: usize = 64 * 1024;

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

    /// The text so far: one line of JSON for each event.
    pub(super) fn text(&self) -> String {
        let lines = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = lines.text.clone();
        if lines.left_out > 0 {
            let note = json!({"left_out": (lines.left_out), "limit": "MAX_TRACE_BYTES", "bytes": MAX_TRACE_BYTES});
            text.push_str(&note.to_string());
            text.push('\n');
        }
        text
    }
}

/// The line without the parts that may be long.
fn shortened(line: &Json, bytes: usize) -> Json {
    let note = Json::from(format!("left out: the line had {bytes} bytes"));
    let keep = |(key, value): (&str, &Json)| {
        let long = value.depth() > 0 || value.as_str().is_some_and(|text| text.len() > 1_000);
        let value = match key {
            "content" | "logs" => Json::empty_array(),
            "usage" | "calls" => value.clone(),
            _ if long => note.clone(),
            _ => value.clone(),
        };
        (key.to_owned(), value)
    };
    let event = line["event"].as_object().into_iter().flatten();
    let event: lockgate::json::Object = event.map(keep).collect();
    json!({"at": (line["at"].clone()), "event": (Json::Object(event))})
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
