//! The names of an object's properties.

use boa_engine::builtins::typed_array::TypedArray;
use boa_engine::object::IndexProperties;
use boa_engine::property::PropertyKey;
use boa_engine::{JsObject, js_string};

use super::JsResult;
use super::atom::Atom;
use super::context::{context, settle};
use super::host_object;
use super::value::{Own, Value};

/// Names of an object's properties.
#[derive(Debug)]
pub(crate) enum Keys {
    /// The indices below a number: those of an array without holes.
    Indices(u32),
    /// Any names, in the order of the language.
    Names(Vec<PropertyKey>),
}

impl Keys {
    pub(crate) fn len(&self) -> usize {
        match self {
            Keys::Indices(count) => *count as usize,
            Keys::Names(names) => names.len(),
        }
    }

    /// The array index below 2^31 that the name at `at` is.
    pub(crate) fn index(&self, at: usize) -> Option<u32> {
        match self {
            Keys::Indices(count) => u32::try_from(at).ok().filter(|at| at < count),
            Keys::Names(names) => match names.get(at)? {
                PropertyKey::Index(index) => Some(index.get()).filter(|index| *index < 1 << 31),
                _ => None,
            },
        }
    }

    /// Whether the name at `at` is the array index `index`.
    pub(crate) fn is_index(&self, at: usize, index: usize) -> bool {
        self.index(at).is_some_and(|found| found as usize == index)
    }

    /// The property of that name of the object, which is no proxy. Runs no code.
    pub(crate) fn own(&self, object: &Value, at: usize) -> Own {
        self.get(at)
            .map_or(Own::Missing, |name| object.own_property(&name))
    }

    pub(crate) fn get(&self, index: usize) -> Option<Atom> {
        match self {
            Keys::Indices(_) => self
                .index(index)
                .map(|index| Atom::from_key(PropertyKey::from(index))),
            Keys::Names(names) => names.get(index).cloned().map(Atom::from_key),
        }
    }
}

/// The number of elements, where the object is an array whose only names are its indices and its length.
fn dense_length(object: &JsObject) -> Option<u32> {
    if !object.is_array() {
        return None;
    }
    let object = object.borrow();
    let properties = object.properties();
    let elements = match properties.index_properties() {
        elements @ (IndexProperties::DenseI32(_)
        | IndexProperties::DenseF64(_)
        | IndexProperties::DenseElement(_)) => elements.len(),
        _ => return None,
    };
    let named = object.shape().keys();
    let plain =
        matches!(named.as_slice(), [PropertyKey::String(name)] if *name == js_string!("length"));
    let length = properties
        .get(&PropertyKey::from(js_string!("length")))?
        .value()?
        .as_number()?;
    (plain && length == elements as f64).then_some(elements as u32)
}

impl Value {
    /// The names of the own enumerable properties, symbols among them, in the order of the language. Runs no code
    /// unless the object is a proxy.
    pub(crate) fn keys(&self) -> JsResult<Keys> {
        let Some(object) = self.js().as_object() else {
            return Ok(Keys::Indices(0));
        };
        if let Some(number) = host_object::number(&object) {
            return Ok(Keys::Names(host_object::keys(number)));
        }
        if let Some(length) = dense_length(&object) {
            return Ok(Keys::Indices(length));
        }
        let mut names = settle(context(|context| object.own_property_keys(context)))?;
        // All elements of a typed array are enumerable, and none of them is kept as a property.
        let elements = object.is::<TypedArray>();
        let object = object.borrow();
        names.retain(|name| {
            elements && matches!(name, PropertyKey::Index(_))
                || object
                    .properties()
                    .get(name)
                    .is_some_and(|property| property.enumerable() == Some(true))
        });
        Ok(Keys::Names(names))
    }

    /// As [`Value::keys`], without the symbols.
    pub(crate) fn string_keys(&self) -> JsResult<Keys> {
        let mut keys = self.keys()?;
        if let Keys::Names(names) = &mut keys {
            names.retain(|name| !matches!(name, PropertyKey::Symbol(_)));
        }
        Ok(keys)
    }
}
