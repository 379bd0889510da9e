//! The program's `JSON.parse` and `JSON.stringify`. What nearly all calls ask for is done here, with a stack on the heap and
//! without a detour through values of the engine; everything else is left to the engine's own two functions.
//!
//! **Invariant.** Until it is sure that it can answer, this runs no code of the program and changes nothing, so that the
//! engine's function can start afresh: it then reads revivers and replacers, getters, proxies and `toJSON`, and words the
//! errors.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use lockgate_guest_core::json::{write_i64, write_short_number, write_wtf8};

use crate::engine::{
    Atom, Class, Flags, JsResult, Keys, Kind, Own, Value, evaluate, function, take_exception,
};
use crate::from_json::parse_text;
use crate::realm::realm;
use crate::recent::Recent;

/// Levels of nesting that are read here; the engine bounds deeper ones by its stack.
const MAX_READ_DEPTH: usize = 10_000;
/// Levels of nesting that are written: the engine's function would need a stack, and time by the square of the depth.
const MAX_WRITE_DEPTH: usize = 10_000;
/// Levels up to which a new object is just compared with those around it.
const FEW_LEVELS: usize = 32;
/// Bytes that are written here; a longer text needs the engine's way of running out of memory.
const MAX_WRITTEN_BYTES: usize = 16 << 20;
/// Code units of an indentation that count.
const MAX_GAP: usize = 10;

/// The engine's own functions.
struct Engine {
    json: Value,
    parse: Value,
    stringify: Value,
    to_json: Atom,
}

thread_local! {
    static ENGINE: OnceCell<&'static Engine> = const { OnceCell::new() };
}

/// Puts the two functions in the place of the engine's.
pub(crate) fn install() -> JsResult<()> {
    let json = evaluate("JSON", "lockgate:json")?;
    let (parse_name, stringify_name) = (Atom::new("parse"), Atom::new("stringify"));
    let engine = Engine {
        parse: json.get(&parse_name)?,
        stringify: json.get(&stringify_name)?,
        to_json: Atom::new("toJSON"),
        json: json.clone(),
    };
    ENGINE.with(|cell| {
        // A second start of the same instance keeps the first.
        let _ = cell.set(Box::leak(Box::new(engine)));
    });
    json.define(&parse_name, function("parse", 2, parse)?, Flags::BUILTIN)?;
    json.define(
        &stringify_name,
        function("stringify", 3, stringify)?,
        Flags::BUILTIN,
    )
}

fn engine() -> Option<&'static Engine> {
    ENGINE.with(|cell| cell.get().copied())
}

fn parse(_: &Value, arguments: &[Value]) -> JsResult<Value> {
    if let [text, rest @ ..] = arguments
        && text.kind() == Kind::String
        && !rest.first().is_some_and(Value::is_function)
        && let Some(value) = text
            .with_bytes(|bytes| parse_text(std::str::from_utf8(bytes).ok()?, MAX_READ_DEPTH))
            .flatten()
    {
        return Ok(value);
    }
    match engine() {
        Some(engine) => engine.parse.call(&engine.json, arguments),
        None => Ok(Value::UNDEFINED),
    }
}

fn stringify(_: &Value, arguments: &[Value]) -> JsResult<Value> {
    let Some(engine) = engine() else {
        return Ok(Value::UNDEFINED);
    };
    let plain = |at: usize| {
        let value = arguments.get(at)?;
        (!value.is_undefined() && value.kind() != Kind::Null).then_some(value)
    };
    if let Some(value) = arguments.first()
        && plain(1).is_none()
        && let Some(gap) = gap(plain(2))
    {
        match Writer::text(engine, value, gap) {
            Ok(text) => return Value::string(&text),
            Err(Unusual::TooDeep) => {
                let message = format!("the value is nested deeper than {MAX_WRITE_DEPTH} levels");
                return Err(realm().range_error(&message));
            }
            Err(Unusual::Other) => {}
        }
    }
    engine.stringify.call(&engine.json, arguments)
}

/// The indentation that a third argument asks for, where it is a simple one.
fn gap(space: Option<&Value>) -> Option<Vec<u8>> {
    let Some(space) = space else {
        return Some(Vec::new());
    };
    match space.kind() {
        Kind::Int(count) => Some(vec![b' '; usize::try_from(count).unwrap_or(0).min(MAX_GAP)]),
        Kind::String => space
            .with_bytes(|bytes| {
                (bytes.len() <= MAX_GAP && bytes.is_ascii()).then(|| bytes.to_vec())
            })
            .flatten(),
        _ => None,
    }
}

/// Why no text was written.
enum Unusual {
    TooDeep,
    /// The engine's own function has to answer.
    Other,
}

struct Open {
    container: Value,
    slots: Slots,
    next: usize,
    /// Whether something was written into the container.
    filled: bool,
}

enum Slots {
    Elements(u32),
    Members(Keys),
}

struct Writer {
    engine: &'static Engine,
    out: Vec<u8>,
    open: Vec<Open>,
    gap: Vec<u8>,
    keys: Recent<Atom, Box<[u8]>>,
    /// The containers of the deeper levels.
    deep: BTreeSet<u64>,
}

impl Writer {
    fn text(engine: &'static Engine, value: &Value, gap: Vec<u8>) -> Result<String, Unusual> {
        let realm = realm();
        // Arrays and plain objects inherit nothing that the walk would have to consult.
        let array_parent = realm.array_prototype.prototype();
        if !array_parent.is_some_and(|parent| parent.is_same_object(&realm.object_prototype))
            || realm.object_prototype.own(&engine.to_json).is_some()
            || realm.array_prototype.own(&engine.to_json).is_some()
        {
            return Err(Unusual::Other);
        }
        let mut writer = Writer {
            engine,
            out: Vec::new(),
            open: Vec::new(),
            gap,
            keys: Recent::new(),
            deep: BTreeSet::new(),
        };
        writer.write(value.clone())?;
        String::from_utf8(writer.out).map_err(|_| Unusual::Other)
    }

    fn write(&mut self, root: Value) -> Result<(), Unusual> {
        if !is_written(&root)? {
            return Err(Unusual::Other);
        }
        self.value(root)?;
        while let Some(open) = self.open.last_mut() {
            let at = open.next;
            open.next += 1;
            match &open.slots {
                Slots::Elements(length) if at < *length as usize => {
                    let value = match open.container.own_index(at as u32) {
                        Own::Data(value) => value,
                        Own::Missing | Own::Accessor => return Err(Unusual::Other),
                    };
                    let first = !std::mem::replace(&mut open.filled, true);
                    self.separate(first);
                    if is_written(&value)? {
                        self.value(value)?;
                    } else {
                        self.out.extend_from_slice(b"null");
                    }
                }
                Slots::Members(keys) if at < keys.len() => {
                    let value = match keys.own(&open.container, at) {
                        Own::Data(value) => value,
                        Own::Missing | Own::Accessor => return Err(Unusual::Other),
                    };
                    if !is_written(&value)? {
                        continue;
                    }
                    let key = keys.get(at).ok_or(Unusual::Other)?;
                    let first = !std::mem::replace(&mut open.filled, true);
                    self.separate(first);
                    self.key(key)?;
                    self.value(value)?;
                }
                Slots::Elements(_) => self.close(b']'),
                Slots::Members(_) => self.close(b'}'),
            }
        }
        Ok(())
    }

    /// Writes what stands before an element or a member.
    fn separate(&mut self, first: bool) {
        if !first {
            self.out.push(b',');
        }
        self.indent();
    }

    fn indent(&mut self) {
        if !self.gap.is_empty() {
            self.out.push(b'\n');
            for _ in 0..self.open.len() {
                self.out.extend_from_slice(&self.gap);
            }
        }
    }

    fn close(&mut self, bracket: u8) {
        if let Some(open) = self.open.pop() {
            if self.open.len() >= FEW_LEVELS {
                self.deep.remove(&open.container.identity());
            }
            if open.filled {
                self.indent();
            }
        }
        self.out.push(bracket);
    }

    fn value(&mut self, value: Value) -> Result<(), Unusual> {
        match value.kind() {
            Kind::Null => self.out.extend_from_slice(b"null"),
            Kind::Bool(true) => self.out.extend_from_slice(b"true"),
            Kind::Bool(false) => self.out.extend_from_slice(b"false"),
            Kind::Int(int) => write_i64(&mut self.out, int.into()),
            Kind::Float(float) if !float.is_finite() => self.out.extend_from_slice(b"null"),
            Kind::Float(float) => {
                if !write_short_number(&mut self.out, float) {
                    self.engine_number(&value)?;
                }
            }
            Kind::String => value
                .with_bytes(|bytes| write_wtf8(&mut self.out, bytes))
                .and_then(Result::ok)
                .ok_or(Unusual::Other)?,
            Kind::Object => self.object(value)?,
            Kind::Undefined | Kind::Symbol | Kind::BigInt | Kind::Internal => {
                return Err(Unusual::Other);
            }
        }
        if self.out.len() > MAX_WRITTEN_BYTES {
            return Err(Unusual::Other);
        }
        Ok(())
    }

    /// A number whose text needs an exponent or many digits.
    fn engine_number(&mut self, value: &Value) -> Result<(), Unusual> {
        let text = value.convert_to_string().map_err(|_| {
            drop(take_exception());
            Unusual::Other
        })?;
        text.with_bytes(|bytes| self.out.extend_from_slice(bytes))
            .ok_or(Unusual::Other)
    }

    fn object(&mut self, value: Value) -> Result<(), Unusual> {
        let class = value.class();
        let prototype = match class {
            Class::Plain => &realm().object_prototype,
            Class::Array => &realm().array_prototype,
            _ => return Err(Unusual::Other),
        };
        let inherits = match value.prototype() {
            Some(found) => found.is_same_object(prototype),
            None => class == Class::Plain,
        };
        let around = &self.open[..self.open.len().min(FEW_LEVELS)];
        if !inherits
            || value.has_own(&self.engine.to_json)
            || around
                .iter()
                .any(|open| open.container.is_same_object(&value))
        {
            return Err(Unusual::Other);
        }
        if self.open.len() >= MAX_WRITE_DEPTH {
            return Err(Unusual::TooDeep);
        }
        if self.open.len() >= FEW_LEVELS && !self.deep.insert(value.identity()) {
            return Err(Unusual::Other);
        }
        let unusual = |_| {
            drop(take_exception());
            Unusual::Other
        };
        let slots = if class == Class::Array {
            let length = value.length().map_err(unusual)?;
            self.out.push(b'[');
            Slots::Elements(u32::try_from(length).map_err(|_| Unusual::Other)?)
        } else {
            self.out.push(b'{');
            Slots::Members(value.string_keys().map_err(unusual)?)
        };
        self.open.push(Open {
            container: value,
            slots,
            next: 0,
            filled: false,
        });
        Ok(())
    }

    fn key(&mut self, key: Atom) -> Result<(), Unusual> {
        if let Some(written) = self.keys.find(|cached| *cached == key) {
            self.out.extend_from_slice(written);
            return Ok(());
        }
        let start = self.out.len();
        key.to_string_value()
            .with_bytes(|bytes| write_wtf8(&mut self.out, bytes))
            .and_then(Result::ok)
            .ok_or(Unusual::Other)?;
        self.out.push(b':');
        if !self.gap.is_empty() {
            self.out.push(b' ');
        }
        self.keys.keep(key, self.out[start..].into());
        Ok(())
    }
}

/// Whether a value has a JSON form at all.
fn is_written(value: &Value) -> Result<bool, Unusual> {
    match value.kind() {
        Kind::Undefined | Kind::Symbol => Ok(false),
        Kind::BigInt | Kind::Internal => Err(Unusual::Other),
        _ => Ok(true),
    }
}
