//! Benchmarks of the library through its public API, and of its peers in the same run. Linux only: `/proc` says what a process
//! tree used.

pub mod driver;
pub mod ours;
pub mod process_tree;
pub mod stats;
pub mod subject;
pub mod svg;
pub mod target;
pub mod work;
