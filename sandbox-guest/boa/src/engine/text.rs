//! The texts and the bytes that values hold.

use boa_engine::builtins::typed_array::TypedArray;
use boa_engine::object::builtins::{JsArrayBuffer, JsTypedArray};
use boa_engine::string::JsStrVariant;

use super::context::context;
use super::value::{Kind, Value};

impl Value {
    /// Gives the string's bytes, WTF-8, to `read`.
    pub(crate) fn with_bytes<T>(&self, read: impl FnOnce(&[u8]) -> T) -> Option<T> {
        let text = self.js().as_string()?;
        let bytes = match text.variant() {
            JsStrVariant::Latin1(bytes) if bytes.is_ascii() => return Some(read(bytes)),
            JsStrVariant::Latin1(bytes) => latin1_to_text(bytes).into_bytes(),
            JsStrVariant::Utf16(units) => utf16_to_wtf8(units),
        };
        Some(read(&bytes))
    }

    /// Gives the string's UTF-16 code units to `read`.
    pub(crate) fn with_utf16<T>(&self, read: impl FnOnce(&[u16]) -> T) -> Option<T> {
        let text = self.js().as_string()?;
        Some(match text.variant() {
            JsStrVariant::Latin1(_) => read(&text.to_vec()),
            JsStrVariant::Utf16(units) => read(units),
        })
    }

    /// The text of a string; lone surrogates become U+FFFD. Empty for everything else.
    pub(crate) fn to_text(&self) -> String {
        self.js()
            .as_string()
            .map(|text| text.to_std_string_lossy())
            .unwrap_or_default()
    }

    /// As [`Value::to_text`], but little more than the first `max_bytes` of a longer text: a giant string is not copied.
    pub(crate) fn to_text_within(&self, max_bytes: usize) -> String {
        if self.kind() != Kind::String {
            return String::new();
        }
        let Some(text) = self.js().as_string() else {
            return String::new();
        };
        // A code unit makes at least one byte. Four more tell that the text was cut.
        let end = max_bytes.saturating_add(4).min(text.len());
        match text.variant() {
            JsStrVariant::Latin1(bytes) => {
                bytes[..end].iter().map(|&byte| char::from(byte)).collect()
            }
            JsStrVariant::Utf16(units) => String::from_utf16_lossy(&units[..end]),
        }
    }

    pub(crate) fn is_typed_array(&self) -> bool {
        self.js()
            .as_object()
            .is_some_and(|object| object.is::<TypedArray>())
    }

    /// Gives the bytes of an `ArrayBuffer` or of the part of one that a typed array shows to `read`.
    pub(crate) fn with_buffer<T>(&self, read: impl FnOnce(&mut [u8]) -> T) -> Option<T> {
        let object = self.js().as_object()?;
        let (buffer, range) = match JsTypedArray::from_object(object.clone()) {
            Ok(array) => {
                let (buffer, offset, length) = context(|context| {
                    Some((
                        array.buffer(context).ok()?.as_object()?,
                        array.byte_offset(context).ok()?,
                        array.byte_length(context).ok()?,
                    ))
                })?;
                (buffer, Some(offset..offset + length))
            }
            Err(_) => (object, None),
        };
        let buffer = JsArrayBuffer::from_object(buffer).ok()?;
        let Some(mut bytes) = buffer.data_mut() else {
            return Some(read(&mut []));
        };
        match range {
            Some(range) => Some(read(bytes.get_mut(range)?)),
            None => Some(read(&mut bytes)),
        }
    }
}

fn latin1_to_text(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

fn utf16_to_wtf8(units: &[u16]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(units.len());
    for unit in char::decode_utf16(units.iter().copied()) {
        match unit {
            Ok(char) => bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
            Err(lone) => {
                let unit = lone.unpaired_surrogate();
                bytes.extend([
                    0xe0 | (unit >> 12) as u8,
                    0x80 | (unit >> 6 & 0x3f) as u8,
                    0x80 | (unit & 0x3f) as u8,
                ]);
            }
        }
    }
    bytes
}
