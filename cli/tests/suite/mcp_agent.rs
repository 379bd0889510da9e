//! `lockgate mcp` as agents use it: the real command, a real server, and the official TypeScript client. See `mcp-client/`.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::OnceLock,
};

use lockgate::{Json, json};
use tempfile::TempDir;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp-client")
}

fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// True when the pinned SDK is there, after `npm ci` if need be. In CI it has to be.
fn has_sdk() -> bool {
    static READY: OnceLock<bool> = OnceLock::new();
    let ready = *READY.get_or_init(|| {
        let installed = folder().join("node_modules/@modelcontextprotocol/sdk/package.json");
        let install = ["ci", "--no-audit", "--no-fund", "--ignore-scripts"];
        succeeds(Command::new("node").arg("--version"))
            && (installed.exists()
                || succeeds(Command::new("npm").args(install).current_dir(folder())))
    });
    if !ready {
        let what = "there is no TypeScript client: `npm ci` in cli/tests/mcp-client failed";
        assert!(
            std::env::var_os("LOCKGATE_REQUIRE_COMPILERS").is_none(),
            "{what}"
        );
        println!("skipped: {what}");
    }
    ready
}

fn lockgate() -> Command {
    Command::new(env!("CARGO_BIN_EXE_lockgate"))
}

/// A configuration with the small server and a policy that asks before anything is removed.
fn config(place: &TempDir) -> PathBuf {
    let server = folder().join("server.mjs").display().to_string();
    let config = json!({
        "mcpServers": {"small": {"command": "node", "args": [server]}},
        "lockgate": {"policy": {"rules": [
            {"server": "small", "tool": "remove", "arguments": {"path": "/etc/*"}, "action": "deny", "reason": "not there"},
            {"server": "small", "tool": "remove", "action": "ask", "reason": "files are precious"},
        ]}},
    });
    let file = place.path().join("mcp.json");
    std::fs::write(&file, config.to_string()).expect("a file");
    file
}

fn seen_by(client: &Output) -> Json {
    let (out, err) = (&client.stdout, &client.stderr);
    let err = String::from_utf8_lossy(err);
    assert!(client.status.success(), "{err}");
    Json::parse(&String::from_utf8_lossy(out)).expect("the client prints JSON")
}

fn check(seen: &Json) {
    let text = |of: &str| {
        seen[of]["content"][0]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(seen["server"], json!("lockgate"));
    assert_eq!(seen["tools"], json!(["run_code"]), "{seen}");
    assert_eq!(seen["declares"], json!(true));
    assert_eq!(
        seen["sum"]["structuredContent"],
        json!({"logs": ["adding"], "result": [2, 3, 4]}),
        "{seen}"
    );
    assert_eq!(seen["progress"], json!([1, 2, 3, 4, 5, 6]));
    assert_eq!(seen["logs"], json!(["adding"]));
    assert_eq!(seen["failed"]["isError"], json!(true));
    let drawn = seen["drawn"]["content"].as_array().expect("content");
    assert!(
        drawn.iter().any(|block| block["type"] == json!("image")),
        "{seen}"
    );
    assert!(seen["drawn"].get("structuredContent").is_none());
    assert_eq!(text("approved"), "removed one");
    assert!(
        text("chosen").contains("fulfilled") && text("chosen").contains("rejected"),
        "{seen}"
    );
    assert!(text("denied").contains("not there"), "{seen}");
    let forms = seen["forms"].as_array().expect("forms");
    assert_eq!(forms.len(), 2, "{seen}");
    assert!(
        forms
            .get(1)
            .and_then(Json::as_str)
            .is_some_and(|form| form.contains("2 calls"))
    );
    assert_eq!(seen["cancelled"], json!("cancelled"));
    assert_eq!(text("after"), "still there");
    assert_eq!(seen["resources"][0], json!("lockgate://sdk.ts"));
    assert_eq!(seen["trace"][0], json!("tool/call"));
}

// The whole of it over standard input and output.
#[test]
fn an_agent_is_served_over_stdio() {
    if !has_sdk() {
        return;
    }
    let place = TempDir::new().expect("a temporary folder");
    let client = Command::new("node")
        .arg(folder().join("client.mjs"))
        .args(["stdio", env!("CARGO_BIN_EXE_lockgate"), "mcp", "--config"])
        .arg(config(&place))
        .output()
        .expect("node runs");
    check(&seen_by(&client));
}

/// Ends the process whatever the test does.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

// And over HTTP, with a token from the environment; a signal ends the server.
#[test]
fn an_agent_is_served_over_http() {
    if !has_sdk() {
        return;
    }
    let place = TempDir::new().expect("a temporary folder");
    let token = "a-token-of-enough-characters";
    let mut server = Running(
        lockgate()
            .args(["mcp", "--http", "127.0.0.1:0", "--config"])
            .arg(config(&place))
            .env("LOCKGATE_TOKEN", token)
            .stderr(Stdio::piped())
            .spawn()
            .expect("the gateway starts"),
    );
    let stderr = server.0.stderr.take().expect("standard error");
    let mut lines = BufReader::new(stderr).lines().map_while(Result::ok);
    let url = lines
        .find_map(|line| {
            line.strip_prefix("lockgate: listening on ")
                .map(str::to_owned)
        })
        .expect("it says where it listens");
    std::thread::spawn(move || lines.for_each(drop));
    let client = Command::new("node")
        .arg(folder().join("client.mjs"))
        .args(["http", &url, token])
        .output()
        .expect("node runs");
    check(&seen_by(&client));
    #[cfg(unix)]
    {
        let id = server.0.id().to_string();
        assert!(succeeds(Command::new("kill").args(["-TERM", &id])));
        assert_eq!(server.0.wait().expect("it ends").code(), Some(0));
    }
}

/// What the gateway answers to these lines, with a configuration without servers.
fn exchange(lines: &[&str]) -> (Vec<Json>, i32) {
    let place = TempDir::new().expect("a temporary folder");
    let file = place.path().join("mcp.json");
    std::fs::write(&file, r#"{"mcpServers": {}}"#).expect("a file");
    let mut server = Running(
        lockgate()
            .args(["mcp", "--config"])
            .arg(file)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the gateway starts"),
    );
    let mut input = server.0.stdin.take().expect("standard input");
    let output = BufReader::new(server.0.stdout.take().expect("standard output"));
    input
        .write_all((lines.join("\n") + "\n").as_bytes())
        .expect("it reads");
    let mut answers = Vec::new();
    for line in output.lines() {
        let answer = Json::parse(&line.expect("a line")).expect("nothing but JSON");
        let last = answer["id"] == json!("last");
        answers.push(answer);
        if last {
            break;
        }
    }
    drop(input);
    let code = server.0.wait().expect("it ends").code();
    (answers, code.unwrap_or(-1))
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}"#;

// Lines that are no messages end nothing; the end of the input ends the process.
#[test]
fn nonsense_on_standard_input_ends_nothing() {
    let (answers, code) = exchange(&[
        "nonsense",
        "{\"jsonrpc\":",
        "[]",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        INITIALIZE,
        "\u{0}\u{1}",
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_code"}}"#,
        r#"{"jsonrpc":"2.0","id":"last","method":"tools/call","params":{"name":"run_code","arguments":{"code":"return 6 * 7","description":"x"}}}"#,
    ]);
    let last = answers.last().expect("answers");
    assert_eq!(
        last["result"]["structuredContent"]["result"],
        json!(42),
        "{last}"
    );
    assert_eq!(code, 0);
}

// What can't be used is told before anything is served.
#[test]
fn what_can_not_be_used_is_told_at_once() {
    let place = TempDir::new().expect("a temporary folder");
    let write = |name: &str, text: &str| {
        let file = place.path().join(name);
        std::fs::write(&file, text).expect("a file");
        file.display().to_string()
    };
    let good = write("good.json", r#"{"mcpServers": {}}"#);
    let bad_policy = write(
        "policy.json",
        r#"{"rules": [{"tool": "x", "acton": "deny"}]}"#,
    );
    let in_config = write(
        "own.json",
        r#"{"mcpServers": {}, "lockgate": {"policy": {"defualt": "deny"}}}"#,
    );
    let token = write("token", "short\n");
    for (args, expected) in [
        (vec!["--config", "nowhere.json"], "nowhere.json"),
        (vec!["--config", &good, "--policy", &bad_policy], "acton"),
        (vec!["--config", &in_config], "defualt"),
        (
            vec!["--config", &good, "--http", "0.0.0.0:0"],
            "a token is needed",
        ),
        (
            vec![
                "--config",
                &good,
                "--http",
                "127.0.0.1:0",
                "--token-file",
                &token,
            ],
            "16 characters",
        ),
        (vec!["--config", &good, "--token-file", &token], "--http"),
    ] {
        let output = lockgate()
            .arg("mcp")
            .args(&args)
            .stdin(Stdio::null())
            .env_remove("LOCKGATE_TOKEN")
            .output()
            .expect("it runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(expected), "{args:?}: {error}");
    }
}
