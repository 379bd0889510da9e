//! The TypeScript guest: turns the body of an async function from TypeScript into JavaScript.
//!
//! Types that can be erased are blanked in place, so every other character keeps its line and column ([`blank`]).
//! What needs code of its own (`enum`, `namespace` with values, parameter properties) or can't be blanked safely is
//! compiled by oxc's transformer and printed with a source map ([`compile`]). Both are in one guest although the
//! transformer is two thirds of its size: a library's compiler is better than one of our own, and programs that
//! need no compiling never touch those pages.
//!
//! The crate is a wasm guest (`cargo xtask guests typescript`) and a plain library for the tests.

mod blank;
mod compile;
mod diagnose;
mod edit;
mod nesting;
mod place;
mod strip;
mod text;

#[cfg(target_family = "wasm")]
mod guest;

pub use place::Place;
pub use strip::{Diagnostic, Mapping, Stripped, Stripper};
