//! Asking the person behind a client: the questions of one call that wait at the same time go out as one form.

use std::{collections::HashMap, fmt::Write as _, time::Duration};

use futures_util::{FutureExt, future::join_all};
use lockgate::{ApprovalOutcome, ApprovalRequest};
use rmcp::{
    Peer, RoleServer,
    model::{
        BooleanSchema, CancelledNotificationParam, ClientResult, ElicitRequest,
        ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, EnumSchema,
        PrimitiveSchemaDefinition, RequestId, ServerRequest, StringSchema,
    },
    service::{ElicitationMode, PeerRequestOptions},
};
use serde_json::Value;
use tokio::{
    sync::{mpsc, oneshot},
    time::Instant,
};

use crate::policy::{ArgumentsDigest, canonical_text};

/// How long more questions are waited for after one came: calls of a fan-out ask one right after the other.
const GATHERING: Duration = Duration::from_millis(30);
/// How long they are gathered at most.
const GATHERING_IN_ALL: Duration = Duration::from_millis(300);
/// Different calls that one form lists. More wait for the next form.
const MAX_LISTED: usize = 25;
/// Characters of arguments that are shown of one call.
const MAX_SHOWN: usize = 4_000;
/// Characters of arguments that one form shows.
const MAX_SHOWN_IN_ALL: usize = 12_000;

const DECISION: &str = "decision";
const REASON: &str = "reason";
const ALLOW: &str = "allow";
const DENY: &str = "deny";
const ALLOW_ALL: &str = "allow all";
const CHOOSE: &str = "allow those ticked below";
const DENY_ALL: &str = "deny all";

/// A question that waits.
pub(super) struct Ask {
    name: String,
    reason: Option<String>,
    /// The canonical arguments, safe to show.
    arguments: String,
    digest: ArgumentsDigest,
    answer: oneshot::Sender<ApprovalOutcome>,
}

impl Ask {
    pub(super) fn new(request: ApprovalRequest, answer: oneshot::Sender<ApprovalOutcome>) -> Self {
        let call = &request.call;
        Self {
            name: shown(call.name()),
            reason: request.reason.as_deref().map(shown),
            arguments: shown(&canonical_text(call.arguments())),
            digest: ArgumentsDigest::of(call.name(), call.arguments()),
            answer,
        }
    }

    fn shown_characters(&self) -> usize {
        self.arguments.chars().count().min(MAX_SHOWN)
    }
}

/// Text as it is shown to a person: what would change how other text looks is written as an escape.
fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        let hidden = character.is_control()
            || matches!(character, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}');
        if hidden {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
        } else {
            out.push(character);
        }
    }
    out
}

/// Puts questions to the client as they come, until it is dropped. Polled in the task of the call, so that they go to the
/// client on that call's own stream.
pub(super) async fn ask_client(
    asks: &mut mpsc::UnboundedReceiver<Ask>,
    peer: &Peer<RoleServer>,
    timeout: Duration,
) {
    // Those that did not fit into the last form.
    let mut waiting: Vec<Ask> = Vec::new();
    loop {
        if waiting.is_empty() {
            match asks.recv().await {
                Some(ask) => waiting.push(ask),
                None => std::future::pending().await,
            }
        }
        let latest = Instant::now() + GATHERING_IN_ALL;
        loop {
            let until = latest.min(Instant::now() + GATHERING);
            match tokio::time::timeout_at(until, asks.recv()).await {
                Ok(Some(ask)) => waiting.push(ask),
                _ => break,
            }
        }
        waiting.retain(|ask| !ask.answer.is_closed());
        if waiting.is_empty() {
            continue;
        }
        if !peer
            .supported_elicitation_modes()
            .contains(&ElicitationMode::Form)
        {
            for ask in waiting.drain(..) {
                let _ = ask.answer.send(ApprovalOutcome::Unavailable);
            }
            continue;
        }
        Form::take_from(&mut waiting).put(peer, timeout).await;
    }
}

/// One form: different calls, each with all who asked for exactly that call.
struct Form {
    calls: Vec<Vec<Ask>>,
}

impl Form {
    /// As many of the questions as one form holds, in their order. Equal calls are one entry.
    fn take_from(waiting: &mut Vec<Ask>) -> Self {
        let mut calls: Vec<Vec<Ask>> = Vec::new();
        let mut places: HashMap<ArgumentsDigest, usize> = HashMap::new();
        let mut characters = 0;
        let mut left = Vec::new();
        for ask in waiting.drain(..) {
            if let Some(place) = places.get(&ask.digest) {
                calls[*place].push(ask);
                continue;
            }
            let more = characters + ask.shown_characters();
            if !calls.is_empty() && (calls.len() >= MAX_LISTED || more > MAX_SHOWN_IN_ALL) {
                left.push(ask);
                continue;
            }
            characters = more;
            places.insert(ask.digest, calls.len());
            calls.push(vec![ask]);
        }
        *waiting = left;
        Self { calls }
    }

    /// Asks, and hands out the answers. A form that nobody waits for any more is withdrawn.
    async fn put(mut self, peer: &Peer<RoleServer>, timeout: Duration) {
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(
            ElicitRequestParams::FormElicitationParams {
                meta: None,
                message: self.message(),
                requested_schema: self.schema(),
            },
        ));
        let options = PeerRequestOptions::with_timeout(timeout);
        let answer = {
            let waiting = self.calls.iter_mut().flatten();
            let nobody_waits = join_all(waiting.map(|ask| ask.answer.closed().boxed()));
            let asking = async {
                let handle = peer.send_cancellable_request(request, options).await?;
                let mut withdraw = Withdraw(Some((peer.clone(), handle.id.clone())));
                let answer = handle.await_response().await;
                withdraw.0 = None;
                answer
            };
            tokio::select! {
                biased;
                _ = nobody_waits => return,
                answer = asking => answer,
            }
        };
        let answer = match answer {
            Ok(ClientResult::ElicitResult(answer)) => answer,
            Ok(_) => ElicitResult::new(ElicitationAction::Decline),
            Err(error) => {
                tracing::warn!(%error, "nobody answered an approval");
                for ask in self.calls.into_iter().flatten() {
                    let _ = ask.answer.send(ApprovalOutcome::Unavailable);
                }
                return;
            }
        };
        self.hand_out(&answer);
    }

    fn message(&self) -> String {
        let mut text = match self.calls.len() {
            1 => "A program wants to make a call that needs your approval:".to_owned(),
            several => format!("A program wants to make {several} calls that need your approval:"),
        };
        for (index, asks) in self.calls.iter().enumerate() {
            let Some(ask) = asks.first() else { continue };
            let times = match asks.len() {
                1 => String::new(),
                times => format!(" ({times} times)"),
            };
            let _ = write!(
                text,
                "\n\n{}. {}{times}\n{}",
                index + 1,
                ask.name,
                cut(&ask.arguments)
            );
            if let Some(reason) = &ask.reason {
                let _ = write!(text, "\nWhy: {reason}");
            }
            let _ = write!(text, "\nSHA-256 of the call: {}", ask.digest);
        }
        text
    }

    /// A choice, and for several calls a box for each. The names of the boxes say which arguments they are about.
    fn schema(&self) -> ElicitationSchema {
        let choices: &[&str] = match self.calls.len() {
            1 => &[ALLOW, DENY],
            _ => &[ALLOW_ALL, CHOOSE, DENY_ALL],
        };
        let choices = choices.iter().map(|&choice| choice.to_owned()).collect();
        let mut fields = vec![(
            DECISION.to_owned(),
            PrimitiveSchemaDefinition::Enum(EnumSchema::builder(choices).build()),
        )];
        if self.calls.len() > 1 {
            for (index, asks) in self.calls.iter().enumerate() {
                let Some(ask) = asks.first() else { continue };
                let title = format!("{}. {}", index + 1, ask.name);
                let field = BooleanSchema::new().title(title).with_default(false);
                fields.push((
                    field_name(index, ask),
                    PrimitiveSchemaDefinition::Boolean(field),
                ));
            }
        }
        let reason = StringSchema::new()
            .title("Reason")
            .description("What the model is told when you deny.")
            .max_length(1_000);
        fields.push((REASON.to_owned(), PrimitiveSchemaDefinition::String(reason)));
        let order = fields.iter().map(|(name, _)| name.clone()).collect();
        let mut schema = ElicitationSchema::new(fields.into_iter().collect())
            .with_required(vec![DECISION.to_owned()]);
        schema.property_order = Some(order);
        schema
    }

    /// Whatever is not clearly allowed is rejected.
    fn hand_out(self, answer: &ElicitResult) {
        let content = answer.content.as_ref();
        let field = |name: &str| content.and_then(|content| content.get(name));
        let accepted = answer.action == ElicitationAction::Accept;
        let decision = field(DECISION).and_then(Value::as_str).unwrap_or_default();
        let reason = field(REASON)
            .and_then(Value::as_str)
            .map(str::trim)
            .filter(|reason| !reason.is_empty());
        let single = self.calls.len() == 1;
        for (index, asks) in self.calls.into_iter().enumerate() {
            for ask in asks {
                let allowed = accepted
                    && match decision {
                        ALLOW => single,
                        ALLOW_ALL => !single,
                        CHOOSE => {
                            !single
                                && field(&field_name(index, &ask)).and_then(Value::as_bool)
                                    == Some(true)
                        }
                        _ => false,
                    };
                let outcome = if allowed {
                    ApprovalOutcome::AllowedOnce
                } else if answer.action == ElicitationAction::Cancel {
                    ApprovalOutcome::Cancelled
                } else {
                    ApprovalOutcome::Rejected {
                        reason: reason.map(str::to_owned),
                    }
                };
                let _ = ask.answer.send(outcome);
            }
        }
    }
}

/// The name of the box of a call: an answer can't come to be about other arguments than those that were shown.
fn field_name(index: usize, ask: &Ask) -> String {
    format!("allow_{}_{}", index + 1, ask.digest.short())
}

fn cut(arguments: &str) -> String {
    match arguments.char_indices().nth(MAX_SHOWN) {
        None => arguments.to_owned(),
        Some((end, _)) => {
            let more = arguments[end..].chars().count();
            format!(
                "{}… and {more} more characters that are not shown",
                &arguments[..end]
            )
        }
    }
}

/// Tells the client that an answer is no longer wanted, if the wait for it is given up.
struct Withdraw(Option<(Peer<RoleServer>, RequestId)>);

impl Drop for Withdraw {
    fn drop(&mut self) {
        let Some((peer, id)) = self.0.take() else {
            return;
        };
        if let Ok(tokio) = tokio::runtime::Handle::try_current() {
            tokio.spawn(async move {
                let reason = Some("the calls are no longer waiting".to_owned());
                let _ = peer
                    .notify_cancelled(CancelledNotificationParam::new(Some(id), reason))
                    .await;
            });
        }
    }
}
