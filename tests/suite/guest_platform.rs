//! The conveniences that programs reach for exist, behave, and open no door.

use lockgate::code_runtime::CodeLimits;
use lockgate::json;

use super::sandbox_support::{by_engine, failure, run_with, value};

// SPEC J9
#[tokio::test]
async fn urls_work() {
    let program = "
        const url = new URL('../c d?x=1&y=ä#h', 'https://user:pw@example.com:8080/a/b/');
        url.searchParams.append('z', '& ='); url.port = '443';
        const params = new URLSearchParams({ a: '1', b: '2' }); params.set('a', '3'); params.delete('b');
        return [url.href, url.host, url.pathname, url.searchParams.get('y'), [...url.searchParams.keys()], String(params),
            URL.canParse('nope'), new URL('http://münchen.de/').host, JSON.stringify({ url: new URL('http://a/') })]";
    let expected = json!([
        "https://user:pw@example.com/a/c%20d?x=1&y=%C3%A4&z=%26+%3D#h",
        "example.com",
        "/a/c%20d",
        "ä",
        ["x", "y", "z"],
        "a=3",
        false,
        "xn--mnchen-3ya.de",
        "{\"url\":\"http://a/\"}"
    ]);
    assert_eq!(value(program).await, expected);
    let message = value("try { new URL('nope') } catch (e) { return [e.name, e.message] }").await;
    assert_eq!(message, json!(["TypeError", "Invalid URL: nope"]));
}

// SPEC J9
#[tokio::test]
async fn text_and_base64_work() {
    let program = r#"
        const bytes = new TextEncoder().encode('hé😀\ud800');
        const decoder = new TextDecoder();
        const parts = [decoder.decode(bytes.slice(0, 2), { stream: true }), decoder.decode(bytes.slice(2, 5), { stream: true }), decoder.decode(bytes.slice(5))];
        let fatal; try { new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([0xff])) } catch (e) { fatal = e.name }
        let label; try { new TextDecoder('latin9') } catch (e) { label = e.name }
        return [Array.from(bytes.slice(0, 3)), parts.join('|'), parts.join(''), fatal, label, btoa('hi'), atob('aGk='),
            new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x61]).buffer)]"#;
    let expected = json!([
        [104, 195, 169],
        "h|é|😀\u{fffd}",
        "hé😀\u{fffd}",
        "TypeError",
        "RangeError",
        "aGk=",
        "hi",
        "a"
    ]);
    assert_eq!(value(program).await, expected);
}

// SPEC J9
#[tokio::test]
async fn structured_clone_copies_deeply() {
    let program = "
        const o = { d: new Date(0), m: new Map([[1, { x: [2] }]]), s: new Set([3]), b: new Uint8Array([4]) }; o.self = o;
        const c = structuredClone(o);
        o.m.get(1).x.push(9);
        let refused; try { structuredClone({ f() {} }) } catch (e) { refused = [e.name, e instanceof DOMException] }
        return [c.self === c, c.d.getTime(), c.m.get(1), [...c.s], Array.from(c.b), refused]";
    assert_eq!(
        value(program).await,
        json!([true, 0, {"x": [2]}, [3], [4], ["DataCloneError", true]])
    );
}

// SPEC J9
#[tokio::test]
async fn aborting_works() {
    let program = "
        const controller = new AbortController(), seen = [];
        controller.signal.addEventListener('abort', () => seen.push('listener'), { once: true });
        controller.signal.onabort = () => seen.push('handler');
        const any = AbortSignal.any([controller.signal, AbortSignal.timeout(10000)]);
        controller.abort(); controller.abort();
        let thrown; try { controller.signal.throwIfAborted() } catch (e) { thrown = e.name }
        const timeout = AbortSignal.timeout(5);
        await new Promise((resolve) => timeout.addEventListener('abort', resolve));
        return [seen, thrown, any.aborted, timeout.reason.name, AbortSignal.abort('why').reason]";
    assert_eq!(
        value(program).await,
        json!([
            ["handler", "listener"],
            "AbortError",
            true,
            "TimeoutError",
            "why"
        ])
    );
}

// SPEC J9
#[tokio::test]
async fn timers_run_by_due_time_then_order() {
    let program = "
        const order = [];
        const at = (name, ms) => setTimeout((n) => order.push(n), ms, name);
        at('d', 30); at('b', 2); at('a', 1); at('c', 2);
        clearTimeout(at('never', 1)); clearTimeout(undefined); clearTimeout(12345);
        let ticks = 0; const id = setInterval(() => { if (++ticks === 3) clearInterval(id) }, 2);
        queueMicrotask(() => order.push('micro')); setImmediate(() => order.push('immediate'));
        for (const odd of [2 ** 31, 1e12, Infinity]) clearTimeout(setTimeout(() => order.push('odd'), odd));
        await new Promise((resolve) => setTimeout(resolve, 60));
        return [order, ticks]";
    assert_eq!(
        value(program).await,
        json!([["micro", "a", "immediate", "b", "c", "d"], 3])
    );
    for delay in ["NaN", "-1", "undefined", "'x'"] {
        assert_eq!(
            value(&format!(
                "await new Promise((r) => setTimeout(r, {delay})); return 1"
            ))
            .await,
            json!(1),
            "{delay}"
        );
    }
}

// SPEC J6
#[tokio::test]
async fn timers_are_capped() {
    let limits = CodeLimits {
        timers: 50,
        ..CodeLimits::default()
    };
    let program = "let n = 0; try { for (;;) { setTimeout(() => {}, 1e9); n++ } } catch (e) { return [n, e.name, e.message] }";
    let (result, _) = run_with(program, limits).await;
    assert_eq!(
        result.outcome,
        Ok(Some(json!([
            50,
            "RangeError",
            "50 timers are already set; clear some or wait for them"
        ])))
    );
}

// SPEC J2, J9
#[tokio::test]
async fn randomness_and_time_differ_between_runs() {
    let program = "return [Math.random(), crypto.randomUUID(), Array.from(crypto.getRandomValues(new Uint32Array(4)))]";
    let (first, second) = (value(program).await, value(program).await);
    for index in 0..3 {
        assert_ne!(
            first.as_array().unwrap()[index],
            second.as_array().unwrap()[index]
        );
    }
    let program = "
        const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
        const many = Array.from({ length: 1000 }, Math.random);
        return [uuid.test(crypto.randomUUID()), new Set(many).size, many.every((n) => n >= 0 && n < 1),
            Date.now() > 1.7e12, Math.abs(Date.now() - performance.timeOrigin - performance.now()) < 1000]";
    assert_eq!(value(program).await, json!([true, 1000, true, true, true]));
}

// SPEC J3
#[tokio::test]
async fn there_is_no_door() {
    for name in [
        "WebAssembly",
        "SharedArrayBuffer",
        "Atomics",
        "require",
        "process",
        "fetch",
        "Deno",
        "module",
        "native",
        "warm",
    ] {
        assert_eq!(
            value(&format!("return typeof {name}")).await,
            json!("undefined"),
            "{name}"
        );
    }
    for program in [
        "await import('fs')",
        "await import('data:text/javascript,1')",
        "await (0, eval)(\"import('x')\")",
        "await Function(\"return import('x')\")()",
    ] {
        let failure = failure(program, CodeLimits::default()).await;
        assert_eq!(failure.name, "TypeError", "{program}: {failure:?}");
        assert!(
            failure
                .message
                .starts_with("there are no modules to import"),
            "{program}: {}",
            failure.message
        );
    }
    let caught = value(
        "try { this.constructor.constructor('return process')() } catch (e) { return e.name }",
    )
    .await;
    assert_eq!(caught, json!("ReferenceError"));
    let evaluated = value("return [eval('1 + 1'), new Function('return typeof tools.echo')(), typeof (async () => {}).constructor('return tools')]").await;
    assert_eq!(evaluated, json!([2, "function", "function"]));
}

// SPEC J3
#[tokio::test]
async fn the_globals_are_these_and_no_others() {
    let names = value("return Object.getOwnPropertyNames(globalThis).sort().join(' ')").await;
    let known = GLOBALS
        .split_whitespace()
        .filter(|name| by_engine(true, !NOT_ON_BOA.contains(name)));
    assert_eq!(
        names.as_str().unwrap_or_default(),
        known.collect::<Vec<_>>().join(" ")
    );
}

/// Names of the list below that Boa lacks: explicit resource management, and an error of QuickJS's own.
const NOT_ON_BOA: [&str; 4] = [
    "AsyncDisposableStack",
    "DisposableStack",
    "InternalError",
    "SuppressedError",
];

// SPEC J6
#[tokio::test]
async fn sorting_bears_a_comparison_that_contradicts_itself() {
    let program = "
        const a = Array.from({ length: 2000 }, (_, i) => i);
        for (let round = 0; round < 5; round++) a.sort(() => Math.random() - 0.5);
        const whole = new Set(a).size === 2000;
        const t = new Int16Array(a).sort(() => Math.random() - 0.5);
        const odd = { n: 0, toString() { return String(this.n++ % 3) } };
        Array.from({ length: 100 }, () => odd).sort();
        const records = [{ k: 1, v: 'a' }, { k: 0, v: 'b' }, { k: 1, v: 'c' }].sort((x, y) => x.k - y.k).map((r) => r.v).join('');
        return [whole, new Set(t).size, records, [3, , 1, undefined, 10].sort().length, [3, 1, 10].sort(), [3, 1, 10].toSorted((x, y) => y - x),
            Array.from(new Int8Array([3, -1, 2]).sort((x, y) => y - x))]";
    assert_eq!(
        value(program).await,
        json!([true, 2000, "bac", 5, [1, 10, 3], [10, 3, 1], [3, 2, -1]])
    );
}

// SPEC J6: what an engine would silently run wrong is refused.
#[tokio::test]
async fn resources_are_disposed_or_refused() {
    let program = "const log = []; { using a = { [Symbol.dispose]() { log.push('disposed') } }; log.push('used') } return log";
    let (result, _) = run_with(program, CodeLimits::default()).await;
    let outcome = result
        .outcome
        .map_err(|failure| (failure.name, failure.position.map(|at| at.line)));
    // Where no engine runs it, none may run it wrong.
    assert_eq!(
        outcome,
        by_engine(
            Ok(Some(json!(["used", "disposed"]))),
            Err(("SyntaxError".to_owned(), Some(1)))
        )
    );
    let made =
        "try { return new Function('using x = null')() ?? 'ran' } catch (e) { return e.name }";
    assert_eq!(
        value(made).await,
        by_engine(json!("ran"), json!("SyntaxError"))
    );
}

/// Every name here is part of the language or of what `sandbox-guest` documents; the bridge adds `tools` alone.
const GLOBALS: &str = "
    AbortController AbortSignal AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array
    Boolean DOMException DataView Date DisposableStack Error EvalError Event EventTarget FinalizationRegistry Float16Array
    Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array InternalError Iterator JSON Map Math NaN Number
    Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String SuppressedError Symbol SyntaxError TextDecoder
    TextEncoder ToolCallError TypeError URIError URL URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap
    WeakRef WeakSet atob btoa clearImmediate clearInterval clearTimeout console crypto decodeURI decodeURIComponent encodeURI
    encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt performance queueMicrotask self setImmediate
    setInterval setTimeout structuredClone tools undefined unescape";

// SPEC J2
#[tokio::test]
async fn nothing_survives_a_run() {
    let spoil = "
        for (const name of Object.getOwnPropertyNames(globalThis)) { try { globalThis[name] = 'spoiled' } catch {} }
        for (const proto of [Object, Array, Function, Promise, Map, String].map((c) => c.prototype)) ;
        return 1";
    let patch = "
        Object.prototype.spoiled = Array.prototype.spoiled = 1; globalThis.spoiled = 1; Math.random = () => 4;
        Promise.prototype.then = Array.prototype.map = JSON.parse = null; setTimeout(() => {}, 5); return 1";
    for program in [
        spoil,
        patch,
        "globalThis.spoiled = 1; for (;;);",
        "globalThis.spoiled = 1; throw 1",
    ] {
        let limits = CodeLimits {
            compute: std::time::Duration::from_millis(50),
            ..CodeLimits::default()
        };
        run_with(program, limits).await;
        let clean = "return [typeof spoiled, {}.spoiled === undefined, [1].map((x) => x + 1), JSON.parse('[1]'), await tools.echo(1)]";
        assert_eq!(
            value(clean).await,
            json!(["undefined", true, [2], [1], 1]),
            "{program}"
        );
    }
}
