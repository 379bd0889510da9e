//! Programs that tamper with the bridge and its objects.

use lockgate::code_runtime::FailureKind::Exception;

use super::hostile_support::{Case, Want, attack, tight};
use super::sandbox_support::run_with;

// SPEC J6
#[tokio::test]
async fn no_patch_changes_what_the_bridge_sees() {
    let patches: [(&str, &str); 20] = [
        (
            "then",
            "Promise.prototype.then = function () { return 'spoiled' }; Promise.prototype.catch = Promise.prototype.finally = null",
        ),
        (
            "statics of promises",
            "Promise.resolve = Promise.reject = Promise.all = () => { throw new Error('spoiled') }",
        ),
        (
            "species of promises",
            "Object.defineProperty(Promise, Symbol.species, { get() { throw new Error('spoiled') } })",
        ),
        (
            "constructor of promises",
            "Promise.prototype.constructor = function () { throw new Error('spoiled') }",
        ),
        (
            "the global Promise",
            "globalThis.Promise = class { constructor() { throw new Error('spoiled') } }",
        ),
        (
            "JSON",
            "JSON.parse = JSON.stringify = () => 'spoiled'; globalThis.JSON = null",
        ),
        (
            "call and apply",
            "Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => 'spoiled'",
        ),
        (
            "statics of objects",
            "for (const k of Object.getOwnPropertyNames(Object)) if (typeof Object[k] === 'function') try { Object[k] = () => 'spoiled' } catch {}",
        ),
        (
            "reflection",
            "for (const k of Reflect.ownKeys(Reflect)) if (typeof Reflect[k] === 'function') Reflect[k] = () => 'spoiled'",
        ),
        (
            "arrays",
            "for (const k of Object.getOwnPropertyNames(Array.prototype)) if (typeof Array.prototype[k] === 'function') Array.prototype[k] = () => 'spoiled'",
        ),
        (
            "iterators",
            "Array.prototype[Symbol.iterator] = function* () { yield 'spoiled' }; Object.getPrototypeOf([][Symbol.iterator]).next = () => ({ done: true })",
        ),
        (
            "maps",
            "Map.prototype.get = Map.prototype.set = Map.prototype.delete = Map.prototype.has = () => 'spoiled'",
        ),
        (
            "sets and weak maps",
            "Set.prototype.add = Set.prototype.has = WeakMap.prototype.get = WeakMap.prototype.set = () => { throw new Error('spoiled') }",
        ),
        (
            "strings",
            "for (const k of Object.getOwnPropertyNames(String.prototype)) if (typeof String.prototype[k] === 'function') String.prototype[k] = () => 'spoiled'",
        ),
        (
            "errors",
            "globalThis.Error = globalThis.TypeError = function () { throw 1 }",
        ),
        (
            "getters of the prototype",
            "for (const k of ['get', 'set', 'value', 'writable', 'id', 'args', 'ok']) Object.defineProperty(Object.prototype, k, { __proto__: null, get() { throw new Error('spoiled') }, set() {}, configurable: true })",
        ),
        ("Symbol", "globalThis.Symbol = undefined"),
        (
            "a null prototype",
            "Object.setPrototypeOf(Object.prototype.constructor, null)",
        ),
        (
            "all globals",
            "for (const k of Object.getOwnPropertyNames(globalThis)) if (k !== 'tools') try { delete globalThis[k] } catch {}",
        ),
        (
            "a cut prototype of arrays",
            "Object.setPrototypeOf(Array.prototype, null)",
        ),
    ];
    let mut wrong = Vec::new();
    for (name, patch) in patches {
        let source =
            format!("{patch};\nreturn {{ r: await tools.echo({{ a: [1, 'x', {{ b: null }}] }}) }}");
        let (result, script) = run_with(&source, tight()).await;
        let want = lockgate::json!({"r": {"a": [1, "x", {"b": null}]}});
        if result.outcome != Ok(Some(want)) {
            wrong.push(format!("{name}: {:?}", result.outcome));
        }
        if script.submitted.len() != 1 {
            wrong.push(format!("{name}: {} calls", script.submitted.len()));
        }
        super::sandbox_support::expect_unaffected().await;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

// SPEC K1: nothing but a call is a call.
#[tokio::test]
async fn nothing_but_a_call_is_a_call() {
    let probes = [
        "await tools",
        "return `${Object.keys(tools)}`",
        "for (const k in tools) ;",
        "return tools.then === undefined",
        "return Object.getPrototypeOf(tools) === null",
        "try { `${tools}` } catch {}",
        "try { JSON.stringify(tools) } catch {}",
        "console.log(tools, tools.echo)",
        "Object.entries(tools).map(([k, f]) => [k, f.name, f.length])",
        "({ ...tools })",
        "try { structuredClone(tools) } catch {}",
        "'echo' in tools; Reflect.has(tools, 'then'); Object.getOwnPropertyDescriptors(tools)",
        "try { new tools.echo({}) } catch {}",
        "Promise.resolve(tools).then(t => t)",
        "[tools, tools].sort(() => 0)",
        "try { tools.nothing({}) } catch {}",
        "try { tools['__proto__']({}) } catch {}",
        "try { tools.constructor.constructor('return 1')() } catch {}",
    ];
    for probe in probes {
        let (result, script) = run_with(probe, tight()).await;
        assert!(result.outcome.is_ok(), "{probe}: {:?}", result.outcome);
        assert!(
            script.submitted.is_empty(),
            "{probe}: {:?}",
            script.submitted
        );
    }
}

// SPEC K1, J6
#[tokio::test]
async fn the_bridge_cannot_be_replaced_and_holds_no_secrets() {
    let cases: [Case; 10] = [
        (
            "assignment of a function",
            "try { tools.echo = () => 'evil' } catch {} return await tools.echo({ a: 1 })",
            Want::Value(r#"{"a":1}"#),
        ),
        (
            "definition of a function",
            "try { Object.defineProperty(tools, 'echo', { value: () => 'evil' }) } catch {} return await tools.echo({ a: 1 })",
            Want::Value(r#"{"a":1}"#),
        ),
        (
            "deletion",
            "try { delete tools.echo } catch {} return await tools.echo({ a: 1 })",
            Want::Value(r#"{"a":1}"#),
        ),
        (
            "a prototype for it",
            "try { Object.setPrototypeOf(tools, { more() { return 1 } }) } catch {} return typeof tools.more",
            Want::OneOf(&[
                Want::Value(r#""undefined""#),
                Want::Value(r#""function""#),
                Want::Fails(Exception, ""),
            ]),
        ),
        (
            "another this",
            "const { echo } = tools; return [await echo({ a: 1 }), await echo.call(null, { a: 2 }), await Reflect.apply(echo, {}, [{ a: 3 }])]",
            Want::Value(r#"[{"a":1},{"a":2},{"a":3}]"#),
        ),
        (
            "source of a function",
            "return /native code|\\[/.test(Function.prototype.toString.call(tools.echo)) || Function.prototype.toString.call(tools.echo).length < 400",
            Want::Value("true"),
        ),
        (
            "frames of a call",
            "try { await tools.fail() } catch (e) { return /bridge|host|__/.test(String(e.stack)) }",
            Want::Value("false"),
        ),
        (
            "what a failure tells",
            "try { await tools.fail() } catch (e) { return [e.name, e.toolName, e.message, e.code === undefined] }",
            Want::Value(r#"["ToolCallError","fail","the tool failed",true]"#),
        ),
        (
            "an own global of the name",
            "const tools2 = tools; { const tools = { echo: () => 'mine' }; if (tools.echo() !== 'mine') return 0 } return await tools2.echo({ a: 1 })",
            Want::Value(r#"{"a":1}"#),
        ),
        (
            "a resolve kept and called again",
            "let keep; const P = Promise; class Q extends P { constructor(f) { super((a, b) => { keep = a; f(a, b) }) } } const p = tools.echo({ a: 1 }); Q.resolve(p); keep?.('evil'); return await p",
            Want::Value(r#"{"a":1}"#),
        ),
    ];
    attack(&cases, tight()).await;
}
