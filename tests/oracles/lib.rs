//! Comparisons with other libraries; see `tests/`. Run with `cargo test --release --manifest-path tests/oracles/Cargo.toml`.
