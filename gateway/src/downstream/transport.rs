//! A connection as its calls see it: they learn that it is gone, and what comes before `initialize` can't end it.

use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, ClientRequest, ServerJsonRpcMessage},
    transport::Transport,
};
use tokio_util::sync::CancellationToken;

/// Stands in the extensions of every request: fires when the client's connection has ended.
#[derive(Clone, Debug)]
pub(super) struct Connection(CancellationToken);

impl Connection {
    pub(super) fn gone(&self) -> &CancellationToken {
        &self.0
    }
}

/// Any transport, watched.
pub(super) struct Watched<T> {
    inner: T,
    gone: CancellationToken,
    initialized: bool,
}

impl<T> Watched<T> {
    /// `shutdown` ends every connection.
    pub(super) fn new(inner: T, shutdown: &CancellationToken) -> Self {
        Self {
            inner,
            gone: shutdown.child_token(),
            initialized: false,
        }
    }
}

impl<T> Drop for Watched<T> {
    fn drop(&mut self) {
        self.gone.cancel();
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Watched<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let Some(mut message) = self.inner.receive().await else {
                self.gone.cancel();
                return None;
            };
            if let ClientJsonRpcMessage::Request(request) = &message {
                self.initialized |= matches!(request.request, ClientRequest::InitializeRequest(_));
            } else if !self.initialized {
                // The library would take a stray notification or answer for the end of the client.
                tracing::debug!("a message before initialize is ignored");
                continue;
            }
            message.insert_extension(Connection(self.gone.clone()));
            return Some(message);
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.gone.cancel();
        self.inner.close().await
    }
}
