//! A Python program: what it is the body of, what it prints and returns, how its calls go.

use lockgate::code_runtime::{CodeLimits, FailureKind, Limit, LogLevel};
use lockgate::json;
use lockgate::sandbox::{Engine, Sandbox, SandboxError};

use crate::sandbox_support::{expect_limit, failure_of, python, run_in};

/// Runs a program and compares its value.
async fn check(source: &str, expect: lockgate::Json) {
    let Some(sandbox) = python() else { return };
    let (result, _) = run_in(sandbox, source, CodeLimits::default()).await;
    match result.outcome {
        Ok(value) => assert_eq!(value, Some(expect), "{source}"),
        Err(failure) => panic!("{source}\nfailed: {failure:#?}"),
    }
}

// SPEC H3
#[tokio::test]
async fn program_is_the_body_of_an_async_function() {
    check("return 1+1", json!(2)).await;
    check(
        "import asyncio\nawait asyncio.sleep(0)\nreturn 'ok'",
        json!("ok"),
    )
    .await;
    check("return None", json!(null)).await;
    check(
        "n = 0\ndef inc():\n  global n\n  n += 1\ninc()\ninc()\nreturn n",
        json!(2),
    )
    .await;
    check(
        "n = 0\ndef inc():\n  nonlocal n\n  n += 1\ninc()\nreturn n",
        json!(1),
    )
    .await;
    check(
        "from math import *\nx: float = sqrt(4)\nreturn x + pi // 1",
        json!(5),
    )
    .await;
    check(
        "from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass P:\n  x: int\nreturn repr(P(1))",
        json!("P(x=1)"),
    )
    .await;
    let Some(sandbox) = python() else { return };
    for nothing in ["", "x = 1", "if True:\n  return"] {
        let (result, _) = run_in(sandbox, nothing, CodeLimits::default()).await;
        assert_eq!(result.outcome, Ok(None), "{nothing}");
    }
}

// SPEC K1
#[tokio::test]
async fn tools_take_a_dict_or_keywords() {
    check("return await tools.echo({'a': 1})", json!({"a": 1})).await;
    check(
        "return await tools.echo(a=1, b=[True])",
        json!({"a": 1, "b": [true]}),
    )
    .await;
    check("return await tools['a-b'](x=None)", json!({"x": null})).await;
    check("return await tools.echo()", json!({"nothing": true})).await;
    check(
        "try:\n  await tools.fail()\nexcept ToolCallError as e:\n  return [e.toolName, e.tool_name, e.message, str(e)]",
        json!(["fail", "fail", "the tool failed", "the tool failed"]),
    )
    .await;
}

// SPEC J5
#[tokio::test]
async fn prints_line_by_line_as_it_goes() {
    let Some(sandbox) = python() else { return };
    let source = "import sys\nprint('a', 1)\nprint('b', end='')\nprint('c\\nd')\nprint('e', file=sys.stderr)\nprint('end', end='')\nwhile True: pass";
    let limits = CodeLimits {
        compute: std::time::Duration::from_millis(300),
        ..CodeLimits::default()
    };
    let (result, _) = run_in(sandbox, source, limits).await;
    let lines: Vec<_> = result
        .logs
        .iter()
        .map(|line| (line.level, line.text.as_str()))
        .collect();
    assert_eq!(
        lines,
        [
            (LogLevel::Info, "a 1"),
            (LogLevel::Info, "bc"),
            (LogLevel::Info, "d"),
            (LogLevel::Error, "e")
        ]
    );
    expect_limit(
        &failure_of(result, source),
        FailureKind::Timeout,
        Limit::Compute,
        300,
    );
}

// SPEC H6
#[test]
fn an_engine_runs_its_own_languages() {
    use lockgate::code_runtime::CodeLanguage;
    for (engine, language) in [
        (Engine::CPython, CodeLanguage::JavaScript),
        (Engine::QuickJs, CodeLanguage::Python),
    ] {
        let built = Sandbox::builder()
            .language(language)
            .engine(engine)
            .build_blocking();
        assert_eq!(
            built.unwrap_err(),
            SandboxError::EngineMismatch { engine, language }
        );
    }
}
