//! The budgets of a run: names, units and defaults in one place.

use std::time::Duration;

const MIB: u64 = 1024 * 1024;

/// The budgets of one run. The first six end the run with a kind of their own, which the program can't catch. Past the others
/// one operation fails; a program that is too long does not start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeLimits {
    /// Time that the guest may really run; waiting costs nothing. Default 60 s. Checked every few milliseconds.
    pub compute: Duration,
    /// Time that may pass from the start of the program to its outcome. It stands still while the program waits for nothing
    /// but a person's approvals. Default 600 s.
    pub wall: Duration,
    /// Linear memory of the guest, its engine included (some 9 MiB; for Python 26), in bytes. Default 256 MiB; at most 4 GiB are
    /// used.
    pub memory_bytes: u64,
    /// Bytes of logs, line feeds between the lines included, plus the JSON text of the result or the text of the error.
    /// Default 64 MiB. Exact. A value may take twice as much of the host's memory. Beside the guest's memory, a run makes the
    /// host's heap grow by four times this at most.
    pub output_bytes: u64,
    /// Calls in the whole run. Default 10,000.
    pub calls: u64,
    /// Lines of logs; one more ends the run as an output limit. Default 100,000.
    pub log_lines: u32,
    /// Calls that may be unsettled at one time; one more rejects in the program. Default 10,000.
    pub pending_calls: u32,
    /// Bytes of argument text that may leave the program at one time; a call past it rejects in the program.
    /// Default 16 MiB.
    pub pending_bytes: u32,
    /// Live timers; one more throws in the program. Default 10,000.
    pub timers: u32,
    /// Levels of nesting in JSON that crosses, either way. Default 10,000.
    pub json_depth: u32,
    /// Bytes of source; a longer program does not start. Default 1 MiB.
    pub source_bytes: u32,
}

impl Default for CodeLimits {
    fn default() -> Self {
        CodeLimits {
            compute: Duration::from_secs(60),
            wall: Duration::from_secs(600),
            memory_bytes: 256 * MIB,
            output_bytes: 64 * MIB,
            calls: 10_000,
            log_lines: 100_000,
            pending_calls: 10_000,
            pending_bytes: 16 * 1024 * 1024,
            timers: 10_000,
            json_depth: 10_000,
            source_bytes: 1024 * 1024,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SPEC J4
    #[test]
    fn defaults_are_those_of_the_contract() {
        let limits = CodeLimits::default();
        assert_eq!(limits.compute, Duration::from_secs(60));
        assert_eq!(limits.wall, Duration::from_secs(600));
        assert_eq!(limits.memory_bytes, 268_435_456);
        assert_eq!(limits.output_bytes, 67_108_864);
        assert_eq!(limits.calls, 10_000);
    }
}
