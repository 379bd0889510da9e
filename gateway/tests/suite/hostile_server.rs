//! A bad MCP server: this very test binary, started anew, speaking raw JSON-RPC over its pipes.

use std::{
    io::{BufRead, Write},
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use lockgate::{Json, json};

/// The entry in `mcpServers` of a bad server of this kind.
pub(crate) fn entry(kind: &str) -> Json {
    entry_with(kind, &json!({}), &json!({}))
}

/// With more of its environment, and with an object `lockgate`.
pub(crate) fn entry_with(kind: &str, env: &Json, own: &Json) -> Json {
    let program = std::env::current_exe().unwrap();
    let mut all = lockgate::json::Object::new();
    all.insert("HOSTILE", kind);
    for (name, value) in env.as_object().unwrap() {
        all.insert(name, value);
    }
    json!({
        "command": (program.to_str().unwrap()),
        "args": ["hostile_server::serve", "--exact", "--ignored", "--nocapture", "--test-threads=1"],
        "env": (Json::Object(all)),
        "lockgate": (own.clone()),
    })
}

/// Not a test: what the server's process runs. Its test harness prints lines that are no JSON-RPC, as real servers do.
#[test]
#[ignore = "the process of a bad server, started by other tests"]
fn serve() {
    let Ok(kind) = std::env::var("HOSTILE") else {
        return;
    };
    // The harness has begun a line.
    out().write_all(b"\n").unwrap();
    match kind.as_str() {
        "exit" => {
            eprintln!(
                "no database at {}",
                std::env::var("DB_URL").unwrap_or_default()
            );
            std::process::exit(3);
        }
        "mute" => std::thread::sleep(Duration::from_secs(600)),
        "endless line" => loop {
            if out().write_all(&[b'x'; 1 << 16]).is_err() {
                std::process::exit(0);
            }
        },
        _ => {}
    }
    for line in std::io::stdin().lock().lines() {
        let Ok(message) = Json::parse(&line.unwrap()) else {
            continue;
        };
        let id = message["id"].clone();
        match message["method"].as_str() {
            Some("initialize") if kind == "refuse" => fail(&id, -32000, "not today"),
            Some("initialize") => answer(
                &id,
                &json!({
                    "protocolVersion": "2025-06-18",
                    "capabilities": {"tools": {"listChanged": true}},
                    "serverInfo": {"name": "bad", "version": "1"},
                }),
            ),
            Some("notifications/initialized") if kind == "flood" => flood(),
            Some("notifications/cancelled") => {
                note(&format!("cancelled {}", message["params"]["requestId"]))
            }
            Some("tools/list") => list(&kind, &id, &message["params"]["cursor"]),
            Some("tools/call") => call(&id, &message["params"]),
            _ if id.is_null() => {}
            _ => fail(&id, -32601, "unknown method"),
        }
    }
}

/// Notes of the process, in the file that `NOTES` names.
fn note(text: &str) {
    if let Ok(file) = std::env::var("NOTES") {
        let file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(file);
        writeln!(file.unwrap(), "{text}").unwrap();
    }
}

fn out() -> std::io::StdoutLock<'static> {
    std::io::stdout().lock()
}

fn send(message: &Json) {
    let mut line = message.to_string();
    line.push('\n');
    if out()
        .write_all(line.as_bytes())
        .and_then(|()| out().flush())
        .is_err()
    {
        // Nobody reads any more.
        std::process::exit(0);
    }
}

fn answer(id: &Json, result: &Json) {
    send(&json!({"jsonrpc": "2.0", "id": (id.clone()), "result": (result.clone())}));
}

fn fail(id: &Json, code: i64, message: &str) {
    send(
        &json!({"jsonrpc": "2.0", "id": (id.clone()), "error": {"code": code, "message": message}}),
    );
}

fn notify(method: &str) {
    send(&json!({"jsonrpc": "2.0", "method": method}));
}

fn flood() {
    loop {
        notify("notifications/tools/list_changed");
    }
}

fn tool(name: &str) -> Json {
    json!({"name": name, "description": "A tool.", "inputSchema": {"type": "object"}})
}

/// How many tools the list has gained by `grow`.
static GROWN: AtomicU64 = AtomicU64::new(0);

fn list(kind: &str, id: &Json, cursor: &Json) {
    let page = |tools: Vec<Json>, next: Option<String>| {
        let mut result = lockgate::json::Object::new();
        result.insert("tools", Json::from(tools));
        if let Some(next) = next {
            result.insert("nextCursor", next);
        }
        answer(id, &Json::Object(result));
    };
    let number: u64 = cursor
        .as_str()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    match kind {
        "endless pages" => page(
            vec![tool(&format!("t{number}"))],
            Some((number + 1).to_string()),
        ),
        "page loop" => page(vec![tool(&format!("t{number}"))], Some("1".to_owned())),
        "wide" => page(
            (0..600)
                .map(|index| tool(&format!("t{}", number * 600 + index)))
                .collect(),
            Some((number + 1).to_string()),
        ),
        "names" => page(hostile_tools(), None),
        "no list" => answer(id, &json!({"tools": 5})),
        _ => {
            let mut tools = CALLABLE.map(tool).to_vec();
            tools.push(json!({
                "name": "typed",
                "inputSchema": {"type": "object"},
                "outputSchema": {"type": "object", "properties": {"n": {"type": "integer", "minimum": 0}}, "required": ["n"]},
                "annotations": {"readOnlyHint": true},
            }));
            tools.push(json!({
                "name": "wrapped",
                "inputSchema": {"type": "object"},
                "outputSchema": {
                    "type": "object", "x-fastmcp-wrap-result": true,
                    "properties": {"result": {"type": "array", "items": {"type": "string"}}}, "required": ["result"],
                },
            }));
            tools.extend((0..GROWN.load(Ordering::Relaxed)).map(|n| tool(&format!("grown_{n}"))));
            page(tools, None);
        }
    }
}

const CALLABLE: [&str; 13] = [
    "give", "die", "hang", "huge", "flood", "env", "grow", "garbage", "lose", "wrong_id", "twice",
    "echo", "count",
];

fn call(id: &Json, params: &Json) {
    let arguments = &params["arguments"];
    let text = |text: &str| json!({"content": [{"type": "text", "text": text}]});
    match params["name"].as_str().unwrap_or_default() {
        // The answer that is asked for, whatever it is.
        "give" | "typed" | "wrapped" => answer(id, &arguments["result"]),
        "echo" => answer(id, &text(&arguments.to_string())),
        "die" => {
            eprintln!(
                "dying with {}",
                std::env::var("API_TOKEN").unwrap_or_default()
            );
            std::process::exit(9);
        }
        "hang" => note(&format!("hangs {id}")),
        "huge" => answer(id, &text(&"x".repeat(20 << 20))),
        "flood" => flood(),
        "env" => {
            let mut names: Vec<String> = std::env::vars()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            names.sort();
            answer(id, &text(&names.join("\n")));
        }
        "grow" => {
            GROWN.store(arguments["to"].as_u64().unwrap_or(0), Ordering::Relaxed);
            for _ in 0..20 {
                notify("notifications/tools/list_changed");
            }
            answer(id, &text("done"));
        }
        "garbage" => {
            let _ = out().write_all(b"DEBUG: calling\n{\"half\": \n[1,2]\n\n\xff\xfe\n\"text\"\n{\"jsonrpc\":\"2.0\"}\n");
            answer(id, &text("still here"));
        }
        "lose" => {}
        "wrong_id" => answer(&json!(987_654), &text("nobody's")),
        "twice" => {
            answer(id, &text("first"));
            answer(id, &text("second"));
        }
        "count" => {
            note("counted");
            answer(id, &text("1"));
        }
        other => fail(id, -32602, &format!("no tool {other}")),
    }
}

fn hostile_tools() -> Vec<Json> {
    let schema = || json!({"type": "object"});
    let with = |name: Json, description: Json, input: Json| json!({"name": (name), "description": (description), "inputSchema": (input)});
    let deep = {
        let mut schema = json!({"type": "string"});
        for _ in 0..50 {
            schema = json!({"type": "object", "properties": {"a": (schema)}});
        }
        schema
    };
    vec![
        with("n".repeat(10_000).into(), "d".into(), schema()),
        with("ctrl\u{7}".into(), "d".into(), schema()),
        with("bidi\u{202e}".into(), "d".into(), schema()),
        with("".into(), "d".into(), schema()),
        with(json!(5), "d".into(), schema()),
        json!("no tool at all"),
        json!({"description": "nameless"}),
        with("__proto__".into(), "d".into(), schema()),
        with("constructor".into(), "d".into(), schema()),
        with("run_code".into(), "d".into(), schema()),
        with("$search".into(), "d".into(), schema()),
        with("twice".into(), "the first".into(), schema()),
        with("twice".into(), "the second".into(), schema()),
        with("long".into(), "*/ ".repeat(10_000).into(), schema()),
        with("hidden".into(), "a\u{200b}b\u{0}c".into(), schema()),
        with("no_schema".into(), json!(7), json!(5)),
        json!({"name": "schemaless"}),
        with(
            "big_schema".into(),
            "d".into(),
            json!({"type": "object", "description": ("x".repeat(300_000))}),
        ),
        with("array_schema".into(), "d".into(), json!({"type": "array"})),
        with("deep".into(), "d".into(), deep),
        json!({"name": "bad_output", "inputSchema": {"type": "object"}, "outputSchema": 3}),
        json!({"name": "odd_output", "inputSchema": {"type": "object"}, "outputSchema": {"type": "nonsense", "properties": 5, "required": 1}}),
        with("fine".into(), "A fine tool.".into(), schema()),
    ]
}
