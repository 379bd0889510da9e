//! One connection to a server, from its handshake to its end.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rmcp::{
    ClientHandler, RoleClient, ServiceExt,
    model::{ClientCapabilities, ClientConfig, Implementation},
    service::{ClientInitializeError, NotificationContext, Peer, RunningService},
    transport::{
        StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use tokio::sync::Notify;

use super::{
    gate::{Gate, Gated},
    limits::MAX_MESSAGE_BYTES,
    process::{Process, StderrEnd},
    stdio::StdioTransport,
    text::clip,
};
use crate::config::{self, Endpoint, ServerConfig};

/// Bytes of standard error in a message.
const MAX_STDERR_IN_MESSAGE: usize = 500;
/// Bytes of any other part of a message.
const MAX_REASON: usize = 1000;

/// Why a connection was ended from this side, if it was. The first reason stays.
#[derive(Clone, Default)]
pub(super) struct Fault(Arc<Mutex<Option<String>>>);

impl Fault {
    pub(super) fn set(&self, reason: String) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(reason);
    }

    fn get(&self) -> Option<String> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// What a connection's end can be explained by.
#[derive(Clone, Default)]
pub(super) struct Traces {
    fault: Fault,
    process: Option<Arc<Process>>,
    stderr: StderrEnd,
}

impl Traces {
    /// Why the connection ended; `otherwise` where nothing tells. May hold secrets.
    pub(super) fn explain(&self, otherwise: &str) -> String {
        let ended = self
            .process
            .as_ref()
            .and_then(|process| process.how_it_ended());
        let mut text = self
            .fault
            .get()
            .or(ended)
            .unwrap_or_else(|| clip(otherwise, MAX_REASON));
        let stderr = self.stderr.last_lines(MAX_STDERR_IN_MESSAGE);
        if !stderr.is_empty() {
            text.push_str("; it printed: ");
            text.push_str(&stderr);
        }
        text
    }

    /// Why it took too long to start. May hold secrets.
    pub(super) fn explain_timeout(&self, limit: Duration) -> String {
        self.explain(&format!(
            "it did not start within {} ms (`lockgate.startTimeoutMs`)",
            limit.as_millis()
        ))
    }

    /// Lets a process that is ending end, so that the way it did is known.
    pub(super) async fn settle(&self) {
        if let Some(process) = &self.process {
            let _ = tokio::time::timeout(super::limits::DRAIN * 2, process.gone()).await;
        }
    }
}

/// A connection that has been opened.
pub(super) struct Session {
    pub(super) service: RunningService<RoleClient, Client>,
    pub(super) changed: Arc<Notify>,
}

impl Session {
    pub(super) fn peer(&self) -> &Peer<RoleClient> {
        self.service.peer()
    }
}

/// Connects and shakes hands. `traces` tells of a failure.
pub(super) async fn open(config: &ServerConfig, traces: &mut Traces) -> Result<Session, String> {
    let client = Client::default();
    let changed = client.changed.clone();
    let service = match &config.endpoint {
        Endpoint::Stdio(stdio) => {
            let (process, pipes, stderr) = Process::start(stdio)?;
            let process = Arc::new(process);
            traces.process = Some(process.clone());
            traces.stderr = stderr;
            let transport = StdioTransport::new(process, pipes, traces.fault.clone());
            client.serve(transport).await
        }
        Endpoint::Http(http) => {
            let transport = Gated {
                inner: http_transport(http)?,
                gate: Gate::new(),
                fault: traces.fault.clone(),
            };
            client.serve(transport).await
        }
    };
    match service {
        Ok(service) => Ok(Session { service, changed }),
        Err(
            error @ (ClientInitializeError::ConnectionClosed(_)
            | ClientInitializeError::TransportError { .. }),
        ) => {
            traces.settle().await;
            Err(traces.explain(&describe(&error)))
        }
        // It answered: that is the reason, whatever becomes of its process now.
        Err(error) => Err(clip(&describe(&error), MAX_REASON)),
    }
}

fn http_transport(
    http: &config::Http,
) -> Result<
    StreamableHttpClientTransport<
        impl rmcp::transport::streamable_http_client::StreamableHttpClient,
    >,
    String,
> {
    crate::tls::install_provider();
    let mut headers = HashMap::new();
    for (name, value) in &http.headers {
        let bad = |_| {
            format!(
                "the header {name} can't be sent: its name or value has characters that HTTP forbids"
            )
        };
        let name = name.parse().map_err(|_| bad(()))?;
        let value = value.reveal().parse().map_err(|_| bad(()))?;
        headers.insert(name, value);
    }
    Ok(StreamableHttpClientTransport::from_config(
        StreamableHttpClientTransportConfig::with_uri(http.url.reveal())
            .custom_headers(headers)
            .max_concurrent_requests(64)
            .max_sse_event_size(MAX_MESSAGE_BYTES)
            .max_json_response_size(MAX_MESSAGE_BYTES),
    ))
}

fn describe(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) => {
            "it closed the connection before the handshake was done".to_owned()
        }
        ClientInitializeError::ExpectedInitResponse(_)
        | ClientInitializeError::ExpectedInitResult(_) => {
            "its answer to `initialize` is not one of MCP".to_owned()
        }
        ClientInitializeError::JsonRpcError(error) => {
            format!(
                "it refused `initialize`: {} (code {})",
                error.message, error.code.0
            )
        }
        ClientInitializeError::TransportError { error, .. } => causes(error.error.as_ref()),
        other => other.to_string(),
    }
}

/// An error and what caused it, in one line.
pub(super) fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    for _ in 0..8 {
        let Some(cause) = source else { break };
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}

/// This side of the conversation: a client that offers servers nothing. What they log is not passed on: it may hold anything.
#[derive(Default)]
pub(super) struct Client {
    changed: Arc<Notify>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new("lockgate", env!("CARGO_PKG_VERSION")),
        )
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }
}
