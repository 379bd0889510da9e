//! Hostile values at the crossing between a program and its host.

use lockgate::code_runtime::{
    CodeLimits,
    FailureKind::{Exception, InvalidOutput},
};
use lockgate::json;

use super::hostile_support::{Case, Want, attack, tight};
use super::sandbox_support::{expect_unaffected, failure, run_with, value};

// SPEC A2: the path of what is no JSON, in what is returned.
#[tokio::test]
async fn what_is_returned_is_json_or_an_error_with_its_path() {
    let cases: [Case; 26] = [
        (
            "undefined",
            "return { a: [{ b: undefined }] }",
            Want::Fails(InvalidOutput, "result.a[0].b"),
        ),
        (
            "function",
            "return [[() => 1]]",
            Want::Fails(InvalidOutput, "result[0][0]"),
        ),
        (
            "class",
            "return { a: class A {} }",
            Want::Fails(InvalidOutput, "result.a"),
        ),
        (
            "symbol",
            "return { a: Symbol('s') }",
            Want::Fails(InvalidOutput, "result.a"),
        ),
        (
            "symbol key",
            "return { a: { [Symbol('s')]: 1 } }",
            Want::Fails(InvalidOutput, "result.a"),
        ),
        (
            "BigInt",
            "return { n: [1n] }",
            Want::Fails(InvalidOutput, "result.n[0]"),
        ),
        (
            "boxed BigInt",
            "return { n: Object(1n) }",
            Want::Fails(InvalidOutput, "result.n"),
        ),
        (
            "NaN",
            "return { n: 0 / 0 }",
            Want::Fails(InvalidOutput, "result.n"),
        ),
        (
            "infinity",
            "return [1, -1 / 0]",
            Want::Fails(InvalidOutput, "result[1]"),
        ),
        (
            "negative zero",
            "return { z: -0 }",
            Want::Fails(InvalidOutput, "result.z"),
        ),
        (
            "hole",
            "return { a: [1, , 3] }",
            Want::Fails(InvalidOutput, "result.a"),
        ),
        (
            "array with more",
            "const a = [1]; a.more = 2; return { a }",
            Want::Fails(InvalidOutput, "result.a"),
        ),
        (
            "result of a match",
            "return { m: 'ab'.match(/a/) }",
            Want::Fails(InvalidOutput, "result.m"),
        ),
        (
            "date",
            "return { d: new Date(0) }",
            Want::Fails(InvalidOutput, "result.d"),
        ),
        (
            "map",
            "return [new Map([[1, 2]])]",
            Want::Fails(InvalidOutput, "result[0]"),
        ),
        (
            "weak set",
            "return [new WeakSet()]",
            Want::Fails(InvalidOutput, "result[0]"),
        ),
        (
            "typed array",
            "return { t: new Float64Array(2) }",
            Want::Fails(InvalidOutput, "result.t"),
        ),
        (
            "expression",
            "return { r: /x/g }",
            Want::Fails(InvalidOutput, "result.r"),
        ),
        (
            "a call that is not awaited",
            "return { x: tools.echo({}) }",
            Want::Fails(InvalidOutput, "result.x"),
        ),
        (
            "an instance",
            "class P { x = 1 } return { p: new P() }",
            Want::Fails(InvalidOutput, "result.p"),
        ),
        (
            "a proxy",
            "return { p: new Proxy({ a: 1 }, {}) }",
            Want::Fails(InvalidOutput, "result.p"),
        ),
        (
            "an error",
            "return { e: new Error('x') }",
            Want::Fails(InvalidOutput, "result.e"),
        ),
        (
            "high half of a pair",
            "return { s: ['\\ud83d'] }",
            Want::Fails(InvalidOutput, "result.s[0]"),
        ),
        (
            "low half in a key",
            "return { ['\\ude00']: 1 }",
            Want::Fails(InvalidOutput, "result"),
        ),
        (
            "arguments",
            "return { a: (function () { return arguments })(1) }",
            Want::Fails(InvalidOutput, "result.a"),
        ),
        (
            "a cycle far away",
            "const a = { b: { c: [] } }; a.b.c.push(a.b); return a",
            Want::Fails(InvalidOutput, "result.b.c[0]"),
        ),
    ];
    attack(&cases, tight()).await;
}

// SPEC A2: the same in arguments, where the program can catch it.
#[tokio::test]
async fn arguments_that_are_not_json_reject_that_call_alone() {
    let cases: [Case; 10] = [
        (
            "undefined",
            "await tools.echo({ a: [undefined] })",
            Want::Fails(Exception, "args.a[0]"),
        ),
        (
            "hole",
            "await tools.echo({ a: [1, , 2] })",
            Want::Fails(Exception, "args.a"),
        ),
        (
            "NaN",
            "await tools.echo({ a: { b: NaN } })",
            Want::Fails(Exception, "args.a.b"),
        ),
        (
            "negative zero",
            "await tools.echo({ a: [-0] })",
            Want::Fails(Exception, "args.a[0]"),
        ),
        (
            "lone half",
            "await tools.echo({ a: 'x\\ud800' })",
            Want::Fails(Exception, "args.a"),
        ),
        (
            "promise",
            "await tools.echo({ a: Promise.resolve(1) })",
            Want::Fails(Exception, "args.a"),
        ),
        (
            "cycle",
            "const a = {}; a.again = a; await tools.echo(a)",
            Want::Fails(Exception, "args.again"),
        ),
        (
            "proxy that throws",
            "await tools.echo({ p: new Proxy({}, { ownKeys() { throw new Error('no keys') } }) })",
            Want::Fails(Exception, ""),
        ),
        (
            "revoked proxy",
            "const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); await tools.echo({ proxy })",
            Want::Fails(Exception, "args.proxy"),
        ),
        (
            "the next call works",
            "try { await tools.echo({ a: 1n }) } catch {} return await tools.echo({ a: 1 })",
            Want::Value(r#"{"a":1}"#),
        ),
    ];
    attack(&cases, tight()).await;
}

// SPEC A3
#[tokio::test]
async fn slots_and_keys_are_plain_data() {
    let cases: [Case; 12] = [
        (
            "own __proto__",
            "const a = JSON.parse('{\"__proto__\":{\"x\":1}}'); const b = await tools.echo(a); return [Object.keys(b), b.x === undefined, Object.getPrototypeOf(b) === Object.prototype]",
            Want::Value(r#"[["__proto__"],true,true]"#),
        ),
        (
            "__proto__ in a result",
            "return await tools.echo(JSON.parse('{\"__proto__\":[1],\"constructor\":2,\"toString\":3,\"hasOwnProperty\":4}'))",
            Want::Value(r#"{"__proto__":[1],"constructor":2,"toString":3,"hasOwnProperty":4}"#),
        ),
        (
            "keys of a serialiser",
            "return await tools.echo({ '$serde_json::private::RawValue': '{', '$serde_json::private::Number': 'x', '': 0 })",
            Want::Value(
                r#"{"$serde_json::private::RawValue":"{","$serde_json::private::Number":"x","":0}"#,
            ),
        ),
        (
            "a thenable as data",
            "const r = await tools.echo({ then: 'no function' }); return r",
            Want::Value(r#"{"then":"no function"}"#),
        ),
        (
            "toJSON as data",
            "return await tools.echo({ toJSON: 1 })",
            Want::Value(r#"{"toJSON":1}"#),
        ),
        (
            "inherited toJSON",
            "Object.prototype.toJSON = () => 'spoiled'; String.prototype.toJSON = () => 'spoiled'; return await tools.echo({ a: 'b' })",
            Want::Value(r#"{"a":"b"}"#),
        ),
        (
            "a getter is read once",
            "let n = 0; const r = await tools.echo({ get a() { return ++n } }); return [r.a, n]",
            Want::Value("[1,1]"),
        ),
        (
            "a setter on the prototype",
            "Object.defineProperty(Object.prototype, 'a', { set() { throw new Error('set') }, configurable: true }); return (await tools.echo({ ['a' + 'b']: 1 })).ab",
            Want::Value("1"),
        ),
        (
            "a setter on the prototype for a key of a result",
            "const args = { a: 1 }; Object.defineProperty(Object.prototype, 'a', { set() { throw new Error('set') }, get() { return 'got' }, configurable: true }); return (await tools.echo(args)).a",
            Want::Value("1"),
        ),
        (
            "a setter for an element",
            "const args = { l: [1, 2] }; Object.defineProperty(Array.prototype, '0', { set() { throw new Error('set') }, configurable: true }); return (await tools.echo(args)).l",
            Want::Value("[1,2]"),
        ),
        (
            "order of keys",
            "return Object.keys(await tools.echo({ z: 1, a: 2, m: 3 })).join('')",
            Want::Value(r#""zam""#),
        ),
        (
            "a change after the call",
            "const a = { l: [1] }; const p = tools.echo(a); a.l.push(2); a.b = 1; return await p",
            Want::Value(r#"{"l":[1]}"#),
        ),
    ];
    attack(&cases, tight()).await;
}

// SPEC A4
#[tokio::test]
async fn numbers_keep_their_value_at_the_edges() {
    for text in [
        "9007199254740991",
        "-9007199254740991",
        "9007199254740992",
        "1e21",
        "5e-324",
        "1.7976931348623157e308",
        "0.1",
        "123456789012.5",
        "4294967296",
        "-2147483649",
        "1e300",
    ] {
        let found = value(&format!(
            "return (await tools.echo({{a: {text}}})).a === {text}"
        ))
        .await;
        assert_eq!(found, json!(true), "{text}");
    }
}

// SPEC A5
#[tokio::test]
async fn depth_is_a_limit_and_never_a_crash() {
    let nested = |depth: usize| {
        format!("let v = 1; for (let i = 0; i < {depth}; i++) v = i % 2 ? [v] : {{v}};")
    };
    let limits = CodeLimits {
        memory_bytes: 256 << 20,
        ..CodeLimits::default()
    };
    for depth in [127, 128, 129, 9_000] {
        let source = format!(
            "{} const r = (await tools.echo({{v}})).v; let n = 0; for (let x = r; typeof x === 'object'; n++) x = Array.isArray(x) ? x[0] : x.v; return n",
            nested(depth)
        );
        let (result, _) = run_with(&source, limits).await;
        assert_eq!(result.outcome, Ok(Some(json!(depth))), "{depth}");
    }
    for depth in [10_001, 100_000, 1_000_000] {
        let returned = failure(&format!("{} return v", nested(depth)), limits).await;
        assert_eq!(returned.kind, InvalidOutput, "{depth}: {returned:?}");
        assert!(returned.message.contains("10000"), "{returned:?}");
        assert!(
            returned.message.len() < 4096,
            "bounded: {}",
            returned.message.len()
        );
        let argument = failure(
            &format!("{} await tools.echo({{v}})", nested(depth)),
            limits,
        )
        .await;
        assert_eq!(argument.kind, Exception, "{depth}: {argument:?}");
        assert!(argument.message.contains("10000"), "{argument:?}");
    }
    expect_unaffected().await;
}
