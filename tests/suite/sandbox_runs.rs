//! Programs run to their end: values, calls, timers, errors with their places, aborts, disposal, and nothing in between runs.

use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use lockgate::code_runtime::{
    Binding, CallCompletion, CallHandler, CodeLanguage, CodeLimits, CodeRequest, CodeRuntime,
    CodeRuntimeError, FailureKind, Isolation, ProgramCall,
};
use lockgate::sandbox::Sandbox;
use lockgate::{Json, json};
use tokio_util::sync::CancellationToken;

use super::sandbox_support::{
    JAVASCRIPT, Script, TYPESCRIPT, expect_unaffected, failure, failure_of, run, run_in, run_with,
    sandbox, tools, value,
};

// SPEC J1
#[tokio::test]
async fn values_and_calls_cross_unchanged() {
    let check =
        async |source: &str, expect: Json| assert_eq!(value(source).await, expect, "{source}");
    check("return 1 + 1", json!(2)).await;
    check(
        "return await tools.echo({b: [1, 'ü', null, true, 0.5], a: {}})",
        json!({"b": [1, "ü", null, true, 0.5], "a": {}}),
    )
    .await;
    check("return tools.echo({})", json!({})).await;
    check("return await tools['a-b']({x: 1})", json!({"x": 1})).await;
    check("return await tools.echo()", json!({"nothing": true})).await;
    check("return 1e20", json!(1e20)).await;
    check(
        "return [1e21, 5e-324, 1.7976931348623157e308, 2**53, -(2**63)]",
        json!([
            1e21,
            5e-324,
            1.7976931348623157e308,
            9007199254740992u64,
            i64::MIN
        ]),
    )
    .await;
    check(
        "const r = await Promise.all([tools.sleep({ms: 20}), tools.echo({i: 1})]); return r",
        json!([null, {"i": 1}]),
    )
    .await;
    assert_eq!(run("1").await.outcome, Ok(None));
    assert_eq!(JAVASCRIPT.isolation(), Isolation::WebAssembly);
    assert_eq!(JAVASCRIPT.language(), CodeLanguage::JavaScript);
}

// SPEC A5
#[tokio::test]
async fn depth_is_bounded_on_both_sides_alike() {
    let nested = |levels: usize| format!("let a = []; for (let i = 1; i < {levels}; i++) a = [a];");
    let limits = CodeLimits {
        json_depth: 100,
        ..CodeLimits::default()
    };
    let (result, _) = run_with(&format!("{} return a", nested(100)), limits).await;
    assert_eq!(result.outcome.unwrap().unwrap().depth(), 100);
    let failed = failure(&format!("{} return a", nested(101)), limits).await;
    assert_eq!(failed.kind, FailureKind::InvalidOutput, "{failed:#?}");
    let (result, script) = run_with(
        &format!("{} await tools.echo({{a}}); return 1", nested(99)),
        limits,
    )
    .await;
    assert_eq!(
        (result.outcome, script.submitted.len()),
        (Ok(Some(json!(1))), 1)
    );
    let (result, script) = run_with(
        &format!("{} await tools.echo({{a}}); return 1", nested(100)),
        limits,
    )
    .await;
    assert_eq!(
        (failure_of(result, "too deep").kind, script.submitted.len()),
        (FailureKind::Exception, 0)
    );
    // At the default limit.
    let (result, _) = run_with(
        &format!("{} return await tools.echo(a)", nested(10_000)),
        CodeLimits::default(),
    )
    .await;
    assert_eq!(result.outcome.unwrap().unwrap().depth(), 10_000);
}

// SPEC H5, J4
#[tokio::test]
async fn waiting_for_nothing_fails_at_once() {
    for source in [
        "await new Promise(() => {})",
        "await Promise.race([])",
        "await tools.echo({}); await new Promise(() => {})",
        "await tools.drop({})",
        "const t = setTimeout(() => {}, 60000); clearTimeout(t); await new Promise(() => {})",
    ] {
        let began = Instant::now();
        let failed = failure(source, CodeLimits::default()).await;
        assert_eq!(
            (failed.kind, failed.name.as_str()),
            (FailureKind::Exception, "Deadlock"),
            "{source}"
        );
        assert!(began.elapsed() < Duration::from_secs(5), "{source}");
    }
    expect_unaffected().await;
}

// SPEC J9
#[tokio::test]
async fn timers_fire_in_order_and_in_time() {
    let began = Instant::now();
    let source = "const seen = []; await Promise.all([60, 20, 40].map(ms => new Promise(done => setTimeout(() => { seen.push(ms); done() }, ms)))); return seen";
    assert_eq!(value(source).await, json!([20, 40, 60]));
    assert!(began.elapsed() >= Duration::from_millis(60));
    assert_eq!(value("let n = 0; await new Promise(done => { const t = setInterval(() => { if (++n === 3) { clearInterval(t); done() } }, 2) }); return n").await, json!(3));
    for delay in ["NaN", "-1", "undefined"] {
        assert_eq!(
            value(&format!(
                "await new Promise(done => setTimeout(done, {delay})); return 1"
            ))
            .await,
            json!(1)
        );
    }
}

// SPEC J7
#[tokio::test]
async fn errors_carry_their_place_and_a_code_frame() {
    let source = "let a = 1;\nlet b = 2;\nlet c = 3;\n\n\n\nlet d = = 4;\nreturn d";
    let failed = failure(source, CodeLimits::default()).await;
    assert_eq!(
        (failed.kind, failed.name.as_str()),
        (FailureKind::Exception, "SyntaxError")
    );
    assert_eq!(
        failed.position.map(|position| position.line),
        Some(7),
        "{failed:#?}"
    );
    assert!(failed.code_frame.unwrap().starts_with("  at program.js:7:"));

    let failed = failure(
        "const load = () => {\n  null.x\n}\nload()",
        CodeLimits::default(),
    )
    .await;
    assert_eq!(
        (failed.kind, failed.name.as_str()),
        (FailureKind::Exception, "TypeError")
    );
    assert_eq!(
        failed.position.map(|position| position.line),
        Some(2),
        "{failed:#?}"
    );
    let frame = failed.code_frame.clone().unwrap();
    assert!(
        frame.contains("\n    null.x\n") && frame.ends_with('^'),
        "{frame}"
    );
    assert!(
        failed
            .frames
            .iter()
            .any(|frame| frame.contains("program.js:4")),
        "{failed:#?}"
    );

    // A rejected call: the place is where it was called.
    let failed = failure(
        "const x = 1;\nawait tools.fail({x});",
        CodeLimits::default(),
    )
    .await;
    assert_eq!(
        (failed.kind, failed.name.as_str(), failed.call),
        (FailureKind::Exception, "ToolCallError", Some(1))
    );
    assert_eq!(
        failed.position.map(|position| position.line),
        Some(2),
        "{failed:#?}"
    );
    assert!(failed.message.contains("the tool failed"), "{failed:#?}");
}

// SPEC J7
#[tokio::test]
async fn typescript_keeps_the_places_of_the_author() {
    let check = async |source: &str, name: &str, line: u32| {
        let (result, _) = run_in(&TYPESCRIPT, source, CodeLimits::default()).await;
        let failed = failure_of(result, source);
        assert_eq!(
            (failed.kind, &*failed.name),
            (FailureKind::Exception, name),
            "{failed:#?}"
        );
        let position = failed.position.unwrap();
        assert_eq!(
            position.line, line,
            "{source}
{failed:#?}"
        );
        let column = position.column;
        assert!(
            failed
                .code_frame
                .unwrap()
                .starts_with(&format!("  at program.ts:{line}:{column}\n"))
        );
    };
    check(
        "interface A { a: number }\nconst a: A = null as any;\nreturn (a as A).a",
        "TypeError",
        3,
    )
    .await;
    // An enum is compiled, so that the text below it moves; the places don't.
    check(
        "enum E {\n  A,\n  B = 5,\n}\nconst e: E = E.B;\nthrow new RangeError(`${e}`)",
        "RangeError",
        6,
    )
    .await;
    check("const x: number = 1;\nconst y: = 2;", "SyntaxError", 2).await;
    let (result, _) = run_in(
        &TYPESCRIPT,
        "enum E { A = 3 }\nconst f = <T>(x: T): T => x;\nreturn f<E>(E.A)",
        CodeLimits::default(),
    )
    .await;
    assert_eq!(result.outcome, Ok(Some(json!(3))));
}

// SPEC H5
#[tokio::test]
async fn what_is_not_json_is_invalid_output() {
    for source in [
        "return () => 1",
        "return {a: [undefined]}",
        "return 10n",
        "return NaN",
        "const a = {}; a.a = a; return a",
        "return new Map()",
    ] {
        let failed = failure(source, CodeLimits::default()).await;
        assert_eq!(
            failed.kind,
            FailureKind::InvalidOutput,
            "{source}\n{failed:#?}"
        );
    }
}

// SPEC J2, J6
#[tokio::test]
async fn nothing_survives_a_run() {
    let spoil = "globalThis.left = 1; Array.prototype.map = () => 'spoiled'; Object.prototype.x = 1; JSON.stringify = () => 'spoiled'; Promise.prototype.then = 1;";
    let pristine = "return [typeof left, [1].map(x => x + 1)[0], typeof ({}).x, JSON.stringify({}), (await tools.echo({a: 1})).a]";
    for end in [
        "return 1",
        "throw 1",
        "for(;;);",
        "await tools.hang()",
        "const all = []; for(;;) all.push(new Uint8Array(1 << 20))",
    ] {
        let limits = CodeLimits {
            compute: Duration::from_millis(50),
            wall: Duration::from_millis(100),
            memory_bytes: 32 << 20,
            ..CodeLimits::default()
        };
        run_with(&format!("{spoil}\n{end}"), limits).await;
        assert_eq!(
            value(pristine).await,
            json!(["undefined", 2, "undefined", "{}", 1]),
            "{end}"
        );
    }
}

// SPEC J2
#[tokio::test]
async fn random_numbers_and_times_differ_between_runs() {
    let source = "return [Math.random(), Math.random(), crypto.randomUUID()]";
    let (one, other) = (value(source).await, value(source).await);
    for index in 0..3 {
        assert_ne!(one.get_index(index), other.get_index(index));
    }
    let time = async || value("return Date.now()").await.as_f64().unwrap();
    let first = time().await;
    tokio::time::sleep(Duration::from_millis(5)).await;
    let second = time().await;
    assert!(second > first, "{first} {second}");
    let host = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_millis() as f64;
    assert!((host - second).abs() < 10_000.0);
    let monotonic = value("return performance.now()").await.as_f64().unwrap();
    assert!((0.0..10_000.0).contains(&monotonic), "{monotonic}");
}

// SPEC J5
#[tokio::test]
async fn log_lines_are_seen_as_they_are_printed() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (bindings, mut script) = (tools(), Script::default());
    let mut request = CodeRequest::new(
        "console.log('a'); await tools.sleep({ms: 200}); console.log('b')",
        &bindings,
        &mut script,
    );
    let sink = Arc::clone(&seen);
    request.on_log = Some(Arc::new(move |_, line| {
        sink.lock().unwrap().push((line.to_owned(), Instant::now()))
    }));
    JAVASCRIPT.run(request).await.unwrap();
    let seen = seen.lock().unwrap();
    let [(a, first), (b, second)] = &seen[..] else {
        panic!("{seen:?}")
    };
    assert_eq!((a.as_str(), b.as_str()), ("a", "b"));
    assert!(
        *second - *first >= Duration::from_millis(150),
        "the first one did not wait for the second"
    );
}

// SPEC H5
#[tokio::test]
async fn the_signal_aborts_a_run_wherever_it_is() {
    for source in [
        "for(;;);",
        "await tools.hang()",
        "await new Promise(done => setTimeout(done, 1e6))",
        "for(;;) await tools.echo({})",
    ] {
        let (bindings, mut script) = (tools(), Script::default());
        let mut request = CodeRequest::new(source, &bindings, &mut script);
        request.limits.calls = u64::MAX;
        let signal = request.signal.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(50)).await;
            signal.cancel();
        });
        let began = Instant::now();
        let failed = failure_of(JAVASCRIPT.run(request).await.unwrap(), source);
        assert_eq!(
            (failed.kind, failed.limit),
            (FailureKind::Abort, None),
            "{source}"
        );
        assert!(began.elapsed() < Duration::from_secs(2), "{source}");
    }
    // A signal that has fired before: nothing runs.
    let (bindings, mut script) = (tools(), Script::default());
    let mut request = CodeRequest::new(
        "tools.echo({}); console.log(1); return 1",
        &bindings,
        &mut script,
    );
    request.signal = CancellationToken::new();
    request.signal.cancel();
    let result = JAVASCRIPT.run(request).await.unwrap();
    assert!(result.logs.is_empty() && script.submitted.is_empty());
    assert_eq!(result.outcome.unwrap_err().kind, FailureKind::Abort);
    expect_unaffected().await;
}

// SPEC J8
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn disposal_ends_runs_waits_for_them_and_refuses_new_ones() {
    let disposed = Arc::new(sandbox(CodeLanguage::JavaScript));
    let (begun, mut begins) = tokio::sync::mpsc::unbounded_channel();
    let runs: Vec<_> = ["for(;;);", "await tools.hang()"]
        .into_iter()
        .map(|endless| {
            let (disposed, begun) = (Arc::clone(&disposed), begun.clone());
            tokio::spawn(async move {
                let source = format!("console.log('begun'); {endless}");
                let (bindings, mut script) = (tools(), Script::default());
                let mut request = CodeRequest::new(&source, &bindings, &mut script);
                request.on_log = Some(Arc::new(move |_, _| begun.send(()).unwrap()));
                disposed.run(request).await.unwrap()
            })
        })
        .collect();
    for _ in &runs {
        begins.recv().await.unwrap();
    }
    disposed.dispose().await;
    for run in runs {
        // The guest is gone when disposal ends; the task may still be handing its result over.
        let result = tokio::time::timeout(Duration::from_secs(5), run)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(result.outcome.unwrap_err().kind, FailureKind::Abort);
    }
    let (bindings, mut script) = (tools(), Script::default());
    let refused = disposed
        .run(CodeRequest::new("return 1", &bindings, &mut script))
        .await;
    assert_eq!(refused, Err(CodeRuntimeError::Disposed));
    disposed.dispose().await;
    expect_unaffected().await;
}

// SPEC J1
#[tokio::test]
async fn misuse_is_an_error_of_run() {
    let binding = |global: &str| Binding {
        global: global.into(),
        functions: Vec::new(),
    };
    let check = async |globals: &[&str], expect: CodeRuntimeError| {
        let bindings: Vec<_> = globals.iter().map(|global| binding(global)).collect();
        let mut script = Script::default();
        assert_eq!(
            JAVASCRIPT
                .run(CodeRequest::new("return 1", &bindings, &mut script))
                .await,
            Err(expect)
        );
    };
    check(
        &["a b"],
        CodeRuntimeError::InvalidGlobal {
            global: "a b".to_owned(),
        },
    )
    .await;
    check(
        &["x", "x"],
        CodeRuntimeError::DuplicateGlobal {
            global: "x".to_owned(),
        },
    )
    .await;
    check(
        &["Promise"],
        CodeRuntimeError::ReservedGlobal {
            global: "Promise".to_owned(),
        },
    )
    .await;
}

// SPEC J1: no binding can hide what programs rely on.
#[tokio::test]
async fn every_global_of_the_guest_is_reserved() {
    let names = value("return Object.getOwnPropertyNames(globalThis)").await;
    let names: Vec<_> = names
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Json::as_str)
        .collect();
    assert!(names.len() > 50);
    let mut accepted = Vec::new();
    for name in names.into_iter().filter(|name| *name != "tools") {
        let bindings = [Binding {
            global: name.into(),
            functions: Vec::new(),
        }];
        let mut script = Script::default();
        let request = CodeRequest::new("return 1", &bindings, &mut script);
        if JAVASCRIPT.run(request).await
            != Err(CodeRuntimeError::ReservedGlobal {
                global: name.to_owned(),
            })
        {
            accepted.push(name);
        }
    }
    assert_eq!(accepted, [""; 0]);
}

// SPEC K6
#[tokio::test]
async fn calls_made_too_late_are_not_submitted() {
    let (result, script) = run_with(
        "await tools.echo({}); tools.echo({late: 1}); return 1",
        CodeLimits::default(),
    )
    .await;
    assert_eq!(result.outcome, Ok(Some(json!(1))));
    assert_eq!(
        (
            script.submitted.len(),
            result.unsubmitted.len(),
            result.usage.calls
        ),
        (1, 1, 2)
    );
    assert_eq!(result.unsubmitted[0].arguments, Some(json!({"late": 1})));
}

// SPEC G4
#[tokio::test]
async fn a_flood_of_calls_stays_in_the_guest() {
    let source = "let rejected = 0; for (let i = 0; i < 100000; i++) tools.echo({}).catch(() => rejected++); await tools.sleep({ms: 1}).catch(() => {}); await null; return rejected";
    let limits = CodeLimits {
        pending_calls: 100,
        ..CodeLimits::default()
    };
    let (result, script) = run_with(source, limits).await;
    assert!(script.submitted.len() <= 200, "{}", script.submitted.len());
    assert!(result.outcome.unwrap().unwrap().as_u64().unwrap() >= 99_000);
}

/// Answers each call several times, and calls that nobody made.
#[derive(Default)]
struct Babbler {
    queue: std::collections::VecDeque<u32>,
}

impl CallHandler for Babbler {
    fn submit(&mut self, call: ProgramCall) {
        self.queue
            .extend([0, u32::MAX, call.id + 1, call.id, call.id, 0, call.id]);
    }

    fn poll_completion(&mut self, _cx: &mut Context<'_>) -> Poll<CallCompletion> {
        let outcome = Ok(json!(self.queue.len()));
        self.queue.pop_front().map_or(Poll::Pending, |id| {
            Poll::Ready(CallCompletion { id, outcome })
        })
    }

    fn unsettled(&self) -> usize {
        self.queue.len()
    }
}

// SPEC J6
#[tokio::test]
async fn outcomes_that_nobody_waits_for_are_ignored() {
    let (bindings, mut babbler) = (tools(), Babbler::default());
    let source = "const a = await tools.echo({}); const b = await tools.echo({}); return [a, b]";
    let result = JAVASCRIPT
        .run(CodeRequest::new(source, &bindings, &mut babbler))
        .await
        .unwrap();
    assert_eq!(result.outcome, Ok(Some(json!([4, 4]))));
}

// SPEC J6, J7
#[tokio::test]
async fn frames_are_bounded_whatever_a_program_calls_its_functions() {
    let source = "const f = n => n ? g(n - 1) : null.x;\nconst g = n => f(n);\nfor (const h of [f, g]) Object.defineProperty(h, 'name', {value: 'x'.repeat(1e6)});\nf(500)";
    let failed = failure(source, CodeLimits::default()).await;
    assert_eq!(failed.name, "TypeError");
    let bytes: usize = failed.frames.iter().map(String::len).sum();
    assert!(
        failed.frames.len() <= 32 && bytes <= 32 * 520,
        "{} frames of {bytes} bytes",
        failed.frames.len()
    );
}

// SPEC J4
#[tokio::test]
async fn usage_says_what_a_run_used() {
    let (result, _) = run_with(
        "console.log('four'); const r = await tools.echo({a: 1}); return r",
        CodeLimits::default(),
    )
    .await;
    let usage = result.usage;
    assert_eq!(
        (
            usage.calls,
            usage.bytes_in,
            usage.bytes_out,
            usage.log_bytes
        ),
        (1, 7, 14, 4)
    );
    assert!(
        usage.compute > Duration::ZERO && usage.wall >= usage.compute,
        "{usage:?}"
    );
    assert!(
        (1 << 20..64 << 20).contains(&usage.peak_memory_bytes),
        "{usage:?}"
    );
}

// SPEC J8
#[tokio::test]
async fn a_run_may_be_dropped_at_any_point() {
    let source = "for (let i = 0; i < 1e5; i++) {} await tools.sleep({ms: 3}); console.log(1); for(;;) await tools.echo({})";
    for micros in (0..6000).step_by(50) {
        let (bindings, mut script) = (tools(), Script::default());
        let mut request = CodeRequest::new(source, &bindings, &mut script);
        request.limits.calls = u64::MAX;
        assert!(
            tokio::time::timeout(Duration::from_micros(micros), JAVASCRIPT.run(request))
                .await
                .is_err()
        );
    }
    expect_unaffected().await;
}

// SPEC J4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_runs_than_slots_wait_for_their_turn() {
    let narrow: Arc<Sandbox> = Arc::new(
        Sandbox::builder()
            .cache(super::sandbox_support::cache())
            .max_concurrent_runs(3)
            .build_blocking()
            .unwrap(),
    );
    let runs: Vec<_> = (0..40)
        .map(|number| {
            let narrow = Arc::clone(&narrow);
            let source = format!("await tools.sleep({{ms: 5}}); return {number}");
            tokio::spawn(async move {
                run_in(&narrow, &source, CodeLimits::default())
                    .await
                    .0
                    .outcome
            })
        })
        .collect();
    for (number, run) in runs.into_iter().enumerate() {
        assert_eq!(run.await.unwrap(), Ok(Some(json!(number))));
    }
    // A run that waits for a slot can be aborted too.
    let holders: Vec<_> = (0..3)
        .map(|_| {
            let narrow = Arc::clone(&narrow);
            tokio::spawn(async move {
                run_in(
                    &narrow,
                    "await tools.sleep({ms: 300})",
                    CodeLimits::default(),
                )
                .await
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(50)).await;
    let (bindings, mut script) = (tools(), Script::default());
    let request = CodeRequest::new("return 1", &bindings, &mut script);
    let signal = request.signal.clone();
    let (result, ()) = tokio::join!(narrow.run(request), async { signal.cancel() });
    assert_eq!(
        result.unwrap().outcome.unwrap_err().kind,
        FailureKind::Abort
    );
    for holder in holders {
        holder.await.unwrap();
    }
}

#[test]
fn running_outside_of_tokio_is_an_error() {
    let (bindings, mut script) = (tools(), Script::default());
    let mut run = JAVASCRIPT.run(CodeRequest::new("return 1", &bindings, &mut script));
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    assert_eq!(
        run.as_mut().poll(&mut cx),
        std::task::Poll::Ready(Err(CodeRuntimeError::NoTokioRuntime))
    );
}
