//! JSON text as a value of the program (SPEC A3, A4): built natively by defining properties, with a stack of its own.

use lockgate_guest_core::json::{Reader, Token, fits_f64};
use lockgate_guest_core::path::{self, Step};

use crate::engine::{Atom, Flags, Thrown, Value, take_exception};
use crate::failure;
use crate::recent::Recent;

/// Members of an object up to which later objects like it are made faster, and places for kinds of objects.
const MAX_SHARED_MEMBERS: u32 = 32;
const KINDS: usize = 64;

enum Open {
    Array(Vec<Value>),
    Object {
        object: Value,
        key: Option<Atom>,
        kind: Kind,
    },
}

/// The names of an object's members so far, as a number, and how many there are.
#[derive(Clone, Copy, Default, PartialEq)]
struct Kind {
    hash: u32,
    members: u32,
}

/// What is known of the objects of a kind.
#[derive(Clone, Copy, Default)]
struct Known {
    kind: Kind,
    prepared: bool,
}

struct Builder {
    open: Vec<Open>,
    keys: Recent<Box<str>, Atom>,
    kinds: [Known; KINDS],
    /// Objects that have only the first members of the objects of some kind. The engine shares the layout of objects that it
    /// finds alive: with these, an object of a list gets no layout of its own until its last member is there.
    beginnings: Vec<Value>,
    max_depth: usize,
    /// Whether an integer that a double can't hold is rounded instead of refused.
    rounds: bool,
}

/// Reads `text` as `JSON.parse` does. `None` where this reader refuses the text: what crosses to a program is held to more
/// than what a program reads by itself.
pub(crate) fn parse_text(text: &str, max_depth: usize) -> Option<Value> {
    let mut builder = Builder::new(max_depth, true);
    let mut reader = Reader::new(text);
    let mut result = None;
    while let Some(token) = reader.next_token().ok()? {
        if let Some(value) = builder.token(token).ok()? {
            result = Some(value);
        }
    }
    result
}

/// Reads `text`; messages call it `root`.
///
/// # Errors
/// The text is not JSON, is nested too deeply, or holds an integer that a double can't hold.
pub(crate) fn from_json(text: &str, root: &str, max_depth: usize) -> Result<Value, String> {
    let mut builder = Builder::new(max_depth, false);
    let mut reader = Reader::new(text);
    let mut result = Value::NULL;
    loop {
        let token = match reader.next_token() {
            Ok(Some(token)) => token,
            Ok(None) => return Ok(result),
            Err(error) => return Err(format!("{} is not JSON: {error}", builder.path(root))),
        };
        match builder.token(token) {
            Ok(Some(value)) => result = value,
            Ok(None) => {}
            Err(problem) => return Err(format!("{} {problem}", builder.path(root))),
        }
    }
}

impl Kind {
    fn add(&mut self, key: &Atom) {
        self.hash = (self.hash.rotate_left(5) ^ key.number()).wrapping_mul(0x9e37_79b9);
        self.members += 1;
    }
}

impl Builder {
    fn new(max_depth: usize, rounds: bool) -> Builder {
        Builder {
            open: Vec::new(),
            keys: Recent::new(),
            kinds: [Known::default(); KINDS],
            beginnings: Vec::new(),
            max_depth,
            rounds,
        }
    }

    /// Takes a token; gives the whole value after the last one.
    fn token(&mut self, token: Token<'_>) -> Result<Option<Value>, String> {
        let value = match token {
            Token::Key(name) => {
                let atom = self.atom(&name);
                if let Some(Open::Object { key, .. }) = self.open.last_mut() {
                    *key = Some(atom);
                }
                return Ok(None);
            }
            Token::BeginArray | Token::BeginObject => {
                if self.open.len() >= self.max_depth {
                    return Err(format!("is nested deeper than {} levels", self.max_depth));
                }
                let open = if token == Token::BeginArray {
                    Open::Array(Vec::new())
                } else {
                    Open::Object {
                        object: Value::object().map_err(thrown)?,
                        key: None,
                        kind: Kind::default(),
                    }
                };
                self.open.push(open);
                return Ok(None);
            }
            Token::EndArray | Token::EndObject => match self.open.pop() {
                Some(Open::Array(elements)) => Value::array(elements).map_err(thrown)?,
                Some(Open::Object { object, kind, .. }) => {
                    self.ended(&object, kind);
                    object
                }
                None => return Ok(None),
            },
            Token::Null => Value::NULL,
            Token::Bool(bool) => Value::bool(bool),
            Token::Int(int) => match i32::try_from(int) {
                Ok(small) => Value::int(small),
                Err(_) => self.integer(int.unsigned_abs(), int < 0)?,
            },
            Token::UInt(int) => self.integer(int, false)?,
            Token::Float(float) => Value::number(float),
            Token::Str(text) => Value::string(&text).map_err(thrown)?,
        };
        match self.open.last_mut() {
            None => return Ok(Some(value)),
            Some(Open::Array(elements)) => elements.push(value),
            Some(Open::Object { object, key, kind }) => {
                if let Some(key) = key.take() {
                    kind.add(&key);
                    object.define(&key, value, Flags::ALL).map_err(thrown)?;
                }
            }
        }
        Ok(None)
    }

    /// An object is complete. The second one of a kind tells that there may be many.
    fn ended(&mut self, object: &Value, kind: Kind) {
        if kind.members < 2 || kind.members > MAX_SHARED_MEMBERS {
            return;
        }
        let known = &mut self.kinds[kind.hash as usize % KINDS];
        if known.kind != kind {
            *known = Known {
                kind,
                prepared: false,
            };
            return;
        }
        if !std::mem::replace(&mut known.prepared, true)
            && self.beginnings.len() < KINDS * MAX_SHARED_MEMBERS as usize
        {
            self.prepare(object);
        }
    }

    fn prepare(&mut self, object: &Value) {
        let Ok(keys) = object.keys() else {
            return drop(take_exception());
        };
        for members in 1..keys.len() {
            let beginning = Value::object().and_then(|beginning| {
                for key in (0..members).filter_map(|at| keys.get(at)) {
                    beginning.define(&key, Value::NULL, Flags::ALL)?;
                }
                Ok(beginning)
            });
            match beginning {
                Ok(beginning) => self.beginnings.push(beginning),
                Err(Thrown) => return drop(take_exception()),
            }
        }
    }

    fn atom(&mut self, name: &str) -> Atom {
        if let Some(atom) = self.keys.find(|known| **known == *name) {
            return atom.clone();
        }
        let atom = Atom::new(name);
        self.keys.keep(name.into(), atom.clone());
        atom
    }

    fn integer(&self, magnitude: u64, negative: bool) -> Result<Value, String> {
        if !self.rounds && !fits_f64(magnitude) {
            let sign = if negative { "-" } else { "" };
            return Err(format!(
                "is the integer {sign}{magnitude}, which a JavaScript number can't hold exactly; have the tool return it as a string"
            ));
        }
        let float = magnitude as f64;
        Ok(Value::number(if negative { -float } else { float }))
    }

    fn path(&self, root: &str) -> String {
        let names: Vec<Result<String, usize>> = self
            .open
            .iter()
            .filter_map(|open| match open {
                Open::Array(elements) => Some(Err(elements.len())),
                Open::Object { key, .. } => key.as_ref().map(|key| Ok(key.to_text())),
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

fn thrown(Thrown: Thrown) -> String {
    format!("can't be built: {}", failure::one_line(&take_exception()))
}
