//! The SDK text: what a model reads about the tools that its programs call.
//!
//! The text is a pure function of the tools: same tools, same bytes, and another tool only adds its own lines. Each language
//! renders one neutral model, which is read from any JSON Schema. Rendering never fails and always gives text that the
//! language's own parser takes, whatever names, descriptions and schemas are like.

mod catalogue;
mod cycles;
mod literal;
mod model;
mod names;
mod notes;
mod prose;
mod python;
mod read;
mod search;
mod typescript;

pub use catalogue::{Catalogue, DESCRIBE, SEARCH, SearchHit, estimate_tokens};
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
    let parts = parts(language, &sorted(tools));
    assemble(language, &parts.iter().collect::<Vec<_>>())
}

/// What one tool adds to the text. What the second and third field hold is the language's own affair.
#[derive(Debug, Default)]
struct Part {
    types: String,
    members: String,
    more: String,
}

fn sorted<'a, 'b>(tools: &'b [ToolDeclaration<'a>]) -> Vec<&'b ToolDeclaration<'a>> {
    let mut sorted: Vec<_> = tools.iter().collect();
    sorted.sort_by_key(|tool| tool.name);
    sorted.dedup_by_key(|tool| tool.name);
    sorted
}

fn parts(language: CodeLanguage, tools: &[&ToolDeclaration<'_>]) -> Vec<Part> {
    match language {
        CodeLanguage::TypeScript | CodeLanguage::JavaScript => typescript::parts(tools),
        CodeLanguage::Python => python::parts(tools),
    }
}

fn assemble(language: CodeLanguage, parts: &[&Part]) -> String {
    match language {
        CodeLanguage::TypeScript | CodeLanguage::JavaScript => typescript::assemble(parts),
        CodeLanguage::Python => python::assemble(parts),
    }
}

/// Text for people as a comment of the language, one per line.
fn comment(language: CodeLanguage, lines: &str) -> String {
    match language {
        CodeLanguage::TypeScript | CodeLanguage::JavaScript => {
            format!("/*\n{}\n*/\n", lines.replace("*/", "*\\/"))
        }
        CodeLanguage::Python => lines
            .lines()
            .map(|line| format!("# {line}").trim_end().to_owned() + "\n")
            .collect(),
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
