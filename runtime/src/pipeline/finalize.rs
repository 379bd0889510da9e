//! After the body: post-execute policy, the tool's last word on the content, the frozen result.

use crate::{
    json::Json,
    pipeline::{
        Next,
        dispatch::{Draft, render},
    },
    registry::Registry,
    tool::{
        Content, ContextMessage, Failure, Outcome, Receipt, Success, ToolCall, ToolError,
        ToolResult, contain,
    },
};

/// A call that has ended, as `tools/post-execute` sees it.
#[derive(Clone, Debug)]
pub struct Settled {
    call: ToolCall,
    draft: Draft,
}

impl Settled {
    /// The call.
    pub fn call(&self) -> &ToolCall {
        &self.call
    }

    /// The value of a success.
    pub fn value(&self) -> Option<&Json> {
        match &self.draft {
            Draft::Success { value, .. } => Some(value),
            Draft::Failure { .. } => None,
        }
    }

    /// The rendered content of a success.
    pub fn content(&self) -> &[Content] {
        match &self.draft {
            Draft::Success {
                rendered: Some((_, content)),
                ..
            } => content,
            Draft::Success { .. } | Draft::Failure { .. } => &[],
        }
    }

    /// The failure, if it is one.
    pub fn error(&self) -> Option<&Failure> {
        match &self.draft {
            Draft::Success { .. } => None,
            Draft::Failure { failure, .. } => Some(failure),
        }
    }
}

/// What `tools/post-execute` says of a result (SPEC E7).
#[derive(Clone, Debug)]
pub struct Verdict(Ruling);

#[derive(Clone, Debug)]
enum Ruling {
    Accept {
        content: Option<Vec<Content>>,
        value: Option<Json>,
        contexts: Vec<ContextMessage>,
    },
    Block {
        feedback: String,
    },
}

impl Verdict {
    /// The result stays as it is.
    pub fn accept() -> Self {
        Self(Ruling::Accept {
            content: None,
            value: None,
            contexts: Vec::new(),
        })
    }

    /// Fails the call: no value, the feedback as its message, and the contexts that the tool deferred are dropped.
    pub fn block(feedback: impl Into<String>) -> Self {
        Self(Ruling::Block {
            feedback: feedback.into(),
        })
    }

    /// Shows other content. The value stays what it is, and a program still gets it: this is no way to keep a secret.
    #[must_use]
    pub fn with_content(mut self, blocks: Vec<Content>) -> Self {
        if let Ruling::Accept { content, .. } = &mut self.0 {
            *content = Some(blocks);
        }
        self
    }

    /// Puts another value in place; it is checked and rendered by the tool's output declaration. An error together with
    /// [`with_content`](Self::with_content), and on a failed result.
    #[must_use]
    pub fn with_value(mut self, replacement: Json) -> Self {
        if let Ruling::Accept { value, .. } = &mut self.0 {
            *value = Some(replacement);
        }
        self
    }

    /// Adds a message to the model's context.
    #[must_use]
    pub fn with_context(mut self, message: ContextMessage) -> Self {
        if let Ruling::Accept { contexts, .. } = &mut self.0 {
            contexts.push(message);
        }
        self
    }
}

/// A result before it is frozen.
#[derive(Debug)]
pub(super) struct Unfrozen {
    draft: Draft,
    content: Option<Vec<Content>>,
    contexts: Vec<ContextMessage>,
    drop_tool_contexts: bool,
}

impl Unfrozen {
    pub(super) fn new(draft: Draft) -> Self {
        Self {
            draft,
            content: None,
            contexts: Vec::new(),
            drop_tool_contexts: false,
        }
    }

    /// What policy says of a draft, or does wrong with it, does not change what the body may have done.
    fn fail(error: ToolError, draft: &Draft) -> Self {
        let receipt = match draft {
            Draft::Success { .. } => Receipt::Failed,
            Draft::Failure { receipt, .. } => *receipt,
        };
        Self::new(Draft::failed(error, receipt))
    }
}

impl Registry {
    /// Runs `tools/post-execute` over a draft.
    pub(super) async fn judge(&self, call: &ToolCall, draft: Draft) -> Unfrozen {
        let listeners = self
            .layer(call.agent())
            .collect(|state| &state.post_execute);
        if listeners.is_empty() {
            return Unfrozen::new(draft);
        }
        let settled = Settled {
            call: call.clone(),
            draft,
        };
        let end = |_| Box::pin(async { Ok(Verdict::accept()) }) as _;
        let verdict = Next::new("a post-execute listener", settled.clone(), listeners, end)
            .run()
            .await;
        match verdict {
            Ok(verdict) => apply(call, settled.draft, verdict.0),
            Err(error) => Unfrozen::fail(error, &settled.draft),
        }
    }

    /// Whether policy looks at this call's result, so that commits must keep the order of submission (SPEC G2).
    pub(crate) fn judges(&self, agent: Option<&crate::registry::Scope>) -> bool {
        !self
            .layer(agent)
            .collect(|state| &state.post_execute)
            .is_empty()
    }
}

fn apply(call: &ToolCall, draft: Draft, ruling: Ruling) -> Unfrozen {
    match ruling {
        Ruling::Block { feedback } => {
            let mut blocked = Unfrozen::fail(ToolError::new(feedback), &draft);
            blocked.drop_tool_contexts = true;
            blocked
        }
        Ruling::Accept {
            content: Some(_),
            value: Some(_),
            ..
        } => {
            let message = format!(
                "a post-execute listener replaced both the content and the value of `{}`; it may replace one",
                call.name()
            );
            Unfrozen::fail(ToolError::new(message), &draft)
        }
        Ruling::Accept {
            content,
            value: None,
            contexts,
        } => Unfrozen {
            content,
            contexts,
            ..Unfrozen::new(draft)
        },
        Ruling::Accept {
            content: None,
            value: Some(value),
            contexts,
        } => match draft {
            Draft::Success { .. } => Unfrozen {
                contexts,
                ..Unfrozen::new(render(call, value))
            },
            Draft::Failure { ref failure, .. } => {
                let message = format!(
                    "a post-execute listener replaced the value of `{}`, which had failed: {}",
                    call.name(),
                    failure.message
                );
                Unfrozen::fail(ToolError::new(message), &draft)
            }
        },
    }
}

/// Builds the immutable result, with the tool's last word on its content (SPEC E8).
pub(super) fn freeze(call: &ToolCall, unfrozen: Unfrozen) -> ToolResult {
    let Unfrozen {
        draft,
        content,
        contexts: by_policy,
        drop_tool_contexts,
    } = unfrozen;
    let succeeded = matches!(draft, Draft::Success { .. });
    let draft = with_meta(call, draft.observe_cancellation(call));
    // Content that stood for a success says nothing of the failure that it has become.
    let content = content.filter(|_| !succeeded || matches!(draft.0, Draft::Success { .. }));
    let (by_tool, by_layers, concludes_turn) = call.with_deferred(|deferred| {
        (
            std::mem::take(&mut deferred.by_tool),
            std::mem::take(&mut deferred.by_layers),
            deferred.concludes_turn,
        )
    });
    let mut contexts = if drop_tool_contexts {
        Vec::new()
    } else {
        by_tool
    };
    contexts.extend(by_layers);
    contexts.extend(by_policy);

    let result = match draft {
        (Draft::Success { value, rendered }, meta) => {
            let content = content
                .or(rendered.map(|(_, content)| content))
                .unwrap_or_default();
            let success = Success {
                value,
                meta,
                concludes_turn,
            };
            ToolResult::new(
                Outcome::Success(success),
                content,
                contexts,
                Receipt::Completed,
            )
        }
        (Draft::Failure { failure, receipt }, _) => {
            let content = content.unwrap_or_else(|| error_content(&failure));
            ToolResult::new(Outcome::Failure(failure), content, contexts, receipt)
        }
    };
    let Some(finalize) = call
        .tool()
        .and_then(|tool| tool.parts().finalize_content.as_ref())
    else {
        return result;
    };
    match contain(|| finalize(call, &result)) {
        Ok(None) => result,
        Ok(Some(content)) => ToolResult::new(
            result.outcome().clone(),
            content,
            result.additional_contexts().to_vec(),
            result.receipt(),
        ),
        Err(panic) => {
            let place = format!("`finalize_content` of `{}`", call.name());
            let failure = Failure::from(ToolError::from_panic(&place, &panic));
            let content = error_content(&failure);
            let receipt = match result.receipt() {
                Receipt::Completed => Receipt::Failed,
                other => other,
            };
            ToolResult::new(
                Outcome::Failure(failure),
                content,
                result.additional_contexts().to_vec(),
                receipt,
            )
        }
    }
}

/// Presentation metadata is for top-level calls alone (SPEC E10).
fn with_meta(call: &ToolCall, draft: Draft) -> (Draft, Option<Json>) {
    let (Draft::Success { value, .. }, Some(tool), None) = (&draft, call.tool(), call.parent())
    else {
        return (draft, None);
    };
    match tool.presentation_meta(call.arguments(), value) {
        Ok(meta) => (draft, meta),
        Err(error) => (Draft::failed(error, Receipt::Failed), None),
    }
}

fn error_content(failure: &Failure) -> Vec<Content> {
    vec![Content::text(format!("Error: {}", failure.message))]
}
