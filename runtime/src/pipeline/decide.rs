//! May this call run? Pre-execute gates, approval, guards: in that order, and a denial is final.

use std::sync::atomic::Ordering;

use crate::{
    pipeline::{ApprovalOutcome, ApprovalRequest, Next},
    registry::Registry,
    tool::{ToolCall, ToolError, contain, contain_future},
};

/// What a gate of `tools/pre-execute` decides.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// The call may run.
    Allow,
    /// It may not; the reason is for the model.
    Deny {
        /// Why.
        reason: String,
    },
    /// A person decides.
    Ask {
        /// Why it is asked.
        reason: Option<String>,
    },
}

impl Decision {
    /// Denies with a reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny {
            reason: reason.into(),
        }
    }
}

/// Proof that policy let a call through. Only this file can make one, and the body runs only with it.
#[derive(Debug)]
pub(super) struct Approved(());

/// While it lives, the call is known to wait for somebody's answer: the scheduler lets others pass it.
struct Asking<'a>(&'a ToolCall);

impl<'a> Asking<'a> {
    fn about(call: &'a ToolCall) -> Self {
        call.state().awaits_approval.store(true, Ordering::Release);
        Self(call)
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0
            .state()
            .awaits_approval
            .store(false, Ordering::Release);
    }
}

/// Why policy did not.
pub(super) enum Refusal {
    /// A decision; the text is for the model.
    Denied(String),
    /// The call was cancelled while policy thought.
    Cancelled,
    /// A gate failed or panicked: its error is final (SPEC E6), and the call does not run.
    Broken(ToolError),
}

impl Registry {
    pub(super) async fn decide(&self, call: &ToolCall) -> Result<Approved, Refusal> {
        let layer = self.layer(call.agent());
        let gates = layer.collect(|state| &state.pre_execute);
        let decision = if gates.is_empty() {
            Decision::Allow
        } else {
            let end = |_| Box::pin(async { Ok(Decision::Allow) }) as _;
            Next::new("a pre-execute listener", call.clone(), gates, end)
                .run()
                .await
                .map_err(Refusal::Broken)?
        };
        match decision {
            Decision::Allow => {}
            Decision::Deny { reason } => return Err(Refusal::Denied(reason)),
            Decision::Ask { reason } => self.ask(call, reason).await?,
        }
        if call.signal().is_cancelled() {
            return Err(Refusal::Cancelled);
        }
        for guard in layer.collect(|state| &state.guards) {
            let reason = contain(|| guard(call))
                .unwrap_or_else(|panic| Some(format!("a guard panicked: {panic}")));
            if let Some(reason) = reason {
                return Err(Refusal::Denied(reason));
            }
        }
        Ok(Approved(()))
    }

    async fn ask(&self, call: &ToolCall, reason: Option<String>) -> Result<(), Refusal> {
        let denied = |text: String| Err(Refusal::Denied(text));
        let why = reason
            .as_ref()
            .map(|reason| format!(" ({reason})"))
            .unwrap_or_default();
        let (Some(service), Some(agent)) = (&self.0.approval, call.agent()) else {
            let lacking = if self.0.approval.is_none() {
                "no approval service is set up"
            } else {
                "the call has no agent"
            };
            return denied(format!(
                "`{}` needs approval{why}, and {lacking}",
                call.name()
            ));
        };
        let request = ApprovalRequest {
            call: call.clone(),
            agent: agent.clone(),
            reason,
        };
        let answer = match contain(|| service.request(request)) {
            Ok(asking) => {
                let _asking = Asking::about(call);
                tokio::select! {
                    biased;
                    () = call.signal().cancelled() => return Err(Refusal::Cancelled),
                    answer = contain_future(asking) => answer,
                }
            }
            Err(panic) => Err(panic),
        };
        match answer {
            Ok(ApprovalOutcome::AllowedOnce) => Ok(()),
            Ok(ApprovalOutcome::Rejected { reason: Some(said) }) => {
                denied(format!("`{}` was rejected: {said}", call.name()))
            }
            Ok(ApprovalOutcome::Rejected { reason: None }) => {
                denied(format!("`{}` was rejected", call.name()))
            }
            Ok(ApprovalOutcome::Cancelled) => {
                denied(format!("the approval of `{}` was cancelled", call.name()))
            }
            Ok(ApprovalOutcome::Unavailable) => denied(format!(
                "`{}` needs approval{why}, and nobody can be asked now",
                call.name()
            )),
            Err(panic) => Err(Refusal::Broken(ToolError::from_panic(
                "the approval service",
                &panic,
            ))),
        }
    }
}
