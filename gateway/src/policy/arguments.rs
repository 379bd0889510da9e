//! Conditions of a rule on the arguments of a call.

use lockgate::Json;
use wildmatch::WildMatch;

use super::Action;

/// Values that one condition looks at; with more it can't tell.
const MAX_VALUES: usize = 10_000;

/// One argument, and the patterns of which one has to match it.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    path: Vec<Step>,
    patterns: Vec<Pattern>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// A member of an object, or an element by its index.
    Key(String),
    /// Every member, every element.
    Every,
}

#[derive(Clone, Debug)]
struct Pattern {
    matches: WildMatch,
    /// Whether it speaks of paths, so that `..` in a value leads it astray.
    of_paths: bool,
}

/// What one value is to the patterns.
enum Match {
    Yes,
    No,
    /// It is no scalar, or leads elsewhere than its text says.
    Unsure,
}

impl Condition {
    /// `{"path": "pattern", "items.*.name": ["one", "another"]}`: all of them have to hold.
    pub(super) fn all_of(arguments: &Json) -> Result<Vec<Self>, String> {
        let Some(members) = arguments.as_object().filter(|members| !members.is_empty()) else {
            return Err(
                "`arguments` must be an object such as {\"path\": \"/tmp/*\"}; leave it out to match any arguments"
                    .to_owned(),
            );
        };
        members
            .iter()
            .map(|(path, patterns)| Self::new(path, patterns))
            .collect()
    }

    fn new(path: &str, patterns: &Json) -> Result<Self, String> {
        let several = patterns
            .as_array()
            .map(|patterns| patterns.iter().collect());
        let patterns: Option<Vec<&str>> = several
            .unwrap_or_else(|| vec![patterns])
            .into_iter()
            .map(Json::as_str)
            .collect();
        let Some(patterns) = patterns.filter(|patterns| !patterns.is_empty()) else {
            return Err(format!(
                "`arguments` has for `{path}` neither a pattern nor a list of patterns"
            ));
        };
        let patterns = patterns.into_iter().map(Pattern::new).collect();
        Ok(Self {
            path: steps(path)?,
            patterns,
        })
    }

    /// Whether the rule matches as far as this argument goes. An argument that is not there matches nothing.
    pub(super) fn matches(&self, arguments: &Json, action: Action) -> bool {
        let Some(values) = select(arguments, &self.path) else {
            return action != Action::Allow;
        };
        let mut all = !values.is_empty();
        for value in values {
            match (self.one(value), action) {
                (Match::Yes, Action::Allow) | (Match::No, Action::Deny | Action::Ask) => {}
                (Match::Yes | Match::Unsure, Action::Deny | Action::Ask) => return true,
                (Match::No | Match::Unsure, Action::Allow) => all = false,
            }
        }
        all && action == Action::Allow
    }

    fn one(&self, value: &Json) -> Match {
        let printed;
        let text = match value {
            Json::String(text) => &**text,
            Json::Number(_) | Json::Bool(_) | Json::Null => {
                printed = value.to_string();
                &printed
            }
            Json::Array(_) | Json::Object(_) => return Match::Unsure,
        };
        let astray = text.split(['/', '\\']).any(|segment| segment == "..");
        let mut unsure = false;
        for pattern in &self.patterns {
            if astray && pattern.of_paths {
                unsure = true;
            } else if pattern.matches.matches(text) {
                return Match::Yes;
            }
        }
        if unsure { Match::Unsure } else { Match::No }
    }
}

impl Pattern {
    fn new(pattern: &str) -> Self {
        Self {
            matches: WildMatch::new(pattern),
            of_paths: pattern.contains(['/', '\\']),
        }
    }
}

/// `a.b.*` or, for names with dots in them, the JSON pointer `/a/b.c/*`.
fn steps(path: &str) -> Result<Vec<Step>, String> {
    let step = |name: String| match &*name {
        "*" => Step::Every,
        _ => Step::Key(name),
    };
    let (names, pointer): (Vec<&str>, bool) = match path.strip_prefix('/') {
        Some(pointer) => (pointer.split('/').collect(), true),
        None => (path.split('.').collect(), false),
    };
    if !pointer && names.iter().any(|name| name.is_empty()) {
        return Err(format!(
            "`arguments` has the path `{path}`, which has an empty name; write `name`, `outer.inner`, `items.*.name`, or a \
             JSON pointer"
        ));
    }
    Ok(names
        .into_iter()
        .map(|name| {
            step(if pointer {
                name.replace("~1", "/").replace("~0", "~")
            } else {
                name.to_owned()
            })
        })
        .collect())
}

/// What the path leads to; the elements of a list that it ends at are looked at one by one. None where there is too much.
fn select<'a>(arguments: &'a Json, path: &[Step]) -> Option<Vec<&'a Json>> {
    let mut values = vec![arguments];
    for step in path {
        let mut next = Vec::new();
        for value in values {
            match (step, value) {
                (Step::Key(key), Json::Object(members)) => next.extend(members.get(key)),
                (Step::Key(key), Json::Array(elements)) => {
                    next.extend(
                        key.parse()
                            .ok()
                            .and_then(|index: usize| elements.get(index)),
                    );
                }
                (Step::Every, Json::Object(members)) => next.extend(members.values()),
                (Step::Every, Json::Array(elements)) => next.extend(elements.iter()),
                _ => {}
            }
            if next.len() > MAX_VALUES {
                return None;
            }
        }
        values = next;
    }
    let mut scalars = Vec::new();
    for value in values {
        match value {
            Json::Array(elements) => scalars.extend(elements.iter()),
            other => scalars.push(other),
        }
        if scalars.len() > MAX_VALUES {
            return None;
        }
    }
    Some(scalars)
}
