//! Cancellation: every place at which a signal can fire, and what becomes of the call (SPEC F).

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds nothing to look at fails"
)]

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use lockgate::{
    Approval, ApprovalOutcome, ApprovalRequest, BoxFuture, CallRequest, ContextMessage, Decision,
    Receipt, ToolError, ToolResult, json,
};
use tokio_util::sync::CancellationToken;

use crate::pipeline_support::{
    Trail, checked, code, message, named, open, registry_with, with_body,
};

// SPEC F2: cancelled at entry, everything is skipped but the one result.
#[tokio::test]
async fn f2_cancelled_at_entry() {
    let trail = Trail::default();
    let registry = registry_with(named("x"));
    let t = trail.clone();
    registry
        .on_pre_execute(move |_, next| {
            t.add("pre");
            next.run()
        })
        .unwrap()
        .keep();
    let t = trail.clone();
    registry
        .on_result(move |call, _| t.add(format!("result {}", call.arguments())))
        .unwrap()
        .keep();
    let signal = CancellationToken::new();
    signal.cancel();
    let result = registry
        .execute(CallRequest::new("c", "x", json!({"a": 1})).signal(signal))
        .await;
    assert_eq!(
        (code(&result), result.receipt()),
        ("ABORTED_BEFORE_DISPATCH", Receipt::CancelledBefore)
    );
    assert_eq!(trail.take(), ["result {\"a\":1}"]);
}

/// Runs `x` with a signal that fires at one place of the pipeline.
async fn cancelled_at(place: &'static str, body_fails: bool) -> (ToolResult, bool) {
    struct Slow(CancellationToken);
    impl Approval for Slow {
        fn request(&self, _: ApprovalRequest) -> BoxFuture<'_, ApprovalOutcome> {
            self.0.cancel();
            Box::pin(std::future::pending())
        }
    }
    let signal = CancellationToken::new();
    let fire = {
        let signal = signal.clone();
        move |here: &str| {
            if here == place {
                signal.cancel();
            }
        }
    };
    let ran = Arc::new(AtomicBool::new(false));
    let registry = checked().approval(Slow(signal.clone())).build().unwrap();
    let (f, r) = (fire.clone(), ran.clone());
    let tool = open("x")
        .execute(move |_, context| {
            r.store(true, Ordering::Relaxed);
            context.defer_context(ContextMessage::text("deferred"));
            f("body");
            async move {
                if body_fails {
                    Err(ToolError::new("own failure"))
                } else {
                    Ok(json!(1))
                }
            }
        })
        .finalize_content({
            let f = fire.clone();
            move |_, _| {
                f("finalize");
                None
            }
        })
        .build()
        .unwrap();
    registry.register(tool).unwrap().keep();
    let f = fire.clone();
    registry
        .on_pre_execute(move |_, next| {
            f("pre");
            async move {
                if place == "approval" {
                    Ok(Decision::Ask { reason: None })
                } else {
                    next.run().await
                }
            }
        })
        .unwrap()
        .keep();
    let f = fire.clone();
    registry
        .guard(move |_| {
            f("guard");
            None
        })
        .unwrap()
        .keep();
    let f = fire.clone();
    registry
        .on_execute(move |_, next| {
            f("wrapper");
            next.run()
        })
        .unwrap()
        .keep();
    let f = fire.clone();
    registry
        .on_post_execute(move |_, next| {
            f("post");
            next.run()
        })
        .unwrap()
        .keep();
    let agent = registry.scope("agent");
    let request = CallRequest::new("c", "x", json!({}))
        .signal(signal)
        .agent(&agent);
    (registry.execute(request).await, ran.load(Ordering::Relaxed))
}

// SPEC F2: every place at which a signal can fire.
#[tokio::test]
async fn f2_cancelled_before_the_body_nothing_ran_and_after_it_a_success_is_aborted() {
    for place in ["pre", "approval", "guard", "wrapper"] {
        let (result, ran) = cancelled_at(place, false).await;
        assert_eq!(
            (code(&result), result.receipt(), ran),
            ("ABORTED_BEFORE_DISPATCH", Receipt::CancelledBefore, false),
            "{place}"
        );
    }
    for place in ["body", "post"] {
        let (result, ran) = cancelled_at(place, false).await;
        assert_eq!(
            (code(&result), result.receipt(), ran),
            ("ABORTED", Receipt::CancelledAfter, true),
            "{place}"
        );
        // SPEC F3
        assert_eq!(
            result.additional_contexts(),
            [ContextMessage::text("deferred")],
            "{place}"
        );
        // A failure says more and stays.
        let (result, _) = cancelled_at(place, true).await;
        assert_eq!(message(&result), "own failure", "{place}");
    }
    // The result was frozen before its content was finalized.
    let (result, _) = cancelled_at("finalize", false).await;
    assert_eq!(result.value(), Some(&json!(1)));
}

// SPEC F1
#[tokio::test]
async fn f1_a_body_that_started_is_awaited() {
    let done = Arc::new(AtomicBool::new(false));
    let flag = done.clone();
    let registry = registry_with(with_body("x", move |_, _| {
        let flag = flag.clone();
        async move {
            tokio::time::sleep(Duration::from_millis(30)).await;
            flag.store(true, Ordering::Relaxed);
            Ok(json!(1))
        }
    }));
    let signal = CancellationToken::new();
    let request = CallRequest::new("c", "x", json!({})).signal(signal.clone());
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(5)).await;
        signal.cancel();
    };
    let (result, ()) = tokio::join!(registry.execute(request), cancel);
    assert_eq!(code(&result), "ABORTED");
    assert!(done.load(Ordering::Relaxed));
}
