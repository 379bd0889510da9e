//! The names of an object's properties.
#![expect(unsafe_code, reason = "reads and frees a table of the engine")]

use rquickjs_sys as qjs;

use super::JsResult;
use super::atom::Atom;
use super::runtime::context;
use super::value::{Own, Value, done};

/// The engine keeps names that are array indices in the atom itself, marked by the highest bit.
pub(super) const TAG_INT: u32 = 1 << 31;

/// Names of an object's properties.
#[derive(Debug)]
pub(crate) struct Keys {
    table: *mut qjs::JSPropertyEnum,
    length: u32,
}

impl Keys {
    pub(crate) fn len(&self) -> usize {
        self.length as usize
    }

    /// The array index below 2^31 that the name at `at` is.
    pub(crate) fn index(&self, at: usize) -> Option<u32> {
        // SAFETY: the table holds `length` entries.
        let raw = (at < self.len()).then(|| unsafe { (*self.table.add(at)).atom })?;
        raw.checked_sub(TAG_INT)
    }

    /// Whether the name at `at` is the array index `index`.
    pub(crate) fn is_index(&self, at: usize, index: usize) -> bool {
        self.index(at).is_some_and(|found| found as usize == index)
    }

    /// The property of that name of the object, which is no proxy. Runs no code.
    pub(crate) fn own(&self, object: &Value, at: usize) -> Own {
        if at >= self.len() {
            return Own::Missing;
        }
        // SAFETY: the table holds `length` entries.
        object.own_raw(unsafe { (*self.table.add(at)).atom })
    }

    pub(crate) fn get(&self, index: usize) -> Option<Atom> {
        // SAFETY: the table holds `length` entries.
        (index < self.len()).then(|| Atom::from_borrowed(unsafe { (*self.table.add(index)).atom }))
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        if !self.table.is_null() {
            // SAFETY: the table is owned and of this length.
            unsafe { qjs::JS_FreePropertyEnum(context(), self.table, self.length) }
        }
    }
}

impl Value {
    /// The names of the own enumerable properties, symbols among them, in the order of the language. Runs no code
    /// unless the object is a proxy.
    pub(crate) fn keys(&self) -> JsResult<Keys> {
        self.keys_where(qjs::JS_GPN_STRING_MASK | qjs::JS_GPN_SYMBOL_MASK | qjs::JS_GPN_ENUM_ONLY)
    }

    /// As [`Value::keys`], without the symbols.
    pub(crate) fn string_keys(&self) -> JsResult<Keys> {
        self.keys_where(qjs::JS_GPN_STRING_MASK | qjs::JS_GPN_ENUM_ONLY)
    }

    fn keys_where(&self, mask: u32) -> JsResult<Keys> {
        let mut keys = Keys {
            table: std::ptr::null_mut(),
            length: 0,
        };
        // SAFETY: `self` is live; on success the table is owned by `keys`.
        done(unsafe {
            qjs::JS_GetOwnPropertyNames(
                context(),
                &mut keys.table,
                &mut keys.length,
                self.raw(),
                mask as i32,
            )
        })?;
        Ok(keys)
    }
}
