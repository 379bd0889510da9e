//! Checks a value against a [`Schema`], without recursion.

use super::compile::fits_type;
use super::{Kind, Node, NodeId, ObjectNode, Schema, Violation};
use crate::json::{Json, ObjectIter, Step, render_path};
use crate::text::{did_you_mean, quoted};

/// Violations that [`Schema::validate`] lists; a last entry counts what is beyond.
pub const MAX_VIOLATIONS: usize = 1_000;

/// Names or values that one message lists.
const LISTED: usize = 12;

impl Schema {
    /// Everything in `value` that does not fit, in the order of walking; empty when it fits. `root` begins the paths,
    /// e.g. `args`.
    ///
    /// Total: no value and no schema makes it panic or overflow. Time grows with the size of the value, times the number
    /// of `oneOf` alternatives that apply at one place.
    pub fn validate(&self, value: &Json, root: &str) -> Vec<Violation> {
        let mut walk = Walk {
            schema: self,
            root,
            path: Vec::new(),
            tasks: vec![Task::Check {
                node: 0,
                value,
                depth: 0,
                step: None,
            }],
            reports: vec![Report::default()],
        };
        while let Some(task) = walk.tasks.pop() {
            walk.run(task);
        }
        let mut report = walk.reports.pop().unwrap_or_default();
        if report.beyond > 0 {
            let message = format!("…and {} more violations", report.beyond);
            report
                .violations
                .push(Violation::new(root.to_owned(), message));
        }
        report.violations
    }

    /// True when the value fits.
    pub fn accepts(&self, value: &Json) -> bool {
        self.validate(value, "").is_empty()
    }
}

/// What was found in the value as a whole, or in the light of one alternative of a `oneOf`.
#[derive(Default)]
struct Report {
    violations: Vec<Violation>,
    beyond: usize,
}

enum Task<'a> {
    Check {
        node: NodeId,
        value: &'a Json,
        depth: usize,
        step: Option<Step<'a>>,
    },
    Elements {
        node: NodeId,
        elements: std::slice::Iter<'a, Json>,
        index: usize,
        depth: usize,
    },
    Members {
        object: &'a ObjectNode,
        members: ObjectIter<'a>,
        depth: usize,
    },
    /// Checks an alternative into a report of its own.
    Alternative {
        node: NodeId,
        value: &'a Json,
        depth: usize,
    },
    /// Judges the reports of all alternatives.
    Judge {
        alternatives: &'a [NodeId],
        value: &'a Json,
        depth: usize,
    },
}

struct Walk<'a> {
    schema: &'a Schema,
    root: &'a str,
    /// Where the current task stands. A task sets its own depth, for those before it have gone deeper.
    path: Vec<Step<'a>>,
    tasks: Vec<Task<'a>>,
    reports: Vec<Report>,
}

impl<'a> Walk<'a> {
    fn run(&mut self, task: Task<'a>) {
        match task {
            Task::Check {
                node,
                value,
                depth,
                step,
            } => {
                self.path.truncate(depth);
                self.path.extend(step);
                self.check(node, value);
            }
            Task::Elements {
                node,
                mut elements,
                index,
                depth,
            } => {
                if let Some(value) = elements.next() {
                    self.tasks.push(Task::Elements {
                        node,
                        elements,
                        index: index + 1,
                        depth,
                    });
                    self.tasks.push(Task::Check {
                        node,
                        value,
                        depth,
                        step: Some(Step::Index(index)),
                    });
                }
            }
            Task::Members {
                object,
                mut members,
                depth,
            } => {
                if let Some((key, value)) = members.next() {
                    self.tasks.push(Task::Members {
                        object,
                        members,
                        depth,
                    });
                    self.path.truncate(depth);
                    self.member(object, key, value);
                }
            }
            Task::Alternative { node, value, depth } => {
                self.reports.push(Report::default());
                self.tasks.push(Task::Check {
                    node,
                    value,
                    depth,
                    step: None,
                });
            }
            Task::Judge {
                alternatives,
                value,
                depth,
            } => {
                self.path.truncate(depth);
                let reports = self
                    .reports
                    .split_off(self.reports.len().saturating_sub(alternatives.len()));
                self.judge(alternatives, reports, value);
            }
        }
    }

    fn check(&mut self, id: NodeId, value: &'a Json) {
        let node = self.schema.node(id);
        let depth = self.path.len();
        if let Kind::OneOf(alternatives) = &node.kind {
            self.tasks.push(Task::Judge {
                alternatives,
                value,
                depth,
            });
            self.tasks
                .extend(alternatives.iter().rev().map(|node| Task::Alternative {
                    node: *node,
                    value,
                    depth,
                }));
            return;
        }
        if !fits_type(&node.kind, value) {
            self.report(format!(
                "expected {}, found {}",
                expected(&node.kind),
                found(value)
            ));
            return;
        }
        if let Some(message) = wrong_literal(node, value) {
            self.report(message);
        }
        match (&node.kind, value) {
            (Kind::Array(Some(items)), Json::Array(array)) => {
                self.tasks.push(Task::Elements {
                    node: *items,
                    elements: array.iter(),
                    index: 0,
                    depth,
                });
            }
            (Kind::Object(node), Json::Object(object)) => {
                for name in node
                    .required
                    .iter()
                    .filter(|name| !object.contains_key(name))
                {
                    self.path.push(Step::Key(name));
                    self.report("required, but missing".to_owned());
                    self.path.pop();
                }
                if node.closed || !node.properties.is_empty() {
                    self.tasks.push(Task::Members {
                        object: node,
                        members: object.iter(),
                        depth,
                    });
                }
            }
            _ => {}
        }
    }

    fn member(&mut self, object: &'a ObjectNode, key: &'a str, value: &'a Json) {
        if let Some(node) = object.properties.get(key) {
            let depth = self.path.len();
            self.tasks.push(Task::Check {
                node: *node,
                value,
                depth,
                step: Some(Step::Key(key)),
            });
        } else if object.closed {
            let names = || object.properties.keys().map(|name| &**name);
            let mut message = format!("unknown key{}", did_you_mean(key, names()));
            if !message.ends_with('?') {
                message.push_str(if object.properties.is_empty() {
                    "; no keys are known here"
                } else {
                    "; known keys: "
                });
                list(&mut message, names().map(quoted));
            }
            self.path.push(Step::Key(key));
            self.report(message);
            self.path.pop();
        }
    }

    /// Exactly one alternative must have had nothing to report.
    fn judge(&mut self, alternatives: &[NodeId], reports: Vec<Report>, value: &Json) {
        let fitting = reports
            .iter()
            .filter(|report| report.violations.is_empty())
            .count();
        if fitting == 1 {
            return;
        }
        if fitting > 1 {
            let message = format!(
                "must match exactly one of {} alternatives, but matches {fitting}",
                reports.len()
            );
            self.report(message);
            return;
        }
        // The one alternative that the value was meant for says best what is wrong.
        let mut meant = alternatives
            .iter()
            .zip(&reports)
            .filter(|(node, _)| self.is_meant(**node, value));
        if let (Some((_, report)), None) = (meant.next(), meant.next()) {
            let last = self.last_report();
            let room = MAX_VIOLATIONS.saturating_sub(last.violations.len());
            last.violations
                .extend(report.violations.iter().take(room).cloned());
            last.beyond += report.beyond + report.violations.len().saturating_sub(room);
            return;
        }
        let mut message = format!(
            "matches none of {} alternatives, found {}: ",
            reports.len(),
            found(value)
        );
        let here = render_path(self.root, self.path.iter().copied());
        let reasons = reports
            .iter()
            .filter_map(|report| report.violations.first())
            .map(|violation| {
                let below = violation
                    .path()
                    .strip_prefix(&*here)
                    .unwrap_or(violation.path())
                    .trim_start_matches('.');
                if below.is_empty() {
                    violation.message().to_owned()
                } else {
                    format!("{below}: {}", violation.message())
                }
            });
        list(&mut message, reasons);
        self.report(message);
    }

    /// True when the type fits, and so does every required literal that tells an object from its siblings.
    fn is_meant(&self, id: NodeId, value: &Json) -> bool {
        let node = self.schema.node(id);
        match (&node.kind, value) {
            (Kind::Object(node), Json::Object(object)) => node.required.iter().all(|name| {
                let tag = node.properties.get(name).map(|id| self.schema.node(*id));
                match (tag, object.get(name)) {
                    (Some(tag), Some(value)) => wrong_literal(tag, value).is_none(),
                    (Some(tag), None) => tag.constant.is_none() && tag.members.is_none(),
                    (None, _) => true,
                }
            }),
            (kind, value) => fits_type(kind, value),
        }
    }

    fn report(&mut self, message: String) {
        let full = self.last_report().violations.len() >= MAX_VIOLATIONS;
        if full {
            self.last_report().beyond += 1;
        } else {
            let path = render_path(self.root, self.path.iter().copied());
            self.last_report()
                .violations
                .push(Violation::new(path, message));
        }
    }

    fn last_report(&mut self) -> &mut Report {
        if self.reports.is_empty() {
            self.reports.push(Report::default());
        }
        let last = self.reports.len() - 1;
        &mut self.reports[last]
    }
}

fn wrong_literal(node: &Node, value: &Json) -> Option<String> {
    if let Some(constant) = node.constant.as_ref().filter(|constant| *constant != value) {
        return Some(format!(
            "must be {}, found {}",
            clipped(constant),
            found(value)
        ));
    }
    let members = node
        .members
        .as_ref()
        .filter(|members| !members.contains(value))?;
    let near = value
        .as_str()
        .map(|text| did_you_mean(text, members.iter().filter_map(Json::as_str)))
        .unwrap_or_default();
    let mut message = String::from("must be one of ");
    list(&mut message, members.iter().map(clipped));
    message.push_str(", found ");
    message.push_str(&found(value));
    message.push_str(&near);
    Some(message)
}

fn expected(kind: &Kind) -> &'static str {
    match kind {
        Kind::Any | Kind::OneOf(_) => "any JSON",
        Kind::Null => "null",
        Kind::Boolean => "true or false",
        Kind::Integer => "an integer",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array(_) => "an array",
        Kind::Object(_) => "an object",
    }
}

/// What the value is, short: scalars as they are, containers by their kind.
fn found(value: &Json) -> String {
    match value {
        Json::Array(_) => "an array".to_owned(),
        Json::Object(_) => "an object".to_owned(),
        Json::Null => "null".to_owned(),
        scalar => format!("{} {}", scalar.type_name(), clipped(scalar)),
    }
}

fn clipped(scalar: &Json) -> String {
    match scalar {
        Json::String(text) => quoted(text),
        other => other.to_string(),
    }
}

/// Appends the items, the first few.
fn list(out: &mut String, items: impl Iterator<Item = String>) {
    for (index, item) in items.enumerate() {
        if index == LISTED {
            out.push_str(", …");
            return;
        }
        if index > 0 {
            out.push_str(", ");
        }
        out.push_str(&item);
    }
}
