//! The sessions of HTTP clients: how many there may be, and what becomes of one whose client went away.

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use futures_util::Stream;
use rmcp::{
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::{
        WorkerTransport,
        streamable_http_server::session::{
            ServerSseMessage, SessionId, SessionManager,
            local::{
                LocalSessionManager, LocalSessionManagerError, LocalSessionWorker, SessionConfig,
            },
        },
    },
};
use tokio_util::sync::CancellationToken;

use super::transport::Watched;

/// The sessions of one server.
#[derive(Clone)]
pub(super) struct Sessions(Arc<Inner>);

struct Inner {
    local: LocalSessionManager,
    max: usize,
    /// How long a client may be away that left a request unanswered.
    grace: Duration,
    shutdown: CancellationToken,
    /// Open streams, by session.
    streams: Mutex<HashMap<SessionId, usize>>,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum SessionsError {
    #[error(
        "there are {max} sessions already (limit max_sessions: {max}); close one, or try again later"
    )]
    Full { max: usize },
    #[error(transparent)]
    Local(#[from] LocalSessionManagerError),
}

impl Sessions {
    pub(super) fn new(
        max: usize,
        idle: Duration,
        grace: Duration,
        shutdown: CancellationToken,
    ) -> Self {
        let mut config = SessionConfig::default();
        config.keep_alive = Some(idle);
        let mut local = LocalSessionManager::default();
        local.session_config = config;
        Self(Arc::new(Inner {
            local,
            max,
            grace,
            shutdown,
            streams: Mutex::default(),
        }))
    }

    pub(super) async fn is_full(&self) -> bool {
        self.0.local.sessions.read().await.len() >= self.0.max
    }

    /// `owed` says that the client waits for an answer on this stream.
    fn follow<S>(&self, id: &SessionId, stream: S, owed: bool) -> Followed<S> {
        *self.0.lock().entry(id.clone()).or_default() += 1;
        Followed {
            stream,
            owed,
            id: id.clone(),
            sessions: self.clone(),
        }
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, usize>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One stream less.
    fn unfollow(&self, id: &SessionId) {
        let mut streams = self.lock();
        if let Some(open) = streams.get_mut(id) {
            *open -= 1;
            if *open == 0 {
                streams.remove(id);
            }
        }
    }
}

impl SessionManager for Sessions {
    type Error = SessionsError;
    type Transport = Watched<WorkerTransport<LocalSessionWorker>>;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        if self.is_full().await {
            return Err(SessionsError::Full { max: self.0.max });
        }
        let (id, transport) = self.0.local.create_session().await?;
        Ok((id, Watched::new(transport, &self.0.shutdown)))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        Ok(self.0.local.initialize_session(id, message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        Ok(self.0.local.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.0.lock().remove(id);
        Ok(self.0.local.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let stream = self.0.local.create_stream(id, message).await?;
        Ok(self.follow(id, Box::pin(stream), true))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        Ok(self.0.local.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let stream = self.0.local.create_standalone_stream(id).await?;
        Ok(self.follow(id, Box::pin(stream), false))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        // Events of a request's own stream have the request's number after a slash.
        let owed = last_event_id.contains('/');
        let stream = self.0.local.resume(id, last_event_id).await?;
        Ok(self.follow(id, Box::pin(stream), owed))
    }
}

/// A stream to a client. When it is dropped before the answer that it owes, the client went away: if there is no stream to it
/// at all after the grace, its session is closed, and its calls with it.
struct Followed<S> {
    stream: S,
    owed: bool,
    id: SessionId,
    sessions: Sessions,
}

impl<S: Stream<Item = ServerSseMessage> + Unpin> Stream for Followed<S> {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<ServerSseMessage>> {
        let polled = Pin::new(&mut self.stream).poll_next(cx);
        self.owed &= match &polled {
            Poll::Pending => true,
            Poll::Ready(None) => false,
            Poll::Ready(Some(event)) => !matches!(
                event.message.as_deref(),
                Some(ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_))
            ),
        };
        polled
    }
}

impl<S> Drop for Followed<S> {
    fn drop(&mut self) {
        self.sessions.0.unfollow(&self.id);
        if !self.owed {
            return;
        }
        let Ok(tokio) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let (sessions, id) = (self.sessions.clone(), self.id.clone());
        tokio.spawn(async move {
            tokio::time::sleep(sessions.0.grace).await;
            if sessions.0.lock().contains_key(&id) {
                return;
            }
            tracing::info!("a client went away; its session is closed");
            let _ = sessions.close_session(&id).await;
        });
    }
}
