//! `console`: every line goes to the host as it is printed.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use crate::engine::{Atom, Flags, JsResult, Kind, Value};
use crate::inspect::inspect;
use crate::realm::realm;
use crate::world::{LogLevel, elapsed, log};
use crate::{failure, program};

/// Labels of `count` and `time` that are kept.
const MAX_LABELS: usize = 1000;
/// Levels of `group` that indent.
const MAX_GROUPS: usize = 20;

thread_local! {
    static GROUPS: Cell<usize> = const { Cell::new(0) };
    static COUNTS: RefCell<BTreeMap<String, u32>> = const { RefCell::new(BTreeMap::new()) };
    static TIMES: RefCell<BTreeMap<String, f64>> = const { RefCell::new(BTreeMap::new()) };
}

/// Defines the global.
pub(crate) fn install() -> JsResult<()> {
    let console = Value::object()?;
    let realm = realm();
    let methods: &[(&str, crate::engine::Native)] = &[
        ("log", |_, arguments| print(LogLevel::Info, arguments)),
        ("info", |_, arguments| print(LogLevel::Info, arguments)),
        ("debug", |_, arguments| print(LogLevel::Debug, arguments)),
        ("warn", |_, arguments| print(LogLevel::Warn, arguments)),
        ("error", |_, arguments| print(LogLevel::Error, arguments)),
        ("dir", |_, arguments| {
            print(LogLevel::Info, &arguments[..arguments.len().min(1)])
        }),
        ("table", |_, arguments| {
            print(LogLevel::Info, &arguments[..arguments.len().min(1)])
        }),
        ("trace", trace),
        ("assert", assert),
        ("group", group),
        ("groupCollapsed", group),
        ("groupEnd", |_, _| {
            GROUPS.set(GROUPS.get().saturating_sub(1));
            Ok(Value::UNDEFINED)
        }),
        ("count", count),
        ("countReset", |_, arguments| {
            COUNTS.with_borrow_mut(|counts| counts.remove(&label(arguments)));
            Ok(Value::UNDEFINED)
        }),
        ("time", time),
        ("timeLog", |_, arguments| time_so_far(arguments, false)),
        ("timeEnd", |_, arguments| time_so_far(arguments, true)),
    ];
    for (name, native) in methods {
        realm.define_function(&console, name, 0, *native)?;
    }
    realm
        .global
        .define(&Atom::new("console"), console, Flags::BUILTIN)
}

fn write(level: LogLevel, line: &str) -> JsResult<Value> {
    match GROUPS.get() {
        0 => log(level, line),
        groups => {
            let indent = "  ".repeat(groups.min(MAX_GROUPS));
            log(
                level,
                &format!("{indent}{}", line.replace('\n', &format!("\n{indent}"))),
            );
        }
    }
    Ok(Value::UNDEFINED)
}

fn print(level: LogLevel, arguments: &[Value]) -> JsResult<Value> {
    write(level, &format(arguments))
}

/// The arguments as one line; a first string may hold `%s %d %i %f %j %o %O %c %%`.
fn format(arguments: &[Value]) -> String {
    let max_bytes = program::max_output_bytes();
    let mut line = String::new();
    let mut rest = arguments;
    if let [template, values @ ..] = arguments
        && template.kind() == Kind::String
    {
        rest = values;
        let template = template.to_text_within(max_bytes);
        if values.is_empty() || !template.contains('%') {
            line = template;
        } else {
            let mut pieces = template.split('%');
            line.push_str(pieces.next().unwrap_or_default());
            while let Some(piece) = pieces.next() {
                let mut chars = piece.chars();
                match (chars.next(), rest) {
                    // `%%`: the piece between is empty.
                    (None, _) => {
                        line.push('%');
                        line.push_str(pieces.next().unwrap_or_default());
                    }
                    (
                        Some(directive @ ('s' | 'd' | 'i' | 'f' | 'j' | 'o' | 'O' | 'c')),
                        [value, after @ ..],
                    ) => {
                        line.push_str(&directed(directive, value, max_bytes));
                        line.push_str(chars.as_str());
                        rest = after;
                    }
                    _ => {
                        line.push('%');
                        line.push_str(piece);
                    }
                }
                if line.len() > max_bytes {
                    break;
                }
            }
        }
        if !rest.is_empty() {
            line.push(' ');
        }
    }
    for (index, value) in rest.iter().enumerate() {
        if index > 0 {
            line.push(' ');
        }
        if line.len() > max_bytes {
            break;
        }
        line.push_str(&inspect(value, max_bytes));
    }
    line
}

fn directed(directive: char, value: &Value, max_bytes: usize) -> String {
    let number = match value.kind() {
        Kind::Int(int) => Some(f64::from(int)),
        Kind::Float(float) => Some(float),
        Kind::String => Some(value.to_text().trim().parse().unwrap_or(f64::NAN)),
        _ => None,
    };
    match directive {
        'c' => String::new(),
        'd' | 'f' | 'i' => match number {
            Some(number) => inspect(
                &Value::number(if directive == 'i' {
                    number.trunc()
                } else {
                    number
                }),
                100,
            ),
            None if value.kind() == Kind::BigInt => inspect(value, max_bytes),
            None => "NaN".into(),
        },
        _ => inspect(value, max_bytes),
    }
}

fn trace(_: &Value, arguments: &[Value]) -> JsResult<Value> {
    let frames = failure::own_frames(&crate::engine::error_here()?);
    let head = format(arguments);
    let title = if head.is_empty() {
        "Trace".to_owned()
    } else {
        format!("Trace: {head}")
    };
    write(
        LogLevel::Error,
        &std::iter::once(title)
            .chain(frames)
            .collect::<Vec<_>>()
            .join("\n    "),
    )
}

fn assert(_: &Value, arguments: &[Value]) -> JsResult<Value> {
    let Some((condition, rest)) = arguments.split_first() else {
        return write(LogLevel::Error, "Assertion failed");
    };
    if condition.convert_to_bool() {
        return Ok(Value::UNDEFINED);
    }
    if rest.is_empty() {
        return write(LogLevel::Error, "Assertion failed");
    }
    write(
        LogLevel::Error,
        &format!("Assertion failed: {}", format(rest)),
    )
}

fn group(_: &Value, arguments: &[Value]) -> JsResult<Value> {
    if !arguments.is_empty() {
        print(LogLevel::Info, arguments)?;
    }
    GROUPS.set(GROUPS.get().saturating_add(1));
    Ok(Value::UNDEFINED)
}

fn label(arguments: &[Value]) -> String {
    match arguments.first() {
        Some(label) if !label.is_undefined() => inspect(label, 200),
        _ => "default".into(),
    }
}

fn count(_: &Value, arguments: &[Value]) -> JsResult<Value> {
    let label = label(arguments);
    let count = COUNTS.with_borrow_mut(|counts| {
        if counts.len() >= MAX_LABELS && !counts.contains_key(&label) {
            return 1;
        }
        let count = counts.entry(label.clone()).or_default();
        *count += 1;
        *count
    });
    write(LogLevel::Info, &format!("{label}: {count}"))
}

fn time(_: &Value, arguments: &[Value]) -> JsResult<Value> {
    TIMES.with_borrow_mut(|times| {
        if times.len() < MAX_LABELS {
            times.insert(label(arguments), elapsed());
        }
    });
    Ok(Value::UNDEFINED)
}

fn time_so_far(arguments: &[Value], end: bool) -> JsResult<Value> {
    let label = label(arguments);
    let since = TIMES.with_borrow_mut(|times| {
        if end {
            times.remove(&label)
        } else {
            times.get(&label).copied()
        }
    });
    match since {
        Some(since) => write(
            LogLevel::Info,
            &format!("{label}: {:.3}ms", (elapsed() - since) / 1000.0),
        ),
        None => write(LogLevel::Warn, &format!("no timer {label} runs")),
    }
}
