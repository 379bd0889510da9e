//! What a program prints reads as people expect, whatever it prints.

use lockgate::code_runtime::{CodeLimits, LogLevel};

use super::sandbox_support::{by_engine, run, run_with};

async fn printed(source: &str) -> String {
    let result = run(source).await;
    assert!(result.outcome.is_ok(), "{source}: {:?}", result.outcome);
    result
        .logs
        .iter()
        .map(|line| line.text.as_str())
        .collect::<Vec<_>>()
        .join("\n")
}

// SPEC J5
#[tokio::test]
async fn values_read_as_in_node() {
    for (values, text) in [
        (
            "{ a: 1 }, [1, 2], new Map([[1, 2]]), undefined, 10n",
            "{ a: 1 } [ 1, 2 ] Map(1) { 1 => 2 } undefined 10n",
        ),
        ("'text', ['text', \"it's\"]", "text [ 'text', \"it's\" ]"),
        (
            "-0, 1e21, NaN, null, true, Symbol('s')",
            "-0 1e+21 NaN null true Symbol(s)",
        ),
        (
            "new Set(['a', 1]), new WeakMap()",
            "Set(2) { 'a', 1 } WeakMap {}",
        ),
        (
            "{}, [], new Map(), [[]], {a: {}}",
            "{} [] Map(0) {} [ [] ] { a: {} }",
        ),
        (
            "function named() {}, () => {}, class A {}",
            // Boa keeps no source of a class.
            by_engine(
                "[Function: named] [Function (anonymous)] [class A]",
                "[Function: named] [Function (anonymous)] [Function: A]",
            ),
        ),
        (
            "new (class Point { x = 1 })(), Object.create(null)",
            "Point { x: 1 } [Object: null prototype] {}",
        ),
        (
            "[1, , 3], new Array(3), Object.assign([1], { k: 2 })",
            "[ 1, <1 empty item>, 3 ] [ <3 empty items> ] [ 1, k: 2 ]",
        ),
        (
            "new Date(0), /a\\/b/gi",
            // Boa escapes a slash twice in `source`.
            by_engine(
                "1970-01-01T00:00:00.000Z /a\\/b/gi",
                "1970-01-01T00:00:00.000Z /a\\\\/b/gi",
            ),
        ),
        (
            "new Uint8Array([1, 2]), new ArrayBuffer(3)",
            "Uint8Array(2) [ 1, 2 ] ArrayBuffer { byteLength: 3 }",
        ),
        (
            "Promise.resolve(4), new Promise(() => {})",
            "Promise { 4 } Promise { <pending> }",
        ),
        (
            "{ get a() { return 1 }, set a(v) {}, get b() { return 1 } }",
            "{ a: [Getter/Setter], b: [Getter] }",
        ),
        (
            "{ 'a-b': 1, 2: 3, [Symbol('s')]: 4, é: 5 }",
            "{ 2: 3, 'a-b': 1, é: 5, [Symbol(s)]: 4 }",
        ),
        (
            "'%s is %d%% of %j', 'half', 50, { a: 1 }, 'rest'",
            "half is 50% of { a: 1 } rest",
        ),
        ("'100%', '%s'", "100% %s"),
        ("{ a: 'line\\nbreak' }", "{ a: 'line\\nbreak' }"),
        (
            "(() => { const c = { name: 'c' }; c.self = c; return c })()",
            "{ name: 'c', self: [Circular] }",
        ),
        (
            "{a: {b: {c: {d: {e: {f: 1}}}}}}",
            "{ a: { b: { c: { d: { e: [Object] } } } } }",
        ),
    ] {
        assert_eq!(
            printed(&format!("console.log({values})")).await,
            text,
            "{values}"
        );
    }
}

// SPEC J5
#[tokio::test]
async fn errors_show_their_stack_and_their_fields() {
    let text = printed("const e = new TypeError('bad'); e.code = 7; console.log(e)").await;
    assert!(
        text.starts_with("TypeError: bad\n    at program."),
        "{text}"
    );
    assert!(text.ends_with("{ code: 7 }"), "{text}");
}

// SPEC J5
#[tokio::test]
async fn long_values_break_into_lines_and_are_cut() {
    let text = printed("console.log(Array.from({ length: 1000 }, (_, i) => i))").await;
    assert!(text.ends_with("... 900 more items\n]"), "{text}");
    assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    let text = printed("console.log({ rows: [1, 2].map((id) => ({ id, text: 'some words of text that fill the line' })) })").await;
    assert!(
        text.contains("\n    { id: 1, text: 'some words of text that fill the line' },\n"),
        "{text}"
    );
}

// SPEC J5
#[tokio::test]
async fn each_method_has_its_level() {
    let result = run("console.debug('d'); console.log('l'); console.info('i'); console.warn('w'); console.error('e')").await;
    let levels: Vec<_> = result.logs.iter().map(|line| line.level).collect();
    assert_eq!(
        levels,
        [
            LogLevel::Debug,
            LogLevel::Info,
            LogLevel::Info,
            LogLevel::Warn,
            LogLevel::Error
        ]
    );
}

// SPEC J5
#[tokio::test]
async fn the_other_methods_work() {
    let text = printed(
        "console.group('g'); console.log('a\\nb'); console.groupEnd(); console.count(); console.count('x'); console.count();
         console.assert(true, 'no'); console.assert(false, 'yes', 1); console.dir({ a: 1 }); console.table([1]);
         console.time(); console.timeEnd()",
    )
    .await;
    assert!(text.starts_with("g\n  a\n  b\ndefault: 1\nx: 1\ndefault: 2\nAssertion failed: yes 1\n{ a: 1 }\n[ 1 ]\ndefault: "), "{text}");
}

// SPEC J6
#[tokio::test]
async fn printing_runs_no_code_of_the_program() {
    let source = "
        let ran = 0;
        const evil = () => { ran++; throw 1 };
        const value = { get a() { evil() }, toString: evil, toJSON: evil, [Symbol.toPrimitive]: evil, valueOf: evil };
        const proxy = new Proxy({ a: 1 }, { get: evil, ownKeys: evil, getOwnPropertyDescriptor: evil, getPrototypeOf: evil });
        const nested = new Proxy(proxy, { get: evil });
        Map.prototype.entries = Map.prototype[Symbol.iterator] = Set.prototype.values = Date.prototype.toISOString = evil;
        Object.defineProperty(RegExp.prototype, 'flags', { get: evil });
        Object.defineProperty(Object.prototype, 'constructor', { get: evil, configurable: true });
        const error = new Error('x'); Object.defineProperty(error, 'stack', { get: evil });
        console.log(value, proxy, nested, new Map([[1, value]]), new Set([proxy]), new Date(NaN), /x/g, error, new (class { get [Symbol.toStringTag]() { evil() } })());
        return ran";
    assert_eq!(run(source).await.outcome, Ok(Some(lockgate::json!(0))));
}

// SPEC J4
#[tokio::test]
async fn a_giant_value_is_cut_before_it_is_built() {
    let limits = CodeLimits {
        output_bytes: 10_000,
        compute: std::time::Duration::from_secs(5),
        ..CodeLimits::default()
    };
    let wide = "const wide = (n) => n === 0 ? 'x'.repeat(50) : Array.from({ length: 100 }, () => wide(n - 1));
        const part = wide(1); const all = [part, part, part]; for (let i = 0; i < 4; i++) all.push([...all]);
        console.log(all); return 1";
    let (result, _) = run_with(wide, limits).await;
    let bytes: usize = result.logs.iter().map(|line| line.text.len()).sum();
    assert!(bytes <= 10_000, "{bytes}");
}
