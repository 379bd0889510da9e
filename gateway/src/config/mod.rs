//! What `mcp.json` says: which servers there are, how they are reached, and what of them is let through.

mod error;
mod expand;
mod jsonc;
mod read;

use std::{fmt, path::Path, sync::Arc, time::Duration};

pub use error::ConfigError;

use lockgate::Json;

use crate::redact::{ARGUMENT, Redactor, Secret, URL, is_secret_name};

/// How long a server may take to start and to list its tools, unless the configuration says otherwise.
pub const DEFAULT_START_TIMEOUT: Duration = Duration::from_secs(30);
/// How long one call may take, unless the configuration says otherwise.
pub const DEFAULT_CALL_TIMEOUT: Duration = Duration::from_secs(120);
/// Bytes that a configuration may have.
pub const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// A parsed `mcp.json`.
///
/// The shapes that people have are read: `mcpServers` or `servers`, with `command` or `url`, comments and trailing commas
/// included. What belongs to Lockgate alone stands in an object `lockgate`, at the top or in a server, which other clients
/// pass over. A server that can't be used keeps its place and says why when it is started: it never takes the others with it.
///
/// ```
/// use lockgate_gateway::Config;
///
/// let config = Config::parse(r#"{"mcpServers": {"time": {"command": "mcp-server-time"}}}"#)?;
/// assert_eq!(config.servers()[0].name(), "time");
/// # Ok::<(), lockgate_gateway::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Config {
    pub(crate) servers: Vec<ServerConfig>,
    pub(crate) policy: Option<Json>,
    pub(crate) warnings: Vec<String>,
}

/// One server of a [`Config`]. Its `Debug` form shows no value of its environment, its headers or its URL's secrets.
#[derive(Clone)]
pub struct ServerConfig {
    pub(crate) name: Arc<str>,
    pub(crate) endpoint: Endpoint,
    pub(crate) enabled: bool,
    pub(crate) filter: ToolFilter,
    pub(crate) start_timeout: Duration,
    pub(crate) call_timeout: Duration,
    pub(crate) idle_timeout: Option<Duration>,
    pub(crate) learn_types: bool,
    /// Why it can't be used at all.
    pub(crate) fault: Option<String>,
}

/// How a server is reached.
#[derive(Clone)]
pub(crate) enum Endpoint {
    Stdio(Stdio),
    Http(Http),
}

#[derive(Clone, Default)]
pub(crate) struct Stdio {
    pub(crate) command: Secret,
    pub(crate) args: Vec<Secret>,
    pub(crate) env: Vec<(String, Secret)>,
    pub(crate) cwd: Option<std::path::PathBuf>,
}

#[derive(Clone, Default)]
pub(crate) struct Http {
    pub(crate) url: Secret,
    pub(crate) headers: Vec<(String, Secret)>,
}

/// Which tools of a server are let through. `deny` wins; an empty `allow` lets all through.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolFilter {
    pub(crate) allow: Vec<String>,
    pub(crate) deny: Vec<String>,
}

impl Config {
    /// Reads a file. Relative folders in it are taken from the file's own folder.
    ///
    /// # Errors
    /// The file can't be read, is too large, or is not a configuration.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        read::load(path.as_ref(), &process_variable)
    }

    /// Reads a text; `${VAR}` is taken from the process's environment.
    ///
    /// # Errors
    /// It is not a configuration.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        Self::parse_with(text, &process_variable)
    }

    /// As [`Config::parse`], with `${VAR}` from `variable`.
    ///
    /// # Errors
    /// It is not a configuration.
    pub fn parse_with(
        text: &str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        read::parse(text, None, variable)
    }

    /// The servers, in the order of the file.
    pub fn servers(&self) -> &[ServerConfig] {
        &self.servers
    }

    /// The policy that stands in it, as it was written. [`Upstream`](crate::Upstream) does not apply it: see
    /// [`Policy::from_json`](crate::Policy::from_json).
    pub fn policy(&self) -> Option<&Json> {
        self.policy.as_ref()
    }

    /// What was read but not understood, one sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Takes the secrets of all servers out of texts.
    pub(crate) fn redactor(&self) -> Redactor {
        Redactor::new(self.servers.iter().flat_map(ServerConfig::secrets))
    }
}

impl ServerConfig {
    /// The name that the file gives it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is started at all.
    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// `stdio` or `http`.
    pub fn transport(&self) -> &'static str {
        match self.endpoint {
            Endpoint::Stdio(_) => "stdio",
            Endpoint::Http(_) => "http",
        }
    }

    /// Every value that may be secret, under the name by which a reader knows it.
    fn secrets(&self) -> Vec<(String, Secret)> {
        match &self.endpoint {
            Endpoint::Stdio(stdio) => stdio
                .env
                .iter()
                .cloned()
                .chain(argument_secrets(&stdio.args))
                .chain([(ARGUMENT.to_owned(), stdio.command.clone())])
                .collect(),
            Endpoint::Http(http) => http
                .headers
                .iter()
                .cloned()
                .chain([(URL.to_owned(), http.url.clone())])
                .collect(),
        }
    }
}

/// Arguments, and the values of those that are options: `--token x`, `--token=x`.
fn argument_secrets(args: &[Secret]) -> Vec<(String, Secret)> {
    let mut secrets = Vec::new();
    let mut option: Option<&str> = None;
    for arg in args {
        secrets.push((ARGUMENT.to_owned(), arg.clone()));
        let text = arg.reveal();
        let pair = match (text.strip_prefix('-'), option.take()) {
            (Some(flag), _) => flag.split_once('=').or_else(|| {
                option = Some(flag);
                None
            }),
            (None, Some(flag)) => Some((flag, text)),
            (None, None) => None,
        };
        if let Some((flag, value)) = pair
            && is_secret_name(flag)
        {
            secrets.push((flag.trim_matches('-').to_owned(), Secret::from(value)));
        }
    }
    secrets
}

impl ToolFilter {
    /// Whether a tool of this name is let through.
    pub(crate) fn lets(&self, tool: &str) -> bool {
        let matches = |patterns: &[String]| {
            patterns
                .iter()
                .any(|pattern| wildmatch::WildMatch::new(pattern).matches(tool))
        };
        !matches(&self.deny) && (self.allow.is_empty() || matches(&self.allow))
    }

    /// The patterns that match none of the names: probably misspelt.
    pub(crate) fn unmatched<'a>(&'a self, names: &[&str]) -> Vec<&'a str> {
        self.allow
            .iter()
            .chain(&self.deny)
            .map(String::as_str)
            .filter(|pattern| {
                let pattern = wildmatch::WildMatch::new(pattern);
                !names.iter().any(|name| pattern.matches(name))
            })
            .collect()
    }
}

impl fmt::Debug for ServerConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerConfig")
            .field("name", &self.name)
            .field("transport", &self.transport())
            .field("enabled", &self.enabled)
            .field("filter", &self.filter)
            .finish_non_exhaustive()
    }
}

fn process_variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
