//! Tools, calls and listeners for the suites of the pipeline.

#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::{
    future::Future,
    sync::{Arc, Mutex},
};

use lockgate::{
    CallRequest, Json, Registry, RegistryBuilder, RunContext, Tool, ToolBuilder, ToolError,
    ToolResult,
    events::{Event, EventSink, InvariantChecker},
    json,
};

/// Fails the test in which an invariant of the event stream broke (SPEC M1).
#[derive(Default)]
struct Checked(InvariantChecker);

impl EventSink for Checked {
    fn record(&self, event: &Event) {
        self.0.record(event);
    }
}

impl Drop for Checked {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_eq!(self.0.violations(), [""; 0], "SPEC M1");
        }
    }
}

/// A builder whose registry checks its own event stream.
pub(crate) fn checked() -> RegistryBuilder {
    Registry::builder().events(Arc::new(Checked::default()))
}

/// A tool without arguments whose value is its own name.
pub(crate) fn named(name: &str) -> Tool {
    let value = Json::from(name);
    with_body(name, move |_, _| {
        let value = value.clone();
        async move { Ok(value) }
    })
}

/// A tool with this body, any arguments, and any value.
pub(crate) fn with_body<F, Fut>(name: &str, body: F) -> Tool
where
    F: Fn(Json, RunContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Json, ToolError>> + Send + 'static,
{
    open(name).execute(body).build().unwrap()
}

/// A builder with any arguments and any value.
pub(crate) fn open(name: &str) -> ToolBuilder {
    Tool::builder(name, format!("The tool {name}."))
        .parameters(&json!({"type": "object"}))
        .output(&json!({}))
}

/// Calls a tool of the registry, without an agent.
pub(crate) async fn call(registry: &Registry, name: &str) -> ToolResult {
    registry
        .execute(CallRequest::new("c", name, json!({})))
        .await
}

/// What happened, in order.
#[derive(Clone, Default)]
pub(crate) struct Trail(Arc<Mutex<Vec<String>>>);

impl Trail {
    pub(crate) fn add(&self, step: impl Into<String>) {
        self.0.lock().unwrap().push(step.into());
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// The message of a failed call.
#[track_caller]
pub(crate) fn message(result: &ToolResult) -> &str {
    &result.error().expect("the call should have failed").message
}

/// The stable code of a failed call.
#[track_caller]
pub(crate) fn code(result: &ToolResult) -> &'static str {
    result
        .error()
        .expect("the call should have failed")
        .code()
        .map_or("none", |code| code.as_str())
}

/// A checked registry with this tool.
pub(crate) fn registry_with(tool: Tool) -> Registry {
    let registry = checked().build().unwrap();
    registry.register(tool).unwrap().keep();
    registry
}
