//! The one resolver of what a scope can see (SPEC D3). Look-up, schemas, SDK text, execution and classification all ask here.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    code_mode::{Mode, RUN_CODE},
    registry::{RegistryInner, layer::Layer},
    tool::Tool,
};

/// A visibility filter over inherited tools (SPEC D4). It is composition, **not** a security boundary: use a guard to forbid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restriction {
    /// Only these inherited tools are visible, also of those that are registered later.
    pub allow: Option<Vec<Arc<str>>>,
    /// These inherited tools are hidden; tools that are registered later are visible.
    pub deny: Option<Vec<Arc<str>>>,
}

impl Restriction {
    /// Shows only the named tools.
    pub fn allow<N: Into<Arc<str>>>(names: impl IntoIterator<Item = N>) -> Self {
        Self {
            allow: Some(names.into_iter().map(Into::into).collect()),
            deny: None,
        }
    }

    /// Hides the named tools.
    pub fn deny<N: Into<Arc<str>>>(names: impl IntoIterator<Item = N>) -> Self {
        Self {
            allow: None,
            deny: Some(names.into_iter().map(Into::into).collect()),
        }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &Arc<str>> {
        self.allow.iter().chain(&self.deny).flatten()
    }

    fn admits(&self, name: &str) -> bool {
        let named = |names: &Vec<Arc<str>>| names.iter().any(|listed| &**listed == name);
        self.allow.as_ref().is_none_or(named) && !self.deny.as_ref().is_some_and(named)
    }
}

/// Whether every restriction along the chain shows an inherited tool of this name.
fn admitted(layer: &Arc<Layer>, name: &str) -> bool {
    layer.chain().all(|layer| {
        layer
            .read()
            .restrictions
            .iter()
            .all(|restriction| restriction.admits(name))
    })
}

/// The mode that holds for a layer: the nearest choice along the chain, else the default (SPEC D5).
pub(crate) fn mode(registry: &RegistryInner, layer: &Arc<Layer>) -> Mode {
    layer
        .chain()
        .find_map(|layer| layer.read().mode.as_ref().map(|(_, mode)| *mode))
        .unwrap_or(registry.mode)
}

/// The tool that a name means for a layer.
pub(crate) fn get(registry: &RegistryInner, layer: &Arc<Layer>, name: &str) -> Option<Tool> {
    if name == RUN_CODE {
        return (mode(registry, layer) != Mode::Native).then(|| registry.run_code.clone());
    }
    let own = layer.read().tools.get(name).map(|(_, tool)| tool.clone());
    // The global layer inherits nothing and has no restrictions; for a scope its own registrations come unfiltered.
    own.or_else(|| {
        let inherited = layer
            .chain()
            .skip(1)
            .find_map(|layer| layer.read().tools.get(name).map(|(_, tool)| tool.clone()))?;
        admitted(layer, name).then_some(inherited)
    })
}

/// The tools that a layer inherits, before any restriction. What a restriction may name.
pub(crate) fn inherited(layer: &Arc<Layer>) -> BTreeMap<Arc<str>, Tool> {
    let mut tools = BTreeMap::new();
    for layer in layer.chain().skip(1) {
        for (name, (_, tool)) in &layer.read().tools {
            // Nearest first: what is there already shadows what comes now.
            tools.entry(name.clone()).or_insert_with(|| tool.clone());
        }
    }
    tools
}

/// Every tool that a layer can see, by name, without the transport. One consistent snapshot.
pub(crate) fn visible(layer: &Arc<Layer>) -> BTreeMap<Arc<str>, Tool> {
    let mut tools = inherited(layer);
    tools.retain(|name, _| admitted(layer, name));
    for (name, (_, tool)) in &layer.read().tools {
        tools.insert(name.clone(), tool.clone());
    }
    tools
}

/// The names of the tools that a layer can see, in order.
pub(crate) fn visible_names(layer: &Arc<Layer>) -> Arc<[Arc<str>]> {
    layer.visible_names(|| visible(layer).into_keys().collect())
}
