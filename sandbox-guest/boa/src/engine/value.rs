//! Values of the program, and what can be asked of them without running the program's code.

use boa_engine::builtins::array_buffer::ArrayBuffer;
use boa_engine::builtins::date::Date;
use boa_engine::builtins::error::Error;
use boa_engine::builtins::promise::Promise;
use boa_engine::builtins::proxy::Proxy;
use boa_engine::builtins::regexp::RegExp;
use boa_engine::builtins::typed_array::TypedArray;
use boa_engine::object::builtins::{
    AlignedVec, JsArray, JsArrayBuffer, JsDataView, JsMap, JsPromise, JsSet, JsUint8Array,
};
use boa_engine::property::PropertyDescriptor;
use boa_engine::{JsObject, JsString, JsValue, JsVariant};

use super::atom::Atom;
use super::context::{context, settle};
use super::function::lent;
use super::{JsResult, Thrown, host_object};

/// One reference to a value.
#[derive(Clone)]
#[repr(transparent)]
pub(crate) struct Value(JsValue);

/// What a value is.
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
    /// Nothing that a program can hold. Not in this engine.
    #[expect(dead_code, reason = "the shared sources know it from another engine")]
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
pub(crate) struct Flags {
    enumerable: bool,
    changeable: bool,
}

impl Flags {
    /// An ordinary property, as an assignment makes it.
    pub(crate) const ALL: Flags = Flags {
        enumerable: true,
        changeable: true,
    };
    /// Enumerable, never to be changed.
    pub(crate) const ENUMERABLE: Flags = Flags {
        enumerable: true,
        changeable: false,
    };
    /// As built-in functions are: not enumerable, may be replaced.
    pub(crate) const BUILTIN: Flags = Flags {
        enumerable: false,
        changeable: true,
    };
}

impl<T: Into<JsValue>> From<T> for Value {
    fn from(value: T) -> Value {
        Value(value.into())
    }
}

impl Value {
    pub(crate) const UNDEFINED: Value = Value(JsValue::undefined());
    pub(crate) const NULL: Value = Value(JsValue::null());

    pub(super) fn js(&self) -> &JsValue {
        &self.0
    }

    pub(super) fn into_js(self) -> JsValue {
        self.0
    }

    pub(crate) fn bool(value: bool) -> Value {
        Value(value.into())
    }

    pub(crate) fn number(value: f64) -> Value {
        Value(value.into())
    }

    pub(crate) fn int(value: i32) -> Value {
        Value(value.into())
    }

    pub(crate) fn string(text: &str) -> JsResult<Value> {
        Ok(Value(JsString::from(text).into()))
    }

    pub(crate) fn object() -> JsResult<Value> {
        Ok(Value(context(|context| {
            JsObject::with_object_proto(context.intrinsics()).into()
        })))
    }

    pub(crate) fn array(elements: Vec<Value>) -> JsResult<Value> {
        Ok(Value(context(|context| {
            JsArray::from_iter(elements.into_iter().map(Value::into_js), context).into()
        })))
    }

    /// A copy of the bytes as a new `Uint8Array`.
    pub(crate) fn uint8_array(bytes: &[u8]) -> JsResult<Value> {
        settle(context(|context| {
            let block = AlignedVec::from_iter(0, bytes.iter().copied());
            let buffer = JsArrayBuffer::from_byte_block(block, context)?;
            JsUint8Array::from_array_buffer(buffer, context).map(Value::from)
        }))
    }

    pub(crate) fn kind(&self) -> Kind {
        match self.0.variant() {
            JsVariant::Undefined => Kind::Undefined,
            JsVariant::Null => Kind::Null,
            JsVariant::Boolean(bool) => Kind::Bool(bool),
            JsVariant::Integer32(int) => Kind::Int(int),
            JsVariant::Float64(float) => Kind::Float(float),
            JsVariant::String(_) => Kind::String,
            JsVariant::Symbol(_) => Kind::Symbol,
            JsVariant::BigInt(_) => Kind::BigInt,
            JsVariant::Object(_) => Kind::Object,
        }
    }

    pub(crate) fn is_undefined(&self) -> bool {
        self.0.is_undefined()
    }

    pub(crate) fn is_object(&self) -> bool {
        self.0.is_object()
    }

    pub(crate) fn is_function(&self) -> bool {
        self.0.is_callable()
    }

    pub(crate) fn as_number(&self) -> Option<f64> {
        self.0.as_number()
    }

    /// Whether both are the same object.
    pub(crate) fn is_same_object(&self, other: &Value) -> bool {
        match (self.0.as_object(), other.0.as_object()) {
            (Some(one), Some(other)) => JsObject::equals(&one, &other),
            _ => false,
        }
    }

    pub(crate) fn class(&self) -> Class {
        let Some(object) = self.0.as_object() else {
            return Class::Other;
        };
        if object.is_ordinary() {
            Class::Plain
        } else if object.is_array() {
            Class::Array
        } else if object.is::<Proxy>() {
            if host_object::number(&object).is_some() {
                Class::Other
            } else {
                Class::Proxy
            }
        } else if object.is_callable() {
            Class::Function
        } else if object.is::<Error>() {
            Class::Error
        } else if object.is::<Promise>() {
            Class::Promise
        } else if object.is::<Date>() {
            Class::Date
        } else if object.is::<RegExp>() {
            Class::RegExp
        } else if JsMap::from_object(object.clone()).is_ok() {
            Class::Map
        } else if JsSet::from_object(object).is_ok() {
            Class::Set
        } else {
            Class::Other
        }
    }

    /// The name of the built-in class, e.g. `Uint8Array`.
    pub(crate) fn class_name(&self) -> String {
        let Some(object) = self.0.as_object() else {
            return String::new();
        };
        if object.is::<ArrayBuffer>() {
            "ArrayBuffer"
        } else if JsDataView::from_object(object.clone()).is_ok() {
            "DataView"
        } else if object.is::<TypedArray>() {
            "TypedArray"
        } else {
            "Object"
        }
        .into()
    }

    /// The prototype of an object that is no proxy.
    pub(crate) fn prototype(&self) -> Option<Value> {
        let object = self.0.as_object()?;
        if object.is::<Proxy>() {
            return None;
        }
        object.prototype().map(Value::from)
    }

    pub(crate) fn set_prototype(&self, prototype: &Value) -> JsResult<()> {
        if let Some(object) = self.0.as_object() {
            object.set_prototype(prototype.0.as_object());
        }
        Ok(())
    }

    /// The engine does not tell it.
    pub(crate) fn proxy_target(&self) -> Option<Value> {
        None
    }

    /// JavaScript's `String(value)`; runs the program's code where the value is an object.
    pub(crate) fn convert_to_string(&self) -> JsResult<Value> {
        settle(context(|context| self.0.to_string(context))).map(Value::from)
    }

    /// JavaScript's `Number(value)`; runs the program's code where the value is an object.
    pub(crate) fn convert_to_number(&self) -> JsResult<f64> {
        settle(context(|context| self.0.to_number(context)))
    }

    pub(crate) fn convert_to_bool(&self) -> bool {
        self.0.to_boolean()
    }

    /// Reads a property; runs getters and proxies.
    pub(crate) fn get(&self, name: &Atom) -> JsResult<Value> {
        let Some(object) = self.0.as_object() else {
            return Ok(Value::UNDEFINED);
        };
        settle(context(|context| object.get(name.key().clone(), context))).map(Value)
    }

    /// Reads an element; runs getters and proxies.
    pub(crate) fn get_index(&self, index: u32) -> JsResult<Value> {
        let Some(object) = self.0.as_object() else {
            return Ok(Value::UNDEFINED);
        };
        settle(context(|context| object.get(index, context))).map(Value)
    }

    /// The own property of an object that is no proxy. Runs no code.
    pub(crate) fn own(&self, name: &Atom) -> Option<Slot> {
        let object = self.0.as_object()?;
        if let Some(number) = host_object::number(&object) {
            return host_object::own(number, name).map(Slot::Data);
        }
        if object.is::<Proxy>() {
            return None;
        }
        if object.is::<TypedArray>()
            && let boa_engine::property::PropertyKey::Index(index) = name.key()
        {
            // Elements are read from the buffer.
            let element = self.get_index(index.get()).ok()?;
            return (!element.is_undefined()).then_some(Slot::Data(element));
        }
        let property = object.borrow().properties().get(name.key())?;
        let is_set = |function: Option<&JsValue>| function.is_some_and(|f| !f.is_undefined());
        Some(if property.is_accessor_descriptor() {
            Slot::Accessor {
                getter: is_set(property.get()),
                setter: is_set(property.set()),
            }
        } else {
            Slot::Data(Value(property.value().cloned().unwrap_or_default()))
        })
    }

    /// The own property of an object that is no proxy. Runs no code.
    pub(super) fn own_property(&self, name: &Atom) -> Own {
        match self.own(name) {
            None => Own::Missing,
            Some(Slot::Data(value)) => Own::Data(value),
            Some(Slot::Accessor { .. }) => Own::Accessor,
        }
    }

    /// The own element of an object that is no proxy. Runs no code.
    pub(crate) fn own_index(&self, index: u32) -> Own {
        self.own_property(&Atom::from_key(index.into()))
    }

    /// Whether an object that is no proxy has this own property. Runs no code.
    pub(crate) fn has_own(&self, name: &Atom) -> bool {
        self.own(name).is_some()
    }

    /// A number that no other live object has.
    pub(crate) fn identity(&self) -> u64 {
        self.0.as_object().map_or(0, |object| {
            std::ptr::from_ref(object.as_ref()).addr() as u64
        })
    }

    /// The data property that a lookup would find, unless a getter or a proxy is in the way. Runs no code.
    pub(crate) fn find(&self, name: &Atom) -> Option<Value> {
        // Nobody builds longer chains honestly.
        const MAX_CHAIN: usize = 64;
        let mut holder = self.clone();
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
        let Some(object) = self.0.as_object() else {
            return Err(Thrown);
        };
        let property = PropertyDescriptor::builder()
            .value(value.0)
            .writable(flags.changeable)
            .enumerable(flags.enumerable)
            .configurable(flags.changeable);
        let defined = context(|context| {
            object.define_property_or_throw(name.key().clone(), property, context)
        });
        settle(defined).map(drop)
    }

    pub(crate) fn delete(&self, name: &Atom) -> JsResult<()> {
        let Some(object) = self.0.as_object() else {
            return Ok(());
        };
        let deleted =
            context(|context| object.delete_property_or_throw(name.key().clone(), context));
        settle(deleted).map(drop)
    }

    /// An array's length.
    pub(crate) fn length(&self) -> JsResult<usize> {
        let length = self.get(&Atom::new("length"))?;
        Ok(length.as_number().unwrap_or_default() as usize)
    }

    /// Calls a function.
    pub(crate) fn call(&self, this: &Value, arguments: &[Value]) -> JsResult<Value> {
        let Some(function) = self.0.as_object() else {
            return Err(super::context::pend(
                boa_engine::JsNativeError::typ()
                    .with_message("not a function")
                    .into(),
            ));
        };
        settle(context(|context| {
            function.call(&this.0, lent(arguments), context)
        }))
        .map(Value)
    }

    pub(crate) fn promise_state(&self) -> PromiseState {
        use boa_engine::builtins::promise::PromiseState as State;
        let promise = self
            .0
            .as_object()
            .and_then(|object| JsPromise::from_object(object).ok());
        match promise.map(|promise| promise.state()) {
            Some(State::Fulfilled(value)) => PromiseState::Fulfilled(Value(value)),
            Some(State::Rejected(reason)) => PromiseState::Rejected(Value(reason)),
            Some(State::Pending) | None => PromiseState::Pending,
        }
    }
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Value({:?})", self.kind())
    }
}
