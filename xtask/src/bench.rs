//! `cargo xtask bench`: installs the peers, builds the benchmarks and the command line, and starts one of them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The packages that are built, in one go and with the features that the tests have, so that the wasm compiler is not built
/// twice; `--examples` is what switches those on.
const BUILD: &[&str] = &[
    "build",
    "--release",
    "--locked",
    "--quiet",
    "--package",
    "lockgate-benches",
    "--package",
    "lockgate",
    "--package",
    "lockgate-gateway",
    "--package",
    "lockgate-cli",
    "--package",
    "lockgate-tests",
    "--bins",
    "--examples",
];

pub(crate) fn run(args: Vec<String>) -> Result<(), String> {
    let Some((what, rest)) = args.split_first() else {
        return Err(
            "say which: install, compare, growth, hostile, instructions or pipeline".to_owned(),
        );
    };
    match what.as_str() {
        "install" => status(Command::new(root().join("benches/peers/install")).args(rest)),
        "compare" | "growth" | "hostile" | "instructions" | "pipeline" => {
            let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
            status(Command::new(cargo).args(BUILD))?;
            status(Command::new(beside_this(what)?).args(rest))
        }
        other => Err(format!(
            "there is no benchmark {other}: install, compare, growth, hostile, instructions or pipeline"
        )),
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap_or(Path::new("."))
}

/// A program that was built into the same folder as this one.
fn beside_this(name: &str) -> Result<PathBuf, String> {
    let this = std::env::current_exe().map_err(|error| format!("where am I? {error}"))?;
    Ok(this.with_file_name(name))
}

fn status(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command
        .status()
        .map_err(|error| format!("can't start {name}: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{name} failed"))
    }
}
