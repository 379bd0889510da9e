//! One client: what it may ask, and how its calls run.

use std::{
    borrow::Cow,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering},
    },
};

use lockgate::{CallId, CallRequest, RUN_CODE, Scope, ToolResult};
use rmcp::{
    ErrorData, Peer, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
        InitializeRequestParams, InitializeResult, JsonObject, ListResourceTemplatesResult,
        ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
        ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
        SetLevelRequestParams,
    },
    service::{NotificationContext, RequestContext},
};
use tokio_util::sync::CancellationToken;

use super::{
    Client, Gateway,
    approval::ask_client,
    result::to_mcp,
    run::{NO_LOGS, Outlets, Run, severity},
    traces::{MAX_TRACE_BYTES, Trace},
    transport::Connection,
};

/// The newest protocol that is spoken. The one after it has no requests from the server to the client, which approvals need.
const NEWEST_PROTOCOL: ProtocolVersion = ProtocolVersion::V_2025_11_25;

/// One client's session, from `initialize` to the end of its connection.
pub(super) struct Session {
    gateway: Gateway,
    number: u64,
    scope: Scope,
    log_level: Arc<AtomicU8>,
    listed_resources: Arc<AtomicBool>,
    next_call: AtomicU64,
    client: OnceLock<Client>,
}

impl Session {
    pub(super) fn new(gateway: &Gateway) -> Self {
        let number = gateway.next_session();
        Self {
            scope: gateway.registry().scope(format!("MCP session {number}")),
            gateway: gateway.clone(),
            number,
            log_level: Arc::new(AtomicU8::new(NO_LOGS)),
            listed_resources: Arc::default(),
            next_call: AtomicU64::new(1),
            client: OnceLock::new(),
        }
    }

    fn connected(&self, peer: &Peer<RoleServer>) {
        let client = self.client.get_or_init(|| Client {
            peer: peer.clone(),
            listed_resources: self.listed_resources.clone(),
        });
        let mut clients = self.gateway.lock_clients();
        clients.insert(self.number, client.clone());
    }

    async fn call(
        &self,
        params: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResult {
        let Ok(_permit) = self.gateway.0.calls.clone().try_acquire_owned() else {
            let max = self.gateway.0.options.max_calls;
            return failed(format!(
                "the gateway runs {max} calls already (limit max_calls: {max}); try again later"
            ));
        };
        tokio::select! {
            () = self.gateway.warmed_up() => {}
            () = context.ct.cancelled() => {}
        }
        let number = self.next_call.fetch_add(1, Ordering::Relaxed);
        let id: CallId = format!("{}-{number}", self.number).into();
        let progress = context.meta.get_progress_token();
        let (run, outlets) = Run::new(id.clone(), self.log_level.clone(), progress);
        let entered = self.gateway.0.hub.enter(run.clone());
        let arguments = params.arguments.unwrap_or_default();
        let about = about(&params.name, &arguments);
        // As text: what is not lossless JSON becomes the call's own error.
        let arguments = serde_json::Value::Object(arguments).to_string();
        let signal = context.ct.child_token();
        let request = CallRequest::from_text(id.clone(), &*params.name, &arguments)
            .agent(&self.scope)
            .signal(signal.clone());
        let result = self.drive(request, &run, outlets, signal, context).await;
        drop(entered);
        if params.name == RUN_CODE {
            let (text, left_out) = run.tracing.text();
            let about = match left_out {
                0 => about,
                _ => format!(
                    "{about} (the last {left_out} events are left out: limit MAX_TRACE_BYTES, {MAX_TRACE_BYTES} bytes)"
                )
                .into(),
            };
            self.gateway.0.traces.add(Trace {
                session: self.number,
                id,
                about,
                text: text.into(),
            });
            if let Some(client) = self.client.get() {
                let client = client.clone();
                tokio::spawn(async move { client.tell_resources_changed().await });
            }
        }
        let native = self.gateway.listing();
        to_mcp(&result, native.has_output_schema(&params.name))
    }

    /// Runs the call to its end, and meanwhile tells and asks the client. A client that goes away cancels its calls; they are
    /// awaited nevertheless.
    async fn drive(
        &self,
        request: CallRequest,
        run: &Arc<Run>,
        mut outlets: Outlets,
        signal: CancellationToken,
        context: &RequestContext<RoleServer>,
    ) -> ToolResult {
        let peer = &context.peer;
        let connection = context.extensions.get::<Connection>();
        let gone = connection.map_or_else(CancellationToken::new, |connection| {
            connection.gone().clone()
        });
        let registry = self.gateway.registry();
        let patience = self.gateway.0.options.approval_timeout;
        let result = {
            let executing = registry.execute(request);
            let meanwhile = async {
                tokio::join!(
                    run.send_notices(&mut outlets.notices, peer),
                    ask_client(&mut outlets.asks, peer, patience),
                    async {
                        gone.cancelled().await;
                        signal.cancel();
                    },
                )
                .0
            };
            tokio::select! {
                biased;
                result = executing => result,
                never = meanwhile => match never {},
            }
        };
        run.send_last(&mut outlets.notices, peer).await;
        result
    }
}

/// What the trace is called: the program's description, else the tool.
fn about(name: &str, arguments: &JsonObject) -> Arc<str> {
    const MAX: usize = 200;
    let described = arguments
        .get("description")
        .and_then(serde_json::Value::as_str)
        .unwrap_or(name);
    described[..described.floor_char_boundary(MAX)].into()
}

fn failed(message: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(format!("Error: {message}"))])
}

impl Drop for Session {
    fn drop(&mut self) {
        self.gateway.lock_clients().remove(&self.number);
        self.gateway.0.traces.forget(self.number);
        self.scope.dispose();
    }
}

impl ServerHandler for Session {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_logging()
            .build();
        let mut info = ServerConfig::new(capabilities)
            .with_protocol_version(NEWEST_PROTOCOL)
            .with_server_info(
                Implementation::new("lockgate", env!("CARGO_PKG_VERSION")).with_title("Lockgate"),
            );
        let listing = self.gateway.listing();
        let servers = &self.gateway.0.options.servers;
        let instructions = listing.instructions_with(servers);
        info.instructions = Some(instructions).filter(|text| !text.is_empty());
        info
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::known_up_to(&NEWEST_PROTOCOL))
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let info = self.negotiate_initialize(&request)?;
        context.peer.set_peer_info(request);
        Ok(info)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.connected(&context.peer);
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let patience = self.gateway.0.options.list_patience;
        let _ = tokio::time::timeout(patience, self.gateway.warmed_up()).await;
        let client = context.client_info();
        let client = client.as_ref().map(|client| &*client.name);
        let tools = self.gateway.listing().tools_for(client);
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(self.call(params, &context).await.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.listed_resources.store(true, Ordering::Release);
        let resources = self.gateway.resources(self.number);
        Ok(ListResourcesResult::with_all_items(resources))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = self.gateway.resource_templates();
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self.gateway.read_resource(self.number, &params.uri)?;
        Ok(read.into())
    }

    async fn set_level(
        &self,
        params: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.log_level
            .store(severity(params.level), Ordering::Relaxed);
        Ok(())
    }
}
