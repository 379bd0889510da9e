//! Counts a run's output exactly and keeps the lines that fit.

use crate::code_runtime::{CodeLimits, Limit, LimitHit, LimitUnit, LogLevel, LogLine};

/// The logs of a run, bounded in bytes and in lines. Line feeds between the lines count, as they do in the rendered output.
#[derive(Debug)]
pub(super) struct Output {
    lines: Vec<LogLine>,
    bytes: u64,
    max_bytes: u64,
    max_lines: u32,
}

/// What became of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// All of it fits.
    Whole,
    /// Only this many bytes of it fit, and the run ends.
    Prefix(usize, LimitHit),
}

impl Output {
    pub(super) fn new(limits: &CodeLimits) -> Self {
        Output {
            lines: Vec::new(),
            bytes: 0,
            max_bytes: limits.output_bytes,
            max_lines: limits.log_lines,
        }
    }

    /// How much of a line of `length` bytes fits. Asked before the line is copied.
    pub(super) fn room_for(&self, length: usize) -> Room {
        if self.lines.len() as u64 >= u64::from(self.max_lines) {
            let hit = LimitHit {
                limit: Limit::Output,
                value: u64::from(self.max_lines),
                unit: LimitUnit::Lines,
            };
            return Room::Prefix(0, hit);
        }
        let feed = u64::from(!self.lines.is_empty());
        let left = self.max_bytes.saturating_sub(self.bytes);
        if (length as u64).saturating_add(feed) <= left {
            Room::Whole
        } else {
            Room::Prefix(
                usize::try_from(left.saturating_sub(feed)).unwrap_or(usize::MAX),
                self.hit(),
            )
        }
    }

    /// Adds a line that fits.
    pub(super) fn push(&mut self, level: LogLevel, text: String) {
        self.bytes += text.len() as u64 + u64::from(!self.lines.is_empty());
        self.lines.push(LogLine { level, text });
    }

    /// Whether a result or an error text of `length` bytes fits beside the logs.
    pub(super) fn fits(&self, length: usize) -> bool {
        self.bytes.saturating_add(length as u64) <= self.max_bytes
    }

    pub(super) fn hit(&self) -> LimitHit {
        LimitHit {
            limit: Limit::Output,
            value: self.max_bytes,
            unit: LimitUnit::Bytes,
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn into_lines(self) -> Vec<LogLine> {
        self.lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(output_bytes: u64, log_lines: u32) -> Output {
        Output::new(&CodeLimits {
            output_bytes,
            log_lines,
            ..CodeLimits::default()
        })
    }

    // SPEC J4
    #[test]
    fn bytes_are_exact_with_line_feeds_between_lines() {
        let mut output = output(7, 100);
        assert_eq!(output.room_for(7), Room::Whole);
        output.push(LogLevel::Info, "abc".to_owned());
        assert_eq!(output.room_for(3), Room::Whole);
        assert_eq!(output.room_for(4), Room::Prefix(3, output.hit()));
        output.push(LogLevel::Info, "def".to_owned());
        assert_eq!(output.bytes(), 7);
        assert!(output.fits(0));
        assert!(!output.fits(1));
        assert_eq!(output.room_for(0), Room::Prefix(0, output.hit()));
    }

    // SPEC J4
    #[test]
    fn empty_lines_are_counted_too() {
        let mut output = output(1000, 2);
        output.push(LogLevel::Info, String::new());
        output.push(LogLevel::Info, String::new());
        let hit = LimitHit {
            limit: Limit::Output,
            value: 2,
            unit: LimitUnit::Lines,
        };
        assert_eq!(output.room_for(0), Room::Prefix(0, hit));
    }
}
