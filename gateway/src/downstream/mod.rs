//! The side that agents see: an MCP server over stdio and HTTP whose tool is `run_code`.
//!
//! [`Hub`] is made first and given to the registry's builder, since a registry's approval service and event sink are fixed when
//! it is built. [`Gateway`] then serves that registry to any number of clients.

mod approval;
mod changes;
mod http;
mod hub;
mod listing;
mod resources;
mod result;
#[expect(
    deprecated,
    reason = "log messages are deprecated in 2026-07-28; clients of the versions before it, which are spoken here, have them"
)]
mod run;
#[expect(deprecated, reason = "as in `run`")]
mod session;
mod sessions;
mod stdio;
mod traces;
mod transport;

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use lockgate::{Mode, Registration, Registry, Scope};
use rmcp::{Peer, RoleServer};
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;

pub use http::{HttpError, HttpOptions, HttpServer, MAX_BODY_BYTES, MAX_SESSIONS};
pub use hub::Hub;
pub use listing::SHORT_DESCRIPTION;
pub use traces::{MAX_TRACE_BYTES, MAX_TRACES, MAX_TRACES_BYTES};

use listing::Listing;
use traces::Traces;

/// What a gateway may be told besides its registry.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GatewayOptions {
    /// How long a person may take to answer; then the question is withdrawn and the calls are denied. Default 300 s.
    pub approval_timeout: Duration,
    /// Calls of clients that may be in flight at one time, over all clients; one more fails at once. Default 1,000.
    pub max_calls: usize,
    /// How long a client's first list of tools waits for servers that start; see [`Gateway::warm_up`]. Default 8 s, less
    /// than clients wait for a list.
    pub list_patience: Duration,
    /// The names of the servers behind the gateway: clients are told of them before the tools are known. Default none.
    pub servers: Vec<String>,
    /// How long changes of tools are collected before clients are told. Default 100 ms.
    pub change_delay: Duration,
}

impl Default for GatewayOptions {
    fn default() -> Self {
        Self {
            approval_timeout: Duration::from_secs(300),
            max_calls: 1_000,
            list_patience: Duration::from_secs(8),
            servers: Vec::new(),
            change_delay: Duration::from_millis(100),
        }
    }
}

/// Serves a registry to MCP clients. Cheap to clone; all clones are the same gateway.
#[derive(Clone)]
pub struct Gateway(Arc<Inner>);

struct Inner {
    registry: Registry,
    hub: Arc<Hub>,
    options: GatewayOptions,
    /// A scope that presents every tool natively: the way to list all of them whatever the registry's mode is.
    native: Scope,
    changes: Arc<changes::Changes>,
    listing: Mutex<Option<(u64, Arc<Listing>)>>,
    clients: Mutex<HashMap<u64, Client>>,
    next_session: AtomicU64,
    traces: Traces,
    calls: Arc<Semaphore>,
    /// Whether the tools are known.
    warm: watch::Sender<bool>,
    shutdown: CancellationToken,
    _listener: Registration,
}

/// A connected client that can be told of changes.
#[derive(Clone)]
struct Client {
    peer: Peer<RoleServer>,
    /// Whether it has listed the resources since it was last told that they changed.
    listed_resources: Arc<std::sync::atomic::AtomicBool>,
}

impl Gateway {
    /// A gateway for the registry that was built with this hub. Must be called within a tokio runtime: it starts the task that
    /// tells clients of changed tools, which ends with [`shutdown`](Self::shutdown).
    pub fn new(registry: Registry, hub: Arc<Hub>, options: GatewayOptions) -> Self {
        let native = registry.scope("the gateway's list of tools");
        if let Ok(presentation) = native.present_as(Mode::Native) {
            presentation.keep();
        }
        let changes = Arc::new(changes::Changes::default());
        let heard = changes.clone();
        let listener = registry.on_change(move |_| {
            heard.note();
            Ok(())
        });
        let gateway = Self(Arc::new(Inner {
            registry,
            hub,
            native,
            changes,
            listing: Mutex::default(),
            clients: Mutex::default(),
            next_session: AtomicU64::new(1),
            traces: Traces::default(),
            calls: Arc::new(Semaphore::new(
                options.max_calls.min(Semaphore::MAX_PERMITS),
            )),
            options,
            warm: watch::Sender::new(true),
            shutdown: CancellationToken::new(),
            _listener: listener,
        }));
        tokio::spawn(changes::tell_clients(gateway.clone()));
        gateway
    }

    /// The registry that is served.
    pub fn registry(&self) -> &Registry {
        &self.0.registry
    }

    /// Lets lists and calls of clients wait for this future, such as [`Upstream::ready`](crate::Upstream::ready): lists for
    /// [`list_patience`](GatewayOptions::list_patience), calls until it is done. Clients hear of tools that come later.
    pub fn warm_up(&self, ready: impl Future<Output = ()> + Send + 'static) {
        self.0.warm.send_replace(false);
        let weak = Arc::downgrade(&self.0);
        tokio::spawn(async move {
            ready.await;
            if let Some(gateway) = weak.upgrade() {
                gateway.warm.send_replace(true);
            }
        });
    }

    async fn warmed_up(&self) {
        // An error says that the gateway is gone.
        let _ = self.0.warm.subscribe().wait_for(|warm| *warm).await;
    }

    /// Clients that are connected now.
    pub fn clients(&self) -> usize {
        self.lock_clients().len()
    }

    /// Calls of clients that are in flight now.
    pub fn calls_in_flight(&self) -> usize {
        self.0
            .options
            .max_calls
            .saturating_sub(self.0.calls.available_permits())
    }

    /// Ends every session and cancels its calls, then waits until they have ended, at most as long as given.
    pub async fn shutdown(&self, patience: Duration) {
        self.0.shutdown.cancel();
        let all = u32::try_from(self.0.options.max_calls.min(Semaphore::MAX_PERMITS));
        if let Ok(all) = all
            && tokio::time::timeout(patience, self.0.calls.acquire_many(all))
                .await
                .is_err()
        {
            tracing::warn!("calls that ignored their cancellation were left behind");
        }
    }

    /// What clients are told of the tools, made again only after a change.
    fn listing(&self) -> Arc<Listing> {
        let version = self.0.changes.version();
        let mut kept = self
            .0
            .listing
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((at, listing)) = &*kept
            && *at == version
        {
            return listing.clone();
        }
        let listing = Arc::new(Listing::new(&self.0.registry, &self.0.native));
        *kept = Some((version, listing.clone()));
        listing
    }

    fn lock_clients(&self) -> MutexGuard<'_, HashMap<u64, Client>> {
        self.0
            .clients
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn next_session(&self) -> u64 {
        self.0.next_session.fetch_add(1, Ordering::Relaxed)
    }
}

impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gateway")
            .field("clients", &self.clients())
            .finish_non_exhaustive()
    }
}
