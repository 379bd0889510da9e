//! Programs that use the language against its sandbox.

use lockgate::code_runtime::{FailureKind::Exception, Limit};

use super::hostile_support::{Case, Want, attack, tight};

/// A parser or a function that descends too deep.
const TOO_DEEP: Want = Want::OneOf(&[
    Want::Fails(Exception, "SyntaxError"),
    Want::Fails(Exception, "RangeError"),
    Want::Fails(Exception, "InternalError"),
    Want::Ends(Limit::Stack),
    Want::Ends(Limit::Memory),
]);

/// A conversion of an object within its own conversion: Boa gives an empty text or 0.
const BY_ITSELF: Want = Want::ByEngine(
    &TOO_DEEP,
    &Want::OneOf(&[Want::Value(r#""""#), Want::Value("0")]),
);

/// A long chain of objects, which Boa walks slowly.
const TOO_LONG: Want = Want::ByEngine(
    &TOO_DEEP,
    &Want::OneOf(&[TOO_DEEP, Want::Ends(Limit::Compute)]),
);

// SPEC J3, J6
#[tokio::test]
async fn no_way_leads_out_of_the_guest() {
    let cases: [Case; 20] = [
        (
            "constructor of a literal",
            "return ({}).constructor.constructor('return typeof process + typeof require')()",
            Want::Value(r#""undefinedundefined""#),
        ),
        (
            "process by the function constructor",
            "return [].filter.constructor('return process')()",
            Want::Fails(Exception, "ReferenceError"),
        ),
        (
            "this of a sloppy function",
            "const g = (function () { return this })(); return [typeof g?.require, typeof g?.Deno, typeof g?.std, typeof g?.os, typeof g?.load]",
            Want::Value(r#"["undefined","undefined","undefined","undefined","undefined"]"#),
        ),
        (
            "import of a module",
            "try { await import('node:os'); return 'in' } catch (e) { return 'refused' }",
            Want::Value(r#""refused""#),
        ),
        (
            "import of a data address",
            "try { await import('data:text/javascript,export default 1'); return 'in' } catch (e) { return 'refused' }",
            Want::Value(r#""refused""#),
        ),
        (
            "import of the own program",
            "try { await import('./program.js'); return 'in' } catch (e) { return 'refused' }",
            Want::Value(r#""refused""#),
        ),
        (
            "import whose name throws",
            "try { await import({toString() { throw new Error('mine') }}); return 'in' } catch (e) { return 'refused' }",
            Want::Value(r#""refused""#),
        ),
        (
            "import within eval",
            "try { await (0, eval)(\"import('std')\"); return 'in' } catch (e) { return 'refused' }",
            Want::Value(r#""refused""#),
        ),
        (
            "static import",
            "import fs from 'fs'; return 1",
            Want::Fails(Exception, "SyntaxError"),
        ),
        (
            "export",
            "export const a = 1",
            Want::Fails(Exception, "SyntaxError"),
        ),
        (
            "require",
            "return require('fs')",
            Want::Fails(Exception, "ReferenceError"),
        ),
        (
            "a program that closes its own wrapper",
            "} ; globalThis.out = 1; {",
            Want::Fails(Exception, "SyntaxError"),
        ),
        (
            "a comment that is never closed",
            "return 1 /*",
            Want::Fails(Exception, "SyntaxError"),
        ),
        (
            "a line comment at the end",
            "return 7 // the end",
            Want::Value("7"),
        ),
        (
            "shared memory",
            "return [typeof SharedArrayBuffer, typeof Atomics, typeof WebAssembly]",
            Want::Value(r#"["undefined","undefined","undefined"]"#),
        ),
        (
            "network and storage",
            "return [typeof fetch, typeof XMLHttpRequest, typeof WebSocket, typeof Worker, typeof localStorage]",
            Want::Value(r#"["undefined","undefined","undefined","undefined","undefined"]"#),
        ),
        (
            "callers",
            "function f() { return typeof f.caller } try { return f() } catch { return 'throws' }",
            Want::OneOf(&[
                Want::Value(r#""throws""#),
                Want::Value(r#""undefined""#),
                Want::Value(r#""object""#),
            ]),
        ),
        (
            "a hook on the stack of errors",
            "Error.prepareStackTrace = (e, frames) => frames; const s = new Error('x').stack; return typeof s === 'string' || Array.isArray(s)",
            Want::Value("true"),
        ),
        (
            "no path of the host in a stack",
            "try { null.x } catch (e) { return /\\/(home|root|usr|work|tmp|src)\\//.test(String(e.stack)) }",
            Want::Value("false"),
        ),
        (
            "a name that is a symbol",
            "const e = new Error('x'); e.name = Symbol('n'); throw e",
            Want::Fails(Exception, ""),
        ),
    ];
    attack(&cases, tight()).await;
}

// SPEC J3, J4
#[tokio::test]
async fn code_from_text_has_the_same_world_and_the_same_limits() {
    let cases: [Case; 8] = [
        (
            "eval that never ends",
            "(0, eval)('for (;;);')",
            Want::Ends(Limit::Compute),
        ),
        (
            "direct eval that never ends",
            "eval('while (true) {}')",
            Want::Ends(Limit::Compute),
        ),
        (
            "a made function that never ends",
            "new Function('do {} while (1)')()",
            Want::Ends(Limit::Compute),
        ),
        (
            "a made async function that never ends",
            "await (async () => {}).constructor('for (;;) await 0')()",
            Want::Ends(Limit::Compute),
        ),
        (
            "a made generator that never ends",
            "for (const x of (function* () {}).constructor('for (;;) yield 1')()) ;",
            Want::Ends(Limit::Compute),
        ),
        (
            "a made function that sees no locals",
            "const secret = 1; return new Function('return typeof secret')()",
            Want::Value(r#""undefined""#),
        ),
        (
            "a made function with a hostile parameter",
            "return new Function('a = (() => { throw new TypeError(\"p\") })()', '')()",
            Want::Fails(Exception, "TypeError"),
        ),
        (
            "a text that is no program",
            "return eval('}{')",
            Want::Fails(Exception, "SyntaxError"),
        ),
    ];
    attack(&cases, tight()).await;
}

// SPEC J6
#[tokio::test]
async fn recursion_without_end_is_an_error_or_names_the_stack() {
    let cases: [Case; 16] = [
        (
            "a function",
            "const f = n => 1 + f(n + 1); return f(0)",
            TOO_DEEP,
        ),
        (
            "two functions",
            "const a = () => b() + 1, b = () => a() + 1; return a()",
            TOO_DEEP,
        ),
        (
            "a getter",
            "const o = { get x() { return this.x + 1 } }; return o.x",
            TOO_DEEP,
        ),
        (
            "a setter",
            "const o = { set x(v) { this.x = v + 1 } }; o.x = 1",
            TOO_DEEP,
        ),
        (
            "a proxy",
            "const p = new Proxy({}, { get(t, k, r) { return r[k] } }); return p.x",
            TOO_DEEP,
        ),
        (
            "a proxy of proxies",
            "let p = {}; for (let i = 0; i < 20000; i++) p = new Proxy(p, {}); return p.x === undefined",
            Want::OneOf(&[TOO_LONG, Want::Value("true")]),
        ),
        (
            "a text of itself",
            "const o = { toString() { return `${this}` } }; return `${o}`",
            BY_ITSELF,
        ),
        (
            "a number of itself",
            "const o = { valueOf() { return +this } }; return +o",
            BY_ITSELF,
        ),
        (
            "an order by itself",
            "const s = () => [3, 1, 2].sort(s); s()",
            TOO_DEEP,
        ),
        (
            "a constructor",
            "class A { constructor() { this.a = new A() } } new A()",
            TOO_DEEP,
        ),
        (
            "a replacement",
            "const r = () => 'a'.replace(/a/, r); r()",
            TOO_DEEP,
        ),
        (
            "a reviver",
            "const r = () => JSON.parse('[1]', r); r()",
            TOO_DEEP,
        ),
        (
            "an apply of itself",
            "function f() { return f.apply(this, arguments) } f(1)",
            TOO_DEEP,
        ),
        (
            "a bind of binds",
            "let f = () => true; for (let i = 0; i < 50000; i++) f = f.bind(null); return f()",
            Want::OneOf(&[TOO_LONG, Want::Value("true")]),
        ),
        (
            "an iterator that delegates to itself",
            "function* g() { yield* g() } [...g()]",
            TOO_DEEP,
        ),
        (
            "a chain of prototypes",
            "let o = {}; for (let i = 0; i < 100000; i++) o = Object.create(o); return 'x' in o",
            Want::OneOf(&[TOO_LONG, Want::Value("false")]),
        ),
    ];
    attack(&cases, tight()).await;
}

// SPEC J6
#[tokio::test]
async fn recursion_that_is_caught_leaves_the_program_able_to_go_on() {
    let cases: [Case; 3] = [
        (
            "once",
            "const f = () => f() + 1; try { f() } catch (e) { return e.constructor === RangeError || e.name === 'InternalError' }",
            Want::OneOf(&[Want::Value("true"), Want::Ends(Limit::Stack)]),
        ),
        (
            "a hundred times",
            "const f = () => f() + 1; let n = 0; for (let i = 0; i < 20; i++) try { f() } catch { n++ } return n",
            Want::OneOf(&[
                Want::Value("20"),
                Want::Ends(Limit::Stack),
                Want::Ends(Limit::Compute),
            ]),
        ),
        (
            "in each frame",
            "const f = () => { try { f() } catch { f() } }; f()",
            Want::OneOf(&[TOO_DEEP, Want::Ends(Limit::Compute)]),
        ),
    ];
    attack(&cases, tight()).await;
}

// SPEC J6
#[tokio::test]
async fn deep_source_is_refused_and_never_faults() {
    let deep = |open: &str, middle: &str, close: &str, times: usize| {
        format!(
            "return {}{middle}{}",
            open.repeat(times),
            close.repeat(times)
        )
    };
    let shapes = [
        ("(", "1", ")"),
        ("[", "", "]"),
        ("{a:", "1", "}"),
        ("1?", "1", ":1"),
        ("`${", "1", "}`"),
        ("f(", "", ")"),
        ("()=>", "1", ""),
        ("!", "1", ""),
        ("-", "1", ""),
        ("typeof ", "1", ""),
        ("new ", "A", ""),
        ("a=", "1", ""),
        ("1**", "1", ""),
        ("function(){return ", "1", "}"),
        ("class{[", "1", "](){}}"),
        ("async()=>await ", "1", ""),
        ("[...", "[]", "]"),
        ("/(", "", ")/"),
        ("1+", "1", ""),
        ("a.", "b", ""),
        ("a?.", "b", ""),
        ("1,", "1", ""),
    ];
    for (open, middle, close) in shapes {
        for times in [500, 5000, 100_000] {
            let source = deep(open, middle, close, times);
            // How it ends is the engine's; that it ends, and that the host goes on, is ours.
            let result = super::sandbox_support::run_with(&source, tight()).await.0;
            if let Err(failure) = result.outcome {
                assert!(
                    !failure.message.contains("wasm trap") || failure.limit.is_some(),
                    "{open} {times}: {failure:?}"
                );
            }
        }
    }
    super::sandbox_support::expect_unaffected().await;
}
