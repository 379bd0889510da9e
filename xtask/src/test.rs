//! `cargo xtask test`: format, lints, then every test.

use std::process::Command;

use crate::guests;

/// The workspace of the guests.
const GUESTS: &str = "sandbox-guest/Cargo.toml";

/// One step, by name, with its arguments to cargo.
const STEPS: &[(&str, &[&str])] = &[
    ("format", &["fmt", "--all", "--check"]),
    (
        "format of the guests",
        &["fmt", "--all", "--check", "--manifest-path", GUESTS],
    ),
    (
        "lints",
        &[
            "clippy",
            "--release",
            "--workspace",
            "--all-targets",
            "--locked",
            "--quiet",
            "--",
            "--deny",
            "warnings",
        ],
    ),
    // The JavaScript guests compile for wasm alone; `cargo xtask guests` builds them with the lints as warnings.
    (
        "lints of the guests",
        &[
            "clippy",
            "--release",
            "--manifest-path",
            GUESTS,
            "--workspace",
            "--exclude",
            "lockgate-guest-boa",
            "--exclude",
            "lockgate-guest-quickjs",
            "--all-targets",
            "--locked",
            "--quiet",
            "--",
            "--deny",
            "warnings",
        ],
    ),
    // The release profile: the wasm compiler is built once, for the command line and for the tests.
    ("tests", &["test", "--release", "--locked"]),
    (
        "guest tests",
        &[
            "test",
            "--release",
            "--locked",
            "--manifest-path",
            GUESTS,
            "--package",
            "lockgate-guest-core",
            "--package",
            "lockgate-guest-typescript",
        ],
    ),
    (
        "docs",
        &[
            "doc",
            "--release",
            "--locked",
            "--no-deps",
            "--quiet",
            "--package",
            "lockgate",
        ],
    ),
];

pub(crate) fn run() -> Result<(), String> {
    if let Err(reason) = guests::python() {
        if std::env::var_os("LOCKGATE_REQUIRE_PYTHON").is_some() {
            return Err(reason);
        }
        eprintln!("== the tests of Python are left out: {reason}");
    }
    for (name, args) in STEPS {
        eprintln!("== {name}: cargo {}", args.join(" "));
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .args(*args)
            .env("RUSTDOCFLAGS", "--deny warnings")
            .status()
            .map_err(|error| format!("can't start cargo: {error}"))?;
        if !status.success() {
            return Err(format!("{name} failed"));
        }
    }
    Ok(())
}
