//! A scope: one layer of the chain deployment → preset → agent → sub-agent.

use std::{fmt, sync::Arc};

use crate::{
    code_mode::Mode,
    registry::{
        Registration, Registry, RegistryError, Restriction,
        layer::{Layer, LayerState, next_entry_id},
        register::{Change, Removed},
        schemas, view,
    },
    tool::{Tool, ToolSchema},
};

/// A handle to one scope (SPEC D2). Cheap to clone; all clones are the same scope.
///
/// What is registered here is seen by this scope and those below it. A tool of the same name as an inherited one shadows it.
///
/// ```
/// # use lockgate::{Registry, Restriction, Tool, json};
/// # fn tool(name: &str) -> Tool { Tool::builder(name, "").parameters(&json!({"type": "object"})).output(&json!({}))
/// #     .execute(|_, _| async { Ok(json!(null)) }).build().unwrap() }
/// let registry = Registry::new();
/// registry.register(tool("read"))?.keep();
/// registry.register(tool("write"))?.keep();
///
/// let agent = registry.scope("preset").child("agent");
/// agent.restrict(Restriction::deny(["write"]))?.keep();
/// agent.register(tool("note"))?.keep();
///
/// let names: Vec<_> = agent.schemas().into_iter().map(|schema| schema.name).collect();
/// assert_eq!(names, ["note".into(), "read".into()]);
/// # Ok::<(), lockgate::RegistryError>(())
/// ```
#[derive(Clone)]
pub struct Scope {
    registry: Registry,
    layer: Arc<Layer>,
}

impl Scope {
    pub(crate) fn new(registry: Registry, layer: Arc<Layer>) -> Self {
        Self { registry, layer }
    }

    /// A new scope below this one.
    pub fn child(&self, label: impl Into<Arc<str>>) -> Self {
        Self::new(
            self.registry.clone(),
            Layer::new(label, Some(self.layer.clone())),
        )
    }

    /// The label that it was made with.
    pub fn label(&self) -> &Arc<str> {
        &self.layer.label
    }

    /// The registry that it belongs to.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The tool that a name means here.
    pub fn get(&self, name: &str) -> Option<Tool> {
        view::get(&self.registry.0, &self.layer, name)
    }

    /// What a model is told of the tools of this scope, by name. In mode `code` that is `run_code` alone.
    pub fn schemas(&self) -> Vec<ToolSchema> {
        schemas(&self.registry.0, &self.layer)
    }

    /// The presentation mode that holds here (SPEC D5).
    pub fn mode(&self) -> Mode {
        view::mode(&self.registry.0, &self.layer)
    }

    /// Hides inherited tools from this scope and those below it (SPEC D4). Several restrictions intersect. Tools that this
    /// scope registers itself stay visible to it.
    ///
    /// This is a filter of what is shown and found, **not** a security boundary; to forbid calls, register a guard.
    ///
    /// # Errors
    /// An empty filter, or one that names a tool that the scope does not inherit, one of its own, or `run_code`.
    pub fn restrict(&self, restriction: Restriction) -> Result<Registration, RegistryError> {
        let inherited = view::inherited(&self.layer);
        let known = || inherited.keys().cloned().collect();
        if restriction.names().next().is_none() {
            return Err(RegistryError::EmptyRestriction { known: known() });
        }
        for name in restriction.names() {
            self.registry.check_name(name)?;
            let own = self.layer.read().tools.contains_key(name);
            if own || !inherited.contains_key(name) {
                let (name, known) = (name.clone(), known());
                return Err(if own {
                    RegistryError::OwnTool { name, known }
                } else {
                    RegistryError::UnknownTool { name, known }
                });
            }
        }
        let id = next_entry_id();
        self.open()?.restrictions.insert(id, restriction);
        let change = Change::Restricted {
            scope: self.layer.label.clone(),
        };
        self.registry
            .commit(&self.layer, change, move |state: &mut LayerState| {
                state.restrictions.remove(id).map(|_| Removed::Restriction)
            })
    }

    /// Chooses how tools are presented to this scope and those below it that do not choose themselves (SPEC D5).
    ///
    /// # Errors
    /// The scope has chosen already.
    pub fn present_as(&self, mode: Mode) -> Result<Registration, RegistryError> {
        let id = next_entry_id();
        let mut state = self.open()?;
        if state.mode.is_some() {
            return Err(RegistryError::ModeAlreadySet {
                scope: self.layer.label.clone(),
            });
        }
        state.mode = Some((id, mode));
        drop(state);
        let layer = self.layer.clone();
        Ok(Registration::new(move || {
            let mut state = layer.write();
            if state.mode.as_ref().is_some_and(|(entry, _)| *entry == id) {
                state.mode = None;
            }
        }))
    }

    /// Undoes all that was registered on this scope and refuses more. Scopes below it go on without what they inherited
    /// from it; calls that have started are not affected.
    pub fn dispose(&self) {
        let state = {
            let mut state = self.layer.write();
            let empty = LayerState {
                disposed: true,
                ..LayerState::default()
            };
            std::mem::replace(&mut *state, empty)
        };
        let mut names: Vec<Arc<str>> = state.tools.keys().cloned().collect();
        names.sort();
        for name in names {
            self.registry.announce_disposal(&Change::Disposed {
                name,
                scope: self.layer.label.clone(),
            });
        }
        for _ in state.restrictions.iter() {
            self.registry.announce_disposal(&Change::Restricted {
                scope: self.layer.label.clone(),
            });
        }
    }

    pub(crate) fn layer(&self) -> &Arc<Layer> {
        &self.layer
    }

    fn open(&self) -> Result<std::sync::RwLockWriteGuard<'_, LayerState>, RegistryError> {
        super::register::open(&self.layer)
    }
}

impl PartialEq for Scope {
    /// Whether both are the same scope.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.layer, &other.layer)
    }
}

impl Eq for Scope {}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Scope").field(&self.layer.label).finish()
    }
}
