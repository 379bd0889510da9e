//! One call of a client while it runs: its progress, its log lines, its questions, its trace.

use std::{
    collections::HashMap,
    convert::Infallible,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU8, AtomicU64, Ordering},
    },
    time::Duration,
};

use lockgate::{ApprovalOutcome, ApprovalRequest, CallId, code_runtime::LogLevel, events::Event};
use rmcp::{
    Peer, RoleServer,
    model::{
        LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken,
    },
};
use tokio::sync::{mpsc, oneshot};

use super::{approval::Ask, traces::Tracing};

/// Notices that may wait for a client that reads slowly; then they are left out, and log lines are counted.
const MAX_NOTICES: usize = 256;
/// How long the result waits for the notices before it.
const NOTICES_PATIENCE: Duration = Duration::from_secs(1);
/// Bytes of one log line that are sent.
const MAX_LOG_BYTES: usize = 64 * 1024;

/// The level at which a session that did not ask for log messages stands.
pub(super) const NO_LOGS: u8 = u8::MAX;

/// One call.
pub(super) struct Run {
    id: CallId,
    /// Of the session; see [`severity`].
    log_level: Arc<AtomicU8>,
    progress: Option<ProgressToken>,
    counts: Mutex<Counts>,
    notices: mpsc::Sender<Notice>,
    /// The last progress that was sent.
    progress_sent: AtomicU64,
    lines_left_out: AtomicU64,
    asks: mpsc::UnboundedSender<Ask>,
    pub(super) tracing: Tracing,
}

#[derive(Default)]
struct Counts {
    started: u64,
    settled: u64,
    message: String,
    /// The names of the calls that have not settled.
    running: HashMap<CallId, Arc<str>>,
}

/// What the task of the call takes from its run.
pub(super) struct Outlets {
    pub(super) notices: mpsc::Receiver<Notice>,
    pub(super) asks: mpsc::UnboundedReceiver<Ask>,
}

/// What a client is told meanwhile.
pub(super) enum Notice {
    Progress { progress: u64, message: String },
    Log { level: LoggingLevel, line: String },
}

impl Run {
    pub(super) fn new(
        id: CallId,
        log_level: Arc<AtomicU8>,
        progress: Option<ProgressToken>,
    ) -> (Arc<Self>, Outlets) {
        let (notices, notices_out) = mpsc::channel(MAX_NOTICES);
        let (asks, asks_out) = mpsc::unbounded_channel();
        let run = Self {
            id,
            log_level,
            progress,
            counts: Mutex::default(),
            notices,
            progress_sent: AtomicU64::new(0),
            lines_left_out: AtomicU64::new(0),
            asks,
            tracing: Tracing::new(),
        };
        let outlets = Outlets {
            notices: notices_out,
            asks: asks_out,
        };
        (Arc::new(run), outlets)
    }

    pub(super) fn id(&self) -> &CallId {
        &self.id
    }

    pub(super) fn record(&self, event: &Event) {
        self.tracing.record(event);
        match event {
            Event::DispatchStarted { id, name, .. } => self.step(|counts| {
                counts.started += 1;
                counts.message = format!("{name} started");
                counts.running.insert(id.clone(), name.clone());
            }),
            Event::DispatchSettled { id, receipt, .. } => self.step(|counts| {
                counts.settled += 1;
                let name = counts.running.remove(id).unwrap_or_else(|| id.clone());
                counts.message = format!("{name} {}", receipt.as_str().replace('_', " "));
            }),
            _ => {}
        }
    }

    /// Counts, and tells the client where it asked for it. What is left out since a client is slow is no harm: the next
    /// notice has the sums.
    fn step(&self, change: impl FnOnce(&mut Counts)) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut counts);
        if self.progress.is_some() {
            // Under the lock, so that the numbers go out in their order.
            let _ = self.notices.try_send(counts.notice());
        }
    }

    pub(super) fn log(&self, level: LogLevel, line: &str) {
        let level = match level {
            LogLevel::Debug => LoggingLevel::Debug,
            LogLevel::Info => LoggingLevel::Info,
            LogLevel::Warn => LoggingLevel::Warning,
            LogLevel::Error => LoggingLevel::Error,
        };
        let least = self.log_level.load(Ordering::Relaxed);
        if least == NO_LOGS || severity(level) < least {
            return;
        }
        let line = line[..line.floor_char_boundary(MAX_LOG_BYTES)].to_owned();
        if self.notices.try_send(Notice::Log { level, line }).is_err() {
            self.lines_left_out.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Asks the client. The future may be dropped; then the question is withdrawn.
    pub(super) async fn ask(&self, request: ApprovalRequest) -> ApprovalOutcome {
        let (answer, answered) = oneshot::channel();
        if self.asks.send(Ask::new(request, answer)).is_err() {
            return ApprovalOutcome::Unavailable;
        }
        answered.await.unwrap_or(ApprovalOutcome::Unavailable)
    }

    /// Sends notices as they come, until it is dropped.
    pub(super) async fn send_notices(
        &self,
        notices: &mut mpsc::Receiver<Notice>,
        peer: &Peer<RoleServer>,
    ) -> Infallible {
        while let Some(notice) = notices.recv().await {
            self.send(notice, peer).await;
        }
        // The run itself holds a sender.
        std::future::pending().await
    }

    /// Sends what is left, so that it comes before the result. The last progress says all.
    pub(super) async fn send_last(
        &self,
        notices: &mut mpsc::Receiver<Notice>,
        peer: &Peer<RoleServer>,
    ) {
        let sending = async {
            while let Ok(notice) = notices.try_recv() {
                self.send(notice, peer).await;
            }
            let last = {
                let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
                (counts.total() > self.progress_sent.load(Ordering::Relaxed))
                    .then(|| counts.notice())
            };
            if let Some(last) = last {
                self.send(last, peer).await;
            }
            let left_out = self.lines_left_out.swap(0, Ordering::Relaxed);
            if left_out > 0 {
                let line = format!(
                    "{left_out} lines were left out: more than {MAX_NOTICES} notices waited for the client"
                );
                let level = LoggingLevel::Warning;
                self.send(Notice::Log { level, line }, peer).await;
            }
        };
        let _ = tokio::time::timeout(NOTICES_PATIENCE, sending).await;
    }

    async fn send(&self, notice: Notice, peer: &Peer<RoleServer>) {
        let sent = match notice {
            Notice::Progress { progress, message } => {
                let Some(token) = self.progress.clone() else {
                    return;
                };
                self.progress_sent.store(progress, Ordering::Relaxed);
                // Far below where doubles count in other steps than one.
                let mut params = ProgressNotificationParam::new(token, progress as f64);
                params.message = Some(message);
                peer.notify_progress(params).await
            }
            Notice::Log { level, line } => {
                let mut params = LoggingMessageNotificationParam::new(level, line.into());
                params.logger = Some(format!("run_code {}", self.id));
                peer.notify_logging_message(params).await
            }
        };
        if let Err(error) = sent {
            tracing::debug!(%error, "a notice was not sent");
        }
    }
}

impl Counts {
    /// Both count, so that every notice is further than the one before.
    fn total(&self) -> u64 {
        self.started + self.settled
    }

    fn notice(&self) -> Notice {
        let Self {
            started,
            settled,
            message,
            ..
        } = self;
        Notice::Progress {
            progress: self.total(),
            message: format!("{message} ({started} started, {settled} settled)"),
        }
    }
}

/// How severe a level is, from 0.
pub(super) fn severity(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}
