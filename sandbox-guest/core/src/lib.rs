//! What every program guest needs and no engine provides. Engine-free, safe code, tested natively.

pub mod json;
pub mod lossless;
pub mod path;
pub mod suggest;
pub mod text;
pub mod timers;
