//! The texts and the bytes that values hold.
#![expect(unsafe_code, reason = "reads memory of the engine")]

use std::ops::Range;

use rquickjs_sys as qjs;

use super::runtime::context;
use super::value::{Kind, Value};

impl Value {
    /// Gives the string's bytes, WTF-8, to `read`. `None` where there is no memory for them.
    pub(crate) fn with_bytes<T>(&self, read: impl FnOnce(&[u8]) -> T) -> Option<T> {
        debug_assert_eq!(self.kind(), Kind::String);
        let mut length = 0;
        // SAFETY: `self` is a live string, so no code of the program runs. The pointer is valid for `length` bytes
        // until it is freed below.
        unsafe {
            let start = qjs::JS_ToCStringLen2(context(), &mut length, self.raw(), false);
            if start.is_null() {
                drop(super::take_exception());
                return None;
            }
            let result = read(std::slice::from_raw_parts(start.cast(), length as usize));
            qjs::JS_FreeCString(context(), start);
            Some(result)
        }
    }

    /// Gives the string's UTF-16 code units to `read`.
    pub(crate) fn with_utf16<T>(&self, read: impl FnOnce(&[u16]) -> T) -> Option<T> {
        debug_assert_eq!(self.kind(), Kind::String);
        let mut length = 0;
        // SAFETY: as in `with_bytes`.
        unsafe {
            let start = qjs::JS_ToCStringLenUTF16(context(), &mut length, self.raw());
            if start.is_null() {
                drop(super::take_exception());
                return None;
            }
            let result = read(std::slice::from_raw_parts(start, length as usize));
            qjs::JS_FreeCStringUTF16(context(), start);
            Some(result)
        }
    }

    /// The text of a string; lone surrogates become U+FFFD. Empty for everything else.
    pub(crate) fn to_text(&self) -> String {
        if self.kind() != Kind::String {
            return String::new();
        }
        self.with_bytes(|bytes| String::from_utf8_lossy(bytes).into_owned())
            .unwrap_or_default()
    }

    /// As [`Value::to_text`], but little more than the first `max_bytes` of a longer text: a giant string is not copied.
    pub(crate) fn to_text_within(&self, max_bytes: usize) -> String {
        if self.kind() != Kind::String {
            return String::new();
        }
        // Four bytes more tell that the text was cut, and end within a character at worst.
        let end = max_bytes.saturating_add(4);
        self.with_bytes(|bytes| {
            String::from_utf8_lossy(bytes.get(..end).unwrap_or(bytes)).into_owned()
        })
        .unwrap_or_default()
    }

    pub(crate) fn is_typed_array(&self) -> bool {
        // SAFETY: asks for the class alone.
        unsafe { qjs::JS_GetTypedArrayType(self.raw()) >= 0 }
    }

    /// Gives the bytes of an `ArrayBuffer` or of the part of one that a typed array or `DataView` shows to `read`.
    pub(crate) fn with_buffer<T>(&self, read: impl FnOnce(&mut [u8]) -> T) -> Option<T> {
        if !self.is_object() {
            return None;
        }
        let (mut offset, mut length, mut per_element) = (0, 0, 0);
        // SAFETY: `self` is live. The engine checks the class. The bytes stay where they are while `read` runs, since it
        // gets no way to call the engine with this buffer.
        unsafe {
            let (buffer, range): (Value, Option<Range<usize>>) =
                if qjs::JS_IsArrayBuffer(self.raw()) {
                    (self.clone(), None)
                } else if qjs::JS_GetTypedArrayType(self.raw()) >= 0 {
                    let raw = qjs::JS_GetTypedArrayBuffer(
                        context(),
                        self.raw(),
                        &mut offset,
                        &mut length,
                        &mut per_element,
                    );
                    let Ok(buffer) = Value::from_result(raw) else {
                        drop(super::take_exception());
                        return None;
                    };
                    (
                        buffer,
                        Some(offset as usize..offset as usize + length as usize),
                    )
                } else {
                    return None;
                };
            let mut size = 0;
            let start = qjs::JS_GetArrayBuffer(context(), &mut size, buffer.raw());
            if start.is_null() {
                drop(super::take_exception());
                return Some(read(&mut []));
            }
            let bytes = std::slice::from_raw_parts_mut(start, size as usize);
            let bytes = match range {
                Some(range) => bytes.get_mut(range)?,
                None => bytes,
            };
            Some(read(bytes))
        }
    }
}
