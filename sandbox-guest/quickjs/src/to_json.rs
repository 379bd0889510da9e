//! A value of the program as JSON text (SPEC A): a walk with a stack of its own over the engine's values. It consults no
//! `toJSON`, no prototype and no global, reads each slot once, and says where a value is not lossless JSON.

use lockgate_guest_core::json::{write_f64, write_i64, write_wtf8};
use lockgate_guest_core::lossless::{Found, NotJson};
use lockgate_guest_core::path::{self, Step};

use crate::engine::{Atom, Class, Keys, Kind, Thrown, Value, take_exception};
use crate::failure;
use crate::realm::realm;
use crate::recent::Recent;

/// What the text may not pass.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) max_depth: usize,
    pub(crate) max_bytes: usize,
}

/// A container that is being written.
struct Open {
    container: Value,
    slots: Slots,
    next: usize,
}

enum Slots {
    Elements(usize),
    Members(Keys),
}

struct Writer {
    out: Vec<u8>,
    open: Vec<Open>,
    bounds: Bounds,
    keys: Recent<Atom, Box<[u8]>>,
}

/// Writes `value`; messages call it `root`.
pub(crate) fn to_json(value: &Value, root: &str, bounds: Bounds) -> Result<String, NotJson> {
    let mut writer = Writer {
        out: Vec::new(),
        open: Vec::new(),
        bounds,
        keys: Recent::new(),
    };
    match writer.write(value.clone()) {
        // What is written is ASCII and what the engine gives as UTF-8.
        Ok(()) => Ok(String::from_utf8(writer.out)
            .unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned())),
        Err(found) => Err(NotJson {
            path: writer.path(root),
            found,
        }),
    }
}

impl Writer {
    fn write(&mut self, root: Value) -> Result<(), Found> {
        self.value(root)?;
        while let Some(open) = self.open.last_mut() {
            let at = open.next;
            open.next += 1;
            let slot = match &open.slots {
                Slots::Elements(length) if at < *length => {
                    if at > 0 {
                        self.out.push(b',');
                    }
                    // An index of an array is below 2^32.
                    open.container.get_index(at as u32)
                }
                Slots::Members(keys) if at < keys.len() => {
                    let Some(key) = keys.get(at) else { break };
                    let slot = open.container.get(&key);
                    if at > 0 {
                        self.out.push(b',');
                    }
                    self.key(key)?;
                    slot
                }
                Slots::Elements(_) => {
                    self.out.push(b']');
                    self.open.pop();
                    continue;
                }
                Slots::Members(_) => {
                    self.out.push(b'}');
                    self.open.pop();
                    continue;
                }
            };
            match slot {
                Ok(value) => self.value(value)?,
                Err(Thrown) => {
                    return Err(Found::GetterThrew(failure::one_line(&take_exception())));
                }
            }
        }
        Ok(())
    }

    fn value(&mut self, value: Value) -> Result<(), Found> {
        match value.kind() {
            Kind::Null => self.out.extend_from_slice(b"null"),
            Kind::Bool(true) => self.out.extend_from_slice(b"true"),
            Kind::Bool(false) => self.out.extend_from_slice(b"false"),
            Kind::Int(int) => write_i64(&mut self.out, int.into()),
            Kind::Float(float) => self.float(float)?,
            Kind::String => {
                let written = value.with_bytes(|bytes| {
                    if bytes.len() > self.bounds.max_bytes {
                        return Err(Found::TooLong(self.bounds.max_bytes));
                    }
                    write_wtf8(&mut self.out, bytes).map_err(|_| Found::LoneSurrogate)
                });
                written.unwrap_or(Err(Found::TooLong(self.bounds.max_bytes)))?;
            }
            Kind::Object => self.object(value)?,
            Kind::Undefined => return Err(Found::Undefined),
            Kind::Symbol => return Err(Found::Symbol),
            Kind::BigInt => return Err(Found::BigInt),
            Kind::Internal => return Err(Found::Undefined),
        }
        if self.out.len() > self.bounds.max_bytes {
            Err(Found::TooLong(self.bounds.max_bytes))
        } else {
            Ok(())
        }
    }

    fn float(&mut self, float: f64) -> Result<(), Found> {
        if float.is_nan() {
            return Err(Found::NaN);
        }
        if float.is_infinite() {
            return Err(Found::Infinity);
        }
        if float == 0.0 && float.is_sign_negative() {
            return Err(Found::NegativeZero);
        }
        write_f64(&mut self.out, float);
        Ok(())
    }

    fn object(&mut self, value: Value) -> Result<(), Found> {
        let class = value.class();
        match class {
            Class::Plain | Class::Array => {}
            Class::Function => return Err(Found::Function),
            Class::Promise => return Err(Found::Promise),
            Class::Proxy => return Err(Found::Proxy),
            _ => return Err(Found::Instance(failure::class_name(&value))),
        }
        let expected = if class == Class::Array {
            &realm().array_prototype
        } else {
            &realm().object_prototype
        };
        match value.prototype() {
            None if class == Class::Plain => {}
            Some(prototype) if prototype.is_same_object(expected) => {}
            _ => return Err(Found::Instance(failure::class_name(&value))),
        }
        if self.open.len() >= self.bounds.max_depth {
            return Err(Found::TooDeep(self.bounds.max_depth));
        }
        if self
            .open
            .iter()
            .any(|open| open.container.is_same_object(&value))
        {
            return Err(Found::Cycle);
        }
        let threw = |Thrown| Found::GetterThrew(failure::one_line(&take_exception()));
        let keys = value.keys().map_err(threw)?;
        let slots = if class == Class::Array {
            let length = value.length().map_err(threw)?;
            check_elements(&keys, length)?;
            self.out.push(b'[');
            Slots::Elements(length)
        } else {
            self.out.push(b'{');
            Slots::Members(keys)
        };
        self.open.push(Open {
            container: value,
            slots,
            next: 0,
        });
        Ok(())
    }

    fn key(&mut self, key: Atom) -> Result<(), Found> {
        if let Some(written) = self.keys.find(|cached| *cached == key) {
            self.out.extend_from_slice(written);
            return Ok(());
        }
        let name = key.to_value();
        if name.kind() != Kind::String {
            // The path ends at the object: a symbol has no place in it.
            self.open.pop();
            return Err(Found::SymbolKey);
        }
        let start = self.out.len();
        name.with_bytes(|bytes| write_wtf8(&mut self.out, bytes))
            .unwrap_or(Ok(()))
            .map_err(|_| Found::LoneSurrogate)?;
        self.out.push(b':');
        self.keys.keep(key, self.out[start..].into());
        Ok(())
    }

    /// Where the walk stands.
    fn path(&self, root: &str) -> String {
        let names: Vec<Result<String, usize>> = self
            .open
            .iter()
            .filter_map(|open| {
                let at = open.next.checked_sub(1)?;
                Some(match &open.slots {
                    Slots::Elements(_) => Err(at),
                    Slots::Members(keys) => Ok(keys.get(at)?.to_text()),
                })
            })
            .collect();
        path::format(
            root,
            names.iter().map(|name| match name {
                Ok(key) => Step::Key(key),
                Err(index) => Step::Index(*index),
            }),
        )
    }
}

/// An array's enumerable keys are its indices and nothing else.
fn check_elements(keys: &Keys, length: usize) -> Result<(), Found> {
    if keys.len() == length && (length == 0 || keys.is_index(length - 1, length - 1)) {
        return Ok(());
    }
    let indices = (0..keys.len())
        .take_while(|&at| keys.is_index(at, at))
        .count();
    match keys.get(indices) {
        Some(extra) if indices == length => {
            if extra.to_value().kind() == Kind::Symbol {
                Err(Found::SymbolKey)
            } else {
                Err(Found::ArrayProperty(extra.to_text()))
            }
        }
        _ => Err(Found::SparseArray),
    }
}
