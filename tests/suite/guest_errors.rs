//! What is said of a program that fails: name, message and the place in its own source.

use lockgate::code_runtime::{CodeFailure, CodeLimits, FailureKind, Limit};
use lockgate::json;

use super::sandbox_support::{by_engine, expect_unaffected, failure, run_with, value};

async fn fails(source: &str) -> CodeFailure {
    failure(source, CodeLimits::default()).await
}

fn place(failure: &CodeFailure) -> Option<(u32, u32)> {
    failure
        .position
        .map(|position| (position.line, position.column))
}

// SPEC J7
#[tokio::test]
async fn an_error_names_its_line_and_column() {
    let failure = fails("const a = 1;\nfunction load(x) {\n  return x.y.z;\n}\nload({});").await;
    assert_eq!(failure.kind, FailureKind::Exception);
    assert_eq!(failure.name, "TypeError");
    assert_eq!(place(&failure).map(|(line, _)| line), Some(3));
    assert_eq!(failure.frames, ["at program.js:5:1"]);
}

// SPEC J7
#[tokio::test]
async fn columns_count_utf16_code_units() {
    let failure = fails("const s = 'é😀'; missing()").await;
    assert_eq!(
        (failure.name.as_str(), place(&failure)),
        // Boa knows the places of calls and of properties alone.
        ("ReferenceError", by_engine(Some((1, 18)), None))
    );
    let failure = fails("const s = 'é😀'; (0).missing()").await;
    assert_eq!(
        (failure.name.as_str(), place(&failure).map(|(line, _)| line)),
        ("TypeError", Some(1))
    );
}

// SPEC J7
#[tokio::test]
async fn a_syntax_error_names_its_place() {
    // Boa takes the second declaration for a new one.
    let twice = "const a = 1;\nconst a = 2; return a";
    let (result, _) = run_with(twice, CodeLimits::default()).await;
    let outcome = result.outcome.map_err(|failure| failure.name);
    assert_eq!(
        outcome,
        by_engine(Err("SyntaxError".to_owned()), Ok(Some(json!(2))))
    );
    for (source, line) in [
        ("let x = (1 +;", 1),
        ("let a = 1;\nlet b = 2;\nlet c = ;\n", 3),
        ("if (true) {\n  console.log(1)\n}}\nconsole.log(2)", 4),
        ("for (const x of [1]) {\n  await tools.echo(x)\n", 2),
    ] {
        let failure = fails(source).await;
        assert_eq!(
            (failure.kind, failure.name.as_str()),
            (FailureKind::Exception, "SyntaxError"),
            "{source}: {failure:?}"
        );
        let found = place(&failure).map(|(line, _)| line);
        assert!(
            found.is_some_and(|found| found.abs_diff(line) <= 1),
            "{source}: {failure:?}"
        );
    }
}

// SPEC J7
#[tokio::test]
async fn a_rejected_call_names_the_place_of_the_call() {
    let failure = fails("const one = 1;\nawait tools.echo(one);\nawait tools.fail({});").await;
    assert_eq!(
        (failure.name.as_str(), failure.message.as_str()),
        ("ToolCallError", "the tool failed")
    );
    assert_eq!((place(&failure), failure.call), (Some((3, 13)), Some(2)));
    for (call, column) in [
        ("tools.fail()", 13),
        ("tools.fail( { a: 1 } )", 13),
        ("tools['fail'](1)", by_engine(7, 20)),
    ] {
        let failure = fails(&format!("await {call}")).await;
        assert_eq!(place(&failure), Some((1, column)), "{call}");
    }
    let parallel = fails("const calls = [1, 2].map((x) =>\n  tools.fail({ x }));\nawait tools.echo(1);\nawait Promise.all(calls);").await;
    assert_eq!(
        (place(&parallel).map(|(line, _)| line), parallel.call),
        (Some(2), Some(1))
    );
    let refused = fails("const when = new Date(0);\nawait tools.echo({ when });").await;
    assert_eq!(
        (refused.name.as_str(), place(&refused).map(|(line, _)| line)),
        ("TypeError", Some(2))
    );
}

// SPEC H5
#[tokio::test]
async fn an_unhandled_rejection_is_never_a_success() {
    let failure = fails("const lost = tools.fail({});\nawait tools.echo(1);\nreturn 'fine'").await;
    assert_eq!(failure.kind, FailureKind::Exception);
    assert_eq!(
        failure.message,
        "tools.fail failed and nothing awaited it: the tool failed"
    );
    assert_eq!(
        (place(&failure).map(|(line, _)| line), failure.call),
        (Some(1), Some(1))
    );
    let own = fails("Promise.reject(new RangeError('lost')); return 1").await;
    assert_eq!(
        (own.name.as_str(), own.message.as_str()),
        (
            "RangeError",
            "a promise was rejected and nothing handled it: lost"
        )
    );
    let late = "const p = tools.fail({}); await tools.echo(1); await tools.echo(2); return await p.catch((e) => e.message)";
    assert_eq!(value(late).await, json!("the tool failed"));
}

// SPEC H5
#[tokio::test]
async fn an_exception_outside_of_the_programs_own_flow_ends_it() {
    for source in [
        "setTimeout(() => { throw new RangeError('later') }, 1); await new Promise(() => {})",
        "queueMicrotask(() => { throw new RangeError('later') }); await new Promise(() => {})",
        "setTimeout(() => { throw new RangeError('later') }, 1); await tools.sleep({ ms: 50 }); return 1",
    ] {
        let failure = fails(source).await;
        assert_eq!(
            (
                failure.kind,
                failure.name.as_str(),
                failure.message.as_str()
            ),
            (FailureKind::Exception, "RangeError", "later"),
            "{source}"
        );
    }
}

// SPEC J6
#[tokio::test]
async fn hostile_thrown_values_have_bounded_texts() {
    for (source, name, message) in [
        ("throw null", "", "null"),
        ("throw undefined", "", "undefined"),
        ("throw 'text'", "", "text"),
        ("throw Symbol('s')", "", "Symbol(s)"),
        (
            "throw { a: 1, get b() { for (;;); } }",
            "",
            "{ a: 1, b: [Getter] }",
        ),
        (
            "throw new Proxy({}, { get() { for (;;); }, getPrototypeOf() { for (;;); }, ownKeys() { for (;;); } })",
            "",
            // Boa does not tell the target of a proxy.
            by_engine("{}", "[Proxy]"),
        ),
        (
            "throw new Proxy(new Error('inner'), { get() { for (;;); } })",
            "",
            by_engine("Error: inner\n    at program.js:1:21", "[Proxy]"),
        ),
        (
            "const e = new Error('x'); Object.defineProperty(e, 'message', { get() { for (;;); } }); throw e",
            "Error",
            "",
        ),
        (
            "const e = new Error('x'); Object.defineProperty(e, 'name', { get() { for (;;); } }); throw e",
            "Error",
            "x",
        ),
        (
            "const e = new Error('x'); e.name = Symbol(); e.message = { toString() { for (;;); } }; throw e",
            "Error",
            "[Object]",
        ),
        (
            "const e = new Error('x'); Object.setPrototypeOf(e, new Proxy({}, { get() { for (;;); } })); throw e",
            "Error",
            "x",
        ),
        (
            "class Custom extends Error {} throw new Custom('mine')",
            "Custom",
            "mine",
        ),
        (
            "Error.prepareStackTrace = () => { for (;;); }; Error.stackTraceLimit = 0; throw new Error('x')",
            "Error",
            "x",
        ),
    ] {
        let limits = CodeLimits {
            compute: std::time::Duration::from_secs(2),
            ..CodeLimits::default()
        };
        let failure = failure(source, limits).await;
        assert_eq!(
            failure.kind,
            FailureKind::Exception,
            "{source}: {failure:?}"
        );
        assert_eq!(
            (failure.name.as_str(), failure.message.as_str()),
            (name, message),
            "{source}"
        );
    }
    expect_unaffected().await;
}

// SPEC J6
#[tokio::test]
async fn a_stack_can_not_be_forged_or_hidden() {
    for (source, line) in [
        (
            "\nError.prepareStackTrace = () => 'evil'; Error.stackTraceLimit = 0;\nthrow new Error('x')",
            3,
        ),
        (
            "\nconst e = new Error('x');\ne.stack = 'at evil (program.js:99:99)'; throw e",
            2,
        ),
        (
            "\nconst e = new Error('x');\nObject.defineProperty(e, 'stack', { get() { for (;;); } }); throw e",
            2,
        ),
    ] {
        let failure = fails(source).await;
        assert_eq!(
            place(&failure).map(|(line, _)| line),
            Some(line),
            "{source}: {failure:?}"
        );
    }
    let stack =
        value("function inner() { return new TypeError('boom').stack }\nreturn inner()").await;
    let stack = stack.as_str().unwrap_or_default();
    assert!(
        stack.starts_with("TypeError: boom\n    at inner (program."),
        "{stack}"
    );
    assert!(
        !stack.contains("lockgate:") && !stack.contains("native"),
        "{stack}"
    );
}

// SPEC H5
#[tokio::test]
async fn what_can_never_end_is_a_deadlock_at_once() {
    for source in [
        "await new Promise(() => {})",
        "const p = new Promise(() => {}); await Promise.race([p])",
        "await { then() {} }",
    ] {
        let failure = fails(source).await;
        assert_eq!(failure.kind, FailureKind::Exception, "{source}");
        assert!(
            failure.message.contains("deadlock") || failure.message.contains("wait"),
            "{source}: {}",
            failure.message
        );
    }
}

// SPEC J6
#[tokio::test]
async fn errors_that_hold_themselves_come_to_an_end() {
    for source in [
        "const e = new Error('x'); e.cause = e; throw e",
        "const e = new Error('x'); e.message = { e }; throw e",
        "const e = new AggregateError([], 'x'); e.errors = [e, { e }]; throw e",
        "const e = new AggregateError([], 'x'); e.errors = [{ e }]; e.self = e; throw { e }",
        "const e = new Error('x'); e.errors = Object.defineProperty([1], 0, { get() { for (;;); } }); throw e",
        "const e = new Error('x'); e.self = { e }; console.log(e, [e], { e }); throw e",
    ] {
        let failure = fails(source).await;
        assert_eq!(
            failure.kind,
            FailureKind::Exception,
            "{source}: {failure:?}"
        );
        assert!(
            failure.message.len() < 1000,
            "{source}: {}",
            failure.message
        );
    }
    let caused = fails("throw new Error('outer', { cause: new TypeError('inner') })").await;
    assert_eq!(caused.message, "outer (cause: TypeError: inner)");
}

// SPEC H5
#[tokio::test]
async fn a_lost_error_says_more_than_a_deadlock() {
    let failure = fails("tools.fail({}); await new Promise(() => {})").await;
    assert_eq!(
        failure.message,
        "tools.fail failed and nothing awaited it: the tool failed"
    );
    let several = fails("tools.fail({}); tools.fail({}); await tools.echo(1); return 1").await;
    assert_eq!(
        several.message,
        "tools.fail failed and nothing awaited it: the tool failed (and 1 more)"
    );
}

// SPEC H5
#[tokio::test]
async fn an_aggregate_error_tells_its_errors() {
    let failure =
        fails("await Promise.any([tools.fail({}), Promise.reject(new TypeError('second'))])").await;
    assert_eq!(failure.name, "AggregateError");
    assert!(
        failure
            .message
            .contains("ToolCallError: the tool failed; TypeError: second"),
        "{}",
        failure.message
    );
}

// SPEC J6
#[tokio::test]
async fn deep_nesting_in_source_never_faults() {
    for (open, middle, close) in [
        ("(", "1", ")"),
        ("[", "", "]"),
        ("`${", "1", "}`"),
        ("1?", "1", ":1"),
        ("(()=>", "1", ")()"),
        ("{", "", "}"),
        ("-", "1", ""),
    ] {
        let source = format!("{}{middle}{}", open.repeat(5_000), close.repeat(5_000));
        let program = format!(
            "try {{ eval({:?}); return 'ran' }} catch (e) {{ return e.name }}",
            source
        );
        let (result, _) = run_with(&program, CodeLimits::default()).await;
        match result.outcome {
            Ok(name) => {
                let name = name.as_ref().and_then(lockgate::Json::as_str);
                assert!(
                    ["ran", "SyntaxError", "RangeError"].contains(&name.unwrap_or_default()),
                    "{open}: {name:?}"
                );
            }
            // Boa's parser has no limit of its own: the stack is one, which nothing catches.
            Err(failure) => assert_eq!(
                (failure.kind, failure.limit.map(|hit| hit.limit)),
                by_engine(
                    (FailureKind::Exception, None),
                    (FailureKind::SandboxExit, Some(Limit::Stack))
                ),
                "{open}: {failure:?}"
            ),
        }
    }
}
