//! Programs that try to use more than they were given.

use lockgate::code_runtime::{CodeLimits, FailureKind::Exception, FailureKind::SandboxExit, Limit};

use super::hostile_support::{Case, Want, attack, tight};

const COMPUTE: Want = Want::Ends(Limit::Compute);
/// A bomb may meet an error of the engine before it meets a limit.
const BOUNDED: Want = Want::OneOf(&[
    Want::Ends(Limit::Memory),
    Want::Ends(Limit::Compute),
    Want::Fails(Exception, "RangeError"),
    Want::Fails(Exception, "InternalError"),
]);

// SPEC J4, J6
#[tokio::test]
async fn no_loop_outlives_its_compute_time() {
    let cases: [Case; 24] = [
        (
            "finally",
            "try { for (;;); } finally { for (;;); }",
            COMPUTE,
        ),
        (
            "catch and again",
            "for (;;) try { for (;;); } catch {}",
            COMPUTE,
        ),
        (
            "return in finally",
            "for (;;) try { throw 1 } finally { continue }",
            COMPUTE,
        ),
        (
            "microtasks",
            // Each promise waits for the next, so that the chain grows: which limit comes first is the machine's to say.
            "const f = () => Promise.resolve().then(f); await f()",
            BOUNDED,
        ),
        (
            "queued microtasks",
            "const f = () => queueMicrotask(f); f(); await new Promise(() => {})",
            COMPUTE,
        ),
        (
            "async generator",
            "async function* g() { for (;;) yield 1 } for await (const x of g());",
            COMPUTE,
        ),
        ("after a call", "await tools.echo({}); while (1);", COMPUTE),
        (
            "beside a pending call",
            "const p = tools.hang(); for (;;);",
            COMPUTE,
        ),
        (
            "in a then",
            "tools.echo({}).then(() => { for (;;); }); await tools.hang()",
            COMPUTE,
        ),
        (
            "in a finally of a promise",
            "await tools.echo({}).finally(() => { for (;;); })",
            COMPUTE,
        ),
        (
            "in a timer",
            "setTimeout(() => { for (;;); }, 1); await new Promise(() => {})",
            COMPUTE,
        ),
        (
            "in a getter of the result",
            "return { get a() { for (;;); } }",
            COMPUTE,
        ),
        (
            "in a getter of an argument",
            "await tools.echo({ get a() { for (;;); } })",
            COMPUTE,
        ),
        (
            "in a getter of an error",
            "throw { get message() { for (;;); } }",
            Want::OneOf(&[COMPUTE, Want::Fails(Exception, "")]),
        ),
        (
            "in a proxy that is printed",
            "console.log(new Proxy({}, { ownKeys() { for (;;); } })); return 1",
            Want::OneOf(&[COMPUTE, Want::Value("1")]),
        ),
        ("in a thenable", "await { then() { for (;;); } }", COMPUTE),
        (
            "in a thenable that is returned",
            "return { then(r) { for (;;); } }",
            COMPUTE,
        ),
        (
            "regular expression",
            "return /^(\\w+\\s?)*$/.test('word '.repeat(20) + '!')",
            COMPUTE,
        ),
        (
            "regular expression with a back reference",
            "return /(a*)*\\1b/.test('a'.repeat(40))",
            COMPUTE,
        ),
        (
            "a split by a slow expression",
            "return ('a'.repeat(45) + '!').split(/^(a|aa)+$/).length",
            COMPUTE,
        ),
        (
            "power of large integers",
            "return String(7n ** 5000000n).length",
            Want::OneOf(&[
                COMPUTE,
                Want::Ends(Limit::Memory),
                Want::Fails(Exception, "RangeError"),
            ]),
        ),
        (
            "an order that never ends",
            "const a = Array.from({ length: 1e5 }, (_, i) => i); for (;;) a.sort(() => Math.random() - 0.5)",
            COMPUTE,
        ),
        (
            "an iterator without end",
            "const [...all] = { [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) }",
            BOUNDED,
        ),
        (
            "a sparse array walked",
            "const a = []; a.length = 2 ** 32 - 1; for (;;) a.indexOf(1)",
            COMPUTE,
        ),
    ];
    attack(&cases, tight()).await;
}

// SPEC J4
#[tokio::test]
async fn no_bomb_outgrows_its_memory() {
    let cases: [Case; 20] = [
        (
            "a string that doubles",
            "let s = 'ab'; for (;;) s += s",
            BOUNDED,
        ),
        (
            "a rope",
            "let s = ''; for (;;) s = s + 'x' + s.length",
            BOUNDED,
        ),
        ("a pad", "return 'x'.padEnd(2 ** 30).length", BOUNDED),
        ("a repeat", "return 'xy'.repeat(2 ** 29).length", BOUNDED),
        (
            "a join",
            "return new Array(2 ** 28).join('xx').length",
            BOUNDED,
        ),
        (
            "a replace that grows",
            "let s = 'x'; for (;;) s = s.replaceAll('x', 'xxxx')",
            BOUNDED,
        ),
        (
            "array buffers",
            "const k = []; for (;;) k.push(new ArrayBuffer(1 << 22))",
            BOUNDED,
        ),
        (
            "a large array buffer",
            "return new ArrayBuffer(2 ** 31 - 1).byteLength",
            BOUNDED,
        ),
        (
            "a larger one",
            "return new Uint8Array(2 ** 40).length",
            BOUNDED,
        ),
        (
            "an array filled",
            "return new Array(2 ** 27).fill(0).length",
            BOUNDED,
        ),
        (
            "an array from a length",
            "return Array.from({ length: 2 ** 31 }).length",
            BOUNDED,
        ),
        (
            "a flat of flats",
            "let a = [1]; for (;;) a = [a, a, a, a].flat()",
            BOUNDED,
        ),
        (
            "keys",
            "const o = {}; for (let i = 0; ; i++) o['key' + i] = i",
            BOUNDED,
        ),
        (
            "symbols",
            "const o = {}; for (let i = 0; ; i++) o[Symbol(i)] = i",
            BOUNDED,
        ),
        (
            "registered symbols",
            "for (let i = 0; ; i++) Symbol.for('s' + i)",
            BOUNDED,
        ),
        (
            "promises",
            "const k = []; for (;;) k.push(new Promise(() => {}))",
            BOUNDED,
        ),
        (
            "clones",
            "let o = { a: 'x'.repeat(1e5) }; for (;;) o = { a: structuredClone(o), b: structuredClone(o) }",
            BOUNDED,
        ),
        (
            "encoded text",
            "const k = []; for (;;) k.push(new TextEncoder().encode('x'.repeat(1e6)))",
            BOUNDED,
        ),
        ("base64", "let s = 'x'; for (;;) s = btoa(s + s)", BOUNDED),
        (
            "text of JSON",
            "let o = 'x'; for (;;) o = JSON.stringify([o, o, '\\\\'])",
            BOUNDED,
        ),
    ];
    attack(&cases, tight()).await;
}

// SPEC J4: garbage alone never ends a run.
#[tokio::test]
async fn garbage_of_every_kind_is_collected() {
    let limits = CodeLimits {
        memory_bytes: 32 << 20,
        ..CodeLimits::default()
    };
    let cases: [Case; 8] = [
        (
            "large arrays of bytes",
            "for (let i = 0; i < 300; i++) new Uint8Array(1 << 20); return 1",
            Want::Value("1"),
        ),
        (
            "cycles of buffers",
            "for (let i = 0; i < 300; i++) { const a = { b: new Uint8Array(1 << 20) }; a.a = a } return 1",
            Want::Value("1"),
        ),
        (
            "strings",
            "let n = 0; for (let i = 0; i < 300; i++) n += ('x'.repeat(1 << 20) + i).length; return n > 0",
            Want::Value("true"),
        ),
        (
            "closures that hold themselves",
            "for (let i = 0; i < 3e4; i++) { const b = new Array(100).fill(i); const f = () => [f, b] } return 1",
            Want::Value("1"),
        ),
        (
            "promises",
            "for (let i = 0; i < 1e5; i++) new Promise(r => r(i)).then(x => [x]); return 1",
            Want::OneOf(&[Want::Value("1"), Want::Ends(Limit::Memory)]),
        ),
        (
            "awaited calls",
            "for (let i = 0; i < 200; i++) await tools.echo({ a: 'x'.repeat(200000) }); return 1",
            Want::Value("1"),
        ),
        (
            "maps in cycles",
            "for (let i = 0; i < 1e5; i++) { const m = new Map(); m.set(m, m) } return 1",
            Want::Value("1"),
        ),
        (
            "generators that are left",
            "for (let i = 0; i < 1e5; i++) { const g = (function* () { yield new Array(50).fill(g) })(); g.next } return 1",
            Want::Value("1"),
        ),
    ];
    attack(&cases, limits).await;
}

// SPEC J4, H5
#[tokio::test]
async fn no_flood_of_output_passes() {
    const OUTPUT: Want = Want::Ends(Limit::Output);
    let cases: [Case; 12] = [
        (
            "empty lines",
            "for (let i = 0; i < 1e7; i++) console.log('')",
            Want::OneOf(&[
                OUTPUT,
                Want::Fails(lockgate::code_runtime::FailureKind::OutputLimit, ""),
            ]),
        ),
        (
            "empty lines, caught",
            "for (;;) try { console.log('') } catch {}",
            Want::OneOf(&[
                OUTPUT,
                Want::Fails(lockgate::code_runtime::FailureKind::OutputLimit, ""),
            ]),
        ),
        ("one long line", "console.log('x'.repeat(5e6))", OUTPUT),
        (
            "one long line, caught",
            "try { console.log('x'.repeat(5e6)) } catch { return 1 }",
            OUTPUT,
        ),
        (
            "lines of every level",
            "for (;;) for (const l of ['log', 'info', 'warn', 'error', 'debug']) console[l]('y'.repeat(999))",
            OUTPUT,
        ),
        (
            "lines from timers",
            "setInterval(() => console.log('y'.repeat(1e5)), 0); await new Promise(() => {})",
            OUTPUT,
        ),
        ("a long result", "return 'x'.repeat(5e6)", OUTPUT),
        (
            "a long result of many parts",
            "return Array.from({ length: 2e5 }, (_, i) => i)",
            OUTPUT,
        ),
        (
            "a long message",
            "throw new Error('m'.repeat(5e6))",
            Want::OneOf(&[OUTPUT, Want::Fails(Exception, "mmm")]),
        ),
        ("a long key", "return { ['k'.repeat(2e6)]: 1 }", OUTPUT),
        ("a text of escapes", "return '\\u0001'.repeat(4e5)", OUTPUT),
        (
            "a long name of an error",
            "const e = new Error('x'); e.name = 'n'.repeat(5e6); throw e",
            Want::OneOf(&[OUTPUT, Want::Fails(Exception, "")]),
        ),
    ];
    let limits = CodeLimits {
        compute: std::time::Duration::from_secs(5),
        wall: std::time::Duration::from_secs(20),
        memory_bytes: 64 << 20,
        ..tight()
    };
    attack(&cases, limits).await;
}

// SPEC J4
#[tokio::test]
async fn no_loop_of_calls_passes_its_number() {
    const CALLS: Want = Want::Ends(Limit::Calls);
    let cases: [Case; 5] = [
        (
            "failing calls, caught",
            "for (;;) try { await tools.fail() } catch {}",
            CALLS,
        ),
        (
            "calls in a chain",
            "const f = () => tools.echo({}).then(f, f); await f()",
            CALLS,
        ),
        (
            "calls from timers",
            "setInterval(() => tools.echo({}), 0); await new Promise(() => {})",
            CALLS,
        ),
        (
            "calls from an argument",
            "const f = () => ({ get a() { tools.echo(f()); return 1 } }); for (;;) await tools.echo(f())",
            Want::OneOf(&[
                CALLS,
                Want::Fails(SandboxExit, ""),
                Want::Fails(Exception, ""),
            ]),
        ),
        (
            "calls in both arms",
            "for (;;) await Promise.allSettled([tools.echo({}), tools.fail()])",
            CALLS,
        ),
    ];
    attack(
        &cases,
        CodeLimits {
            compute: std::time::Duration::from_secs(5),
            wall: std::time::Duration::from_secs(20),
            ..tight()
        },
    )
    .await;
}
