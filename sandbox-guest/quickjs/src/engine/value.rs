//! Values of the program, reference-counted, and what can be asked of them without running the program's code.
#![expect(unsafe_code, reason = "calls the engine's C interface")]

use rquickjs_sys as qjs;

use super::atom::Atom;
use super::runtime::{context, runtime};
use super::{JsResult, Thrown};

/// One reference to a value.
#[repr(transparent)]
pub(crate) struct Value(qjs::JSValue);

/// What a value is, read from its tag.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Undefined,
    Null,
    Bool(bool),
    Int(i32),
    Float(f64),
    String,
    Symbol,
    BigInt,
    Object,
    /// Nothing that a program can hold.
    Internal,
}

/// What an object is. Reading it never runs the program's code, not even that of a proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Plain,
    Array,
    Function,
    Error,
    Promise,
    Proxy,
    Date,
    Map,
    Set,
    RegExp,
    /// Everything else; [`Value::class_name`] names it.
    Other,
}

/// The state of a promise.
#[derive(Debug)]
pub(crate) enum PromiseState {
    Pending,
    Fulfilled(Value),
    Rejected(Value),
}

/// An own property, read without calling its getter.
#[derive(Debug)]
pub(crate) enum Slot {
    Data(Value),
    Accessor { getter: bool, setter: bool },
}

/// An own property, looked up where getters and proxies are of no use.
#[derive(Debug)]
pub(crate) enum Own {
    Missing,
    Data(Value),
    Accessor,
}

/// Attributes of a property that is defined.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flags(i32);

impl Flags {
    /// An ordinary property, as an assignment makes it.
    pub(crate) const ALL: Flags = Flags(qjs::JS_PROP_C_W_E as i32);
    /// Enumerable, never to be changed.
    pub(crate) const ENUMERABLE: Flags = Flags(qjs::JS_PROP_ENUMERABLE as i32);
    /// As built-in functions are: not enumerable, may be replaced.
    pub(crate) const BUILTIN: Flags =
        Flags((qjs::JS_PROP_CONFIGURABLE | qjs::JS_PROP_WRITABLE) as i32);
}

const CLASS_PLAIN: u32 = 1;
const CLASS_ARRAY: u32 = 2;

impl Value {
    pub(crate) const UNDEFINED: Value = Value(qjs::JS_UNDEFINED);
    pub(crate) const NULL: Value = Value(qjs::JS_NULL);

    /// Takes over a reference that the caller owns.
    pub(super) fn from_raw(raw: qjs::JSValue) -> Value {
        Value(raw)
    }

    /// Adds a reference to a value that somebody else owns.
    pub(super) fn from_borrowed(raw: qjs::JSValue) -> Value {
        // SAFETY: the engine handed `raw` to its caller, so it is live.
        Value(unsafe { qjs::JS_DupValue(context(), raw) })
    }

    /// Takes over an owned result, which may be the mark of a pending exception.
    pub(super) fn from_result(raw: qjs::JSValue) -> JsResult<Value> {
        // SAFETY: reads the tag alone.
        if unsafe { qjs::JS_IsException(raw) } {
            Err(Thrown)
        } else {
            Ok(Value(raw))
        }
    }

    pub(super) fn raw(&self) -> qjs::JSValue {
        self.0
    }

    pub(super) fn into_raw(self) -> qjs::JSValue {
        let raw = self.0;
        std::mem::forget(self);
        raw
    }

    pub(crate) fn bool(value: bool) -> Value {
        Value(qjs::JS_MKVAL(qjs::JS_TAG_BOOL, i32::from(value)))
    }

    pub(crate) fn number(value: f64) -> Value {
        Value(qjs::JS_NewFloat64(value))
    }

    pub(crate) fn int(value: i32) -> Value {
        Value(qjs::JS_MKVAL(qjs::JS_TAG_INT, value))
    }

    pub(crate) fn string(text: &str) -> JsResult<Value> {
        // SAFETY: the pointer and the length describe `text`, which the engine copies.
        Value::from_result(unsafe {
            qjs::JS_NewStringLen(context(), text.as_ptr().cast(), text.len() as _)
        })
    }

    pub(crate) fn object() -> JsResult<Value> {
        // SAFETY: the context is live.
        Value::from_result(unsafe { qjs::JS_NewObject(context()) })
    }

    pub(crate) fn array(elements: Vec<Value>) -> JsResult<Value> {
        let count = i32::try_from(elements.len()).map_err(|_| Thrown)?;
        // SAFETY: `Value` is transparent, so this is an array of `count` engine values; the engine takes them over,
        // also when it fails, and `forget` keeps them from being freed twice.
        let array = unsafe { qjs::JS_NewArrayFrom(context(), count, elements.as_ptr().cast()) };
        let mut elements = elements;
        // SAFETY: the elements were moved out above.
        unsafe { elements.set_len(0) };
        Value::from_result(array)
    }

    /// A copy of the bytes as a new `Uint8Array`.
    pub(crate) fn uint8_array(bytes: &[u8]) -> JsResult<Value> {
        // SAFETY: the pointer and the length describe `bytes`, which the engine copies.
        Value::from_result(unsafe {
            qjs::JS_NewUint8ArrayCopy(context(), bytes.as_ptr(), bytes.len() as _)
        })
    }

    pub(crate) fn kind(&self) -> Kind {
        // SAFETY: reads the tag and the immediate value.
        unsafe {
            match qjs::JS_VALUE_GET_NORM_TAG(self.0) {
                qjs::JS_TAG_UNDEFINED => Kind::Undefined,
                qjs::JS_TAG_NULL => Kind::Null,
                qjs::JS_TAG_BOOL => Kind::Bool(qjs::JS_VALUE_GET_BOOL(self.0)),
                qjs::JS_TAG_INT => Kind::Int(qjs::JS_VALUE_GET_INT(self.0)),
                qjs::JS_TAG_FLOAT64 => Kind::Float(qjs::JS_VALUE_GET_FLOAT64(self.0)),
                qjs::JS_TAG_STRING | qjs::JS_TAG_STRING_ROPE => Kind::String,
                qjs::JS_TAG_SYMBOL => Kind::Symbol,
                qjs::JS_TAG_BIG_INT | qjs::JS_TAG_SHORT_BIG_INT => Kind::BigInt,
                qjs::JS_TAG_OBJECT => Kind::Object,
                _ => Kind::Internal,
            }
        }
    }

    pub(crate) fn is_undefined(&self) -> bool {
        self.0 == qjs::JS_UNDEFINED
    }

    pub(crate) fn is_object(&self) -> bool {
        self.kind() == Kind::Object
    }

    pub(crate) fn is_function(&self) -> bool {
        // SAFETY: asks for the class alone.
        self.is_object() && unsafe { qjs::JS_IsFunction(context(), self.0) }
    }

    pub(crate) fn as_number(&self) -> Option<f64> {
        match self.kind() {
            Kind::Int(int) => Some(int.into()),
            Kind::Float(float) => Some(float),
            _ => None,
        }
    }

    /// Whether both are the same object. Meaningless for other values.
    pub(crate) fn is_same_object(&self, other: &Value) -> bool {
        self.0 == other.0
    }

    /// A number that no other live object has.
    pub(crate) fn identity(&self) -> u64 {
        self.0
    }

    pub(crate) fn class(&self) -> Class {
        // SAFETY: each asks for the class of an object; `self` holds it.
        unsafe {
            match qjs::JS_GetClassID(self.0) {
                CLASS_PLAIN => Class::Plain,
                CLASS_ARRAY => Class::Array,
                _ if qjs::JS_IsProxy(self.0) => Class::Proxy,
                _ if qjs::JS_IsFunction(context(), self.0) => Class::Function,
                _ if qjs::JS_IsError(self.0) => Class::Error,
                _ if qjs::JS_IsPromise(self.0) => Class::Promise,
                _ if qjs::JS_IsDate(self.0) => Class::Date,
                _ if qjs::JS_IsMap(self.0) => Class::Map,
                _ if qjs::JS_IsSet(self.0) => Class::Set,
                _ if qjs::JS_IsRegExp(self.0) => Class::RegExp,
                _ => Class::Other,
            }
        }
    }

    /// The name of the built-in class, e.g. `Uint8Array`.
    pub(crate) fn class_name(&self) -> String {
        // SAFETY: the class id comes from a live object; the name is an owned atom.
        Atom::from_owned(unsafe { qjs::JS_GetClassName(runtime(), qjs::JS_GetClassID(self.0)) })
            .to_text()
    }

    /// The prototype of an object that is no proxy.
    pub(crate) fn prototype(&self) -> Option<Value> {
        if !self.is_object() || self.class() == Class::Proxy {
            return None;
        }
        // SAFETY: `self` is a live object.
        let prototype =
            Value::from_result(unsafe { qjs::JS_GetPrototype(context(), self.0) }).ok()?;
        prototype.is_object().then_some(prototype)
    }

    pub(crate) fn set_prototype(&self, prototype: &Value) -> JsResult<()> {
        // SAFETY: both are live.
        done(unsafe { qjs::JS_SetPrototype(context(), self.0, prototype.0) })
    }

    pub(crate) fn proxy_target(&self) -> Option<Value> {
        // SAFETY: `self` is live; the result is owned.
        let target =
            Value::from_result(unsafe { qjs::JS_GetProxyTarget(context(), self.0) }).ok()?;
        target.is_object().then_some(target)
    }

    /// JavaScript's `String(value)`; runs the program's code where the value is an object.
    pub(crate) fn convert_to_string(&self) -> JsResult<Value> {
        // SAFETY: `self` is live.
        Value::from_result(unsafe { qjs::JS_ToString(context(), self.0) })
    }

    /// JavaScript's `Number(value)`; runs the program's code where the value is an object.
    pub(crate) fn convert_to_number(&self) -> JsResult<f64> {
        let mut number = 0.0;
        // SAFETY: `self` is live; the result is written before success is reported.
        done(unsafe { qjs::JS_ToFloat64(context(), &mut number, self.0) })?;
        Ok(number)
    }

    pub(crate) fn convert_to_bool(&self) -> bool {
        // SAFETY: truthiness runs no code.
        unsafe { qjs::JS_ToBool(context(), self.0) == 1 }
    }

    /// Reads a property; runs getters and proxies.
    pub(crate) fn get(&self, name: &Atom) -> JsResult<Value> {
        // SAFETY: both are live.
        Value::from_result(unsafe { qjs::JS_GetProperty(context(), self.0, name.raw()) })
    }

    /// Reads an element; runs getters and proxies.
    pub(crate) fn get_index(&self, index: u32) -> JsResult<Value> {
        // SAFETY: `self` is live.
        Value::from_result(unsafe { qjs::JS_GetPropertyUint32(context(), self.0, index) })
    }

    /// The own property of an object that is no proxy. Runs no code.
    pub(crate) fn own(&self, name: &Atom) -> Option<Slot> {
        if !self.is_object() || self.class() == Class::Proxy {
            return None;
        }
        let mut descriptor = qjs::JSPropertyDescriptor {
            flags: 0,
            value: qjs::JS_UNDEFINED,
            getter: qjs::JS_UNDEFINED,
            setter: qjs::JS_UNDEFINED,
        };
        // SAFETY: both are live; where the answer is 1 the descriptor holds owned values.
        let found =
            unsafe { qjs::JS_GetOwnProperty(context(), &mut descriptor, self.0, name.raw()) };
        if found < 0 {
            drop(super::take_exception());
        }
        if found <= 0 {
            return None;
        }
        let (value, getter, setter) = (
            Value(descriptor.value),
            Value(descriptor.getter),
            Value(descriptor.setter),
        );
        Some(if descriptor.flags & qjs::JS_PROP_GETSET as i32 != 0 {
            Slot::Accessor {
                getter: !getter.is_undefined(),
                setter: !setter.is_undefined(),
            }
        } else {
            Slot::Data(value)
        })
    }

    /// Whether an object that is no proxy has this own property. Runs no code.
    pub(crate) fn has_own(&self, name: &Atom) -> bool {
        // SAFETY: both are live; the engine takes no descriptor as "only ask".
        let found =
            unsafe { qjs::JS_GetOwnProperty(context(), std::ptr::null_mut(), self.0, name.raw()) };
        if found < 0 {
            drop(super::take_exception());
        }
        found > 0
    }

    /// The own element of an object that is no proxy. Runs no code.
    pub(crate) fn own_index(&self, index: u32) -> Own {
        match index.checked_add(super::keys::TAG_INT) {
            // Such names are the index itself, marked; they are not counted.
            Some(atom) if index < super::keys::TAG_INT => self.own_raw(atom),
            _ => Own::Missing,
        }
    }

    /// The own property of an object that is no proxy. Runs no code.
    pub(super) fn own_raw(&self, name: qjs::JSAtom) -> Own {
        let mut descriptor = qjs::JSPropertyDescriptor {
            flags: 0,
            value: qjs::JS_UNDEFINED,
            getter: qjs::JS_UNDEFINED,
            setter: qjs::JS_UNDEFINED,
        };
        // SAFETY: both are live; where the answer is 1 the descriptor holds owned values.
        let found = unsafe { qjs::JS_GetOwnProperty(context(), &mut descriptor, self.0, name) };
        if found <= 0 {
            if found < 0 {
                drop(super::take_exception());
            }
            return Own::Missing;
        }
        if descriptor.flags & qjs::JS_PROP_GETSET as i32 == 0 {
            return Own::Data(Value(descriptor.value));
        }
        drop((Value(descriptor.getter), Value(descriptor.setter)));
        Own::Accessor
    }

    /// The data property that a lookup would find, unless a getter or a proxy is in the way. Runs no code.
    pub(crate) fn find(&self, name: &Atom) -> Option<Value> {
        // Nobody builds longer chains honestly.
        const MAX_CHAIN: usize = 64;
        let mut holder = Value::from_borrowed(self.0);
        for _ in 0..MAX_CHAIN {
            match holder.own(name) {
                Some(Slot::Data(value)) => return Some(value),
                Some(Slot::Accessor { .. }) => return None,
                None => holder = holder.prototype()?,
            }
        }
        None
    }

    /// Defines an own property; setters and prototypes have no say.
    pub(crate) fn define(&self, name: &Atom, value: Value, flags: Flags) -> JsResult<()> {
        // SAFETY: all are live; the engine takes `value` over.
        done(unsafe {
            qjs::JS_DefinePropertyValue(context(), self.0, name.raw(), value.into_raw(), flags.0)
        })
    }

    pub(crate) fn delete(&self, name: &Atom) -> JsResult<()> {
        // SAFETY: both are live.
        done(unsafe { qjs::JS_DeleteProperty(context(), self.0, name.raw(), 0) })
    }

    pub(crate) fn prevent_extensions(&self) -> JsResult<()> {
        // SAFETY: `self` is live.
        done(unsafe { qjs::JS_PreventExtensions(context(), self.0) })
    }

    /// An array's length.
    pub(crate) fn length(&self) -> JsResult<usize> {
        let mut length = 0;
        // SAFETY: `self` is live; the result is written before success is reported.
        done(unsafe { qjs::JS_GetLength(context(), self.0, &mut length) })?;
        usize::try_from(length).map_err(|_| Thrown)
    }

    /// Calls a function.
    pub(crate) fn call(&self, this: &Value, arguments: &[Value]) -> JsResult<Value> {
        // SAFETY: all are live; `Value` is transparent, so this is an array of engine values, which the engine copies.
        Value::from_result(unsafe {
            qjs::JS_Call(
                context(),
                self.0,
                this.0,
                arguments.len() as i32,
                arguments.as_ptr().cast_mut().cast(),
            )
        })
    }

    pub(crate) fn promise_state(&self) -> PromiseState {
        // SAFETY: `self` is live; the result is owned.
        unsafe {
            match qjs::JS_PromiseState(context(), self.0) {
                qjs::JSPromiseStateEnum_JS_PROMISE_FULFILLED => {
                    PromiseState::Fulfilled(Value(qjs::JS_PromiseResult(context(), self.0)))
                }
                qjs::JSPromiseStateEnum_JS_PROMISE_REJECTED => {
                    PromiseState::Rejected(Value(qjs::JS_PromiseResult(context(), self.0)))
                }
                _ => PromiseState::Pending,
            }
        }
    }
}

impl Clone for Value {
    fn clone(&self) -> Value {
        Value::from_borrowed(self.0)
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        // SAFETY: this value owns one reference.
        unsafe { qjs::JS_FreeValue(context(), self.0) }
    }
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Value({:?})", self.kind())
    }
}

pub(super) fn done(code: i32) -> JsResult<()> {
    if code < 0 { Err(Thrown) } else { Ok(()) }
}
