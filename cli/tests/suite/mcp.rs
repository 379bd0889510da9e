//! `lockgate run --mcp` and `lockgate mcp --check`, over a real MCP server.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds nothing to look at fails"
)]

use std::path::PathBuf;

use lockgate::{Json, json};

use crate::{
    process::{Lockgate, folder},
    servers::npm_server,
};

/// A folder with `mcp.json` and a file; None where there is no Node.js.
fn place(more: &Json) -> Option<(tempfile::TempDir, PathBuf)> {
    let dir = folder(&[("a.txt", "alpha\n")]);
    let root = dir.path().canonicalize().unwrap();
    let mut servers = lockgate::json::Object::new();
    servers.insert("fs", npm_server("filesystem", &[root.to_str().unwrap()])?);
    for (name, server) in more.as_object().unwrap() {
        servers.insert(name, server);
    }
    let config = root.join("mcp.json");
    let text = json!({"mcpServers": (Json::Object(servers))}).to_string();
    std::fs::write(&config, text).unwrap();
    Some((dir, config))
}

#[test]
fn a_program_runs_over_servers_and_files() {
    let broken = json!({"gone": {"command": "no-such-program-anywhere"}});
    let Some((dir, config)) = place(&broken) else {
        return;
    };
    let root = dir.path().canonicalize().unwrap();
    let program = format!(
        "const path = {} + '/a.txt';
         const [remote, local] = await Promise.all([tools.read_text_file({{ path }}), tools.read_file({{ path: 'a.txt' }})]);
         return remote.content === local.content;",
        Json::from(root.to_str().unwrap())
    );
    let run = Lockgate::run(&program)
        .args([
            "--mcp",
            config.to_str().unwrap(),
            "--dir",
            root.to_str().unwrap(),
        ])
        .output();
    assert_eq!(
        (run.stdout.as_str(), run.code),
        ("true\n", 0),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("the MCP server \"gone\" can't be used: the command no-such-program-anywhere is not found"),
        "{}",
        run.stderr
    );
}

#[test]
fn check_lists_servers_tools_tokens_and_problems() {
    let Some((_dir, config)) = place(&json!({})) else {
        return;
    };
    let check = |config: &PathBuf| {
        Lockgate::new()
            .args(["mcp", "--check", "--config", config.to_str().unwrap()])
            .output()
    };
    let good = check(&config);
    assert_eq!(good.code, 0, "{}{}", good.stdout, good.stderr);
    for part in [
        "fs (stdio): ready",
        "    read_text_file: typed values, only reads",
        "In all: about ",
    ] {
        assert!(good.stdout.contains(part), "{part}: {}", good.stdout);
    }
    // The SDK text of this server is the shorter one.
    let line = good
        .stdout
        .lines()
        .find(|line| line.starts_with("In all: "))
        .unwrap();
    let numbers: Vec<u64> = line
        .split(' ')
        .filter_map(|word| word.parse().ok())
        .collect();
    assert!(
        numbers.len() == 2 && numbers[1] < numbers[0] && numbers[1] > 100,
        "{line}"
    );

    let Some((_dir, config)) =
        place(&json!({"gone": {"command": "no-such-program-anywhere", "arg": 1}}))
    else {
        return;
    };
    let bad = check(&config);
    assert_eq!(bad.code, 1);
    for part in [
        "fs (stdio): ready",
        "gone (stdio): failed: the command no-such-program-anywhere is not found",
        "server `gone`: the key \"arg\" is ignored; did you mean \"args\"?",
    ] {
        assert!(bad.stdout.contains(part), "{part}: {}", bad.stdout);
    }
}

#[test]
fn a_configuration_that_is_none_runs_nothing() {
    let dir = folder(&[("mcp.json", "{\"mcpServers\": 1}")]);
    let config = dir.path().join("mcp.json");
    let run = Lockgate::run("return 1")
        .args(["--mcp", config.to_str().unwrap()])
        .output();
    assert_eq!((run.stdout.as_str(), run.code), ("", 2));
    assert!(
        run.stderr
            .contains("`mcpServers` must be an object with a server per name, found number"),
        "{}",
        run.stderr
    );
}
