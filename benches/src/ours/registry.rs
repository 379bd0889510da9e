//! A registry with the tools of the programs, and what those do.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lockgate::code_runtime::{CodeLimits, CodeRuntime};
use lockgate::events::{Event, EventSink};
use lockgate::{CallRequest, Json, Mode, Registry, Tool, json};

use super::{Failed, RunProgram};

/// What the tools of the programs share.
#[derive(Clone)]
pub(super) struct Tools {
    pub(super) report: Json,
    pub(super) hanging: Arc<AtomicUsize>,
}

/// The names of the tools, in the order of their indices.
pub(super) const NAMES: [&str; 4] = ["noop", "report", "sleep", "hang"];

impl Tools {
    /// What a tool gives. The boxed future of `hang` never ends.
    pub(super) fn call(
        &self,
        name: &str,
        arguments: &Json,
    ) -> impl Future<Output = Json> + Send + use<> {
        let ms = arguments.get("ms").and_then(Json::as_u64).unwrap_or(0);
        let tools = self.clone();
        let sleeps = name == "sleep";
        let hangs = name == "hang";
        let answer = if name == "report" {
            self.report.clone()
        } else {
            Json::Null
        };
        async move {
            if sleeps {
                tokio::time::sleep(Duration::from_millis(ms)).await;
            }
            if hangs {
                tools.hanging.fetch_add(1, Ordering::Relaxed);
                std::future::pending::<()>().await;
            }
            answer
        }
    }
}

/// Takes events and keeps none: a recorder would fill the memory.
#[derive(Default)]
struct Counted(AtomicUsize);

impl EventSink for Counted {
    fn record(&self, _event: &Event) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A registry with the tools of the programs.
pub(super) fn registry(
    sandbox: Arc<dyn CodeRuntime>,
    limits: CodeLimits,
    tools: &Tools,
    guarded: bool,
) -> Result<Registry, Failed> {
    let mut builder = Registry::builder()
        .mode(Mode::Code)
        .code_runtime(sandbox)
        .code_limits(limits);
    if guarded {
        builder = builder.events(Arc::new(Counted::default()));
    }
    let registry = builder.build()?;
    for name in NAMES {
        let tools = tools.clone();
        let tool = Tool::builder(name, "A tool of the benchmarks.")
            .parameters(&json!({"type": "object"}))
            .output(&json!({}))
            .concurrency_safe(true)
            .execute(move |arguments, _| {
                let answer = tools.call(name, &arguments);
                async move { Ok(answer.await) }
            })
            .build()?;
        registry.register(tool)?.keep();
    }
    if guarded {
        registry
            .on_pre_execute(|_, next| async move { next.run().await })?
            .keep();
        registry.guard(|_| None)?.keep();
        registry
            .on_execute(lockgate::layers::Timeout::new().into_layer())?
            .keep();
        registry
            .on_post_execute(|_, next| async move { next.run().await })?
            .keep();
        registry
            .on_result(lockgate::layers::Metrics::new().observer())?
            .keep();
    }
    Ok(registry)
}

impl RunProgram for Registry {
    fn run<'a>(&'a self, source: &'a str) -> lockgate::BoxFuture<'a, Result<Json, Failed>> {
        Box::pin(async move {
            let arguments = json!({"code": source, "description": "a benchmark"});
            let result = self
                .execute(CallRequest::new("bench", "run_code", arguments))
                .await;
            match result.value() {
                Some(value) => Ok(value.get("result").cloned().unwrap_or(Json::Null)),
                None => Err(result.text().into()),
            }
        })
    }
}
