//! A registry over configured servers, for one test.

use std::{sync::Arc, time::Duration};

use lockgate::{CallRequest, Json, Registry, ToolResult, json};
use lockgate_gateway::{Config, ServerState, ServerStatus, Upstream};

/// Long enough for a busy machine; nothing waits so long when all is well.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Rig {
    pub(crate) registry: Registry,
    pub(crate) upstream: Upstream,
}

impl Rig {
    /// Servers that have been started.
    pub(crate) async fn new(servers: &Json) -> Self {
        Self::over(Registry::new(), servers).await
    }

    pub(crate) async fn over(registry: Registry, servers: &Json) -> Self {
        let rig = Self::unready(registry, servers);
        tokio::time::timeout(PATIENCE, rig.upstream.ready())
            .await
            .unwrap();
        rig
    }

    pub(crate) fn unready(registry: Registry, servers: &Json) -> Self {
        let config = json!({"mcpServers": (servers.clone())}).to_string();
        let config = Config::parse(&config).unwrap();
        assert_eq!(config.warnings(), [""; 0]);
        let upstream = Upstream::start(config, registry.clone());
        Self { registry, upstream }
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Json) -> ToolResult {
        let request = CallRequest::new("call", tool, arguments);
        tokio::time::timeout(PATIENCE, self.registry.execute(request))
            .await
            .unwrap()
    }

    pub(crate) async fn value(&self, tool: &str, arguments: Json) -> Json {
        let result = self.call(tool, arguments).await;
        match result.value() {
            Some(value) => value.clone(),
            None => panic!("{tool}: {}", result.text()),
        }
    }

    pub(crate) async fn error(&self, tool: &str, arguments: Json) -> String {
        let result = self.call(tool, arguments).await;
        result.error().unwrap().message.to_string()
    }

    pub(crate) fn status(&self, server: &str) -> ServerStatus {
        let all = self.upstream.status();
        all.into_iter()
            .find(|status| &*status.name == server)
            .unwrap()
    }

    pub(crate) fn names(&self) -> Vec<Arc<str>> {
        let schemas = self.registry.schemas();
        schemas.into_iter().map(|schema| schema.name).collect()
    }

    /// Why a server is down. One that failed is being started again from time to time: this waits for the failure.
    pub(crate) async fn down(&self, server: &str) -> String {
        let waited = tokio::time::timeout(PATIENCE, async {
            loop {
                if let ServerState::Down { reason, .. } = self.status(server).state {
                    return reason;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        match waited.await {
            Ok(reason) => reason,
            Err(_) => panic!("{server} is not down: {:?}", self.status(server).state),
        }
    }

    /// Waits until something holds.
    pub(crate) async fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let waited = tokio::time::timeout(PATIENCE, async {
            while !holds(self) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        assert!(
            waited.await.is_ok(),
            "never: {what}; {:?}",
            self.upstream.status()
        );
    }
}
