//! Each budget of a run ends it with its kind, its limit and its value, and touches no other run.

use std::time::{Duration, Instant};

use futures_util::future::{join, join_all};
use lockgate::code_runtime::{CodeLanguage, CodeLimits, FailureKind, Limit, LogLevel};
use lockgate::json;

use super::sandbox_support::{
    JAVASCRIPT, by_engine, expect_limit, expect_unaffected, failure, failure_of, run_in, run_with,
    sandbox,
};

fn compute(ms: u64) -> CodeLimits {
    CodeLimits {
        compute: Duration::from_millis(ms),
        ..CodeLimits::default()
    }
}

fn wall(ms: u64) -> CodeLimits {
    CodeLimits {
        wall: Duration::from_millis(ms),
        ..CodeLimits::default()
    }
}

// SPEC J4, J6
#[tokio::test]
async fn compute_time_ends_hot_loops_wherever_they_hide() {
    for source in [
        "for(;;);",
        "try { for(;;); } finally { return 1 }",
        "try { for(;;); } catch { return 1 }",
        "for(;;) await null",
        "const f = () => Promise.resolve().then(f); await f()",
        "await tools.echo({}); for(;;);",
        "tools.hang(); for(;;);",
        "const p = tools.hang(); for(;;) await null",
        "await Promise.all([tools.hang(), (async () => { for(;;); })()])",
        "for(;;) await tools.echo({})",
        "return /^(a+)+$/.test('a'.repeat(40) + '!')",
        "return [3,1,2].sort(() => { for(;;); })",
        "async function* g() { for(;;) yield 1 } for await (const x of g());",
        "const f = () => setTimeout(f, 0); f(); await new Promise(() => {})",
    ] {
        let began = Instant::now();
        let mut limits = compute(100);
        limits.calls = u64::MAX;
        let failure = failure(source, limits).await;
        expect_limit(&failure, FailureKind::Timeout, Limit::Compute, 100);
        // A timer of 0 ms is a wait; anything else is stopped within its budget and a little.
        if !source.contains("setTimeout") {
            assert!(
                began.elapsed() < Duration::from_secs(2),
                "{source}: {:?}",
                began.elapsed()
            );
        }
    }
    expect_unaffected().await;
}

// SPEC J4
#[tokio::test]
async fn waiting_costs_no_compute() {
    let mut limits = compute(100);
    limits.wall = Duration::from_secs(60);
    let (result, _) = run_with("await tools.sleep({ms: 300}); return 1", limits).await;
    assert_eq!(result.outcome, Ok(Some(json!(1))));
    assert!(
        result.usage.compute < Duration::from_millis(100),
        "{:?}",
        result.usage
    );
    assert!(
        result.usage.wall >= Duration::from_millis(300),
        "{:?}",
        result.usage
    );
}

// SPEC J4
#[tokio::test]
async fn wall_time_ends_waiting() {
    for source in [
        "await tools.hang()",
        "await Promise.allSettled([tools.hang()])",
        "try { await tools.hang() } finally { return 1 }",
        "await new Promise(done => setTimeout(done, 1e12))",
        "setInterval(() => {}, 1); await new Promise(() => {})",
        "for(;;);",
    ] {
        let began = Instant::now();
        let failure = failure(source, wall(150)).await;
        expect_limit(&failure, FailureKind::Timeout, Limit::Wall, 150);
        assert!(
            began.elapsed() < Duration::from_secs(2),
            "{source}: {:?}",
            began.elapsed()
        );
    }
    expect_unaffected().await;
}

// SPEC J4
#[tokio::test]
async fn memory_ends_bombs() {
    let limits = CodeLimits {
        memory_bytes: 32 << 20,
        ..CodeLimits::default()
    };
    for source in [
        "const all = []; for(;;) all.push(new Array(1000).fill(all.length))",
        "let s = 'x'; for(;;) s += s",
        "const all = []; for(let i = 0;; i++) all.push('item ' + i)",
        "const all = []; for(;;) all.push(new Uint8Array(1 << 20))",
        "const m = new Map(); for(let i = 0;; i++) m.set(i, {i})",
    ] {
        let (result, _) = run_with(source, limits).await;
        assert!(
            result.usage.peak_memory_bytes <= limits.memory_bytes,
            "{source}: {:?}",
            result.usage
        );
        let failure = failure_of(result, source);
        // A string past the longest that the engine can say is an error of the engine.
        if !source.contains("s += s") || failure.kind != FailureKind::Exception {
            expect_limit(&failure, FailureKind::SandboxExit, Limit::Memory, 32 << 20);
        }
    }
    expect_unaffected().await;
}

// SPEC J4: garbage alone never ends a run.
#[tokio::test]
async fn garbage_does_not_end_a_run() {
    let limits = CodeLimits {
        memory_bytes: 64 << 20,
        ..CodeLimits::default()
    };
    let source = "let n = 0; for (let i = 0; i < 200000; i++) { const a = {i, s: 'garbage ' + i}; a.self = a; n += a.s.length } return n > 0";
    let (result, _) = run_with(source, limits).await;
    assert_eq!(result.outcome, Ok(Some(json!(true))));
}

// SPEC J4
#[tokio::test]
async fn output_is_bounded_exactly() {
    let limits = CodeLimits {
        output_bytes: 1000,
        ..CodeLimits::default()
    };
    let logs = |text: &str| format!("{text}; return");
    // Logs alone.
    let (result, _) = run_with(&logs("console.log('x'.repeat(1000))"), limits).await;
    assert_eq!(result.outcome, Ok(None));
    assert_eq!(result.usage.log_bytes, 1000);
    let (result, _) = run_with(
        &logs("console.log('x'.repeat(499)); console.log('y'.repeat(500))"),
        limits,
    )
    .await;
    assert_eq!(result.outcome, Ok(None));
    let (result, _) = run_with(
        &logs("console.log('x'.repeat(499)); console.log('y'.repeat(501))"),
        limits,
    )
    .await;
    assert_eq!(result.logs.len(), 2, "the fitting prefix is kept");
    assert_eq!(result.logs[1].text, "y".repeat(500));
    expect_limit(
        &result.outcome.unwrap_err(),
        FailureKind::OutputLimit,
        Limit::Output,
        1000,
    );
    // Logs and the result: its JSON text has two quotes.
    let both = |length: usize| format!("console.log('x'.repeat(500)); return 'y'.repeat({length})");
    let (result, _) = run_with(&both(498), limits).await;
    assert_eq!(result.outcome, Ok(Some(json!("y".repeat(498)))));
    let (result, _) = run_with(&both(499), limits).await;
    assert_eq!(result.logs[0].text, "x".repeat(500));
    expect_limit(
        &result.outcome.unwrap_err(),
        FailureKind::OutputLimit,
        Limit::Output,
        1000,
    );
    // Logs and the message of an error.
    let throws = |length: usize| {
        format!("console.log('x'.repeat(500)); throw new Error('e'.repeat({length}))")
    };
    let (result, _) = run_with(&throws(400), limits).await;
    assert_eq!(result.outcome.unwrap_err().kind, FailureKind::Exception);
    let (result, _) = run_with(&throws(501), limits).await;
    expect_limit(
        &result.outcome.unwrap_err(),
        FailureKind::OutputLimit,
        Limit::Output,
        1000,
    );
    expect_unaffected().await;
}

// SPEC J4, J5
#[tokio::test]
async fn output_floods_end_and_cannot_be_caught() {
    let limits = CodeLimits {
        output_bytes: 100_000,
        ..CodeLimits::default()
    };
    for source in [
        "for(;;) console.log('flood')",
        "for(;;) { try { console.log('flood') } catch {} }",
        "try { for(;;) console.log('flood') } finally { return 1 }",
        "for(;;) console.error('x'.repeat(1 << 20))",
        "return 'x'.repeat(1 << 20)",
        "throw new Error('x'.repeat(1 << 20))",
    ] {
        let (result, _) = run_with(source, limits).await;
        assert!(result.usage.log_bytes <= 100_000);
        if source.contains("flood") {
            assert!(
                result.logs.len() > 10_000,
                "what was printed is kept: {}",
                result.logs.len()
            );
        }
        expect_limit(
            &failure_of(result, source),
            FailureKind::OutputLimit,
            Limit::Output,
            100_000,
        );
    }
    let limits = CodeLimits {
        log_lines: 50,
        ..CodeLimits::default()
    };
    let (result, _) = run_with("for(;;) console.log()", limits).await;
    assert_eq!(result.logs.len(), 50);
    expect_limit(
        &result.outcome.unwrap_err(),
        FailureKind::OutputLimit,
        Limit::Output,
        50,
    );
    expect_unaffected().await;
}

// SPEC J4
#[tokio::test]
async fn calls_are_counted_in_total() {
    let limits = CodeLimits {
        calls: 10,
        ..CodeLimits::default()
    };
    let (result, script) = run_with(
        "for (let i = 0; i < 10; i++) await tools.echo({i}); return 'ok'",
        limits,
    )
    .await;
    assert_eq!(result.outcome, Ok(Some(json!("ok"))));
    assert_eq!((result.usage.calls, script.submitted.len()), (10, 10));
    for source in [
        "for (let i = 0; i < 11; i++) await tools.echo({i}); return 'ok'",
        "for (;;) { try { await tools.fail() } catch {} }",
        "try { for (;;) await tools.echo({}) } finally { return 1 }",
        "await Promise.allSettled(Array.from({length: 11}, () => tools.echo({}))); return 1",
    ] {
        let (result, script) = run_with(source, limits).await;
        assert_eq!(script.submitted.len(), 10, "{source}");
        expect_limit(
            &failure_of(result, source),
            FailureKind::CallLimit,
            Limit::Calls,
            10,
        );
    }
    expect_unaffected().await;
}

// SPEC J4, J6
#[tokio::test]
async fn deep_recursion_throws_or_names_the_stack() {
    for source in [
        "const f = () => f() + 1; f()",
        "const o = {get x() { return this.x }}; o.x",
        "const p = new Proxy({}, {get: (t, k, r) => r[k]}); p.x",
        "const f = () => [2, 1].sort(f); f()",
        "let s = '['.repeat(100000) + ']'.repeat(100000); JSON.parse(s)",
        "return new Function('return ' + '('.repeat(20000) + '1' + ')'.repeat(20000))()",
        "return new Function('return ' + '!'.repeat(500000) + '1')()",
        "return new Function('return ' + 'a?b:'.repeat(200000) + '1')()",
        "return new Function('return ' + 'x=>'.repeat(300000) + '1')()",
        "return new Function('return ' + '[...'.repeat(50000))()",
        "return new Function('return ' + '`${'.repeat(50000))()",
        "return new Function('{'.repeat(500000))()",
        "return new RegExp('('.repeat(20000) + 'a' + ')'.repeat(20000)).test('a')",
        "const f = () => f.apply(null, [1, 2, 3]); f()",
        "function* g() { yield* g() } [...g()]",
        "class A { constructor() { new A() } } new A()",
        "const f = () => 'a'.replace(/a/, f); f()",
    ] {
        let failure = failure(source, CodeLimits::default()).await;
        match failure.kind {
            FailureKind::SandboxExit => assert_eq!(
                failure.limit.map(|hit| hit.limit),
                Some(Limit::Stack),
                "{failure:#?}"
            ),
            FailureKind::Exception => {
                assert!(
                    ["RangeError", "InternalError", "SyntaxError"].contains(&&*failure.name),
                    "{failure:#?}"
                );
            }
            other => panic!("{source}: {other}"),
        }
    }
    // On QuickJS the program can catch it, and an object within its own conversion is such a recursion too.
    for (source, quickjs, boa) in [
        (
            "const f = () => f() + 1; try { f() } catch (e) { return e.name }",
            "RangeError",
            None,
        ),
        (
            "const o = {toString() { return '' + o }}; try { return '' + o } catch (e) { return e.name }",
            "RangeError",
            Some(json!("0")),
        ),
    ] {
        let (result, _) = run_with(source, CodeLimits::default()).await;
        let outcome = result
            .outcome
            .map_err(|failure| failure.limit.map(|hit| hit.limit));
        let boa = boa.map_or(Err(Some(Limit::Stack)), |value| Ok(Some(value)));
        assert_eq!(
            outcome,
            by_engine(Ok(Some(json!(quickjs))), boa),
            "{source}"
        );
    }
    expect_unaffected().await;
}

// SPEC J5
#[tokio::test]
async fn a_killed_program_still_shows_what_it_printed() {
    let (result, _) = run_with(
        "console.log('one'); console.warn('two'); for(;;);",
        compute(50),
    )
    .await;
    let logs: Vec<_> = result
        .logs
        .iter()
        .map(|line| (line.level, line.text.as_str()))
        .collect();
    assert_eq!(logs, [(LogLevel::Info, "one"), (LogLevel::Warn, "two")]);
    assert_eq!(result.outcome.unwrap_err().kind, FailureKind::Timeout);
}

// SPEC J4
#[tokio::test]
async fn a_program_that_is_too_long_does_not_start() {
    let limits = CodeLimits {
        source_bytes: 100,
        ..CodeLimits::default()
    };
    let (result, _) = run_with(&format!("return 1 //{}", "x".repeat(89)), limits).await;
    assert_eq!(result.outcome, Ok(Some(json!(1))));
    let failure = failure(&format!("return 1 //{}", "x".repeat(90)), limits).await;
    assert_eq!(
        (failure.kind, failure.name.as_str()),
        (FailureKind::Exception, "SyntaxError")
    );
    assert!(
        failure.message.contains("101 bytes") && failure.message.contains("100"),
        "{}",
        failure.message
    );
}

// SPEC J4: the host stays responsive.
#[tokio::test]
async fn tools_make_progress_beside_a_hot_loop() {
    let source = "tools.sleep({ms: 20}); await null; await tools.echo({}); const end = Date.now() + 300; while (Date.now() < end); return 1";
    let (result, script) = run_with(source, CodeLimits::default()).await;
    assert_eq!(result.outcome, Ok(Some(json!(1))));
    assert_eq!(
        *script.settled.lock().unwrap(),
        [2, 1],
        "the call ended while the program computed"
    );
}

// SPEC J4: the host stays responsive.
#[tokio::test]
async fn other_tasks_of_the_thread_go_on_beside_a_hot_loop() {
    let other = tokio::spawn(async {
        let mut ticks = 0;
        loop {
            tokio::time::sleep(Duration::from_millis(5)).await;
            ticks += 1;
            if ticks == 20 {
                return Instant::now();
            }
        }
    });
    let failure = failure("for(;;);", compute(500)).await;
    assert_eq!(failure.kind, FailureKind::Timeout);
    assert!(other.is_finished(), "the other task got its turns");
}

// SPEC J4
#[tokio::test]
async fn short_programs_go_on_beside_many_hot_loops() {
    // On one thread, a program that came back behind a tick of each of them would wait for 48 ms.
    let hot_loops = join_all((0..24).map(|_| run_with("for(;;);", wall(1500))));
    let short_programs = async {
        tokio::time::sleep(Duration::from_millis(400)).await;
        let mut took = Vec::new();
        for _ in 0..25 {
            let began = Instant::now();
            let (result, _) = run_with("return 1 + 1", CodeLimits::default()).await;
            assert_eq!(result.outcome.unwrap(), Some(json!(2)));
            took.push(began.elapsed());
        }
        took.sort();
        took[took.len() / 2]
    };
    let (hot, median) = join(hot_loops, short_programs).await;
    assert!(median < Duration::from_millis(20), "{median:?}");
    for (result, _) in hot {
        let failure = result.outcome.unwrap_err();
        expect_limit(&failure, FailureKind::Timeout, Limit::Wall, 1500);
        assert!(
            result.usage.compute < Duration::from_millis(1000),
            "{:?}",
            result.usage
        );
    }
}

// SPEC J4: stripping types is part of the run.
#[tokio::test]
async fn stripping_is_bounded_too() {
    let typescript = sandbox(CodeLanguage::TypeScript);
    let source = "const x: number = 1;\n".repeat(40_000);
    let (result, _) = run_in(&typescript, &source, compute(1)).await;
    expect_limit(
        &failure_of(result, "a long program"),
        FailureKind::Timeout,
        Limit::Compute,
        1,
    );
    let limits = CodeLimits {
        memory_bytes: 1 << 16,
        ..CodeLimits::default()
    };
    let (result, _) = run_in(&typescript, "return 1", limits).await;
    expect_limit(
        &failure_of(result, "no memory"),
        FailureKind::SandboxExit,
        Limit::Memory,
        1 << 16,
    );
    let (result, _) = run_in(&JAVASCRIPT, "return 1", limits).await;
    expect_limit(
        &failure_of(result, "no memory"),
        FailureKind::SandboxExit,
        Limit::Memory,
        1 << 16,
    );
}

// SPEC J6: the parser descends by recursion, and says so when it can't any further.
#[tokio::test]
async fn deep_nesting_is_refused_by_the_stripper() {
    let typescript = sandbox(CodeLanguage::TypeScript);
    for (source, kind) in [
        ("(".repeat(5000), FailureKind::Exception),
        (
            format!("return {}1", "a?b:".repeat(200_000)),
            FailureKind::SandboxExit,
        ),
        (
            format!("return {}1", "!".repeat(500_000)),
            FailureKind::SandboxExit,
        ),
        (
            format!("return {}1", "x=>".repeat(300_000)),
            FailureKind::SandboxExit,
        ),
    ] {
        let (result, _) = run_in(&typescript, &source, CodeLimits::default()).await;
        let failure = failure_of(result, "a deep program");
        assert_eq!(failure.kind, kind, "{}", failure.message);
        if kind == FailureKind::SandboxExit {
            assert_eq!(
                failure.limit.map(|hit| hit.limit),
                Some(Limit::Stack),
                "{}",
                failure.message
            );
            assert!(
                failure.message.contains("nests too deeply"),
                "{}",
                failure.message
            );
        } else {
            assert!(
                failure.message.contains("500 levels"),
                "{}",
                failure.message
            );
        }
    }
}

// SPEC J4: the host stays responsive while much data crosses.
#[tokio::test]
async fn other_tasks_go_on_while_a_large_value_crosses() {
    let longest = std::sync::Arc::new(std::sync::Mutex::new(Duration::ZERO));
    let seen = std::sync::Arc::clone(&longest);
    let watcher = tokio::spawn(async move {
        loop {
            let began = Instant::now();
            tokio::time::sleep(Duration::from_millis(5)).await;
            let mut longest = seen.lock().unwrap();
            *longest = longest.max(began.elapsed());
        }
    });
    let count = by_engine(1_000_000, 100_000);
    let source =
        "const all = []; for (let i = 0; i < COUNT; i++) all.push([i, {a: 'text'}]); return all"
            .replace("COUNT", &count.to_string());
    let (result, _) = run_with(
        &source,
        CodeLimits {
            memory_bytes: 1 << 30,
            // As a value it takes more than its text.
            output_bytes: 1 << 29,
            ..CodeLimits::default()
        },
    )
    .await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    watcher.abort();
    let longest = *longest.lock().unwrap();
    // Reading the text takes longer than this; a turn of the guest does not.
    assert!(
        longest < Duration::from_millis(200),
        "no other task ran for {longest:?} of {:?}",
        result.usage
    );
    assert_eq!(
        result.outcome.unwrap().unwrap().as_array().unwrap().len(),
        count
    );
}
