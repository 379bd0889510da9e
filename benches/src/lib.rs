//! Benchmarks of the library through its public API.
