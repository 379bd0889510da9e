//! What a run is to its reader: the canonical value, its rendering, and the text of a failure.

use std::{collections::BTreeMap, fmt::Write as _, sync::Arc};

use crate::{
    code_runtime::{CodeFailure, FailureKind},
    events::CallCounts,
    json::{Json, Object},
    tool::{Content, plain_text},
};

/// The text of a program that printed and returned nothing.
const NO_OUTPUT: &str = "The program completed with no output.";
/// The names that a list of calls shows, at most.
const NAMES_SHOWN: usize = 12;

/// `{logs, result?}` (SPEC H4).
pub(super) fn canonical(logs: Vec<Arc<str>>, result: Option<Json>) -> Json {
    let logs = Json::from(logs.into_iter().map(Json::String).collect::<Vec<_>>());
    let members = [("logs", Some(logs)), ("result", result)];
    Json::Object(
        members
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)))
            .collect::<Object>(),
    )
}

/// Logs joined by newlines, then the result: strings as they are, everything else as indented JSON (SPEC H4).
pub(super) fn render(value: &Json) -> Vec<Content> {
    let logs = value.get("logs").and_then(Json::as_array);
    let mut parts: Vec<String> = logs
        .into_iter()
        .flat_map(|logs| logs.iter())
        .filter_map(Json::as_str)
        .map(str::to_owned)
        .collect();
    parts.extend(value.get("result").map(plain_text));
    let text = if parts.is_empty() {
        NO_OUTPUT.to_owned()
    } else {
        parts.join("\n")
    };
    vec![Content::text(text)]
}

/// What became of a program's calls, by tool.
#[derive(Debug, Default)]
pub(super) struct Tally {
    finished: Names,
    cancelled: Names,
    dropped: Names,
    never_started: Names,
}

#[derive(Debug, Default)]
struct Names {
    total: u64,
    by_name: BTreeMap<Arc<str>, u64>,
}

impl Names {
    fn add(&mut self, name: Arc<str>) {
        self.total += 1;
        *self.by_name.entry(name).or_default() += 1;
    }

    /// `3 (read_file ×2, stat_file)`.
    fn describe(&self) -> String {
        let mut text = self.total.to_string();
        if self.total == 0 {
            return text;
        }
        let shown: Vec<String> = self
            .by_name
            .iter()
            .take(NAMES_SHOWN)
            .map(|(name, count)| {
                if *count == 1 {
                    name.to_string()
                } else {
                    format!("{name} ×{count}")
                }
            })
            .collect();
        let more = if self.by_name.len() > NAMES_SHOWN {
            ", …"
        } else {
            ""
        };
        let _ = write!(text, " ({}{more})", shown.join(", "));
        text
    }
}

impl Tally {
    pub(super) fn finished(&mut self, name: Arc<str>) {
        self.finished.add(name);
    }

    pub(super) fn cancelled(&mut self, name: Arc<str>) {
        self.cancelled.add(name);
    }

    pub(super) fn dropped(&mut self, name: Arc<str>) {
        self.dropped.add(name);
    }

    pub(super) fn never_started(&mut self, name: Arc<str>) {
        self.never_started.add(name);
    }

    pub(super) fn counts(&self) -> CallCounts {
        CallCounts {
            finished: self.finished.total,
            cancelled: self.cancelled.total,
            dropped: self.dropped.total,
            never_started: self.never_started.total,
        }
    }

    fn total(&self) -> u64 {
        self.finished.total + self.cancelled.total + self.dropped.total + self.never_started.total
    }

    fn unawaited(&self) -> u64 {
        self.total() - self.finished.total
    }

    /// The lines that a successful program's output ends with when it left calls behind (SPEC K4): their effects are not what
    /// the program's text suggests, so they are never passed over in silence.
    pub(super) fn unawaited_warning(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.never_started.total > 0 {
            lines.push(format!(
                "Warning: calls that were not awaited and never started: {}. Await every call.",
                self.never_started.describe()
            ));
        }
        let (cancelled, dropped) = (&self.cancelled, &self.dropped);
        for (names, how) in [
            (cancelled, "were cancelled"),
            (dropped, "were cancelled and did not end in time"),
        ] {
            if names.total > 0 {
                lines.push(format!(
                    "Warning: calls that were not awaited and {how} when the program returned: {}. They may have had \
                     effects. Await every call.",
                    names.describe()
                ));
            }
        }
        lines
    }

    /// What had finished, what was running, what never started: for a program that was ended.
    fn state_at_end(&self) -> String {
        let mut text = format!("Calls: {} finished", self.finished.describe());
        let running = self.cancelled.total + self.dropped.total;
        if running > 0 {
            let _ = write!(
                text,
                "; {} running and cancelled",
                self.cancelled.describe()
            );
            if self.dropped.total > 0 {
                let _ = write!(
                    text,
                    "; {} running and dropped, as they ignored it",
                    self.dropped.describe()
                );
            }
        }
        if self.never_started.total > 0 {
            let _ = write!(text, "; {} never started", self.never_started.describe());
        }
        text.push('.');
        text
    }
}

/// Kind and message (SPEC H5), and for a program that was ended what became of its calls.
pub(super) fn failure_message(failure: &CodeFailure, tally: &Tally) -> String {
    let mut text = match &failure.limit {
        Some(hit) => format!("[{}: {hit}] {failure}", failure.kind.as_str()),
        None => format!("[{}] {failure}", failure.kind.as_str()),
    };
    let was_ended = !matches!(
        failure.kind,
        FailureKind::Exception | FailureKind::InvalidOutput
    );
    if tally.total() > 0 && (was_ended || tally.unawaited() > 0) {
        let _ = write!(text, "\n{}", tally.state_at_end());
    }
    text
}

/// The message with what the program had printed.
pub(super) fn with_output(mut message: String, logs: &[Arc<str>]) -> String {
    if !logs.is_empty() {
        message.push_str("\n\nOutput until then:\n");
        message.push_str(&logs.join("\n"));
    }
    message
}
