//! The JavaScript guest: QuickJS-ng behind the world of `wit/program.wit`.
//!
//! `init` makes the engine and runs a warm-up program; a snapshot of the memory that it leaves is what each run starts
//! from. One instance runs one program.

mod bridge;
mod console;
mod engine;
mod failure;
mod from_json;
mod inspect;
mod json;
mod program;
mod random;
mod realm;
mod recent;
mod timers;
mod to_json;
mod warm_up;
mod web;
mod world;

use engine::JsResult;
use world::{Completion, Guest, Program, Step};

/// The guest.
struct QuickJs;

impl Guest for QuickJs {
    fn start(program: Program) -> Step {
        random::reseed();
        program::start(program)
    }

    fn resume(completions: Vec<Completion>) -> Step {
        program::resume(completions)
    }
}

/// Makes the engine and its globals.
fn prepare() -> JsResult<()> {
    engine::start();
    realm::start()?;
    json::install()?;
    bridge::register();
    random::install()?;
    console::install()?;
    timers::install()?;
    web::install()
}
