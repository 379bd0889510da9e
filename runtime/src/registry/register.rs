//! Registering tools, guards and listeners: the same verbs on the registry (for every call) and on a scope (for its own).

use std::sync::{Arc, PoisonError, RwLockWriteGuard};

use crate::{
    code_mode::RUN_CODE,
    events::DispatchLog,
    pipeline::{
        ChangeListener, Decision, DispatchLogListener, ExecuteListener, Execution, Guard,
        Invocation, Next, PostExecuteListener, PreExecuteListener, ResultObserver, Settled,
        Verdict,
    },
    registry::{
        Registration, Registry, RegistryError, Scope,
        layer::{Entries, Layer, LayerState, next_entry_id},
    },
    tool::{Tool, ToolCall, ToolError, ToolResult, contain},
};

/// What happened to the registry: the event `tools/change` (SPEC D7).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// A tool was registered.
    Registered {
        /// The tool.
        name: Arc<str>,
        /// The layer.
        scope: Arc<str>,
    },
    /// A tool was disposed.
    Disposed {
        /// The tool.
        name: Arc<str>,
        /// The layer.
        scope: Arc<str>,
    },
    /// A restriction came or went.
    Restricted {
        /// The scope.
        scope: Arc<str>,
    },
}

impl Change {
    /// The change that takes this one back.
    fn undone(&self) -> Self {
        match self.clone() {
            Self::Registered { name, scope } => Self::Disposed { name, scope },
            other => other,
        }
    }
}

fn tell(listener: &Arc<ChangeListener>, change: &Change) -> Result<(), ToolError> {
    contain(|| listener(change))
        .unwrap_or_else(|panic| Err(ToolError::from_panic("a change listener", &panic)))
}

fn announce_to(listeners: &[Arc<ChangeListener>], change: &Change) {
    for listener in listeners {
        if let Err(error) = tell(listener, change) {
            tracing::warn!(%error, ?change, "a change listener failed on a disposal");
        }
    }
}

/// What a disposer took out of a layer. Dropped once the layer is unlocked: a tool's own destructor may come back here.
pub(super) enum Removed {
    Tool(#[expect(dead_code, reason = "held only to be dropped later")] Tool),
    Restriction,
}

/// The state of a layer that still takes registrations.
pub(super) fn open(layer: &Layer) -> Result<RwLockWriteGuard<'_, LayerState>, RegistryError> {
    let state = layer.write();
    if state.disposed {
        return Err(RegistryError::Disposed {
            scope: layer.label.clone(),
        });
    }
    Ok(state)
}

fn insert<T: ?Sized + Send + Sync + 'static>(
    layer: &Arc<Layer>,
    entry: Arc<T>,
    kind: fn(&mut LayerState) -> &mut Entries<Arc<T>>,
) -> Result<Registration, RegistryError> {
    let id = next_entry_id();
    kind(&mut *open(layer)?).insert(id, entry);
    let layer = layer.clone();
    Ok(Registration::new(move || {
        let removed = kind(&mut layer.write()).remove(id);
        // Dropped outside the lock: a callback's own destructor may come back here.
        drop(removed);
    }))
}

impl Registry {
    pub(super) fn check_name(&self, name: &Arc<str>) -> Result<(), RegistryError> {
        if &**name == RUN_CODE {
            return Err(RegistryError::ReservedName { name: name.clone() });
        }
        Ok(())
    }

    /// Tells the listeners of a change that has been made; on refusal undoes it. Gives the disposer of the change.
    pub(super) fn commit(
        &self,
        layer: &Arc<Layer>,
        change: Change,
        undo: impl Fn(&mut LayerState) -> Option<Removed> + Send + Sync + 'static,
    ) -> Result<Registration, RegistryError> {
        let listeners = self.change_listeners();
        for (heard, listener) in listeners.iter().enumerate() {
            if let Err(error) = tell(listener, &change) {
                let removed = undo(&mut layer.write());
                drop(removed);
                // Those who were told of the change are told that it is gone.
                announce_to(&listeners[..heard], &change.undone());
                return Err(RegistryError::RefusedByListener(error));
            }
        }
        let (registry, layer) = (Arc::downgrade(&self.0), layer.clone());
        Ok(Registration::new(move || {
            let undone = undo(&mut layer.write());
            let (Some(_), Some(registry)) = (undone, registry.upgrade()) else {
                return;
            };
            Registry(registry).announce_disposal(&change.undone());
        }))
    }

    /// A disposal can't be refused: every listener hears of it, and one that fails is logged.
    pub(super) fn announce_disposal(&self, change: &Change) {
        announce_to(&self.change_listeners(), change);
    }

    fn register_in(&self, layer: &Arc<Layer>, tool: Tool) -> Result<Registration, RegistryError> {
        let name = tool.name().clone();
        self.check_name(&name)?;
        let id = next_entry_id();
        {
            let mut state = open(layer)?;
            if state.tools.contains_key(&name) {
                return Err(RegistryError::DuplicateTool {
                    name,
                    scope: layer.label.clone(),
                });
            }
            state.tools.insert(name.clone(), (id, tool));
        }
        let change = Change::Registered {
            name: name.clone(),
            scope: layer.label.clone(),
        };
        self.commit(layer, change, move |state| {
            if state
                .tools
                .get(&name)
                .is_some_and(|(entry, _)| *entry == id)
            {
                state
                    .tools
                    .remove(&name)
                    .map(|(_, tool)| Removed::Tool(tool))
            } else {
                None
            }
        })
    }

    /// Listens to every change of tools and restrictions, in whatever scope (SPEC D7). An error refuses a registration or a
    /// restriction, which is rolled back; on a disposal it is only logged.
    pub fn on_change<F>(&self, listener: F) -> Registration
    where
        F: Fn(&Change) -> Result<(), ToolError> + Send + Sync + 'static,
    {
        let id = next_entry_id();
        let listener: Arc<ChangeListener> = Arc::new(listener);
        self.0
            .change
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(id, listener);
        let registry = Arc::downgrade(&self.0);
        Registration::new(move || {
            if let Some(registry) = registry.upgrade() {
                let removed = registry
                    .change
                    .write()
                    .unwrap_or_else(PoisonError::into_inner)
                    .remove(id);
                drop(removed);
            }
        })
    }
}

/// The verbs that the registry and its scopes share.
macro_rules! registration_methods {
    ($type:ty) => {
        impl $type {
            /// Registers a tool in this layer.
            ///
            /// # Errors
            /// A duplicate in this layer, the reserved name `run_code`, a disposed scope, or a change listener that refuses.
            pub fn register(&self, tool: Tool) -> Result<Registration, RegistryError> {
                let (registry, layer) = self.target();
                registry.register_in(layer, tool)
            }

            /// Adds a guard: a synchronous check before a call's body, global ones first, then the chain from far to near.
            /// The first reason denies, and nothing can turn a denial back (SPEC E4). A guard that panics denies.
            ///
            /// # Errors
            /// A disposed scope.
            pub fn guard<F>(&self, guard: F) -> Result<Registration, RegistryError>
            where
                F: Fn(&ToolCall) -> Option<String> + Send + Sync + 'static,
            {
                insert::<Guard>(self.target().1, Arc::new(guard), |state| &mut state.guards)
            }

            /// Adds a gate of `tools/pre-execute` (SPEC E3): it decides, or asks those after it with `next.run()`, whose
            /// last word is allow. Listed order is run order: global first, then the chain from far to near.
            ///
            /// # Errors
            /// A disposed scope.
            pub fn on_pre_execute<F, Fut>(&self, listener: F) -> Result<Registration, RegistryError>
            where
                F: Fn(ToolCall, Next<ToolCall, Decision>) -> Fut + Send + Sync + 'static,
                Fut: Future<Output = Result<Decision, ToolError>> + Send + 'static,
            {
                insert::<PreExecuteListener>(
                    self.target().1,
                    Arc::new(move |call, next| Box::pin(listener(call, next))),
                    |state| &mut state.pre_execute,
                )
            }

            /// Adds a layer round the body, `tools/execute` (SPEC E5): timeouts, retries, metrics. The first that was
            /// registered is the outermost.
            ///
            /// # Errors
            /// A disposed scope.
            pub fn on_execute<F, Fut>(&self, layer: F) -> Result<Registration, RegistryError>
            where
                F: Fn(Invocation, Next<Invocation, Execution>) -> Fut + Send + Sync + 'static,
                Fut: Future<Output = Result<Execution, ToolError>> + Send + 'static,
            {
                insert::<ExecuteListener>(
                    self.target().1,
                    Arc::new(move |call, next| Box::pin(layer(call, next))),
                    |state| &mut state.execute,
                )
            }

            /// Adds a step of `tools/post-execute` (SPEC E7): it may replace the content or the value, attach contexts, or
            /// block the result; `next.run()` gives the verdict of those after it, whose last word is to accept.
            ///
            /// # Errors
            /// A disposed scope.
            pub fn on_post_execute<F, Fut>(
                &self,
                listener: F,
            ) -> Result<Registration, RegistryError>
            where
                F: Fn(Settled, Next<Settled, Verdict>) -> Fut + Send + Sync + 'static,
                Fut: Future<Output = Result<Verdict, ToolError>> + Send + 'static,
            {
                insert::<PostExecuteListener>(
                    self.target().1,
                    Arc::new(move |settled, next| Box::pin(listener(settled, next))),
                    |state| &mut state.post_execute,
                )
            }

            /// Observes final results, `tools/result` (SPEC E9). A panic is logged and contained.
            ///
            /// # Errors
            /// A disposed scope.
            pub fn on_result<F>(&self, observer: F) -> Result<Registration, RegistryError>
            where
                F: Fn(&ToolCall, &ToolResult) + Send + Sync + 'static,
            {
                insert::<ResultObserver>(self.target().1, Arc::new(observer), |state| {
                    &mut state.observers
                })
            }

            /// Changes the logged copy of a sub-call, `tools/code-dispatch-log` (SPEC K3): the value that the program gets
            /// is not touched. On an error or a panic the copy stays as it was before.
            ///
            /// # Errors
            /// A disposed scope.
            pub fn on_dispatch_log<F>(&self, listener: F) -> Result<Registration, RegistryError>
            where
                F: Fn(&ToolCall, DispatchLog) -> Result<DispatchLog, ToolError>
                    + Send
                    + Sync
                    + 'static,
            {
                insert::<DispatchLogListener>(self.target().1, Arc::new(listener), |state| {
                    &mut state.dispatch_log
                })
            }
        }
    };
}

registration_methods!(Registry);
registration_methods!(Scope);

impl Registry {
    fn target(&self) -> (&Registry, &Arc<Layer>) {
        (self, &self.0.global)
    }
}

impl Scope {
    fn target(&self) -> (&Registry, &Arc<Layer>) {
        (self.registry(), self.layer())
    }
}
