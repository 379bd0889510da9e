//! The languages of programs, for suites that hold the same of each.

use lockgate::code_runtime::{CodeLanguage, CodeLimits, CodeResult};
use lockgate::json;
use lockgate::sandbox::Sandbox;

use super::sandbox_support::{self, Script, python, run_in};

/// A language of programs.
pub(crate) struct Language {
    pub(crate) name: &'static str,
    pub(crate) language: CodeLanguage,
    sandbox: fn() -> Option<&'static Sandbox>,
    /// A program that any change of its world would make return something else than `[2]`.
    honest: &'static str,
}

pub(crate) static JAVASCRIPT: Language = Language {
    name: "JavaScript",
    language: CodeLanguage::JavaScript,
    sandbox: || Some(&sandbox_support::JAVASCRIPT),
    honest: "const r = await tools.echo({a: [1]}); return r.a.map(x => x + 1)",
};

pub(crate) static PYTHON: Language = Language {
    name: "Python",
    language: CodeLanguage::Python,
    sandbox: python,
    honest: "import json, asyncio\nr = await asyncio.gather(tools.echo(a=[1]))\nreturn [x + 1 for x in json.loads(json.dumps(r[0]))['a']]",
};

impl Language {
    /// The shared sandbox; none where the guest is not there.
    pub(crate) fn sandbox(&self) -> Option<&'static Sandbox> {
        (self.sandbox)()
    }

    /// Whether a new run finds its world as it should be.
    pub(crate) async fn is_unaffected(&self) -> bool {
        let Some(sandbox) = self.sandbox() else {
            return true;
        };
        let (result, _) = run_in(sandbox, self.honest, CodeLimits::default()).await;
        result.outcome == Ok(Some(json!([2])))
    }
}

/// Runs one program in its spelling in JavaScript and in Python, and checks each the same way. The text names the program.
pub(crate) async fn in_each(
    programs: [&str; 2],
    limits: CodeLimits,
    check: impl Fn(&str, CodeResult, Script),
) {
    for (language, source) in [&JAVASCRIPT, &PYTHON].into_iter().zip(programs) {
        if let Some(sandbox) = language.sandbox() {
            let (result, script) = run_in(sandbox, source, limits).await;
            check(&format!("{}:\n{source}\n", language.name), result, script);
        }
    }
}
