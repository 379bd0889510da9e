//! Python programs from `tests/python/`, a file per case; the comments at its head say what must come of it.
//!
//! `# returns: JSON` or `# fails: KIND at LINE:COLUMN, TEXT` (the place may be left out; TEXT is in the failure as it is shown),
//! `# prints: LINE` for each line of output, and the rules that the case holds.
#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::path::Path;
use std::time::Duration;

use lockgate::Json;
use lockgate::code_runtime::{CodeLimits, CodeResult};

use crate::sandbox_support::{python, run_in};

#[derive(Debug, Default)]
struct Expectation<'a> {
    returns: Option<&'a str>,
    fails: Option<&'a str>,
    prints: Vec<&'a str>,
}

impl<'a> Expectation<'a> {
    fn read(source: &'a str) -> Self {
        let mut expectation = Expectation::default();
        for line in source.lines().map_while(|line| line.strip_prefix("# ")) {
            match line.split_once(": ") {
                Some(("returns", value)) => expectation.returns = Some(value),
                Some(("fails", failure)) => expectation.fails = Some(failure),
                Some(("prints", line)) => expectation.prints.push(line),
                _ => {}
            }
        }
        expectation
    }

    /// What is wrong with a result; empty where nothing is.
    fn complaint(&self, result: &CodeResult) -> String {
        if !self.prints.is_empty() {
            let printed: Vec<&str> = result
                .logs
                .iter()
                .flat_map(|line| line.text.split('\n'))
                .collect();
            if printed != self.prints {
                return format!("printed {printed:#?}");
            }
        }
        match (&result.outcome, self.returns, self.fails) {
            (Ok(value), Some(wanted), None) => {
                let wanted = (wanted != "nothing").then(|| Json::parse(wanted).unwrap());
                if *value == wanted {
                    return String::new();
                }
                format!("returned {}", value.clone().unwrap_or(Json::Null))
            }
            (Err(failure), None, Some(wanted)) => {
                let (head, text) = wanted.split_once(", ").unwrap();
                let (kind, place) = head.split_once(" at ").unwrap_or((head, ""));
                let found = failure
                    .position
                    .map(|at| format!("{}:{}", at.line, at.column))
                    .unwrap_or_default();
                let shown = failure.to_string();
                if failure.kind.as_str() == kind
                    && (place.is_empty() || place == found)
                    && shown.contains(text)
                {
                    return String::new();
                }
                format!("failed: {} at {found}, {shown}", failure.kind)
            }
            (outcome, ..) => format!("came to {outcome:#?}; printed {:#?}", result.logs),
        }
    }
}

#[tokio::test]
async fn programs_come_to_what_they_say() {
    let Some(sandbox) = python() else { return };
    let mut complaints = Vec::new();
    let mut cases = 0;
    for topic in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("python")).unwrap() {
        for case in std::fs::read_dir(topic.unwrap().path()).unwrap() {
            let path = case.unwrap().path();
            let source = std::fs::read_to_string(&path).unwrap();
            let expectation = Expectation::read(&source);
            let limits = CodeLimits {
                compute: Duration::from_secs(20),
                wall: Duration::from_secs(40),
                ..CodeLimits::default()
            };
            let (result, _) = run_in(sandbox, &source, limits).await;
            let complaint = expectation.complaint(&result);
            if !complaint.is_empty() {
                complaints.push(format!("{}: {complaint}", path.display()));
            }
            cases += 1;
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
    assert!(cases > 50, "the cases were found: {cases}");
}
