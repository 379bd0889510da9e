//! Stands between an agent and its MCP servers: their tools become functions of a program.

pub mod config;
pub mod otlp;
mod redact;
mod tls;
pub mod upstream;

pub use config::{Config, ConfigError, ServerConfig};
pub use upstream::{OutputTyping, ServerState, ServerStatus, ToolOrigin, ToolStatus, Upstream};
