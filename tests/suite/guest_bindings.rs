//! What a program sees of its bindings, and that looking at them never makes a call.

use lockgate::code_runtime::CodeLimits;
use lockgate::json;

use super::sandbox_support::{FUNCTIONS, run_with, value};

// SPEC K1
#[tokio::test]
async fn a_binding_is_a_frozen_object_without_a_prototype() {
    let program = "
        const own = Object.getOwnPropertyDescriptor(tools, 'echo');
        const global = Object.getOwnPropertyDescriptor(globalThis, 'tools');
        return [Object.getPrototypeOf(tools), Object.isFrozen(tools), Object.keys(tools), typeof own.value, own.writable,
            own.enumerable, own.configurable, global.writable, global.configurable, tools.echo === tools.echo, 'echo' in tools,
            'nope' in tools, Object.hasOwn(tools, 'a-b'), tools.echo.name]";
    let keys = lockgate::Json::from(FUNCTIONS.map(lockgate::Json::from).to_vec());
    let result = value(program).await;
    let result = result.as_array().unwrap();
    assert_eq!(result[0], json!(null));
    assert_eq!(result[1], json!(true));
    assert_eq!(result[2], keys);
    assert_eq!(
        result[3..].to_vec(),
        json!([
            "function", false, true, false, false, false, true, true, false, true, "echo"
        ])
        .as_array()
        .unwrap()
        .to_vec()
    );
}

// SPEC J6, K1
#[tokio::test]
async fn a_binding_can_not_be_changed() {
    for attempt in [
        "tools = {}",
        "delete globalThis.tools",
        "Object.defineProperty(globalThis, 'tools', { value: 1 })",
        "tools.echo = () => 'evil'",
        "tools.other = 1",
        "delete tools.echo",
        "Object.defineProperty(tools, 'echo', { value: 1 })",
        "Object.setPrototypeOf(tools, { evil: 1 })",
    ] {
        let program = format!(
            "try {{ {attempt}; return 'changed' }} catch (e) {{ return [e.name, await tools.echo(7)] }}"
        );
        assert_eq!(value(&program).await, json!(["TypeError", 7]), "{attempt}");
    }
}

// SPEC K1
#[tokio::test]
async fn looking_at_a_binding_makes_no_call() {
    let program = "
        const seen = [];
        for (const name in tools) seen.push(name);
        await tools;
        await Promise.all([tools]);
        try { `${tools}` } catch { seen.push('no text') }
        try { tools + 1 } catch { seen.push('no number') }
        JSON.stringify(tools); Object.entries(tools); ({ ...tools }); console.log(tools); Object.prototype.toString.call(tools);
        tools.then; tools.toJSON; tools.constructor; tools[Symbol.iterator]; tools.valueOf;
        return seen.length";
    let (result, script) = run_with(program, CodeLimits::default()).await;
    assert_eq!(result.outcome, Ok(Some(json!(FUNCTIONS.len() as u64 + 2))));
    assert_eq!(script.submitted.len(), 0);
}

// SPEC K1
#[tokio::test]
async fn an_unknown_name_is_told_the_near_one() {
    for (access, message) in [
        (
            "tools.ecko",
            "tools.ecko is not a tool; did you mean tools.echo?",
        ),
        (
            "tools['a_b']",
            "tools.a_b is not a tool; did you mean tools[\"a-b\"]?",
        ),
        (
            "tools.Sleep({})",
            "tools.Sleep is not a tool; did you mean tools.sleep?",
        ),
        (
            "tools.launch_rocket",
            "tools.launch_rocket is not a tool; there are echo, fail, sleep, hang, drop, big, a-b",
        ),
    ] {
        let caught = value(&format!(
            "try {{ {access} }} catch (e) {{ return [e.name, e.message] }}"
        ))
        .await;
        assert_eq!(caught, json!(["TypeError", message]), "{access}");
    }
}

// SPEC K2
#[tokio::test]
async fn a_call_takes_one_argument_or_none() {
    assert_eq!(
        value("return [await tools.echo(), await tools.echo(null), await tools['a-b']('x')]").await,
        json!([{"nothing": true}, null, "x"])
    );
    for (call, message) in [
        (
            "tools.echo(1, 2)",
            "tools.echo takes one object with all arguments, not 2",
        ),
        (
            "tools.echo(undefined)",
            "tools.echo: args is undefined; leave it out or pass an object",
        ),
    ] {
        let (result, script) = run_with(
            &format!("return await {call}.catch((e) => [e.name, e.message])"),
            CodeLimits::default(),
        )
        .await;
        assert_eq!(
            result.outcome,
            Ok(Some(json!(["TypeError", message]))),
            "{call}"
        );
        assert_eq!(script.submitted.len(), 0, "{call}");
    }
}

// SPEC K2
#[tokio::test]
async fn a_failed_call_rejects_with_a_tool_call_error() {
    let program = "
        try { await tools.fail({}); } catch (e) {
            return [e instanceof ToolCallError, e instanceof Error, e.name, e.toolName, e.message, e.constructor.name];
        }";
    assert_eq!(
        value(program).await,
        json!([
            true,
            true,
            "ToolCallError",
            "fail",
            "the tool failed",
            "ToolCallError"
        ])
    );
}

// SPEC K2
#[tokio::test]
async fn one_failing_call_does_not_fail_its_siblings() {
    let program = "
        const settled = await Promise.allSettled([tools.echo(1), tools.fail({}), tools.echo(2), tools.echo({ when: new Date() })]);
        return settled.map((s) => s.value ?? s.reason.name)";
    assert_eq!(
        value(program).await,
        json!([1, "ToolCallError", 2, "TypeError"])
    );
}

// SPEC J6
#[tokio::test]
async fn patched_globals_and_prototypes_change_no_call_and_no_result() {
    let program = "
        const define = Object.defineProperty, seen = [];
        const evil = (name) => function () { seen.push(name); throw name };
        Promise.prototype.then = evil('then');
        Promise.resolve = evil('resolve');
        JSON.stringify = JSON.parse = evil('JSON');
        Object.prototype.toJSON = evil('toJSON');
        Function.prototype.call = Function.prototype.apply = Function.prototype.bind = evil('call');
        Object.keys = Object.entries = Object.getOwnPropertyNames = Reflect.ownKeys = evil('keys');
        Array.prototype.push = Array.prototype.map = Map.prototype.get = Map.prototype.set = evil('push');
        define(Array.prototype, '0', { set: evil('set 0'), get: evil('get 0'), configurable: true });
        define(Object.prototype, 'a', { set: evil('set a'), get: evil('get a'), configurable: true });
        define(Object.prototype, 'toolName', { set: evil('set toolName'), configurable: true });
        define(Error.prototype, 'message', { set: evil('set message'), get: evil('get message'), configurable: true });
        Error.prototype.toString = evil('toString');
        globalThis.Promise = globalThis.Error = globalThis.Array = globalThis.Object = undefined;
        const back = await tools.echo({ a: [1, { b: 2 }], c: 'x' });
        let failed;
        try { await tools.fail({}) } catch (error) { failed = { name: error.name, text: error.message, tool: error.toolName } }
        return { back, failed, seen: seen.length }";
    let expected = json!({
        "back": {"a": [1, {"b": 2}], "c": "x"},
        "failed": {"name": "ToolCallError", "text": "the tool failed", "tool": "fail"},
        "seen": 0
    });
    assert_eq!(value(program).await, expected);
}

// SPEC J6
#[tokio::test]
async fn a_getter_may_call_a_tool_in_the_middle_of_a_snapshot() {
    let program = "
        const inner = [];
        const outer = await tools.echo({ get a() { inner.push(tools.echo('inner')); return 1 }, b: 2 });
        return [outer, await inner[0]]";
    assert_eq!(value(program).await, json!([{"a": 1, "b": 2}, "inner"]));
}

// SPEC G4
#[tokio::test]
async fn a_flood_of_calls_rejects_past_the_limit() {
    let limits = CodeLimits {
        pending_calls: 100,
        ..CodeLimits::default()
    };
    let program = "
        const settled = await Promise.allSettled(Array.from({ length: 10000 }, (_, i) => tools.echo(i)));
        const bad = settled.filter((s) => s.status === 'rejected');
        return [settled.length - bad.length, bad[0].reason.name, bad[0].reason.message]";
    let (result, _) = run_with(program, limits).await;
    let message = "100 calls are already waiting; await some of them before the next";
    assert_eq!(
        result.outcome,
        Ok(Some(json!([100, "ToolCallError", message])))
    );
}
