//! What a host puts into a model request (SPEC H2): schemas and prompt sections, from one snapshot of the scope.

use std::sync::Arc;

use crate::{
    code_mode::{Mode, lookup},
    code_runtime::CodeLanguage,
    registry::{Layer, Registry, Scope, schemas},
    sdk,
    tool::ToolSchema,
};

/// The place of the code-only rule among the prompt's sections.
const RULE_ORDER: u32 = 99;
/// The place of the SDK text among the prompt's sections.
const SDK_ORDER: u32 = 150;

/// What a model is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembly {
    /// The tools that the model may call directly.
    pub schemas: Vec<ToolSchema>,
    /// Sections for the system prompt, in their order.
    pub sections: Vec<PromptSection>,
}

/// One section of a system prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptSection {
    /// A stable name, such as `tools:sdk`.
    pub name: &'static str,
    /// Sections are listed by this number, smallest first; a host may put its own between them.
    pub order: u32,
    /// The text.
    pub text: Arc<str>,
}

/// Why the tools of a scope can't be presented (SPEC H1).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AssembleError {
    /// The mode needs a runtime that runs programs.
    #[error(
        "mode `{mode:?}` needs a code runtime, and the registry has none: give it one with `RegistryBuilder::code_runtime`"
    )]
    NoCodeRuntime {
        /// The mode.
        mode: Mode,
    },
}

impl Registry {
    /// What a model of a host without scopes is given. Deterministic: same tools, same bytes.
    ///
    /// # Errors
    /// A mode that needs a code runtime where there is none.
    pub fn assemble(&self) -> Result<Assembly, AssembleError> {
        assemble(self, &self.0.global)
    }

    /// The SDK text of the global tools, in whatever mode. Deterministic: same tools, same bytes.
    pub fn sdk_text(&self, language: CodeLanguage) -> String {
        sdk_text(self, &self.0.global, language)
    }
}

impl Scope {
    /// What the model of this scope is given. Deterministic: same tools, same bytes.
    ///
    /// # Errors
    /// A mode that needs a code runtime where there is none.
    pub fn assemble(&self) -> Result<Assembly, AssembleError> {
        assemble(self.registry(), self.layer())
    }

    /// The SDK text of the tools that this scope can see, in whatever mode. Deterministic: same tools, same bytes.
    pub fn sdk_text(&self, language: CodeLanguage) -> String {
        sdk_text(self.registry(), self.layer(), language)
    }
}

fn assemble(registry: &Registry, layer: &Arc<Layer>) -> Result<Assembly, AssembleError> {
    let mode = registry.mode(layer);
    let mut assembly = Assembly {
        schemas: schemas(&registry.0, layer),
        sections: Vec::new(),
    };
    if mode == Mode::Native {
        return Ok(assembly);
    }
    let language = registry
        .code_runtime()
        .ok_or(AssembleError::NoCodeRuntime { mode })?
        .language();
    if mode == Mode::Code {
        let text = sdk::prose(language).code_only_rule.into();
        assembly.sections.push(PromptSection {
            name: "tools:code-only",
            order: RULE_ORDER,
            text,
        });
    }
    let text = sdk_text(registry, layer, language).into();
    assembly.sections.push(PromptSection {
        name: "tools:sdk",
        order: SDK_ORDER,
        text,
    });
    Ok(assembly)
}

/// The SDK text of what a layer can see, all of it from one snapshot.
fn sdk_text(registry: &Registry, layer: &Arc<Layer>, language: CodeLanguage) -> String {
    let tools = registry.visible(layer);
    lookup::catalogue(language, &tools, registry.0.code_mode.sdk_budget_tokens)
        .text()
        .to_owned()
}
