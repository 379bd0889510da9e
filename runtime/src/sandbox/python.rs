//! Where the Python guest is found. It is not built in: it is some 30 MB, and building it needs Python's package index.
//!
//! The file is trusted as its owner is: it must belong to the user or to the system, and nobody else may be able to write to it.
//! That is checked on the open handle from which it is read.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use super::artifacts::{Artifact, sha256};
use super::cache;
use super::error::SandboxError;

/// The name that progress and errors carry.
const NAME: &str = "python";

macro_rules! sources {
    ($($file:literal),+ $(,)?) => {
        &[$(($file, include_str!(concat!("../../../sandbox-guest/", $file)))),+]
    };
}

/// What the guest is made of, in the order of the names: their hash names the guest that fits this build.
const SOURCES: &[(&str, &str)] = sources![
    "python/lockgate_guest/__init__.py",
    "python/lockgate_guest/bridge.py",
    "python/lockgate_guest/denied.py",
    "python/lockgate_guest/failures.py",
    "python/lockgate_guest/loop.py",
    "python/lockgate_guest/lossless.py",
    "python/lockgate_guest/output.py",
    "python/lockgate_guest/prepare.py",
    "python/lockgate_guest/run.py",
    "python/lockgate_guest/stdlib.py",
    "python/lockgate_guest/warm_up.py",
    "python/requirements.txt",
    "wit/program.wit",
];

/// Reads the guest.
pub(super) fn load(path: &Path) -> Result<Artifact, SandboxError> {
    if !path.exists() {
        return Err(SandboxError::PythonGuestMissing { path: path.into() });
    }
    match cache::read_trusted(path) {
        Ok(wasm) => Ok(Artifact::loaded(NAME, wasm)),
        Err(reason) => Err(SandboxError::PythonGuestRefused {
            path: path.into(),
            reason,
        }),
    }
}

/// Where `cargo xtask guests python` puts the guest for this user: in the data directory, e.g. `~/.local/share/lockgate`, under
/// a name that says which sources it was built from.
pub(super) fn default_path() -> PathBuf {
    let directory = etcetera::choose_base_strategy()
        .map(|strategy| strategy.data_dir().join("lockgate"))
        .unwrap_or_default();
    directory.join(format!("python-{}.wasm", sources_hash()))
}

fn sources_hash() -> String {
    let mut bytes = Vec::new();
    for (file, text) in SOURCES {
        bytes.extend_from_slice(file.as_bytes());
        bytes.push(0);
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(0);
    }
    let mut hash = sha256(&bytes);
    hash.truncate(16);
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    // `cargo xtask guests python` hashes what is in the folders; this build hashes what it lists.
    #[test]
    fn sources_are_those_in_the_folder() {
        let guest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sandbox-guest");
        let mut found: Vec<String> = std::fs::read_dir(guest.join("python/lockgate_guest"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".py"))
            .map(|name| format!("python/lockgate_guest/{name}"))
            .collect();
        found.extend([
            "python/requirements.txt".to_owned(),
            "wit/program.wit".to_owned(),
        ]);
        found.sort();
        let listed: Vec<&str> = SOURCES.iter().map(|(file, _)| *file).collect();
        assert_eq!(found, listed);
    }
}
