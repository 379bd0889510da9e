//! Checks what must hold of any stream of events (SPEC M1).

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    events::{Event, EventSink},
    tool::CallId,
};

/// An event sink that looks for what must never be seen, and passes events on.
///
/// It holds that a call enters once and settles once while it is open; that sub-calls start and settle inside their `run_code`,
/// each start settling once; that a program ends inside its call and after the sub-calls it started; that a sub-call has
/// the root of its call and never changes it; that a program's counts are those of its sub-calls. For tests and for the development of a host: it keeps every id that it has seen.
#[derive(Default)]
pub struct InvariantChecker {
    next: Option<Arc<dyn EventSink>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: HashMap<CallId, Open>,
    roots: HashMap<CallId, CallId>,
    dispatches: HashMap<CallId, CallId>,
    violations: Vec<String>,
}

#[derive(Default)]
struct Open {
    program_ended: bool,
    /// Sub-calls that settled inside this call.
    settled: u64,
}

impl InvariantChecker {
    /// A checker that keeps its findings.
    pub fn new() -> Self {
        Self::default()
    }

    /// A checker that also hands every event to another sink.
    pub fn before(next: Arc<dyn EventSink>) -> Self {
        Self {
            next: Some(next),
            state: Mutex::default(),
        }
    }

    /// Looks at an existing log first, as if its events had come live. They are not handed on.
    pub fn replay<'e>(&self, events: impl IntoIterator<Item = &'e Event>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        for event in events {
            state.look_at(event);
        }
    }

    /// What was found so far; empty if all is well.
    pub fn violations(&self) -> Vec<String> {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .violations
            .clone()
    }

    /// Calls and sub-calls that have not settled, sorted. Empty when nothing runs.
    pub fn unsettled(&self) -> Vec<CallId> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut ids: Vec<CallId> = state
            .open
            .keys()
            .chain(state.dispatches.keys())
            .cloned()
            .collect();
        ids.sort();
        ids.dedup();
        ids
    }
}

impl EventSink for InvariantChecker {
    fn record(&self, event: &Event) {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .look_at(event);
        if let Some(next) = &self.next {
            next.record(event);
        }
    }
}

impl State {
    fn look_at(&mut self, event: &Event) {
        match event {
            Event::CallCreated { id, root_id, .. } => {
                self.same_root(id, root_id);
                if self.open.insert(id.clone(), Open::default()).is_some() {
                    self.found(format!(
                        "call {id} entered while a call of that id was open"
                    ));
                }
            }
            Event::CallSettled { id, root_id, .. } => {
                self.same_root(id, root_id);
                if self.open.remove(id).is_none() {
                    self.found(format!("call {id} settled without being open"));
                }
                if let Some((sub_call, _)) =
                    self.dispatches.iter().find(|(_, parent)| *parent == id)
                {
                    self.found(format!("call {id} settled before its sub-call {sub_call}"));
                }
            }
            Event::DispatchStarted { id, parent_id, .. } => {
                self.inside(id, parent_id, "started");
                if self
                    .dispatches
                    .insert(id.clone(), parent_id.clone())
                    .is_some()
                {
                    self.found(format!("sub-call {id} started twice"));
                }
            }
            Event::DispatchSettled { id, parent_id, .. } => {
                self.inside(id, parent_id, "settled");
                self.root_of_parent(id, parent_id);
                if let Some(open) = self.open.get_mut(parent_id) {
                    open.settled += 1;
                }
                match self.dispatches.remove(id) {
                    None => self.found(format!("sub-call {id} settled without a start")),
                    Some(started_by) if started_by != *parent_id => {
                        self.found(format!(
                            "sub-call {id} moved from {started_by} to {parent_id}"
                        ));
                    }
                    Some(_) => {}
                }
                if self.open.contains_key(id) {
                    self.found(format!("sub-call {id} settled before its call did"));
                }
            }
            Event::ProgramEnded { id, calls, .. } => {
                let running = self
                    .dispatches
                    .values()
                    .filter(|parent| *parent == id)
                    .count();
                if running > 0 {
                    self.found(format!(
                        "the program of {id} ended before {running} of its sub-calls"
                    ));
                }
                let told = calls.finished + calls.cancelled + calls.dropped;
                if let Some(settled) = self.open.get(id).map(|open| open.settled)
                    && settled != told
                {
                    self.found(format!(
                        "the program of {id} counts {told} sub-calls that started, and {settled} settled"
                    ));
                }
                match self.open.get_mut(id) {
                    None => self.found(format!("a program ended outside of its call {id}")),
                    Some(open) if open.program_ended => {
                        self.found(format!("the program of {id} ended twice"))
                    }
                    Some(open) => open.program_ended = true,
                }
            }
        }
    }

    fn same_root(&mut self, id: &CallId, root: &CallId) {
        let known = self.roots.entry(id.clone()).or_insert_with(|| root.clone());
        if known != root {
            let text = format!("call {id} changed its root from {known} to {root}");
            self.found(text);
        }
    }

    fn root_of_parent(&mut self, id: &CallId, parent: &CallId) {
        let (Some(root), Some(of_parent)) = (self.roots.get(id), self.roots.get(parent)) else {
            return;
        };
        if root != of_parent {
            let text =
                format!("sub-call {id} has the root {root}, its call {parent} has {of_parent}");
            self.found(text);
        }
    }

    fn inside(&mut self, id: &CallId, parent: &CallId, what: &str) {
        if !self.open.contains_key(parent) {
            self.found(format!("sub-call {id} {what} outside of its call {parent}"));
        }
    }

    fn found(&mut self, violation: String) {
        self.violations.push(violation);
    }
}
