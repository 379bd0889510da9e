//! Refuses memory past a run's limit, and keeps the peak.

use wasmtime::ResourceLimiter;

use crate::code_runtime::{Limit, LimitHit, LimitUnit};

/// Table elements that a guest may have; the guests have a few thousand and never grow them.
const MAX_TABLE_ELEMENTS: usize = 20_000;

/// Bounds the sum of a guest's linear memories. What the host keeps for a run is bounded elsewhere: logs by the output
/// limit, calls by the pending limits.
#[derive(Debug)]
pub(super) struct MemoryLimiter {
    limit: u64,
    used: u64,
    peak: u64,
    refused: bool,
}

impl MemoryLimiter {
    pub(super) fn new(limit: u64) -> Self {
        MemoryLimiter {
            limit,
            used: 0,
            peak: 0,
            refused: false,
        }
    }

    /// The most memory that was granted at one time, in bytes.
    pub(super) fn peak(&self) -> u64 {
        self.peak
    }

    /// Whether memory was refused since the last call of this.
    pub(super) fn take_refused(&mut self) -> bool {
        std::mem::take(&mut self.refused)
    }

    pub(super) fn hit(&self) -> LimitHit {
        LimitHit {
            limit: Limit::Memory,
            value: self.limit,
            unit: LimitUnit::Bytes,
        }
    }
}

impl ResourceLimiter for MemoryLimiter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let more = desired.saturating_sub(current) as u64;
        let wanted = self.used.saturating_add(more);
        if wanted > self.limit {
            self.refused = true;
            return Ok(false);
        }
        self.used = wanted;
        self.peak = self.peak.max(wanted);
        Ok(true)
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(desired <= MAX_TABLE_ELEMENTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC J4
    #[test]
    fn refuses_past_the_sum_of_all_memories() {
        let mut limiter = MemoryLimiter::new(300);
        assert!(limiter.memory_growing(0, 100, None).unwrap());
        assert!(limiter.memory_growing(0, 100, None).unwrap());
        assert!(limiter.memory_growing(100, 200, None).unwrap());
        assert!(!limiter.take_refused());
        assert!(!limiter.memory_growing(200, 201, None).unwrap());
        assert!(limiter.take_refused());
        assert!(!limiter.take_refused());
        assert_eq!(limiter.peak(), 300);
    }
}
