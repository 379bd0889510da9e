//! A finite JSON number in its one canonical form.

use std::fmt;

use super::{JsonError, JsonErrorKind};

/// A finite number. Integers from -2^63 to 2^64-1 are held exactly, all others as an IEEE double.
///
/// There is one form per number: `1.0` is the integer 1. NaN, the infinities and -0 can't be made.
#[derive(Clone, Copy, PartialEq)]
pub struct Number(Repr);

#[derive(Clone, Copy, PartialEq)]
enum Repr {
    Int(i64),
    /// Only above `i64::MAX`.
    UInt(u64),
    /// Only what is neither of the above.
    Float(f64),
}

// A float is never NaN, so equality is total.
impl Eq for Number {}

const TWO_POW_63: f64 = 9_223_372_036_854_775_808.0;
const TWO_POW_64: f64 = 18_446_744_073_709_551_616.0;

impl Number {
    /// The number as an `i64`, if it is an integer in its range.
    pub fn as_i64(self) -> Option<i64> {
        match self.0 {
            Repr::Int(value) => Some(value),
            Repr::UInt(_) | Repr::Float(_) => None,
        }
    }

    /// The number as a `u64`, if it is an integer in its range.
    pub fn as_u64(self) -> Option<u64> {
        match self.0 {
            Repr::Int(value) => u64::try_from(value).ok(),
            Repr::UInt(value) => Some(value),
            Repr::Float(_) => None,
        }
    }

    /// The nearest double.
    pub fn as_f64(self) -> f64 {
        match self.0 {
            Repr::Int(value) => value as f64,
            Repr::UInt(value) => value as f64,
            Repr::Float(value) => value,
        }
    }

    /// True when the number has no fraction, of whatever size: `3`, `3.0` and `1e300`.
    pub fn is_integer(self) -> bool {
        match self.0 {
            Repr::Int(_) | Repr::UInt(_) => true,
            Repr::Float(value) => value.fract() == 0.0,
        }
    }

    /// True when an IEEE double holds the number without loss. JavaScript has no other numbers.
    pub fn fits_f64_exactly(self) -> bool {
        match self.0 {
            // The magnitude fits when its bits between the first and the last set one are at most 53.
            Repr::Int(value) => fits_53_bits(value.unsigned_abs()),
            Repr::UInt(value) => fits_53_bits(value),
            Repr::Float(_) => true,
        }
    }
}

impl Number {
    /// Appends the number as JSON has it.
    pub(super) fn write_to(self, out: &mut String) {
        match self.0 {
            Repr::Int(value) => out.push_str(itoa::Buffer::new().format(value)),
            Repr::UInt(value) => out.push_str(itoa::Buffer::new().format(value)),
            Repr::Float(value) => out.push_str(ryu::Buffer::new().format_finite(value)),
        }
    }
}

fn fits_53_bits(magnitude: u64) -> bool {
    magnitude == 0 || u64::BITS - magnitude.leading_zeros() - magnitude.trailing_zeros() <= 53
}

impl TryFrom<f64> for Number {
    type Error = JsonError;

    fn try_from(value: f64) -> Result<Self, JsonError> {
        if !value.is_finite() {
            let found = if value.is_nan() {
                "NaN"
            } else if value > 0.0 {
                "Infinity"
            } else {
                "-Infinity"
            };
            return Err(JsonError::new(
                JsonErrorKind::NonFinite,
                format!("{found} is not a JSON number; leave the key out or pass null"),
            ));
        }
        if value == 0.0 && value.is_sign_negative() {
            return Err(negative_zero());
        }
        if value.fract() == 0.0 {
            if (-TWO_POW_63..TWO_POW_63).contains(&value) {
                return Ok(Self(Repr::Int(value as i64)));
            }
            if (TWO_POW_63..TWO_POW_64).contains(&value) {
                return Ok(Self(Repr::UInt(value as u64)));
            }
        }
        Ok(Self(Repr::Float(value)))
    }
}

pub(super) fn negative_zero() -> JsonError {
    JsonError::new(
        JsonErrorKind::NegativeZero,
        "-0 does not survive JSON; pass 0".to_owned(),
    )
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(Repr::Int(value))
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        match i64::try_from(value) {
            Ok(value) => Self(Repr::Int(value)),
            Err(_) => Self(Repr::UInt(value)),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Repr::Int(value) => value.fmt(formatter),
            Repr::UInt(value) => value.fmt(formatter),
            Repr::Float(value) => formatter.write_str(ryu::Buffer::new().format_finite(value)),
        }
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}
