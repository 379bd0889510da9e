//! Objects whose properties Rust provides: fixed, frozen, without a prototype, made when they are first looked at.
//!
//! The engine has no objects of other kinds than its own, so such an object is a proxy with traps in Rust. To the
//! program it is an ordinary frozen object: where the traps have to agree with their target, the target gets the
//! property first.

use std::cell::RefCell;

use boa_engine::builtins::proxy::Proxy;
use boa_engine::object::IntegrityLevel;
use boa_engine::object::builtins::JsProxy;
use boa_engine::property::PropertyKey;
use boa_engine::{Context, Finalize, JsData, JsObject, JsValue, Trace};

use super::atom::Atom;
use super::context::{context, settle};
use super::function::run;
use super::value::{Flags, Value};
use super::{JsResult, Thrown, context as current};

/// What such objects do. `object` is the number that [`HostObject::create`] was given.
#[derive(Clone, Copy)]
pub(crate) struct HostObject {
    /// The own property of that name.
    pub(crate) own: fn(object: u32, name: &Atom) -> JsResult<Option<Value>>,
    /// The names of all own properties, in order.
    pub(crate) names: fn(object: u32) -> Vec<Atom>,
    /// What reading a property that does not exist gives.
    pub(crate) missing: fn(object: u32, name: &Atom) -> JsResult<Value>,
    /// The error of an attempt to change the object.
    pub(crate) read_only: fn(object: u32, name: &Atom) -> Thrown,
}

/// The data of a target: the number of its object.
#[derive(Debug, Clone, Copy, Trace, Finalize, JsData)]
#[boa_gc(empty_trace)]
struct Target(u32);

thread_local! {
    static HANDLER: RefCell<Option<HostObject>> = const { RefCell::new(None) };
    /// The objects and their numbers.
    static OBJECTS: RefCell<Vec<(JsObject, u32)>> = const { RefCell::new(Vec::new()) };
}

impl HostObject {
    /// Decides what such objects do. The first call of an instance decides.
    pub(crate) fn register(self) {
        HANDLER.with_borrow_mut(|handler| *handler = Some(handler.unwrap_or(self)));
    }

    /// A new object.
    pub(crate) fn create(object: u32) -> JsResult<Value> {
        let target = JsObject::from_proto_and_data(None, Target(object));
        let builder = JsProxy::builder(target)
            .get(get)
            .has(has)
            .set(set)
            .own_keys(own_keys)
            .get_own_property_descriptor(get_own_property_descriptor)
            .define_property(define_property)
            .delete_property(delete_property)
            .is_extensible(is_extensible)
            .prevent_extensions(prevent_extensions)
            .set_prototype_of(set_prototype_of);
        let proxy = settle(context(|context| builder.build(context)))?;
        let proxy = JsObject::from(proxy);
        OBJECTS.with_borrow_mut(|objects| {
            // The warm-up's objects have the same numbers.
            objects.retain(|(_, number)| *number != object);
            objects.push((proxy.clone(), object));
        });
        Ok(Value::from(proxy))
    }
}

/// The number of a host object; none where the object is another.
pub(super) fn number(object: &JsObject) -> Option<u32> {
    if !object.is::<Proxy>() {
        return None;
    }
    OBJECTS.with_borrow(|objects| {
        let known = objects
            .iter()
            .find(|(known, _)| JsObject::equals(known, object))?;
        Some(known.1)
    })
}

fn handler() -> JsResult<HostObject> {
    HANDLER.with_borrow(|handler| *handler).ok_or(Thrown)
}

/// The names of the own properties of object `number`.
pub(super) fn keys(number: u32) -> Vec<PropertyKey> {
    let names = handler().map(|handler| (handler.names)(number));
    let names = names.unwrap_or_default();
    names.iter().map(|name| name.key().clone()).collect()
}

/// The own property of object `number`.
pub(super) fn own(number: u32, name: &Atom) -> Option<Value> {
    (handler().ok()?.own)(number, name).ok()?
}

/// A trap's target, its number, and the name that it is asked for.
struct Asked {
    target: Value,
    number: u32,
    name: Atom,
}

fn asked(arguments: &[JsValue]) -> JsResult<Asked> {
    let target = arguments
        .first()
        .and_then(JsValue::as_object)
        .ok_or(Thrown)?;
    let number = target.downcast_ref::<Target>().ok_or(Thrown)?.0;
    let name = arguments.get(1).cloned().unwrap_or_default();
    let name = settle(current::context(|context| name.to_property_key(context)))?;
    Ok(Asked {
        target: Value::from(target),
        number,
        name: Atom::from_key(name),
    })
}

impl Asked {
    fn own(&self) -> JsResult<Option<Value>> {
        (handler()?.own)(self.number, &self.name)
    }

    /// Gives the target all properties and closes it.
    fn complete(&self) -> JsResult<()> {
        for name in (handler()?.names)(self.number) {
            if self.target.own(&name).is_none()
                && let Some(value) = (handler()?.own)(self.number, &name)?
            {
                self.target.define(&name, value, Flags::ENUMERABLE)?;
            }
        }
        let target = self.target.js().as_object().ok_or(Thrown)?;
        settle(context(|context| {
            target.set_integrity_level(IntegrityLevel::Frozen, context)
        }))
        .map(drop)
    }
}

type Outcome = boa_engine::JsResult<JsValue>;

fn get(_: &JsValue, arguments: &[JsValue], context: &mut Context) -> Outcome {
    run(context, || {
        let asked = asked(arguments)?;
        match asked.own()? {
            Some(value) => Ok(value),
            None => (handler()?.missing)(asked.number, &asked.name),
        }
    })
}

fn has(_: &JsValue, arguments: &[JsValue], context: &mut Context) -> Outcome {
    run(context, || {
        Ok(Value::bool(asked(arguments)?.own()?.is_some()))
    })
}

fn own_keys(_: &JsValue, arguments: &[JsValue], context: &mut Context) -> Outcome {
    run(context, || {
        let names = (handler()?.names)(asked(arguments)?.number);
        Value::array(names.iter().map(Atom::to_value).collect())
    })
}

fn get_own_property_descriptor(
    _: &JsValue,
    arguments: &[JsValue],
    context: &mut Context,
) -> Outcome {
    run(context, || {
        let asked = asked(arguments)?;
        let Some(value) = asked.own()? else {
            return Ok(Value::UNDEFINED);
        };
        if asked.target.own(&asked.name).is_none() {
            asked
                .target
                .define(&asked.name, value.clone(), Flags::ENUMERABLE)?;
        }
        let descriptor = Value::object()?;
        for (name, value) in [
            ("value", value),
            ("writable", Value::bool(false)),
            ("enumerable", Value::bool(true)),
            ("configurable", Value::bool(false)),
        ] {
            descriptor.define(&Atom::new(name), value, Flags::ALL)?;
        }
        Ok(descriptor)
    })
}

fn set(_: &JsValue, arguments: &[JsValue], context: &mut Context) -> Outcome {
    run(context, || {
        let asked = asked(arguments)?;
        let heir = arguments.get(3).and_then(JsValue::as_object);
        if let Some(heir) = heir.filter(|heir| number(heir).is_none()) {
            // Somebody made this object a prototype and assigns to the heir: an ordinary property of the heir.
            let value = arguments.get(2).cloned().unwrap_or_default();
            Value::from(heir).define(&asked.name, Value::from(value), Flags::ALL)?;
            return Ok(Value::bool(true));
        }
        Err((handler()?.read_only)(asked.number, &asked.name))
    })
}

fn define_property(_: &JsValue, arguments: &[JsValue], context: &mut Context) -> Outcome {
    run(context, || {
        let asked = asked(arguments)?;
        Err((handler()?.read_only)(asked.number, &asked.name))
    })
}

fn delete_property(_: &JsValue, arguments: &[JsValue], context: &mut Context) -> Outcome {
    run(context, || {
        Ok(Value::bool(asked(arguments)?.own()?.is_none()))
    })
}

fn is_extensible(_: &JsValue, arguments: &[JsValue], context: &mut Context) -> Outcome {
    run(context, || {
        asked(arguments)?.complete()?;
        Ok(Value::bool(false))
    })
}

fn prevent_extensions(_: &JsValue, arguments: &[JsValue], context: &mut Context) -> Outcome {
    run(context, || {
        asked(arguments)?.complete()?;
        Ok(Value::bool(true))
    })
}

fn set_prototype_of(_: &JsValue, arguments: &[JsValue], _: &mut Context) -> Outcome {
    Ok(JsValue::from(
        arguments.get(1).is_some_and(JsValue::is_null),
    ))
}
