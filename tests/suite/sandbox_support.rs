//! A sandbox, and calls with scripted outcomes, for the suites of the sandbox.
#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use lockgate::code_runtime::{
    Binding, CallCompletion, CallHandler, CodeFailure, CodeLanguage, CodeLimits, CodeRequest,
    CodeResult, CodeRuntime, FailureKind, Limit, ProgramCall,
};
use lockgate::sandbox::{CachePolicy, Engine, Sandbox, SandboxError};
use lockgate::{Json, json};

/// Compiled guests are kept beside the test binary.
pub(crate) fn cache() -> CachePolicy {
    CachePolicy::Directory(Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled-guests"))
}

/// What is expected of the engine of this suite: the one thing of QuickJS, the other of Boa. Each use is a difference
/// that LIMITATIONS.md tells.
pub(crate) fn by_engine<T>(quickjs: T, boa: T) -> T {
    match super::ENGINE {
        Engine::Boa => boa,
        _ => quickjs,
    }
}

/// Builds a sandbox on the engine of this suite.
pub(crate) fn sandbox(language: CodeLanguage) -> Sandbox {
    Sandbox::builder()
        .language(language)
        .engine(super::ENGINE)
        .cache(cache())
        .build_blocking()
        .unwrap()
}

/// The sandboxes that most tests share.
pub(crate) static JAVASCRIPT: LazyLock<Sandbox> =
    LazyLock::new(|| sandbox(CodeLanguage::JavaScript));
pub(crate) static TYPESCRIPT: LazyLock<Sandbox> =
    LazyLock::new(|| sandbox(CodeLanguage::TypeScript));

/// The functions of `tools` in the tests; what they do is in [`Script`].
pub(crate) const FUNCTIONS: [&str; 7] = ["echo", "fail", "sleep", "hang", "drop", "big", "a-b"];

/// The binding of the functions.
pub(crate) fn tools() -> Vec<Binding> {
    vec![Binding {
        global: "tools".into(),
        functions: FUNCTIONS.map(Arc::from).to_vec(),
    }]
}

/// Calls with fixed outcomes by the name of the function.
#[derive(Default)]
pub(crate) struct Script {
    running: FuturesUnordered<BoxFuture<'static, CallCompletion>>,
    hanging: usize,
    /// All calls, as they were submitted.
    pub(crate) submitted: Vec<ProgramCall>,
    /// Runs at each poll.
    pub(crate) polls: usize,
    /// The calls that ended before the program did.
    pub(crate) settled: Arc<Mutex<Vec<u32>>>,
}

impl CallHandler for Script {
    fn submit(&mut self, call: ProgramCall) {
        let id = call.id;
        let arguments = call.arguments.clone();
        let settled = Arc::clone(&self.settled);
        let field = |name: &str| {
            arguments
                .as_ref()
                .and_then(|json| json.get(name))
                .and_then(Json::as_u64)
                .unwrap_or(0)
        };
        let number = field("ms").max(field("bytes"));
        let name = FUNCTIONS[call.function];
        self.submitted.push(call);
        match name {
            "hang" => self.hanging += 1,
            // Never answered and never counted as unsettled: what a host does that forgets a call.
            "drop" => {}
            _ => self.running.push(Box::pin(async move {
                let outcome = match name {
                    "fail" => Err(format!("the tool failed{}", "!".repeat(number as usize))),
                    "sleep" => {
                        tokio::time::sleep(Duration::from_millis(number)).await;
                        Ok(json!(null))
                    }
                    "big" => Ok(Json::from("x".repeat(number as usize))),
                    _ => Ok(arguments.unwrap_or(json!({"nothing": true}))),
                };
                settled.lock().unwrap().push(id);
                CallCompletion { id, outcome }
            })),
        }
    }

    fn poll_completion(&mut self, cx: &mut Context<'_>) -> Poll<CallCompletion> {
        self.polls += 1;
        match self.running.poll_next_unpin(cx) {
            Poll::Ready(Some(completion)) => Poll::Ready(completion),
            _ => Poll::Pending,
        }
    }

    fn unsettled(&self) -> usize {
        self.running.len() + self.hanging
    }
}

/// Runs a program in JavaScript with limits.
pub(crate) async fn run_with(source: &str, limits: CodeLimits) -> (CodeResult, Script) {
    run_in(&JAVASCRIPT, source, limits).await
}

/// Runs a program with limits in a sandbox.
pub(crate) async fn run_in(
    sandbox: &Sandbox,
    source: &str,
    limits: CodeLimits,
) -> (CodeResult, Script) {
    let (bindings, mut script) = (tools(), Script::default());
    let mut request = CodeRequest::new(source, &bindings, &mut script);
    request.limits = limits;
    let result = sandbox.run(request).await.unwrap();
    (result, script)
}

/// Runs a program in JavaScript with the default limits.
pub(crate) async fn run(source: &str) -> CodeResult {
    run_with(source, CodeLimits::default()).await.0
}

/// Runs a program that returns a value.
pub(crate) async fn value(source: &str) -> Json {
    let result = run(source).await;
    result
        .outcome
        .unwrap_or_else(|failure| panic!("{source}\nfailed: {failure:#?}"))
        .expect("a value")
}

/// Runs a program that fails.
pub(crate) async fn failure(source: &str, limits: CodeLimits) -> CodeFailure {
    failure_of(run_with(source, limits).await.0, source)
}

/// The failure of a run that has one.
pub(crate) fn failure_of(result: CodeResult, source: &str) -> CodeFailure {
    match result.outcome {
        Ok(value) => panic!("{source}\nreturned {value:?}"),
        Err(failure) => failure,
    }
}

/// Checks the kind of a failure and the limit that it names.
#[track_caller]
pub(crate) fn expect_limit(failure: &CodeFailure, kind: FailureKind, limit: Limit, value: u64) {
    let hit = failure
        .limit
        .unwrap_or_else(|| panic!("names no limit: {failure:#?}"));
    assert_eq!(
        (failure.kind, hit.limit, hit.value),
        (kind, limit, value),
        "{failure:#?}"
    );
    assert!(
        failure.message.contains(&value.to_string()),
        "the message says the value: {}",
        failure.message
    );
}

/// The next run in the same sandbox is unaffected.
pub(crate) async fn expect_unaffected() {
    assert_eq!(
        value("const r = await tools.echo({a: 1}); return r.a + 1").await,
        json!(2)
    );
}

/// A new sandbox for a language. None says why there is none: the Python guest was not built (`cargo xtask guests python`);
/// with `LOCKGATE_REQUIRE_PYTHON` set, as in CI, that is a failure.
pub(crate) fn build(language: CodeLanguage) -> Option<Sandbox> {
    let mut builder = Sandbox::builder().language(language).cache(cache());
    if let Some(file) = std::env::var_os("LOCKGATE_PYTHON_GUEST") {
        builder = builder.python_guest(file);
    }
    match builder.build_blocking() {
        Ok(sandbox) => Some(sandbox),
        Err(missing @ SandboxError::PythonGuestMissing { .. }) => {
            assert!(
                std::env::var_os("LOCKGATE_REQUIRE_PYTHON").is_none(),
                "{missing}"
            );
            println!("skipped: {missing}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// The sandbox for Python that most tests share; see [`build`].
pub(crate) fn python() -> Option<&'static Sandbox> {
    static PYTHON: LazyLock<Option<Sandbox>> = LazyLock::new(|| build(CodeLanguage::Python));
    PYTHON.as_ref()
}
