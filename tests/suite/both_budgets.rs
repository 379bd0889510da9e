//! Each budget ends a program of any language with the same kind and the same limit.

use std::time::Duration;

use lockgate::code_runtime::{CodeLimits, FailureKind, Limit, LogLevel};
use lockgate::json;

use crate::hostile_support::{Shared, Want, attack_both, tight_for_python};
use crate::languages::in_each;
use crate::sandbox_support::{expect_limit, failure_of};

const COMPUTE: Want = Want::Ends(Limit::Compute);
const WALL: Want = Want::Ends(Limit::Wall);
const OUTPUT: Want = Want::Ends(Limit::Output);
const CALLS: Want = Want::Ends(Limit::Calls);
/// The engine may find first that a length is impossible.
const MEMORY: Want = Want::OneOf(&[
    Want::Ends(Limit::Memory),
    Want::Fails(FailureKind::Exception, "RangeError"),
    Want::Fails(FailureKind::Exception, "InternalError"),
    Want::Fails(FailureKind::Exception, "OverflowError"),
]);
const STACK: Want = Want::OneOf(&[
    Want::Ends(Limit::Stack),
    Want::Fails(FailureKind::Exception, "RangeError"),
    Want::Fails(FailureKind::Exception, "InternalError"),
]);

// SPEC J4, J6
#[tokio::test]
async fn compute_time_ends_hot_loops_wherever_they_hide() {
    let cases: [Shared; 14] = [
        ("a loop", ["for (;;);", "while True: pass"], COMPUTE),
        (
            "in finally",
            [
                "try { for (;;); } finally { for (;;); }",
                "try:\n  while True: pass\nfinally:\n  while True: pass",
            ],
            COMPUTE,
        ),
        (
            "caught, and again",
            [
                "for (;;) try { for (;;); } catch {}",
                "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
            ],
            COMPUTE,
        ),
        (
            "through the loop of events",
            [
                "for (;;) await null",
                "import asyncio\nwhile True: await asyncio.sleep(0)",
            ],
            COMPUTE,
        ),
        (
            "after a call",
            [
                "await tools.echo({}); for (;;);",
                "await tools.echo()\nwhile True: pass",
            ],
            COMPUTE,
        ),
        (
            "beside a pending call",
            [
                "const p = tools.hang(); for (;;);",
                "p = tools.hang()\nwhile True: pass",
            ],
            COMPUTE,
        ),
        (
            "beside a pending call, through the loop of events",
            [
                "const p = tools.hang(); for (;;) await null",
                "import asyncio\np = tools.hang()\nwhile True: await asyncio.sleep(0)",
            ],
            COMPUTE,
        ),
        (
            "in a branch",
            [
                "await Promise.all([tools.hang(), (async () => { for (;;); })()])",
                "import asyncio\nasync def f():\n  while True: pass\nawait asyncio.gather(tools.hang(), f())",
            ],
            COMPUTE,
        ),
        (
            "in what is called when a call ends",
            [
                "tools.echo({}).then(() => { for (;;); }); await tools.hang()",
                "def f(_):\n  while True: pass\ntools.echo().add_done_callback(f)\nawait tools.hang()",
            ],
            COMPUTE,
        ),
        (
            "in a timer",
            [
                "setTimeout(() => { for (;;); }, 1); await new Promise(() => {})",
                "import asyncio\ndef f():\n  while True: pass\nasyncio.get_running_loop().call_later(0.001, f)\nawait tools.hang()",
            ],
            COMPUTE,
        ),
        (
            "in an order",
            [
                "return [3, 1, 2].sort(() => { for (;;); })",
                "class A:\n  def __lt__(self, o):\n    while True: pass\nreturn sorted([A(), A()])",
            ],
            COMPUTE,
        ),
        (
            "a regular expression",
            [
                "return /^(a+)+$/.test('a'.repeat(40) + '!')",
                "import re\nreturn bool(re.match(r'^(a+)+$', 'a' * 40 + '!'))",
            ],
            COMPUTE,
        ),
        (
            "a generator without end",
            [
                "function* g() { for (;;) yield 1 } let n = 0; for (const x of g()) n += x",
                "def g():\n  while True: yield 1\nn = 0\nfor x in g(): n += x",
            ],
            COMPUTE,
        ),
        (
            "an asynchronous generator without end",
            [
                "async function* g() { for (;;) yield 1 } for await (const x of g());",
                "async def g():\n  while True: yield 1\nasync for x in g(): pass",
            ],
            COMPUTE,
        ),
    ];
    let limits = CodeLimits {
        wall: Duration::from_secs(60),
        ..tight_for_python()
    };
    attack_both(&cases, limits).await;
}

// SPEC J4
#[tokio::test]
async fn wall_time_ends_waiting() {
    let cases: [Shared; 5] = [
        (
            "for a call",
            ["await tools.hang()", "await tools.hang()"],
            WALL,
        ),
        (
            "for all of some calls",
            [
                "await Promise.allSettled([tools.hang(), tools.echo({})])",
                "import asyncio\nawait asyncio.gather(tools.hang(), tools.echo(), return_exceptions=True)",
            ],
            WALL,
        ),
        (
            "with a finally that returns",
            [
                "try { await tools.hang() } finally { return 1 }",
                "try:\n  await tools.hang()\nfinally:\n  await tools.hang()",
            ],
            WALL,
        ),
        (
            "for a timer past the end of time",
            [
                "await new Promise(done => setTimeout(done, 1e300))",
                "import asyncio\nawait asyncio.sleep(1e300)",
            ],
            WALL,
        ),
        (
            "for one timer after another",
            [
                "setInterval(() => {}, 5); await new Promise(() => {})",
                "import asyncio\nwhile True: await asyncio.sleep(0.005)",
            ],
            WALL,
        ),
    ];
    let limits = CodeLimits {
        compute: Duration::from_secs(60),
        wall: Duration::from_millis(200),
        ..tight_for_python()
    };
    attack_both(&cases, limits).await;
}

// SPEC J4: waiting costs no compute, and computing is not hidden by it.
#[tokio::test]
async fn waiting_costs_no_compute() {
    let limits = CodeLimits {
        compute: Duration::from_millis(350),
        ..CodeLimits::default()
    };
    let programs = [
        "await tools.sleep({ms: 800}); return 1",
        "await tools.sleep(ms=800)\nreturn 1",
    ];
    in_each(programs, limits, |program, result, _| {
        assert_eq!(result.outcome, Ok(Some(json!(1))), "{program}");
        let usage = result.usage;
        assert!(usage.compute < limits.compute, "{program}{usage:?}");
        assert!(
            usage.wall >= Duration::from_millis(800),
            "{program}{usage:?}"
        );
    })
    .await;
}

// SPEC J4
#[tokio::test]
async fn memory_ends_bombs() {
    let cases: [Shared; 8] = [
        (
            "a list that grows",
            [
                "const a = []; for (;;) a.push(new Array(1000).fill(a.length))",
                "a = []\nwhile True: a.append([len(a)] * 1000)",
            ],
            MEMORY,
        ),
        (
            "a string that doubles",
            [
                "let s = 'ab'; for (;;) s += s",
                "s = 'ab'\nwhile True: s += s",
            ],
            MEMORY,
        ),
        (
            "a long string",
            [
                "return 'xy'.repeat(2 ** 29).length",
                "return len('xy' * 2 ** 29)",
            ],
            MEMORY,
        ),
        (
            "bytes",
            [
                "const a = []; for (;;) a.push(new Uint8Array(1 << 20))",
                "a = []\nwhile True: a.append(bytearray(1 << 20))",
            ],
            MEMORY,
        ),
        (
            "more bytes than there can be",
            [
                "return new Uint8Array(2 ** 40).length",
                "return len(bytearray(2 ** 40))",
            ],
            MEMORY,
        ),
        (
            "a long list",
            [
                "return new Array(2 ** 27).fill(0).length",
                "return len([0] * 2 ** 27)",
            ],
            MEMORY,
        ),
        (
            "a map that grows",
            [
                "const m = new Map(); for (let i = 0; ; i++) m.set(i, 'x'.repeat(1000) + i)",
                "m = {}\ni = 0\nwhile True:\n  m[i] = 'x' * 1000 + str(i)\n  i += 1",
            ],
            MEMORY,
        ),
        (
            "an iterator without end",
            [
                "const [...all] = { [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) }",
                "all = list(iter(object, 1))",
            ],
            MEMORY,
        ),
    ];
    let limits = CodeLimits {
        compute: Duration::from_secs(120),
        wall: Duration::from_secs(240),
        ..tight_for_python()
    };
    attack_both(&cases, limits).await;
}

// SPEC J4: garbage alone never ends a run.
#[tokio::test]
async fn garbage_is_collected() {
    let cases: [Shared; 5] = [
        (
            "large buffers",
            [
                "for (let i = 0; i < 300; i++) new Uint8Array(1 << 20); return 1",
                "for i in range(300): bytearray(1 << 20)\nreturn 1",
            ],
            Want::Value("1"),
        ),
        (
            "cycles of buffers",
            [
                "for (let i = 0; i < 3000; i++) { const a = { b: new Uint8Array(1 << 16) }; a.a = a } return 1",
                "for i in range(3000):\n  a = {'b': bytearray(1 << 16)}\n  a['a'] = a\n  if i % 100 == 0:\n    import gc\n    gc.collect()\nreturn 1",
            ],
            Want::Value("1"),
        ),
        (
            "awaited calls",
            [
                "for (let i = 0; i < 200; i++) await tools.echo({ a: 'x'.repeat(200000) }); return 1",
                "for i in range(200): await tools.echo(a='x' * 200000)\nreturn 1",
            ],
            Want::Value("1"),
        ),
        (
            "failures of calls",
            [
                "for (let i = 0; i < 200; i++) await tools.fail({ bytes: 1000000 }).catch(() => 0); return 1",
                "for i in range(200):\n  try: await tools.fail(bytes=1000000)\n  except ToolCallError: pass\nreturn 1",
            ],
            Want::Value("1"),
        ),
        (
            "what is raised and caught",
            [
                "for (let i = 0; i < 20000; i++) try { throw new Error('x'.repeat(1000)) } catch {} return 1",
                "for i in range(20000):\n  try: raise ValueError('x' * 1000)\n  except ValueError: pass\nreturn 1",
            ],
            Want::Value("1"),
        ),
    ];
    let limits = CodeLimits {
        compute: Duration::from_secs(30),
        wall: Duration::from_secs(60),
        ..tight_for_python()
    };
    attack_both(&cases, limits).await;
}

// SPEC J4, J6
#[tokio::test]
async fn recursion_without_end_names_the_stack() {
    let cases: [Shared; 7] = [
        (
            "a function",
            [
                "const f = n => 1 + f(n + 1); return f(0)",
                "def f(n): return 1 + f(n + 1)\nreturn f(0)",
            ],
            STACK,
        ),
        (
            "two functions",
            [
                "const a = () => b() + 1, b = () => a() + 1; return a()",
                "def a(): return b() + 1\ndef b(): return a() + 1\nreturn a()",
            ],
            STACK,
        ),
        (
            "a property",
            [
                "const o = { get x() { return this.x + 1 } }; return o.x",
                "class O:\n  @property\n  def x(self): return self.x + 1\nreturn O().x",
            ],
            STACK,
        ),
        (
            "a text of itself",
            [
                "const o = { toString() { return `${this}` } }; return `${o}`",
                "class O:\n  def __str__(self): return f'{self}'\nreturn str(O())",
            ],
            STACK,
        ),
        (
            "an order by itself",
            [
                "const s = () => [3, 1, 2].sort(s); s()",
                "def s(x): return sorted([3, 1, 2], key=s)\ns(0)",
            ],
            STACK,
        ),
        (
            "a constructor",
            [
                "class A { constructor() { this.a = new A() } } new A()",
                "class A:\n  def __init__(self): self.a = A()\nA()",
            ],
            STACK,
        ),
        (
            "an asynchronous function",
            [
                "const f = async n => 1 + await f(n + 1); return await f(0)",
                "async def f(n): return 1 + await f(n + 1)\nreturn await f(0)",
            ],
            Want::OneOf(&[STACK, Want::Ends(Limit::Memory)]),
        ),
    ];
    let limits = CodeLimits {
        compute: Duration::from_secs(10),
        wall: Duration::from_secs(30),
        ..tight_for_python()
    };
    attack_both(&cases, limits).await;
}

// SPEC J4, H5
#[tokio::test]
async fn floods_of_output_end_and_cannot_be_caught() {
    let cases: [Shared; 6] = [
        (
            "lines",
            [
                "for (;;) console.log('flood')",
                "while True: print('flood')",
            ],
            OUTPUT,
        ),
        (
            "lines, caught",
            [
                "for (;;) { try { console.log('flood') } catch {} }",
                "while True:\n  try: print('flood')\n  except BaseException: pass",
            ],
            OUTPUT,
        ),
        (
            "one long line",
            [
                "console.log('x'.repeat(5e5)); return 1",
                "print('x' * 500000)\nreturn 1",
            ],
            OUTPUT,
        ),
        (
            "a long result",
            ["return 'x'.repeat(5e5)", "return 'x' * 500000"],
            OUTPUT,
        ),
        (
            "a result of many parts",
            [
                "return Array.from({ length: 1e5 }, (_, i) => i)",
                "return list(range(100000))",
            ],
            OUTPUT,
        ),
        (
            "a text of escapes",
            ["return '\\u0001'.repeat(4e4)", "return chr(1) * 40000"],
            OUTPUT,
        ),
    ];
    let limits = CodeLimits {
        compute: Duration::from_secs(10),
        wall: Duration::from_secs(30),
        output_bytes: 100_000,
        ..tight_for_python()
    };
    attack_both(&cases, limits).await;
}

// SPEC J4
#[tokio::test]
async fn output_is_bounded_exactly() {
    let limits = CodeLimits {
        output_bytes: 1000,
        ..CodeLimits::default()
    };
    let fits = |program: &str, outcome: Result<Option<lockgate::Json>, _>| {
        let outcome =
            outcome.map_err(|failure: lockgate::code_runtime::CodeFailure| failure.message);
        assert!(outcome.is_ok(), "{program}{outcome:?}");
    };
    let full = ["console.log('x'.repeat(1000))", "print('x' * 1000)"];
    in_each(full, limits, |program, result, _| {
        assert_eq!(result.usage.log_bytes, 1000, "{program}");
        fits(program, result.outcome);
    })
    .await;
    let over = [
        "console.log('x'.repeat(499)); console.log('y'.repeat(501))",
        "print('x' * 499)\nprint('y' * 501)",
    ];
    in_each(over, limits, |program, result, _| {
        assert_eq!(result.logs.len(), 2, "{program}the fitting prefix is kept");
        assert_eq!(result.logs[1].text, "y".repeat(500), "{program}");
        expect_limit(
            &failure_of(result, program),
            FailureKind::OutputLimit,
            Limit::Output,
            1000,
        );
    })
    .await;
    // The JSON text of the result has two quotes.
    let both = [
        "console.log('x'.repeat(500)); return 'y'.repeat(498)",
        "print('x' * 500)\nreturn 'y' * 498",
    ];
    in_each(both, limits, |program, result, _| {
        fits(program, result.outcome)
    })
    .await;
    let over = [
        "console.log('x'.repeat(500)); return 'y'.repeat(499)",
        "print('x' * 500)\nreturn 'y' * 499",
    ];
    in_each(over, limits, |program, result, _| {
        assert_eq!(result.logs[0].text, "x".repeat(500), "{program}");
        expect_limit(
            &failure_of(result, program),
            FailureKind::OutputLimit,
            Limit::Output,
            1000,
        );
    })
    .await;
    let lines = CodeLimits {
        log_lines: 50,
        ..CodeLimits::default()
    };
    let empty = ["for (;;) console.log()", "while True: print()"];
    in_each(empty, lines, |program, result, _| {
        assert_eq!(result.logs.len(), 50, "{program}");
        expect_limit(
            &failure_of(result, program),
            FailureKind::OutputLimit,
            Limit::Output,
            50,
        );
    })
    .await;
}

// SPEC J4
#[tokio::test]
async fn calls_are_counted_in_total() {
    let cases: [Shared; 4] = [
        (
            "one after another",
            [
                "for (;;) await tools.echo({})",
                "while True: await tools.echo()",
            ],
            CALLS,
        ),
        (
            "failing, caught",
            [
                "for (;;) try { await tools.fail() } catch {}",
                "while True:\n  try: await tools.fail()\n  except BaseException: pass",
            ],
            CALLS,
        ),
        (
            "in finally",
            [
                "try { for (;;) await tools.echo({}) } finally { return 1 }",
                "try:\n  while True: await tools.echo()\nfinally:\n  while True: await tools.echo()",
            ],
            CALLS,
        ),
        (
            "at one time",
            [
                "await Promise.allSettled(Array.from({length: 600}, () => tools.echo({}))); return 1",
                "import asyncio\nawait asyncio.gather(*(tools.echo() for _ in range(600)), return_exceptions=True)\nreturn 1",
            ],
            CALLS,
        ),
    ];
    let limits = CodeLimits {
        compute: Duration::from_secs(10),
        wall: Duration::from_secs(30),
        ..tight_for_python()
    };
    attack_both(&cases, limits).await;
    let limits = CodeLimits {
        calls: 10,
        ..CodeLimits::default()
    };
    for (times, within) in [(10, true), (11, false)] {
        let programs = [
            format!("for (let i = 0; i < {times}; i++) await tools.echo({{i}}); return 'ok'"),
            format!("for i in range({times}): await tools.echo(i=i)\nreturn 'ok'"),
        ];
        let programs = [programs[0].as_str(), programs[1].as_str()];
        in_each(programs, limits, |program, result, script| {
            assert_eq!(script.submitted.len(), 10, "{program}");
            if within {
                assert_eq!(result.usage.calls, 10, "{program}");
                assert_eq!(result.outcome, Ok(Some(json!("ok"))), "{program}");
            } else {
                expect_limit(
                    &failure_of(result, program),
                    FailureKind::CallLimit,
                    Limit::Calls,
                    10,
                );
            }
        })
        .await;
    }
}

// SPEC J5
#[tokio::test]
async fn a_killed_program_still_shows_what_it_printed() {
    let limits = CodeLimits {
        compute: Duration::from_millis(300),
        ..CodeLimits::default()
    };
    let programs = [
        "console.log('one'); console.error('two'); for (;;);",
        "import sys\nprint('one')\nprint('two', file=sys.stderr)\nwhile True: pass",
    ];
    in_each(programs, limits, |program, result, _| {
        let logs: Vec<_> = result
            .logs
            .iter()
            .map(|line| (line.level, line.text.as_str()))
            .collect();
        assert_eq!(
            logs,
            [(LogLevel::Info, "one"), (LogLevel::Error, "two")],
            "{program}"
        );
        expect_limit(
            &failure_of(result, program),
            FailureKind::Timeout,
            Limit::Compute,
            300,
        );
    })
    .await;
}

// SPEC J4
#[tokio::test]
async fn a_program_that_is_too_long_does_not_start() {
    let limits = CodeLimits {
        source_bytes: 100,
        ..CodeLimits::default()
    };
    let pad =
        |mark: &str, bytes: usize| format!("return 1 {mark}{}", "x".repeat(bytes - 9 - mark.len()));
    let programs = [pad("//", 100), pad("#", 100)];
    in_each(
        [&programs[0], &programs[1]],
        limits,
        |program, result, _| {
            assert_eq!(result.outcome, Ok(Some(json!(1))), "{program}");
        },
    )
    .await;
    let programs = [pad("//", 101), pad("#", 101)];
    in_each(
        [&programs[0], &programs[1]],
        limits,
        |program, result, _| {
            let failure = failure_of(result, program);
            assert_eq!(
                (failure.kind, &*failure.name),
                (FailureKind::Exception, "SyntaxError"),
                "{program}"
            );
            assert!(failure.message.contains("101 bytes"), "{}", failure.message);
        },
    )
    .await;
}
