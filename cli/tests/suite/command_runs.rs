//! Command tools at work: what a program is given, what becomes of what it prints, and that nothing of it is left.

use std::{
    fs,
    time::{Duration, Instant},
};

use lockgate::{CallRequest, ErrorCode, Json, Registry, ToolResult, ToolResultView, json};
use lockgate_cli::command_tools::load;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::{process::Lockgate, support::run};

/// A registry with one tool `t` that runs `script` with `sh`.
struct Script {
    folder: TempDir,
    registry: Registry,
}

impl Script {
    fn new(script: &str, more: Json) -> Self {
        let folder = TempDir::new().expect("a folder");
        let mut tool = json!({
            "name": "t",
            "description": "d",
            "command": ["sh", "-c", script],
            "parameters": { "type": "object", "properties": { "text": { "type": "string" } } },
        })
        .as_object()
        .expect("an object")
        .clone();
        for (key, value) in more.as_object().expect("an object").iter() {
            tool.insert(key, value.clone());
        }
        let path = folder.path().join("tools.json");
        fs::write(&path, json!({ "tools": [Json::Object(tool)] }).to_string()).expect("a file");
        let registry = Registry::new();
        for tool in load(&path).expect("the manifest is right") {
            registry.register(tool).expect("the tool registers").keep();
        }
        Self { folder, registry }
    }

    fn call(&self, arguments: Json) -> ToolResult {
        run(self.registry.execute(CallRequest::new("1", "t", arguments)))
    }

    #[track_caller]
    fn value(&self) -> Json {
        let result = self.call(json!({}));
        result
            .value()
            .cloned()
            .unwrap_or_else(|| panic!("{}", result.text()))
    }

    #[track_caller]
    fn error(&self) -> (Option<ErrorCode>, String) {
        let result = self.call(json!({}));
        let error = result
            .error()
            .unwrap_or_else(|| panic!("it succeeded: {}", result.text()));
        (error.code(), error.message.to_string())
    }

    /// Whether the script made the file `name`.
    fn made(&self, name: &str) -> bool {
        self.folder.path().join(name).exists()
    }
}

#[test]
fn arguments_go_in_and_the_value_comes_out() {
    let script = Script::new("cat", json!({}));
    let arguments = json!({ "text": "é\n\"'$(touch made)`" });
    assert_eq!(script.call(arguments.clone()).value(), Some(&arguments));
    assert!(!script.made("made"));
    assert_eq!(
        Script::new(
            "printf ' 12 \\n'",
            json!({ "output": { "type": "integer" } })
        )
        .value(),
        json!(12)
    );
    // What is read of standard input, and whether, is the program's business.
    let big = json!({ "text": "x".repeat(1 << 20) });
    assert_eq!(
        Script::new("echo 1", json!({})).call(big).value(),
        Some(&json!(1))
    );
}

#[test]
fn it_runs_in_the_manifests_folder_with_little_environment() {
    let script = Script::new(
        "touch made; env | cut -d= -f1 | sort | tr '\\n' ' ' | sed 's/.*/\"&\"/'",
        json!({ "env": { "MINE": "x" } }),
    );
    let value = script.value();
    assert!(script.made("made"));
    let names: Vec<&str> = value
        .as_str()
        .expect("a string")
        .split_whitespace()
        .collect();
    assert!(
        names.contains(&"PATH") && names.contains(&"MINE") && names.contains(&"LOCKGATE_TOOL"),
        "{names:?}"
    );
    for name in names {
        // The shell sets the last ones itself.
        let known = [
            "PATH",
            "HOME",
            "USER",
            "LOGNAME",
            "LANG",
            "LC_ALL",
            "TZ",
            "TMPDIR",
            "MINE",
            "LOCKGATE_TOOL",
            "PWD",
            "SHLVL",
            "_",
            "OLDPWD",
        ];
        assert!(known.contains(&name), "{name} was inherited");
    }
    assert_eq!(
        Script::new(
            "echo \"\\\"$PATH\\\"\"",
            json!({ "env": { "PATH": "/bin:/usr/bin" } })
        )
        .value(),
        json!("/bin:/usr/bin")
    );
    assert!(
        Script::new(
            "echo \"\\\"$CARGO_MANIFEST_DIR\\\"\"",
            json!({ "inherit_env": ["CARGO_MANIFEST_DIR"] })
        )
        .value()
        .as_str()
        .expect("a string")
        .len()
            > 1
    );
}

#[test]
fn failures_carry_standard_error() {
    let (code, message) =
        Script::new("echo out; echo 'no such city' >&2; exit 3", json!({})).error();
    assert_eq!(
        (code, &*message),
        (None, "the command of `t` exited with code 3: no such city")
    );
    let (_, message) = Script::new("exit 1", json!({})).error();
    assert!(
        message.ends_with("exited with code 1 and printed nothing on standard error"),
        "{message}"
    );
    let (_, message) = Script::new("kill -9 $$", json!({})).error();
    assert!(message.contains("was ended by signal 9"), "{message}");
    // Only the end of a flood is kept.
    let (_, message) = Script::new(
        "yes start | head -n 100000 >&2; echo the reason >&2; exit 1",
        json!({}),
    )
    .error();
    assert!(
        message.contains(": …") && message.ends_with("the reason") && message.len() < 17_000,
        "{}",
        message.len()
    );
    let (_, message) = Script::new("", json!({ "command": ["lockgate-no-such-program"] })).error();
    assert!(
        message.contains("can't be started") && message.contains("check `command`"),
        "{message}"
    );
}

#[test]
fn values_are_checked() {
    for (script, wanted) in [
        ("echo hello", "is not JSON"),
        ("true", "is nothing"),
        ("echo 1 2", "is not JSON"),
        ("printf '\"\\377\"'", "is not UTF-8 (at byte 1)"),
        ("echo '{\"a\":1,\"a\":2}'", "is not JSON"),
    ] {
        let (code, message) = Script::new(script, json!({})).error();
        assert_eq!(
            code,
            Some(ErrorCode::InvalidToolOutput),
            "{script}: {message}"
        );
        assert!(
            message.contains(wanted) && message.contains("one JSON value"),
            "{script}: {message}"
        );
    }
    let (code, _) = Script::new("echo 1", json!({ "output": { "type": "string" } })).error();
    assert_eq!(code, Some(ErrorCode::InvalidToolOutput));
}

#[test]
fn a_flood_is_ended() {
    let started = Instant::now();
    let (code, message) = Script::new("yes", json!({})).error();
    assert_eq!(code, None);
    assert!(
        message.contains("printed more than 16777216 bytes"),
        "{message}"
    );
    assert!(started.elapsed() < Duration::from_secs(10));
}

/// Starts a child that makes `late` after some seconds unless it is killed, then waits.
const LATE: &str = "(sleep 3; touch late) & touch ready; wait";

fn stays_dead(script: &Script) {
    assert!(script.made("ready"));
    std::thread::sleep(Duration::from_millis(3300));
    assert!(!script.made("late"), "a process outlived its call");
}

#[test]
fn a_timeout_kills_the_whole_group() {
    let script = Script::new(LATE, json!({ "timeout_ms": 800 }));
    let started = Instant::now();
    let (code, message) = script.error();
    assert_eq!(code, Some(ErrorCode::ToolTimeout), "{message}");
    assert!(message.contains("800"), "{message}");
    assert!(
        started.elapsed() < Duration::from_millis(2800),
        "{:?}",
        started.elapsed()
    );
    stays_dead(&script);
}

// SPEC F1, F2
#[test]
fn cancelling_kills_the_whole_group() {
    let script = Script::new(LATE, json!({}));
    let signal = CancellationToken::new();
    let request = CallRequest::new("1", "t", json!({})).signal(signal.clone());
    let started = Instant::now();
    let result = run(async {
        let cancel = async {
            tokio::time::sleep(Duration::from_millis(800)).await;
            signal.cancel();
        };
        tokio::join!(script.registry.execute(request), cancel).0
    });
    assert!(result.is_error());
    assert!(
        started.elapsed() < Duration::from_millis(2800),
        "{:?}",
        started.elapsed()
    );
    stays_dead(&script);
}

#[test]
fn dropping_a_call_kills_the_whole_group() {
    let script = Script::new(LATE, json!({}));
    run(async {
        let call = script
            .registry
            .execute(CallRequest::new("1", "t", json!({})));
        assert!(
            tokio::time::timeout(Duration::from_millis(800), call)
                .await
                .is_err()
        );
    });
    stays_dead(&script);
}

#[test]
fn what_holds_the_output_open_does_not_hold_the_call() {
    let script = Script::new("(sleep 3; touch late) & touch ready; echo 7", json!({}));
    let started = Instant::now();
    assert_eq!(script.value(), json!(7));
    assert!(
        started.elapsed() < Duration::from_millis(2800),
        "{:?}",
        started.elapsed()
    );
    stays_dead(&script);
}

// SPEC C1, G3, L1
#[test]
fn what_the_manifest_says_is_the_tools() {
    let script = Script::new(
        "echo 1",
        json!({ "concurrency_safe": true, "idempotent": true, "timeout_ms": 5000 }),
    );
    let tool = script.registry.get("t").expect("the tool");
    assert!(tool.is_concurrency_safe(&json!({})) && tool.is_idempotent());
    assert_eq!(tool.timeout(), Some(Duration::from_secs(5)));
    let result = script.call(json!({}));
    let ToolResultView::Terminal { output, exit_code } = tool.present_result(&json!({}), &result)
    else {
        panic!()
    };
    assert_eq!((&*output, exit_code), ("1", Some(0)));
    let tool = Script::new("echo 1", json!({}))
        .registry
        .get("t")
        .expect("the tool");
    assert!(!tool.is_concurrency_safe(&json!({})) && !tool.is_idempotent());
    assert_eq!(tool.timeout(), None);
}

#[test]
fn a_program_of_the_command_line_calls_them() {
    let folder = crate::process::folder(&[(
        "tools.json",
        r#"{ "tools": [{
            "name": "echo",
            "description": "Gives its arguments back.",
            "parameters": { "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] },
            "command": ["cat"]
        }] }"#,
    )]);
    let manifest = folder.path().join("tools.json");
    let program = "const { text } = await tools.echo({ text: 'hi' }); return text;";
    let run = Lockgate::run(program)
        .args(["--tools", manifest.to_str().expect("UTF-8")])
        .output();
    assert_eq!((&*run.stdout, run.code), ("hi\n", 0), "{}", run.stderr);
    // A manifest that is wrong is the user's to mend: nothing runs.
    fs::write(&manifest, r#"{ "tools": [{ "name": "echo" }] }"#).expect("a file");
    let run = Lockgate::run(program)
        .args(["--tools", manifest.to_str().expect("UTF-8")])
        .output();
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("tools.json: tool `echo`: "),
        "{}",
        run.stderr
    );
}
