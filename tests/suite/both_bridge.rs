//! The bridge is the same to a program of any language: order, identity, losslessness, floods, ends.

use std::collections::VecDeque;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use lockgate::code_runtime::{
    CallCompletion, CallHandler, CodeLimits, CodeRequest, CodeRuntime, FailureKind, ProgramCall,
};
use lockgate::{Json, json};

use crate::languages::{JAVASCRIPT, PYTHON, in_each};
use crate::sandbox_support::{Script, failure_of, tools};

/// Programs in each language and the value of both.
async fn values(cases: &[([&str; 2], Json)]) {
    for (programs, expect) in cases {
        in_each(*programs, CodeLimits::default(), |program, result, _| {
            assert_eq!(result.outcome, Ok(Some(expect.clone())), "{program}");
        })
        .await;
    }
}

// SPEC K3
#[tokio::test]
async fn calls_are_submitted_in_the_order_and_under_the_numbers_in_which_they_are_made() {
    let programs = [
        "const all = [0, 1, 2, 3, 4].map(i => tools.echo({i})); const r = []; for (const one of all.reverse()) r.push((await one).i); return r",
        "all = [tools.echo(i=i) for i in range(5)]\nreturn [(await one)['i'] for one in reversed(all)]",
    ];
    in_each(
        programs,
        CodeLimits::default(),
        |program, result, script| {
            let seen: Vec<_> = script
                .submitted
                .iter()
                .map(|call| (call.id, call.arguments.clone().unwrap()["i"].clone()))
                .collect();
            let expect: Vec<_> = (0..5_u32).map(|i| (i + 1, json!(i))).collect();
            assert_eq!(seen, expect, "{program}");
            assert_eq!(
                result.outcome,
                Ok(Some(json!([4, 3, 2, 1, 0]))),
                "{program}"
            );
            assert_eq!(result.usage.calls, 5, "{program}");
        },
    )
    .await;
}

// SPEC K1, K2
#[tokio::test]
async fn calls_give_their_values_and_their_failures() {
    values(&[
        (
            [
                "return await tools['a-b']({x: 1})",
                "return await tools['a-b'](x=1)",
            ],
            json!({"x": 1}),
        ),
        (
            ["return await tools.echo()", "return await tools.echo()"],
            json!({"nothing": true}),
        ),
        (
            [
                "return tools.echo({a: 1}).then(r => r.a)",
                "call = tools.echo(a=1)\nawait call\nreturn call.result()['a']",
            ],
            json!(1),
        ),
        (
            [
                "try { await tools.fail() } catch (e) { return [e.name, e.toolName, e.message] }",
                "try: await tools.fail()\nexcept Exception as e: return [type(e).__name__, e.toolName, e.message]",
            ],
            json!(["ToolCallError", "fail", "the tool failed"]),
        ),
        (
            [
                "const all = await Promise.allSettled([tools.echo({n: 1}), tools.fail({}), tools.echo({n: 2})]); return all.map(one => one.status)",
                "import asyncio\nall = await asyncio.gather(tools.echo(n=1), tools.fail(), tools.echo(n=2), return_exceptions=True)\nreturn ['rejected' if isinstance(one, ToolCallError) else 'fulfilled' for one in all]",
            ],
            json!(["fulfilled", "rejected", "fulfilled"]),
        ),
        (
            [
                "return await Promise.race([tools.sleep({ms: 5000}), tools.echo({quick: 1})])",
                "import asyncio\ndone, _ = await asyncio.wait([asyncio.create_task(tools.sleep(ms=5000)), asyncio.create_task(tools.echo(quick=1))], return_when=asyncio.FIRST_COMPLETED)\nreturn done.pop().result()",
            ],
            json!({"quick": 1}),
        ),
        (
            [
                "const p = tools.echo({a: 1}); return [await p, await p]",
                "p = tools.echo(a=1)\nreturn [await p, await p]",
            ],
            json!([{"a": 1}, {"a": 1}]),
        ),
        (
            [
                "try { tools.nothing({}) } catch (e) { return e.message.startsWith('tools.nothing is not a tool; there are echo') }",
                "try: tools.nothing()\nexcept AttributeError as e: return str(e).startswith('tools.nothing is not a tool; there are echo')",
            ],
            json!(true),
        ),
    ])
    .await;
}

// SPEC A1, A3
#[tokio::test]
async fn json_crosses_unchanged_in_both_directions() {
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    let texts = [
        "null",
        "true",
        "0",
        "-1",
        "0.1",
        "1.5e300",
        "5e-324",
        "1.7976931348623157e308",
        "9007199254740991",
        "-9007199254740991",
        r#""""#,
        r#""a\"b\\c\/d\b\f\n\r\t""#,
        r#""\u0000\u001f\u007f\u0085\u2028\u2029""#,
        r#""é東京👍🏽""#,
        "[]",
        "{}",
        "[[],{},[{}]]",
        r#"{"b":1,"a":2,"10":3,"":4}"#,
        r#"{"__proto__":{"x":1},"constructor":1,"toString":null,"then":2,"__class__":3,"toJSON":4}"#,
        r#"{"k ü\n":[{"deep":{"er":[1,[2,[3]]]}}]}"#,
        &deep,
    ];
    for text in texts {
        let quoted = Json::from(text).to_string();
        let programs = [
            format!("return (await tools.echo({{v: JSON.parse({quoted})}})).v"),
            // Any JSON string is also a literal of Python, but for its escaped surrogates and slashes.
            format!("import json\nreturn (await tools.echo(v=json.loads({quoted})))['v']"),
        ];
        let expect = Json::parse(text).unwrap();
        in_each(
            [&programs[0], &programs[1]],
            CodeLimits::default(),
            |program, result, script| {
                let sent = script.submitted[0].arguments.clone().unwrap()["v"].clone();
                assert_eq!(sent, expect, "{program}");
                assert_eq!(result.outcome, Ok(Some(expect.clone())), "{program}");
            },
        )
        .await;
    }
    // Key order: JavaScript itself moves keys that are numbers.
    let programs = [
        "return await tools.echo({zeta: 1, alpha: 2, Mid: 3})",
        "return await tools.echo(zeta=1, alpha=2, Mid=3)",
    ];
    in_each(programs, CodeLimits::default(), |program, result, _| {
        let value = result.outcome.unwrap().unwrap();
        assert_eq!(
            value.to_string(),
            r#"{"zeta":1,"alpha":2,"Mid":3}"#,
            "{program}"
        );
    })
    .await;
}

// SPEC A4: what a double can't hold crosses into Python, which has such numbers, and back.
#[tokio::test]
async fn large_integers_are_exact_or_refused() {
    for number in [
        "9007199254740993",
        "18446744073709551615",
        "-9223372036854775808",
    ] {
        let Some(sandbox) = PYTHON.sandbox() else {
            return;
        };
        let source = format!(
            "r = await tools.echo(n={number})\nreturn [r['n'], r['n'] == {number}, type(r['n']).__name__]"
        );
        let (result, script) =
            crate::sandbox_support::run_in(sandbox, &source, CodeLimits::default()).await;
        let exact = Json::parse(number).unwrap();
        assert_eq!(script.submitted[0].arguments.clone().unwrap()["n"], exact);
        assert_eq!(
            result.outcome,
            Ok(Some(json!([exact, true, "int"]))),
            "{number}"
        );
    }
}

/// Values that are not lossless JSON in each language, and what the message holds after the path.
const NOT_JSON: &[([&str; 2], &str)] = &[
    (["NaN", "float('nan')"], "is NaN"),
    (["Infinity", "float('inf')"], "is an infinite number"),
    (["-Infinity", "-float('inf')"], "is an infinite number"),
    (["-0", "-0.0"], "is -0"),
    (["() => 1", "lambda: 1"], "is a function"),
    (["Math.max", "len"], "is a function"),
    (["new Set([1])", "{1}"], "pass"),
    (
        ["new Date(0)", "__import__('datetime').date(2024, 1, 2)"],
        "pass",
    ),
    (["new Uint8Array(1)", "b'x'"], "pass"),
    (["Promise.resolve(1)", "tools.sleep(ms=1)"], "await it"),
    (
        ["new (class Point { x = 1 })()", "type('Point', (), {})()"],
        "an instance of Point",
    ),
    (
        [
            "new (class extends Array {})()",
            "type('Own', (list,), {})()",
        ],
        "an instance of",
    ),
    (["new Error('x')", "ValueError('x')"], "pass"),
    (["10n", "2**64"], "is a"),
    (["'a\\ud800'", "'a\\ud800'"], "half a surrogate pair"),
    (["{ [Symbol('k')]: 1 }", "{1: 1}"], "a key"),
    (
        [
            "(() => { const a = []; a.push(a); return a })()",
            "(lambda a: a.append(a) or a)([])",
        ],
        "cycle",
    ),
];

// SPEC A2
#[tokio::test]
async fn what_is_not_json_is_refused_with_its_path_and_a_mend() {
    for ([javascript, python], what) in NOT_JSON {
        let programs = [
            format!(
                "try {{ await tools.echo({{ items: [0, {{ when: {javascript} }}] }}) }} catch (e) {{ return [e instanceof TypeError, e.message] }}"
            ),
            format!(
                "try: await tools.echo(items=[0, {{'when': {python}}}])\nexcept TypeError as e: return [True, str(e)]"
            ),
        ];
        in_each(
            [&programs[0], &programs[1]],
            CodeLimits::default(),
            |program, result, script| {
                let sent = script
                    .submitted
                    .iter()
                    .filter(|call| call.function == 0)
                    .count();
                assert_eq!(sent, 0, "{program}");
                let seen = result.outcome.unwrap().unwrap();
                let text = seen[1].as_str().unwrap();
                assert_eq!(seen[0], json!(true), "{program}");
                assert!(
                    text.contains("args.items[1].when") && text.contains(what),
                    "{program}{text}"
                );
                assert!(text.contains("; "), "{program}has no mend: {text}");
            },
        )
        .await;
        let programs = [
            format!("return {{ items: [0, {{ when: {javascript} }}] }}"),
            format!("return {{'items': [0, {{'when': {python}}}]}}"),
        ];
        in_each(
            [&programs[0], &programs[1]],
            CodeLimits::default(),
            |program, result, _| {
                let failure = failure_of(result, program);
                assert_eq!(
                    failure.kind,
                    FailureKind::InvalidOutput,
                    "{program}{failure:#?}"
                );
                let text = &failure.message;
                assert!(
                    text.contains("result.items[1].when") && text.contains(what),
                    "{program}{text}"
                );
            },
        )
        .await;
    }
}

// SPEC A5
#[tokio::test]
async fn depth_is_bounded_on_both_sides_alike() {
    let nested = |levels: usize, then: [&str; 2]| {
        [
            format!(
                "let a = []; for (let i = 1; i < {levels}; i++) a = [a]; {}",
                then[0]
            ),
            format!("a = []\nfor i in range(1, {levels}): a = [a]\n{}", then[1]),
        ]
    };
    let limits = CodeLimits {
        json_depth: 100,
        ..CodeLimits::default()
    };
    let back = ["return a", "return a"];
    let send = [
        "await tools.echo({a}); return 1",
        "await tools.echo(a=a)\nreturn 1",
    ];
    let [javascript, python] = nested(100, back);
    in_each([&javascript, &python], limits, |program, result, _| {
        assert_eq!(result.outcome.unwrap().unwrap().depth(), 100, "{program}");
    })
    .await;
    let [javascript, python] = nested(101, back);
    in_each([&javascript, &python], limits, |program, result, _| {
        assert_eq!(
            failure_of(result, program).kind,
            FailureKind::InvalidOutput,
            "{program}"
        );
    })
    .await;
    let [javascript, python] = nested(99, send);
    in_each([&javascript, &python], limits, |program, result, script| {
        assert_eq!(
            (result.outcome, script.submitted.len()),
            (Ok(Some(json!(1))), 1),
            "{program}"
        );
    })
    .await;
    let [javascript, python] = nested(100, send);
    in_each([&javascript, &python], limits, |program, result, script| {
        let kind = failure_of(result, program).kind;
        assert_eq!(
            (kind, script.submitted.len()),
            (FailureKind::Exception, 0),
            "{program}"
        );
    })
    .await;
    let there_and_back = [
        "return await tools.echo(a)",
        "return (await tools.echo({'a': a}))['a']",
    ];
    let [javascript, python] = nested(9_999, there_and_back);
    in_each(
        [&javascript, &python],
        CodeLimits::default(),
        |program, result, _| {
            let depth = result.outcome.map(|value| value.unwrap().depth());
            assert_eq!(
                depth.map_err(|failure| failure.message),
                Ok(9_999),
                "{program}"
            );
        },
    )
    .await;
}

// SPEC A1: what is sent is what was there when the call was made.
#[tokio::test]
async fn arguments_are_a_snapshot() {
    let programs = [
        "const a = [1]; const p = tools.echo({a}); a.push(2); const r = await p; a.push(3); return [r.a, a]",
        "a = [1]\np = tools.echo(a=a)\na.append(2)\nr = await p\na.append(3)\nreturn [r['a'], a]",
    ];
    in_each(programs, CodeLimits::default(), |program, result, _| {
        assert_eq!(
            result.outcome,
            Ok(Some(json!([[1], [1, 2, 3]]))),
            "{program}"
        );
    })
    .await;
}

// SPEC H5, J4
#[tokio::test]
async fn waiting_for_nothing_fails_at_once() {
    let cases = [
        [
            "await new Promise(() => {})",
            "import asyncio\nawait asyncio.get_running_loop().create_future()",
        ],
        [
            "await tools.echo({}); await new Promise(() => {})",
            "import asyncio\nawait tools.echo()\nawait asyncio.Event().wait()",
        ],
        ["await tools.drop({})", "await tools.drop()"],
        [
            "const lock = new Promise(() => {}); await Promise.all([lock, tools.echo({})])",
            "import asyncio\nlock = asyncio.Lock()\nawait lock.acquire()\nawait asyncio.gather(lock.acquire(), tools.echo())",
        ],
    ];
    for programs in cases {
        let began = Instant::now();
        in_each(programs, CodeLimits::default(), |program, result, _| {
            let failure = failure_of(result, program);
            assert_eq!(
                (failure.kind, &*failure.name),
                (FailureKind::Exception, "Deadlock"),
                "{program}{failure:#?}"
            );
        })
        .await;
        assert!(began.elapsed() < Duration::from_secs(20));
    }
}

// SPEC K6
#[tokio::test]
async fn calls_made_too_late_are_not_submitted() {
    let programs = [
        "await tools.echo({}); tools.echo({late: 1}); return 1",
        "await tools.echo()\ntools.echo(late=1)\nreturn 1",
    ];
    in_each(
        programs,
        CodeLimits::default(),
        |program, result, script| {
            assert_eq!(result.outcome, Ok(Some(json!(1))), "{program}");
            let counts = (
                script.submitted.len(),
                result.unsubmitted.len(),
                result.usage.calls,
            );
            assert_eq!(counts, (1, 1, 2), "{program}");
            assert_eq!(
                result.unsubmitted[0].arguments,
                Some(json!({"late": 1})),
                "{program}"
            );
        },
    )
    .await;
}

// SPEC G4
#[tokio::test]
async fn a_flood_of_calls_stays_in_the_guest() {
    let limits = CodeLimits {
        pending_calls: 100,
        ..CodeLimits::default()
    };
    let programs = [
        "let rejected = 0; for (let i = 0; i < 20000; i++) tools.echo({}).catch(() => rejected++); await null; await tools.sleep({ms: 1}).catch(() => {}); await null; return rejected",
        "import asyncio\nrejected = 0\nfor i in range(20000):\n  call = tools.echo()\n  if call.done():\n    rejected += isinstance(call.exception(), ToolCallError)\nreturn rejected",
    ];
    in_each(programs, limits, |program, result, script| {
        assert!(
            script.submitted.len() <= 200,
            "{program}{}",
            script.submitted.len()
        );
        let rejected = result.outcome.unwrap().unwrap().as_u64().unwrap();
        assert!(rejected >= 19_000, "{program}{rejected}");
    })
    .await;
}

// SPEC G4: bytes that wait are bounded as calls are.
#[tokio::test]
async fn a_flood_of_bytes_stays_in_the_guest() {
    let programs = [
        "let n = 0; const s = 'x'.repeat(1 << 20); for (let i = 0; i < 300; i++) try { const p = tools.echo({s}); p.catch(() => n++) } catch { n++ } await null; await null; return n > 0",
        "n = 0\ns = 'x' * (1 << 20)\nfor i in range(300):\n  call = tools.echo(s=s)\n  if call.done() and call.exception(): n += 1\nreturn n > 0",
    ];
    in_each(
        programs,
        // Enough memory for all of them: what stops the flood is the bound of the bytes.
        CodeLimits {
            memory_bytes: 1 << 30,
            ..CodeLimits::default()
        },
        |program, result, script| {
            let outcome = &result.outcome;
            assert_eq!(
                outcome.as_ref().ok(),
                Some(&Some(json!(true))),
                "{program}{outcome:?}"
            );
            assert!(script.submitted.len() < 300, "{program}");
        },
    )
    .await;
}

/// Answers each call several times, and calls that nobody made.
#[derive(Default)]
struct Babbler {
    queue: VecDeque<u32>,
}

impl CallHandler for Babbler {
    fn submit(&mut self, call: ProgramCall) {
        let around = [0, u32::MAX, call.id + 1, call.id, call.id, 0, call.id];
        self.queue.extend(around);
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

// SPEC J6: the first outcome of a call counts, and those that nobody waits for do nothing.
#[tokio::test]
async fn outcomes_that_nobody_waits_for_are_ignored() {
    let programs = [
        "const a = await tools.echo({}); const b = await tools.echo({}); return [a, b]",
        "a = await tools.echo()\nb = await tools.echo()\nreturn [a, b]",
    ];
    for (language, program) in [&JAVASCRIPT, &PYTHON].into_iter().zip(programs) {
        let Some(sandbox) = language.sandbox() else {
            continue;
        };
        let (bindings, mut babbler) = (tools(), Babbler::default());
        let request = CodeRequest::new(program, &bindings, &mut babbler);
        let result = sandbox.run(request).await.unwrap();
        assert_eq!(result.outcome, Ok(Some(json!([4, 4]))), "{}", language.name);
    }
}

// Reports 6: a call that fails unseen does not read as a success.
#[tokio::test]
async fn a_failure_that_nobody_awaits_is_told() {
    let programs = [
        "tools.fail({}); await tools.echo({}); await tools.echo({}); return 'done'",
        "tools.fail()\nawait tools.echo()\nawait tools.echo()\nreturn 'done'",
    ];
    in_each(programs, CodeLimits::default(), |program, result, _| {
        let failure = failure_of(result, program);
        assert_eq!(failure.kind, FailureKind::Exception, "{program}");
        let text = &failure.message;
        assert!(
            text.contains("fail") && text.contains("the tool failed"),
            "{program}{text}"
        );
    })
    .await;
}

// SPEC J7
#[tokio::test]
async fn a_failed_call_has_the_place_where_it_was_made() {
    let programs = [
        "const x = 1;\nawait tools.fail({x});",
        "x = 1\nawait tools.fail(x=x)",
    ];
    in_each(programs, CodeLimits::default(), |program, result, _| {
        let failure = failure_of(result, program);
        let seen = (failure.kind, &*failure.name, failure.call);
        assert_eq!(
            seen,
            (FailureKind::Exception, "ToolCallError", Some(1)),
            "{program}"
        );
        assert_eq!(
            failure.position.map(|position| position.line),
            Some(2),
            "{program}{failure:#?}"
        );
        let frame = failure.code_frame.unwrap();
        assert!(frame.contains("await tools.fail("), "{program}{frame}");
    })
    .await;
}

// SPEC H5
#[tokio::test]
async fn the_signal_aborts_a_run_wherever_it_is() {
    let cases = [
        ["for (;;);", "while True: pass"],
        ["await tools.hang()", "await tools.hang()"],
        [
            "await new Promise(done => setTimeout(done, 1e6))",
            "import asyncio\nawait asyncio.sleep(1000)",
        ],
        [
            "for (;;) await tools.echo({})",
            "while True: await tools.echo()",
        ],
    ];
    for programs in cases {
        for (language, program) in [&JAVASCRIPT, &PYTHON].into_iter().zip(programs) {
            let Some(sandbox) = language.sandbox() else {
                continue;
            };
            let (bindings, mut script) = (tools(), Script::default());
            let mut request = CodeRequest::new(program, &bindings, &mut script);
            request.limits.calls = u64::MAX;
            let signal = request.signal.clone();
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(50)).await;
                signal.cancel();
            });
            let failure = failure_of(sandbox.run(request).await.unwrap(), program);
            assert_eq!(
                (failure.kind, failure.limit),
                (FailureKind::Abort, None),
                "{program}"
            );
        }
    }
    // A signal that has fired before: nothing runs.
    let programs = [
        "tools.echo({}); console.log(1); return 1",
        "tools.echo()\nprint(1)\nreturn 1",
    ];
    for (language, program) in [&JAVASCRIPT, &PYTHON].into_iter().zip(programs) {
        let Some(sandbox) = language.sandbox() else {
            continue;
        };
        let (bindings, mut script) = (tools(), Script::default());
        let request = CodeRequest::new(program, &bindings, &mut script);
        request.signal.cancel();
        let result = sandbox.run(request).await.unwrap();
        assert!(
            result.logs.is_empty() && script.submitted.is_empty(),
            "{program}"
        );
        assert_eq!(
            result.outcome.unwrap_err().kind,
            FailureKind::Abort,
            "{program}"
        );
    }
}

// SPEC J8
#[tokio::test]
async fn a_run_may_be_dropped_at_any_point() {
    let programs = [
        "for (let i = 0; i < 1e5; i++) {} await tools.sleep({ms: 3}); console.log(1); for (;;) await tools.echo({})",
        "for i in range(20000): pass\nawait tools.sleep(ms=3)\nprint(1)\nwhile True: await tools.echo()",
    ];
    for (language, program) in [&JAVASCRIPT, &PYTHON].into_iter().zip(programs) {
        let Some(sandbox) = language.sandbox() else {
            continue;
        };
        for micros in (0..12_000).step_by(200) {
            let (bindings, mut script) = (tools(), Script::default());
            let mut request = CodeRequest::new(program, &bindings, &mut script);
            request.limits.calls = u64::MAX;
            let run = tokio::time::timeout(Duration::from_micros(micros), sandbox.run(request));
            assert!(run.await.is_err(), "{program}");
        }
        assert!(language.is_unaffected().await, "{program}");
    }
}

// SPEC J4
#[tokio::test]
async fn usage_says_what_a_run_used() {
    let programs = [
        "console.log('four'); const r = await tools.echo({a: 1}); return r",
        "print('four')\nr = await tools.echo(a=1)\nreturn r",
    ];
    in_each(programs, CodeLimits::default(), |program, result, _| {
        let usage = result.usage;
        let seen = (
            usage.calls,
            usage.bytes_in,
            usage.bytes_out,
            usage.log_bytes,
        );
        assert_eq!(seen, (1, 7, 14, 4), "{program}");
        assert!(
            usage.compute > Duration::ZERO && usage.wall >= usage.compute,
            "{program}{usage:?}"
        );
        assert!(
            (1 << 20..64 << 20).contains(&usage.peak_memory_bytes),
            "{program}{usage:?}"
        );
    })
    .await;
}

// SPEC K2, J4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_beside_each_other_keep_their_calls_apart() {
    let program = |number: usize| {
        [
            format!(
                "const all = await Promise.all(Array.from({{length: 20}}, (_, i) => tools.echo({{run: {number}, i}}))); return all.every((r, i) => r.run === {number} && r.i === i) && all.length"
            ),
            format!(
                "import asyncio\nall = await asyncio.gather(*(tools.echo(run={number}, i=i) for i in range(20)))\nreturn all == [{{'run': {number}, 'i': i}} for i in range(20)] and len(all)"
            ),
        ]
    };
    let runs = (0..40).map(|number| async move {
        let [javascript, python] = program(number);
        in_each(
            [&javascript, &python],
            CodeLimits::default(),
            |program, result, script| {
                assert_eq!(result.outcome, Ok(Some(json!(20))), "{program}");
                assert_eq!(
                    (script.submitted.len(), result.usage.calls),
                    (20, 20),
                    "{program}"
                );
            },
        )
        .await;
    });
    futures_util::future::join_all(runs).await;
}
