//! Runs as OpenTelemetry traces, as a collector receives them.

#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::sync::{Arc, Mutex};

use axum::{Router, body::Bytes, extract::State, routing::post};
use lockgate::{
    CallRequest, Mode, Registry, Tool, ToolError, code_runtime::CodeRuntime, json, sandbox::Sandbox,
};
use lockgate_gateway::otlp;
use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest,
    trace::v1::{Span, status::StatusCode},
};
use prost::Message as _;

/// What must never leave the process in a span.
const SECRET: &str = "hunter2-in-an-argument";

#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<Bytes>>>);

impl Collector {
    /// Listens on a free port of the loopback address.
    async fn listen(&self) -> String {
        let app = Router::new()
            .route(
                "/v1/traces",
                post(
                    |State(collector): State<Collector>, body: Bytes| async move {
                        collector.0.lock().unwrap().push(body);
                    },
                ),
            )
            .with_state(self.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, app).await });
        format!("http://{address}/")
    }

    fn spans(&self) -> Vec<Span> {
        let bodies = self.0.lock().unwrap();
        bodies
            .iter()
            .flat_map(|body| {
                let request = ExportTraceServiceRequest::decode(body.clone()).unwrap();
                request.resource_spans
            })
            .flat_map(|resource| resource.scope_spans)
            .flat_map(|scope| scope.spans)
            .collect()
    }
}

fn registry(events: Arc<otlp::OtlpSink>) -> Registry {
    let sandbox: Arc<dyn CodeRuntime> = Arc::new(Sandbox::builder().build_blocking().unwrap());
    let registry = Registry::builder()
        .mode(Mode::Code)
        .code_runtime(sandbox)
        .events(events)
        .build()
        .unwrap();
    let tool = Tool::builder("odd", "Fails on even numbers.")
        .parameters(&json!({"type": "object"}))
        .output(&json!({}))
        .execute(|args, _| async move {
            match args["n"].as_i64() {
                Some(n) if n % 2 == 1 => Ok(json!(n)),
                _ => Err(ToolError::new(SECRET)),
            }
        })
        .build()
        .unwrap();
    registry.register(tool).unwrap().keep();
    registry
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_one_trace_of_names_times_and_codes() {
    let collector = Collector::default();
    let (sink, export) = otlp::start(&collector.listen().await).unwrap();
    let registry = registry(sink);
    let program = format!(
        "await Promise.allSettled([1, 2, 3].map((n) => tools.odd({{ n, text: '{SECRET}' }}))); return '{SECRET}';"
    );
    let arguments = json!({ "code": program, "description": "odd ones" });
    let result = registry
        .execute(CallRequest::new("call-1", "run_code", arguments))
        .await;
    assert!(!result.is_error());
    drop(registry);
    assert_eq!(export.shutdown().await, 0);

    let spans = collector.spans();
    let root = spans
        .iter()
        .find(|span| span.parent_span_id.is_empty())
        .unwrap();
    assert_eq!(root.name, "execute_tool run_code");
    let calls: Vec<_> = spans
        .iter()
        .filter(|span| span.parent_span_id == root.span_id)
        .collect();
    assert_eq!((spans.len(), calls.len()), (4, 3));
    for call in &calls {
        assert_eq!(
            (&*call.name, &call.trace_id),
            ("execute_tool odd", &root.trace_id)
        );
        assert!(root.start_time_unix_nano <= call.start_time_unix_nano);
        assert!(call.end_time_unix_nano <= root.end_time_unix_nano);
    }
    let failed = calls.iter().filter(|call| {
        call.status
            .as_ref()
            .is_some_and(|status| status.code() == StatusCode::Error)
    });
    assert_eq!(failed.count(), 1);
    for body in collector.0.lock().unwrap().iter() {
        let text = String::from_utf8_lossy(body);
        assert!(
            !text.contains(SECRET),
            "a span carries an argument, a value or a text"
        );
    }
}

#[tokio::test]
async fn a_collector_that_is_not_there_loses_spans_and_nothing_else() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let (sink, export) = otlp::start(&nobody).unwrap();
    let registry = registry(sink);
    let arguments = json!({ "code": "return await tools.odd({ n: 1 })", "description": "one" });
    let result = registry
        .execute(CallRequest::new("call-1", "run_code", arguments))
        .await;
    assert_eq!(result.value().unwrap()["result"], json!(1));
    drop(registry);
    assert_eq!(export.shutdown().await, 2);
}

#[tokio::test]
async fn an_endpoint_that_is_no_url_is_refused() {
    let refused = otlp::start("localhost:4318").unwrap_err();
    assert!(
        refused.to_string().contains("http://localhost:4318"),
        "{refused}"
    );
}
