//! Stacks of errors in the form that the shared sources read: the program's own lines, columns in bytes of the line.

use std::cell::RefCell;

use boa_engine::{JsError, JsNativeError, JsObject};

use super::atom::Atom;
use super::context::context;
use super::function::function;
use super::value::{Flags, Value};
use super::{JsResult, runtime};

/// Lines that `compile` puts before the program.
const LINES_BEFORE: usize = 1;

struct Program {
    text: String,
    file_name: String,
    /// An error that the engine gives no stack, and its frames: by it the program did not parse, or a limit ended it.
    placed: Option<(JsObject, String)>,
}

thread_local! {
    static PROGRAM: RefCell<Option<Program>> = const { RefCell::new(None) };
    /// The engine's own getter of `Error.prototype.stack`.
    static RECORDED: RefCell<Value> = const { RefCell::new(Value::UNDEFINED) };
}

/// Says which program's frames are looked for.
pub(super) fn set_program(text: &str, file_name: &str) {
    PROGRAM.set(Some(Program {
        text: text.to_owned(),
        file_name: file_name.to_owned(),
        placed: None,
    }));
}

/// Replaces the engine's getter of `Error.prototype.stack`.
pub(super) fn install() -> JsResult<()> {
    let recorded = runtime::evaluate(
        "Object.getOwnPropertyDescriptor(Error.prototype, 'stack').get",
        "lockgate:stack",
    )?;
    RECORDED.set(recorded);
    let define = runtime::evaluate(
        "(function (get) {
            const { set } = Object.getOwnPropertyDescriptor(Error.prototype, 'stack');
            Object.defineProperty(Error.prototype, 'stack', { get, set, configurable: true });
        })",
        "lockgate:stack",
    )?;
    define.call(&Value::UNDEFINED, &[function("stack", 0, stack)?])?;
    Ok(())
}

fn stack(this: &Value, _: &[Value]) -> JsResult<Value> {
    let placed = PROGRAM.with_borrow(|program| {
        let (error, frames) = program.as_ref()?.placed.as_ref()?;
        this.is_same_object(&Value::from(error.clone()))
            .then(|| frames.clone())
    });
    if let Some(frames) = placed {
        return Value::string(&frames);
    }
    let recorded = RECORDED.with_borrow(Clone::clone).call(this, &[])?;
    if recorded.is_undefined() {
        // An error that no program threw has a class and no stack.
        return Value::string("");
    }
    Value::string(&frames(&recorded.to_text()))
}

/// The program's frames in a stack as the engine writes it.
pub(super) fn frames(stack: &str) -> String {
    let frames: Vec<String> = stack.lines().filter_map(frame).collect();
    frames.join("\n")
}

/// Gives an error a stack.
pub(super) fn place(error: &JsObject, frames: String) {
    PROGRAM.with_borrow_mut(|program| {
        if let Some(program) = program {
            program.placed = Some((error.clone(), frames));
        }
    });
}

/// A frame of the program as the shared sources read it; none where it is not the program's.
fn frame(line: &str) -> Option<String> {
    let (function, place) = line
        .trim_start()
        .strip_prefix("at ")?
        .strip_suffix(')')?
        .rsplit_once(" (")?;
    let (place, column) = place.rsplit_once(':')?;
    let (file, line) = place.rsplit_once(':')?;
    let function = if function == "<main>" {
        "<anonymous>"
    } else {
        function
    };
    PROGRAM.with_borrow(|program| {
        let program = program
            .as_ref()
            .filter(|program| program.file_name == file)?;
        let place = program.place(line.parse().ok()?, column.parse().ok()?, true)?;
        Some(format!("    at {function} ({place})"))
    })
}

impl Program {
    /// `file:line:column` of a place that the engine means; `at_call` where it may be a call.
    fn place(&self, line: usize, column: usize, at_call: bool) -> Option<String> {
        let line = line.checked_sub(LINES_BEFORE).filter(|&line| line > 0)?;
        let text = self.text.split('\n').nth(line - 1).unwrap_or_default();
        // The engine counts characters.
        let bytes: usize = text
            .chars()
            .take(column.saturating_sub(1))
            .map(char::len_utf8)
            .sum();
        let column = if at_call { callee(text, bytes) } else { bytes } + 1;
        Some(format!("{}:{line}:{column}", self.file_name))
    }
}

/// The engine places a call at its bracket; people look for the name of the function.
fn callee(line: &str, at: usize) -> usize {
    if !line[at..].starts_with('(') {
        return at;
    }
    let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    line[..at].trim_end().trim_end_matches(name).len()
}

/// A syntax error of the program: its place moves from the message into the stack.
pub(super) fn place_syntax_error(error: JsError) -> JsError {
    let Some(native) = error.as_native() else {
        return error;
    };
    let message = native.message();
    let placed = message.rsplit_once(" at line ").and_then(|(what, place)| {
        let (line, column) = place
            .split_once(", column ")
            .or_else(|| place.split_once(", col "))?;
        Some((what, line.parse().ok()?, column.parse().ok()?))
    });
    let (what, line, column) = match placed {
        Some(placed) => placed,
        // The engine says no place: the program goes on after its end.
        None if message == "abrupt end" => ("the program ends too early", usize::MAX, 1),
        None => return error,
    };
    let what = JsNativeError::syntax().with_message(what.to_owned());
    let object = context(|context| what.into_opaque(context));
    let at = PROGRAM.with_borrow(|program| {
        let program = program.as_ref()?;
        let last = program.text.split('\n').count() + LINES_BEFORE;
        program.place(line.min(last), column, false)
    });
    if let Some(at) = at {
        place(&object, format!("    at {at}"));
    }
    JsError::from_opaque(object.into())
}

/// `Error.captureStackTrace(target)`: gives the target a stack of its own.
pub(super) fn capture(_: &Value, arguments: &[Value]) -> JsResult<Value> {
    if let Some(target) = arguments.first().filter(|target| target.is_object()) {
        let here = stack(&runtime::error_here()?, &[])?;
        target.define(&Atom::new("stack"), here, Flags::BUILTIN)?;
    }
    Ok(Value::UNDEFINED)
}
