//! What a server may do at most. Each limit names itself in the message that tells of it.

use std::time::Duration;

/// Bytes of one message of a server. A longer one fails the call that it answers.
pub const MAX_MESSAGE_BYTES: usize = 16 << 20;
/// Messages that answer no request (notifications, requests of its own, lines that are not JSON-RPC): so many at once…
pub const MESSAGE_BURST: u32 = 5_000;
/// … and so many a second for long. A server that sends more is stopped.
pub const MESSAGES_PER_SECOND: u32 = 500;
/// Tools of one server. Those after it are left out.
pub const MAX_TOOLS: usize = 2_000;
/// Pages of one tool list. Those after it are left out.
pub const MAX_PAGES: usize = 200;
/// Bytes of all that one tool list says.
pub const MAX_LIST_BYTES: usize = 16 << 20;
/// Bytes of a tool's name. A tool with a longer one is left out.
pub const MAX_NAME_BYTES: usize = 128;
/// Bytes of a tool's description. A longer one is cut.
pub const MAX_DESCRIPTION_BYTES: usize = 16 << 10;
/// Bytes of a schema as JSON. A larger one is shown as "any JSON".
pub const MAX_SCHEMA_BYTES: usize = 256 << 10;
/// Bytes of a server's error text that a program is shown.
pub const MAX_ERROR_BYTES: usize = 16 << 10;
/// Problems that are kept of one server.
pub const MAX_PROBLEMS: usize = 100;
/// Bytes of one image, sound or other media, decoded, that is attached to a result. A program still gets the handle of a larger one.
pub const MAX_MEDIA_BYTES: usize = 5 << 20;
/// Bytes of all media that one top-level call gathers.
pub const MAX_MEDIA_BYTES_OF_RUN: usize = 20 << 20;

/// How long a server may leave a message to it unread.
pub(crate) const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a server may take to go before it is asked harder.
pub(crate) const STOP_GRACE: Duration = Duration::from_secs(2);
/// How long the pipes of a process that has ended may stay open.
pub(crate) const DRAIN: Duration = Duration::from_millis(500);
/// The shortest time between two lists of a server's tools.
pub(crate) const RELIST_PAUSE: Duration = Duration::from_millis(250);
/// How long a call waits for a server that is about to be restarted.
pub(crate) const RESTART_WAIT: Duration = Duration::from_secs(2);
/// How long it may take to tell a server that a call is cancelled.
pub(crate) const CANCEL_TIMEOUT: Duration = Duration::from_millis(500);
/// How long a server that is doubted may take to answer a ping.
pub(crate) const PING_TIMEOUT: Duration = Duration::from_secs(5);
