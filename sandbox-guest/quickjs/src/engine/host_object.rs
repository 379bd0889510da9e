//! Objects whose properties Rust provides: fixed, frozen, without a prototype, made when they are first looked at.
#![expect(
    unsafe_code,
    reason = "the engine calls back through C function pointers"
)]

use std::ffi::{c_int, c_void};

use rquickjs_sys as qjs;

use super::atom::Atom;
use super::runtime::{context, runtime};
use super::value::{Flags, Value};
use super::{JsResult, Thrown};

/// What such objects do. `object` is the number that [`HostObject::create`] was given.
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

struct Registered {
    class: qjs::JSClassID,
    handler: HostObject,
}

static REGISTERED: std::sync::OnceLock<Registered> = std::sync::OnceLock::new();

impl HostObject {
    /// Makes the class. The first call of an instance decides.
    pub(crate) fn register(self) {
        REGISTERED.get_or_init(|| {
            let mut class = 0;
            let methods = Box::leak(Box::new(qjs::JSClassExoticMethods {
                get_own_property: Some(get_own_property),
                get_own_property_names: Some(get_own_property_names),
                delete_property: Some(delete_property),
                define_own_property: Some(define_own_property),
                has_property: None,
                get_property: Some(get_property),
                set_property: Some(set_property),
            }));
            let definition = qjs::JSClassDef {
                class_name: c"Object".as_ptr(),
                finalizer: None,
                gc_mark: None,
                call: None,
                exotic: methods,
            };
            // SAFETY: the runtime is live; the definition is copied, and what it points to lives for ever.
            unsafe {
                qjs::JS_NewClassID(runtime(), &mut class);
                qjs::JS_NewClass(runtime(), class, &definition);
            }
            Registered {
                class,
                handler: self,
            }
        });
    }

    /// A new object of the class.
    pub(crate) fn create(object: u32) -> JsResult<Value> {
        let registered = REGISTERED.get().ok_or(Thrown)?;
        // SAFETY: the class is registered. The opaque is a number, never followed as a pointer; it is one more than the
        // object's so that it is not null.
        let value = unsafe {
            let value = Value::from_result(qjs::JS_NewObjectProtoClass(
                context(),
                qjs::JS_NULL,
                registered.class,
            ))?;
            qjs::JS_SetOpaque(value.raw(), (object as usize + 1) as *mut c_void);
            value
        };
        value.prevent_extensions()?;
        Ok(value)
    }
}

/// The handler and the number of the object.
fn handler(object: qjs::JSValue) -> Option<(&'static HostObject, u32)> {
    let registered = REGISTERED.get()?;
    // SAFETY: asks for the number that `create` stored.
    let opaque = unsafe { qjs::JS_GetOpaque(object, registered.class) } as usize;
    Some((
        &registered.handler,
        u32::try_from(opaque.checked_sub(1)?).ok()?,
    ))
}

unsafe extern "C" fn get_own_property(
    _: *mut qjs::JSContext,
    descriptor: *mut qjs::JSPropertyDescriptor,
    object: qjs::JSValue,
    name: qjs::JSAtom,
) -> c_int {
    let Some((handler, object)) = handler(object) else {
        return 0;
    };
    match (handler.own)(object, &Atom::from_borrowed(name)) {
        Ok(None) => 0,
        Err(Thrown) => -1,
        Ok(Some(value)) => {
            if !descriptor.is_null() {
                // SAFETY: the engine passes a descriptor to fill or null.
                unsafe {
                    *descriptor = qjs::JSPropertyDescriptor {
                        flags: qjs::JS_PROP_ENUMERABLE as c_int,
                        value: value.into_raw(),
                        getter: qjs::JS_UNDEFINED,
                        setter: qjs::JS_UNDEFINED,
                    };
                }
            }
            1
        }
    }
}

unsafe extern "C" fn get_own_property_names(
    _: *mut qjs::JSContext,
    table: *mut *mut qjs::JSPropertyEnum,
    length: *mut u32,
    object: qjs::JSValue,
) -> c_int {
    let names = match handler(object) {
        Some((handler, object)) => (handler.names)(object),
        None => Vec::new(),
    };
    let entry = std::mem::size_of::<qjs::JSPropertyEnum>();
    // SAFETY: the engine frees the table with its own allocator, so it is allocated there, with room for each name; an
    // allocation of no bytes is avoided. The atoms are given away.
    unsafe {
        let memory: *mut qjs::JSPropertyEnum =
            qjs::js_malloc(context(), (names.len().max(1) * entry) as _).cast();
        if memory.is_null() {
            return -1;
        }
        *length = names.len() as u32;
        for (index, name) in names.into_iter().enumerate() {
            memory.add(index).write(qjs::JSPropertyEnum {
                is_enumerable: true,
                atom: name.into_raw(),
            });
        }
        *table = memory;
    }
    0
}

/// A change that is refused: an exception where the language wants one, else "no".
fn refuse(object: qjs::JSValue, name: qjs::JSAtom, throws: bool) -> c_int {
    if throws && let Some((handler, object)) = handler(object) {
        let Thrown = (handler.read_only)(object, &Atom::from_borrowed(name));
        return -1;
    }
    0
}

unsafe extern "C" fn delete_property(
    _: *mut qjs::JSContext,
    object: qjs::JSValue,
    name: qjs::JSAtom,
) -> c_int {
    match handler(object) {
        Some((handler, number)) => match (handler.own)(number, &Atom::from_borrowed(name)) {
            Ok(Some(_)) => 0,
            Ok(None) => 1,
            Err(Thrown) => -1,
        },
        None => 1,
    }
}

unsafe extern "C" fn define_own_property(
    _: *mut qjs::JSContext,
    object: qjs::JSValue,
    name: qjs::JSAtom,
    _: qjs::JSValue,
    _: qjs::JSValue,
    _: qjs::JSValue,
    flags: c_int,
) -> c_int {
    refuse(
        object,
        name,
        flags & (qjs::JS_PROP_THROW | qjs::JS_PROP_THROW_STRICT) as c_int != 0,
    )
}

unsafe extern "C" fn get_property(
    _: *mut qjs::JSContext,
    object: qjs::JSValue,
    name: qjs::JSAtom,
    _: qjs::JSValue,
) -> qjs::JSValue {
    let Some((handler, object)) = handler(object) else {
        return qjs::JS_UNDEFINED;
    };
    let name = Atom::from_borrowed(name);
    let value = match (handler.own)(object, &name) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => (handler.missing)(object, &name),
        Err(Thrown) => Err(Thrown),
    };
    value.map_or(qjs::JS_EXCEPTION, Value::into_raw)
}

unsafe extern "C" fn set_property(
    _: *mut qjs::JSContext,
    object: qjs::JSValue,
    name: qjs::JSAtom,
    value: qjs::JSValue,
    receiver: qjs::JSValue,
    flags: c_int,
) -> c_int {
    if receiver != object && handler(receiver).is_none() {
        // Somebody made this object a prototype and assigns to the heir: an ordinary property of the heir.
        let heir = Value::from_borrowed(receiver);
        let value = Value::from_borrowed(value);
        return match heir.define(&Atom::from_borrowed(name), value, Flags::ALL) {
            Ok(()) => 1,
            Err(Thrown) => -1,
        };
    }
    refuse(
        object,
        name,
        flags & (qjs::JS_PROP_THROW | qjs::JS_PROP_THROW_STRICT) as c_int != 0,
    )
}
