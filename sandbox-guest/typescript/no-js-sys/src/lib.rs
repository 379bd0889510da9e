//! Stands in for `js-sys`, which oxc's list of browsers asks for the date on every wasm target.
//!
//! The real one makes a module import its JavaScript glue; a guest has no such host and may not know the date. Nothing
//! that the guest runs asks for it: a compile target "browsers of the last two years" would.

/// A date that stands still at the start of 1970.
#[derive(Debug)]
pub struct Date;

impl Date {
    /// Milliseconds since 1970: always 0.
    #[must_use]
    pub fn now() -> f64 {
        0.0
    }

    /// The only date.
    #[must_use]
    pub fn new_0() -> Self {
        Self
    }

    /// Does nothing; gives 0.
    pub fn set_time(&self, _milliseconds: f64) -> f64 {
        0.0
    }

    /// Always 1970.
    #[must_use]
    pub fn get_full_year(&self) -> u32 {
        1970
    }

    /// Always 0.
    #[must_use]
    pub fn get_month(&self) -> u32 {
        0
    }

    /// Does nothing; gives 0.
    pub fn set_full_year_with_month(&self, _year: u32, _month: i32) -> f64 {
        0.0
    }
}
