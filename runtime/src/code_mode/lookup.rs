//! What a program asks about tools that the SDK text only lists: `tools.$search(…)` and `tools.$describe(…)`.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use crate::{
    code_runtime::CodeLanguage,
    json::Json,
    sdk::{Catalogue, DESCRIBE, SEARCH, ToolDeclaration},
    tool::Tool,
};

/// The tools of one scope, as one snapshot.
pub(super) type Tools = BTreeMap<Arc<str>, Tool>;

/// Answers from the same snapshot that the run's calls are dispatched by. It tells nothing that a model with a larger budget
/// would not have read, and starts nothing, so that no policy is asked.
pub(super) struct Lookup {
    language: CodeLanguage,
    tools: Tools,
    catalogue: OnceLock<Catalogue>,
}

impl Lookup {
    pub(super) fn new(language: CodeLanguage, tools: Tools) -> Self {
        Self {
            language,
            tools,
            catalogue: OnceLock::new(),
        }
    }

    /// The functions that a program gets besides its tools. A tool of the same name goes first.
    pub(super) fn functions(&self) -> impl Iterator<Item = Arc<str>> {
        [DESCRIBE, SEARCH]
            .into_iter()
            .filter(|name| !self.tools.contains_key(*name))
            .map(Arc::from)
    }

    /// None for what is a tool's to answer.
    pub(super) fn answer(&self, function: &str, arguments: &Json) -> Option<Result<Json, String>> {
        if !matches!(function, DESCRIBE | SEARCH) || self.tools.contains_key(function) {
            return None;
        }
        self.catalogue
            .get_or_init(|| catalogue(self.language, &self.tools, None))
            .answer(function, arguments)
    }
}

/// The catalogue of a snapshot.
pub(super) fn catalogue(
    language: CodeLanguage,
    tools: &Tools,
    budget_tokens: Option<usize>,
) -> Catalogue {
    let declarations: Vec<ToolDeclaration<'_>> = tools
        .values()
        .map(|tool| ToolDeclaration {
            name: tool.name(),
            description: tool.description(),
            parameters: tool.parameters(),
            output: Some(tool.output().as_json()),
        })
        .collect();
    Catalogue::new(language, &declarations, budget_tokens)
}
