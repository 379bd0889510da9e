//! Which calls may run: allow, deny or ask, by server, tool and arguments; and what an approval is bound to.
//!
//! A policy is JSON: `{"default": "allow", "rules": [{"server": "git*", "tool": "push", "arguments": {"branch": "main"},
//! "action": "ask", "reason": "…"}]}`. **The first rule that matches decides**, else the default. Everything that is not
//! understood is an error when the policy is read, and where a rule can't tell whether it matches a call, the stricter reading
//! holds: see [`Action`].

mod arguments;
mod canonical;
mod gate;

use std::sync::Arc;

use lockgate::{Json, JsonError};
use serde::Deserialize;
use wildmatch::WildMatch;

use crate::ToolOrigin;
use arguments::Condition;
pub use canonical::{ArgumentsDigest, canonical_text};

/// Rules that a policy may have.
pub const MAX_RULES: usize = 10_000;

/// A policy: rules in order, of which the first that matches decides, and a default.
///
/// ```
/// use lockgate::json;
/// use lockgate_gateway::policy::{Action, Call, Policy};
///
/// let policy = Policy::parse(r#"{
///     "default": "ask",
///     "rules": [
///         {"tool": "read_*", "action": "allow"},
///         {"server": "files", "tool": "write_file", "arguments": {"path": "/tmp/*"}, "action": "allow"},
///         {"tool": "delete_*", "action": "deny", "reason": "nothing is deleted here"}
///     ]
/// }"#)?;
/// let arguments = json!({"path": "/tmp/../etc/passwd"});
/// let call = Call { name: "write_file", server: Some("files"), server_tool: Some("write_file"), arguments: &arguments };
/// assert_eq!(policy.decide(&call).0, Action::Ask);
/// # Ok::<(), lockgate_gateway::policy::PolicyError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Policy {
    default: Action,
    rules: Arc<[Rule]>,
}

/// What a rule says.
///
/// A rule with conditions on arguments allows a call only where all that its patterns look at certainly match; it denies, or
/// asks, as soon as any of it may. So an argument that is no text, number or truth value, and a path with `..` in it, are never
/// allowed by a pattern, and are denied by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// The call may run.
    #[default]
    Allow,
    /// It may not, and nothing turns that back.
    Deny,
    /// A person decides; where nobody can be asked, it may not run.
    Ask,
}

/// A call as a policy sees it.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The name by which it was called.
    pub name: &'a str,
    /// The server that the tool is of; none for a tool of the host's own.
    pub server: Option<&'a str>,
    /// The tool's name on its server, where it differs from [`name`](Self::name).
    pub server_tool: Option<&'a str>,
    /// The arguments.
    pub arguments: &'a Json,
}

/// Tells where the tool of a name comes from; none for what is of no server.
pub type Origins = Arc<dyn Fn(&str) -> Option<ToolOrigin> + Send + Sync>;

/// Why a policy can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// It is not JSON, or not of the shape.
    #[error(
        "the policy can't be read: {0}; it is {{\"default\": \"allow|deny|ask\", \"rules\": [{{\"server\": …, \"tool\": …, \
         \"arguments\": {{\"path\": \"pattern\"}}, \"action\": \"allow|deny|ask\", \"reason\": …}}]}}"
    )]
    Shape(JsonError),
    /// It is another value than an object.
    #[error("the policy must be an object such as {{\"default\": \"ask\"}}; found {found}")]
    NotAnObject {
        /// The kind of value.
        found: &'static str,
    },
    /// One rule can't be used.
    #[error("the policy's rules[{index}]: {detail}")]
    Rule {
        /// The rule, counted from 0.
        index: usize,
        /// What is wrong, and what would mend it.
        detail: String,
    },
    /// There are too many rules.
    #[error("the policy has {rules} rules; the limit MAX_RULES is {MAX_RULES}")]
    TooManyRules {
        /// How many.
        rules: usize,
    },
}

#[derive(Clone, Debug)]
struct Rule {
    server: Option<WildMatch>,
    tool: Option<WildMatch>,
    arguments: Vec<Condition>,
    action: Action,
    reason: Option<Arc<str>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyText {
    #[serde(default)]
    default: Action,
    #[serde(default)]
    rules: Vec<RuleText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleText {
    #[serde(default)]
    server: Option<String>,
    #[serde(default)]
    tool: Option<String>,
    #[serde(default)]
    arguments: Option<Json>,
    action: Action,
    #[serde(default)]
    reason: Option<String>,
}

impl Policy {
    /// Reads a policy from its text.
    ///
    /// # Errors
    /// Text that is not JSON; unknown keys or actions; patterns or paths that can match nothing.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        Self::from_json(&Json::parse(text).map_err(PolicyError::Shape)?)
    }

    /// The same from a JSON value.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn from_json(value: &Json) -> Result<Self, PolicyError> {
        // Lists would be read as objects by the order of their members.
        if value.as_object().is_none() {
            return Err(PolicyError::NotAnObject {
                found: value.type_name(),
            });
        }
        let rules = value.get("rules").and_then(Json::as_array);
        let odd = rules.and_then(|rules| rules.iter().position(|rule| rule.as_object().is_none()));
        if let Some(index) = odd {
            return Err(PolicyError::Rule {
                index,
                detail: "it must be an object".to_owned(),
            });
        }
        let text: PolicyText = value.deserialize().map_err(PolicyError::Shape)?;
        if text.rules.len() > MAX_RULES {
            return Err(PolicyError::TooManyRules {
                rules: text.rules.len(),
            });
        }
        let rules = text.rules.into_iter().enumerate();
        let rules: Result<Vec<Rule>, PolicyError> = rules
            .map(|(index, rule)| {
                Rule::new(rule).map_err(|detail| PolicyError::Rule { index, detail })
            })
            .collect();
        Ok(Self {
            default: text.default,
            rules: rules?.into(),
        })
    }

    /// What it says of a call, and why.
    pub fn decide(&self, call: &Call<'_>) -> (Action, Option<&Arc<str>>) {
        self.rules
            .iter()
            .find(|rule| rule.matches(call))
            .map_or((self.default, None), |rule| {
                (rule.action, rule.reason.as_ref())
            })
    }
}

impl Rule {
    fn new(text: RuleText) -> Result<Self, String> {
        let pattern = |key: &str, pattern: Option<String>| match pattern {
            Some(empty) if empty.is_empty() => Err(format!(
                "`{key}` is empty and would match nothing; leave it out to match every {key}"
            )),
            pattern => Ok(pattern.map(|pattern| WildMatch::new(&pattern))),
        };
        Ok(Self {
            server: pattern("server", text.server)?,
            tool: pattern("tool", text.tool)?,
            arguments: match &text.arguments {
                None => Vec::new(),
                Some(arguments) => Condition::all_of(arguments)?,
            },
            action: text.action,
            reason: text.reason.map(Arc::from),
        })
    }

    fn matches(&self, call: &Call<'_>) -> bool {
        let server = self
            .server
            .as_ref()
            .is_none_or(|pattern| call.server.is_some_and(|server| pattern.matches(server)));
        let tool = self.tool.as_ref().is_none_or(|pattern| {
            pattern.matches(call.name) || call.server_tool.is_some_and(|tool| pattern.matches(tool))
        });
        server
            && tool
            && self
                .arguments
                .iter()
                .all(|condition| condition.matches(call.arguments, self.action))
    }
}
