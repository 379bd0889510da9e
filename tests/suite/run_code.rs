//! `run_code`: from a program to the pipeline and back (SPEC H, K), in the real sandbox.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds nothing to look at fails"
)]

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use lockgate::{
    CallRequest, Content, ContextMessage, Json, Mode, Registry, RegistryBuilder, Tool, ToolError,
    ToolResult, Verdict,
    code_runtime::{CodeLanguage, CodeLimits},
    events::{Event, InvariantChecker, Recorder},
    json,
};
use tokio_util::sync::CancellationToken;

use crate::{
    pipeline_support::{code, message, named, open, with_body},
    sandbox_support::sandbox,
};

/// A registry in mode `code` whose events are recorded and checked.
struct House {
    registry: Registry,
    recorder: Arc<Recorder>,
    checker: Arc<InvariantChecker>,
}

impl House {
    fn new(change: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> Self {
        let recorder = Arc::new(Recorder::new());
        let checker = Arc::new(InvariantChecker::before(recorder.clone()));
        let builder = Registry::builder()
            .mode(Mode::Code)
            .code_runtime(Arc::new(sandbox(CodeLanguage::TypeScript)))
            .events(checker.clone());
        let registry = change(builder).build().unwrap();
        for tool in tools() {
            registry.register(tool).unwrap().keep();
        }
        Self {
            registry,
            recorder,
            checker,
        }
    }

    fn plain() -> Self {
        Self::new(|builder| builder)
    }

    fn request(code: &str) -> CallRequest {
        CallRequest::new(
            "call",
            "run_code",
            json!({"code": code, "description": "a test"}),
        )
    }

    async fn run(&self, code: &str) -> ToolResult {
        self.registry.execute(Self::request(code)).await
    }

    fn events(&self) -> Vec<Event> {
        self.recorder
            .events()
            .into_iter()
            .map(|recorded| recorded.event)
            .collect()
    }
}

impl Drop for House {
    // SPEC M1: on in every test.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_eq!(
                (self.checker.violations(), self.checker.unsettled()),
                (Vec::new(), Vec::new())
            );
        }
    }
}

fn tools() -> Vec<Tool> {
    let sleep = |name: &str, safe| {
        open(name)
            .concurrency_safe(safe)
            .execute(|args, context| async move {
                let time =
                    Duration::from_millis(args.get("ms").and_then(Json::as_u64).unwrap_or(0));
                tokio::select! {
                    () = context.signal().cancelled() => Err(ToolError::new("stopped")),
                    () = tokio::time::sleep(time) => Ok(args),
                }
            })
            .build()
            .unwrap()
    };
    vec![
        named("name"),
        sleep("sleep", true),
        sleep("alone", false),
        open("fail")
            .concurrency_safe(true)
            .execute(|_, _| async { Err(ToolError::new("it failed")) })
            .build()
            .unwrap(),
        with_body("image", |_, context| async move {
            context.defer_context(ContextMessage::text("about the image"));
            Ok(json!({"pixels": 1}))
        }),
    ]
}

fn dispatches(events: &[Event]) -> Vec<String> {
    let line = |event: &Event| match event {
        Event::DispatchStarted { id, name, .. } => Some(format!("start {id} {name}")),
        Event::DispatchSettled { id, receipt, .. } => {
            Some(format!("settle {id} {}", receipt.as_str()))
        }
        _ => None,
    };
    events.iter().filter_map(line).collect()
}

// SPEC H4
#[tokio::test]
async fn h4_logs_and_result_are_the_value_and_the_content() {
    let house = House::plain();
    let cases = [
        (
            "console.log('a'); console.log('b'); return 'text'",
            json!({"logs": ["a", "b"], "result": "text"}),
            "a\nb\ntext",
        ),
        (
            "return {a: [1]}",
            json!({"logs": [], "result": {"a": [1]}}),
            "{\n  \"a\": [\n    1\n  ]\n}",
        ),
        ("return null", json!({"logs": [], "result": null}), "null"),
        ("console.log('only')", json!({"logs": ["only"]}), "only"),
        (
            "const nothing = 1;",
            json!({"logs": []}),
            "The program completed with no output.",
        ),
    ];
    for (program, value, text) in cases {
        let result = house.run(program).await;
        assert_eq!(
            (result.value(), result.text().as_str()),
            (Some(&value), text),
            "{program}"
        );
    }
}

// SPEC H3
#[tokio::test]
async fn h3_code_and_a_description_are_needed() {
    let house = House::plain();
    for arguments in [
        json!({}),
        json!({"code": "return 1"}),
        json!({"code": "return 1", "description": "  "}),
    ] {
        let result = house
            .registry
            .execute(CallRequest::new("call", "run_code", arguments))
            .await;
        assert_eq!(code(&result), "INVALID_ARGS");
        assert!(
            message(&result).contains("description"),
            "{}",
            message(&result)
        );
    }
}

// SPEC H5
#[tokio::test]
async fn h5_a_failure_has_kind_message_and_the_captured_output() {
    let house = House::plain();
    let result = house
        .run("console.log('before'); throw new Error('went wrong');")
        .await;
    assert_eq!(code(&result), "CODE_RUN_FAILED");
    let text = message(&result);
    assert!(
        text.starts_with("[exception] Error: went wrong\n"),
        "{text}"
    );
    assert!(text.ends_with("Output until then:\nbefore"), "{text}");
}

// SPEC H1, H2
#[tokio::test]
async fn h1_each_mode_presents_what_it_says_and_the_same_bytes_each_time() {
    let house = House::plain();
    let modes = [
        (
            Mode::Native,
            vec!["alone", "fail", "image", "name", "sleep"],
            vec![],
        ),
        (
            Mode::Code,
            vec!["run_code"],
            vec![("tools:code-only", 99), ("tools:sdk", 150)],
        ),
        (
            Mode::Both,
            vec!["alone", "fail", "image", "name", "run_code", "sleep"],
            vec![("tools:sdk", 150)],
        ),
    ];
    for (mode, schemas, sections) in modes {
        let agent = house.registry.scope("agent");
        agent.present_as(mode).unwrap().keep();
        let assembly = agent.assemble().unwrap();
        assert_eq!(
            assembly
                .schemas
                .iter()
                .map(|schema| &*schema.name)
                .collect::<Vec<_>>(),
            schemas
        );
        assert_eq!(
            assembly
                .sections
                .iter()
                .map(|section| (section.name, section.order))
                .collect::<Vec<_>>(),
            sections
        );
        assert_eq!(agent.assemble().unwrap(), assembly);
    }
    let bare = Registry::builder().mode(Mode::Code).build().unwrap();
    assert!(
        bare.assemble()
            .unwrap_err()
            .to_string()
            .contains("code runtime")
    );
}

// SPEC K1, D3, report 4: what is shown is what can be called, and never `run_code` itself.
#[tokio::test]
async fn k1_a_program_sees_the_tools_of_its_scope() {
    let house = House::plain();
    let agent = house.registry.scope("agent");
    agent
        .restrict(lockgate::Restriction::deny(["fail"]))
        .unwrap()
        .keep();
    agent.register(named("own")).unwrap().keep();
    let request = House::request("return Object.keys(tools).sort().join(' ')").agent(&agent);
    let result = house.registry.execute(request).await;
    assert_eq!(
        result.value().unwrap()["result"],
        json!("alone image name own sleep")
    );
    let sdk = agent.sdk_text(CodeLanguage::TypeScript);
    assert!(sdk.contains("own: ") && !sdk.contains("fail: "), "{sdk}");
}

// SPEC K2: each call goes through the whole pipeline, as a child of the outer one.
#[tokio::test]
async fn k2_policy_sees_sub_calls_with_their_parent() {
    let house = House::plain();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = seen.clone();
    house
        .registry
        .guard(move |call| {
            sink.lock().unwrap().push((
                call.id().to_string(),
                call.root_id().to_string(),
                call.parent().is_some(),
            ));
            (&**call.name() == "name").then(|| "not this one".to_owned())
        })
        .unwrap()
        .keep();
    house
        .registry
        .on_post_execute(|settled, next| async move {
            if &**settled.call().name() == "sleep" {
                Ok(Verdict::accept().with_value(json!("changed")))
            } else {
                next.run().await
            }
        })
        .unwrap()
        .keep();
    let result = house
        .run(
            "const denied = await tools.name().catch((e) => `${e.constructor === ToolCallError} ${e.name} ${e.toolName} ${e.message}`);
             return [denied, await tools.sleep({ms: 0})]",
        )
        .await;
    assert_eq!(
        result.value().unwrap()["result"],
        json!(["true ToolCallError name not this one", "changed"])
    );
    let seen = seen.lock().unwrap();
    let expected = [
        ("call", "call", false),
        ("call:code:1", "call", true),
        ("call:code:2", "call", true),
    ];
    assert_eq!(
        seen.iter()
            .map(|(id, root, sub)| (id.as_str(), root.as_str(), *sub))
            .collect::<Vec<_>>(),
        expected
    );
}

// SPEC K3, K4: events of started calls alone, all before `run_code` returns.
#[tokio::test]
async fn k3_k4_what_a_program_leaves_behind() {
    let house = House::new(|builder| builder.max_parallel(2));
    let result = house
        .run("for (let i = 0; i < 4; i++) tools.sleep({ms: 10_000}); await new Promise((done) => setTimeout(done, 20)); return 1")
        .await;
    let logs: Vec<&str> = result.value().unwrap()["logs"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Json::as_str)
        .collect();
    assert_eq!(logs.len(), 2, "{logs:?}");
    assert!(logs[0].contains("never started: 2 (sleep ×2)"), "{logs:?}");
    assert!(
        logs[1].contains("cancelled") && logs[1].contains("2 (sleep ×2)"),
        "{logs:?}"
    );
    let events = house.events();
    assert_eq!(
        dispatches(&events),
        [
            "start call:code:1 sleep",
            "start call:code:2 sleep",
            "settle call:code:1 cancelled_after",
            "settle call:code:2 cancelled_after"
        ]
    );
    let Some(Event::ProgramEnded { calls, usage, .. }) = events
        .iter()
        .rfind(|event| matches!(event, Event::ProgramEnded { .. }))
    else {
        panic!("{events:?}");
    };
    assert_eq!(
        (
            calls.finished,
            calls.cancelled,
            calls.dropped,
            calls.never_started,
            usage.calls
        ),
        (0, 2, 0, 2, 4)
    );
}

// SPEC K3: a listener may change the logged copy and nothing else.
#[tokio::test]
async fn k3_the_logged_copy_may_be_changed_and_a_failure_keeps_it() {
    let house = House::plain();
    let redact = house
        .registry
        .on_dispatch_log(|_, mut log| {
            log.value = Some(json!("redacted"));
            Ok(log)
        })
        .unwrap();
    let logged = || {
        let events = house.events();
        events.iter().rev().find_map(|event| match event {
            Event::DispatchSettled { log, .. } => log.value.clone(),
            _ => None,
        })
    };
    assert_eq!(
        house.run("return tools.name()").await.value().unwrap()["result"],
        json!("name")
    );
    assert_eq!(logged(), Some(json!("redacted")));
    redact.dispose();
    house
        .registry
        .on_dispatch_log(|_, _| panic!("boom"))
        .unwrap()
        .keep();
    house
        .registry
        .on_dispatch_log(|_, _| Err(ToolError::new("no")))
        .unwrap()
        .keep();
    house.run("return tools.name()").await;
    assert_eq!(logged(), Some(json!("name")));
}

// SPEC K4, F1: a body that ignores its cancellation can't hold the run for ever.
#[tokio::test]
async fn k4_a_deaf_body_is_dropped_after_the_grace() {
    let house = House::new(|builder| {
        let limits = CodeLimits {
            wall: Duration::from_millis(50),
            ..CodeLimits::default()
        };
        builder
            .cancellation_grace(Duration::from_millis(50))
            .code_limits(limits)
    });
    let deaf = open("deaf")
        .concurrency_safe(true)
        .execute(|_, _| std::future::pending())
        .build()
        .unwrap();
    house.registry.register(deaf).unwrap().keep();
    let began = Instant::now();
    let result = house
        .run("await Promise.allSettled([tools.deaf(), tools.name()]); return 'never'")
        .await;
    assert!(
        began.elapsed() < Duration::from_secs(3),
        "{:?}",
        began.elapsed()
    );
    // Report 15: what had finished, what was running, what never started.
    let text = message(&result);
    assert!(text.starts_with("[timeout: wall limit of 50 ms]"), "{text}");
    assert!(
        text.contains("1 (deaf) running and dropped") && text.contains("1 (name) never started"),
        "{text}"
    );
}

// SPEC K5
#[tokio::test]
async fn k5_contexts_come_in_the_order_of_submission_also_when_the_program_fails() {
    let house = House::plain();
    let note = open("note")
        .concurrency_safe(true)
        .execute(|args, context| async move {
            let time = args.get("ms").and_then(Json::as_u64).unwrap_or(0);
            tokio::time::sleep(Duration::from_millis(time)).await;
            context.defer_context(ContextMessage::text(format!("after {time}")));
            Ok(args)
        })
        .build()
        .unwrap();
    house.registry.register(note).unwrap().keep();
    let program = "await Promise.all([tools.note({ms: 20}), tools.note({ms: 1})]);";
    for end in ["", "throw new Error('later')"] {
        let result = house.run(&format!("{program} {end}")).await;
        let texts: Vec<_> = result
            .additional_contexts()
            .iter()
            .filter_map(|context| context.content[0].as_text())
            .collect();
        assert_eq!(texts, ["after 20", "after 1"], "{end}");
    }
}

// SPEC K5, report 13
#[tokio::test]
async fn k5_an_image_goes_to_the_outer_result_and_never_into_the_programs_text() {
    let house = House::plain();
    let picture = open("picture")
        .render(|_, _| {
            Ok(vec![
                Content::text("a picture"),
                Content::image("aGk=", "image/png"),
            ])
        })
        .execute(|_, _| async { Ok(json!({"width": 2})) })
        .build()
        .unwrap();
    house.registry.register(picture).unwrap().keep();
    let result = house.run("return await tools.picture()").await;
    assert_eq!(result.value().unwrap()["result"], json!({"width": 2}));
    assert!(!result.text().contains("aGk="), "{}", result.text());
    let expected = ContextMessage {
        content: vec![
            Content::text("a picture"),
            Content::image("aGk=", "image/png"),
        ],
    };
    assert_eq!(result.additional_contexts(), [expected]);
}

// SPEC K5
#[tokio::test]
async fn k5_a_turn_is_concluded_only_by_a_sub_call_that_succeeds() {
    let house = House::plain();
    let conclude = with_body("conclude", |args, context| async move {
        context.conclude_turn();
        if args.get("fail").is_some() {
            Err(ToolError::new("no"))
        } else {
            Ok(json!(null))
        }
    });
    house.registry.register(conclude).unwrap().keep();
    assert!(house.run("await tools.conclude()").await.concludes_turn());
    assert!(
        !house
            .run("await tools.conclude({fail: 1}).catch(() => {})")
            .await
            .concludes_turn()
    );
    assert!(
        !house
            .run("await tools.conclude(); throw new Error('x')")
            .await
            .concludes_turn()
    );
}

// Reports 7: the lanes decide how long it takes.
#[tokio::test]
async fn forty_calls_in_ten_lanes_take_four_times_one() {
    let house = House::plain();
    let began = Instant::now();
    let program = "const all = await Promise.all(Array.from({length: 40}, () => tools.sleep({ms: 25}))); return all.length";
    assert_eq!(
        house.run(program).await.value().unwrap()["result"],
        json!(40)
    );
    let took = began.elapsed();
    assert!(
        took >= Duration::from_millis(100) && took < Duration::from_millis(900),
        "{took:?}"
    );
}

// Reports 8
#[tokio::test]
async fn a_race_has_its_true_winner() {
    let house = House::plain();
    let program = "return (await Promise.race([tools.sleep({ms: 200, id: 'slow'}), tools.sleep({ms: 5, id: 'quick'})])).id";
    assert_eq!(
        house.run(program).await.value().unwrap()["result"],
        json!("quick")
    );
}

// SPEC G1 over the bridge: an exclusive call runs alone.
#[tokio::test]
async fn g1_an_exclusive_sub_call_is_a_barrier() {
    let house = House::plain();
    let program =
        "await Promise.all([tools.sleep({ms: 10}), tools.alone({ms: 5}), tools.sleep({ms: 1})])";
    assert!(!house.run(program).await.is_error());
    assert_eq!(
        dispatches(&house.events()),
        [
            "start call:code:1 sleep",
            "settle call:code:1 completed",
            "start call:code:2 alone",
            "settle call:code:2 completed",
            "start call:code:3 sleep",
            "settle call:code:3 completed"
        ]
    );
}

// SPEC F2, H5: the caller's signal ends the program and its calls.
#[tokio::test]
async fn f2_a_cancelled_run_code_cancels_and_awaits_its_sub_calls() {
    let house = House::plain();
    let signal = CancellationToken::new();
    let request = House::request("console.log('working'); await tools.sleep({ms: 10_000})")
        .signal(signal.clone());
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(30)).await;
        signal.cancel();
    };
    let (result, ()) = tokio::join!(house.registry.execute(request), cancel);
    assert!(
        message(&result).starts_with("[abort]"),
        "{}",
        message(&result)
    );
    assert_eq!(result.receipt(), lockgate::Receipt::CancelledAfter);
    assert_eq!(
        dispatches(&house.events()),
        [
            "start call:code:1 sleep",
            "settle call:code:1 cancelled_after"
        ]
    );
}

// SPEC J4, H5: calls past the limit.
#[tokio::test]
async fn a_denied_call_in_a_loop_ends_by_the_call_limit() {
    let house = House::new(|builder| {
        builder.code_limits(CodeLimits {
            calls: 25,
            ..CodeLimits::default()
        })
    });
    let asked = Arc::new(AtomicU32::new(0));
    let count = asked.clone();
    house
        .registry
        .guard(move |call| {
            call.parent()?;
            count.fetch_add(1, Ordering::Relaxed);
            Some("no".into())
        })
        .unwrap()
        .keep();
    let result = house
        .run("for (;;) { try { await tools.name() } catch {} }")
        .await;
    assert!(
        message(&result).starts_with("[call-limit: calls limit of 25 calls]"),
        "{}",
        message(&result)
    );
    assert_eq!(asked.load(Ordering::Relaxed), 25);
}

// SPEC K2: codes stay outside.
#[tokio::test]
async fn k2_a_program_sees_no_internal_code() {
    let house = House::plain();
    let program = "return await tools.fail().catch((e) => Object.getOwnPropertyNames(e).sort().join(' ') + ' | ' + e)";
    let result = house.run(program).await;
    let text = result.value().unwrap()["result"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(text.ends_with("| ToolCallError: it failed"), "{text}");
    assert!(!text.contains("code"), "{text}");
}

// SPEC J2 over the pipeline: one hundred runs at a time.
#[tokio::test]
async fn many_runs_side_by_side_keep_their_own_calls() {
    let house = House::plain();
    let runs = (0..100).map(|run| {
        let registry = house.registry.clone();
        async move {
            let program = format!(
                "const got = await Promise.all(Array.from({{length: 20}}, (_, i) => tools.sleep({{ms: i % 3, tag: '{run}-' + i}})));
                 return got.every((value, i) => value.tag === '{run}-' + i)"
            );
            let arguments = json!({"code": program, "description": "one of many"});
            registry.execute(CallRequest::new(format!("run-{run}"), "run_code", arguments)).await
        }
    });
    for result in futures_util::future::join_all(runs).await {
        assert_eq!(
            result.value().map(|value| value["result"].clone()),
            Some(json!(true)),
            "{}",
            result.text()
        );
    }
    let settled = dispatches(&house.events());
    assert_eq!(settled.len(), 2 * 100 * 20);
}
