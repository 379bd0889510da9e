//! The bridge: the program's globals whose functions are the host's, the calls that it makes, and how they settle.

use std::cell::RefCell;
use std::collections::BTreeMap;

use lockgate_guest_core::lossless::{Found, NotJson};
use lockgate_guest_core::path::{self, Step};
use lockgate_guest_core::suggest::nearest;

use crate::engine::{
    Atom, Flags, HostObject, JsResult, Kind, Thrown, Value, error_here, host_function, new_promise,
    take_exception, throw,
};
use crate::from_json::from_json;
use crate::inspect::inspect;
use crate::realm::realm;
use crate::to_json::{Bounds, to_json};
use crate::world::{Binding, Call, Completion, Limits, in_snapshot};

/// Names that engines and libraries probe on any object: a binding answers "no such property" for them instead of
/// explaining that there is no such function.
const PROBED: &[&str] = &[
    "then",
    "toJSON",
    "constructor",
    "toString",
    "valueOf",
    "toLocaleString",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "__proto__",
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
    "inspect",
    "nodeType",
    "$$typeof",
    "asymmetricMatch",
    "length",
    "prototype",
    "name",
];

/// Unknown names are answered with the list of all names up to this many.
const MAX_LISTED: usize = 12;

/// One binding's functions.
struct Bound {
    global: String,
    names: Vec<String>,
    /// Indices into `names` in the order of the names, for look-ups; empty where `names` are in order themselves.
    sorted: Vec<u32>,
    /// The number of its first function among all functions.
    first: u32,
    /// Functions that the program has looked at.
    made: BTreeMap<Atom, Value>,
}

/// A call that is not settled.
struct Pending {
    function: u32,
    resolve: Value,
    reject: Value,
    /// Made at the call, so that its stack is the call's; becomes the rejection.
    error: Value,
}

/// The calls of one run.
struct Bridge {
    bound: Vec<Bound>,
    limits: Limits,
    next_id: u32,
    pending: BTreeMap<u32, Pending>,
    outgoing: Vec<Call>,
    outgoing_bytes: usize,
    /// Rejections of the host, so that a failure can name the call. They hold no error: a program that fails a thousand times
    /// and goes on keeps none of them.
    rejected: Vec<Rejected>,
}

/// A rejection of the host.
#[derive(Clone, Copy)]
struct Rejected {
    /// The identity of the error, which another object has once the error is gone.
    error: u64,
    id: u32,
    function: u32,
}

thread_local! {
    static BRIDGE: RefCell<Bridge> = const {
        RefCell::new(Bridge {
            bound: Vec::new(),
            limits: Limits { max_pending_calls: 0, max_pending_bytes: 0, max_timers: 0, max_output_bytes: 0, max_depth: 0 },
            next_id: 1,
            pending: BTreeMap::new(),
            outgoing: Vec::new(),
            outgoing_bytes: 0,
            rejected: Vec::new(),
        })
    };
}

/// Makes the class of the bindings.
pub(crate) fn register() {
    HostObject {
        own,
        names,
        missing,
        read_only,
    }
    .register();
}

/// Gives the program its bindings.
pub(crate) fn bind(bindings: Vec<Binding>, limits: Limits) -> JsResult<()> {
    // The bindings of the warm-up must go again.
    let flags = if in_snapshot() {
        Flags::BUILTIN
    } else {
        Flags::ENUMERABLE
    };
    let mut first = 0;
    for (object, Binding { global, functions }) in (0..).zip(bindings) {
        let value = HostObject::create(object)?;
        realm().global.define(&Atom::new(&global), value, flags)?;
        let sorted = if functions.is_sorted() {
            Vec::new()
        } else {
            let mut sorted: Vec<u32> = (0..functions.len() as u32).collect();
            sorted.sort_by_key(|&index| &functions[index as usize]);
            sorted
        };
        let next = first + functions.len() as u32;
        let bound = Bound {
            global,
            names: functions,
            sorted,
            first,
            made: BTreeMap::new(),
        };
        BRIDGE.with_borrow_mut(|bridge| bridge.bound.push(bound));
        first = next;
    }
    BRIDGE.with_borrow_mut(|bridge| bridge.limits = limits);
    Ok(())
}

/// The calls made since this was last asked.
pub(crate) fn take_calls() -> Vec<Call> {
    BRIDGE.with_borrow_mut(|bridge| {
        bridge.outgoing_bytes = 0;
        std::mem::take(&mut bridge.outgoing)
    })
}

/// Whether every call is settled.
pub(crate) fn is_idle() -> bool {
    BRIDGE.with_borrow(|bridge| bridge.pending.is_empty())
}

/// The id of the call whose rejection this is.
pub(crate) fn call_of(thrown: &Value) -> Option<u32> {
    let name = thrown.find(&realm().names.tool_name)?;
    BRIDGE.with_borrow(|bridge| Some(bridge.rejection(thrown, &name)?.id))
}

/// How the program wrote the call, e.g. `tools.read_file`.
pub(crate) fn title_of(thrown: &Value) -> Option<String> {
    let name = thrown.find(&realm().names.tool_name)?;
    let function = BRIDGE.with_borrow(|bridge| {
        let rejected = bridge.rejection(thrown, &name)?;
        Some(bridge.title(rejected.function))
    });
    function.or_else(|| (name.kind() == Kind::String).then(|| name.to_text()))
}

/// Forgets everything; the snapshot's warm-up ends with it.
pub(crate) fn reset() {
    let old = BRIDGE.with_borrow_mut(|bridge| {
        bridge.next_id = 1;
        bridge.outgoing_bytes = 0;
        (
            std::mem::take(&mut bridge.bound),
            std::mem::take(&mut bridge.pending),
            std::mem::take(&mut bridge.outgoing),
            std::mem::take(&mut bridge.rejected),
        )
    });
    for bound in &old.0 {
        // Fixed globals stay; only the warm-up's are not.
        let _ = realm().global.delete(&Atom::new(&bound.global));
    }
}

impl Bound {
    fn index_of(&self, name: &str) -> Option<u32> {
        if self.sorted.is_empty() {
            return self
                .names
                .binary_search_by(|known| known.as_str().cmp(name))
                .ok()
                .map(|index| index as u32);
        }
        let at = self
            .sorted
            .binary_search_by(|&index| self.names[index as usize].as_str().cmp(name))
            .ok()?;
        Some(self.sorted[at])
    }
}

impl Bridge {
    /// The binding and the index in it of a function's number.
    fn locate(&self, function: u32) -> Option<(u32, u32)> {
        let at = self
            .bound
            .partition_point(|bound| bound.first <= function)
            .checked_sub(1)?;
        Some((at as u32, function - self.bound[at].first))
    }

    /// How the program writes the function.
    fn title(&self, function: u32) -> String {
        let Some((binding, index)) = self.locate(function) else {
            return String::new();
        };
        let bound = &self.bound[binding as usize];
        path::format(
            &bound.global,
            [Step::Key(&bound.names[index as usize])].into_iter(),
        )
    }

    /// The rejection that an error with this tool name is: of those with its identity, the newest, if the name is its.
    fn rejection(&self, thrown: &Value, name: &Value) -> Option<Rejected> {
        let identity = thrown.identity();
        let mut newest = self.rejected.iter().rev();
        let rejected = *newest.find(|rejected| rejected.error == identity)?;
        let is_its = name.kind() == Kind::String && name.to_text() == self.name(rejected.function);
        is_its.then_some(rejected)
    }

    fn name(&self, function: u32) -> String {
        let Some((binding, index)) = self.locate(function) else {
            return String::new();
        };
        self.bound[binding as usize].names[index as usize].clone()
    }
}

fn own(object: u32, name: &Atom) -> JsResult<Option<Value>> {
    enum Known {
        Made(Value),
        New(u32, u32),
        Unknown,
    }
    let known = BRIDGE.with_borrow(|bridge| {
        let Some(bound) = bridge.bound.get(object as usize) else {
            return Known::Unknown;
        };
        if let Some(made) = bound.made.get(name) {
            return Known::Made(made.clone());
        }
        let key = name.to_value();
        if key.kind() != Kind::String {
            return Known::Unknown;
        }
        // Text that is not UTF-8 names nothing.
        let index = key
            .with_bytes(|bytes| bound.index_of(std::str::from_utf8(bytes).ok()?))
            .flatten();
        index.map_or(Known::Unknown, |index| {
            Known::New(index, bound.first + index)
        })
    });
    match known {
        Known::Made(value) => Ok(Some(value)),
        Known::Unknown => Ok(None),
        Known::New(index, function) => {
            let text = BRIDGE
                .with_borrow(|bridge| bridge.bound[object as usize].names[index as usize].clone());
            let value = host_function(&text, function, call)?;
            BRIDGE.with_borrow_mut(|bridge| {
                bridge.bound[object as usize]
                    .made
                    .insert(name.clone(), value.clone())
            });
            Ok(Some(value))
        }
    }
}

fn names(object: u32) -> Vec<Atom> {
    BRIDGE.with_borrow(|bridge| {
        let names = bridge
            .bound
            .get(object as usize)
            .map(|bound| bound.names.as_slice())
            .unwrap_or_default();
        names.iter().map(|name| Atom::new(name)).collect()
    })
}

fn missing(object: u32, name: &Atom) -> JsResult<Value> {
    let key = name.to_value();
    if key.kind() != Kind::String {
        // Where a tool has the name of a conversion, making the binding a text must not call it.
        let converts = |bound: &Bound| {
            ["toString", "valueOf"]
                .iter()
                .any(|name| bound.index_of(name).is_some())
        };
        let has_trap =
            BRIDGE.with_borrow(|bridge| bridge.bound.get(object as usize).is_some_and(converts));
        if has_trap && inspect(&key, 100) == "Symbol(Symbol.toPrimitive)" {
            return Err(realm().type_error("the object of the tools is no text and no number"));
        }
        return Ok(Value::UNDEFINED);
    }
    let wrong = key.to_text();
    if PROBED.contains(&wrong.as_str()) {
        return Ok(Value::UNDEFINED);
    }
    let message = BRIDGE.with_borrow(|bridge| {
        let bound = bridge.bound.get(object as usize)?;
        let title = |name: &str| path::format(&bound.global, [Step::Key(name)].into_iter());
        let hint = match nearest(&wrong, bound.names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean {}?", title(near)),
            None if bound.names.is_empty() => "there are none".into(),
            None if bound.names.len() <= MAX_LISTED => {
                format!("there are {}", bound.names.join(", "))
            }
            None => format!("Object.keys({}) lists them", bound.global),
        };
        Some(format!("{} is not a tool; {hint}", title(&wrong)))
    });
    Err(realm().type_error(&message.unwrap_or_default()))
}

fn read_only(object: u32, name: &Atom) -> Thrown {
    let global = BRIDGE.with_borrow(|bridge| {
        bridge
            .bound
            .get(object as usize)
            .map(|bound| bound.global.clone())
    });
    realm().type_error(&format!(
        "can't change {}: {} is read-only",
        name.to_text(),
        global.unwrap_or_default()
    ))
}

/// The program called a function.
fn call(function: u32, arguments: &[Value]) -> JsResult<Value> {
    let (promise, resolve, reject) = new_promise()?;
    match submit(function, arguments, &resolve, &reject) {
        Ok(()) => {}
        Err(Thrown) => {
            let error = take_exception();
            reject.call(&Value::UNDEFINED, &[error])?;
        }
    }
    Ok(promise)
}

fn submit(function: u32, arguments: &[Value], resolve: &Value, reject: &Value) -> JsResult<()> {
    let (limits, waiting_calls, waiting_bytes) =
        BRIDGE.with_borrow(|bridge| (bridge.limits, bridge.pending.len(), bridge.outgoing_bytes));
    let title = || BRIDGE.with_borrow(|bridge| bridge.title(function));
    if arguments.len() > 1 {
        return Err(realm().type_error(&format!(
            "{} takes one object with all arguments, not {}",
            title(),
            arguments.len()
        )));
    }
    if waiting_calls >= limits.max_pending_calls as usize {
        let message = format!(
            "{} calls are already waiting; await some of them before the next",
            limits.max_pending_calls
        );
        return Err(refuse(function, &message));
    }
    let max_bytes = (limits.max_pending_bytes as usize).saturating_sub(waiting_bytes);
    let bounds = Bounds {
        max_depth: limits.max_depth as usize,
        max_bytes,
    };
    let text = match arguments
        .first()
        .map(|value| to_json(value, "args", bounds))
        .transpose()
    {
        Ok(text) => text,
        Err(NotJson {
            found: Found::TooLong(_),
            ..
        }) if waiting_bytes > 0 => {
            let max = limits.max_pending_bytes;
            let message = format!(
                "calls with more than {max} bytes of arguments would wait; await some of them before the next"
            );
            return Err(refuse(function, &message));
        }
        Err(problem) => return Err(realm().type_error(&format!("{}: {problem}", title()))),
    };
    let error = error_here()?;
    BRIDGE.with_borrow_mut(|bridge| {
        let Some((binding, index)) = bridge.locate(function) else {
            return;
        };
        let id = bridge.next_id;
        bridge.next_id = bridge.next_id.saturating_add(1);
        bridge.outgoing_bytes += text.as_ref().map_or(0, String::len);
        bridge.outgoing.push(Call {
            id,
            binding,
            function: index,
            arguments: text,
        });
        bridge.pending.insert(
            id,
            Pending {
                function,
                resolve: resolve.clone(),
                reject: reject.clone(),
                error,
            },
        );
    });
    Ok(())
}

/// A rejection by the bridge itself.
fn refuse(function: u32, message: &str) -> Thrown {
    match error_here().and_then(|error| tool_call_error(error, function, message)) {
        Ok(error) => throw(error),
        Err(Thrown) => Thrown,
    }
}

/// Turns a bare error into a `ToolCallError`.
fn tool_call_error(error: Value, function: u32, message: &str) -> JsResult<Value> {
    let name = BRIDGE.with_borrow(|bridge| bridge.name(function));
    let names = &realm().names;
    error.set_prototype(&realm().tool_call_error_prototype)?;
    error.define(&names.message, Value::string(message)?, Flags::BUILTIN)?;
    error.define(&names.tool_name, Value::string(&name)?, Flags::ALL)?;
    Ok(error)
}

/// Settles the promise of a call. Ids that are unknown or answered do nothing.
pub(crate) fn settle(completion: Completion) -> JsResult<()> {
    let Completion { id, outcome } = completion;
    let Some((pending, max_depth)) = BRIDGE.with_borrow_mut(|bridge| {
        Some((
            bridge.pending.remove(&id)?,
            bridge.limits.max_depth as usize,
        ))
    }) else {
        return Ok(());
    };
    let Pending {
        function,
        resolve,
        reject,
        error,
    } = pending;
    let message = match outcome {
        Ok(text) => match from_json(&text, "result", max_depth) {
            Ok(value) => {
                resolve.call(&Value::UNDEFINED, &[value])?;
                return Ok(());
            }
            Err(problem) => problem,
        },
        Err(message) => message,
    };
    let error = tool_call_error(error, function, &message)?;
    let rejected = Rejected {
        error: error.identity(),
        id,
        function,
    };
    BRIDGE.with_borrow_mut(|bridge| bridge.rejected.push(rejected));
    reject.call(&Value::UNDEFINED, &[error])?;
    Ok(())
}
