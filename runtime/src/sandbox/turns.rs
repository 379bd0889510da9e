//! Turns: programs that compute for long share a part of the machine, so that all others find the rest of it free.
//!
//! A guest yields at each tick, but a thread that finds ten guests ready is back at the first one ten ticks later. So a run
//! that has computed for [`LONG`] takes a turn for each tick from then on. There are fewer turns than processors, and a turn is
//! held until its run was scheduled again: whatever else was ready has run by then. One more turn is given while no other
//! program was there to use the last processor.
//!
//! Waiting for a turn costs wall time, and no compute time.

use std::future::Future;
use std::pin::Pin;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::sync::{AcquireError, Semaphore, SemaphorePermit};

/// Compute time from which on a run takes turns.
pub(super) const LONG: Duration = Duration::from_millis(8);
/// How long no other program must have run for the last turn to be given.
const QUIET: Duration = Duration::from_millis(20);
/// How long a turn may keep others waiting without being handed on: its run may not be polled any more.
const STUCK: Duration = Duration::from_millis(50);

/// The turns of this process.
pub(super) static TURNS: LazyLock<Turns> = LazyLock::new(|| {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    Turns::new(processors)
});

/// The turns that there are.
#[derive(Debug)]
pub(super) struct Turns {
    always: Semaphore,
    /// Given while it is quiet.
    last: Semaphore,
    /// How many turns were taken.
    taken: AtomicU64,
    origin: Instant,
    /// When a run that takes no turns was last entered, in milliseconds after the origin.
    short: AtomicU64,
}

impl Turns {
    fn new(processors: usize) -> Self {
        Turns {
            always: Semaphore::new(processors.saturating_sub(1).max(1)),
            last: Semaphore::new(usize::from(processors > 1)),
            taken: AtomicU64::new(0),
            origin: Instant::now(),
            short: AtomicU64::new(0),
        }
    }

    fn millis(&self, now: Instant) -> u64 {
        u64::try_from(now.duration_since(self.origin).as_millis()).unwrap_or(u64::MAX)
    }

    /// Says that a run which takes no turns is entered.
    pub(super) fn short_run(&self, now: Instant) {
        self.short.store(self.millis(now), Ordering::Relaxed);
    }

    fn is_quiet(&self, now: Instant) -> bool {
        let since = self
            .millis(now)
            .saturating_sub(self.short.load(Ordering::Relaxed));
        u128::from(since) >= QUIET.as_millis()
    }
}

type Acquire<'t> =
    Pin<Box<dyn Future<Output = Result<SemaphorePermit<'t>, AcquireError>> + Send + 't>>;

/// The turn of one run. Dropping it hands it on.
pub(super) struct Turn<'t> {
    turns: &'t Turns,
    held: Option<SemaphorePermit<'t>>,
    waiting: Option<Waiting<'t>>,
}

struct Waiting<'t> {
    acquire: Acquire<'t>,
    /// The turns that were taken when this last looked, and when it looks again.
    taken: u64,
    looks: Instant,
}

impl<'t> Turn<'t> {
    pub(super) fn of(turns: &'t Turns) -> Self {
        Turn {
            turns,
            held: None,
            waiting: None,
        }
    }

    /// Hands the turn on that the run had, and waits for the next one.
    pub(super) fn poll_next(&mut self, now: Instant, cx: &mut Context<'_>) -> Poll<()> {
        let turns = self.turns;
        let mut waiting = match self.waiting.take() {
            Some(waiting) => waiting,
            None => {
                self.held = None;
                if turns.is_quiet(now)
                    && let Ok(turn) = turns.last.try_acquire()
                {
                    return self.take(Some(turn));
                }
                Waiting {
                    acquire: Box::pin(turns.always.acquire()),
                    taken: turns.taken.load(Ordering::Relaxed),
                    looks: now + STUCK,
                }
            }
        };
        match waiting.acquire.as_mut().poll(cx) {
            // Nothing closes the semaphore.
            Poll::Ready(turn) => return self.take(turn.ok()),
            Poll::Pending if now >= waiting.looks => {
                let taken = turns.taken.load(Ordering::Relaxed);
                if taken == waiting.taken {
                    return self.take(None);
                }
                waiting.taken = taken;
                waiting.looks = now + STUCK;
            }
            Poll::Pending => {}
        }
        self.waiting = Some(waiting);
        Poll::Pending
    }

    fn take(&mut self, turn: Option<SemaphorePermit<'t>>) -> Poll<()> {
        self.turns.taken.fetch_add(1, Ordering::Relaxed);
        self.held = turn;
        Poll::Ready(())
    }

    /// When a run that waits has to ask again, woken or not.
    pub(super) fn asks_again(&self) -> Option<Instant> {
        self.waiting.as_ref().map(|waiting| waiting.looks)
    }

    /// Hands the turn on, or waits for none any more.
    pub(super) fn end(&mut self) {
        self.held = None;
        self.waiting = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Waker;

    fn poll(turn: &mut Turn<'_>, now: Instant) -> bool {
        turn.poll_next(now, &mut Context::from_waker(Waker::noop()))
            .is_ready()
    }

    // SPEC J4
    #[test]
    fn turns_go_round_in_the_order_of_asking() {
        let turns = Turns::new(2);
        let now = Instant::now();
        turns.short_run(now);
        let mut runs: Vec<Turn<'_>> = (0..3).map(|_| Turn::of(&turns)).collect();
        assert!(poll(&mut runs[0], now));
        assert!(!poll(&mut runs[1], now));
        assert!(!poll(&mut runs[2], now));
        // The first comes back: the second is next, and the first waits behind the third.
        assert!(!poll(&mut runs[0], now));
        assert!(poll(&mut runs[1], now));
        assert!(!poll(&mut runs[2], now));
        // One that waits for its tools has no turn.
        runs[1].end();
        assert!(poll(&mut runs[2], now));
        // One that was dropped while it waited or ran keeps nobody waiting.
        let mut last = runs.pop();
        runs.remove(0);
        assert!(!poll(&mut runs[0], now));
        last.take();
        assert!(poll(&mut runs[0], now));
    }

    // SPEC J4
    #[test]
    fn the_last_processor_is_free_for_others_while_there_are_any() {
        let turns = Turns::new(2);
        let now = Instant::now();
        let (mut one, mut other) = (Turn::of(&turns), Turn::of(&turns));
        let later = now + QUIET * 2;
        assert!(poll(&mut one, later) && poll(&mut other, later), "quiet");
        turns.short_run(later);
        assert!(
            poll(&mut other, later),
            "it had the turn that is always there"
        );
        assert!(
            !poll(&mut one, later),
            "not quiet: the last turn is not given"
        );
        let one_processor = Turns::new(1);
        let (mut one, mut other) = (Turn::of(&one_processor), Turn::of(&one_processor));
        assert!(poll(&mut one, later) && !poll(&mut other, later));
    }

    // SPEC J4
    #[test]
    fn a_run_that_nobody_polls_keeps_nobody_waiting_for_ever() {
        let turns = Turns::new(1);
        let now = Instant::now();
        let (mut held, mut waits) = (Turn::of(&turns), Turn::of(&turns));
        assert!(poll(&mut held, now));
        assert!(!poll(&mut waits, now));
        assert_eq!(waits.asks_again(), Some(now + STUCK));
        assert!(poll(&mut waits, now + STUCK));
    }
}
