//! What crosses between a program and the host is lossless JSON or an error that says where and what to do.

use lockgate::code_runtime::{CodeLimits, FailureKind};
use lockgate::json;

use super::sandbox_support::{failure, value};

/// Values that are not lossless JSON, what is said to be found, and the mend.
const NOT_JSON: &[(&str, &str)] = &[
    ("undefined", "is undefined; leave the key out or pass null"),
    ("() => 1", "is a function; "),
    ("class {}", "is a function; "),
    ("Symbol('s')", "is a symbol; use a string"),
    ("10n", "is a BigInt; convert it"),
    ("NaN", "is NaN; pass a finite number or null"),
    ("-Infinity", "is an infinite number; "),
    ("-0", "is -0; pass 0"),
    (
        "new Date(0)",
        "is an instance of Date; pass date.toISOString()",
    ),
    (
        "new Map()",
        "is an instance of Map; pass Object.fromEntries(map)",
    ),
    ("new Set()", "is an instance of Set; pass [...set]"),
    ("/x/", "is an instance of RegExp; "),
    (
        "new Uint8Array(1)",
        "is an instance of Uint8Array; pass Array.from(value)",
    ),
    ("new ArrayBuffer(1)", "is an instance of ArrayBuffer; "),
    ("Promise.resolve(1)", "is a promise; await it"),
    ("new (class Point { x = 1 })()", "is an instance of Point; "),
    ("new (class extends Array {})()", "is an instance of "),
    (
        "new Error('x')",
        "is an instance of Error; pass error.message",
    ),
    ("new Number(1)", "is an instance of Number; "),
    ("(function () { return arguments })()", "is an instance of "),
    ("new Proxy({}, { ownKeys() { throw 1 } })", "is a Proxy; "),
    ("new Proxy([], {})", "is a Proxy; "),
    ("[1, , 2]", "is an array with holes; "),
    ("new Array(5)", "is an array with holes; "),
    (
        "Object.assign([1], { x: 1 })",
        "is an array with a named property (x); ",
    ),
    (
        "{ [Symbol('k')]: 1 }",
        "is an object with a symbol as a key; ",
    ),
    ("'a\\ud800'", "is a string with half a surrogate pair; "),
];

// SPEC A2
#[tokio::test]
async fn an_argument_that_is_not_json_rejects_with_path_and_mend() {
    for (source, message) in NOT_JSON {
        let program = format!(
            "try {{ await tools.echo({{ items: [0, {{ when: {source} }}] }}); return 'accepted' }}
             catch (error) {{ return [error instanceof TypeError, error.message] }}"
        );
        let caught = value(&program).await;
        let text = caught
            .as_array()
            .and_then(|caught| caught[1].as_str())
            .unwrap_or_default();
        let expected = format!("tools.echo: args.items[1].when {message}");
        assert!(text.starts_with(&expected), "{source}: {caught:?}");
    }
}

// SPEC A2, H5
#[tokio::test]
async fn a_result_that_is_not_json_is_invalid_output() {
    for (source, message) in NOT_JSON {
        let failure = failure(
            &format!("return {{ a: [{source}] }}"),
            CodeLimits::default(),
        )
        .await;
        assert_eq!(failure.kind, FailureKind::InvalidOutput, "{source}");
        assert!(
            failure.message.contains(&format!("result.a[0] {message}")),
            "{source}: {}",
            failure.message
        );
    }
}

// SPEC A2
#[tokio::test]
async fn cycles_are_found_and_shared_parts_are_not_cycles() {
    let message = value("const c = { b: {} }; c.b.c = [c]; try { await tools.echo(c) } catch (e) { return e.message }").await;
    assert_eq!(
        message,
        json!(
            "tools.echo: args.b.c[0] is a cycle: it contains itself; break the cycle or pass a copy without it"
        )
    );
    assert_eq!(
        value("const s = { x: 1 }; return await tools.echo([s, s, { s }])").await,
        json!([{"x": 1}, {"x": 1}, {"s": {"x": 1}}])
    );
}

// SPEC A3
#[tokio::test]
async fn keys_are_data_and_keep_their_order() {
    let program = r#"
        const o = JSON.parse(`{"z": 1, "__proto__": {"p": 1}, "constructor": 2, "": 3, "toJSON": 4, "then": 5,
            "$serde_json::private::RawValue": "[]", "$serde_json::private::Number": "7"}`);
        const back = await tools.echo(o);
        return [Object.keys(back), Object.getPrototypeOf(back) === Object.prototype, back]"#;
    let keys = [
        "z",
        "__proto__",
        "constructor",
        "",
        "toJSON",
        "then",
        "$serde_json::private::RawValue",
        "$serde_json::private::Number",
    ];
    let result = value(program).await;
    let result = result.as_array().unwrap();
    assert_eq!(
        result[0],
        keys.iter()
            .map(|&key| lockgate::Json::from(key))
            .collect::<Vec<_>>()
            .into()
    );
    assert_eq!(result[1], json!(true));
    let object = result[2].as_object().unwrap();
    assert_eq!(
        object
            .iter()
            .map(|(key, _)| key.to_string())
            .collect::<Vec<_>>(),
        keys
    );
}

// SPEC A3
#[tokio::test]
async fn slots_are_read_once_and_to_json_is_not_consulted() {
    let program = "
        let reads = 0, asked = 0;
        const o = { get a() { return ++reads } };
        Object.prototype.toJSON = () => { asked++; return 'evil' };
        const back = await tools.echo({ o, d: { toJSON: 1 } });
        return [back.o.a, reads, asked]";
    assert_eq!(value(program).await, json!([1, 1, 0]));
}

// SPEC A2
#[tokio::test]
async fn a_getter_that_throws_rejects_that_call_alone() {
    let program = "
        const bad = tools.echo({ a: { get b() { throw new RangeError('no') } } }).catch((e) => e.message);
        return [await bad, await tools.echo(1)]";
    let expected = json!([
        "tools.echo: args.a.b is a getter that threw (RangeError: no); pass plain values",
        1
    ]);
    assert_eq!(value(program).await, expected);
}

// SPEC A4
#[tokio::test]
async fn numbers_keep_their_value() {
    let program = "
        const numbers = [0, 1, -1, 0.1, 1e21, 5e-324, 1.7976931348623157e308, 2 ** 53, 2 ** 60, -(2 ** 62), 123456.789];
        const back = await tools.echo(numbers);
        return numbers.every((n, i) => Object.is(n, back[i]))";
    assert_eq!(value(program).await, json!(true));
}

// SPEC A1
#[tokio::test]
async fn an_argument_is_what_it_was_at_the_call() {
    let program = "
        const o = { a: [1] };
        const call = tools.echo(o);
        o.a.push(2); o.b = 3;
        return [await call, o]";
    assert_eq!(
        value(program).await,
        json!([{"a": [1]}, {"a": [1, 2], "b": 3}])
    );
}

// SPEC A5
#[tokio::test]
async fn depth_is_limited_by_a_number_not_by_a_stack() {
    let program = |depth: u32| {
        format!(
            "let o = 0; for (let i = 0; i < {depth}; i++) o = i % 2 ? [o] : {{ a: o }};
             try {{ let x = await tools.echo(o), depth = 0; while (x !== 0) {{ x = x.a ?? x[0]; depth++ }} return depth }}
             catch (e) {{ return e.message }}"
        )
    };
    for depth in [127, 128, 129, 9_999] {
        assert_eq!(value(&program(depth)).await, json!(depth), "{depth}");
    }
    for depth in [10_001, 1_000_000] {
        let message = value(&program(depth)).await;
        let message = message.as_str().unwrap_or_default();
        assert!(
            message.contains("is nested deeper than 10000 levels"),
            "{depth}: {message}"
        );
        assert!(message.len() < 400, "the path is cut: {message}");
    }
}

// SPEC A5
#[tokio::test]
async fn json_of_a_program_has_its_own_depth() {
    let parse = async |levels: usize| {
        value(&format!(
            "try {{ JSON.parse('['.repeat({levels}) + ']'.repeat({levels})); return 'parsed' }} catch (e) {{ return e.name }}"
        ))
        .await
    };
    for levels in [127, 1000, 10_000] {
        assert_eq!(parse(levels).await, json!("parsed"), "{levels}");
    }
}

// SPEC H4
#[tokio::test]
async fn a_promise_that_is_returned_is_awaited() {
    assert_eq!(value("return tools.echo({ a: 1 })").await, json!({"a": 1}));
    let failure = failure("return { x: tools.echo(1) }", CodeLimits::default()).await;
    assert_eq!(failure.kind, FailureKind::InvalidOutput);
    assert!(
        failure.message.contains("result.x is a promise; await it"),
        "{}",
        failure.message
    );
}
