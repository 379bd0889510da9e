//! Lossless JSON: one immutable, cheaply cloned value type, and everything that reads or writes it.
//!
//! Whatever crosses a boundary of the crate is a [`Json`]. A value never changes after it was made, so a clone is a
//! snapshot. No operation recurses over the value: parse, print, compare and drop work on 10,000 levels and more.

mod containers;
mod convert;
mod de;
mod error;
mod handover;
mod macros;
mod number;
mod parse;
mod path;
mod ser;
mod write;

use std::sync::Arc;

pub use containers::{Array, Iter as ObjectIter, Object};
#[doc(hidden)]
pub use convert::IntoJson;
pub use error::{JsonError, JsonErrorKind};
pub use number::Number;
pub use parse::ParseOptions;
pub(crate) use path::{Segment, Step, join, render_path};
pub(crate) use write::write_quoted;

/// The deepest nesting that [`Json::parse`] accepts by default, in levels. A scalar has none, `[]` has one.
pub const MAX_DEPTH: usize = 10_000;

/// The deepest nesting that crosses between [`Json`] and a Rust type through serde, in levels.
///
/// Code that serde derives recurses once per level, so deeper data is an error instead of a stack overflow. A field of
/// type [`Json`] counts as one level, however deep it is.
pub const MAX_TYPED_DEPTH: usize = 256;

/// A JSON value: immutable, cheap to clone, and safe to build, compare, print and drop at any depth.
///
/// Two objects are equal when they have the same members, in whatever order. Numbers are equal when they are the same
/// number: `1`, `1.0` and `1e0` are one value.
///
/// ```
/// use lockgate::{Json, json};
///
/// let value = Json::parse(r#"{"path": "notes.md", "lines": [1, 2]}"#)?;
/// assert_eq!(value["lines"][1].as_i64(), Some(2));
/// assert_eq!(value, json!({"lines": [1, 2], "path": "notes.md"}));
/// # Ok::<(), lockgate::JsonError>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Json {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A finite number.
    Number(Number),
    /// Text. Rust strings hold no lone surrogates, so neither does this.
    String(Arc<str>),
    /// An ordered list.
    Array(Array),
    /// Members in the order in which they were added.
    Object(Object),
}

impl Json {
    /// An object without members.
    pub const fn empty_object() -> Self {
        Self::Object(Object::new())
    }

    /// An array without elements.
    pub const fn empty_array() -> Self {
        Self::Array(Array::new())
    }

    /// True for `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The truth value, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The number, if this is one.
    pub fn as_number(&self) -> Option<Number> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The number as an `i64`, if this is an integer in its range.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number().and_then(Number::as_i64)
    }

    /// The number as a `u64`, if this is an integer in its range.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number().and_then(Number::as_u64)
    }

    /// The number as the nearest `f64`, if this is a number. See [`Number::fits_f64_exactly`].
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number().map(Number::as_f64)
    }

    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The elements, if this is an array.
    pub fn as_array(&self) -> Option<&Array> {
        match self {
            Self::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The members, if this is an object.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The member `key`, if this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.as_object()?.get(key)
    }

    /// The element `index`, if this is an array that has it.
    pub fn get_index(&self, index: usize) -> Option<&Json> {
        self.as_array()?.get(index)
    }

    /// The value at an RFC 6901 pointer, e.g. `/items/3/when`; the empty pointer is this value.
    pub fn pointer(&self, pointer: &str) -> Option<&Json> {
        if pointer.is_empty() {
            return Some(self);
        }
        let mut value = self;
        for raw in pointer.strip_prefix('/')?.split('/') {
            value = match value {
                Self::Object(object) if raw.contains('~') => {
                    object.get(&raw.replace("~1", "/").replace("~0", "~"))?
                }
                Self::Object(object) => object.get(raw)?,
                Self::Array(array) => array.get(raw.parse::<usize>().ok()?)?,
                _ => return None,
            };
        }
        Some(value)
    }

    /// What kind of value this is, in JSON's words: `null`, `boolean`, `number`, `string`, `array` or `object`.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }

    /// How deeply this value nests: 0 for a scalar, 1 for `[]` or `{"a": 1}`.
    pub fn depth(&self) -> usize {
        let mut deepest = 0;
        let mut stack = vec![(self, 0_usize)];
        while let Some((value, above)) = stack.pop() {
            match value {
                Self::Array(array) => {
                    deepest = deepest.max(above + 1);
                    stack.extend(
                        array
                            .iter()
                            .filter(|child| child.is_container())
                            .map(|child| (child, above + 1)),
                    );
                }
                Self::Object(object) => {
                    deepest = deepest.max(above + 1);
                    stack.extend(
                        object
                            .values()
                            .filter(|child| child.is_container())
                            .map(|child| (child, above + 1)),
                    );
                }
                _ => {}
            }
        }
        deepest
    }

    pub(crate) fn is_container(&self) -> bool {
        matches!(self, Self::Array(_) | Self::Object(_))
    }
}

/// The member `key`, or `null` where there is none.
impl std::ops::Index<&str> for Json {
    type Output = Json;

    fn index(&self, key: &str) -> &Json {
        self.get(key).unwrap_or(&Json::Null)
    }
}

/// The element `index`, or `null` where there is none.
impl std::ops::Index<usize> for Json {
    type Output = Json;

    fn index(&self, index: usize) -> &Json {
        self.get_index(index).unwrap_or(&Json::Null)
    }
}

#[cfg(test)]
pub(crate) mod tests;
