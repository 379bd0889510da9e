//! JSON text in and out, one token at a time: the caller keeps its own stack, so no input can exhaust the machine's.

mod read;
mod write;

pub use read::{ReadError, Reader, Token};
pub use write::{LoneSurrogate, write_f64, write_i64, write_short_number, write_str, write_wtf8};

/// The largest integer up to which a double holds every integer: 2^53.
pub const MAX_SAFE_INTEGER: u64 = 1 << 53;

/// Whether a double holds this integer exactly.
#[must_use]
pub fn fits_f64(magnitude: u64) -> bool {
    magnitude <= MAX_SAFE_INTEGER
        || magnitude.trailing_zeros() + 53 >= 64 - magnitude.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_that_a_double_holds() {
        // SPEC A4
        for fits in [
            0,
            1,
            MAX_SAFE_INTEGER,
            MAX_SAFE_INTEGER + 2,
            1 << 63,
            (1 << 63) + (1 << 11),
        ] {
            assert!(fits_f64(fits), "{fits}");
        }
        for lossy in [MAX_SAFE_INTEGER + 1, u64::MAX, (1 << 63) + 1, (1 << 54) + 2] {
            assert!(!fits_f64(lossy), "{lossy}");
        }
    }
}
