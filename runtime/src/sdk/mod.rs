//! The SDK text: what a model reads about the tools that its programs call.
//!
//! The text is a pure function of the tools: same tools, same bytes, and another tool only adds its own lines. Each language
//! renders one neutral model, which is read from any JSON Schema. Rendering never fails and always gives text that the
//! language's own parser takes, whatever names, descriptions and schemas are like.

mod cycles;
mod literal;
mod model;
mod names;
mod notes;
mod prose;
mod python;
mod read;
mod typescript;

pub use prose::{Prose, prose};

use crate::Json;
use crate::code_runtime::CodeLanguage;

/// A tool as the SDK text shows it.
#[derive(Clone, Copy, Debug)]
pub struct ToolDeclaration<'a> {
    /// The exact name.
    pub name: &'a str,
    /// What the tool does.
    pub description: &'a str,
    /// The schema of its arguments: any JSON Schema.
    pub parameters: &'a Json,
    /// The schema of its value; none where nothing is known.
    pub output: Option<&'a Json>,
}

/// The SDK section: how programs call tools, then [`declarations`]. The whole is one source file of the language.
///
/// ```
/// use lockgate::code_runtime::CodeLanguage;
/// use lockgate::{json, sdk};
///
/// let parameters = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
/// let output = json!({"type": "string"});
/// let tool = sdk::ToolDeclaration {
///     name: "read_file",
///     description: "Reads a file.",
///     parameters: &parameters,
///     output: Some(&output),
/// };
/// let text = sdk::render(CodeLanguage::TypeScript, &[tool]);
/// assert!(text.contains("/** Reads a file. */\n  read_file: { path: string };"));
/// ```
pub fn render(language: CodeLanguage, tools: &[ToolDeclaration<'_>]) -> String {
    let mut text = prose(language).sdk.to_owned();
    text.push_str(&declarations(language, tools));
    text
}

/// The declarations of the tools alone, sorted by name. Of two tools with the same name the first is shown.
pub fn declarations(language: CodeLanguage, tools: &[ToolDeclaration<'_>]) -> String {
    let mut sorted: Vec<&ToolDeclaration<'_>> = tools.iter().collect();
    sorted.sort_by_key(|tool| tool.name);
    sorted.dedup_by_key(|tool| tool.name);
    match language {
        CodeLanguage::TypeScript | CodeLanguage::JavaScript => typescript::declarations(&sorted),
        CodeLanguage::Python => python::declarations(&sorted),
    }
}

/// True when the tool declares no argument: with `{}`, with no schema at all, or with an object without properties.
fn takes_nothing(tool: &ToolDeclaration<'_>, model: &model::Model) -> bool {
    match &model.root.ty {
        model::Type::Object(object) => {
            object.fields.is_empty() && object.others == model::Others::Unsaid
        }
        model::Type::Json => true,
        _ => tool.parameters.is_null(),
    }
}

#[cfg(test)]
mod tests;
