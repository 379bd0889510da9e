//! The `lockgate` command line.
fn main() {}
