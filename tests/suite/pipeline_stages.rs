//! The stages of a call: their order, what each may change, what ends a call early (SPEC C, E, F).

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds nothing to look at fails"
)]

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use lockgate::{
    Approval, ApprovalOutcome, ApprovalRequest, BoxFuture, CallRequest, Content, ContextMessage,
    Decision, Execution, Receipt, Tool, ToolError, ToolResult, Verdict, json,
};
use tokio_util::sync::CancellationToken;

use crate::pipeline_support::{
    Trail, call, checked, code, message, named, open, registry_with, with_body,
};

// SPEC E: the order of the stages.
#[tokio::test]
async fn e_the_stages_run_in_their_order_and_once() {
    let trail = Trail::default();
    let t = trail.clone();
    let body = with_body("x", move |_, _| {
        t.add("body");
        async { Ok(json!(1)) }
    });
    let registry = registry_with(body);
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
        .guard(move |_| {
            t.add("guard");
            None
        })
        .unwrap()
        .keep();
    for name in ["outer", "inner"] {
        let t = trail.clone();
        registry
            .on_execute(move |_, next| {
                let t = t.clone();
                async move {
                    t.add(format!("{name} in"));
                    let ended = next.run().await;
                    t.add(format!("{name} out"));
                    ended
                }
            })
            .unwrap()
            .keep();
    }
    let t = trail.clone();
    registry
        .on_post_execute(move |_, next| {
            t.add("post");
            next.run()
        })
        .unwrap()
        .keep();
    let t = trail.clone();
    registry
        .on_result(move |_, _| t.add("result"))
        .unwrap()
        .keep();
    assert_eq!(call(&registry, "x").await.value(), Some(&json!(1)));
    assert_eq!(
        trail.take(),
        [
            "pre",
            "guard",
            "outer in",
            "inner in",
            "body",
            "inner out",
            "outer out",
            "post",
            "result"
        ]
    );
}

// SPEC E1
#[tokio::test]
async fn e1_bad_arguments_skip_policy_and_body_and_have_one_result() {
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
        .on_result(move |call, result| t.add(format!("{} {}", call.id(), result.is_error())))
        .unwrap()
        .keep();
    let result = registry
        .execute(CallRequest::from_text("bad", "x", "{\"a\": -0}"))
        .await;
    assert_eq!(code(&result), "INVALID_ARGS");
    assert_eq!(result.receipt(), Receipt::NeverStarted);
    assert_eq!(trail.take(), ["bad true"]);
}

// SPEC E1: the token has no text.
#[tokio::test]
async fn e1_tokens_are_fresh_and_opaque() {
    let tokens = Arc::new(std::sync::Mutex::new(Vec::new()));
    let registry = registry_with(named("x"));
    let seen = tokens.clone();
    registry
        .on_result(move |call, _| seen.lock().unwrap().push(call.token()))
        .unwrap()
        .keep();
    call(&registry, "x").await;
    call(&registry, "x").await;
    let tokens = tokens.lock().unwrap();
    assert_ne!(tokens[0], tokens[1]);
    assert_eq!(format!("{:?}", tokens[0]), "CallToken(..)");
}

// SPEC E2
#[tokio::test]
async fn e2_an_unknown_name_meets_policy_then_fails_with_a_near_one() {
    let trail = Trail::default();
    let registry = registry_with(named("read_file"));
    let t = trail.clone();
    registry
        .guard(move |call| {
            t.add(call.name().to_string());
            None
        })
        .unwrap()
        .keep();
    let result = call(&registry, "raed_file").await;
    assert_eq!(code(&result), "UNKNOWN_TOOL");
    assert!(
        message(&result).contains("read_file"),
        "{}",
        message(&result)
    );
    assert_eq!(trail.take(), ["raed_file"]);
}

// SPEC E3
#[tokio::test]
async fn e3_a_gate_denies_with_its_reason_and_later_gates_can_only_be_stricter_through_it() {
    let registry = registry_with(named("x"));
    let gate = registry
        .on_pre_execute(|_, _| async { Ok(Decision::deny("closed on Mondays")) })
        .unwrap();
    let result = call(&registry, "x").await;
    assert_eq!(
        (message(&result), result.receipt()),
        ("closed on Mondays", Receipt::Denied)
    );
    assert_eq!(
        result.content(),
        [Content::text("Error: closed on Mondays")]
    );
    gate.dispose();
    assert!(!call(&registry, "x").await.is_error());
}

struct Answers(ApprovalOutcome);

impl Approval for Answers {
    fn request(&self, request: ApprovalRequest) -> BoxFuture<'_, ApprovalOutcome> {
        assert_eq!(request.call.arguments(), &json!({"a": 1}));
        Box::pin(async { self.0.clone() })
    }
}

async fn asked(approval: Option<ApprovalOutcome>, with_agent: bool) -> ToolResult {
    let mut builder = checked();
    if let Some(outcome) = approval {
        builder = builder.approval(Answers(outcome));
    }
    let registry = builder.build().unwrap();
    registry.register(named("x")).unwrap().keep();
    registry
        .on_pre_execute(|_, _| async {
            Ok(Decision::Ask {
                reason: Some("it is Monday".into()),
            })
        })
        .unwrap()
        .keep();
    let mut request = CallRequest::new("c", "x", json!({"a": 1}));
    if with_agent {
        request = request.agent(&registry.scope("agent"));
    }
    registry.execute(request).await
}

// SPEC E3: each outcome of an approval has its own text.
#[tokio::test]
async fn e3_ask_goes_to_the_approval_service() {
    assert!(
        !asked(Some(ApprovalOutcome::AllowedOnce), true)
            .await
            .is_error()
    );
    let rejected = ApprovalOutcome::Rejected {
        reason: Some("not today".into()),
    };
    let cases = [
        (Some(rejected), true, "not today"),
        (
            Some(ApprovalOutcome::Rejected { reason: None }),
            true,
            "was rejected",
        ),
        (Some(ApprovalOutcome::Cancelled), true, "was cancelled"),
        (
            Some(ApprovalOutcome::Unavailable),
            true,
            "nobody can be asked",
        ),
        (None, true, "no approval service"),
        (Some(ApprovalOutcome::AllowedOnce), false, "no agent"),
    ];
    let mut texts = std::collections::BTreeSet::new();
    for (outcome, with_agent, says) in cases {
        let result = asked(outcome, with_agent).await;
        assert!(message(&result).contains(says), "{}", message(&result));
        assert_eq!(result.receipt(), Receipt::Denied);
        texts.insert(message(&result).to_owned());
    }
    assert_eq!(texts.len(), 6);
}

// SPEC E4
#[tokio::test]
async fn e4_guards_run_global_first_then_far_to_near_and_the_first_reason_denies() {
    let trail = Trail::default();
    let registry = registry_with(named("x"));
    let preset = registry.scope("preset");
    let agent = preset.child("agent");
    let add = |name: &'static str, reason: Option<&'static str>| {
        let trail = trail.clone();
        move |_: &lockgate::ToolCall| {
            trail.add(name);
            reason.map(str::to_owned)
        }
    };
    agent
        .guard(add("agent", Some("no from the agent")))
        .unwrap()
        .keep();
    preset
        .guard(add("preset", Some("no from the preset")))
        .unwrap()
        .keep();
    registry.guard(add("global", None)).unwrap().keep();
    // A gate that allows turns nothing back.
    registry
        .on_pre_execute(|_, _| async { Ok(Decision::Allow) })
        .unwrap()
        .keep();
    let result = registry
        .execute(CallRequest::new("c", "x", json!({})).agent(&agent))
        .await;
    assert_eq!(message(&result), "no from the preset");
    assert_eq!(trail.take(), ["global", "preset"]);
    // SPEC E12: a call without an agent meets only global policy.
    assert!(!call(&registry, "x").await.is_error());
    assert_eq!(trail.take(), ["global"]);
}

// SPEC E4, C4: fail closed.
#[tokio::test]
async fn e4_a_guard_that_panics_denies() {
    let registry = registry_with(named("x"));
    registry.guard(|_| panic!("boom")).unwrap().keep();
    let result = call(&registry, "x").await;
    assert!(
        message(&result).contains("guard panicked: boom"),
        "{}",
        message(&result)
    );
    assert_eq!(result.receipt(), Receipt::Denied);
}

#[tokio::test]
async fn a_guard_may_register_a_guard() {
    let registry = registry_with(named("x"));
    let handle = registry.clone();
    let once = AtomicBool::new(false);
    registry
        .guard(move |_| {
            if !once.swap(true, Ordering::Relaxed) {
                handle
                    .guard(|_| Some("from the second guard".into()))
                    .unwrap()
                    .keep();
            }
            None
        })
        .unwrap()
        .keep();
    assert!(
        !call(&registry, "x").await.is_error(),
        "the guards of a call are those of its start"
    );
    assert_eq!(
        message(&call(&registry, "x").await),
        "from the second guard"
    );
}

// SPEC E5
#[tokio::test]
async fn e5_a_layer_may_answer_and_its_answer_is_checked_and_rendered() {
    let tool = Tool::builder("n", "A number.")
        .parameters(&json!({"type": "object"}))
        .output(&json!({"type": "integer"}))
        .render(|_, value| Ok(vec![Content::text(format!("number {value}"))]))
        .execute(|_, _| async { panic!("not reached") })
        .build()
        .unwrap();
    let registry = registry_with(tool);
    let answer = registry
        .on_execute(|_, _| async { Ok(Execution::success(json!(7))) })
        .unwrap();
    let result = call(&registry, "n").await;
    assert_eq!(
        (result.value(), result.text().as_str()),
        (Some(&json!(7)), "number 7")
    );
    answer.dispose();
    registry
        .on_execute(|_, _| async { Ok(Execution::success(json!("seven"))) })
        .unwrap()
        .keep();
    assert_eq!(code(&call(&registry, "n").await), "INVALID_TOOL_OUTPUT");
}

// SPEC E5: a result cached from another call is checked again.
#[tokio::test]
async fn e5_a_result_of_another_call_is_rendered_for_this_one() {
    let tool = open("x")
        .render(|args, value| Ok(vec![Content::text(format!("{args} {value}"))]))
        .execute(|_, _| async { Ok(json!(1)) })
        .build()
        .unwrap();
    let registry = registry_with(tool);
    let kept = Arc::new(std::sync::Mutex::new(None::<Execution>));
    registry
        .on_execute(move |_, next| {
            let kept = kept.clone();
            async move {
                if let Some(execution) = kept.lock().unwrap().clone() {
                    return Ok(execution);
                }
                let execution = next.run().await?;
                *kept.lock().unwrap() = Some(execution.clone());
                Ok(execution)
            }
        })
        .unwrap()
        .keep();
    let text = async |n: i64| {
        registry
            .execute(CallRequest::new("c", "x", json!({"n": n})))
            .await
            .text()
    };
    assert_eq!(text(1).await, "{\"n\":1} 1");
    assert_eq!(text(2).await, "{\"n\":2} 1");
}

// SPEC E5, F1: both signals reach the body.
#[tokio::test]
async fn e5_a_layers_signal_is_fused_with_the_callers() {
    for by_caller in [true, false] {
        let registry = registry_with(with_body("wait", |_, context| async move {
            context.signal().cancelled().await;
            Err(ToolError::new("stopped"))
        }));
        let own = CancellationToken::new();
        let given = own.clone();
        registry
            .on_execute(move |_, next| next.with_signal(given.clone()).run())
            .unwrap()
            .keep();
        let caller = CancellationToken::new();
        let request = CallRequest::new("c", "wait", json!({})).signal(caller.clone());
        let cancel = async {
            tokio::time::sleep(Duration::from_millis(5)).await;
            if by_caller {
                caller.cancel()
            } else {
                own.cancel()
            }
        };
        let (result, ()) = tokio::join!(registry.execute(request), cancel);
        assert_eq!(message(&result), "stopped");
    }
}

// SPEC E6
#[tokio::test]
async fn e6_a_tools_failure_passes_post_execute_and_a_listeners_own_is_final() {
    let trail = Trail::default();
    let registry = registry_with(with_body("x", |_, _| async {
        Err(ToolError::new("tool failed"))
    }));
    let t = trail.clone();
    registry
        .on_post_execute(move |settled, next| {
            t.add(
                settled
                    .error()
                    .map(|error| error.message.to_string())
                    .unwrap_or_default(),
            );
            next.run()
        })
        .unwrap()
        .keep();
    call(&registry, "x").await;
    assert_eq!(trail.take(), ["tool failed"]);
    call(&registry, "unknown").await;
    assert_eq!(trail.take(), ["there is no tool `unknown`"]);

    for stage in 0..2 {
        let broken = if stage == 0 {
            registry
                .on_pre_execute(|_, _| async { Err(ToolError::new("gate broke")) })
                .unwrap()
        } else {
            registry
                .on_execute(|_, _| async { Err(ToolError::new("layer broke")) })
                .unwrap()
        };
        let result = call(&registry, "x").await;
        assert!(message(&result).ends_with("broke"), "{}", message(&result));
        assert_eq!(trail.take(), [""; 0], "stage {stage}");
        broken.dispose();
    }
}

// SPEC E7
#[tokio::test]
async fn e7_post_execute_replaces_content_or_value_never_both() {
    let tool = Tool::builder("n", "A number.")
        .parameters(&json!({"type": "object"}))
        .output(&json!({"type": "integer"}))
        .execute(|_, _| async { Ok(json!(1)) })
        .build()
        .unwrap();
    let registry = registry_with(tool);
    let judged = async |verdict: fn() -> Verdict| {
        let listener = registry
            .on_post_execute(move |_, _| async move { Ok(verdict()) })
            .unwrap();
        let result = call(&registry, "n").await;
        listener.dispose();
        result
    };
    let content = judged(|| Verdict::accept().with_content(vec!["hidden".into()])).await;
    assert_eq!(
        (content.value(), content.text().as_str()),
        (Some(&json!(1)), "hidden")
    );
    let value = judged(|| Verdict::accept().with_value(json!(2))).await;
    assert_eq!(
        (value.value(), value.text().as_str()),
        (Some(&json!(2)), "2")
    );
    let invalid = judged(|| Verdict::accept().with_value(json!("two"))).await;
    assert_eq!(code(&invalid), "INVALID_TOOL_OUTPUT");
    let both = judged(|| {
        Verdict::accept()
            .with_value(json!(2))
            .with_content(Vec::new())
    })
    .await;
    assert!(message(&both).contains("both"), "{}", message(&both));
    let blocked = judged(|| Verdict::block("try with less")).await;
    assert_eq!(
        (message(&blocked), blocked.value(), blocked.receipt()),
        ("try with less", None, Receipt::Failed)
    );
}

// SPEC E7
#[tokio::test]
async fn e7_replacing_the_value_of_a_failure_is_an_error() {
    let registry = registry_with(with_body("x", |_, _| async {
        Err(ToolError::new("tool failed"))
    }));
    registry
        .on_post_execute(|_, _| async { Ok(Verdict::accept().with_value(json!(1))) })
        .unwrap()
        .keep();
    let result = call(&registry, "x").await;
    assert!(
        message(&result).contains("replaced the value"),
        "{}",
        message(&result)
    );
    assert!(
        message(&result).contains("tool failed"),
        "{}",
        message(&result)
    );
}

// SPEC E8
#[tokio::test]
async fn e8_finalize_content_runs_once_for_every_outcome() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = runs.clone();
    let tool = open("x")
        .execute(|args, _| async move {
            if args.get("fail").is_some() {
                Err(ToolError::new("no"))
            } else {
                Ok(json!(1))
            }
        })
        .finalize_content(move |_, result| {
            counted.fetch_add(1, Ordering::Relaxed);
            Some(vec![Content::text(format!("final {}", result.is_error()))])
        })
        .build()
        .unwrap();
    let registry = registry_with(tool);
    let run = async |request: CallRequest, text: &str| {
        let result = registry.execute(request).await;
        assert_eq!(
            (result.text().as_str(), runs.swap(0, Ordering::Relaxed)),
            (text, 1)
        );
    };
    run(CallRequest::new("c", "x", json!({})), "final false").await;
    run(CallRequest::new("c", "x", json!({"fail": 1})), "final true").await;
    run(CallRequest::from_text("c", "x", "nonsense"), "final true").await;
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    run(
        CallRequest::new("c", "x", json!({})).signal(cancelled),
        "final true",
    )
    .await;
    let gate = registry
        .on_pre_execute(|_, _| async { Err(ToolError::new("broke")) })
        .unwrap();
    run(CallRequest::new("c", "x", json!({})), "final true").await;
    gate.dispose();
    registry.guard(|_| Some("no".into())).unwrap().keep();
    run(CallRequest::new("c", "x", json!({})), "final true").await;
}

// SPEC E8
#[tokio::test]
async fn e8_finalize_content_that_panics_makes_an_error_result() {
    let tool = open("x")
        .execute(|_, _| async { Ok(json!(1)) })
        .finalize_content(|_, _| panic!("boom"))
        .build()
        .unwrap();
    let result = call(&registry_with(tool), "x").await;
    assert!(
        message(&result).contains("finalize_content") && message(&result).contains("boom"),
        "{}",
        message(&result)
    );
    assert_eq!(result.value(), None);
}

// SPEC E9
#[tokio::test]
async fn e9_observers_see_the_very_result_and_one_that_panics_is_contained() {
    let registry = registry_with(named("x"));
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    registry.on_result(|_, _| panic!("boom")).unwrap().keep();
    let kept = seen.clone();
    registry
        .on_result(move |_, result| kept.lock().unwrap().push(result.clone()))
        .unwrap()
        .keep();
    let result = call(&registry, "x").await;
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 1);
    assert!(seen[0].ptr_eq(&result));
}

// SPEC E10, C5, F3
#[tokio::test]
async fn e10_contexts_come_from_the_tool_then_layers_then_policy() {
    let registry = registry_with(with_body("x", |_, context| async move {
        context.defer_context(ContextMessage::text("tool"));
        context.conclude_turn();
        Ok(json!(1))
    }));
    registry
        .on_execute(|invocation, next| async move {
            invocation.defer_context(ContextMessage::text("layer"));
            next.run().await
        })
        .unwrap()
        .keep();
    let verdict = registry
        .on_post_execute(|_, _| async {
            Ok(Verdict::accept().with_context(ContextMessage::text("policy")))
        })
        .unwrap();
    let texts = |result: &ToolResult| {
        let contexts = result.additional_contexts().iter();
        contexts
            .map(|context| context.content[0].as_text().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let result = call(&registry, "x").await;
    assert_eq!(texts(&result), ["tool", "layer", "policy"]);
    assert!(result.concludes_turn());
    verdict.dispose();
    // SPEC E7: a block drops what the tool deferred.
    registry
        .on_post_execute(|_, _| async { Ok(Verdict::block("no")) })
        .unwrap()
        .keep();
    let result = call(&registry, "x").await;
    assert_eq!(texts(&result), ["layer"]);
    assert!(!result.concludes_turn());
}

// SPEC E10
#[tokio::test]
async fn e10_presentation_metadata_is_for_top_level_calls() {
    let tool = open("x")
        .presentation_meta(|_, value| Ok(json!({"of": (value.clone())})))
        .execute(|_, _| async { Ok(json!(1)) })
        .build()
        .unwrap();
    let registry = registry_with(tool);
    assert_eq!(call(&registry, "x").await.meta(), Some(&json!({"of": 1})));
    let parent = Arc::new(std::sync::Mutex::new(None));
    let kept = parent.clone();
    registry
        .on_result(move |call, _| *kept.lock().unwrap() = Some(call.clone()))
        .unwrap()
        .keep();
    call(&registry, "x").await;
    let parent = parent.lock().unwrap().take().unwrap();
    let result = registry
        .execute(CallRequest::new("sub", "x", json!({})).parent(&parent))
        .await;
    assert_eq!((result.value(), result.meta()), (Some(&json!(1)), None));
}

// SPEC C3
#[tokio::test]
async fn c3_every_violation_of_the_arguments_is_listed_before_the_body_runs() {
    let tool = Tool::builder("x", "")
        .parameters(&json!({
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
            "required": ["a", "b"]
        }))
        .output(&json!({}))
        .execute(|_, _| async { panic!("not reached") })
        .concurrency_safe_if(|_| panic!("not reached"))
        .present_call(|_| panic!("not reached"))
        .build()
        .unwrap();
    // Old arguments of a replay are soft errors.
    assert!(!tool.is_concurrency_safe(&json!({"a": "old"})));
    assert_eq!(
        tool.present_call(&json!({"a": "old"})),
        lockgate::ToolCallView::generic("x")
    );
    let registry = registry_with(tool);
    let result = registry
        .execute(CallRequest::new("c", "x", json!({"a": "1"})))
        .await;
    assert_eq!(code(&result), "INVALID_ARGS");
    assert!(
        message(&result).contains("args.a") && message(&result).contains("b"),
        "{}",
        message(&result)
    );
}

// SPEC C4
#[tokio::test]
async fn c4_a_panic_anywhere_in_a_tool_is_that_calls_error() {
    fn tool(at: &'static str) -> Tool {
        let mut builder = open("x").execute(move |_, _| {
            assert!(at != "call", "boom");
            async move {
                assert!(at != "body", "boom");
                Ok(json!(1))
            }
        });
        match at {
            "render" => builder = builder.render(|_, _| panic!("boom")),
            "meta" => builder = builder.presentation_meta(|_, _| panic!("boom")),
            "classify" => builder = builder.concurrency_safe_if(|_| panic!("boom")),
            "present" => {
                builder = builder
                    .present_call(|_| panic!("boom"))
                    .present_result(|_, _| panic!("boom"));
            }
            _ => {}
        }
        builder.build().unwrap()
    }
    for at in ["call", "body", "render", "meta"] {
        let registry = registry_with(tool(at));
        registry.register(named("other")).unwrap().keep();
        let result = call(&registry, "x").await;
        assert!(
            message(&result).contains("boom"),
            "{at}: {}",
            message(&result)
        );
        assert!(!call(&registry, "other").await.is_error(), "{at}");
    }
    assert!(!tool("classify").is_concurrency_safe(&json!({})));
    let shy = tool("present");
    assert_eq!(
        shy.present_call(&json!({})),
        lockgate::ToolCallView::generic("x")
    );
    let result = call(&registry_with(tool("present")), "x").await;
    assert_eq!(
        shy.present_result(&json!({}), &result),
        lockgate::ToolResultView::generic("x")
    );
}

// SPEC E13
#[tokio::test]
async fn e13_the_stages_one_by_one_give_what_execute_gives() {
    let registry = registry_with(named("x"));
    let prepared = registry
        .prepare(CallRequest::new("c", "x", json!({})))
        .await;
    assert!(prepared.is_approved());
    let dispatched = registry.dispatch(prepared).await;
    let finalized = registry.finalize(dispatched).await;
    let staged = registry.finish(finalized);
    assert_eq!(staged, call(&registry, "x").await);
    registry.guard(|_| Some("no".into())).unwrap().keep();
    let prepared = registry
        .prepare(CallRequest::new("c", "x", json!({})))
        .await;
    assert!(!prepared.is_approved());
    let dispatched = registry.dispatch(prepared).await;
    let finalized = registry.finalize(dispatched).await;
    assert_eq!(registry.finish(finalized), call(&registry, "x").await);
}
