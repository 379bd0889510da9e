//! The body of a tool: one call of a server, within its time, cancelled when the caller is.

use std::sync::{Arc, Weak};

use lockgate::{ContextMessage, ErrorCode, Json, RunContext, ToolError};
use rmcp::{
    RoleClient,
    model::{CallToolRequest, CallToolRequestParams, ClientRequest, ServerResult},
    service::{Peer, PeerRequestOptions, ServiceError},
};

use super::{
    catalogue::Catalogue,
    learned,
    limits::{CANCEL_TIMEOUT, MAX_ERROR_BYTES},
    listing::{ListedTool, Output},
    raw, result,
    server::Server,
    session::causes,
    status::ServerState,
    text::{clip, quoted},
};

pub(super) async fn run(
    server: Arc<Server>,
    tool: Arc<ListedTool>,
    catalogue: Weak<Catalogue>,
    arguments: Json,
    context: RunContext,
) -> Result<Json, ToolError> {
    let _calling = server.calling();
    let arguments = match serde_json::Value::try_from(&arguments)? {
        serde_json::Value::Object(arguments) => arguments,
        _ => {
            return Err(ToolError::with_code(
                ErrorCode::InvalidArgs,
                format!(
                    "{} takes one object of named arguments, found {}",
                    quoted(&tool.name),
                    arguments.type_name()
                ),
            ));
        }
    };
    let answer = ask(&server, &tool, arguments, &context).await?;
    server.has_answered();
    let answer = raw::json(answer, &server.redactor).map_err(|error| {
        ToolError::new(format!(
            "{} answered {} with what JSON can't hold without loss: {error}",
            server.title(),
            quoted(&tool.name)
        ))
    })?;
    let catalogue = catalogue.upgrade();
    let root = context.call().root_id();
    let mut admit = |bytes| {
        catalogue
            .as_ref()
            .is_some_and(|catalogue| catalogue.admit(root, bytes))
    };
    let call_id = context.call().id();
    let answer = result::read(&answer, &tool, call_id, &server.redactor, &mut admit)
        .map_err(ToolError::new)?;
    // A verdict that blocks the result drops these with it; the program has their handles (SPEC K5).
    for media in answer.media {
        context.defer_context(ContextMessage {
            content: vec![media.label.into(), media.content],
        });
    }
    if let Some(catalogue) = &catalogue
        && server.config.learn_types
        && tool.output == Output::Unknown
    {
        learned::observe(catalogue, &server, &tool, &answer.value);
    }
    Ok(answer.value)
}

/// Sends the call and waits for its answer, for its time to pass or for the caller to give up.
async fn ask(
    server: &Arc<Server>,
    tool: &ListedTool,
    arguments: rmcp::model::JsonObject,
    context: &RunContext,
) -> Result<ServerResult, ToolError> {
    let limit = server.config.call_timeout;
    let deadline = tokio::time::sleep(limit);
    tokio::pin!(deadline);
    let expired = || {
        ToolError::with_code(
            ErrorCode::ToolTimeout,
            format!(
                "{} did not answer {} within {} ms (`lockgate.callTimeoutMs`)",
                server.title(),
                quoted(&tool.name),
                limit.as_millis()
            ),
        )
    };
    let cancelled = || {
        ToolError::with_code(
            ErrorCode::Aborted,
            format!("the call of {} was cancelled", quoted(&tool.name)),
        )
    };
    let peer = tokio::select! {
        biased;
        () = context.signal().cancelled() => return Err(cancelled()),
        peer = server.connect() => peer.map_err(ToolError::new)?,
        () = &mut deadline => return Err(expired()),
    };
    let params = CallToolRequestParams::new(tool.name.to_string()).with_arguments(arguments);
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
    let handle = peer
        .send_cancellable_request(request, PeerRequestOptions::no_options())
        .await;
    let mut handle = match handle {
        Ok(handle) => handle,
        Err(error) => return Err(failed(server, tool, &error).await),
    };
    let (error, reason) = tokio::select! {
        biased;
        answer = &mut handle.rx => {
            let answer = answer.unwrap_or(Err(ServiceError::TransportClosed));
            return match answer {
                Ok(answer) => Ok(answer),
                Err(error) => Err(failed(server, tool, &error).await),
            };
        }
        () = context.signal().cancelled() => (cancelled(), "the caller cancelled the call"),
        () = &mut deadline => {
            server.doubt();
            (expired(), "the call took too long")
        }
    };
    tell_cancelled(&peer, handle.id.clone(), reason).await;
    Err(error)
}

/// Tells the server that nobody waits any more. A server that does not read is not waited for.
async fn tell_cancelled(peer: &Peer<RoleClient>, id: rmcp::model::RequestId, reason: &str) {
    let notification = rmcp::model::CancelledNotification::new(
        rmcp::model::CancelledNotificationParam::new(Some(id), Some(reason.to_owned())),
    );
    let sent = peer.send_notification(notification.into());
    let _ = tokio::time::timeout(CANCEL_TIMEOUT, sent).await;
}

/// What went wrong between here and the server. Where the connection is lost, its end tells why.
async fn failed(server: &Server, tool: &ListedTool, error: &ServiceError) -> ToolError {
    let (title, name) = (server.title(), quoted(&tool.name));
    let text = match error {
        ServiceError::McpError(error) => {
            // What servers say of a session that they do not know; of much else, too.
            if matches!(error.code.0, -32000 | -32001 | -32600) {
                server.doubt();
            }
            format!(
                "{title} refused {name}: {} (code {})",
                error.message, error.code.0
            )
        }
        ServiceError::TransportClosed => {
            let why = match server.wait_for_end().await {
                Some(ServerState::Down { reason, .. }) => format!(": {reason}"),
                _ => String::new(),
            };
            format!("{title} was lost while {name} ran, which may have had effects{why}")
        }
        ServiceError::TransportSend(error) => {
            server.doubt();
            format!(
                "{title} can't be reached for {name}: {}",
                causes(error.error.as_ref())
            )
        }
        other => format!("{title} did not answer {name}: {other}"),
    };
    ToolError::new(clip(&server.redactor.message(&text), MAX_ERROR_BYTES))
}
