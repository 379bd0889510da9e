//! Code Mode runtime: a guarded tool registry, and a sandbox in which a model's program calls the tools.

pub mod code_runtime;
pub mod json;
pub mod schema;
pub mod text;

pub use json::{Json, JsonError};
pub use schema::{ParameterSchema, Schema};
