//! The engine: the only folder that calls Boa. What it exports has the names and the meaning of the QuickJS guest's
//! `engine`, which the sources shared by both are written against.
//!
//! There is one context per instance. It is made once and lives until the instance is thrown away.

mod atom;
mod context;
mod copy;
mod extras;
mod function;
mod host_object;
mod jobs;
mod keys;
mod refused;
mod runtime;
mod sort;
mod stack;
mod text;
mod value;

pub(crate) use atom::Atom;
pub(crate) use context::start;
pub(crate) use copy::clone_value;
pub(crate) use extras::complete_globals;
pub(crate) use function::{Native, function, host_function};
pub(crate) use host_object::HostObject;
pub(crate) use jobs::{has_jobs, rejections, run_job};
pub(crate) use keys::Keys;
pub(crate) use runtime::{
    compile, error_here, evaluate, fill_gaps, global, new_promise, run_gc, take_exception, throw,
    throw_error,
};
pub(crate) use value::{Class, Flags, Kind, Own, PromiseState, Slot, Value};

/// Says that an exception is pending in the engine; [`take_exception`] takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Thrown;

/// The outcome of an operation that may run the program's code.
pub(crate) type JsResult<T> = Result<T, Thrown>;
