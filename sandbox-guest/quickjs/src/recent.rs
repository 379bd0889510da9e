//! A few entries at hand, for keys that come again in the same order: records of a list share their keys.

/// Entries that are kept; later keys are not.
const ENTRIES: usize = 64;

/// A small table. A look-up tries first the entry after the one that was found last.
#[derive(Debug)]
pub(crate) struct Recent<K, V> {
    entries: Vec<(K, V)>,
    next: usize,
}

impl<K, V> Recent<K, V> {
    pub(crate) fn new() -> Self {
        Recent {
            entries: Vec::new(),
            next: 0,
        }
    }

    /// The value of the key that `is` accepts.
    pub(crate) fn find(&mut self, is: impl Fn(&K) -> bool) -> Option<&V> {
        let at = match self.entries.get(self.next) {
            Some((key, _)) if is(key) => self.next,
            _ => self.entries.iter().position(|(key, _)| is(key))?,
        };
        self.next = at + 1;
        Some(&self.entries[at].1)
    }

    /// Keeps an entry while there is room for it.
    pub(crate) fn keep(&mut self, key: K, value: V) {
        if self.entries.len() < ENTRIES {
            self.entries.push((key, value));
            self.next = self.entries.len();
        }
    }
}
