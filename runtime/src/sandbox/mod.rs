//! The WebAssembly sandbox: a [`CodeRuntime`](crate::code_runtime::CodeRuntime) that runs each program in a fresh guest.
//!
//! A guest is an engine for a language, compiled to WebAssembly and started ahead of time; each run copies its memory on
//! write. It has no files, no network, no environment: it can print, read the clock, draw random bits, and call the functions
//! of the request's bindings. The host bounds its compute time, wall time, memory, output and calls. What was stopped is
//! thrown away.
//!
//! ```
//! use lockgate::code_runtime::{CodeLanguage, CodeRequest, CodeRuntime, NoCalls};
//! use lockgate::sandbox::Sandbox;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let sandbox = Sandbox::builder().language(CodeLanguage::JavaScript).build().await?;
//! let program = "console.log('adding'); return 1 + 1";
//! let result = sandbox.run(CodeRequest::new(program, &[], &mut NoCalls)).await?;
//! assert_eq!(result.outcome?, Some(lockgate::json!(2)));
//! assert_eq!(result.logs[0].text, "adding");
//! # Ok(())
//! # }
//! ```
//!
//! Where to look: `runtime.rs` builds, `run.rs` is the loop of one run, `exchange.rs` what passes between guest and calls,
//! `watch.rs` has the clocks, `turns.rs` what long runs share, `host.rs` all that a guest can ask of the host, `fault.rs` what ends it and why, `cache.rs`
//! who may supply compiled code.
//!
//! **Invariants.** No guest is entered twice by two programs. Nothing that a guest says is used before it was checked, nor
//! copied before it was measured. No wasm is compiled that is not built in, or the Python guest in a file that only the user or the
//! system can write.

mod artifacts;
mod bindings;
mod cache;
mod clock;
mod core;
mod engine;
mod error;
mod exchange;
mod fault;
mod frame;
mod globals;
mod host;
mod limits;
mod output;
mod progress;
mod python;
mod run;
mod runtime;
mod source_map;
mod turns;
mod typescript;
mod wasi;
mod watch;

pub use cache::CachePolicy;
pub use error::SandboxError;
pub use progress::{Progress, ProgressSink};
pub use runtime::{Engine, Sandbox, SandboxBuilder};
pub use wasi::MountAccess;
