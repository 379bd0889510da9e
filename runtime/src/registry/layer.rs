//! One layer of the registry: what a scope, or the global level, has registered. Locks are held for look-ups alone, never
//! while somebody's callback runs.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{
    code_mode::Mode,
    pipeline::{
        DispatchLogListener, ExecuteListener, Guard, PostExecuteListener, PreExecuteListener,
        ResultObserver,
    },
    registry::Restriction,
    tool::Tool,
};

/// Identifies one entry of one layer, so that a disposer undoes that entry and no other.
pub(crate) type EntryId = u64;

pub(crate) fn next_entry_id() -> EntryId {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Entries in the order of their registration.
pub(crate) struct Entries<T>(Vec<(EntryId, T)>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Entries<T> {
    pub(crate) fn insert(&mut self, id: EntryId, entry: T) {
        self.0.push((id, entry));
    }

    pub(crate) fn remove(&mut self, id: EntryId) -> Option<T> {
        let at = self.0.iter().position(|(entry, _)| *entry == id)?;
        Some(self.0.remove(at).1)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|(_, entry)| entry)
    }
}

#[derive(Default)]
pub(crate) struct LayerState {
    pub(crate) tools: HashMap<Arc<str>, (EntryId, Tool)>,
    pub(crate) restrictions: Entries<Restriction>,
    pub(crate) mode: Option<(EntryId, Mode)>,
    pub(crate) guards: Entries<Arc<Guard>>,
    pub(crate) pre_execute: Entries<Arc<PreExecuteListener>>,
    pub(crate) execute: Entries<Arc<ExecuteListener>>,
    pub(crate) post_execute: Entries<Arc<PostExecuteListener>>,
    pub(crate) observers: Entries<Arc<ResultObserver>>,
    pub(crate) dispatch_log: Entries<Arc<DispatchLogListener>>,
    pub(crate) disposed: bool,
}

pub(crate) struct Layer {
    pub(crate) label: Arc<str>,
    pub(crate) parent: Option<Arc<Layer>>,
    state: RwLock<LayerState>,
    /// Grows with each change of this layer.
    generation: AtomicU64,
    names: Mutex<Option<VisibleNames>>,
}

/// The names of the tools that a layer sees, and the generations of its chain that they were found in.
struct VisibleNames {
    generations: Vec<u64>,
    names: Arc<[Arc<str>]>,
}

impl Layer {
    pub(crate) fn new(label: impl Into<Arc<str>>, parent: Option<Arc<Layer>>) -> Arc<Self> {
        Arc::new(Self {
            label: label.into(),
            parent,
            state: RwLock::default(),
            generation: AtomicU64::new(0),
            names: Mutex::default(),
        })
    }

    /// A panic in a callback can't poison the lock (none runs under it); should one ever be poisoned, its data is whole.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, LayerState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, LayerState> {
        let state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        // Under the lock: who reads the new generation reads the changed state, and who read the old one finds out.
        self.generation.fetch_add(1, Ordering::Release);
        state
    }

    /// The names of the tools that this layer sees: those that were found last, unless the chain has changed since. They hold no
    /// tool alive.
    pub(crate) fn visible_names(
        self: &Arc<Self>,
        find: impl FnOnce() -> Vec<Arc<str>>,
    ) -> Arc<[Arc<str>]> {
        let generations: Vec<u64> = self
            .chain()
            .map(|layer| layer.generation.load(Ordering::Acquire))
            .collect();
        let mut known = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*known
            && generations == known.generations
        {
            return known.names.clone();
        }
        let names: Arc<[Arc<str>]> = find().into();
        *known = Some(VisibleNames {
            generations,
            names: names.clone(),
        });
        names
    }

    /// This layer and its ancestors, nearest first. The global layer is the last.
    pub(crate) fn chain(self: &Arc<Self>) -> impl Iterator<Item = &Arc<Layer>> {
        std::iter::successors(Some(self), |layer| layer.parent.as_ref())
    }

    /// Everything of one kind along the chain, global first and nearest last: the order in which policy runs.
    pub(crate) fn collect<T: ?Sized>(
        self: &Arc<Self>,
        kind: impl Fn(&LayerState) -> &Entries<Arc<T>>,
    ) -> Vec<Arc<T>> {
        // Nearest first, then turned round: no recursion, however long a host makes the chain.
        let mut layers: Vec<&Arc<Layer>> = self.chain().collect();
        layers.reverse();
        let mut all = Vec::new();
        for layer in layers {
            all.extend(kind(&layer.read()).iter().cloned());
        }
        all
    }
}
