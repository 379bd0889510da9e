//! Stands between an agent and its MCP servers: their tools become functions of a program.

pub mod config;
pub mod downstream;
pub mod otlp;
pub mod policy;
mod redact;
mod tls;
pub mod upstream;

pub use config::{Config, ConfigError, ServerConfig};
pub use downstream::{Gateway, GatewayOptions, Hub};
pub use policy::Policy;
pub use upstream::{OutputTyping, ServerState, ServerStatus, ToolOrigin, ToolStatus, Upstream};
