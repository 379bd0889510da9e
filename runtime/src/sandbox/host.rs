//! What a guest can ask of the host: to print a line, the time, random bits. Nothing else is linked, but `wasi.rs` for the guest
//! that needs it.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, WasmStr};

use super::bindings::program as wit;
use super::limits::MemoryLimiter;
use super::output::{Output, Room};
use super::wasi::Wasi;
use crate::code_runtime::{CodeLimits, LimitHit, LogLevel, LogSink};

/// What the host keeps for one run; the data of the guest's store.
pub(super) struct RunState {
    pub(super) memory: MemoryLimiter,
    pub(super) output: Output,
    /// Set when a line did not fit: the guest is stopped then.
    pub(super) output_hit: Option<LimitHit>,
    pub(super) began: Instant,
    /// For guests that are linked with it.
    pub(super) wasi: Option<Box<Wasi>>,
    random: RandomBits,
    on_log: Option<LogSink>,
}

impl RunState {
    pub(super) fn new(limits: &CodeLimits, on_log: Option<LogSink>, began: Instant) -> Self {
        RunState {
            memory: MemoryLimiter::new(limits.memory_bytes),
            output: Output::new(limits),
            output_hit: None,
            began,
            wasi: None,
            random: RandomBits::default(),
            on_log,
        }
    }

    fn print(&mut self, level: LogLevel, text: String) {
        if let Some(sink) = &self.on_log {
            sink(level, &text);
        }
        self.output.push(level, text);
    }
}

/// Links the imports of the program world.
pub(super) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    let mut root = linker.root();
    // The line is measured where it lies in the guest's memory, and only what fits is copied.
    root.func_wrap(
        "log",
        |mut store: StoreContextMut<'_, RunState>, (level, line): (wit::LogLevel, WasmStr)| {
            let text = line.to_str(&store)?;
            let (text, hit) = match store.data().output.room_for(text.len()) {
                Room::Whole => (text.into_owned(), None),
                Room::Prefix(room, hit) => {
                    (text[..text.floor_char_boundary(room)].to_owned(), Some(hit))
                }
            };
            let state = store.data_mut();
            let Some(hit) = hit else {
                state.print(log_level(level), text);
                return Ok(());
            };
            if !text.is_empty() {
                state.print(log_level(level), text);
            }
            state.output_hit = Some(hit);
            Err(wasmtime::Error::msg("the output limit was reached"))
        },
    )?;
    root.func_wrap("wall-clock", |_: StoreContextMut<'_, RunState>, (): ()| {
        // A clock before 1970 reads as 1970.
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Ok((micros(since),))
    })?;
    root.func_wrap(
        "monotonic-clock",
        |store: StoreContextMut<'_, RunState>, (): ()| Ok((micros(store.data().began.elapsed()),)),
    )?;
    root.func_wrap(
        "random",
        |mut store: StoreContextMut<'_, RunState>, (): ()| Ok((store.data_mut().random.next()?,)),
    )?;
    Ok(())
}

fn log_level(level: wit::LogLevel) -> LogLevel {
    match level {
        wit::LogLevel::Debug => LogLevel::Debug,
        wit::LogLevel::Info => LogLevel::Info,
        wit::LogLevel::Warn => LogLevel::Warn,
        wit::LogLevel::Error => LogLevel::Error,
    }
}

fn micros(duration: std::time::Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

/// Random bits of the operating system, drawn a handful at a time.
#[derive(Default)]
struct RandomBits {
    words: [u64; 16],
    left: usize,
}

impl RandomBits {
    fn next(&mut self) -> wasmtime::Result<u64> {
        if self.left == 0 {
            let mut bytes = [0; 16 * size_of::<u64>()];
            getrandom::fill(&mut bytes).map_err(|error| {
                wasmtime::Error::msg(format!("the system gives no random bits: {error}"))
            })?;
            for (word, chunk) in self.words.iter_mut().zip(bytes.as_chunks().0) {
                *word = u64::from_le_bytes(*chunk);
            }
            self.left = self.words.len();
        }
        self.left -= 1;
        Ok(std::mem::take(&mut self.words[self.left]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC J2
    #[test]
    fn random_bits_differ_within_and_between_runs() {
        let (mut one, mut other) = (RandomBits::default(), RandomBits::default());
        let mut seen: Vec<u64> = (0..40)
            .flat_map(|_| [one.next().unwrap(), other.next().unwrap()])
            .collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 80);
    }
}
