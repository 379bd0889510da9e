//! `run_code` is the same to a program of any language: the ledger, contexts, cancellation, the scheduler (SPEC F, G, K).
#![expect(
    clippy::unwrap_used,
    reason = "a test that finds nothing to look at fails"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use lockgate::code_runtime::CodeLimits;
use lockgate::events::{Event, InvariantChecker, Recorder};
use lockgate::{
    CallRequest, ContextMessage, Json, Mode, Registry, RegistryBuilder, Tool, ToolCall, ToolError,
    ToolResult, json,
};
use tokio_util::sync::CancellationToken;

use crate::languages::{JAVASCRIPT, Language, PYTHON};
use crate::pipeline_support::{message, named, open, with_body};
use crate::sandbox_support::build;

/// A registry in mode `code` for programs of one language, whose events are recorded and checked.
struct House {
    registry: Registry,
    recorder: Arc<Recorder>,
    checker: Arc<InvariantChecker>,
}

impl House {
    fn new(
        language: &Language,
        change: impl FnOnce(RegistryBuilder) -> RegistryBuilder,
    ) -> Option<Self> {
        let sandbox = build(language.language)?;
        let recorder = Arc::new(Recorder::new());
        let checker = Arc::new(InvariantChecker::before(recorder.clone()));
        let builder = Registry::builder()
            .mode(Mode::Code)
            .code_runtime(Arc::new(sandbox))
            .events(checker.clone());
        let registry = change(builder).build().unwrap();
        for tool in tools() {
            registry.register(tool).unwrap().keep();
        }
        Some(Self {
            registry,
            recorder,
            checker,
        })
    }

    fn request(program: &str) -> CallRequest {
        let arguments = json!({"code": program, "description": "a test"});
        CallRequest::new("call", "run_code", arguments)
    }

    async fn run(&self, program: &str) -> ToolResult {
        self.registry.execute(Self::request(program)).await
    }

    /// The starts and ends of the sub-calls.
    fn dispatches(&self) -> Vec<String> {
        let line = |event: Event| match event {
            Event::DispatchStarted { id, name, .. } => Some(format!("start {id} {name}")),
            Event::DispatchSettled { id, receipt, .. } => {
                Some(format!("settle {id} {}", receipt.as_str()))
            }
            _ => None,
        };
        let events = self.recorder.events().into_iter();
        events.filter_map(|recorded| line(recorded.event)).collect()
    }
}

impl Drop for House {
    // SPEC M1
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let found = (self.checker.violations(), self.checker.unsettled());
            assert_eq!(found, (Vec::new(), Vec::new()));
        }
    }
}

fn tools() -> Vec<Tool> {
    let sleep = |name: &str, safe| {
        open(name)
            .concurrency_safe(safe)
            .execute(|args, context| async move {
                let time = args.get("ms").and_then(Json::as_u64).unwrap_or(0);
                tokio::select! {
                    () = context.signal().cancelled() => Err(ToolError::new("stopped")),
                    () = tokio::time::sleep(Duration::from_millis(time)) => Ok(args),
                }
            })
            .build()
            .unwrap()
    };
    let fail = open("fail").concurrency_safe(true);
    vec![
        named("name"),
        sleep("sleep", true),
        sleep("alone", false),
        fail.execute(|_, _| async { Err(ToolError::new("it failed")) })
            .build()
            .unwrap(),
    ]
}

fn result(result: &ToolResult) -> Json {
    match result.value() {
        Some(value) => value["result"].clone(),
        None => panic!("{}", result.text()),
    }
}

/// A house and the program for each language.
fn houses(
    programs: [&str; 2],
    change: impl Fn(RegistryBuilder) -> RegistryBuilder,
) -> Vec<(House, &str)> {
    let each = [&JAVASCRIPT, &PYTHON].into_iter().zip(programs);
    each.filter_map(|(language, program)| Some((House::new(language, &change)?, program)))
        .collect()
}

// SPEC K3, K4: events of started calls alone, all before `run_code` returns.
#[tokio::test]
async fn k3_k4_what_a_program_leaves_behind() {
    let programs = [
        "for (let i = 0; i < 4; i++) tools.sleep({ms: 100_000}); await new Promise((done) => setTimeout(done, 20)); return 1",
        "import asyncio\nfor i in range(4): tools.sleep(ms=100_000)\nawait asyncio.sleep(0.02)\nreturn 1",
    ];
    for (house, program) in houses(programs, |builder| builder.max_parallel(2)) {
        let outer = house.run(program).await;
        let logs = outer.value().unwrap()["logs"].clone();
        let logs = logs.as_array().unwrap();
        assert_eq!(logs.len(), 2, "{program}\n{logs:?}");
        let said = |at: usize| logs[at].as_str().unwrap().to_owned();
        assert!(
            said(0).contains("never started: 2 (sleep ×2)"),
            "{program}\n{logs:?}"
        );
        assert!(said(1).contains("2 (sleep ×2)"), "{program}\n{logs:?}");
        let expected = [
            "start call:code:1 sleep",
            "start call:code:2 sleep",
            "settle call:code:1 cancelled_after",
            "settle call:code:2 cancelled_after",
        ];
        assert_eq!(house.dispatches(), expected, "{program}");
    }
}

// SPEC K3, K4: a program that fails leaves the same behind as one that returns.
#[tokio::test]
async fn k4_a_program_that_fails_cancels_what_it_started() {
    let programs = [
        "tools.sleep({ms: 100_000}); await tools.sleep({ms: 1}); throw new Error('mine')",
        "tools.sleep(ms=100_000)\nawait tools.sleep(ms=1)\nraise ValueError('mine')",
    ];
    for (house, program) in houses(programs, |builder| builder) {
        let outer = house.run(program).await;
        assert!(
            message(&outer).contains("mine"),
            "{program}\n{}",
            message(&outer)
        );
        let seen = house.dispatches();
        assert_eq!(seen.len(), 4, "{program}\n{seen:?}");
        assert!(
            seen.contains(&"settle call:code:1 cancelled_after".to_owned()),
            "{seen:?}"
        );
        assert!(
            seen.contains(&"settle call:code:2 completed".to_owned()),
            "{seen:?}"
        );
    }
}

// SPEC K5
#[tokio::test]
async fn k5_contexts_come_in_the_order_of_submission_also_when_the_program_fails() {
    let calls = [
        "await Promise.all([tools.note({ms: 40}), tools.note({ms: 1})]);",
        "import asyncio\nawait asyncio.gather(tools.note(ms=40), tools.note(ms=1))\n",
    ];
    for end in [
        ["", ""],
        ["throw new Error('later')", "raise ValueError('later')"],
    ] {
        let programs = [
            format!("{}{}", calls[0], end[0]),
            format!("{}{}", calls[1], end[1]),
        ];
        for (house, program) in houses([&programs[0], &programs[1]], |builder| builder) {
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
            let outer = house.run(program).await;
            let contexts = outer.additional_contexts();
            let texts: Vec<_> = contexts
                .iter()
                .filter_map(|context| context.content[0].as_text())
                .collect();
            assert_eq!(texts, ["after 40", "after 1"], "{program}");
        }
    }
}

// SPEC K5
#[tokio::test]
async fn k5_a_turn_is_concluded_only_by_a_sub_call_that_succeeds() {
    let cases = [
        (["await tools.conclude()", "await tools.conclude()"], true),
        (
            [
                "await tools.conclude({fail: 1}).catch(() => {})",
                "try: await tools.conclude(fail=1)\nexcept ToolCallError: pass",
            ],
            false,
        ),
    ];
    for (programs, concludes) in cases {
        for (house, program) in houses(programs, |builder| builder) {
            let conclude = with_body("conclude", |args, context| async move {
                context.conclude_turn();
                if args.get("fail").is_some() {
                    Err(ToolError::new("no"))
                } else {
                    Ok(json!(null))
                }
            });
            house.registry.register(conclude).unwrap().keep();
            assert_eq!(
                house.run(program).await.concludes_turn(),
                concludes,
                "{program}"
            );
        }
    }
}

// SPEC K6, K3: a call that is made as the program ends dispatches nothing.
#[tokio::test]
async fn k6_a_late_call_starts_nothing() {
    let programs = [
        "await tools.name(); tools.name(); return 1",
        "await tools.name()\ntools.name()\nreturn 1",
    ];
    for (house, program) in houses(programs, |builder| builder) {
        assert_eq!(result(&house.run(program).await), json!(1), "{program}");
        let expected = ["start call:code:1 name", "settle call:code:1 completed"];
        assert_eq!(house.dispatches(), expected, "{program}");
    }
}

// SPEC K2: each call goes through policy as a child of the outer one.
#[tokio::test]
async fn k2_policy_decides_on_sub_calls() {
    let programs = [
        "return await tools.name().catch((e) => `${e.toolName} ${e.message}`)",
        "try: await tools.name()\nexcept ToolCallError as e: return f'{e.toolName} {e.message}'",
    ];
    for (house, program) in houses(programs, |builder| builder) {
        let deny = |call: &ToolCall| {
            (&**call.name() == "name" && call.parent().is_some()).then(|| "not this one".to_owned())
        };
        house.registry.guard(deny).unwrap().keep();
        let outer = house.run(program).await;
        assert_eq!(result(&outer), json!("name not this one"), "{program}");
    }
}

// SPEC G1: an exclusive call drains the lanes and runs alone.
#[tokio::test]
async fn g1_an_exclusive_sub_call_is_a_barrier() {
    let programs = [
        "await Promise.all([tools.sleep({ms: 10}), tools.alone({ms: 5}), tools.sleep({ms: 1})])",
        "import asyncio\nawait asyncio.gather(tools.sleep(ms=10), tools.alone(ms=5), tools.sleep(ms=1))",
    ];
    for (house, program) in houses(programs, |builder| builder) {
        let outer = house.run(program).await;
        assert!(!outer.is_error(), "{program}\n{}", outer.text());
        let expected = [
            "start call:code:1 sleep",
            "settle call:code:1 completed",
            "start call:code:2 alone",
            "settle call:code:2 completed",
            "start call:code:3 sleep",
            "settle call:code:3 completed",
        ];
        assert_eq!(house.dispatches(), expected, "{program}");
    }
}

// SPEC G1: starts in the order of submission, as many at a time as there are lanes; the lanes decide how long it takes.
#[tokio::test]
async fn g1_calls_share_the_lanes() {
    let programs = [
        "const all = await Promise.all(Array.from({length: 40}, () => tools.sleep({ms: 50}))); return all.length",
        "import asyncio\nall = await asyncio.gather(*(tools.sleep(ms=50) for _ in range(40)))\nreturn len(all)",
    ];
    for (house, program) in houses(programs, |builder| builder) {
        let began = Instant::now();
        assert_eq!(result(&house.run(program).await), json!(40), "{program}");
        let took = began.elapsed();
        // One after another they would take 2 s.
        assert!(
            took >= Duration::from_millis(200) && took < Duration::from_millis(1900),
            "{program}\n{took:?}"
        );
        let starts: Vec<_> = house
            .dispatches()
            .into_iter()
            .filter_map(|line| line.strip_prefix("start ").map(str::to_owned))
            .collect();
        let expected: Vec<_> = (1..=40).map(|n| format!("call:code:{n} sleep")).collect();
        assert_eq!(starts, expected, "{program}");
        let first: Vec<_> = house.dispatches().into_iter().take(10).collect();
        assert!(
            first.iter().all(|line| line.starts_with("start")),
            "{program}\n{first:?}"
        );
    }
}

// SPEC F2, H5: the caller's signal ends the program and its calls.
#[tokio::test]
async fn f2_a_cancelled_run_code_cancels_and_awaits_its_sub_calls() {
    let programs = [
        "await tools.sleep({ms: 100_000})",
        "try: await tools.sleep(ms=100_000)\nexcept BaseException: await tools.sleep(ms=100_000)",
    ];
    for (house, program) in houses(programs, |builder| builder) {
        let signal = CancellationToken::new();
        let request = House::request(program).signal(signal.clone());
        let started = async {
            while house.dispatches().is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            signal.cancel();
        };
        let (outer, ()) = tokio::join!(house.registry.execute(request), started);
        assert!(
            message(&outer).starts_with("[abort]"),
            "{program}\n{}",
            message(&outer)
        );
        assert_eq!(
            outer.receipt(),
            lockgate::Receipt::CancelledAfter,
            "{program}"
        );
        let expected = [
            "start call:code:1 sleep",
            "settle call:code:1 cancelled_after",
        ];
        assert_eq!(house.dispatches(), expected, "{program}");
    }
}

// SPEC J4, H5
#[tokio::test]
async fn a_denied_call_in_a_loop_ends_by_the_call_limit() {
    let programs = [
        "for (;;) { try { await tools.name() } catch {} }",
        "while True:\n  try: await tools.name()\n  except BaseException: pass",
    ];
    let limits = CodeLimits {
        calls: 25,
        ..CodeLimits::default()
    };
    for (house, program) in houses(programs, |builder| builder.code_limits(limits)) {
        let asked = Arc::new(AtomicU32::new(0));
        let count = asked.clone();
        let deny = move |call: &ToolCall| {
            call.parent()?;
            count.fetch_add(1, Ordering::Relaxed);
            Some("no".to_owned())
        };
        house.registry.guard(deny).unwrap().keep();
        let outer = house.run(program).await;
        let text = message(&outer);
        assert!(
            text.starts_with("[call-limit: calls limit of 25 calls]"),
            "{program}\n{text}"
        );
        assert_eq!(asked.load(Ordering::Relaxed), 25, "{program}");
    }
}

// SPEC H4, H5
#[tokio::test]
async fn h4_h5_logs_and_results_and_failures_read_the_same() {
    let cases = [
        (
            [
                "console.log('a'); console.log('b'); return 'text'",
                "print('a')\nprint('b')\nreturn 'text'",
            ],
            "a\nb\ntext",
        ),
        (
            ["return {a: [1]}", "return {'a': [1]}"],
            "{\n  \"a\": [\n    1\n  ]\n}",
        ),
        (["return null", "return None"], "null"),
        (
            ["const nothing = 1;", "nothing = 1"],
            "The program completed with no output.",
        ),
    ];
    for (programs, text) in cases {
        for (house, program) in houses(programs, |builder| builder) {
            assert_eq!(house.run(program).await.text(), text, "{program}");
        }
    }
    let programs = [
        "console.log('before'); throw new RangeError('went wrong')",
        "print('before')\nraise ValueError('went wrong')",
    ];
    for (house, program) in houses(programs, |builder| builder) {
        let outer = house.run(program).await;
        let text = message(&outer);
        assert!(
            text.starts_with("[exception] ") && text.contains("Error: went wrong\n"),
            "{text}"
        );
        assert!(text.ends_with("Output until then:\nbefore"), "{text}");
    }
}
