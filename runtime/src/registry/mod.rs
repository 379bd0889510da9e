//! The registry: tools in layers, and the one door to running them.

mod builder;
mod error;
mod layer;
mod register;
mod registration;
mod scope;
mod view;

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

pub use builder::{ConfigError, RegistryBuilder};
pub use error::RegistryError;
pub use register::Change;
pub use registration::Registration;
pub use scope::Scope;
pub use view::Restriction;

pub(crate) use layer::Layer;

use crate::{
    code_mode::{CodeModeConfig, Mode},
    code_runtime::CodeRuntime,
    events::EventSink,
    pipeline::{Approval, ChangeListener},
    registry::layer::Entries,
    tool::{Tool, ToolSchema},
};

/// The registry of tools (SPEC D). Cheap to clone; all clones are the same registry.
///
/// What is registered here is global: every scope inherits it, and its guards and listeners see every call. For one agent
/// alone, register on a [`Scope`].
///
/// ```
/// # use lockgate::{CallRequest, Registry, Tool, json};
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::new();
/// let echo = Tool::builder("echo", "Gives back what it gets.")
///     .parameters(&json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}))
///     .output(&json!({"type": "string"}))
///     .execute(|args, _| async move { Ok(args.get("text").cloned().unwrap_or_default()) })
///     .build()?;
/// registry.register(echo)?.keep();
///
/// let result = registry.execute(CallRequest::new("call-1", "echo", json!({"text": "hi"}))).await;
/// assert_eq!(result.value(), Some(&json!("hi")));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Registry(pub(crate) Arc<RegistryInner>);

pub(crate) struct RegistryInner {
    pub(crate) global: Arc<Layer>,
    pub(crate) mode: Mode,
    pub(crate) max_parallel: usize,
    pub(crate) code_runtime: Option<Arc<dyn CodeRuntime>>,
    pub(crate) code_mode: CodeModeConfig,
    pub(crate) approval: Option<Arc<dyn Approval>>,
    pub(crate) events: Option<Arc<dyn EventSink>>,
    pub(crate) run_code: Tool,
    change: RwLock<Entries<Arc<ChangeListener>>>,
}

impl Registry {
    /// A registry in native mode, without a code runtime and without an approval service.
    pub fn new() -> Self {
        RegistryBuilder::default().assemble()
    }

    /// A registry with a mode, a code runtime, an approval service…
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// A new scope below the global layer. The label is for messages; two scopes of one label are two scopes.
    pub fn scope(&self, label: impl Into<Arc<str>>) -> Scope {
        Scope::new(self.clone(), Layer::new(label, Some(self.0.global.clone())))
    }

    /// The tool that a name means globally.
    pub fn get(&self, name: &str) -> Option<Tool> {
        view::get(&self.0, &self.0.global, name)
    }

    /// What a model is told of the global tools, by name.
    pub fn schemas(&self) -> Vec<ToolSchema> {
        schemas(&self.0, &self.0.global)
    }

    /// The code runtime, if there is one.
    pub fn code_runtime(&self) -> Option<&Arc<dyn CodeRuntime>> {
        self.0.code_runtime.as_ref()
    }

    /// The most calls whose bodies may overlap in one batch or one program (SPEC G1).
    pub fn max_parallel(&self) -> usize {
        self.0.max_parallel
    }

    /// The layer that a call of this agent sees.
    pub(crate) fn layer<'a>(&'a self, agent: Option<&'a Scope>) -> &'a Arc<Layer> {
        agent.map_or(&self.0.global, Scope::layer)
    }

    pub(crate) fn mode(&self, layer: &Arc<Layer>) -> Mode {
        view::mode(&self.0, layer)
    }

    pub(crate) fn resolve(&self, layer: &Arc<Layer>, name: &str) -> Option<Tool> {
        view::get(&self.0, layer, name)
    }

    pub(crate) fn visible(&self, layer: &Arc<Layer>) -> BTreeMap<Arc<str>, Tool> {
        view::visible(layer)
    }

    /// The names of the tools that a layer can see, in order.
    pub(crate) fn visible_names(&self, layer: &Arc<Layer>) -> Arc<[Arc<str>]> {
        view::visible_names(layer)
    }

    fn change_listeners(&self) -> Vec<Arc<ChangeListener>> {
        self.0
            .change
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .cloned()
            .collect()
    }
}

/// The native schemas of a layer: in mode `code` the transport alone.
pub(crate) fn schemas(registry: &RegistryInner, layer: &Arc<Layer>) -> Vec<ToolSchema> {
    let mode = view::mode(registry, layer);
    let mut schemas: Vec<ToolSchema> = match mode {
        Mode::Code => Vec::new(),
        Mode::Native | Mode::Both => view::visible(layer).values().map(Tool::schema).collect(),
    };
    if mode != Mode::Native {
        schemas.push(registry.run_code.schema());
        schemas.sort_by(|a, b| a.name.cmp(&b.name));
    }
    schemas
}

impl Default for Registry {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").finish_non_exhaustive()
    }
}
