//! The fixed prose, from the template files.

use crate::code_runtime::CodeLanguage;

/// The fixed texts of one language. All of them together are under 600 tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prose {
    /// The description of the tool `run_code`.
    pub run_code_description: &'static str,
    /// The description of its parameter `code`.
    pub code_parameter: &'static str,
    /// The description of its parameter `description`.
    pub description_parameter: &'static str,
    /// The prompt section for a model that has `run_code` alone.
    pub code_only_rule: &'static str,
    /// The beginning of the SDK section: how programs call tools. A source text of the language.
    pub sdk: &'static str,
}

macro_rules! template {
    ($path:literal) => {
        include_str!(concat!("../../../sdk-templates/", $path)).trim_ascii()
    };
}

/// The fixed texts of a language.
pub fn prose(language: CodeLanguage) -> Prose {
    match language {
        CodeLanguage::TypeScript => TYPESCRIPT,
        CodeLanguage::JavaScript => JAVASCRIPT,
        CodeLanguage::Python => PYTHON,
    }
}

const TYPESCRIPT: Prose = Prose {
    run_code_description: template!("typescript/run-code.txt"),
    code_parameter: template!("typescript/code-parameter.txt"),
    description_parameter: template!("description-parameter.txt"),
    code_only_rule: template!("code-only-rule.txt"),
    sdk: include_str!("../../../sdk-templates/typescript/sdk.ts"),
};

const JAVASCRIPT: Prose = Prose {
    run_code_description: template!("javascript/run-code.txt"),
    code_parameter: template!("javascript/code-parameter.txt"),
    ..TYPESCRIPT
};

const PYTHON: Prose = Prose {
    run_code_description: template!("python/run-code.txt"),
    code_parameter: template!("python/code-parameter.txt"),
    description_parameter: template!("description-parameter.txt"),
    code_only_rule: template!("code-only-rule.txt"),
    sdk: include_str!("../../../sdk-templates/python/sdk.py"),
};
