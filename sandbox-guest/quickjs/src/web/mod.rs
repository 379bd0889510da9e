//! The parts of the web platform that programs reach for (SPEC J9). `globals.js` has the classes, this folder what they
//! need of Rust. All of it is in the snapshot and costs a run nothing.

mod bytes;
mod url;

use crate::engine::{Atom, Flags, JsResult, Kind, Native, Value, clone_value, evaluate, function};
use crate::failure;
use crate::realm::realm;
use crate::world::{elapsed, now};

/// Bytes of an error's text in its stack.
const STACK_HEADER_BYTES: usize = 10_000;

/// Defines the globals.
pub(crate) fn install() -> JsResult<()> {
    let native = Value::object()?;
    let natives: &[(&str, Native)] = &[
        ("stack", stack),
        ("clone", |_, arguments| {
            clone_value(arguments.first().unwrap_or(&Value::UNDEFINED))
        }),
        ("elapsed", |_, _| Ok(Value::number(elapsed() / 1000.0))),
        ("started", |_, _| {
            Ok(Value::number(((now() - elapsed()) / 1000.0).max(0.0)))
        }),
        ("parseUrl", url::parse),
        ("changeUrl", url::change),
        ("parseQuery", url::parse_query),
        ("formatQuery", url::format_query),
        ("encodeUtf8", bytes::encode_utf8),
        ("decodeUtf8", bytes::decode_utf8),
        ("fillRandom", bytes::fill_random),
        ("randomUuid", bytes::random_uuid),
    ];
    for (name, code) in natives {
        native.define(&Atom::new(name), function(name, 0, *code)?, Flags::ALL)?;
    }
    let install = evaluate(include_str!("globals.js"), "lockgate:globals")?;
    install.call(&Value::UNDEFINED, &[native])?;
    Ok(())
}

/// `Error.prototype.stack`: name and message, then the frames that are the program's own.
fn stack(this: &Value, _: &[Value]) -> JsResult<Value> {
    if failure::recorded_stack(this).is_none() {
        return Ok(Value::UNDEFINED);
    }
    let (name, message) = failure::describe(this, STACK_HEADER_BYTES);
    let mut text = if message.is_empty() {
        name
    } else {
        format!("{name}: {message}")
    };
    for frame in failure::own_frames(this) {
        text.push_str("\n    ");
        text.push_str(&frame);
    }
    Value::string(&text)
}

/// The text of an argument that `globals.js` made a string.
fn text(arguments: &[Value], index: usize) -> Option<String> {
    arguments
        .get(index)
        .filter(|value| value.kind() == Kind::String)
        .map(Value::to_text)
}

/// An object with these members.
fn object(members: &[(&str, &str)]) -> JsResult<Value> {
    let object = Value::object()?;
    for (name, text) in members {
        object.define(&Atom::new(name), Value::string(text)?, Flags::ALL)?;
    }
    Ok(object)
}

/// The error of a call that `globals.js` would not make.
fn misuse() -> crate::engine::Thrown {
    realm().type_error("the arguments are of the wrong type")
}
