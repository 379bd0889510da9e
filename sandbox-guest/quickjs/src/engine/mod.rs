//! The engine: the only folder that calls QuickJS. Everything it exports is safe.
//!
//! There is one runtime and one context per instance. They are made once, live until the instance is thrown away and
//! are reached from one thread; that is what the SAFETY comments in this folder lean on.

mod atom;
mod function;
mod host_object;
mod keys;
mod memory;
mod runtime;
mod text;
mod value;

pub(crate) use atom::Atom;
pub(crate) use function::{Native, function, host_function};
pub(crate) use host_object::HostObject;
pub(crate) use keys::Keys;
pub(crate) use memory::fill_gaps;
pub(crate) use runtime::{
    clone_value, compile, error_here, evaluate, global, has_jobs, new_promise, rejections, run_gc,
    run_job, start, take_exception, throw, throw_error,
};
pub(crate) use value::{Class, Flags, Kind, Own, PromiseState, Slot, Value};

/// Says that an exception is pending in the engine; [`take_exception`] takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Thrown;

/// The outcome of an operation that may run the program's code.
pub(crate) type JsResult<T> = Result<T, Thrown>;
