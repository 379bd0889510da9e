//! The guests that are built in, with the checksums that name them.

/// A guest component in WebAssembly.
#[derive(Debug)]
pub(super) struct Artifact {
    /// The name that progress and errors carry.
    pub(super) name: &'static str,
    /// The component.
    pub(super) wasm: &'static [u8],
}

macro_rules! artifact {
    ($name:literal) => {
        Artifact {
            name: $name,
            wasm: include_bytes!(concat!("../../../sandbox-guest/prebuilt/", $name, ".wasm")),
        }
    };
}

/// QuickJS-ng: runs JavaScript.
pub(super) static QUICKJS: Artifact = artifact!("quickjs");
/// Turns TypeScript into JavaScript.
pub(super) static TYPESCRIPT: Artifact = artifact!("typescript");

/// As written when the guests were built; in the form of `sha256sum`.
static CHECKSUMS: &str = include_str!("../../../sandbox-guest/prebuilt/SHA256SUMS");

impl Artifact {
    /// SHA-256 of the component in hexadecimal digits. It is looked up, not computed: that would cost milliseconds at each
    /// start, and a test holds the two together.
    pub(super) fn sha256(&self) -> &'static str {
        let file_name = |line: &'static str| line.split_once("  ")?.1.strip_suffix(".wasm");
        CHECKSUMS
            .lines()
            .find(|line| file_name(line) == Some(self.name))
            .and_then(|line| line.get(..64))
            .unwrap_or("unknown")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    // The checksum names the compiled code in the cache: a wrong one would load the code of another guest.
    #[test]
    fn checksums_are_those_of_the_guests() {
        for artifact in [&QUICKJS, &TYPESCRIPT] {
            let actual: String = Sha256::digest(artifact.wasm)
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            assert_eq!(
                artifact.sha256(),
                actual,
                "{}: run `cargo xtask guests`",
                artifact.name
            );
        }
    }
}
