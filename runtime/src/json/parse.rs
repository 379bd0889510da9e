//! Text to JSON: strict, iterative, and within limits.

use std::sync::Arc;

use indexmap::IndexMap;
use indexmap::map::Entry;

use super::number::negative_zero;
use super::path::Segment;
use super::{Json, JsonError, JsonErrorKind, MAX_DEPTH, Number, Object};

/// What [`Json::parse_with`] accepts.
#[derive(Clone, Debug)]
pub struct ParseOptions {
    /// The deepest nesting, in levels. Default [`MAX_DEPTH`].
    pub max_depth: usize,
    /// The longest text, in bytes. Default: no limit, for the caller holds the text already.
    pub max_bytes: usize,
    /// The most memory that the value may take, in bytes: its lists, members and texts, not to the last byte. A list of
    /// empty lists takes sixteen times its text. Default: no limit.
    pub max_memory: usize,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self {
            max_depth: MAX_DEPTH,
            max_bytes: usize::MAX,
            max_memory: usize::MAX,
        }
    }
}

impl Json {
    /// Reads one JSON value and nothing after it, up to [`MAX_DEPTH`] levels deep.
    ///
    /// # Errors
    /// Text that is not strict JSON; a duplicate key; a lone surrogate; -0; a number that can't be held without loss.
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        Self::parse_with(text, &ParseOptions::default())
    }

    /// Reads one JSON value within the given limits.
    ///
    /// # Errors
    /// As [`Json::parse`], and what passes a limit.
    pub fn parse_with(text: &str, options: &ParseOptions) -> Result<Self, JsonError> {
        if text.len() > options.max_bytes {
            let detail = format!(
                "the JSON text has {} bytes, the limit is {}; send less, or send it in parts",
                text.len(),
                options.max_bytes
            );
            return Err(JsonError::new(JsonErrorKind::Size, detail));
        }
        let mut parser = Parser {
            text,
            bytes: text.as_bytes(),
            position: 0,
            frames: Vec::new(),
            keys: [const { None }; KEYS],
            memory_left: options.max_memory,
        };
        parser
            .document(options.max_depth)
            .map_err(|error| parser.locate(error))
    }
}

/// Counts memory that a value takes.
fn charge(left: &mut usize, bytes: usize) -> Result<(), JsonError> {
    *left = left.checked_sub(bytes).ok_or_else(|| {
        let detail = "the value takes more memory than its limit; send less, or send it in parts";
        JsonError::new(JsonErrorKind::Size, detail.to_owned())
    })?;
    Ok(())
}

enum Frame {
    Array(Vec<Json>),
    Object {
        members: IndexMap<Arc<str>, Json>,
        key: Option<Arc<str>>,
    },
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    position: usize,
    frames: Vec<Frame>,
    /// Keys that were read lately: lists of like objects share their keys.
    keys: [Option<Arc<str>>; KEYS],
    memory_left: usize,
}

/// Memory of a text beside its bytes, of a member with its place in the index, and of an object beside its members.
const TEXT_BYTES: usize = 2 * size_of::<usize>();
const MEMBER_BYTES: usize = size_of::<(usize, Arc<str>, Json)>() + 10;
const OBJECT_BYTES: usize = size_of::<IndexMap<Arc<str>, Json>>() + 2 * size_of::<usize>();

/// Keys that are remembered.
const KEYS: usize = 64;

impl Parser<'_> {
    fn document(&mut self, max_depth: usize) -> Result<Json, JsonError> {
        loop {
            // Here a value begins.
            self.skip_space();
            let mut value = match self.peek() {
                Some(b'[') => {
                    self.enter(max_depth, Frame::Array(Vec::new()))?;
                    self.skip_space();
                    if self.peek() != Some(b']') {
                        continue;
                    }
                    self.leave()
                }
                Some(b'{') => {
                    self.enter(
                        max_depth,
                        Frame::Object {
                            members: IndexMap::new(),
                            key: None,
                        },
                    )?;
                    self.skip_space();
                    if self.peek() != Some(b'}') {
                        self.key()?;
                        continue;
                    }
                    self.leave()
                }
                _ => self.scalar()?,
            };
            // Here a value has ended.
            loop {
                self.skip_space();
                let next = self.peek();
                match self.frames.last_mut() {
                    None if next.is_none() => return Ok(value),
                    None => return Err(self.unexpected("the end of the text")),
                    Some(Frame::Array(elements)) => {
                        if elements.len() == elements.capacity() {
                            // It is about to grow to the double.
                            let more = elements.capacity().max(4);
                            charge(&mut self.memory_left, more * size_of::<Json>())?;
                        }
                        elements.push(value);
                        match next {
                            Some(b',') => {
                                self.position += 1;
                                break;
                            }
                            Some(b']') => value = self.leave(),
                            _ => return Err(self.unexpected("`,` or `]`")),
                        }
                    }
                    Some(Frame::Object { members, key }) => {
                        if members.len() == members.capacity() {
                            let more = members.capacity().max(4);
                            charge(&mut self.memory_left, more * MEMBER_BYTES)?;
                        }
                        if let Some(key) = key.take() {
                            members.insert(key, value);
                        }
                        match next {
                            Some(b',') => {
                                self.position += 1;
                                self.skip_space();
                                self.key()?;
                                break;
                            }
                            Some(b'}') => value = self.leave(),
                            _ => return Err(self.unexpected("`,` or `}`")),
                        }
                    }
                }
            }
        }
    }

    fn enter(&mut self, max_depth: usize, frame: Frame) -> Result<(), JsonError> {
        if self.frames.len() >= max_depth {
            let detail = format!("nested deeper than {max_depth} levels; flatten the value");
            return Err(JsonError::new(JsonErrorKind::Depth, detail));
        }
        self.position += 1;
        self.frames.push(frame);
        charge(&mut self.memory_left, OBJECT_BYTES)
    }

    /// Closes the innermost container at its bracket.
    fn leave(&mut self) -> Json {
        self.position += 1;
        match self.frames.pop() {
            Some(Frame::Array(elements)) => Json::Array(elements.into()),
            Some(Frame::Object { members, .. }) => Json::Object(Object::from_members(members)),
            None => Json::Null,
        }
    }

    /// Reads `"key":` of the innermost object.
    fn key(&mut self) -> Result<(), JsonError> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a key in double quotes"));
        }
        let start = self.position;
        let name = self.string(true)?;
        if let Some(Frame::Object { members, key }) = self.frames.last_mut() {
            if let Entry::Occupied(_) = members.entry(name.clone()) {
                self.position = start;
                let mut detail = String::from("the key ");
                super::write_quoted(&mut detail, clip(&name));
                detail.push_str(" comes twice; keep one");
                return Err(JsonError::new(JsonErrorKind::DuplicateKey, detail));
            }
            *key = Some(name);
        }
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.unexpected("`:`"));
        }
        self.position += 1;
        Ok(())
    }

    fn scalar(&mut self) -> Result<Json, JsonError> {
        match self.peek() {
            Some(b'"') => {
                let text = self.string(false)?;
                charge(&mut self.memory_left, text.len() + TEXT_BYTES)?;
                Ok(Json::String(text))
            }
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, JsonError> {
        if !self.bytes[self.position..].starts_with(word.as_bytes()) {
            return Err(self.unexpected("a value"));
        }
        self.position += word.len();
        Ok(value)
    }

    fn string(&mut self, is_key: bool) -> Result<Arc<str>, JsonError> {
        self.position += 1;
        let start = self.position;
        let mut unescaped = String::new();
        let mut copied = start;
        loop {
            match self.peek() {
                None => return Err(self.unexpected("the closing quote of a string")),
                Some(b'"') => {
                    let rest = &self.text[copied..self.position];
                    self.position += 1;
                    if copied == start {
                        return Ok(if is_key {
                            intern(&mut self.keys, rest)
                        } else {
                            rest.into()
                        });
                    }
                    unescaped.push_str(rest);
                    return Ok(unescaped.into());
                }
                Some(b'\\') => {
                    unescaped.push_str(&self.text[copied..self.position]);
                    unescaped.push(self.escape()?);
                    copied = self.position;
                }
                Some(0..0x20) => {
                    let detail = format!(
                        "control character in a string{}; write it as an escape",
                        self.place()
                    );
                    return Err(JsonError::new(JsonErrorKind::Syntax, detail));
                }
                Some(_) => self.position += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let start = self.position;
        self.position += 1;
        let character = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.position += 1;
                return self.unicode_escape(start);
            }
            _ => return Err(self.unexpected("one of `\"\\/bfnrtu` after a backslash")),
        };
        self.position += 1;
        Ok(character)
    }

    fn unicode_escape(&mut self, start: usize) -> Result<char, JsonError> {
        let first = self.hex4()?;
        let mut code = u32::from(first);
        if (0xD800..0xDC00).contains(&first) && self.bytes[self.position..].starts_with(b"\\u") {
            self.position += 2;
            let second = self.hex4()?;
            if (0xDC00..0xE000).contains(&second) {
                code = 0x10000 + ((u32::from(first) - 0xD800) << 10) + (u32::from(second) - 0xDC00);
            }
        }
        char::from_u32(code).ok_or_else(|| {
            self.position = start;
            let detail =
                format!("a string holds the lone surrogate \\u{first:04x}; pass well-formed text");
            JsonError::new(JsonErrorKind::LoneSurrogate, detail)
        })
    }

    fn hex4(&mut self) -> Result<u16, JsonError> {
        let mut value = 0_u16;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.unexpected("four hexadecimal digits"));
            };
            value = value << 4 | digit as u16;
            self.position += 1;
        }
        Ok(value)
    }

    fn number(&mut self) -> Result<Json, JsonError> {
        let start = self.position;
        let negative = self.take(b'-');
        match self.peek() {
            Some(b'0') => self.position += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(self.unexpected("a digit")),
        }
        if matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.unexpected("no digit after a leading 0"));
        }
        let mut integer = true;
        if self.take(b'.') {
            integer = false;
            self.need_digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            integer = false;
            _ = self.take(b'+') || self.take(b'-');
            self.need_digits()?;
        }
        let literal = &self.text[start..self.position];
        let number = read_number(literal, negative, integer);
        number
            .map(Json::Number)
            .inspect_err(|_| self.position = start)
    }

    fn digits(&mut self) {
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.position += 1;
        }
    }

    fn need_digits(&mut self) -> Result<(), JsonError> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.unexpected("a digit"));
        }
        self.digits();
        Ok(())
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.position += usize::from(found);
        found
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.position += 1;
        }
    }

    fn unexpected(&self, expected: &str) -> JsonError {
        let found = match self.text[self.position..].chars().next() {
            None => "the end of the text".to_owned(),
            Some(character) => format!("`{}`", character.escape_debug()),
        };
        let detail = format!(
            "not JSON: expected {expected}, found {found}{}",
            self.place()
        );
        JsonError::new(JsonErrorKind::Syntax, detail)
    }

    /// ` at line 3, column 7`, counted from 1 in characters.
    fn place(&self) -> String {
        let before = &self.text[..self.position];
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let column = before[before.rfind('\n').map_or(0, |index| index + 1)..]
            .chars()
            .count()
            + 1;
        format!(" at line {line}, column {column}")
    }

    /// Adds the path that the open containers make.
    fn locate(&self, error: JsonError) -> JsonError {
        let segments = self.frames.iter().filter_map(|frame| match frame {
            Frame::Array(elements) => Some(Segment::Index(elements.len())),
            Frame::Object { key, .. } => key.clone().map(Segment::Key),
        });
        error.at(segments.collect())
    }
}

/// The key as shared text, from the place where keys of its kind are remembered.
fn intern(keys: &mut [Option<Arc<str>>; KEYS], key: &str) -> Arc<str> {
    let ends = key.bytes().next().zip(key.bytes().next_back());
    let (first, last) = ends.unwrap_or_default();
    let place = (key.len() * 31 + usize::from(first) * 7 + usize::from(last)) % KEYS;
    match &keys[place] {
        Some(known) if **known == *key => known.clone(),
        _ => keys[place].insert(key.into()).clone(),
    }
}

fn read_number(literal: &str, negative: bool, integer: bool) -> Result<Number, JsonError> {
    let is_zero = |text: &str| {
        let mantissa = text.split(['e', 'E']).next().unwrap_or(text);
        mantissa
            .bytes()
            .all(|byte| matches!(byte, b'-' | b'0' | b'.'))
    };
    if negative && is_zero(literal) {
        return Err(negative_zero());
    }
    if integer {
        if let Ok(value) = literal.parse::<i64>() {
            return Ok(value.into());
        }
        if let Ok(value) = literal.parse::<u64>() {
            return Ok(value.into());
        }
    }
    let value: f64 = literal.parse().unwrap_or(f64::NAN);
    let lost = if integer {
        !same_digits(literal, value)
    } else {
        value == 0.0 && !is_zero(literal)
    };
    if !value.is_finite() || lost {
        let detail = format!(
            "the number {} can't be held without loss; pass it as a string",
            clip(literal)
        );
        return Err(JsonError::new(JsonErrorKind::NumberRange, detail));
    }
    Number::try_from(value)
}

/// True when `literal`, an integer beyond 64 bits, is how a double prints itself (JavaScript writes 1e20 out in digits).
fn same_digits(literal: &str, value: f64) -> bool {
    literal.len() <= 400 && value.is_finite() && format!("{value}") == literal
}

/// At most 80 characters.
fn clip(text: &str) -> &str {
    text.char_indices()
        .nth(80)
        .map_or(text, |(end, _)| &text[..end])
}
