//! The scheduler (SPEC G): one queue, starts in submission order, lanes for calls that may overlap, a barrier for those that
//! may not. It owns no thread and no task: whoever polls it drives the calls. Native batches and programs use the same one.
//!
//! A call that waits for somebody's approval stands aside meanwhile: it holds neither a lane nor the barrier, and others start.

mod batch;
mod timing;

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    task::{Context, Poll},
};

use futures_util::{FutureExt, StreamExt, stream::FuturesUnordered};

use crate::{
    json::Json,
    pipeline::{CallRequest, Dispatched, Finalized, Prepared},
    registry::{Registry, Scope},
    tool::{BoxFuture, ToolCall, ToolResult, contain},
};
use timing::Moments;

/// The number of a call in its scheduler, by submission.
pub(crate) type Sequence = u64;

/// What a poll brought.
pub(crate) enum Progress {
    /// The call left the queue and entered the pipeline.
    Started(CallStart),
    /// The call has its result.
    Settled(Settled),
}

/// What is told of a call that starts.
pub(crate) struct CallStart {
    pub(crate) id: std::sync::Arc<str>,
    pub(crate) name: std::sync::Arc<str>,
    pub(crate) arguments: Json,
}

/// A call's end.
pub(crate) struct Settled {
    pub(crate) sequence: Sequence,
    pub(crate) call: ToolCall,
    pub(crate) result: ToolResult,
    pub(crate) moments: Moments,
}

/// A call that started and is not settled.
struct InFlight {
    call: ToolCall,
    moments: Moments,
}

pub(crate) struct Scheduler {
    registry: Registry,
    max_parallel: usize,
    next: Sequence,
    queue: VecDeque<(Sequence, CallRequest, Moments)>,
    /// Started and not yet settled.
    in_flight: BTreeMap<Sequence, InFlight>,
    /// The call that runs alone, until it is settled.
    barrier: Option<Sequence>,
    preparing: Option<(Sequence, BoxFuture<'static, Prepared>)>,
    /// Waiting for an approval.
    asking: FuturesUnordered<BoxFuture<'static, (Sequence, Prepared)>>,
    /// Answered, and waiting for their turn, which comes before that of any call in the queue.
    answered: VecDeque<(Sequence, Prepared)>,
    /// The sequences of both.
    aside: BTreeSet<Sequence>,
    /// Prepared, and waiting for a lane or for the pool to drain.
    prepared: Option<(Sequence, Prepared)>,
    running: FuturesUnordered<BoxFuture<'static, (Sequence, Dispatched)>>,
    /// Waiting to be committed, in the order in which they ended.
    ended: VecDeque<(Sequence, Dispatched)>,
    committing: Option<(Sequence, BoxFuture<'static, Finalized>)>,
}

impl Scheduler {
    pub(crate) fn new(registry: Registry) -> Self {
        Self {
            max_parallel: registry.max_parallel(),
            registry,
            next: 0,
            queue: VecDeque::new(),
            in_flight: BTreeMap::new(),
            barrier: None,
            preparing: None,
            asking: FuturesUnordered::new(),
            answered: VecDeque::new(),
            aside: BTreeSet::new(),
            prepared: None,
            running: FuturesUnordered::new(),
            ended: VecDeque::new(),
            committing: None,
        }
    }

    pub(crate) fn submit(&mut self, request: CallRequest) -> Sequence {
        let sequence = self.next;
        self.next += 1;
        let moments = Moments::submitted(self.registry.records());
        self.queue.push_back((sequence, request, moments));
        sequence
    }

    /// Calls that have not started.
    pub(crate) fn queued(&self) -> usize {
        self.queue.len()
    }

    /// Whether no call is queued or in flight.
    pub(crate) fn is_idle(&self) -> bool {
        self.queue.is_empty() && self.in_flight.is_empty()
    }

    /// Whether nothing is left to do but to wait for approvals.
    pub(crate) fn only_asks(&self) -> bool {
        self.queue.is_empty()
            && !self.asking.is_empty()
            && self.asking.len() == self.in_flight.len()
    }

    /// Takes all calls that have not started out of the queue.
    pub(crate) fn abandon_queued(&mut self) -> Vec<(Sequence, CallRequest)> {
        self.queue
            .drain(..)
            .map(|(sequence, request, _)| (sequence, request))
            .collect()
    }

    /// Drops all calls that have started, and gives the end of each, in the order of submission.
    pub(crate) fn drop_started(&mut self) -> Vec<Settled> {
        let (preparing, committing) = (self.preparing.take(), self.committing.take());
        let running = std::mem::take(&mut self.running);
        let asking = std::mem::take(&mut self.asking);
        // What a body's own destructor does is no concern of the others.
        for dropped in [
            contain(move || drop(preparing)),
            contain(move || drop(committing)),
            contain(move || drop(running)),
            contain(move || drop(asking)),
        ] {
            if let Err(panic) = dropped {
                tracing::error!(panic, "a call panicked while it was dropped");
            }
        }
        self.prepared = None;
        self.answered.clear();
        self.aside.clear();
        self.ended.clear();
        self.barrier = None;
        std::mem::take(&mut self.in_flight)
            .into_iter()
            .map(|(sequence, InFlight { call, moments })| {
                let result = self.registry.give_up(call.clone());
                Settled {
                    sequence,
                    call,
                    result,
                    moments,
                }
            })
            .collect()
    }

    /// Drives the calls until one starts or settles.
    pub(crate) fn poll_progress(&mut self, cx: &mut Context<'_>) -> Poll<Progress> {
        loop {
            if let Some((sequence, commit)) = &mut self.committing {
                if let Poll::Ready(finalized) = commit.poll_unpin(cx) {
                    let sequence = *sequence;
                    self.committing = None;
                    return Poll::Ready(self.settle(sequence, finalized));
                }
            } else if let Some((sequence, dispatched)) = self.next_to_commit() {
                let registry = self.registry.clone();
                let commit = Box::pin(async move { registry.finalize(dispatched).await });
                self.committing = Some((sequence, commit));
                continue;
            }
            if let Poll::Ready(Some(ended)) = self.running.poll_next_unpin(cx) {
                if let Some(call) = self.in_flight.get_mut(&ended.0) {
                    call.moments.end_body();
                }
                self.ended.push_back(ended);
                continue;
            }
            if let Poll::Ready(Some(answered)) = self.asking.poll_next_unpin(cx) {
                self.answered.push_back(answered);
                continue;
            }
            if let Some((sequence, preparing)) = &mut self.preparing {
                if let Poll::Ready(prepared) = preparing.poll_unpin(cx) {
                    self.prepared = Some((*sequence, prepared));
                    self.preparing = None;
                    continue;
                }
                if self.stand_aside() {
                    continue;
                }
            } else if let Some((sequence, prepared)) = self.prepared.take() {
                if self.start(sequence, prepared) {
                    continue;
                }
            } else if self.barrier.is_none()
                && let Some((sequence, prepared)) = self.answered.pop_front()
            {
                self.aside.remove(&sequence);
                self.prepared = Some((sequence, prepared));
                continue;
            } else if let Some(started) = self.admit() {
                return Poll::Ready(started);
            }
            return Poll::Pending;
        }
    }

    /// Lets a call whose preparation waits for an approval out of the way.
    fn stand_aside(&mut self) -> bool {
        let waits = self
            .preparing
            .as_ref()
            .and_then(|(sequence, _)| self.in_flight.get(sequence))
            .is_some_and(|in_flight| in_flight.call.awaits_approval());
        if !waits {
            return false;
        }
        let Some((sequence, preparing)) = self.preparing.take() else {
            return false;
        };
        if self.barrier == Some(sequence) {
            self.barrier = None;
        }
        self.aside.insert(sequence);
        self.asking
            .push(Box::pin(async move { (sequence, preparing.await) }));
        true
    }

    /// Calls that are in flight and do not stand aside.
    fn active(&self) -> usize {
        self.in_flight.len() - self.aside.len()
    }

    fn settle(&mut self, sequence: Sequence, finalized: Finalized) -> Progress {
        let call = finalized.call().clone();
        let result = self.registry.finish(finalized);
        let moments = self
            .in_flight
            .remove(&sequence)
            .map(|call| call.moments)
            .unwrap_or_default();
        if self.barrier == Some(sequence) {
            self.barrier = None;
        }
        Progress::Settled(Settled {
            sequence,
            call,
            result,
            moments,
        })
    }

    /// Commits keep the order of submission where post-execute policy looks at them; where there is none they have no order
    /// to keep, and a program sees the true winner of a race.
    fn next_to_commit(&mut self) -> Option<(Sequence, Dispatched)> {
        if !self.ended.is_empty() && self.active() > 1 {
            let mut active = self.in_flight.keys();
            let first = *active.find(|sequence| !self.aside.contains(sequence))?;
            let at = self.ended.iter().position(|(sequence, ended)| {
                *sequence == first || !self.registry.judges(ended.call().agent())
            })?;
            return self.ended.remove(at);
        }
        self.ended.pop_front()
    }

    /// Sends a prepared call to its body, if the pool allows; else keeps it.
    fn start(&mut self, sequence: Sequence, prepared: Prepared) -> bool {
        // Read again: policy may have taken its time, and the tool may have changed (SPEC G3).
        let call = prepared.call();
        let parallel = self.is_parallel(call.agent(), call.name(), call.arguments());
        let alone = self.active() == 1;
        let allowed = if parallel {
            self.running.len() < self.max_parallel
        } else {
            alone
        };
        if !allowed {
            self.prepared = Some((sequence, prepared));
            return false;
        }
        if !parallel {
            self.barrier = Some(sequence);
        }
        if let Some(call) = self.in_flight.get_mut(&sequence) {
            call.moments.begin_body(!parallel);
        }
        let registry = self.registry.clone();
        self.running.push(Box::pin(async move {
            (sequence, registry.dispatch(prepared).await)
        }));
        true
    }

    /// Lets the head of the queue into the pipeline, if the pool allows.
    fn admit(&mut self) -> Option<Progress> {
        let (_, head, _) = self.queue.front()?;
        let arguments = head.arguments().cloned().unwrap_or_default();
        let parallel = self.is_parallel(head.scope(), head.name(), &arguments);
        let allowed = if parallel {
            self.running.len() < self.max_parallel
        } else {
            self.active() == 0
        };
        if self.barrier.is_some() || !allowed {
            return None;
        }
        let (sequence, request, mut moments) = self.queue.pop_front()?;
        moments.admit();
        if !parallel {
            self.barrier = Some(sequence);
        }
        let start = CallStart {
            id: request.id().clone(),
            name: request.name().clone(),
            arguments,
        };
        let created = self.registry.create(request);
        let call = created.call.clone();
        self.in_flight.insert(sequence, InFlight { call, moments });
        let registry = self.registry.clone();
        self.preparing = Some((
            sequence,
            Box::pin(async move { registry.admit(created).await }),
        ));
        Some(Progress::Started(start))
    }

    /// Only an exact yes of a visible tool overlaps (SPEC G3).
    fn is_parallel(&self, agent: Option<&Scope>, name: &str, arguments: &Json) -> bool {
        let layer = self.registry.layer(agent);
        self.registry
            .resolve(layer, name)
            .is_some_and(|tool| tool.is_concurrency_safe(arguments))
    }
}
