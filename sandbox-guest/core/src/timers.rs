//! The timers of a program: due time first, then the order in which they were set.

use std::collections::{BTreeMap, HashMap};

/// The longest delay, as in browsers and Node: 2^31 - 1 milliseconds.
const MAX_DELAY_MS: f64 = 2_147_483_647.0;

/// Timers that carry a `T` each.
#[derive(Debug)]
pub struct Timers<T> {
    queue: BTreeMap<(u64, u64), u32>,
    live: HashMap<u32, Timer<T>>,
    next_id: u32,
    next_order: u64,
}

#[derive(Debug)]
struct Timer<T> {
    key: (u64, u64),
    /// Microseconds between two runs of a repeating timer.
    every: Option<u64>,
    what: T,
}

/// What `fire` found due.
#[derive(Debug, PartialEq, Eq)]
pub enum Due<T> {
    /// A timer that ran for the last time.
    Once(T),
    /// A timer that will run again; look it up with [`Timers::get`].
    Again(u32),
}

impl<T> Default for Timers<T> {
    fn default() -> Self {
        Timers {
            queue: BTreeMap::new(),
            live: HashMap::new(),
            next_id: 1,
            next_order: 0,
        }
    }
}

impl<T> Timers<T> {
    /// Timers that are set.
    #[must_use]
    pub fn len(&self) -> usize {
        self.live.len()
    }

    /// Whether no timer is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    /// Sets a timer and returns its id. `delay_ms` may be anything: NaN and negative numbers are 1 ms as in Node, too
    /// long ones are the longest. `now` is in microseconds.
    pub fn set(&mut self, now: u64, delay_ms: f64, repeat: bool, what: T) -> u32 {
        let delay_ms = if delay_ms >= 1.0 {
            delay_ms.min(MAX_DELAY_MS)
        } else {
            1.0
        };
        let delay = (delay_ms * 1000.0) as u64;
        let id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1).max(1);
        let key = self.enqueue(now.saturating_add(delay), id);
        self.live.insert(
            id,
            Timer {
                key,
                every: repeat.then_some(delay),
                what,
            },
        );
        id
    }

    fn enqueue(&mut self, due: u64, id: u32) -> (u64, u64) {
        let key = (due, self.next_order);
        self.next_order += 1;
        self.queue.insert(key, id);
        key
    }

    /// Unsets a timer. Unknown ids do nothing.
    pub fn clear(&mut self, id: u32) -> Option<T> {
        let timer = self.live.remove(&id)?;
        self.queue.remove(&timer.key);
        Some(timer.what)
    }

    /// What a set timer carries.
    #[must_use]
    pub fn get(&self, id: u32) -> Option<&T> {
        self.live.get(&id).map(|timer| &timer.what)
    }

    /// When the next timer is due, in microseconds.
    #[must_use]
    pub fn next_due(&self) -> Option<u64> {
        self.queue.first_key_value().map(|(&(due, _), _)| due)
    }

    /// Takes the next timer that is due at `now`. A repeating one is queued again from `now`, so that a program that
    /// is late does not run it many times in a row.
    pub fn fire(&mut self, now: u64) -> Option<Due<T>> {
        let (&key, &id) = self.queue.first_key_value()?;
        if key.0 > now {
            return None;
        }
        self.queue.remove(&key);
        match self.live.get(&id)?.every {
            None => self.live.remove(&id).map(|timer| Due::Once(timer.what)),
            Some(every) => {
                let key = self.enqueue(now.saturating_add(every), id);
                self.live.get_mut(&id)?.key = key;
                Some(Due::Again(id))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn due_time_then_order() {
        let mut timers = Timers::default();
        timers.set(0, 5.0, false, "b");
        timers.set(0, 1.0, false, "a");
        timers.set(0, 5.0, false, "c");
        assert_eq!(timers.fire(999), None);
        assert_eq!(timers.next_due(), Some(1000));
        let fired: Vec<_> = std::iter::from_fn(|| timers.fire(5000)).collect();
        assert_eq!(fired, [Due::Once("a"), Due::Once("b"), Due::Once("c")]);
        assert!(timers.is_empty());
    }

    #[test]
    fn delays_are_clamped() {
        for (delay, due) in [
            (f64::NAN, 1000),
            (-1.0, 1000),
            (0.0, 1000),
            (1e12, 2_147_483_647_000),
            (2f64.powi(31), 2_147_483_647_000),
            (f64::INFINITY, 2_147_483_647_000),
        ] {
            let mut timers = Timers::default();
            timers.set(0, delay, false, ());
            assert_eq!(timers.next_due(), Some(due), "{delay}");
        }
    }

    #[test]
    fn repeating_timers_run_until_cleared() {
        let mut timers = Timers::default();
        let id = timers.set(0, 10.0, true, "tick");
        assert_eq!(timers.fire(10_000), Some(Due::Again(id)));
        assert_eq!(timers.fire(10_000), None);
        assert_eq!(timers.next_due(), Some(20_000));
        assert_eq!(timers.clear(id), Some("tick"));
        assert_eq!(timers.clear(id), None);
        assert_eq!(timers.next_due(), None);
    }
}
