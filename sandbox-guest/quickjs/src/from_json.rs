//! JSON text as a value of the program (SPEC A3, A4): built natively by defining properties, with a stack of its own.

use lockgate_guest_core::json::{Reader, Token, fits_f64};
use lockgate_guest_core::path::{self, Step};

use crate::engine::{Atom, Flags, Thrown, Value, take_exception};
use crate::failure;

/// Keys whose atoms are kept at hand while one text is read.
const CACHED_KEYS: usize = 64;

enum Open {
    Array(Vec<Value>),
    Object { object: Value, key: Option<Atom> },
}

struct Builder {
    open: Vec<Open>,
    keys: Vec<(Box<str>, Atom)>,
    /// Where in `keys` the next one is looked for first: records of a list repeat their keys in order.
    next_key: usize,
    max_depth: usize,
}

/// Reads `text`; messages call it `root`.
///
/// # Errors
/// The text is not JSON, is nested too deeply, or holds an integer that a double can't hold.
pub(crate) fn from_json(text: &str, root: &str, max_depth: usize) -> Result<Value, String> {
    let mut builder = Builder {
        open: Vec::new(),
        keys: Vec::new(),
        next_key: 0,
        max_depth,
    };
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

impl Builder {
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
                    }
                };
                self.open.push(open);
                return Ok(None);
            }
            Token::EndArray | Token::EndObject => match self.open.pop() {
                Some(Open::Array(elements)) => Value::array(elements).map_err(thrown)?,
                Some(Open::Object { object, .. }) => object,
                None => return Ok(None),
            },
            Token::Null => Value::NULL,
            Token::Bool(bool) => Value::bool(bool),
            Token::Int(int) => match i32::try_from(int) {
                Ok(small) => Value::int(small),
                Err(_) => integer(int.unsigned_abs(), int < 0)?,
            },
            Token::UInt(int) => integer(int, false)?,
            Token::Float(float) => Value::number(float),
            Token::Str(text) => Value::string(&text).map_err(thrown)?,
        };
        match self.open.last_mut() {
            None => return Ok(Some(value)),
            Some(Open::Array(elements)) => elements.push(value),
            Some(Open::Object { object, key }) => {
                if let Some(key) = key.take() {
                    object.define(&key, value, Flags::ALL).map_err(thrown)?;
                }
            }
        }
        Ok(None)
    }

    fn atom(&mut self, name: &str) -> Atom {
        let (before, after) = self.keys.split_at(self.next_key.min(self.keys.len()));
        let found = after
            .iter()
            .chain(before)
            .position(|(known, _)| **known == *name);
        if let Some(offset) = found {
            let at = (before.len() + offset) % self.keys.len();
            self.next_key = at + 1;
            return self.keys[at].1.clone();
        }
        let atom = Atom::new(name);
        if self.keys.len() < CACHED_KEYS {
            self.keys.push((name.into(), atom.clone()));
            self.next_key = self.keys.len();
        }
        atom
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

fn integer(magnitude: u64, negative: bool) -> Result<Value, String> {
    if !fits_f64(magnitude) {
        let sign = if negative { "-" } else { "" };
        return Err(format!(
            "is the integer {sign}{magnitude}, which a JavaScript number can't hold exactly; have the tool return it as a string"
        ));
    }
    let float = magnitude as f64;
    Ok(Value::number(if negative { -float } else { float }))
}

fn thrown(Thrown: Thrown) -> String {
    format!("can't be built: {}", failure::one_line(&take_exception()))
}
