//! What the guest needs of the realm, kept before any program runs: later changes of globals and prototypes change nothing.

use std::cell::OnceCell;

use crate::engine::{
    Atom, JsResult, Native, Thrown, Value, evaluate, function, global, throw_error,
};

/// Intrinsics and names.
#[derive(Debug)]
pub(crate) struct Realm {
    pub(crate) global: Value,
    pub(crate) object_prototype: Value,
    pub(crate) array_prototype: Value,
    pub(crate) type_error_prototype: Value,
    pub(crate) range_error_prototype: Value,
    pub(crate) tool_call_error_prototype: Value,
    /// The engine's own getter of `Error.prototype.stack`: it reads the stack that was taken when the error was made.
    pub(crate) stack_of: Value,
    pub(crate) names: Names,
    pub(crate) probes: Probes,
}

/// Built-in functions that read internal slots: none of them runs code of the program.
#[derive(Debug)]
pub(crate) struct Probes {
    pub(crate) map_entries: Value,
    pub(crate) map_next: Value,
    pub(crate) map_size: Value,
    pub(crate) set_values: Value,
    pub(crate) set_next: Value,
    pub(crate) set_size: Value,
    pub(crate) date_iso: Value,
    pub(crate) symbol_text: Value,
    pub(crate) function_text: Value,
    pub(crate) typed_array_length: Value,
    pub(crate) regexp_source: Value,
    pub(crate) regexp_flags: Vec<(char, Value)>,
}

impl Probes {
    fn new() -> JsResult<Probes> {
        let getter = |prototype: &str, name: &str| {
            intrinsic(&format!(
                "Object.getOwnPropertyDescriptor({prototype}, '{name}').get"
            ))
        };
        let flags = [
            ('d', "hasIndices"),
            ('g', "global"),
            ('i', "ignoreCase"),
            ('m', "multiline"),
            ('s', "dotAll"),
            ('u', "unicode"),
            ('v', "unicodeSets"),
            ('y', "sticky"),
        ];
        let flags = flags
            .into_iter()
            .map(|(flag, name)| Ok((flag, getter("RegExp.prototype", name)?)));
        Ok(Probes {
            map_entries: intrinsic("Map.prototype.entries")?,
            map_next: intrinsic("new Map().entries().next")?,
            map_size: getter("Map.prototype", "size")?,
            set_values: intrinsic("Set.prototype.values")?,
            set_next: intrinsic("new Set().values().next")?,
            set_size: getter("Set.prototype", "size")?,
            date_iso: intrinsic("Date.prototype.toISOString")?,
            symbol_text: intrinsic("Symbol.prototype.toString")?,
            function_text: intrinsic("Function.prototype.toString")?,
            typed_array_length: getter("Object.getPrototypeOf(Uint8Array.prototype)", "length")?,
            regexp_source: getter("RegExp.prototype", "source")?,
            regexp_flags: flags.collect::<JsResult<_>>()?,
        })
    }
}

fn intrinsic(source: &str) -> JsResult<Value> {
    evaluate(source, "lockgate:realm")
}

macro_rules! names {
    ($($field:ident = $text:literal),* $(,)?) => {
        /// Names of properties that are looked up often.
        #[derive(Debug)]
        pub(crate) struct Names { $(pub(crate) $field: Atom),* }

        impl Names {
            fn new() -> Names {
                Names { $($field: Atom::new($text)),* }
            }
        }
    };
}

names! {
    cause = "cause",
    constructor = "constructor",
    done = "done",
    errors = "errors",
    message = "message",
    name = "name",
    tool_name = "toolName",
    value = "value",
}

thread_local! {
    static REALM: OnceCell<&'static Realm> = const { OnceCell::new() };
}

/// The realm.
///
/// # Panics
/// Before [`start`].
pub(crate) fn realm() -> &'static Realm {
    REALM.with(|realm| {
        *realm
            .get()
            .expect("the realm is started before anything runs in it")
    })
}

/// Keeps the intrinsics of the fresh context.
pub(crate) fn start() -> JsResult<()> {
    let realm = Realm {
        global: global(),
        object_prototype: intrinsic("Object.prototype")?,
        array_prototype: intrinsic("Array.prototype")?,
        type_error_prototype: intrinsic("TypeError.prototype")?,
        range_error_prototype: intrinsic("RangeError.prototype")?,
        tool_call_error_prototype: intrinsic(TOOL_CALL_ERROR)?,
        stack_of: intrinsic("Object.getOwnPropertyDescriptor(Error.prototype, 'stack').get")?,
        names: Names::new(),
        probes: Probes::new()?,
    };
    REALM.with(|cell| {
        // A second start of the same instance keeps the first realm.
        let _ = cell.set(Box::leak(Box::new(realm)));
    });
    Ok(())
}

/// The class of the errors with which failed calls reject. Programs may make some themselves.
const TOOL_CALL_ERROR: &str = "
class ToolCallError extends Error {
    constructor(toolName, message) {
        super(message);
        this.toolName = String(toolName);
    }
}
Object.defineProperty(ToolCallError.prototype, 'name', { value: 'ToolCallError', writable: true, configurable: true });
Object.defineProperty(globalThis, 'ToolCallError', { value: ToolCallError, writable: true, configurable: true });
ToolCallError.prototype
";

impl Realm {
    pub(crate) fn type_error(&self, message: &str) -> Thrown {
        throw_error(&self.type_error_prototype, message)
    }

    pub(crate) fn range_error(&self, message: &str) -> Thrown {
        throw_error(&self.range_error_prototype, message)
    }

    /// Defines a global function as the language defines its own.
    pub(crate) fn define_function(
        &self,
        holder: &Value,
        name: &str,
        length: u8,
        native: Native,
    ) -> JsResult<()> {
        holder.define(
            &Atom::new(name),
            function(name, length, native)?,
            crate::engine::Flags::BUILTIN,
        )
    }
}
