//! Real MCP servers, pinned: from npm and from PyPI, installed beside the tests when they are first asked for.
#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use lockgate::{Json, json};

/// The same from the tests of the command line.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../gateway/tests/servers")
}

/// Says why a test is left out; with `LOCKGATE_REQUIRE_COMPILERS` set, as in CI, that is a failure.
pub(crate) fn skip(what: &str) {
    assert!(
        std::env::var_os("LOCKGATE_REQUIRE_COMPILERS").is_none(),
        "{what}"
    );
    println!("skipped: {what}");
}

fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// Installs unless what is there was made from the same pins.
fn installed(pins: &Path, mark: &Path, install: impl FnOnce() -> bool) -> bool {
    let wanted = std::fs::read(pins).unwrap();
    if std::fs::read(mark).is_ok_and(|done| done == wanted) {
        return true;
    }
    install() && std::fs::write(mark, wanted).is_ok()
}

/// The folder `node_modules` with the pinned packages; None, with the reason printed, where there is no Node.js.
pub(crate) fn node_modules() -> Option<PathBuf> {
    static READY: OnceLock<bool> = OnceLock::new();
    let modules = folder().join("node_modules");
    let ready = *READY.get_or_init(|| {
        let pins = folder().join("package-lock.json");
        let install = ["ci", "--no-audit", "--no-fund", "--ignore-scripts"];
        succeeds(Command::new("node").arg("--version"))
            && installed(&pins, &modules.join(".lockgate-pins"), || {
                succeeds(Command::new("npm").args(install).current_dir(folder()))
            })
    });
    if !ready {
        skip("there are no MCP servers of npm: `npm ci` in gateway/tests/servers failed");
    }
    ready.then_some(modules)
}

/// The folder of a virtual environment's programs, with the pinned packages; None, with the reason printed, where there is
/// no Python.
pub(crate) fn python_bin() -> Option<PathBuf> {
    static READY: OnceLock<bool> = OnceLock::new();
    let environment = folder().join(".venv");
    let bin = environment.join("bin");
    let ready = *READY.get_or_init(|| {
        let pins = folder().join("requirements.txt");
        installed(&pins, &environment.join(".lockgate-pins"), || {
            succeeds(
                Command::new("python3")
                    .args(["-m", "venv"])
                    .arg(&environment),
            ) && succeeds(
                Command::new(bin.join("python"))
                    .args(["-m", "pip", "install", "--quiet", "--requirement"])
                    .arg(&pins),
            )
        })
    });
    if !ready {
        skip(
            "there are no MCP servers of PyPI: installing gateway/tests/servers/requirements.txt failed",
        );
    }
    ready.then_some(bin)
}

/// The entry in `mcpServers` of one of `@modelcontextprotocol/server-…`.
pub(crate) fn npm_server(name: &str, args: &[&str]) -> Option<Json> {
    let script = node_modules()?
        .join("@modelcontextprotocol")
        .join(format!("server-{name}"))
        .join("dist/index.js");
    let args: Vec<Json> = [script.to_str().unwrap()]
        .iter()
        .chain(args)
        .map(|arg| Json::from(*arg))
        .collect();
    Some(json!({"command": "node", "args": (Json::from(args))}))
}

/// The entry in `mcpServers` of a server from PyPI.
pub(crate) fn pypi_server(program: &str, args: &[&str]) -> Option<Json> {
    let program = python_bin()?.join(program);
    let args: Vec<Json> = args.iter().map(|arg| Json::from(*arg)).collect();
    Some(json!({"command": (program.to_str().unwrap()), "args": (Json::from(args))}))
}
