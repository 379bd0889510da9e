//! Runs a program in the prebuilt QuickJS guest over toy tools and prints each step: a quick look at guest changes,
//! without the host's scheduling and budgets.

use std::path::PathBuf;
use std::time::Instant;

use wasmtime::component::{Component, HasSelf, Linker};
use wasmtime::{Config, Engine, Store};

use self::lockgate::guest::types::{Binding, Limits, State};

wasmtime::component::bindgen!({ path: "../sandbox-guest/wit/program.wit", world: "program-guest" });

const LIMITS: Limits = Limits {
    max_pending_calls: 1000,
    max_pending_bytes: 16 << 20,
    max_timers: 1000,
    max_output_bytes: 1 << 20,
    max_depth: 10_000,
};

struct Host {
    started: Instant,
    quiet: bool,
}

impl ProgramGuestImports for Host {
    fn log(&mut self, level: LogLevel, line: String) {
        if !self.quiet {
            println!("{level:?}: {line}");
        }
    }

    fn wall_clock(&mut self) -> f64 {
        std::time::UNIX_EPOCH
            .elapsed()
            .map_or(0.0, |elapsed| elapsed.as_secs_f64() * 1e6)
    }

    fn monotonic_clock(&mut self) -> f64 {
        self.started.elapsed().as_secs_f64() * 1e6
    }

    fn random(&mut self) -> u64 {
        use std::hash::{BuildHasher, Hasher};
        std::hash::RandomState::new().build_hasher().finish()
    }
}

impl self::lockgate::guest::types::Host for Host {}

pub(super) fn run(programs: &[PathBuf]) -> Result<(), String> {
    let prebuilt = super::root().join("sandbox-guest/prebuilt/quickjs.wasm");
    let mut config = Config::new();
    config.max_wasm_stack(16 << 20).async_stack_size(18 << 20);
    let text = |error: wasmtime::Error| format!("{error:?}");
    let engine = Engine::new(&config).map_err(text)?;
    let component = Component::from_file(&engine, prebuilt).map_err(text)?;
    let mut linker = Linker::new(&engine);
    ProgramGuest::add_to_linker::<_, HasSelf<_>>(&mut linker, |host| host).map_err(text)?;
    for program in programs {
        println!("== {}", program.display());
        let source = std::fs::read_to_string(program)
            .map_err(|error| format!("can't read {}: {error}", program.display()))?;
        let mut store = Store::new(
            &engine,
            Host {
                started: Instant::now(),
                quiet: false,
            },
        );
        let guest = ProgramGuest::instantiate(&mut store, &component, &linker).map_err(text)?;
        if let Err(trap) = drive(&mut store, &guest, &source) {
            println!("trap: {trap:?}");
        }
    }
    Ok(())
}

fn drive(store: &mut Store<Host>, guest: &ProgramGuest, source: &str) -> wasmtime::Result<()> {
    let tools = ["echo", "fail", "sleep", "a-b", "__proto__"]
        .map(String::from)
        .to_vec();
    let program = Program {
        source: source.into(),
        file_name: "program.ts".into(),
        bindings: vec![Binding {
            global: "tools".into(),
            functions: tools.clone(),
        }],
        limits: LIMITS,
    };
    let mut step = guest.call_start(&mut *store, &program)?;
    loop {
        let mut completions = Vec::new();
        for call in &step.calls {
            let name = &tools[call.function as usize];
            println!(
                "call {} {name}({})",
                call.id,
                call.arguments.as_deref().unwrap_or_default()
            );
            completions.push(Completion {
                id: call.id,
                outcome: answer(name, call.arguments.as_deref()),
            });
        }
        match step.state {
            State::Waiting(Some(due)) if completions.is_empty() => {
                let wait = due - store.data_mut().monotonic_clock();
                std::thread::sleep(std::time::Duration::from_micros(wait.max(0.0) as u64));
            }
            State::Waiting(None) if completions.is_empty() => {
                println!("deadlock");
                return Ok(());
            }
            State::Waiting(_) => {}
            State::Done(result) => {
                println!("done: {}", result.as_deref().unwrap_or("(nothing)"));
                return Ok(());
            }
            State::Failed(failure) => {
                println!("failed: {failure:#?}");
                return Ok(());
            }
        }
        step = guest.call_resume(&mut *store, &completions)?;
    }
}

fn answer(name: &str, arguments: Option<&str>) -> Result<String, String> {
    match name {
        "fail" => Err(format!("it failed with {}", arguments.unwrap_or("nothing"))),
        _ => Ok(arguments.unwrap_or("null").to_owned()),
    }
}
