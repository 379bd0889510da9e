//! Compiles the guests with cargo, has them snapshotted, and writes or compares the results.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

use super::{Guest, Options, snapshot, toolchain};

const TARGET: &str = "wasm32-unknown-unknown";

pub(super) fn run(options: &Options) -> Result<(), String> {
    let root = &super::root();
    let prebuilt = root.join("sandbox-guest/prebuilt");
    let mut differing = Vec::new();
    for guest in &options.guests {
        let target_dir = options
            .target_dir
            .clone()
            .unwrap_or_else(|| root.join("target/guests"));
        let module = compile(root, &target_dir, guest)?;
        let component = snapshot::snapshot(&module)?;
        refuse_machine_paths(root, &component)?;
        let sum = checksum(&component);
        let path = prebuilt.join(format!("{}.wasm", guest.name));
        eprintln!("{}: {} bytes, {sum}", guest.name, component.len());
        if options.verify {
            if fs::read(&path).ok().as_deref() != Some(&component)
                || sums(&prebuilt)?.get(guest.name) != Some(&sum)
            {
                differing.push(guest.name);
            }
            continue;
        }
        fs::create_dir_all(&prebuilt)
            .map_err(|error| format!("can't create {}: {error}", prebuilt.display()))?;
        fs::write(&path, &component)
            .map_err(|error| format!("can't write {}: {error}", path.display()))?;
        let mut sums = sums(&prebuilt)?;
        sums.insert(guest.name.to_owned(), sum);
        write_sums(&prebuilt, &sums)?;
    }
    if differing.is_empty() {
        return Ok(());
    }
    Err(format!(
        "what is checked in is not what the sources give here: {}. Either the sources changed (run `cargo xtask guests`), or this \
         toolchain gives other bytes (then let the tests decide).",
        differing.join(", ")
    ))
}

/// Builds the core module and returns its bytes.
fn compile(root: &Path, target_dir: &Path, guest: &Guest) -> Result<Vec<u8>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let cargo_home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
        .ok_or("neither CARGO_HOME nor a home folder is known")?;
    let mut flags = vec![
        format!("--remap-path-prefix={}=lockgate", root.display()),
        format!("--remap-path-prefix={}=target", target_dir.display()),
        format!("--remap-path-prefix={}=cargo", cargo_home.display()),
        format!("-Clink-arg=-zstack-size={}", guest.stack_bytes),
    ];
    flags.extend(guest.rust_flags.iter().map(ToString::to_string));
    let mut command = Command::new(cargo);
    command
        .current_dir(root.join("sandbox-guest"))
        .args([
            "build",
            "--quiet",
            "--locked",
            "--profile",
            "guest",
            "--target",
            TARGET,
            "--package",
            guest.package,
        ])
        .arg("--target-dir")
        .arg(target_dir)
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
        .env_remove("RUSTFLAGS");
    if guest.c_compiler {
        command.envs(toolchain::c_environment()?);
    }
    let status = command
        .status()
        .map_err(|error| format!("can't start cargo: {error}"))?;
    if !status.success() {
        return Err(format!(
            "{} did not compile. Where the target is missing: rustup target add {TARGET}",
            guest.package
        ));
    }
    let file = format!("{}.wasm", guest.package.replace('-', "_"));
    let path = target_dir.join(TARGET).join("guest").join(file);
    fs::read(&path).map_err(|error| format!("can't read {}: {error}", path.display()))
}

/// A path of the building machine in an artifact would tell where it was built and change its bytes.
fn refuse_machine_paths(root: &Path, component: &[u8]) -> Result<(), String> {
    let home = std::env::home_dir();
    for path in [Some(root), home.as_deref()]
        .into_iter()
        .flatten()
        .filter_map(Path::to_str)
        .filter(|path| path.len() > 1)
    {
        let needle = format!("{path}/");
        if component
            .windows(needle.len())
            .any(|window| window == needle.as_bytes())
        {
            return Err(format!(
                "the guest holds the path {needle} of this machine; remap it"
            ));
        }
    }
    Ok(())
}

fn checksum(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The checksum file, in the form of `sha256sum`: name to sum.
fn sums(prebuilt: &Path) -> Result<BTreeMap<String, String>, String> {
    let path = prebuilt.join("SHA256SUMS");
    if !path.exists() {
        return Ok(BTreeMap::new());
    }
    let text = fs::read_to_string(&path)
        .map_err(|error| format!("can't read {}: {error}", path.display()))?;
    let entries = text.lines().filter_map(|line| {
        let (sum, file) = line.split_once("  ")?;
        Some((file.strip_suffix(".wasm")?.to_owned(), sum.to_owned()))
    });
    Ok(entries.collect())
}

fn write_sums(prebuilt: &Path, sums: &BTreeMap<String, String>) -> Result<(), String> {
    let path = prebuilt.join("SHA256SUMS");
    let text: String = sums
        .iter()
        .map(|(name, sum)| format!("{sum}  {name}.wasm\n"))
        .collect();
    fs::write(&path, text).map_err(|error| format!("can't write {}: {error}", path.display()))
}
