//! Finds the C compiler for wasm32 and says what to install where there is none.

use std::process::{Command, Stdio};

const HELP: &str = "\
building this guest needs a clang with the wasm32 target and llvm-ar.
On Debian and Ubuntu: apt-get install clang-19 llvm-19
Others: set CC_wasm32_unknown_unknown and AR_wasm32_unknown_unknown to the two programs.";

/// The environment for the `cc` crate.
pub(super) fn c_environment() -> Result<Vec<(&'static str, String)>, String> {
    let cc = find(
        "CC_wasm32_unknown_unknown",
        "clang",
        &["--print-targets"],
        "wasm32",
    )?;
    let ar = find(
        "AR_wasm32_unknown_unknown",
        "llvm-ar",
        &["--version"],
        "LLVM",
    )?;
    Ok(vec![
        ("CC_wasm32_unknown_unknown", cc),
        ("AR_wasm32_unknown_unknown", ar),
        (
            "CFLAGS_wasm32_unknown_unknown",
            "-O3 -mbulk-memory -mnontrapping-fptoint -msign-ext".into(),
        ),
    ])
}

fn find(variable: &str, program: &str, arguments: &[&str], wanted: &str) -> Result<String, String> {
    if let Ok(given) = std::env::var(variable) {
        return Ok(given);
    }
    let versioned = (17..30).rev().map(|version| format!("{program}-{version}"));
    let preferred = std::iter::once(format!("{program}-19"));
    preferred
        .chain(versioned)
        .chain(std::iter::once(program.to_owned()))
        .find(|candidate| {
            let output = Command::new(candidate)
                .args(arguments)
                .stderr(Stdio::null())
                .output();
            output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(wanted))
        })
        .ok_or_else(|| format!("no usable {program} found: {HELP}"))
}
