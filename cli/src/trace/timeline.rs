//! What a page shows of a trace: its runs, each with its calls, the lanes they took, and where their time went.

use std::{collections::HashMap, sync::Arc, time::Duration};

use lockgate::{
    Content, Json, RUN_CODE,
    events::{CallTiming, DispatchLog, Event, LoggedError, Recorded},
    json,
};

/// Bytes of a text, an argument or a value that a page shows; the rest is cut and counted.
const MAX_TEXT_BYTES: usize = 4 * 1024;
/// Bytes of a program that a page shows.
const MAX_SOURCE_BYTES: usize = 256 * 1024;

/// One top-level call, and what it called.
pub(super) struct Run {
    id: Arc<str>,
    name: Arc<str>,
    began: Duration,
    ended: Option<Duration>,
    arguments: Json,
    error: Option<Arc<str>>,
    text: Option<String>,
    program: Option<Json>,
    calls: Vec<Call>,
}

/// One call of a program. Moments are since the start of the trace.
struct Call {
    id: Arc<str>,
    name: Arc<str>,
    began: Duration,
    ended: Option<Duration>,
    timing: CallTiming,
    status: &'static str,
    arguments: Json,
    log: DispatchLog,
}

/// The runs of a trace, in the order in which they began.
pub(super) fn runs(events: &[Recorded]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    // An id may come again in a log of several runs: the newest is meant.
    let mut run_at: HashMap<&str, usize> = HashMap::new();
    let mut call_at: HashMap<&str, (usize, usize)> = HashMap::new();
    for Recorded { at, event } in events {
        match event {
            Event::CallCreated {
                id,
                root_id,
                name,
                arguments,
            } if id == root_id => {
                run_at.insert(id, runs.len());
                runs.push(Run {
                    id: id.clone(),
                    name: name.clone(),
                    began: *at,
                    ended: None,
                    arguments: arguments.clone(),
                    error: None,
                    text: None,
                    program: None,
                    calls: Vec::new(),
                });
            }
            Event::CallSettled {
                id,
                root_id,
                error,
                content,
                ..
            } if id == root_id => {
                if let Some(run) = run_at.get(&**id).and_then(|at| runs.get_mut(*at)) {
                    run.ended = Some(*at);
                    run.error = error.as_ref().map(|error| error.message.clone());
                    run.text = content.iter().find_map(text_of);
                }
            }
            Event::DispatchStarted {
                id,
                parent_id,
                name,
                arguments,
            } => {
                let Some(at_run) = run_at.get(&**parent_id).copied() else {
                    continue;
                };
                call_at.insert(id, (at_run, runs[at_run].calls.len()));
                runs[at_run].calls.push(Call {
                    id: id.clone(),
                    name: name.clone(),
                    began: *at,
                    ended: None,
                    timing: CallTiming::default(),
                    status: "running",
                    arguments: arguments.clone(),
                    log: DispatchLog::default(),
                });
            }
            Event::DispatchSettled {
                id,
                receipt,
                timing,
                log,
                ..
            } => {
                if let Some((run, call)) = call_at.get(&**id) {
                    let call = &mut runs[*run].calls[*call];
                    call.ended = Some(*at);
                    call.timing = timing.unwrap_or_default();
                    call.status = receipt.as_str();
                    call.log = log.clone();
                }
            }
            Event::ProgramEnded {
                id,
                failure,
                usage,
                logs,
                calls,
            } => {
                if let Some(run) = run_at.get(&**id).and_then(|at| runs.get_mut(*at)) {
                    let failure = failure.as_ref().map(|failure| {
                        json!({
                            "kind": failure.kind.clone(),
                            "limit": failure.limit.clone(),
                            "message": cut(&failure.message, MAX_TEXT_BYTES),
                        })
                    });
                    let printed: String = logs.iter().flat_map(|line| [&**line, "\n"]).collect();
                    run.program = Some(json!({
                        "failure": failure,
                        "usage": Json::from_serialize(usage).unwrap_or_default(),
                        "counts": Json::from_serialize(calls).unwrap_or_default(),
                        "logs": cut(&printed, MAX_SOURCE_BYTES),
                    }));
                }
            }
            _ => {}
        }
    }
    runs
}

impl Run {
    /// What the page's script reads. Times are milliseconds since the run began.
    pub(super) fn to_json(&self) -> Json {
        let lanes = lanes(&self.calls);
        let calls: Vec<Json> = self
            .calls
            .iter()
            .zip(&lanes)
            .map(|(call, lane)| self.call(call, *lane))
            .collect();
        let source = (*self.name == *RUN_CODE)
            .then(|| self.arguments.get("code").and_then(Json::as_str))
            .flatten();
        json!({
            "id": &*self.id,
            "name": cut(&self.name, MAX_TEXT_BYTES),
            "ended": self.moment(self.ended),
            "error": self.error.as_deref().map(|error| cut(error, MAX_TEXT_BYTES)),
            "text": self.text.as_deref().map(|text| cut(text, MAX_TEXT_BYTES)),
            "description": self.arguments.get("description").cloned(),
            "source": source.map(|source| cut(source, MAX_SOURCE_BYTES)),
            "arguments": source.is_none().then(|| shown(&self.arguments)),
            "program": self.program.clone(),
            "lanes": lanes.iter().max().map_or(0, |lane| lane + 1),
            "calls": calls,
        })
    }

    fn call(&self, call: &Call, lane: usize) -> Json {
        let outcome = match (&call.log.error, &call.log.value) {
            (Some(error), _) => error_text(error),
            (None, Some(value)) => shown(value),
            (None, None) => String::new(),
        };
        json!({
            "id": &*call.id,
            "name": cut(&call.name, MAX_TEXT_BYTES),
            "lane": lane,
            "status": call.status,
            "exclusive": call.timing.exclusive,
            "began": self.since(call.began),
            "waited": call.timing.waited_ms.max(0.0),
            "policy": call.timing.policy_ms.max(0.0),
            "body": call.timing.body_ms.max(0.0),
            "ended": self.moment(call.ended),
            "arguments": shown(&call.arguments),
            "failed": call.log.error.is_some(),
            "outcome": outcome,
        })
    }

    fn moment(&self, at: Option<Duration>) -> Json {
        at.map_or(Json::Null, |at| json!(self.since(at)))
    }

    fn since(&self, at: Duration) -> f64 {
        at.saturating_sub(self.began).as_secs_f64() * 1e3
    }
}

/// The lane of each call: the first that is free when it starts.
fn lanes(calls: &[Call]) -> Vec<usize> {
    let mut free_at: Vec<Duration> = Vec::new();
    calls
        .iter()
        .map(|call| {
            let end = call.ended.unwrap_or(Duration::MAX);
            match free_at.iter().position(|free| *free <= call.began) {
                Some(lane) => {
                    free_at[lane] = end;
                    lane
                }
                None => {
                    free_at.push(end);
                    free_at.len() - 1
                }
            }
        })
        .collect()
}

fn error_text(error: &LoggedError) -> String {
    let message = cut(&error.message, MAX_TEXT_BYTES);
    match error.code {
        Some(code) => format!("{}: {message}", code.as_str()),
        None => message,
    }
}

fn shown(value: &Json) -> String {
    cut(&value.to_pretty_string(), MAX_TEXT_BYTES)
}

fn text_of(content: &Content) -> Option<String> {
    match content {
        Content::Text { text } => Some(text.to_string()),
        _ => None,
    }
}

/// The start of a text, and how much was left out.
fn cut(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(max);
    format!(
        "{}\n… {} of {} bytes are not shown",
        &text[..end],
        text.len() - end,
        text.len()
    )
}
