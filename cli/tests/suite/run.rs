//! `lockgate run`, as a person runs it: a process, its output, its exit code.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds nothing to look at fails"
)]

use crate::process::{Lockgate, folder};

/// A program's own folder of three files.
const FILES: [(&str, &str); 3] = [
    ("a.txt", "alpha\n"),
    ("notes/b.md", "beta TODO one\n"),
    ("notes/c.md", "gamma\nTODO two\n"),
];

#[test]
fn a_program_fans_out_over_real_files() {
    let dir = folder(&FILES);
    let program = "const { entries } = await tools.list_files({ glob: '**/*' });
        const files = entries.filter((entry) => entry.kind === 'file');
        console.log(`${files.length} files`);
        const stats = await Promise.all(files.map((file) => tools.stat_file({ path: file.path })));
        return stats.reduce((sum, stat) => sum + stat.size, 0);";
    let run = Lockgate::run(program)
        .args(["--dir", dir.path().to_str().unwrap()])
        .output();
    assert_eq!(run.stdout, "3 files\n35\n");
    assert_eq!(run.code, 0);
    assert!(run.stderr.contains("lockgate: 4 calls"), "{}", run.stderr);
    assert!(
        run.stderr.contains("compute") && run.stderr.contains("memory"),
        "{}",
        run.stderr
    );
}

#[test]
fn json_reports_logs_result_calls_and_budget() {
    let dir = folder(&FILES);
    let program = "console.log('hello'); return await tools.read_file({ path: 'a.txt' }).then((file) => file.content);";
    let report = Lockgate::run(program)
        .args(["--json", "--dir", dir.path().to_str().unwrap()])
        .json(0);
    assert_eq!(report["logs"], serde_json::json!(["hello"]));
    assert_eq!(report["result"], "alpha\n");
    assert!(report.get("error").is_none());
    let call = &report["calls"][0];
    assert_eq!(
        (&call["id"], &call["name"], &call["status"]),
        (
            &"run:code:1".into(),
            &"read_file".into(),
            &"completed".into()
        )
    );
    assert!(call["ended_ms"].as_f64().unwrap() >= call["started_ms"].as_f64().unwrap());
    assert_eq!(report["budget"]["calls"], 1);
    assert!(report["budget"]["compute_ms"].as_f64().unwrap() > 0.0);
    assert!(report["budget"]["wall_ms"].as_f64().unwrap() > 0.0);
    assert!(report["budget"]["memory_bytes"].as_u64().unwrap() > 100_000);
}

/// Every way to fail has its own kind and a message that a model can act on.
#[track_caller]
fn fails(program: &str, args: &[&str], kind: &str, says: &[&str]) -> serde_json::Value {
    let dir = folder(&FILES);
    let report = Lockgate::run(program)
        .args(["--json", "--dir", dir.path().to_str().unwrap()])
        .args(args.iter().copied())
        .json(1);
    let error = &report["error"];
    assert_eq!(error["kind"], kind, "{error}");
    let message = error["message"].as_str().unwrap();
    for text in says {
        assert!(message.contains(text), "`{text}` is not in: {message}");
    }
    report
}

// SPEC J4, H5
#[test]
fn an_endless_loop_times_out_by_compute() {
    let report = fails(
        "console.log('before'); while (true) {}",
        &["--compute-ms", "200"],
        "timeout",
        &["compute", "200"],
    );
    assert_eq!(report["error"]["limit"], "compute");
    // SPEC J5
    assert_eq!(report["logs"], serde_json::json!(["before"]));
}

// SPEC J4
#[test]
fn a_sleep_times_out_by_wall_and_costs_no_compute() {
    let program = "await new Promise((done) => setTimeout(done, 60_000));";
    let report = fails(
        program,
        &["--wall-ms", "300", "--compute-ms", "250"],
        "timeout",
        &["wall", "300"],
    );
    assert_eq!(report["error"]["limit"], "wall");
}

// SPEC J4
#[test]
fn a_memory_bomb_ends_the_sandbox() {
    let program = "const hoard = []; for (;;) hoard.push(new Uint8Array(1 << 20).fill(1));";
    let report = fails(
        program,
        &["--memory-mb", "64"],
        "sandbox-exit",
        &["memory", "64"],
    );
    assert_eq!(report["error"]["limit"], "memory");
}

// SPEC J4, J5
#[test]
fn an_output_flood_keeps_the_fitting_prefix() {
    let program = "for (;;) console.log('x'.repeat(999));";
    let report = fails(
        program,
        &["--max-output-bytes", "10000"],
        "output-limit",
        &["output", "10000"],
    );
    let bytes: usize = report["logs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line.as_str().unwrap().len() + 1)
        .sum();
    assert!((9_000..=10_001).contains(&bytes), "{bytes}");
}

#[test]
fn deep_recursion_is_a_range_error() {
    fails(
        "const f = () => f() + 1; return f();",
        &[],
        "sandbox-exit",
        &[
            "stack limit of",
            "RangeError",
            "endless recursion",
            "program.ts:1:",
        ],
    );
}

#[test]
fn a_promise_that_never_settles_is_a_deadlock_at_once() {
    fails(
        "await new Promise(() => {});",
        &[],
        "exception",
        &["Deadlock"],
    );
}

// Reports 11
#[test]
fn a_missing_tool_names_the_near_one() {
    fails(
        "return await tools.raed_file({ path: 'a.txt' });",
        &[],
        "exception",
        &["raed_file", "read_file", "program.ts:1:"],
    );
}

#[test]
fn bad_arguments_name_the_path() {
    fails(
        "return await tools.read_file({ path: 7 });",
        &[],
        "exception",
        &["ToolCallError", "args.path", "program.ts:1:20"],
    );
}

#[test]
fn a_tool_that_fails_shows_the_place_of_the_call() {
    let program =
        "const path = 'gone.txt';\nconst file = await tools.read_file({ path });\nreturn file;";
    let says = [
        "ToolCallError",
        "gone.txt",
        "program.ts:2:26",
        "const file = await tools.read_file({ path });",
        "^",
    ];
    fails(program, &[], "exception", &says);
}

// SPEC J7
#[test]
fn a_syntax_error_at_line_7_shows_line_7() {
    let program = "const a: number = 1;\n\n\n\n\n\nconst b = (a + ;\nreturn b;";
    fails(
        program,
        &[],
        "exception",
        &["program.ts:7:16", "const b = (a + ;", "^"],
    );
}

#[test]
fn a_thrown_error_keeps_name_message_and_place() {
    let program = "interface Deep { a: number }\nfunction load(deep: Deep): number {\n  throw new TypeError('no such deep');\n}\nreturn load({ a: 1 });";
    fails(
        program,
        &[],
        "exception",
        &[
            "TypeError: no such deep",
            "program.ts:3:13",
            "throw new TypeError",
            "at program.ts:5:8",
        ],
    );
}

// SPEC J4
#[test]
fn too_many_calls_end_the_run() {
    let program = "for (;;) { try { await tools.stat_file({ path: 'a.txt' }); } catch {} }";
    let report = fails(
        program,
        &["--max-calls", "20"],
        "call-limit",
        &["calls", "20", "20 (stat_file ×20) finished"],
    );
    assert_eq!(report["calls"].as_array().unwrap().len(), 20);
}

#[test]
fn what_is_no_program_is_a_usage_error() {
    let run = Lockgate::new().args(["run", "does-not-exist.ts"]).output();
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("does-not-exist.ts"), "{}", run.stderr);
    assert_eq!(Lockgate::new().args(["run"]).output().code, 2);
    assert_eq!(
        Lockgate::run("return 1")
            .args(["--max-parallel", "0"])
            .output()
            .code,
        2
    );
    assert_eq!(Lockgate::run("return 1").args(["--write"]).output().code, 2);
}

// SPEC D6 of the command line: nothing outside the folder.
#[test]
fn without_write_nothing_is_written() {
    let dir = folder(&FILES);
    let at = dir.path().to_str().unwrap();
    let run = Lockgate::run("return Object.keys(tools).sort().join(' ');")
        .args(["--dir", at])
        .output();
    assert_eq!(run.stdout, "list_files read_file search_files stat_file\n");
    let run = Lockgate::run("return Object.keys(tools).sort().join(' ');")
        .args(["--dir", at, "--write"])
        .output();
    assert_eq!(
        run.stdout,
        "edit_file list_files read_file search_files stat_file write_file\n"
    );
}

#[test]
fn the_examples_do_their_work() {
    let dir = folder(&[
        ("a.md", "a colour, two colours, one colour\n"),
        ("b.txt", "no TODO\n"),
        ("c.rs", "// TODO: x\n// FIXME: y\n"),
    ]);
    let at = dir.path().to_str().unwrap();
    let report = Lockgate::example("largest-files.ts")
        .args(["--json", "--dir", at])
        .json(0);
    assert_eq!(report["logs"], serde_json::json!(["3 files, 65 bytes"]));
    assert_eq!(report["result"][0]["path"], "a.md");
    assert_eq!(report["result"][0]["share"], "52.3 %");

    let report = Lockgate::example("todo-census.ts")
        .args(["--json", "--dir", at])
        .json(0);
    assert_eq!(
        report["result"],
        serde_json::json!({"byKind": {"TODO": 1, "FIXME": 1, "HACK": 0}, "files": 1})
    );

    let report = Lockgate::example("find-and-edit.ts")
        .args(["--json", "--dir", at, "--write"])
        .json(0);
    assert_eq!(
        report["result"],
        serde_json::json!({"files": 1, "changed": {"a.md": 3}})
    );
    assert_eq!(
        std::fs::read_to_string(dir.path().join("a.md")).unwrap(),
        "a color, two colors, one color\n"
    );
}
