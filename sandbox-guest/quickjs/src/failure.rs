//! What is said of a thrown value: name, message, and where in the program. Reads data properties and the engine's own
//! record of the stack; runs no code of the program, so that a hostile value can neither hang nor lie its way out.

use lockgate_guest_core::text::{self, utf16_column};

use crate::engine::{Atom, Class, Kind, Slot, Value};
use crate::inspect::inspect;
use crate::program;
use crate::realm::realm;
use crate::world::{Failure, FailureKind, Position};

/// Bytes of a thrown value that is quoted within another message.
const ONE_LINE_BYTES: usize = 300;

/// Frames that are told below the first.
const MAX_FRAMES: usize = 20;

/// Inner errors of an AggregateError that are told.
const MAX_INNER: usize = 5;

/// The source to which positions refer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) file_name: &'a str,
    pub(crate) text: &'a str,
}

/// The name and the message of a thrown value, with its cause and the errors that it gathers. The name is empty where
/// it is no error.
pub(crate) fn describe(thrown: &Value, max_bytes: usize) -> (String, String) {
    let bounded = |text: String| text::prefix(&text, max_bytes).to_owned();
    if !is_error(thrown) {
        let message = if thrown.kind() == Kind::String {
            thrown.to_text_within(max_bytes)
        } else {
            inspect(thrown, max_bytes.min(10_000))
        };
        return (String::new(), bounded(message));
    }
    let (name, mut message) = headline(thrown, max_bytes);
    let mut add = |text: String| {
        if !message.is_empty() {
            message.push(' ');
        }
        message.push_str(&text);
    };
    let inner = inner_errors(thrown);
    if !inner.is_empty() {
        add(format!("[{}]", inner.join("; ")));
    }
    if let Some(Slot::Data(cause)) = thrown.own(&realm().names.cause)
        && !cause.is_undefined()
    {
        add(format!("(cause: {})", one_line(&cause)));
    }
    (bounded(name), bounded(message))
}

fn is_error(value: &Value) -> bool {
    value.is_object() && value.class() == Class::Error
}

/// An error's name and its own message. Looks no further into it, so that texts of errors in errors come to an end.
fn headline(error: &Value, max_bytes: usize) -> (String, String) {
    let message = match error.find(&realm().names.message) {
        Some(message) if message.kind() == Kind::String => message.to_text_within(max_bytes),
        Some(message) if !message.is_undefined() => one_line(&message),
        _ => String::new(),
    };
    (error_name(error), message)
}

/// The errors of an `AggregateError`, a line each.
fn inner_errors(error: &Value) -> Vec<String> {
    let names = &realm().names;
    let Some(errors) = error
        .find(&names.errors)
        .filter(|errors| errors.is_object() && errors.class() == Class::Array)
    else {
        return Vec::new();
    };
    let element = |index: usize| match errors.own(&Atom::new(&index.to_string())) {
        Some(Slot::Data(element)) => Some(one_line(&element)),
        _ => None,
    };
    (0..MAX_INNER).map_while(element).collect()
}

/// A thrown value in bounded length, to be quoted within another message: `Name: message`, or the class of what is no
/// error.
pub(crate) fn one_line(thrown: &Value) -> String {
    if !thrown.is_object() {
        return inspect(thrown, ONE_LINE_BYTES);
    }
    if !is_error(thrown) {
        return format!("[{}]", class_name(thrown));
    }
    let name = error_name(thrown);
    let message = match thrown.find(&realm().names.message) {
        Some(message) if message.kind() == Kind::String => message.to_text_within(ONE_LINE_BYTES),
        _ => String::new(),
    };
    if message.is_empty() {
        name
    } else {
        format!("{name}: {}", text::shorten(&message, ONE_LINE_BYTES))
    }
}

/// An error's name; where a subclass did not set one, the name of its class.
pub(crate) fn error_name(error: &Value) -> String {
    let name = match error.find(&realm().names.name) {
        Some(name) if name.kind() == Kind::String => name.to_text_within(ONE_LINE_BYTES),
        _ => String::new(),
    };
    if !name.is_empty() && name != "Error" {
        return name;
    }
    constructor_name(error)
        .filter(|class| class != "Object")
        .unwrap_or_else(|| "Error".into())
}

fn constructor_name(object: &Value) -> Option<String> {
    let names = &realm().names;
    let constructor = object.find(&names.constructor)?;
    if !constructor.is_function() {
        return None;
    }
    let name = constructor.find(&names.name)?;
    (name.kind() == Kind::String)
        .then(|| text::shorten(&name.to_text_within(100), 100).into_owned())
        .filter(|name| !name.is_empty())
}

/// The name of an object's class, as its author would call it.
pub(crate) fn class_name(object: &Value) -> String {
    // What inherits from `Object` alone and is no plain object has a class without a constructor, e.g. `Arguments`.
    match constructor_name(object).filter(|name| name != "Object" || object.class() == Class::Plain)
    {
        Some(name) => name,
        None => object.class_name(),
    }
}

/// The stack of an error as the engine recorded it when the error was made; one line per frame.
pub(crate) fn recorded_stack(error: &Value) -> Option<String> {
    if !error.is_object() || error.class() != Class::Error {
        return None;
    }
    let stack = realm().stack_of.call(error, &[]).ok()?;
    (stack.kind() == Kind::String).then(|| stack.to_text())
}

/// The frames of an error's stack that are the program's own.
pub(crate) fn own_frames(error: &Value) -> Vec<String> {
    let stack = recorded_stack(error).unwrap_or_default();
    program::with_source(|source| {
        let frames = stack.lines().enumerate();
        frames
            .filter_map(|(index, line)| Frame::parse(line, source, index > 0))
            .take(MAX_FRAMES)
            .map(|frame| frame.text)
            .collect()
    })
}

/// A failure of the program by a thrown value.
pub(crate) fn failure(
    kind: FailureKind,
    thrown: &Value,
    source: Source<'_>,
    call: Option<u32>,
    max_bytes: usize,
) -> Failure {
    let (name, message) = describe(thrown, max_bytes);
    let kind = match (kind, name.as_str(), message.as_str()) {
        (FailureKind::Thrown, "RangeError", "Maximum call stack size exceeded") => {
            FailureKind::StackOverflow
        }
        // The second is what the engine says where there was no memory for the first.
        (FailureKind::Thrown, "InternalError", "out of memory" | "Invalid error message") => {
            FailureKind::OutOfMemory
        }
        (kind, ..) => kind,
    };
    let stack = recorded_stack(thrown).unwrap_or_default();
    // Every frame but the innermost stands at a call, and that one does where a call was rejected.
    let mut frames = stack
        .lines()
        .enumerate()
        .filter_map(|(index, line)| Frame::parse(line, source, index > 0 || call.is_some()));
    let position = frames.next().map(|frame| frame.position);
    let frames = frames.take(MAX_FRAMES).map(|frame| frame.text).collect();
    Failure {
        kind,
        name,
        message,
        position,
        frames,
        call,
    }
}

/// A failure that has no thrown value.
pub(crate) fn plain(kind: FailureKind, message: String) -> Failure {
    Failure {
        kind,
        name: String::new(),
        message,
        position: None,
        frames: Vec::new(),
        call: None,
    }
}

/// One frame of the program's own file.
struct Frame {
    position: Position,
    text: String,
}

impl Frame {
    /// Reads `    at name (file:line:column)` or, for a syntax error, `    at file:line:column`.
    fn parse(line: &str, source: Source<'_>, at_call: bool) -> Option<Frame> {
        let frame = line.trim_start().strip_prefix("at ")?;
        let (function, place) = match frame
            .strip_suffix(')')
            .and_then(|frame| frame.rsplit_once(" ("))
        {
            Some((function, place)) => (function, place),
            None => ("<anonymous>", frame),
        };
        let place = place.strip_prefix(source.file_name)?.strip_prefix(':')?;
        let (line, column) = place.split_once(':')?;
        let position = source.position(line.parse().ok()?, column.parse().ok()?, at_call)?;
        let place = format!("{}:{}:{}", source.file_name, position.line, position.column);
        let text = if function == "<anonymous>" {
            format!("at {place}")
        } else {
            format!("at {function} ({place})")
        };
        Some(Frame { position, text })
    }
}

impl Source<'_> {
    /// The position that the engine means: it counts columns in bytes, and a place after the end is the closing of the
    /// function around the program.
    fn position(&self, line: usize, column: usize, at_call: bool) -> Option<Position> {
        let wanted = line.checked_sub(1)?;
        let (line, text, column) = match self.text.split('\n').nth(wanted) {
            Some(text) => (line, text, column),
            None => {
                let last = self.text.split('\n').count();
                let text = self.text.rsplit('\n').next().unwrap_or_default();
                (last, text, text.len() + 1)
            }
        };
        Some(Position {
            line: u32::try_from(line).ok()?,
            column: utf16_column(
                text,
                if at_call {
                    callee_column(text, column)
                } else {
                    column
                },
            ),
        })
    }
}

/// The engine places a call that has arguments at the first one; people look for the name of the function.
fn callee_column(line: &str, column: usize) -> usize {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let before = text::prefix(line, column.saturating_sub(1));
    let after = line[before.len()..]
        .trim_start_matches(is_name)
        .trim_start();
    let Some(outside) = before.trim_end().strip_suffix('(').map(str::trim_end) else {
        return column;
    };
    let stem = outside.trim_end_matches(is_name);
    // What stands there and is called itself may be a call without arguments, which the engine places right.
    if stem.len() == outside.len() || after.starts_with('(') {
        return column;
    }
    stem.len() + 1
}
