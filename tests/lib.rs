//! End-to-end suites through the public API; see `suite/`.
