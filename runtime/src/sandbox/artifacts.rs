//! The guests that are built in, with the checksums that name them.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

/// A guest component in WebAssembly.
#[derive(Debug)]
pub(super) struct Artifact {
    /// The name that progress and errors carry.
    pub(super) name: &'static str,
    /// The component.
    pub(super) wasm: Cow<'static, [u8]>,
    /// Of one that is not built in; those have theirs in [`CHECKSUMS`].
    sha256: Option<String>,
}

macro_rules! artifact {
    ($name:literal) => {
        Artifact {
            name: $name,
            wasm: Cow::Borrowed(include_bytes!(concat!(
                "../../../sandbox-guest/prebuilt/",
                $name,
                ".wasm"
            ))),
            sha256: None,
        }
    };
}

/// Boa: runs JavaScript.
pub(super) static BOA: Artifact = artifact!("boa");
/// QuickJS-ng: runs JavaScript.
pub(super) static QUICKJS: Artifact = artifact!("quickjs");
/// Turns TypeScript into JavaScript.
pub(super) static TYPESCRIPT: Artifact = artifact!("typescript");

/// As written when the guests were built; in the form of `sha256sum`.
static CHECKSUMS: &str = include_str!("../../../sandbox-guest/prebuilt/SHA256SUMS");

impl Artifact {
    /// A guest that was loaded from a file.
    pub(super) fn loaded(name: &'static str, wasm: Vec<u8>) -> Self {
        Artifact {
            name,
            sha256: Some(sha256(&wasm)),
            wasm: Cow::Owned(wasm),
        }
    }

    /// SHA-256 of the component in hexadecimal digits. For what is built in it is looked up, not computed: that would cost
    /// milliseconds at each start, and a test holds the two together.
    pub(super) fn sha256(&self) -> &str {
        if let Some(sum) = &self.sha256 {
            return sum;
        }
        let file_name = |line: &'static str| line.split_once("  ")?.1.strip_suffix(".wasm");
        CHECKSUMS
            .lines()
            .find(|line| file_name(line) == Some(self.name))
            .and_then(|line| line.get(..64))
            .unwrap_or("unknown")
    }
}

/// SHA-256 in hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // The checksum names the compiled code in the cache: a wrong one would load the code of another guest.
    #[test]
    fn checksums_are_those_of_the_guests() {
        for artifact in [&BOA, &QUICKJS, &TYPESCRIPT] {
            assert_eq!(
                artifact.sha256(),
                sha256(&artifact.wasm),
                "{}: run `cargo xtask guests`",
                artifact.name
            );
        }
    }
}
