//! The SDK text. Placeholder: the renderers land next.
use crate::{Json, code_runtime::CodeLanguage};
/// d
pub struct Prose {
    /// d
    pub code_parameter: &'static str,
    /// d
    pub description_parameter: &'static str,
    /// d
    pub run_code_description: &'static str,
    /// d
    pub code_only_rule: &'static str,
}
/// d
pub fn prose(_: CodeLanguage) -> Prose {
    Prose {
        code_parameter: "code",
        description_parameter: "description",
        run_code_description: "runs",
        code_only_rule: "rule",
    }
}
/// d
pub struct ToolDeclaration<'a> {
    /// d
    pub name: &'a str,
    /// d
    pub description: &'a str,
    /// d
    pub parameters: &'a Json,
    /// d
    pub output: Option<&'a Json>,
}
/// d
pub fn render(_: CodeLanguage, t: &[ToolDeclaration<'_>]) -> String {
    format!("{}", t.len())
}
