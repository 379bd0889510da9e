//! Odd ends of a call: what it says of its effects, errors that fight back, calls that are given up.

use std::{
    fmt,
    future::poll_fn,
    panic::panic_any,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use lockgate::{
    BoxFuture, CallRequest, Change, Content, Decision, Execution, Json, Receipt, Registry,
    ToolError, Verdict,
    code_runtime::{
        CallCompletion, CodeLanguage, CodeRequest, CodeResult, CodeRuntime, CodeRuntimeError,
        Isolation, ProgramCall, Usage,
    },
    events::InvariantChecker,
    json,
    layers::Metrics,
};
use tokio_util::sync::CancellationToken;

use crate::pipeline_support::{Trail, call, checked, code, message, named, open, with_body};

/// A panic's payload that panics when it is dropped, with a payload that does too.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic_any(Fuse);
    }
}

struct Fuse;

impl Drop for Fuse {
    fn drop(&mut self) {
        panic!("the fuse");
    }
}

// SPEC C4
#[tokio::test]
async fn c4_a_panic_that_carries_a_panic_is_contained_everywhere() {
    let registry = checked().build().unwrap();
    registry
        .register(with_body("bomb", |_, _| async { panic_any(Bomb) }))
        .unwrap()
        .keep();
    registry.register(named("calm")).unwrap().keep();
    registry.on_result(|_, _| panic_any(Bomb)).unwrap().keep();
    assert!(message(&call(&registry, "bomb").await).contains("panicked"));
    let guard = registry.guard(|_| panic_any(Bomb)).unwrap();
    assert_eq!(call(&registry, "calm").await.receipt(), Receipt::Denied);
    drop(guard);
    let gate = registry
        .on_pre_execute(|_, _| async { panic_any(Bomb) })
        .unwrap();
    assert!(message(&call(&registry, "calm").await).contains("panicked"));
    drop(gate);
    assert!(!call(&registry, "calm").await.is_error());
}

// SPEC C4
#[tokio::test]
async fn c4_a_body_whose_destructor_panics_fails_its_call_alone() {
    struct Body;
    impl Future for Body {
        type Output = Result<Json, ToolError>;
        fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
            Poll::Ready(Ok(json!(1)))
        }
    }
    impl Drop for Body {
        fn drop(&mut self) {
            panic!("not so fast");
        }
    }
    let registry = checked().build().unwrap();
    registry
        .register(with_body("bomb", |_, _| Body))
        .unwrap()
        .keep();
    registry.register(named("calm")).unwrap().keep();
    let calls = ["bomb", "calm"].map(|name| CallRequest::new(name, name, json!({})));
    let results = registry.execute_batch(None, calls.into()).await;
    assert!(message(&results[0]).contains("not so fast"));
    assert!(!results[1].is_error());
}

// SPEC C4
#[tokio::test]
async fn c4_an_error_that_is_its_own_cause_ends() {
    #[derive(Debug)]
    struct Circle;
    impl fmt::Display for Circle {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("round and round")
        }
    }
    impl std::error::Error for Circle {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&Circle)
        }
    }
    assert_eq!(ToolError::from(Circle).message(), "round and round");
}

// SPEC F2: a retry that is cancelled between its attempts has run a body.
#[tokio::test]
async fn f2_cancelled_between_two_attempts_is_cancelled_after() {
    let registry = checked().build().unwrap();
    registry.register(named("x")).unwrap().keep();
    registry
        .on_execute(|invocation, next| async move {
            let _first = next.clone().run().await?;
            invocation.call().signal().cancel();
            next.run().await
        })
        .unwrap()
        .keep();
    let result = call(&registry, "x").await;
    assert_eq!(
        (code(&result), result.receipt()),
        ("ABORTED", Receipt::CancelledAfter)
    );
}

#[tokio::test]
async fn a_receipt_says_whether_a_body_ran_whoever_failed_the_call() {
    let registry = checked().build().unwrap();
    registry.register(named("x")).unwrap().keep();

    let layer = registry
        .on_execute(|_, _| async { Ok(Execution::failure(ToolError::new("not today"))) })
        .unwrap();
    assert_eq!(call(&registry, "x").await.receipt(), Receipt::NeverStarted);
    drop(layer);

    let listener = registry
        .on_post_execute(|_, _| async { Err(ToolError::new("the judge is ill")) })
        .unwrap();
    assert_eq!(call(&registry, "x").await.receipt(), Receipt::Failed);
    registry
        .on_pre_execute(|_, _| async { Ok(Decision::deny("no")) })
        .unwrap()
        .keep();
    let result = call(&registry, "x").await;
    assert_eq!(
        (message(&result), result.receipt()),
        ("the judge is ill", Receipt::Denied)
    );
    drop(listener);
}

// SPEC F2, E11
#[tokio::test]
async fn f2_content_that_stood_for_a_success_does_not_stand_for_its_cancellation() {
    let registry = checked().build().unwrap();
    registry.register(named("x")).unwrap().keep();
    registry
        .on_post_execute(|settled, _| async move {
            settled.call().signal().cancel();
            Ok(Verdict::accept().with_content(vec![Content::text("all is well")]))
        })
        .unwrap()
        .keep();
    let result = call(&registry, "x").await;
    assert_eq!(code(&result), "ABORTED");
    assert!(result.text().starts_with("Error: "), "{}", result.text());
}

// SPEC D7
#[test]
fn d7_who_heard_of_a_refused_change_hears_that_it_is_gone() {
    let registry = checked().build().unwrap();
    let trail = Trail::default();
    let heard = trail.clone();
    let _first = registry.on_change(move |change| {
        heard.add(match change {
            Change::Registered { name, .. } => format!("+{name}"),
            Change::Disposed { name, .. } => format!("-{name}"),
            _ => "?".to_owned(),
        });
        Ok(())
    });
    let second = registry.on_change(|_| Err(ToolError::new("no")));
    registry.register(named("x")).unwrap_err();
    assert_eq!(trail.take(), ["+x", "-x"]);
    assert!(registry.get("x").is_none());
    drop(second);
    registry.register(named("x")).unwrap().keep();
    assert_eq!(trail.take(), ["+x"]);
}

// SPEC G3: what a call may do is read in the scope of that call.
#[tokio::test]
async fn g3_a_batch_classifies_each_call_in_its_own_scope() {
    let registry = checked().build().unwrap();
    let scope = registry.scope("agent");
    let running = Arc::new(AtomicU32::new(0));
    let most = Arc::new(AtomicU32::new(0));
    let (now, peak) = (running.clone(), most.clone());
    let tool = open("x")
        .concurrency_safe(true)
        .execute(move |_, _| {
            let (now, peak) = (now.clone(), peak.clone());
            async move {
                peak.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                now.fetch_sub(1, Ordering::SeqCst);
                Ok(json!(1))
            }
        })
        .build()
        .unwrap();
    scope.register(tool).unwrap().keep();
    let calls = (0..4)
        .map(|n| CallRequest::new(n.to_string(), "x", json!({})).agent(&scope))
        .collect();
    let results = registry.execute_batch(None, calls).await;
    assert!(results.iter().all(|result| !result.is_error()));
    assert_eq!(most.load(Ordering::SeqCst), 4);
}

/// Makes one call, lets it start, and ends.
struct Leaves;

impl CodeRuntime for Leaves {
    fn language(&self) -> CodeLanguage {
        CodeLanguage::JavaScript
    }

    fn isolation(&self) -> Isolation {
        Isolation::None
    }

    fn run<'a>(
        &'a self,
        request: CodeRequest<'a>,
    ) -> BoxFuture<'a, Result<CodeResult, CodeRuntimeError>> {
        Box::pin(async move {
            request.calls.submit(ProgramCall {
                id: 1,
                binding: 0,
                function: 0,
                arguments: None,
            });
            poll_fn(|cx| {
                let polled: Poll<CallCompletion> = request.calls.poll_completion(cx);
                assert!(polled.is_pending(), "the body never ends");
                Poll::Ready(())
            })
            .await;
            Ok(CodeResult {
                logs: Vec::new(),
                outcome: Ok(None),
                usage: Usage::default(),
                unsubmitted: Vec::new(),
            })
        })
    }

    fn dispose(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

// SPEC M1, K4: a body that is given up has its result, its event and its place in the counters like any other.
#[tokio::test]
async fn k4_a_call_that_is_given_up_settles_everywhere() {
    let checker = Arc::new(InvariantChecker::new());
    let registry = Registry::builder()
        .mode(lockgate::Mode::Both)
        .code_runtime(Arc::new(Leaves))
        .cancellation_grace(Duration::from_millis(10))
        .events(checker.clone())
        .build()
        .unwrap();
    let metrics = Metrics::new();
    registry.on_execute(metrics.layer()).unwrap().keep();
    registry.on_result(metrics.observer()).unwrap().keep();
    let deaf = with_body("deaf", |_, _| async { std::future::pending().await });
    registry.register(deaf).unwrap().keep();
    let arguments = json!({"code": "", "description": "leaves a call behind"});
    let result = registry
        .execute(CallRequest::new("c", "run_code", arguments).signal(CancellationToken::new()))
        .await;
    assert!(
        result.text().contains("did not end in time"),
        "{}",
        result.text()
    );
    assert_eq!(checker.violations(), [""; 0]);
    assert!(checker.unsettled().is_empty());
    let counted = metrics.snapshot();
    assert_eq!((counted.calls(), counted.running), (2, 0));
    assert_eq!(counted.with_receipt(Receipt::CancelledAfter), 1);
}

// A disposal between policy and body: what was approved does not run as something else.
#[tokio::test]
async fn a_tool_that_is_replaced_in_flight_does_not_run() {
    let registry = checked().build().unwrap();
    let first = registry.register(named("x")).unwrap();
    let prepared = registry
        .prepare(CallRequest::new("c", "x", json!({})))
        .await;
    first.dispose();
    registry.register(named("x")).unwrap().keep();
    let dispatched = registry.dispatch(prepared).await;
    let finalized = registry.finalize(dispatched).await;
    let result = registry.finish(finalized);
    assert_eq!(
        (code(&result), result.receipt()),
        ("UNKNOWN_TOOL", Receipt::NeverStarted)
    );
}

#[tokio::test]
async fn a_body_goes_on_when_its_tool_is_disposed() {
    let registry = checked().build().unwrap();
    let tool = with_body("x", |_, _| async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        Ok(Json::from(1))
    });
    let registration = registry.register(tool).unwrap();
    let dispose = async {
        tokio::time::sleep(Duration::from_millis(5)).await;
        registration.dispose();
    };
    let (result, ()) = tokio::join!(call(&registry, "x"), dispose);
    assert_eq!(result.value(), Some(&json!(1)));
}
