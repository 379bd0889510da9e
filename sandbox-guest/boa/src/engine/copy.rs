//! Deep copies for `structuredClone`: plain objects, arrays, dates, maps, sets, regular expressions, buffers.

use std::cell::RefCell;
use std::collections::HashMap;

use boa_engine::object::builtins::{JsMap, JsSet};
use boa_engine::{JsObject, js_string};

use super::atom::Atom;
use super::context::{context, settle};
use super::keys::Keys;
use super::value::{Class, Flags, Kind, Value};
use super::{JsResult, Thrown};
use crate::realm::realm;

thread_local! {
    /// Functions of `extras.js` that copy built-in objects.
    static BUILT_IN: RefCell<Value> = const { RefCell::new(Value::UNDEFINED) };
}

pub(super) fn set_built_in(functions: Value) {
    BUILT_IN.set(functions);
}

/// A container whose content is still to be copied.
struct Open {
    to: Value,
    content: Content,
    next: usize,
}

enum Content {
    Members { from: Value, keys: Keys },
    Entries(Vec<(Value, Value)>),
    Elements(Vec<Value>),
}

/// A deep copy. What is shared or circular stays so.
pub(crate) fn clone_value(value: &Value) -> JsResult<Value> {
    let mut copier = Copier {
        copies: HashMap::new(),
        open: Vec::new(),
    };
    let copy = copier.copy(value)?;
    while let Some(open) = copier.open.last_mut() {
        let at = open.next;
        open.next += 1;
        let to = open.to.clone();
        match &open.content {
            Content::Members { from, keys } => {
                let Some(key) = keys.get(at) else {
                    copier.open.pop();
                    continue;
                };
                if key.to_value().kind() != Kind::Symbol {
                    let part = from.get(&key)?;
                    to.define(&key, copier.copy(&part)?, Flags::ALL)?;
                }
            }
            Content::Entries(entries) => {
                let Some((key, value)) = entries.get(at).cloned() else {
                    copier.open.pop();
                    continue;
                };
                let (key, value) = (copier.copy(&key)?, copier.copy(&value)?);
                let map = settle(JsMap::from_object(object(&to)?))?;
                settle(context(|context| {
                    map.set(key.into_js(), value.into_js(), context)
                }))?;
            }
            Content::Elements(elements) => {
                let Some(element) = elements.get(at).cloned() else {
                    copier.open.pop();
                    continue;
                };
                let element = copier.copy(&element)?;
                let set = JsSet::from_object(object(&to)?).map_err(|_| Thrown)?;
                settle(context(|context| set.add(element.into_js(), context)))?;
            }
        }
    }
    Ok(copy)
}

fn object(value: &Value) -> JsResult<JsObject> {
    value.js().as_object().ok_or(Thrown)
}

struct Copier {
    copies: HashMap<JsObject, Value>,
    open: Vec<Open>,
}

impl Copier {
    fn copy(&mut self, value: &Value) -> JsResult<Value> {
        match value.kind() {
            Kind::Object => {}
            Kind::Symbol => return Err(realm().type_error("a symbol is not data")),
            _ => return Ok(value.clone()),
        }
        let from = object(value)?;
        if let Some(copy) = self.copies.get(&from) {
            return Ok(copy.clone());
        }
        let (copy, content) = match value.class() {
            Class::Plain => (Value::object()?, Some(members(value)?)),
            Class::Array => (array_like(value)?, Some(members(value)?)),
            Class::Map => (
                context(|c| Value::from(JsMap::new(c))),
                Some(entries(&from)?),
            ),
            Class::Set => (
                context(|c| Value::from(JsSet::new(c))),
                Some(elements(&from)?),
            ),
            Class::Date => (built_in("date", value)?, None),
            Class::RegExp => (built_in("regexp", value)?, None),
            Class::Other if value.is_typed_array() => (built_in("array", value)?, None),
            Class::Other if value.class_name() == "ArrayBuffer" => {
                (built_in("buffer", value)?, None)
            }
            _ => return Err(realm().type_error("unsupported object class")),
        };
        self.copies.insert(from, copy.clone());
        if let Some(content) = content {
            self.open.push(Open {
                to: copy.clone(),
                content,
                next: 0,
            });
        }
        Ok(copy)
    }
}

fn built_in(name: &str, value: &Value) -> JsResult<Value> {
    let copy = BUILT_IN.with_borrow(Clone::clone).get(&Atom::new(name))?;
    copy.call(&Value::UNDEFINED, std::slice::from_ref(value))
}

fn members(value: &Value) -> JsResult<Content> {
    Ok(Content::Members {
        from: value.clone(),
        keys: value.keys()?,
    })
}

/// An empty array of the same length.
fn array_like(value: &Value) -> JsResult<Value> {
    let copy = Value::array(Vec::new())?;
    let length = value.get(&Atom::new("length"))?.into_js();
    let array = object(&copy)?;
    settle(context(|context| {
        array.set(js_string!("length"), length, true, context)
    }))?;
    Ok(copy)
}

fn entries(map: &JsObject) -> JsResult<Content> {
    let map = settle(JsMap::from_object(map.clone()))?;
    let mut entries = Vec::new();
    settle(map.for_each_native(|key, value| {
        entries.push((Value::from(key), Value::from(value)));
        Ok(())
    }))?;
    Ok(Content::Entries(entries))
}

fn elements(set: &JsObject) -> JsResult<Content> {
    let set = JsSet::from_object(set.clone()).map_err(|_| Thrown)?;
    let mut elements = Vec::new();
    settle(set.for_each_native(|element| {
        elements.push(Value::from(element));
        Ok(())
    }))?;
    Ok(Content::Elements(elements))
}
