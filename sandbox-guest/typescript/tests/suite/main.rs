//! The suite of the TypeScript guest, run natively.

mod soup;
mod strip;
mod support;
