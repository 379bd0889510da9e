//! The epoch clock: one thread per engine, which ticks only while guests run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

use wasmtime::Engine;

use super::error::SandboxError;

/// Time between two ticks. A running guest yields at each, so that its budget is checked and other tasks go on.
pub(super) const TICK: Duration = Duration::from_millis(2);
/// Ticks without any guest after which the thread goes to sleep; waking it costs a system call.
const IDLE_TICKS: u32 = 50;

/// Advances the epoch of an engine while guests run in it.
#[derive(Debug)]
pub(super) struct EpochClock {
    shared: Arc<Shared>,
    thread: Thread,
}

#[derive(Debug, Default)]
struct Shared {
    /// How often a guest was entered, and how often it was left. Guests run while the two differ.
    entered: AtomicU64,
    left: AtomicU64,
    asleep: AtomicBool,
    stopped: AtomicBool,
}

impl EpochClock {
    /// Starts the thread. It ends when the clock is dropped.
    pub(super) fn start(engine: &Engine) -> Result<Self, SandboxError> {
        let shared = Arc::new(Shared::default());
        let ticking = Arc::clone(&shared);
        let engine = engine.weak();
        let handle = thread::Builder::new()
            .name("lockgate-epoch".to_owned())
            .spawn(move || {
                ticking.tick(|| match engine.upgrade() {
                    Some(engine) => {
                        engine.increment_epoch();
                        true
                    }
                    None => false,
                });
            })
            .map_err(|error| SandboxError::Engine {
                reason: format!("no thread for the epoch clock: {error}"),
            })?;
        Ok(EpochClock {
            shared,
            thread: handle.thread().clone(),
        })
    }

    /// Says that a guest runs until the returned value is dropped.
    pub(super) fn running(&self) -> Running<'_> {
        self.shared.entered.fetch_add(1, Ordering::SeqCst);
        if self.shared.asleep.load(Ordering::SeqCst) {
            self.thread.unpark();
        }
        Running {
            shared: &self.shared,
        }
    }
}

impl Drop for EpochClock {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        self.thread.unpark();
    }
}

impl Shared {
    fn tick(&self, mut advance: impl FnMut() -> bool) {
        let mut idle = 0;
        let mut seen = 0;
        while !self.stopped.load(Ordering::SeqCst) {
            thread::sleep(TICK);
            if !advance() {
                return;
            }
            let entered = self.entered.load(Ordering::SeqCst);
            if entered != seen || self.left.load(Ordering::SeqCst) != entered {
                seen = entered;
                idle = 0;
                continue;
            }
            idle += 1;
            if idle >= IDLE_TICKS {
                idle = 0;
                self.sleep(entered);
            }
        }
    }

    /// Sleeps until a guest is entered. `running` adds to `entered` before it reads `asleep`, and this reads them in the
    /// other order, so that one of the two always sees the other.
    fn sleep(&self, seen: u64) {
        self.asleep.store(true, Ordering::SeqCst);
        while self.entered.load(Ordering::SeqCst) == seen && !self.stopped.load(Ordering::SeqCst) {
            thread::park();
        }
        self.asleep.store(false, Ordering::SeqCst);
    }
}

/// A guest runs while this lives.
#[derive(Debug)]
pub(super) struct Running<'a> {
    shared: &'a Shared,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.shared.left.fetch_add(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn wait_until(mut condition: impl FnMut() -> bool) -> bool {
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(10) {
            if condition() {
                return true;
            }
            thread::sleep(Duration::from_millis(1));
        }
        false
    }

    // SPEC J4
    #[test]
    fn ticks_while_a_guest_runs_and_sleeps_when_none_does() {
        let shared = Arc::new(Shared::default());
        let ticks = Arc::new(AtomicU64::new(0));
        let handle = {
            let (shared, ticks) = (Arc::clone(&shared), Arc::clone(&ticks));
            thread::spawn(move || shared.tick(|| ticks.fetch_add(1, Ordering::SeqCst) < u64::MAX))
        };
        let clock = EpochClock {
            shared: Arc::clone(&shared),
            thread: handle.thread().clone(),
        };
        assert!(
            wait_until(|| shared.asleep.load(Ordering::SeqCst)),
            "falls asleep"
        );
        let asleep_at = ticks.load(Ordering::SeqCst);
        thread::sleep(TICK * 5);
        assert_eq!(
            ticks.load(Ordering::SeqCst),
            asleep_at,
            "no tick while asleep"
        );
        let running = clock.running();
        assert!(
            wait_until(|| ticks.load(Ordering::SeqCst) > asleep_at + u64::from(IDLE_TICKS) * 2),
            "a guest keeps it awake"
        );
        drop(running);
        assert!(
            wait_until(|| shared.asleep.load(Ordering::SeqCst)),
            "falls asleep again"
        );
        drop(clock);
        assert!(wait_until(|| handle.is_finished()), "ends with the clock");
    }
}
