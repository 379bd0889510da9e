//! Interned names of properties.
#![expect(unsafe_code, reason = "calls the engine's C interface")]

use rquickjs_sys as qjs;

use super::runtime::context;
use super::value::Value;

/// A name or a symbol, interned by the engine. Equal names have equal atoms.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Atom(qjs::JSAtom);

impl Atom {
    pub(crate) fn new(name: &str) -> Atom {
        // SAFETY: the pointer and the length describe `name`, which the engine copies.
        Atom(unsafe { qjs::JS_NewAtomLen(context(), name.as_ptr().cast(), name.len() as _) })
    }

    /// Takes over a reference that the caller owns.
    pub(super) fn from_owned(raw: qjs::JSAtom) -> Atom {
        Atom(raw)
    }

    /// Adds a reference to an atom that somebody else owns.
    pub(super) fn from_borrowed(raw: qjs::JSAtom) -> Atom {
        // SAFETY: the engine handed `raw` to its caller, so it is a live atom.
        Atom(unsafe { qjs::JS_DupAtom(context(), raw) })
    }

    pub(super) fn raw(&self) -> qjs::JSAtom {
        self.0
    }

    /// A number that is the same for equal names of this instance, and no other.
    pub(crate) fn number(&self) -> u32 {
        self.0
    }

    pub(super) fn into_raw(self) -> qjs::JSAtom {
        let raw = self.0;
        std::mem::forget(self);
        raw
    }

    /// The name as a string value, or the symbol's description.
    pub(crate) fn to_string_value(&self) -> Value {
        // SAFETY: the atom is live.
        Value::from_raw(unsafe { qjs::JS_AtomToString(context(), self.0) })
    }

    /// The symbol itself, or the name as a string value.
    pub(crate) fn to_value(&self) -> Value {
        // SAFETY: the atom is live.
        Value::from_raw(unsafe { qjs::JS_AtomToValue(context(), self.0) })
    }

    /// The name as text; lone surrogates become U+FFFD.
    pub(crate) fn to_text(&self) -> String {
        self.to_string_value().to_text()
    }
}

impl Clone for Atom {
    fn clone(&self) -> Atom {
        Atom::from_borrowed(self.0)
    }
}

impl Drop for Atom {
    fn drop(&mut self) {
        // SAFETY: this value owns one reference.
        unsafe { qjs::JS_FreeAtom(context(), self.0) }
    }
}
