//! One server: started when it is asked for, watched over, and started again when it fails.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use rmcp::{
    RoleClient,
    model::{ClientRequest, PingRequest},
    service::{Peer, ServiceError},
};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use super::{
    backoff::Backoff,
    catalogue::Catalogue,
    learned::Shape,
    limits::{MAX_PROBLEMS, MAX_TOOLS, PING_TIMEOUT, RELIST_PAUSE, RESTART_WAIT, STOP_GRACE},
    listing::{self, METHOD_NOT_FOUND},
    session::{self, Session, Traces, causes},
    status::ServerState,
    text::quoted,
};
use crate::{
    config::{Endpoint, ServerConfig},
    redact::Redactor,
};

/// Whether a server can be called.
#[derive(Clone)]
enum Link {
    /// Why it will never be started.
    Off(ServerState),
    Idle,
    Starting,
    Ready(Peer<RoleClient>),
    Down {
        reason: Arc<str>,
        retry_at: Instant,
    },
}

/// What the server's watcher, its tools and its status share.
pub(super) struct Server {
    pub(super) index: usize,
    pub(super) config: ServerConfig,
    pub(super) redactor: Arc<Redactor>,
    link: watch::Sender<Link>,
    wanted: Notify,
    /// A call could not reach the server: does it still know this client?
    doubted: Notify,
    /// True once a start has been tried, or can't be.
    tried: watch::Sender<bool>,
    problems: RwLock<Vec<String>>,
    notes: RwLock<Vec<String>>,
    filtered: AtomicUsize,
    starts: AtomicU64,
    calls: AtomicUsize,
    answered: AtomicBool,
    last_call: Mutex<Instant>,
    /// By the server's own tool names.
    shapes: Mutex<HashMap<Arc<str>, Shape>>,
}

/// How a session ended.
enum Ended {
    /// Nobody had called for a while.
    Idle,
    ShutDown,
    Failed(String),
}

impl Server {
    pub(super) fn new(index: usize, config: ServerConfig, redactor: Arc<Redactor>) -> Self {
        let off = if !config.enabled {
            Some(ServerState::Disabled)
        } else {
            config.fault.as_ref().map(|fault| ServerState::Unusable {
                reason: redactor.message(fault).into_owned(),
            })
        };
        Self {
            index,
            redactor,
            tried: watch::Sender::new(off.is_some()),
            link: watch::Sender::new(off.map_or(Link::Idle, Link::Off)),
            config,
            wanted: Notify::new(),
            doubted: Notify::new(),
            problems: RwLock::default(),
            notes: RwLock::default(),
            filtered: AtomicUsize::new(0),
            starts: AtomicU64::new(0),
            calls: AtomicUsize::new(0),
            answered: AtomicBool::new(false),
            last_call: Mutex::new(Instant::now()),
            shapes: Mutex::default(),
        }
    }

    pub(super) fn name(&self) -> &Arc<str> {
        &self.config.name
    }

    /// `the MCP server "x"`.
    pub(super) fn title(&self) -> String {
        format!("the MCP server {}", quoted(self.name()))
    }

    pub(super) fn state(&self) -> ServerState {
        match &*self.link.borrow() {
            Link::Off(state) => state.clone(),
            Link::Idle => ServerState::Idle,
            Link::Starting => ServerState::Starting,
            Link::Ready(_) => ServerState::Ready,
            Link::Down { reason, retry_at } => ServerState::Down {
                reason: reason.to_string(),
                retry_in: retry_at.saturating_duration_since(Instant::now()),
            },
        }
    }

    pub(super) fn starts(&self) -> u64 {
        self.starts.load(Ordering::Relaxed)
    }

    pub(super) fn filtered(&self) -> usize {
        self.filtered.load(Ordering::Relaxed)
    }

    pub(super) fn problems(&self) -> Vec<String> {
        self.problems
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(super) fn notes(&self) -> Vec<String> {
        self.notes
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Notes what went wrong outside a tool list.
    pub(super) fn add_problem(&self, problem: &str) {
        let mut problems = self
            .problems
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if problems.len() < MAX_PROBLEMS && !problems.iter().any(|known| known == problem) {
            problems.push(self.redactor.message(problem).into_owned());
        }
    }

    /// Asks for a start and waits until it has been tried.
    pub(super) async fn ready(&self) {
        if matches!(*self.link.borrow(), Link::Idle) {
            self.wanted.notify_one();
        }
        let _ = self.tried.subscribe().wait_for(|tried| *tried).await;
    }

    /// The way to call the server, which is started if need be. A server that failed is tried again once its time has come;
    /// a call waits if that is soon.
    ///
    /// # Errors
    /// It can't be called; the message says why, and when it is tried again.
    pub(super) async fn connect(&self) -> Result<Peer<RoleClient>, String> {
        let mut link = self.link.subscribe();
        let mut attempts = 0;
        loop {
            let seen = link.borrow_and_update().clone();
            match seen {
                Link::Ready(peer) if !peer.is_transport_closed() => return Ok(peer),
                Link::Off(state) => return Err(off(&self.title(), &state)),
                Link::Down { reason, retry_at } => {
                    let left = retry_at.saturating_duration_since(Instant::now());
                    if left > RESTART_WAIT || attempts > 0 {
                        return Err(format!(
                            "{} is down: {reason}. It is tried again {}; its other tools fail until then, those of other servers do not",
                            self.title(),
                            after(left)
                        ));
                    }
                    attempts += 1;
                    self.wanted.notify_one();
                }
                Link::Idle => self.wanted.notify_one(),
                // A peer that is closed already: its watcher is about to say so.
                Link::Ready(_) | Link::Starting => {}
            }
            if link.changed().await.is_err() {
                return Err(off(&self.title(), &ServerState::Stopped));
            }
        }
    }

    /// Counts a call, for as long as what is returned lives.
    pub(super) fn calling(self: &Arc<Self>) -> Calling {
        self.calls.fetch_add(1, Ordering::Relaxed);
        Calling(self.clone())
    }

    /// Learns of a tool's values. Tools that the server does not list any more keep what was learned.
    pub(super) fn learn<R>(&self, tool: &Arc<str>, change: impl FnOnce(&mut Shape) -> R) -> R {
        let mut shapes = self.shapes.lock().unwrap_or_else(PoisonError::into_inner);
        if shapes.len() >= MAX_TOOLS {
            shapes.clear();
        }
        change(shapes.entry(tool.clone()).or_default())
    }

    /// Waits a little for the end of a connection that was lost, and gives the state after it.
    pub(super) async fn wait_for_end(&self) -> Option<ServerState> {
        let mut link = self.link.subscribe();
        let ended = link.wait_for(|link| !matches!(link, Link::Ready(_)));
        let ended = tokio::time::timeout(RESTART_WAIT, ended).await;
        matches!(ended, Ok(Ok(_))).then(|| self.state())
    }

    /// A call got no answer. Over HTTP that may mean that the server was started anew and has forgotten the session, which
    /// nothing else would tell.
    pub(super) fn doubt(&self) {
        if matches!(self.config.endpoint, Endpoint::Http(_)) {
            self.doubted.notify_one();
        }
    }

    /// The server has answered a call: it is healthy.
    pub(super) fn has_answered(&self) {
        self.answered.store(true, Ordering::Relaxed);
    }

    /// Watches over the server until `stop` fires.
    pub(super) async fn watch(self: Arc<Self>, catalogue: Arc<Catalogue>, stop: CancellationToken) {
        if matches!(*self.link.borrow(), Link::Off(_)) {
            return;
        }
        let mut backoff = Backoff::default();
        // None: only a call or `ready` starts it.
        let mut retry_at: Option<Instant> = None;
        loop {
            let due = async {
                match retry_at {
                    Some(at) => tokio::time::sleep_until(at.into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                () = due => {}
                () = self.wanted.notified() => {
                    // It was asked for before its time: that is when it is tried.
                    if let Link::Down { retry_at: at, .. } = &*self.link.borrow()
                        && *at > Instant::now()
                    {
                        retry_at = Some(*at);
                        continue;
                    }
                }
            }
            self.link.send_replace(Link::Starting);
            self.starts.fetch_add(1, Ordering::Relaxed);
            self.answered.store(false, Ordering::Relaxed);
            let mut traces = Traces::default();
            let opened = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                opened = self.open(&mut traces) => opened,
            };
            let (reason, pause) = match opened {
                Err(reason) => (reason, backoff.failed()),
                Ok((session, listing)) => {
                    let since = Instant::now();
                    self.take(listing, &catalogue);
                    tracing::info!(server = %quoted(self.name()), "an MCP server is ready");
                    self.link.send_replace(Link::Ready(session.peer().clone()));
                    self.tried.send_replace(true);
                    match self.attend(session, &traces, &catalogue, &stop).await {
                        Ended::ShutDown => break,
                        Ended::Idle => {
                            retry_at = None;
                            backoff = Backoff::default();
                            self.link.send_replace(Link::Idle);
                            continue;
                        }
                        Ended::Failed(reason) => {
                            let answered = self.answered.load(Ordering::Relaxed);
                            (reason, backoff.ended(since.elapsed(), answered))
                        }
                    }
                }
            };
            let reason: Arc<str> = self.redactor.message(&reason).into();
            tracing::warn!(server = %quoted(self.name()), %reason, "an MCP server is down");
            let at = Instant::now() + pause;
            retry_at = (!backoff.is_resigned()).then_some(at);
            self.link.send_replace(Link::Down {
                reason,
                retry_at: at,
            });
            self.tried.send_replace(true);
        }
        self.link.send_replace(Link::Off(ServerState::Stopped));
        self.tried.send_replace(true);
    }

    async fn open(&self, traces: &mut Traces) -> Result<(Session, listing::Listing), String> {
        let limit = self.config.start_timeout;
        let opening = async {
            let session = session::open(&self.config, traces).await?;
            match listing::list(session.peer(), &self.config.filter, &self.redactor).await {
                Ok(listing) => Ok((session, listing)),
                Err(error) => {
                    traces.settle().await;
                    Err(traces.explain(&format!("it does not list its tools: {}", causes(&error))))
                }
            }
        };
        match tokio::time::timeout(limit, opening).await {
            Ok(opened) => opened,
            Err(_) => Err(traces.explain_timeout(limit)),
        }
    }

    /// Serves a session until it ends.
    async fn attend(
        &self,
        session: Session,
        traces: &Traces,
        catalogue: &Catalogue,
        stop: &CancellationToken,
    ) -> Ended {
        let Session { service, changed } = session;
        let peer = service.peer().clone();
        let token = service.cancellation_token();
        let mut closed = std::pin::pin!(service.waiting());
        *self
            .last_call
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Instant::now();
        let ended = loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => break Ended::ShutDown,
                _ = &mut closed => {
                    traces.settle().await;
                    return Ended::Failed(traces.explain("it closed the connection"));
                }
                () = self.unused() => break Ended::Idle,
                () = self.doubted.notified() => {
                    if !answers(&peer).await {
                        // Calls wait for the new connection instead of trying this one.
                        self.link.send_replace(Link::Starting);
                        break Ended::Failed("it can't be reached, or has forgotten the session".to_owned());
                    }
                }
                () = changed.notified() => {
                    // More changes may follow at once; they are read together.
                    tokio::time::sleep(RELIST_PAUSE).await;
                    let list = listing::list(&peer, &self.config.filter, &self.redactor);
                    match tokio::time::timeout(self.config.start_timeout, list).await {
                        Ok(Ok(listing)) => self.take(listing, catalogue),
                        // The connection's end is seen above; the tools stay as they were.
                        Ok(Err(error)) => self.add_problem(&format!(
                            "its changed tool list can't be read, the old one is kept: {}",
                            causes(&error)
                        )),
                        Err(_) => self.add_problem(
                            "it said that its tools changed and did not list them in time; the old list is kept",
                        ),
                    }
                }
            }
        };
        token.cancel();
        // A transport that does not let go is dropped.
        let patience = match self.config.endpoint {
            Endpoint::Stdio(_) => STOP_GRACE * 4,
            Endpoint::Http(_) => STOP_GRACE,
        };
        let _ = tokio::time::timeout(patience, closed).await;
        ended
    }

    /// Waits until nobody has called for the configured time; for ever if there is none.
    async fn unused(&self) {
        let Some(limit) = self.config.idle_timeout else {
            return std::future::pending().await;
        };
        loop {
            let last = *self
                .last_call
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            let quiet = last.elapsed();
            if self.calls.load(Ordering::Relaxed) == 0 && quiet >= limit {
                return;
            }
            let pause = limit.saturating_sub(quiet).max(Duration::from_millis(10));
            tokio::time::sleep(pause).await;
        }
    }

    fn take(&self, listing: listing::Listing, catalogue: &Catalogue) {
        self.filtered.store(listing.filtered, Ordering::Relaxed);
        for (list, texts) in [
            (&self.problems, listing.problems),
            (&self.notes, listing.notes),
        ] {
            *list.write().unwrap_or_else(PoisonError::into_inner) = texts
                .iter()
                // The words are this side's own; only what the server gave may hold a secret.
                .map(|text| self.redactor.result(text).into_owned())
                .collect();
        }
        catalogue.publish(self.index, listing.tools);
    }
}

/// Whether the server answers a ping, or says that it knows none.
async fn answers(peer: &Peer<RoleClient>) -> bool {
    let ping = ClientRequest::PingRequest(PingRequest::default());
    match tokio::time::timeout(PING_TIMEOUT, peer.send_request(ping)).await {
        Ok(Ok(_)) => true,
        Ok(Err(ServiceError::McpError(error))) => error.code.0 == METHOD_NOT_FOUND,
        _ => false,
    }
}

/// A call that is under way.
pub(super) struct Calling(Arc<Server>);

impl Drop for Calling {
    fn drop(&mut self) {
        *self
            .0
            .last_call
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Instant::now();
        self.0.calls.fetch_sub(1, Ordering::Relaxed);
    }
}

fn off(title: &str, state: &ServerState) -> String {
    match state {
        ServerState::Unusable { reason } => format!("{title} can't be used: {reason}"),
        ServerState::Disabled => format!("{title} is disabled in the configuration"),
        _ => format!("{title} was stopped"),
    }
}

fn after(left: Duration) -> String {
    if left < Duration::from_secs(1) {
        "by the next call".to_owned()
    } else {
        format!("in {} s", left.as_secs_f64().ceil())
    }
}
