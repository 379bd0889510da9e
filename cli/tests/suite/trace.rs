//! `lockgate run --trace` and `lockgate trace`: the page of a run, as a real browser draws it.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds nothing to look at fails"
)]

use std::{fs, path::Path, process::Command};

use crate::process::{Lockgate, folder};

/// Ends the page's script element and runs a script of its own, where a page lets it.
const HOSTILE: &str =
    "</script><script>document.title = 'owned'</script><img src=x onerror=alert(1)>";

/// Ten parallel calls, one that fails, one that runs alone.
fn traced(dir: &Path) -> std::path::PathBuf {
    let trace = dir.join("run.jsonl");
    let program = format!(
        "console.log({HOSTILE:?});
        const reads = await Promise.all(Array.from({{ length: 10 }}, () => tools.stat_file({{ path: 'a.txt' }})));
        await tools.read_file({{ path: {HOSTILE:?} }}).catch(() => 'no such file');
        await tools.write_file({{ path: 'b.txt', content: {HOSTILE:?} }});
        return reads.length;"
    );
    let run = Lockgate::run(&program)
        .args(["--write", "--dir", dir.to_str().unwrap()])
        .args(["--trace", trace.to_str().unwrap()])
        .output();
    assert_eq!(
        (run.code, run.stdout.lines().last().unwrap()),
        (0, "10"),
        "{}",
        run.stderr
    );
    trace
}

#[test]
fn a_trace_has_a_line_for_each_event_with_its_time() {
    let dir = folder(&[("a.txt", "alpha")]);
    let text = fs::read_to_string(traced(dir.path())).unwrap();
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(lines.is_sorted_by_key(|line| line["at_ms"].as_f64().unwrap()));
    let settled: Vec<_> = lines
        .iter()
        .filter(|line| line["type"] == "tool/code-dispatch")
        .collect();
    assert_eq!(settled.len(), 12);
    for line in &settled {
        let timing = &line["timing"];
        assert!(timing["waited_ms"].as_f64().unwrap() >= 0.0);
        assert!(timing["body_ms"].as_f64().unwrap() > 0.0, "{line}");
        // SPEC G1: a tool that writes runs alone.
        let writes = line["value"].get("created").is_some();
        assert_eq!(timing["exclusive"], writes, "{line}");
    }
}

#[test]
fn the_page_draws_every_call_and_runs_no_script_of_the_trace() {
    let Some(browser) = browser() else { return };
    let dir = folder(&[("a.txt", "alpha")]);
    let trace = traced(dir.path());
    let written = Lockgate::new()
        .args(["trace", trace.to_str().unwrap()])
        .output();
    assert_eq!(written.code, 0, "{}", written.stderr);
    let page = trace.with_extension("html");
    assert!(!fs::read_to_string(&page).unwrap().contains(HOSTILE));

    let profile = tempfile::tempdir().unwrap();
    let drawn = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg("--dump-dom")
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    let drawn = String::from_utf8(drawn.stdout).unwrap();
    let count = |what: &str| drawn.matches(what).count();
    assert!(drawn.contains("data-drawn=\"yes\""), "{drawn}");
    assert!(drawn.contains("<title>run · Lockgate trace</title>"));
    assert_eq!(count("class=\"call\""), 12);
    // Each body is drawn among the lanes and in its own row.
    assert_eq!(count("data-kind=\"body\""), 20);
    assert_eq!(count("data-kind=\"fail\""), 2);
    assert_eq!(count("data-kind=\"barrier\""), 2);
    assert_eq!(count("class=\"barrier-band\""), 1);
    assert!(drawn.contains("12 of 12 calls") && drawn.contains("succeeded"));
    assert_eq!(
        count("<img"),
        0,
        "markup of the trace became markup of the page"
    );
    // The data, and the page's own.
    assert_eq!(count("<script"), 2);
}

#[test]
fn a_trace_that_is_cut_off_or_wrong_is_told() {
    let dir = folder(&[("a.txt", "alpha")]);
    let trace = traced(dir.path());
    let whole = fs::read_to_string(&trace).unwrap();
    let cut = dir.path().join("cut.jsonl");
    fs::write(&cut, &whole[..whole.len() - 40]).unwrap();
    let told = Lockgate::new()
        .args(["trace", cut.to_str().unwrap(), "--output", "-"])
        .output();
    assert_eq!(told.code, 0);
    assert!(told.stderr.contains("is cut off"), "{}", told.stderr);
    assert!(told.stdout.starts_with("<!doctype html>"));

    let wrong = dir.path().join("wrong.jsonl");
    fs::write(&wrong, format!("{whole}{{\"type\":\"tool/call\"}}\n")).unwrap();
    let told = Lockgate::new()
        .args(["trace", wrong.to_str().unwrap()])
        .output();
    assert_eq!(told.code, 2);
    let line = format!("line {}", whole.lines().count() + 1);
    assert!(
        told.stderr.contains(&line) && told.stderr.contains("at_ms"),
        "{}",
        told.stderr
    );
    assert!(!wrong.with_extension("html").exists());
}

/// A browser of the Chromium family. Where there is none the check is left out, except where it is asked for, as in CI.
fn browser() -> Option<&'static str> {
    let found = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| {
            Command::new(name)
                .arg("--version")
                .output()
                .is_ok_and(|told| told.status.success())
        });
    if found.is_none() {
        assert!(
            std::env::var_os("LOCKGATE_REQUIRE_COMPILERS").is_none(),
            "there is no Chromium to draw the page"
        );
        eprintln!("left out: there is no Chromium to draw the page");
    }
    found
}
