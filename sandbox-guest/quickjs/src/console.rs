//! `console`: every line goes to the host as it is printed.

use crate::engine::{Atom, Flags, JsResult, Kind, Value};
use crate::inspect::inspect;
use crate::program;
use crate::realm::realm;
use crate::world::{LogLevel, log};

/// Defines the global.
pub(crate) fn install() -> JsResult<()> {
    let console = Value::object()?;
    let realm = realm();
    realm.define_function(&console, "log", 0, |_, arguments| {
        print(LogLevel::Info, arguments)
    })?;
    realm.define_function(&console, "info", 0, |_, arguments| {
        print(LogLevel::Info, arguments)
    })?;
    realm.define_function(&console, "debug", 0, |_, arguments| {
        print(LogLevel::Debug, arguments)
    })?;
    realm.define_function(&console, "warn", 0, |_, arguments| {
        print(LogLevel::Warn, arguments)
    })?;
    realm.define_function(&console, "error", 0, |_, arguments| {
        print(LogLevel::Error, arguments)
    })?;
    realm
        .global
        .define(&Atom::new("console"), console, Flags::BUILTIN)
}

fn print(level: LogLevel, arguments: &[Value]) -> JsResult<Value> {
    let max_bytes = program::max_output_bytes();
    let mut line = String::new();
    for (index, argument) in arguments.iter().enumerate() {
        if index > 0 {
            line.push(' ');
        }
        let text = if argument.kind() == Kind::String {
            argument.to_text()
        } else {
            inspect(argument, max_bytes)
        };
        line.push_str(&text);
        if line.len() > max_bytes {
            break;
        }
    }
    log(level, &line);
    Ok(Value::UNDEFINED)
}
