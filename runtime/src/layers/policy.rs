//! An allow/deny/ask policy by tool name, read from a file.

use serde::Deserialize;
use wildmatch::WildMatch;

use crate::{
    json::{Json, JsonError},
    pipeline::{Decision, Next},
    tool::{BoxFuture, ToolCall, ToolError},
};

/// A policy: rules in order, of which the first that names the tool decides, and a default.
///
/// Its text is JSON: `{"default": "allow", "rules": [{"tool": "delete_*", "action": "deny", "reason": "…"}]}`. In a `tool`
/// pattern `*` stands for any characters and `?` for one. `action` is `allow`, `deny` or `ask`; the default is `allow`.
/// `run_code` is a tool like any other here, and the calls of its programs are judged by their own names.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// What holds where no rule matches.
    #[serde(default)]
    default: Action,
    #[serde(default)]
    rules: Vec<Rule>,
}

/// One rule of a [`Policy`].
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    tool: String,
    action: Action,
    #[serde(default)]
    reason: Option<String>,
}

/// What a rule says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// The call may run, if nothing else denies it.
    #[default]
    Allow,
    /// It may not.
    Deny,
    /// A person decides, if nothing else denies it.
    Ask,
}

/// Why a policy could not be read.
#[derive(Debug, thiserror::Error)]
#[error(
    "the policy can't be read: {0}; it is `{{\"default\": …, \"rules\": [{{\"tool\": …, \"action\": \"allow|deny|ask\"}}]}}`"
)]
pub struct PolicyError(JsonError);

impl Policy {
    /// Reads a policy.
    ///
    /// # Errors
    /// Text that is not JSON, or has other fields or actions.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        Json::parse(text)
            .and_then(|json| json.deserialize())
            .map_err(PolicyError)
    }

    /// What it says of a tool, and why.
    pub fn decide(&self, tool: &str) -> (Action, Option<&str>) {
        self.rules
            .iter()
            .find(|rule| WildMatch::new(&rule.tool).matches(tool))
            .map_or((self.default, None), |rule| {
                (rule.action, rule.reason.as_deref())
            })
    }

    /// The gate, for `on_pre_execute`. Gates listed after it may still deny what it allows.
    pub fn into_gate(
        self,
    ) -> impl Fn(
        ToolCall,
        Next<ToolCall, Decision>,
    ) -> BoxFuture<'static, Result<Decision, ToolError>>
    + Send
    + Sync
    + 'static {
        move |call, next| {
            let (action, reason) = self.decide(call.name());
            let reason = reason.map(str::to_owned);
            match action {
                Action::Allow => Box::pin(next.run()),
                Action::Deny => {
                    let reason =
                        reason.unwrap_or_else(|| format!("policy denies `{}`", call.name()));
                    Box::pin(async { Ok(Decision::deny(reason)) })
                }
                Action::Ask => Box::pin(async {
                    Ok(match next.run().await? {
                        Decision::Allow => Decision::Ask { reason },
                        stricter => stricter,
                    })
                }),
            }
        }
    }
}
