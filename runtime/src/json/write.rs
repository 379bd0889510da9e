//! JSON to text: compact, and pretty with capped indentation.

use std::fmt;

use super::{Array, Json, Object};

/// Columns of indentation that pretty text never exceeds, so that a deep tree stays linear in size.
const MAX_INDENT: usize = 40;
const INDENT: usize = 2;

impl Json {
    /// Appends the compact text: no spaces, keys in their order, only what JSON demands escaped.
    pub fn write_to(&self, out: &mut String) {
        write(self, None, out);
    }

    /// Text for people and models: two spaces a level up to 40 columns, then no further.
    pub fn to_pretty_string(&self) -> String {
        let mut out = String::new();
        write(self, Some(INDENT), &mut out);
        out
    }
}

enum Frame<'a> {
    Array(std::slice::Iter<'a, Json>),
    Object(super::containers::Iter<'a>),
}

fn write(root: &Json, indent: Option<usize>, out: &mut String) {
    let mut stack: Vec<Frame<'_>> = Vec::new();
    open(root, &mut stack, out);
    // True when the innermost container has written nothing yet.
    let mut first = true;
    while let Some(frame) = stack.last_mut() {
        let next = match frame {
            Frame::Array(elements) => elements.next().map(|value| (None, value)),
            Frame::Object(members) => members.next().map(|(key, value)| (Some(key), value)),
        };
        match next {
            Some((key, value)) => {
                if !first {
                    out.push(',');
                }
                new_line(indent, stack.len(), out);
                if let Some(key) = key {
                    write_quoted(out, key);
                    out.push_str(if indent.is_some() { ": " } else { ":" });
                }
                let before = stack.len();
                open(value, &mut stack, out);
                first = stack.len() > before;
            }
            None => {
                let close = if matches!(frame, Frame::Array(_)) {
                    ']'
                } else {
                    '}'
                };
                stack.pop();
                new_line(indent, stack.len(), out);
                out.push(close);
                first = false;
            }
        }
    }
}

fn new_line(indent: Option<usize>, level: usize, out: &mut String) {
    if let Some(indent) = indent {
        out.push('\n');
        out.extend(std::iter::repeat_n(
            ' ',
            level.saturating_mul(indent).min(MAX_INDENT),
        ));
    }
}

/// Writes a scalar or an empty container, or begins a container.
fn open<'a>(value: &'a Json, stack: &mut Vec<Frame<'a>>, out: &mut String) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(true) => out.push_str("true"),
        Json::Bool(false) => out.push_str("false"),
        Json::Number(number) => number.write_to(out),
        Json::String(text) => write_quoted(out, text),
        Json::Array(array) if array.is_empty() => out.push_str("[]"),
        Json::Object(object) if object.is_empty() => out.push_str("{}"),
        Json::Array(array) => {
            out.push('[');
            stack.push(Frame::Array(array.iter()));
        }
        Json::Object(object) => {
            out.push('{');
            stack.push(Frame::Object(object.iter()));
        }
    }
}

/// Appends `text` as a JSON string literal.
pub(crate) fn write_quoted(out: &mut String, text: &str) {
    use std::fmt::Write as _;
    let bytes = text.as_bytes();
    out.reserve(text.len() + 2);
    out.push('"');
    let mut start = 0;
    while let Some(index) = next_escape(bytes, start) {
        out.push_str(&text[start..index]);
        match bytes[index] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            byte => _ = write!(out, "\\u{byte:04x}"),
        }
        start = index + 1;
    }
    out.push_str(&text[start..]);
    out.push('"');
}

/// Where the first byte from `at` on stands that JSON demands escaped. Looks at eight bytes at a time.
fn next_escape(bytes: &[u8], mut at: usize) -> Option<usize> {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    // The high bit of each byte below `limit`. A byte above such a one may be marked for nothing; the lowest mark is true.
    const fn below(word: u64, limit: u64) -> u64 {
        word.wrapping_sub(ONES * limit) & !word & HIGH
    }
    while let Some(chunk) = bytes[at..].first_chunk() {
        let word = u64::from_le_bytes(*chunk);
        let quote = word ^ (ONES * b'"' as u64);
        let backslash = word ^ (ONES * b'\\' as u64);
        let marks = below(word, 0x20) | below(quote, 1) | below(backslash, 1);
        if marks != 0 {
            return Some(at + marks.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    let escaped = |byte: &u8| matches!(byte, 0..0x20 | b'"' | b'\\');
    bytes[at..].iter().position(escaped).map(|index| at + index)
}

/// The compact text; with `{:#}` the pretty one.
impl fmt::Display for Json {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        write(self, formatter.alternate().then_some(INDENT), &mut out);
        formatter.write_str(&out)
    }
}

/// The compact text.
impl fmt::Debug for Json {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl fmt::Display for Array {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, formatter)
    }
}

impl fmt::Display for Object {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, formatter)
    }
}
