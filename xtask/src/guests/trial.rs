//! Runs a program in a prebuilt program guest over toy tools and prints each step: a quick look at guest changes,
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

/// Runs the programs once and prints their steps, or many times and prints how long one run takes.
pub(super) fn run(programs: &[PathBuf], repeat: Option<usize>, guest: &str) -> Result<(), String> {
    let prebuilt = super::root().join(format!("sandbox-guest/prebuilt/{guest}.wasm"));
    let text = |error: wasmtime::Error| format!("{error:?}");
    let engine = Engine::new(&config(repeat.is_some())).map_err(text)?;
    let component = Component::from_file(&engine, prebuilt).map_err(text)?;
    let mut linker = Linker::new(&engine);
    ProgramGuest::add_to_linker::<_, HasSelf<_>>(&mut linker, |host| host).map_err(text)?;
    let ready =
        ProgramGuestPre::new(linker.instantiate_pre(&component).map_err(text)?).map_err(text)?;
    for program in programs {
        println!("== {}", program.display());
        let source = std::fs::read_to_string(program)
            .map_err(|error| format!("can't read {}: {error}", program.display()))?;
        let mut times = Vec::new();
        let mut calls = 0;
        for _ in 0..repeat.unwrap_or(1) {
            let started = Instant::now();
            let mut store = Store::new(
                &engine,
                Host {
                    started,
                    quiet: repeat.is_some(),
                },
            );
            let guest = ready.instantiate(&mut store).map_err(text)?;
            match drive(&mut store, &guest, &source) {
                Ok(made) => calls = made,
                Err(trap) => println!("trap: {trap:?}"),
            }
            drop(store);
            times.push(started.elapsed().as_secs_f64() * 1e6);
        }
        if repeat.is_some() {
            times.sort_by(f64::total_cmp);
            let median = times[times.len() / 2];
            println!(
                "{median:.1} µs a run (least {:.1}), {calls} calls, {:.2} µs a call",
                times[0],
                median / f64::from(calls.max(1))
            );
        }
    }
    Ok(())
}

fn config(pooled: bool) -> Config {
    let mut config = Config::new();
    config.max_wasm_stack(16 << 20).async_stack_size(18 << 20);
    if pooled {
        let mut pool = wasmtime::PoolingAllocationConfig::default();
        pool.total_memories(4)
            .total_core_instances(16)
            .total_component_instances(4)
            .max_component_instance_size(1 << 20);
        pool.max_memory_size(1 << 30)
            .linear_memory_keep_resident(1 << 20)
            .table_keep_resident(1 << 16);
        pool.pagemap_scan(wasmtime::Enabled::Auto);
        config.allocation_strategy(pool);
    }
    config
}

/// Runs a program to its end and returns how many calls it made.
fn drive(store: &mut Store<Host>, guest: &ProgramGuest, source: &str) -> wasmtime::Result<u32> {
    let quiet = store.data().quiet;
    let mut made = 0;
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
            made += 1;
            let name = &tools[call.function as usize];
            if !quiet {
                println!(
                    "call {} {name}({})",
                    call.id,
                    call.arguments.as_deref().unwrap_or_default()
                );
            }
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
                return Ok(made);
            }
            State::Waiting(_) => {}
            State::Done(result) => {
                if !quiet {
                    println!("done: {}", result.as_deref().unwrap_or("(nothing)"));
                }
                return Ok(made);
            }
            State::Failed(failure) => {
                println!("failed: {failure:#?}");
                return Ok(made);
            }
        }
        step = guest.call_resume(&mut *store, &completions)?;
    }
}

fn answer(name: &str, arguments: Option<&str>) -> Result<String, String> {
    match name {
        "sleep" => Ok("null".into()),
        "fail" => Err(format!("it failed with {}", arguments.unwrap_or("nothing"))),
        _ => Ok(arguments.unwrap_or("null").to_owned()),
    }
}
