//! The servers that are configured, and their tools in the registry.

mod backoff;
mod call;
mod catalogue;
mod gate;
mod learned;
pub mod limits;
mod listing;
mod names;
mod output;
mod process;
mod raw;
mod result;
mod server;
mod session;
mod status;
mod stdio;
mod text;

use std::{fmt, sync::Arc};

use lockgate::Registry;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub use process::INHERITED;
pub use status::{OutputTyping, ServerState, ServerStatus, ToolOrigin, ToolStatus};

use self::{catalogue::Catalogue, server::Server};
use crate::Config;

/// All configured servers. Dropping it unregisters their tools and stops them in the background.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use lockgate::Registry;
/// use lockgate_gateway::{Config, Upstream};
///
/// let registry = Registry::new();
/// let upstream = Upstream::start(Config::load("mcp.json")?, registry.clone());
/// upstream.ready().await;
/// for server in upstream.status() {
///     println!("{}: {:?}, {} tools", server.name, server.state, server.tools.len());
/// }
/// upstream.shutdown().await;
/// # Ok(()) }
/// ```
pub struct Upstream {
    catalogue: Arc<Catalogue>,
    watchers: Vec<JoinHandle<()>>,
    stop: CancellationToken,
}

impl Upstream {
    /// Takes the servers in hand. Nothing is started yet: [`Upstream::ready`] does, or a call of a tool that is known.
    /// Tools are registered as they become known, and follow the server's list from then on.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn start(config: Config, registry: Registry) -> Self {
        let redactor = Arc::new(config.redactor());
        let servers: Vec<Arc<Server>> = config
            .servers
            .into_iter()
            .enumerate()
            .map(|(index, config)| Arc::new(Server::new(index, config, redactor.clone())))
            .collect();
        let catalogue = Catalogue::new(registry, servers);
        let stop = CancellationToken::new();
        let watchers = catalogue
            .servers()
            .iter()
            .map(|server| tokio::spawn(server.clone().watch(catalogue.clone(), stop.clone())))
            .collect();
        Self {
            catalogue,
            watchers,
            stop,
        }
    }

    /// Starts every server that is enabled and waits until each has listed its tools or failed. No longer than the longest
    /// start timeout.
    pub async fn ready(&self) {
        futures_util::future::join_all(
            self.catalogue.servers().iter().map(|server| server.ready()),
        )
        .await;
    }

    /// What is known of each server, in the order of the configuration.
    pub fn status(&self) -> Vec<ServerStatus> {
        self.catalogue
            .servers()
            .iter()
            .map(|server| {
                let (tools, more_problems, more_notes) = self.catalogue.of(server.index);
                let mut problems = server.problems();
                problems.extend(more_problems);
                let mut notes = server.notes();
                notes.extend(more_notes);
                ServerStatus {
                    name: server.name().clone(),
                    transport: server.config.transport(),
                    state: server.state(),
                    starts: server.starts(),
                    tools,
                    filtered: server.filtered(),
                    problems,
                    notes,
                }
            })
            .collect()
    }

    /// Which server and tool a registered name stands for; none for a tool that is not of a server.
    pub fn origin(&self, registered: &str) -> Option<ToolOrigin> {
        self.catalogue.origin(registered)
    }

    /// Unregisters all tools, stops all servers and waits until they are gone: a few seconds at most.
    pub async fn shutdown(mut self) {
        self.catalogue.close();
        self.stop.cancel();
        for watcher in std::mem::take(&mut self.watchers) {
            // An error says that it is gone already.
            let _ = watcher.await;
        }
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.catalogue.close();
        self.stop.cancel();
    }
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upstream").finish_non_exhaustive()
    }
}
