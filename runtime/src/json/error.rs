//! What can go wrong with JSON: the kind, the place, and how to mend it.

use std::fmt;

use super::path::{Segment, join, render_path};

/// Why a text, a number or a Rust value is not lossless JSON, or why JSON does not fit a Rust type.
///
/// Displays as `<path>: <what was found>; <the mend>`.
#[derive(Clone)]
pub struct JsonError(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: JsonErrorKind,
    detail: String,
    /// Innermost first: errors of typed conversions collect it on their way out.
    segments: Vec<Segment>,
    root: String,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// The text is not JSON.
    Syntax,
    /// The value nests deeper than the limit.
    Depth,
    /// The text is longer, or its value larger in memory, than the limit.
    Size,
    /// An object has the same key twice.
    DuplicateKey,
    /// A `\u` escape names half of a surrogate pair.
    LoneSurrogate,
    /// The number -0.
    NegativeZero,
    /// NaN or an infinity.
    NonFinite,
    /// A number too large, too small or too long to be held without loss.
    NumberRange,
    /// A Rust map has a key that is no string.
    KeyNotString,
    /// The JSON does not fit the Rust type, or the Rust type refused to be written.
    Mismatch,
}

impl JsonError {
    pub(crate) fn new(kind: JsonErrorKind, detail: String) -> Self {
        Self(Box::new(Inner {
            kind,
            detail,
            segments: Vec::new(),
            root: String::new(),
        }))
    }

    /// What is wrong.
    pub fn kind(&self) -> JsonErrorKind {
        self.0.kind
    }

    /// Where, e.g. `items[3].when`; empty for the whole value. Very long paths are cut in the middle.
    pub fn path(&self) -> String {
        render_path(
            &self.0.root,
            self.0.segments.iter().rev().map(Segment::step),
        )
    }

    /// What was found and how to mend it, without the path.
    pub fn detail(&self) -> &str {
        &self.0.detail
    }

    /// The same error with its path under `root`: `items[3]` becomes `args.items[3]`.
    #[must_use]
    pub fn rooted(mut self, root: &str) -> Self {
        self.0.root = join(root, &self.0.root);
        self
    }

    /// Puts one more step in front of the path.
    pub(crate) fn inside(mut self, segment: Segment) -> Self {
        self.0.segments.push(segment);
        self
    }

    /// Sets the path, outermost step first.
    pub(crate) fn at(mut self, mut segments: Vec<Segment>) -> Self {
        segments.reverse();
        self.0.segments = segments;
        self
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path();
        if path.is_empty() {
            formatter.write_str(self.detail())
        } else {
            write!(formatter, "{path}: {}", self.detail())
        }
    }
}

impl fmt::Debug for JsonError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("JsonError")
            .field("kind", &self.kind())
            .field("path", &self.path())
            .field("detail", &self.detail())
            .finish()
    }
}

impl std::error::Error for JsonError {}

impl serde::de::Error for JsonError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(JsonErrorKind::Mismatch, message.to_string())
    }
}

impl serde::ser::Error for JsonError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(JsonErrorKind::Mismatch, message.to_string())
    }
}
