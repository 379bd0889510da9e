//! The servers that are configured, and their tools in the registry.

mod status;

pub use status::{OutputTyping, ServerState, ServerStatus, ToolOrigin, ToolStatus};

use lockgate::Registry;

use crate::Config;

/// All configured servers. Dropping it stops them.
pub struct Upstream {
    config: Config,
}

impl Upstream {
    /// Takes the servers in hand. Nothing is started yet: [`Upstream::ready`] does, or a call of a tool that is known.
    /// Tools are registered as they become known, and follow the server's list from then on.
    pub fn start(config: Config, registry: Registry) -> Self {
        let _ = (config.redactor(), registry);
        Self { config }
    }

    /// Starts every server that is enabled and waits until each has listed its tools or failed.
    pub async fn ready(&self) {}

    /// What is known of each server, in the order of the configuration.
    pub fn status(&self) -> Vec<ServerStatus> {
        let _ = &self.config;
        Vec::new()
    }

    /// Which server and tool a registered name stands for; none for a tool that is not of a server.
    pub fn origin(&self, registered: &str) -> Option<ToolOrigin> {
        let _ = registered;
        None
    }

    /// Unregisters all tools and stops all servers.
    pub async fn shutdown(self) {}
}
