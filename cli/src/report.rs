//! What is told of a run: the object of `--json`, and the line on standard error.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use lockgate::{
    Json, Receipt, ToolResult,
    events::{Event, LoggedFailure, LoggedUsage, Recorded},
    json,
    json::Object,
};

/// One run, from its events.
#[derive(Debug, Default)]
pub(crate) struct Report {
    calls: Vec<Call>,
    logs: Arc<[Arc<str>]>,
    failure: Option<LoggedFailure>,
    usage: LoggedUsage,
}

#[derive(Debug)]
struct Call {
    id: Arc<str>,
    name: Arc<str>,
    status: &'static str,
    started_ms: f64,
    ended_ms: Option<f64>,
}

impl Report {
    pub(crate) fn new(events: &[Recorded]) -> Self {
        let mut report = Self::default();
        let mut places = HashMap::new();
        for Recorded { at, event } in events {
            let at = at.as_secs_f64() * 1e3;
            match event {
                Event::DispatchStarted { id, name, .. } => {
                    places.insert(id.clone(), report.calls.len());
                    let (id, name) = (id.clone(), name.clone());
                    report.calls.push(Call {
                        id,
                        name,
                        status: "running",
                        started_ms: at,
                        ended_ms: None,
                    });
                }
                Event::DispatchSettled { id, receipt, .. } => {
                    if let Some(call) = places
                        .get(id)
                        .and_then(|place| report.calls.get_mut(*place))
                    {
                        call.status = receipt.as_str();
                        call.ended_ms = Some(at);
                    }
                }
                Event::ProgramEnded {
                    failure,
                    usage,
                    logs,
                    ..
                } => {
                    report.failure = failure.clone();
                    report.usage = *usage;
                    report.logs = logs.clone();
                }
                _ => {}
            }
        }
        report
    }

    /// The error without the output, which is on the screen already.
    pub(crate) fn error_message(&self, result: &ToolResult) -> String {
        match (&self.failure, result.error()) {
            (Some(failure), _) => failure.message.to_string(),
            (None, Some(error)) => error.message.to_string(),
            (None, None) => String::new(),
        }
    }

    pub(crate) fn to_json(&self, result: &ToolResult) -> Json {
        let mut members: Vec<(&str, Json)> = Vec::new();
        match result.value() {
            // The value's logs end with the warnings about the run.
            Some(value) => {
                members.push(("logs", value.get("logs").cloned().unwrap_or_default()));
                members.extend(value.get("result").map(|result| ("result", result.clone())));
            }
            None => {
                members.push((
                    "logs",
                    self.logs
                        .iter()
                        .cloned()
                        .map(Json::String)
                        .collect::<Vec<_>>()
                        .into(),
                ));
                let kind = self
                    .failure
                    .as_ref()
                    .map_or("refused", |failure| &*failure.kind);
                let mut error = vec![("kind", Json::from(kind))];
                if let Some(limit) = self
                    .failure
                    .as_ref()
                    .and_then(|failure| failure.limit.as_deref())
                {
                    error.push(("limit", Json::from(limit)));
                }
                error.push(("message", Json::from(self.error_message(result))));
                let error: Json = error.into_iter().collect::<Object>().into();
                members.push(("error", error));
            }
        }
        let calls: Vec<Json> = self
            .calls
            .iter()
            .map(|call| {
                json!({
                    "id": &*call.id,
                    "name": &*call.name,
                    "status": call.status,
                    "started_ms": ms(call.started_ms),
                    "ended_ms": call.ended_ms.map_or(Json::Null, ms),
                })
            })
            .collect();
        members.push(("calls", calls.into()));
        members.push((
            "budget",
            json!({
                "compute_ms": ms(self.usage.compute_ms),
                "wall_ms": ms(self.usage.wall_ms),
                "memory_bytes": self.usage.memory_bytes,
                "calls": self.usage.calls,
            }),
        ));
        members.into_iter().collect::<Object>().into()
    }

    /// `lockgate: 12 calls (3 failed) · 4.1 ms compute · 17.0 ms wall · 2.9 MiB memory`.
    pub(crate) fn summary(&self) -> String {
        let mut text = format!(
            "lockgate: {} call{}",
            self.usage.calls,
            if self.usage.calls == 1 { "" } else { "s" }
        );
        let failed = self
            .calls
            .iter()
            .filter(|call| call.status != Receipt::Completed.as_str())
            .count();
        if failed > 0 {
            let _ = write!(text, " ({failed} not completed)");
        }
        let _ = write!(
            text,
            " · {:.1} ms compute · {:.1} ms wall · {:.1} MiB memory",
            self.usage.compute_ms,
            self.usage.wall_ms,
            self.usage.memory_bytes as f64 / (1024.0 * 1024.0)
        );
        text
    }
}

/// Milliseconds to the microsecond.
fn ms(milliseconds: f64) -> Json {
    Json::try_from((milliseconds * 1e3).round() / 1e3).unwrap_or_default()
}
