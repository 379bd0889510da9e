//! Names of properties.

use std::hash::{DefaultHasher, Hash, Hasher};

use boa_engine::JsString;
use boa_engine::property::PropertyKey;

use super::value::Value;

/// A name or a symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Atom(PropertyKey);

impl Atom {
    pub(crate) fn new(name: &str) -> Atom {
        Atom(PropertyKey::from(JsString::from(name)))
    }

    /// A number that is the same for equal names, and seldom for others.
    pub(crate) fn number(&self) -> u32 {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        hasher.finish() as u32
    }

    pub(super) fn from_key(key: PropertyKey) -> Atom {
        Atom(key)
    }

    pub(super) fn key(&self) -> &PropertyKey {
        &self.0
    }

    /// The name as a string value, or the symbol's description.
    pub(crate) fn to_string_value(&self) -> Value {
        match &self.0 {
            PropertyKey::Symbol(symbol) => Value::from(symbol.description().unwrap_or_default()),
            _ => self.to_value(),
        }
    }

    /// The symbol itself, or the name as a string value.
    pub(crate) fn to_value(&self) -> Value {
        Value::from(match &self.0 {
            PropertyKey::String(text) => boa_engine::JsValue::from(text.clone()),
            PropertyKey::Symbol(symbol) => symbol.clone().into(),
            PropertyKey::Index(index) => JsString::from(index.get().to_string()).into(),
        })
    }

    /// The name as text; lone surrogates become U+FFFD.
    pub(crate) fn to_text(&self) -> String {
        match &self.0 {
            PropertyKey::String(text) => text.to_std_string_lossy(),
            PropertyKey::Symbol(symbol) => symbol
                .description()
                .map(|text| text.to_std_string_lossy())
                .unwrap_or_default(),
            PropertyKey::Index(index) => index.get().to_string(),
        }
    }
}

impl Ord for Atom {
    fn cmp(&self, other: &Atom) -> std::cmp::Ordering {
        let rank = |key: &PropertyKey| match key {
            PropertyKey::Index(_) => 0,
            PropertyKey::String(_) => 1,
            PropertyKey::Symbol(_) => 2,
        };
        match (&self.0, &other.0) {
            (PropertyKey::Index(one), PropertyKey::Index(other)) => one.get().cmp(&other.get()),
            (PropertyKey::String(one), PropertyKey::String(other)) => one.cmp(other),
            (PropertyKey::Symbol(one), PropertyKey::Symbol(other)) => one.cmp(other),
            (one, other) => rank(one).cmp(&rank(other)),
        }
    }
}

impl PartialOrd for Atom {
    fn partial_cmp(&self, other: &Atom) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
