//! When a server that failed is started again.

use std::time::Duration;

/// The first pause.
const FIRST: Duration = Duration::from_millis(500);
/// The longest pause.
const LONGEST: Duration = Duration::from_secs(60);
/// Failures in a row after which only a call starts the server again.
const MOST_BY_ITSELF: u32 = 8;
/// A server that ran so long was healthy: its failures are forgotten.
const HEALTHY: Duration = Duration::from_secs(30);

/// Counts failures in a row.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    failures: u32,
}

impl Backoff {
    /// A server that had started ended after `lived`. `answered`: it answered a call since.
    pub(super) fn ended(&mut self, lived: Duration, answered: bool) -> Duration {
        if lived >= HEALTHY || answered {
            self.failures = 0;
        }
        self.failed()
    }

    /// An attempt failed: how long to wait for the next. Doubles up to a minute, and is spread by up to a quarter so that
    /// servers that fell together do not rise together.
    pub(super) fn failed(&mut self) -> Duration {
        let pause = FIRST
            .saturating_mul(1_u32 << self.failures.min(16))
            .min(LONGEST);
        self.failures = self.failures.saturating_add(1);
        pause - pause.mul_f64(0.25 * fraction())
    }

    /// Whether the next attempt waits for a call.
    pub(super) fn is_resigned(&self) -> bool {
        self.failures >= MOST_BY_ITSELF
    }
}

/// A random number from 0 to 1.
fn fraction() -> f64 {
    let mut bytes = [0; 4];
    match getrandom::fill(&mut bytes) {
        Ok(()) => f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX),
        // Spread is a courtesy.
        Err(_) => 0.5,
    }
}

#[cfg(test)]
mod tests {
    use super::{Backoff, LONGEST};
    use std::time::Duration;

    #[test]
    fn doubles_is_bounded_and_is_reset_by_health() {
        let mut backoff = Backoff::default();
        let mut last = Duration::ZERO;
        for attempt in 0..40 {
            let full = (Duration::from_millis(500) * (1 << attempt.min(10))).min(LONGEST);
            last = backoff.failed();
            assert!(
                last <= full && last >= full.mul_f64(0.74),
                "{attempt}: {last:?}"
            );
        }
        assert!(last > Duration::from_secs(40) && backoff.is_resigned());
        assert!(backoff.ended(Duration::from_secs(1), false) > Duration::from_secs(40));
        assert!(backoff.ended(Duration::from_secs(1), true) <= Duration::from_millis(500));
        assert!(!backoff.is_resigned());
        backoff.failed();
        assert!(backoff.ended(Duration::from_secs(31), false) <= Duration::from_millis(500));
    }
}
