//! Builds the Python guest with the pinned componentize-py, in a virtual environment of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use etcetera::BaseStrategy;
use sha2::{Digest, Sha256};

/// The package that is the guest.
const PACKAGE: &str = "lockgate_guest";

/// Builds the guest, unless one of these very sources is there, and installs it for this user.
pub(crate) fn run(root: &Path, target_dir: &Path) -> Result<(), String> {
    let guest = root.join("sandbox-guest/python");
    let hash = sources_hash(root)?;
    let installed = installed_path(&hash)?;
    let prebuilt = root.join("sandbox-guest/prebuilt/python.wasm");
    if !installed.exists() {
        let environment = target_dir.join("python-venv");
        install(&environment, &guest.join("requirements.txt"))?;
        componentize(&environment, root, &prebuilt)?;
        put(&prebuilt, &installed)?;
    } else if !prebuilt.exists() {
        put(&installed, &prebuilt)?;
    }
    eprintln!("python: {}", installed.display());
    Ok(())
}

/// A virtual environment that holds what the requirements pin.
fn install(environment: &Path, requirements: &Path) -> Result<(), String> {
    let wanted = read(requirements)?;
    let mark = environment.join("requirements.txt");
    if fs::read(&mark).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    eprintln!("python: installing componentize-py");
    succeeds(
        Command::new("python3")
            .args(["-m", "venv", "--clear"])
            .arg(environment),
        "python3 makes no virtual environment (Python 3.9 or later with venv is needed)",
    )?;
    succeeds(
        Command::new(program(environment, "pip"))
            .args([
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--require-hashes",
                "--only-binary=:all:",
                "-r",
            ])
            .arg(requirements),
        "the requirements were not installed: is Python's package index reached?",
    )?;
    fs::write(&mark, wanted).map_err(|error| format!("can't write {}: {error}", mark.display()))
}

fn componentize(environment: &Path, root: &Path, output: &Path) -> Result<(), String> {
    eprintln!("python: building the component (some 20 s)");
    succeeds(
        Command::new(program(environment, "componentize-py"))
            .current_dir(root.join("sandbox-guest/python"))
            // Its packages are searched too; by default those of the whole machine would be.
            .env("VIRTUAL_ENV", environment)
            .args([
                "--quiet",
                "--wit-path",
                "../wit",
                "--world",
                "program-guest",
            ])
            .args(["componentize", PACKAGE, "--output"])
            .arg(output),
        "componentize-py did not build the guest",
    )
}

/// Whole or not at all, and writable by nobody else, which is what the runtime asks for.
fn put(from: &Path, to: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("can't write {}: {error}", to.display());
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let partial = to.with_extension(format!("{}.partial", std::process::id()));
    fs::write(&partial, read(from)?).map_err(failed)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&partial, fs::Permissions::from_mode(0o644)).map_err(failed)?;
    }
    fs::rename(&partial, to).map_err(failed)
}

/// Where the runtime looks for it: see `runtime/src/sandbox/python.rs`, which says the same.
fn installed_path(hash: &str) -> Result<PathBuf, String> {
    let strategy = etcetera::choose_base_strategy().map_err(|error| error.to_string())?;
    let folder = strategy.data_dir().join("lockgate");
    Ok(folder.join(format!("python-{hash}.wasm")))
}

/// The hash of what the guest is made of, as the runtime computes it.
fn sources_hash(root: &Path) -> Result<String, String> {
    let guest = root.join("sandbox-guest");
    let package = guest.join("python").join(PACKAGE);
    let mut names = vec![
        "python/requirements.txt".to_owned(),
        "wit/program.wit".to_owned(),
    ];
    let entries = fs::read_dir(&package)
        .map_err(|error| format!("can't read {}: {error}", package.display()))?;
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".py") {
            names.push(format!("python/{PACKAGE}/{name}"));
        }
    }
    names.sort();
    let mut hash = Sha256::new();
    for name in names {
        hash.update(name.as_bytes());
        hash.update([0]);
        hash.update(read(&guest.join(&name))?);
        hash.update([0]);
    }
    let mut text: String = hash
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    text.truncate(16);
    Ok(text)
}

fn program(environment: &Path, name: &str) -> PathBuf {
    environment
        .join(if cfg!(windows) { "Scripts" } else { "bin" })
        .join(name)
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("can't read {}: {error}", path.display()))
}

fn succeeds(command: &mut Command, otherwise: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("{otherwise}; see above")),
        Err(error) => Err(format!("{otherwise}: {error}")),
    }
}
