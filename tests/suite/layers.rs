//! The ready-made layers, gates and sinks.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use lockgate::{
    CallRequest, Decision, Receipt, Registry, ToolError,
    events::{Event, EventSink, FanOut, InvariantChecker, JsonLines, Recorder},
    json,
    layers::{Action, Metrics, Policy, Retry, Timeout},
};

use crate::pipeline_support::{call, checked, code, message, named, open, with_body};

// SPEC C1, E11
#[tokio::test]
async fn a_timeout_cancels_and_awaits_the_body() {
    let ended = Arc::new(AtomicU32::new(0));
    let count = ended.clone();
    let registry = checked().build().unwrap();
    let tool = open("slow")
        .timeout(Duration::from_millis(20))
        .execute(move |_, context| {
            let count = count.clone();
            async move {
                context.signal().cancelled().await;
                tokio::time::sleep(Duration::from_millis(20)).await;
                count.fetch_add(1, Ordering::Relaxed);
                Ok(json!("late"))
            }
        })
        .build()
        .unwrap();
    registry.register(tool).unwrap().keep();
    registry.register(named("quick")).unwrap().keep();
    registry
        .on_execute(Timeout::new().into_layer())
        .unwrap()
        .keep();
    let result = call(&registry, "slow").await;
    assert_eq!(
        (code(&result), result.receipt()),
        ("TOOL_TIMEOUT", Receipt::Failed)
    );
    assert!(message(&result).contains("20 ms"), "{}", message(&result));
    assert_eq!(ended.load(Ordering::Relaxed), 1, "the body was awaited");
    assert!(!call(&registry, "quick").await.is_error());
}

#[tokio::test]
async fn a_body_that_ignores_its_timeout_is_dropped_after_the_grace() {
    let registry = checked().build().unwrap();
    registry
        .register(with_body("deaf", |_, _| std::future::pending()))
        .unwrap()
        .keep();
    let timeout = Timeout::new()
        .default_timeout(Duration::from_millis(10))
        .grace(Duration::from_millis(30));
    registry.on_execute(timeout.into_layer()).unwrap().keep();
    let began = Instant::now();
    let result = call(&registry, "deaf").await;
    assert!(
        message(&result).contains("ignored its cancellation"),
        "{}",
        message(&result)
    );
    assert!(
        began.elapsed() >= Duration::from_millis(40) && began.elapsed() < Duration::from_secs(2)
    );
}

// Reports 7: the time starts with the body, not in the queue.
#[tokio::test]
async fn a_timeout_does_not_count_the_queue() {
    let registry = checked().max_parallel(2).build().unwrap();
    let tool = open("work")
        .concurrency_safe(true)
        .timeout(Duration::from_millis(150))
        .execute(|_, _| async {
            tokio::time::sleep(Duration::from_millis(40)).await;
            Ok(json!(null))
        })
        .build()
        .unwrap();
    registry.register(tool).unwrap().keep();
    registry
        .on_execute(Timeout::new().into_layer())
        .unwrap()
        .keep();
    let calls = (0..16)
        .map(|id| CallRequest::new(id.to_string(), "work", json!({})))
        .collect();
    let results = registry.execute_batch(None, calls).await;
    assert!(results.iter().all(|result| !result.is_error()));
}

#[tokio::test]
async fn a_retry_repeats_only_what_is_idempotent_and_may_succeed() {
    let registry = checked().build().unwrap();
    let runs = Arc::new(AtomicU32::new(0));
    let flaky = |name: &str| {
        let runs = runs.clone();
        open(name).execute(move |args, _| {
            let run = runs.fetch_add(1, Ordering::Relaxed) + 1;
            async move {
                if args.get("wrong").is_some() {
                    return Err(ToolError::with_code(
                        lockgate::ErrorCode::InvalidArgs,
                        "wrong",
                    ));
                }
                if run < 3 {
                    Err(ToolError::new(format!("failed {run}")))
                } else {
                    Ok(json!(run))
                }
            }
        })
    };
    registry
        .register(flaky("safe").idempotent().build().unwrap())
        .unwrap()
        .keep();
    registry
        .register(flaky("unsafe").build().unwrap())
        .unwrap()
        .keep();
    registry
        .on_execute(Retry::new(3).backoff(Duration::from_millis(5)).into_layer())
        .unwrap()
        .keep();
    let began = Instant::now();
    assert_eq!(call(&registry, "safe").await.value(), Some(&json!(3)));
    // 5 ms, then 10 ms.
    assert!(began.elapsed() >= Duration::from_millis(15));
    runs.store(0, Ordering::Relaxed);
    assert_eq!(message(&call(&registry, "unsafe").await), "failed 1");
    runs.store(0, Ordering::Relaxed);
    let wrong = registry
        .execute(CallRequest::new("c", "safe", json!({"wrong": true})))
        .await;
    assert_eq!(
        (message(&wrong), runs.load(Ordering::Relaxed)),
        ("wrong", 1)
    );
}

#[tokio::test]
async fn metrics_balance() {
    let registry = checked().build().unwrap();
    registry.register(named("good")).unwrap().keep();
    registry
        .register(with_body("bad", |_, _| async { panic!("boom") }))
        .unwrap()
        .keep();
    registry
        .guard(|call| (&**call.id() == "denied").then(|| "no".to_owned()))
        .unwrap()
        .keep();
    let metrics = Metrics::new();
    registry.on_execute(metrics.layer()).unwrap().keep();
    registry.on_result(metrics.observer()).unwrap().keep();
    for (id, name) in [
        ("1", "good"),
        ("2", "bad"),
        ("3", "missing"),
        ("denied", "good"),
        ("5", "good"),
    ] {
        let _ = registry
            .execute(CallRequest::new(id, name, json!({})))
            .await;
    }
    let snapshot = metrics.snapshot();
    assert_eq!(
        (snapshot.calls(), snapshot.running, snapshot.most_running),
        (5, 0, 1)
    );
    let receipts = [
        (Receipt::Completed, 2),
        (Receipt::Failed, 1),
        (Receipt::NeverStarted, 1),
        (Receipt::Denied, 1),
        (Receipt::CancelledBefore, 0),
    ];
    for (receipt, count) in receipts {
        assert_eq!(snapshot.with_receipt(receipt), count, "{receipt:?}");
    }
}

#[tokio::test]
async fn a_policy_decides_by_the_first_rule_that_names_the_tool() {
    let text = r#"{ "default": "deny", "rules": [
        { "tool": "read_secret", "action": "deny", "reason": "secrets stay here" },
        { "tool": "read_*", "action": "allow" },
        { "tool": "write_?", "action": "ask", "reason": "it writes" }
    ]}"#;
    let policy = Policy::parse(text).unwrap();
    let decided = |name| policy.decide(name);
    assert_eq!(
        decided("read_secret"),
        (Action::Deny, Some("secrets stay here"))
    );
    assert_eq!(decided("read_file"), (Action::Allow, None));
    assert_eq!(decided("write_x"), (Action::Ask, Some("it writes")));
    assert_eq!(decided("write_xy"), (Action::Deny, None));

    let registry = checked().build().unwrap();
    for name in ["read_file", "read_secret", "write_x", "other"] {
        registry.register(named(name)).unwrap().keep();
    }
    registry.on_pre_execute(policy.into_gate()).unwrap().keep();
    assert!(!call(&registry, "read_file").await.is_error());
    assert_eq!(
        message(&call(&registry, "read_secret").await),
        "secrets stay here"
    );
    assert!(message(&call(&registry, "write_x").await).contains("it writes"));
    assert!(message(&call(&registry, "other").await).contains("policy denies `other`"));
    // What a policy allows or asks, a later gate may still deny.
    registry
        .on_pre_execute(|_, _| async { Ok(Decision::deny("closed")) })
        .unwrap()
        .keep();
    for name in ["read_file", "write_x"] {
        assert_eq!(message(&call(&registry, name).await), "closed");
    }
    for wrong in [
        "{",
        r#"{"rule": []}"#,
        r#"{"rules": [{"tool": "x", "action": "maybe"}]}"#,
    ] {
        assert!(
            Policy::parse(wrong)
                .unwrap_err()
                .to_string()
                .contains("rules"),
            "{wrong}"
        );
    }
}

// SPEC M1
#[tokio::test]
async fn events_are_lines_of_json_and_keep_the_invariants() {
    let recorder = Arc::new(Recorder::new());
    let lines = Arc::new(JsonLines::new(Vec::new()));
    let checker = Arc::new(InvariantChecker::before(recorder.clone()));
    let sinks: [Arc<dyn EventSink>; 2] = [lines.clone(), checker.clone()];
    let registry = Registry::builder()
        .events(Arc::new(FanOut::new(sinks)))
        .build()
        .unwrap();
    registry.register(named("x")).unwrap().keep();
    call(&registry, "x").await;
    call(&registry, "missing").await;
    assert_eq!(
        (checker.violations(), checker.unsettled()),
        (Vec::new(), Vec::new())
    );
    drop(registry);
    let text = String::from_utf8(Arc::into_inner(lines).unwrap().finish().unwrap()).unwrap();
    let read: Vec<Event> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let recorded: Vec<Event> = recorder
        .events()
        .into_iter()
        .map(|recorded| recorded.event)
        .collect();
    assert_eq!(read, recorded);
    assert_eq!(read.len(), 4);

    // Replayed twice, nothing is wrong; but no call may settle twice.
    let replayed = InvariantChecker::new();
    replayed.replay(&read);
    assert_eq!(replayed.violations(), Vec::<String>::new());
    replayed.replay(&read[1..2]);
    assert_eq!(replayed.violations().len(), 1);
}

/// A stream that breaks one rule.
#[track_caller]
fn breaks(says: &str, events: &[Event]) {
    let checker = InvariantChecker::new();
    checker.replay(events);
    let violations = checker.violations();
    assert!(
        violations.iter().any(|violation| violation.contains(says)),
        "{says}: {violations:?}"
    );
}

// SPEC M1: each rule is seen to be broken.
#[test]
fn m1_each_broken_rule_is_found() {
    let parse = |text: &str| serde_json::from_str::<Event>(text).unwrap();
    let created = |id: &str, root: &str| {
        parse(&format!(
            r#"{{"type":"tool/call","id":"{id}","root_id":"{root}","name":"x","arguments":null}}"#
        ))
    };
    let settled = |id: &str, root: &str| {
        parse(&format!(
            r#"{{"type":"tool/result","id":"{id}","root_id":"{root}","receipt":"completed","content":[]}}"#
        ))
    };
    let started = |id: &str, parent: &str| {
        parse(&format!(
            r#"{{"type":"tool/code-dispatch-start","id":"{id}","parent_id":"{parent}","name":"x","arguments":null}}"#
        ))
    };
    let dispatched = |id: &str, parent: &str| {
        parse(&format!(
            r#"{{"type":"tool/code-dispatch","id":"{id}","parent_id":"{parent}","receipt":"completed"}}"#
        ))
    };
    breaks("entered while", &[created("a", "a"), created("a", "a")]);
    breaks("without being open", &[settled("a", "a")]);
    breaks("changed its root", &[created("a", "a"), settled("a", "b")]);
    breaks("started outside", &[started("a:1", "a")]);
    breaks(
        "started twice",
        &[created("a", "a"), started("a:1", "a"), started("a:1", "a")],
    );
    breaks(
        "without a start",
        &[created("a", "a"), dispatched("a:1", "a")],
    );
    breaks(
        "before its sub-call",
        &[created("a", "a"), started("a:1", "a"), settled("a", "a")],
    );
    breaks(
        "moved from",
        &[
            created("a", "a"),
            created("b", "b"),
            started("a:1", "a"),
            dispatched("a:1", "b"),
        ],
    );
    breaks(
        "has the root b",
        &[
            created("a", "a"),
            started("a:1", "a"),
            created("a:1", "b"),
            settled("a:1", "b"),
            dispatched("a:1", "a"),
        ],
    );
    let ended = parse(
        r#"{"type":"code/run","id":"a","usage":{"compute_ms":0,"wall_ms":0,"memory_bytes":0,"calls":1,"bytes_in":0,
            "bytes_out":0,"log_bytes":0},"logs":[],"calls":{"finished":1,"cancelled":0,"dropped":0,"never_started":0}}"#,
    );
    breaks("counts 1 sub-calls", &[created("a", "a"), ended]);
}

// A sink that can't write says so at the end, and stops nothing.
#[tokio::test]
async fn a_log_that_can_not_be_written_fails_no_call() {
    struct Full(Arc<Mutex<u32>>);
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            *self.0.lock().unwrap() += 1;
            Err(std::io::Error::other("disk full"))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let writes = Arc::new(Mutex::new(0));
    let lines = Arc::new(JsonLines::new(Full(writes.clone())));
    let registry = Registry::builder().events(lines.clone()).build().unwrap();
    registry.register(named("x")).unwrap().keep();
    assert!(!call(&registry, "x").await.is_error());
    drop(registry);
    assert_eq!(
        Arc::into_inner(lines)
            .unwrap()
            .finish()
            .err()
            .unwrap()
            .to_string(),
        "disk full"
    );
    assert_eq!(*writes.lock().unwrap(), 1);
}
