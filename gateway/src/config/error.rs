//! Why a configuration as a whole can't be used.

/// Why an `mcp.json` can't be used. What is wrong with one server alone is told by that server's status instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file can't be read.
    #[error("can't read {file}: {error}")]
    Unreadable {
        /// The file.
        file: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// The file is larger than [`MAX_CONFIG_BYTES`](super::MAX_CONFIG_BYTES).
    #[error("{file} has {bytes} bytes; a configuration may have {limit}")]
    TooLarge {
        /// The file.
        file: String,
        /// Its size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// It is not JSON, comments and trailing commas aside.
    #[error("{place} is not JSON: {detail}")]
    NotJson {
        /// The file, or `the configuration`.
        place: String,
        /// What is wrong, with line and column.
        detail: String,
    },
    /// It is JSON, but no list of servers.
    #[error("{place}: {detail}")]
    Shape {
        /// The file, or `the configuration`.
        place: String,
        /// What is wrong, and what is expected.
        detail: String,
    },
}
