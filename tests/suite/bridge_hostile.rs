//! What a program can't do to its siblings, to the log and to the view of tools (SPEC A5, K).

#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::sync::{Arc, Mutex};

use lockgate::{
    CallRequest, Mode, Registration, Registry, ToolError, ToolResult,
    code_runtime::CodeLanguage,
    events::{EventSink, FanOut, InvariantChecker, JsonLines},
    json,
};

use crate::{
    pipeline_support::{named, with_body},
    sandbox_support::sandbox,
};

struct House {
    registry: Registry,
    lines: Arc<JsonLines<Vec<u8>>>,
    checker: Arc<InvariantChecker>,
}

impl House {
    fn new() -> Self {
        let lines = Arc::new(JsonLines::new(Vec::new()));
        let checker = Arc::new(InvariantChecker::new());
        let sinks: [Arc<dyn EventSink>; 2] = [lines.clone(), checker.clone()];
        let registry = Registry::builder()
            .mode(Mode::Code)
            .code_runtime(Arc::new(sandbox(CodeLanguage::JavaScript)))
            .events(Arc::new(FanOut::new(sinks)))
            .build()
            .unwrap();
        registry
            .register(with_body("echo", |args, _| async { Ok(args) }))
            .unwrap()
            .keep();
        let fails = with_body("fails", |_, _| async { Err(ToolError::new("no")) });
        registry.register(fails).unwrap().keep();
        Self {
            registry,
            lines,
            checker,
        }
    }

    async fn run(&self, code: &str) -> ToolResult {
        let arguments = json!({"code": code, "description": "a test"});
        self.registry
            .execute(CallRequest::new("c", "run_code", arguments))
            .await
    }

    /// The log, of which nothing is missing.
    fn log(self) -> String {
        assert_eq!(self.checker.violations(), [""; 0]);
        assert!(self.checker.unsettled().is_empty());
        drop(self.registry);
        String::from_utf8(Arc::into_inner(self.lines).unwrap().finish().unwrap()).unwrap()
    }
}

// SPEC A5: a deep argument can't silence the log.
#[tokio::test]
async fn a5_a_deep_argument_is_logged_and_so_is_what_follows() {
    let house = House::new();
    let result = house
        .run(
            "let deep = {}; for (let i = 0; i < 5000; i++) deep = {a: deep};
             await tools.echo(deep); return (await tools.echo({after: 1})).after",
        )
        .await;
    assert_eq!(
        result.value().map(|value| value["result"].clone()),
        Some(json!(1)),
        "{}",
        result.text()
    );
    let log = house.log();
    // Two calls of four lines each, the program's end, and the outer call's two.
    assert_eq!(log.lines().count(), 11);
    for line in log.lines() {
        lockgate::Json::parse(line).unwrap();
    }
    assert!(log.contains(r#""arguments":{"after":1}"#));
}

// Reports 12
#[tokio::test]
async fn k2_a_failing_call_fails_no_sibling_and_is_caught_where_it_is_made() {
    let house = House::new();
    let result = house
        .run(
            "const all = await Promise.allSettled([tools.echo({n: 1}), tools.fails({}), tools.echo({n: 2})]);
             let caught = ''; try { await tools.fails({}) } catch (e) { caught = `${e.name} ${e.toolName} ${e.message}` }
             return [all.map(one => one.status), caught]",
        )
        .await;
    assert_eq!(
        result.value().map(|value| value["result"].clone()),
        Some(json!([
            ["fulfilled", "rejected", "fulfilled"],
            "ToolCallError fails no"
        ])),
        "{}",
        result.text()
    );
    house.log();
}

// Reports 6: a call that fails unseen does not read as a success.
#[tokio::test]
async fn k4_a_failure_that_nobody_awaits_is_told() {
    let house = House::new();
    let result = house
        .run("tools.fails({}); await tools.echo({}); return 'done'")
        .await;
    let text = result.text();
    assert!(
        text.contains("fails") && text.contains("no"),
        "the model must learn of it: {text}"
    );
    house.log();
}

// SPEC K1, D3; reports 4: a program's tools are those of its start, and one that is gone since fails alone.
#[tokio::test]
async fn k1_the_tools_of_a_program_are_those_of_its_start() {
    let house = House::new();
    let old: Arc<Mutex<Option<Registration>>> = Arc::default();
    *old.lock().unwrap() = Some(house.registry.register(named("old")).unwrap());
    let registry = house.registry.clone();
    let dispose = old.clone();
    let swap = with_body("swap", move |_, _| {
        drop(dispose.lock().unwrap().take());
        registry.register(named("new")).unwrap().keep();
        async { Ok(json!(null)) }
    });
    let swap = house.registry.register(swap).unwrap();
    let result = house
        .run(
            "const before = await tools.old({}); await tools.swap({});
             const gone = await tools.old({}).catch(e => e.message);
             return [before, gone, 'new' in tools]",
        )
        .await;
    assert_eq!(
        result.value().map(|value| value["result"].clone()),
        Some(json!(["old", "there is no tool `old`", false])),
        "{}",
        result.text()
    );
    // It holds a registry, which holds it.
    drop(swap);
    house.log();
}
