//! Where the registry's events, questions and log lines find the client whose call they are of.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use lockgate::{
    Approval, ApprovalOutcome, ApprovalRequest, BoxFuture, CallId, RegistryBuilder,
    code_runtime::LogLevel,
    events::{Event, EventSink},
};

use super::run::Run;

/// Routes by the id of the top-level call. Made before the registry, since a registry's sinks are fixed when it is built.
///
/// ```
/// use lockgate::{Mode, Registry};
/// use lockgate_gateway::downstream::{Gateway, GatewayOptions, Hub};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let hub = Hub::new();
/// let registry = hub.attach(Registry::builder().mode(Mode::Native)).build()?;
/// let gateway = Gateway::new(registry, hub, GatewayOptions::default());
/// # assert_eq!(gateway.clients(), 0);
/// # Ok(()) }
/// ```
#[derive(Default)]
pub struct Hub {
    runs: RwLock<HashMap<CallId, Arc<Run>>>,
    /// Where every event goes besides.
    also: Option<Arc<dyn EventSink>>,
}

impl Hub {
    /// A hub.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// A hub that hands every event to another sink as well.
    pub fn with_sink(sink: Arc<dyn EventSink>) -> Arc<Self> {
        Arc::new(Self {
            also: Some(sink),
            ..Self::default()
        })
    }

    /// Makes this hub the approval service, the event sink and the log sink of the registry to be built.
    pub fn attach(self: &Arc<Self>, builder: RegistryBuilder) -> RegistryBuilder {
        let logs = self.clone();
        builder
            .approval(Asker(self.clone()))
            .events(self.clone())
            .on_program_log(Arc::new(move |id, level, line| logs.log(id, level, line)))
    }

    /// Lets a call's events find it, until the returned value is dropped.
    pub(super) fn enter(self: &Arc<Self>, run: Arc<Run>) -> Entered {
        let id = run.id().clone();
        self.runs
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(id.clone(), run);
        Entered {
            hub: self.clone(),
            id,
        }
    }

    fn run(&self, id: &CallId) -> Option<Arc<Run>> {
        let runs = self.runs.read().unwrap_or_else(PoisonError::into_inner);
        runs.get(id).cloned()
    }

    fn log(&self, id: &CallId, level: LogLevel, line: &str) {
        if let Some(run) = self.run(id) {
            run.log(level, line);
        }
    }
}

impl EventSink for Hub {
    fn record(&self, event: &Event) {
        if let Some(sink) = &self.also {
            sink.record(event);
        }
        let root = match event {
            Event::CallCreated { root_id, .. } | Event::CallSettled { root_id, .. } => root_id,
            Event::DispatchStarted { parent_id, .. } | Event::DispatchSettled { parent_id, .. } => {
                parent_id
            }
            Event::ProgramEnded { id, .. } => id,
            _ => return,
        };
        if let Some(run) = self.run(root) {
            run.record(event);
        }
    }
}

/// The hub as the registry's approval service.
struct Asker(Arc<Hub>);

impl Approval for Asker {
    fn request(&self, request: ApprovalRequest) -> BoxFuture<'_, ApprovalOutcome> {
        let run = self.0.run(request.call.root_id());
        Box::pin(async move {
            match run {
                Some(run) => run.ask(request).await,
                None => ApprovalOutcome::Unavailable,
            }
        })
    }
}

impl std::fmt::Debug for Hub {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let runs = self.runs.read().unwrap_or_else(PoisonError::into_inner);
        f.debug_struct("Hub").field("runs", &runs.len()).finish()
    }
}

/// A call that the hub knows.
pub(super) struct Entered {
    hub: Arc<Hub>,
    id: CallId,
}

impl Drop for Entered {
    fn drop(&mut self) {
        let mut runs = self
            .hub
            .runs
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        runs.remove(&self.id);
    }
}
