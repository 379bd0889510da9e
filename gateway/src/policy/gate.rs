//! A policy in the pipeline: a guard for what it denies, a gate for what it asks.

use std::sync::Arc;

use lockgate::{Decision, Next, RUN_CODE, Registry, RegistryError, ToolCall};

use super::{Action, Call, Origins, Policy};

impl Policy {
    /// Makes the policy hold for every call of the registry, the sub-calls of programs included. `run_code` itself is not
    /// judged: it can do nothing but make calls that are.
    ///
    /// What is denied is denied by a guard, so that no gate can turn it back; several policies hold together, and the
    /// strictest decides.
    ///
    /// # Errors
    /// The registry refuses the registration.
    pub fn install(self, registry: &Registry, origins: Origins) -> Result<(), RegistryError> {
        let policy = Arc::new(self);
        let guarding = (policy.clone(), origins.clone());
        registry
            .guard(move |call| {
                let (policy, origins) = &guarding;
                match judge(policy, origins, call) {
                    (Action::Deny, reason) => Some(reason.map_or_else(
                        || format!("policy denies `{}` with these arguments", call.name()),
                        |reason| reason.to_string(),
                    )),
                    (Action::Allow | Action::Ask, _) => None,
                }
            })?
            .keep();
        registry
            .on_pre_execute(move |call: ToolCall, next: Next<ToolCall, Decision>| {
                let (action, reason) = judge(&policy, &origins, &call);
                async move {
                    match action {
                        Action::Allow => next.run().await,
                        // Before anybody is asked; the guard says it again.
                        Action::Deny => Ok(Decision::deny(reason.map_or_else(
                            || format!("policy denies `{}` with these arguments", call.name()),
                            |reason| reason.to_string(),
                        ))),
                        Action::Ask => Ok(match next.run().await? {
                            Decision::Allow => Decision::Ask {
                                reason: reason.map(|reason| reason.to_string()),
                            },
                            stricter => stricter,
                        }),
                    }
                }
            })?
            .keep();
        Ok(())
    }
}

fn judge(policy: &Policy, origins: &Origins, call: &ToolCall) -> (Action, Option<Arc<str>>) {
    if &**call.name() == RUN_CODE {
        return (Action::Allow, None);
    }
    let origin = origins(call.name());
    let (action, reason) = policy.decide(&Call {
        name: call.name(),
        server: origin.as_ref().map(|origin| &*origin.server),
        server_tool: origin.as_ref().map(|origin| &*origin.tool),
        arguments: call.arguments(),
    });
    (action, reason.cloned())
}
