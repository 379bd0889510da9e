//! Sends runs as OpenTelemetry traces over OTLP/HTTP: a span for each top-level call, and one under it for each sub-call.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use lockgate::{
    CallId,
    events::{CallTiming, Event, EventSink, LoggedError},
};
use opentelemetry::{
    InstrumentationScope, KeyValue,
    trace::{SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState},
};
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::{
    Resource,
    trace::{SpanData, SpanEvents, SpanExporter as _, SpanLinks},
};
use tokio::{sync::mpsc, task::JoinHandle};

/// Runs that wait to be sent; past it the newest are dropped and counted.
const MAX_WAITING_RUNS: usize = 256;
/// How long one request may take.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// How long [`OtlpExport::shutdown`] waits for what is not sent yet.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Turns events into spans. Names, ids, times, error codes and budgets leave the process; arguments, values and texts do not:
/// they may be secret, or large.
#[derive(Debug)]
pub struct OtlpSink {
    open: Mutex<HashMap<CallId, OpenRun>>,
    sender: mpsc::Sender<Vec<SpanData>>,
    scope: InstrumentationScope,
    dropped: Arc<AtomicU64>,
}

/// The task that sends what an [`OtlpSink`] made.
#[derive(Debug)]
pub struct OtlpExport {
    sender: JoinHandle<()>,
    dropped: Arc<AtomicU64>,
}

/// Why traces can't be sent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OtlpError {
    /// The endpoint is no URL of a collector.
    #[error(
        "the OTLP endpoint {endpoint} can't be used: {reason}; give a URL such as http://localhost:4318"
    )]
    Endpoint {
        /// As it was given.
        endpoint: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// A top-level call on its way.
#[derive(Debug)]
struct OpenRun {
    trace: TraceId,
    span: SpanId,
    name: Arc<str>,
    began: SystemTime,
    attributes: Vec<KeyValue>,
    open: HashMap<CallId, OpenCall>,
    ended: Vec<SpanData>,
}

#[derive(Debug)]
struct OpenCall {
    name: Arc<str>,
    began: SystemTime,
}

/// Starts sending to the collector at `endpoint`, the base URL of OTLP over HTTP such as `http://localhost:4318`. The sink goes
/// to `RegistryBuilder::events`. Must be called inside a Tokio runtime.
///
/// # Errors
/// An endpoint that is no HTTP URL. A collector that can't be reached is told by `tracing` when a run is sent.
pub fn start(endpoint: &str) -> Result<(Arc<OtlpSink>, OtlpExport), OtlpError> {
    let refused = |reason: String| OtlpError::Endpoint {
        endpoint: endpoint.to_owned(),
        reason,
    };
    if !["http://", "https://"]
        .iter()
        .any(|scheme| endpoint.starts_with(scheme))
    {
        return Err(refused("it is no http or https URL".to_owned()));
    }
    crate::tls::install_provider();
    let mut exporter = SpanExporter::builder()
        .with_http()
        .with_endpoint(format!("{}/v1/traces", endpoint.trim_end_matches('/')))
        .with_timeout(REQUEST_TIMEOUT)
        .build()
        .map_err(|error| refused(error.to_string()))?;
    exporter.set_resource(&Resource::builder().with_service_name("lockgate").build());
    let (sender, mut waiting) = mpsc::channel::<Vec<SpanData>>(MAX_WAITING_RUNS);
    let dropped = Arc::new(AtomicU64::new(0));
    let lost = dropped.clone();
    let sending = tokio::spawn(async move {
        while let Some(spans) = waiting.recv().await {
            let count = spans.len() as u64;
            if let Err(error) = exporter.export(spans).await {
                lost.fetch_add(count, Ordering::Relaxed);
                tracing::warn!(%error, spans = count, "spans could not be sent");
            }
        }
    });
    let sink = OtlpSink {
        open: Mutex::default(),
        sender,
        scope: InstrumentationScope::builder("lockgate")
            .with_version(env!("CARGO_PKG_VERSION"))
            .build(),
        dropped: dropped.clone(),
    };
    let export = OtlpExport {
        sender: sending,
        dropped,
    };
    Ok((Arc::new(sink), export))
}

impl OtlpExport {
    /// Waits until all is sent that was recorded, at most five seconds. Drop the sink and the registry that holds it first:
    /// while one lives, more may come. Returns how many spans were lost, to a full queue or to a collector that did not answer.
    pub async fn shutdown(self) -> u64 {
        let abort = self.sender.abort_handle();
        if tokio::time::timeout(SHUTDOWN_TIMEOUT, self.sender)
            .await
            .is_err()
        {
            abort.abort();
            tracing::warn!("the collector took too long; some runs were not sent");
        }
        self.dropped.load(Ordering::Relaxed)
    }
}

impl EventSink for OtlpSink {
    fn record(&self, event: &Event) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::CallCreated {
                id, root_id, name, ..
            } if id == root_id => {
                open.insert(id.clone(), OpenRun::new(name.clone()));
            }
            Event::DispatchStarted {
                id,
                parent_id,
                name,
                ..
            } => {
                if let Some(run) = open.get_mut(parent_id) {
                    let call = OpenCall {
                        name: name.clone(),
                        began: SystemTime::now(),
                    };
                    run.open.insert(id.clone(), call);
                }
            }
            Event::DispatchSettled {
                id,
                parent_id,
                receipt,
                timing,
                log,
            } => {
                if let Some(run) = open.get_mut(parent_id)
                    && let Some(call) = run.open.remove(id)
                {
                    let mut attributes = tool_attributes(&call.name, id);
                    attributes.push(KeyValue::new("lockgate.receipt", receipt.as_str()));
                    attributes.extend(timing.iter().flat_map(timing_attributes));
                    let parent = (run.trace, run.span);
                    let span = self.span(
                        parent,
                        &call.name,
                        call.began,
                        attributes,
                        log.error.as_ref(),
                    );
                    run.ended.push(span);
                }
            }
            Event::ProgramEnded {
                id, failure, usage, ..
            } => {
                if let Some(run) = open.get_mut(id) {
                    let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
                    run.attributes.extend([
                        KeyValue::new("lockgate.compute_ms", usage.compute_ms),
                        KeyValue::new("lockgate.memory_bytes", count(usage.memory_bytes)),
                        KeyValue::new("lockgate.calls", count(usage.calls)),
                    ]);
                    if let Some(failure) = failure {
                        let kind = failure.kind.to_string();
                        run.attributes.push(KeyValue::new("lockgate.failure", kind));
                        run.attributes.extend(
                            failure
                                .limit
                                .as_ref()
                                .map(|limit| KeyValue::new("lockgate.limit", limit.to_string())),
                        );
                    }
                }
            }
            Event::CallSettled {
                id,
                root_id,
                receipt,
                error,
                ..
            } if id == root_id => {
                let Some(run) = open.remove(id) else { return };
                drop(open);
                self.send(run, id, receipt.as_str(), error.as_ref());
            }
            _ => {}
        }
    }
}

impl OtlpSink {
    fn send(&self, run: OpenRun, id: &CallId, receipt: &'static str, error: Option<&LoggedError>) {
        let mut attributes = tool_attributes(&run.name, id);
        attributes.push(KeyValue::new("lockgate.receipt", receipt));
        attributes.extend(run.attributes);
        let mut root = self.span(
            (run.trace, SpanId::INVALID),
            &run.name,
            run.began,
            attributes,
            error,
        );
        root.span_context = context(run.trace, run.span);
        let mut spans = run.ended;
        spans.push(root);
        let count = spans.len() as u64;
        if self.sender.try_send(spans).is_err() {
            self.dropped.fetch_add(count, Ordering::Relaxed);
            tracing::warn!(
                spans = count,
                waiting = MAX_WAITING_RUNS,
                "the collector is too slow: a run's spans are dropped"
            );
        }
    }

    /// A span that ends now.
    fn span(
        &self,
        (trace, parent): (TraceId, SpanId),
        tool: &str,
        began: SystemTime,
        mut attributes: Vec<KeyValue>,
        error: Option<&LoggedError>,
    ) -> SpanData {
        let status = match error {
            None => Status::Ok,
            Some(error) => {
                let code = error.code.map_or("tool_error", |code| code.as_str());
                attributes.push(KeyValue::new("error.type", code));
                Status::error(code)
            }
        };
        SpanData {
            span_context: context(trace, new_span_id()),
            parent_span_id: parent,
            parent_span_is_remote: false,
            span_kind: SpanKind::Internal,
            name: format!("execute_tool {tool}").into(),
            start_time: began,
            end_time: SystemTime::now(),
            attributes,
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status,
            instrumentation_scope: self.scope.clone(),
        }
    }
}

impl OpenRun {
    fn new(name: Arc<str>) -> Self {
        Self {
            trace: TraceId::from_bytes(random()),
            span: new_span_id(),
            name,
            began: SystemTime::now(),
            attributes: Vec::new(),
            open: HashMap::new(),
            ended: Vec::new(),
        }
    }
}

fn tool_attributes(tool: &str, id: &CallId) -> Vec<KeyValue> {
    vec![
        KeyValue::new("gen_ai.operation.name", "execute_tool"),
        KeyValue::new("gen_ai.tool.name", tool.to_owned()),
        KeyValue::new("gen_ai.tool.call.id", id.to_string()),
    ]
}

fn timing_attributes(timing: &CallTiming) -> [KeyValue; 4] {
    [
        KeyValue::new("lockgate.waited_ms", timing.waited_ms),
        KeyValue::new("lockgate.policy_ms", timing.policy_ms),
        KeyValue::new("lockgate.body_ms", timing.body_ms),
        KeyValue::new("lockgate.exclusive", timing.exclusive),
    ]
}

fn context(trace: TraceId, span: SpanId) -> SpanContext {
    SpanContext::new(trace, span, TraceFlags::SAMPLED, false, TraceState::NONE)
}

fn new_span_id() -> SpanId {
    SpanId::from_bytes(random())
}

/// Random bytes; ids that repeat, where the system has none to give, cost a trace its order and nothing else.
fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [1; N];
    if let Err(error) = getrandom::fill(&mut bytes) {
        tracing::warn!(%error, "no random bits for the id of a span");
    }
    bytes
}
