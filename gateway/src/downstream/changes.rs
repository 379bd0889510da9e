//! Telling clients that tools or resources have changed: collected for a moment, and only where something did change.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use tokio::sync::Notify;

use super::Gateway;

/// What the registry's listener notes.
#[derive(Default)]
pub(super) struct Changes {
    version: AtomicU64,
    happened: Notify,
}

impl Changes {
    /// The registry changed.
    pub(super) fn note(&self) {
        self.version.fetch_add(1, Ordering::AcqRel);
        self.happened.notify_one();
    }

    /// Grows with every change.
    pub(super) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }
}

/// Tells every client, until the gateway shuts down.
pub(super) async fn tell_clients(gateway: Gateway) {
    // A weak handle, so that this task does not keep the gateway.
    let (changes, shutdown) = (gateway.0.changes.clone(), gateway.0.shutdown.clone());
    let delay = gateway.0.options.change_delay;
    let mut told = gateway.listing();
    let gateway = {
        let weak = Arc::downgrade(&gateway.0);
        drop(gateway);
        weak
    };
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = changes.happened.notified() => {}
        }
        tokio::time::sleep(delay).await;
        let Some(gateway) = gateway.upgrade().map(Gateway) else {
            return;
        };
        let listing = gateway.listing();
        if listing.same_as(&told) {
            continue;
        }
        told = listing;
        let clients: Vec<super::Client> = gateway.lock_clients().values().cloned().collect();
        for client in clients {
            // Each in a task of its own: a client that does not read must not keep the others from hearing.
            tokio::spawn(async move {
                let _ = client.peer.notify_tool_list_changed().await;
                client.tell_resources_changed().await;
            });
        }
    }
}

impl super::Client {
    /// Says that the list of resources changed, to a client that has looked at it since it was last told.
    pub(super) async fn tell_resources_changed(&self) {
        if self.listed_resources.swap(false, Ordering::AcqRel) {
            let _ = self.peer.notify_resource_list_changed().await;
        }
    }
}
