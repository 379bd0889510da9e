//! What is known of a server from outside.

use std::{sync::Arc, time::Duration};

/// What is known of one server. No text in it holds a secret of the configuration.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerStatus {
    /// Its name in the configuration.
    pub name: Arc<str>,
    /// `stdio` or `http`.
    pub transport: &'static str,
    /// Whether it can be called.
    pub state: ServerState,
    /// How often it has been started.
    pub starts: u64,
    /// What it offers and is let through, in its own order. Kept while it is down.
    pub tools: Vec<ToolStatus>,
    /// Tools that `allow` and `deny` keep out.
    pub filtered: usize,
    /// What was wrong with its tool list, and what became of it; one sentence each.
    pub problems: Vec<String>,
    /// What is as it should be and yet worth knowing: tools that got another name, schemas that are enforced in part.
    pub notes: Vec<String>,
}

/// Whether a server can be called.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerState {
    /// The configuration switches it off.
    Disabled,
    /// The configuration of this server can't be used.
    Unusable {
        /// What is wrong.
        reason: String,
    },
    /// Nobody has asked for it yet, or it was stopped because nobody did for a while. A call starts it.
    Idle,
    /// It is being started.
    Starting,
    /// It answers.
    Ready,
    /// It failed. It is tried again, and a call after that time tries it at once.
    Down {
        /// How it failed.
        reason: String,
        /// How long until then.
        retry_in: Duration,
    },
    /// The gateway was shut down.
    Stopped,
}

/// One tool of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolStatus {
    /// The server's own name for it.
    pub name: Arc<str>,
    /// The name that programs call it by.
    pub exposed_as: Arc<str>,
    /// What is known of its values.
    pub output: OutputTyping,
    /// Whether the server says that it only reads, so that calls may overlap.
    pub read_only: bool,
}

/// What is known of a tool's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputTyping {
    /// By the server's output schema, which is enforced.
    Declared,
    /// The server has an output schema of which nothing can be enforced.
    Unusable,
    /// The server says nothing.
    Unknown,
    /// The server says nothing; a type was learned from what it answered.
    Observed,
}

/// Where a registered tool comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolOrigin {
    /// The server, by its name in the configuration.
    pub server: Arc<str>,
    /// The server's own name for the tool.
    pub tool: Arc<str>,
}

impl ToolOrigin {
    /// The origin of a tool, for hosts that register tools by themselves.
    pub fn new(server: impl Into<Arc<str>>, tool: impl Into<Arc<str>>) -> Self {
        Self {
            server: server.into(),
            tool: tool.into(),
        }
    }
}
