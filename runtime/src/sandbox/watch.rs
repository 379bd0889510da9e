//! Watches a run: its compute and wall time, its signal, and the disposal of its runtime.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::time::Sleep;
use tokio_util::sync::CancellationToken;

use super::clock::EpochClock;
use super::turns::{self, TURNS, Turn};
use crate::code_runtime::CodeLimits;

/// Why the host stopped a guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Compute,
    Wall,
    Signal,
    Disposed,
}

/// How a guest that was entered did not come back by itself.
#[derive(Debug)]
pub(super) enum Interrupted {
    Stopped(Stop),
    Trapped(wasmtime::Error),
}

/// Ends when a signal fires.
pub(super) type Fired<'r> = Pin<&'r mut (dyn Future<Output = ()> + Send + 'r)>;

/// The two clocks of a run and the two signals that end it.
pub(super) struct Watch<'r> {
    clock: &'r EpochClock,
    turn: Turn<'static>,
    signal: &'r CancellationToken,
    disposed: &'r CancellationToken,
    signal_fired: Fired<'r>,
    disposal_fired: Fired<'r>,
    began: Instant,
    compute: Duration,
    max_compute: Duration,
    /// None where the limit is further away than time can say.
    deadline: Option<Instant>,
    /// Since when the wall clock stands still.
    held: Option<Instant>,
    /// Made at the first wait that is one, and used again.
    sleep: Option<Pin<Box<Sleep>>>,
}

impl<'r> Watch<'r> {
    /// Starts both clocks.
    pub(super) fn start(
        clock: &'r EpochClock,
        limits: &CodeLimits,
        (signal, signal_fired): (&'r CancellationToken, Fired<'r>),
        (disposed, disposal_fired): (&'r CancellationToken, Fired<'r>),
    ) -> Self {
        let began = Instant::now();
        Watch {
            clock,
            turn: Turn::of(&TURNS),
            signal,
            disposed,
            signal_fired,
            disposal_fired,
            began,
            compute: Duration::ZERO,
            max_compute: limits.compute,
            deadline: began.checked_add(limits.wall),
            held: None,
            sleep: None,
        }
    }

    /// Starts the wall clock again: what passed until now was waiting for a free slot.
    pub(super) fn restart(&mut self, limits: &CodeLimits) {
        self.began = Instant::now();
        self.deadline = self.began.checked_add(limits.wall);
    }

    /// Stops the wall clock, or lets it go on.
    pub(super) fn hold(&mut self, still: bool) {
        if still {
            self.held.get_or_insert_with(Instant::now);
        } else if let Some(since) = self.held.take() {
            let deadline = self.deadline;
            self.deadline = deadline.and_then(|deadline| deadline.checked_add(since.elapsed()));
        }
    }

    /// When the wall limit ends the run, as things stand.
    fn deadline(&self) -> Option<Instant> {
        self.deadline.filter(|_| self.held.is_none())
    }

    pub(super) fn began(&self) -> Instant {
        self.began
    }

    pub(super) fn compute(&self) -> Duration {
        self.compute
    }

    /// Whether the run has to end now.
    pub(super) fn check(&self) -> Result<(), Stop> {
        if self.disposed.is_cancelled() {
            Err(Stop::Disposed)
        } else if self.signal.is_cancelled() {
            Err(Stop::Signal)
        } else if self.compute > self.max_compute {
            Err(Stop::Compute)
        } else if self
            .deadline()
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            Err(Stop::Wall)
        } else {
            Ok(())
        }
    }

    /// Runs the guest until it comes back. At each tick it pauses: `between` may then do other work of the same task, and
    /// the guest is dropped where a budget is used up. A run that has computed for long waits for its turn first.
    pub(super) async fn drive<T>(
        &mut self,
        guest: impl Future<Output = wasmtime::Result<T>>,
        mut between: impl FnMut(&mut Context<'_>),
    ) -> Result<T, Interrupted> {
        let mut guest = pin!(guest);
        let ended = std::future::poll_fn(|cx| {
            let entered = Instant::now();
            let has_turn = if self.compute < turns::LONG {
                TURNS.short_run(entered);
                true
            } else {
                self.turn.poll_next(entered, cx).is_ready()
            };
            if has_turn {
                let polled = {
                    let _running = self.clock.running();
                    guest.as_mut().poll(cx)
                };
                self.compute += entered.elapsed();
                if let Poll::Ready(ended) = polled {
                    return Poll::Ready(ended.map_err(Interrupted::Trapped));
                }
            }
            if let Err(stop) = self.check() {
                return Poll::Ready(Err(Interrupted::Stopped(stop)));
            }
            between(cx);
            // A guest that waits in a call of the host is woken by that alone.
            match self.poll_until(self.turn.asks_again(), cx) {
                Poll::Ready(Err(stop)) => Poll::Ready(Err(Interrupted::Stopped(stop))),
                Poll::Ready(Ok(())) => {
                    cx.waker().wake_by_ref();
                    Poll::Pending
                }
                Poll::Pending => Poll::Pending,
            }
        })
        .await;
        self.turn.end();
        ended
    }

    /// Waits until one of the two signals fires.
    pub(super) fn poll_signals(&mut self, cx: &mut Context<'_>) -> Poll<Stop> {
        if self.disposal_fired.as_mut().poll(cx).is_ready() {
            Poll::Ready(Stop::Disposed)
        } else if self.signal_fired.as_mut().poll(cx).is_ready() {
            Poll::Ready(Stop::Signal)
        } else {
            Poll::Pending
        }
    }

    /// Waits until `due`, or until the run has to end.
    pub(super) fn poll_until(
        &mut self,
        due: Option<Instant>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), Stop>> {
        if let Poll::Ready(stop) = self.poll_signals(cx) {
            return Poll::Ready(Err(stop));
        }
        let now = Instant::now();
        if self.deadline().is_some_and(|deadline| now >= deadline) {
            return Poll::Ready(Err(Stop::Wall));
        }
        if due.is_some_and(|due| now >= due) {
            return Poll::Ready(Ok(()));
        }
        let Some(until) = [due, self.deadline()].into_iter().flatten().min() else {
            return Poll::Pending;
        };
        let until_tokio = tokio::time::Instant::from_std(until);
        let sleep = self
            .sleep
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(until_tokio)));
        if sleep.deadline() != until_tokio {
            sleep.as_mut().reset(until_tokio);
        }
        match sleep.as_mut().poll(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(()) => {
                self.sleep = None;
                Poll::Ready(if due == Some(until) {
                    Ok(())
                } else {
                    Err(Stop::Wall)
                })
            }
        }
    }
}
