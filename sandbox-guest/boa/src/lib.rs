//! The pure-Rust JavaScript guest: Boa behind the world of `wit/program.wit`.
//!
//! Only the engine and the world are its own. Everything else is the QuickJS guest's source over the same names of
//! `crate::engine`, so that a program meets the same bridge, console, errors and globals in both.

#[path = "../../quickjs/src/bridge.rs"]
mod bridge;
#[path = "../../quickjs/src/console.rs"]
mod console;
mod engine;
mod entropy;
#[path = "../../quickjs/src/failure.rs"]
mod failure;
#[path = "../../quickjs/src/from_json.rs"]
mod from_json;
#[path = "../../quickjs/src/inspect.rs"]
mod inspect;
#[path = "../../quickjs/src/json.rs"]
mod json;
mod memory;
#[path = "../../quickjs/src/program.rs"]
mod program;
#[path = "../../quickjs/src/random.rs"]
mod random;
#[path = "../../quickjs/src/realm.rs"]
mod realm;
#[path = "../../quickjs/src/recent.rs"]
mod recent;
#[path = "../../quickjs/src/timers.rs"]
mod timers;
#[path = "../../quickjs/src/to_json.rs"]
mod to_json;
#[path = "../../quickjs/src/warm_up.rs"]
mod warm_up;
#[path = "../../quickjs/src/web/mod.rs"]
mod web;
mod world;

use engine::JsResult;
use world::{Completion, Guest, Program, Step};

/// The guest.
struct Boa;

impl Guest for Boa {
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
    engine::complete_globals()?;
    realm::start()?;
    json::install()?;
    bridge::register();
    random::install()?;
    console::install()?;
    timers::install()?;
    web::install()
}
