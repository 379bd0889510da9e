//! The way of a program through the guest: size and nesting, parse, plan, then blank or compile.

use oxc_allocator::Allocator;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;

use crate::blank::Plan;
use crate::compile::compile;
use crate::diagnose::{MAX_DIAGNOSTICS, diagnose};
use crate::edit::{self, Edit};
use crate::nesting::{MAX_NESTING, too_deep};
use crate::place::Place;
use crate::text::skip_trivia;

/// Bytes of a program. The densest program of this size takes 180 MB to parse, which fits into the default memory limit.
const MAX_SOURCE_BYTES: usize = 2 << 20;
/// One error of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong.
    pub message: String,
    /// Where.
    pub place: Place,
    /// What the author can do about it.
    pub help: Option<String>,
}

/// One point of a source map: from `generated` on, the text stems from `original`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// The place in the JavaScript.
    pub generated: Place,
    /// The place in the program as it was written.
    pub original: Place,
}

/// A program in JavaScript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stripped {
    /// The text.
    pub source: String,
    /// Empty where every character kept its place.
    pub mappings: Vec<Mapping>,
}

/// Strips programs one after another, reusing its memory.
#[derive(Default)]
pub struct Stripper {
    allocator: Allocator,
}

impl Stripper {
    /// Turns `source`, the body of an async function, into JavaScript.
    ///
    /// # Errors
    /// Syntax errors, and syntax that a program can't use, in the order of the source.
    pub fn strip(&mut self, source: &str) -> Result<Stripped, Vec<Diagnostic>> {
        let outcome = strip(&self.allocator, source);
        self.allocator.reset();
        outcome
    }
}

fn strip(allocator: &Allocator, source: &str) -> Result<Stripped, Vec<Diagnostic>> {
    if source.len() > MAX_SOURCE_BYTES {
        return Err(vec![Diagnostic {
            message: format!(
                "The program is {} bytes long; the limit is {MAX_SOURCE_BYTES}",
                source.len()
            ),
            place: Place { line: 1, column: 1 },
            help: Some("Keep data out of the program: read it with a tool.".to_owned()),
        }]);
    }
    let first = skip_trivia(source, 0);
    if source
        .get(first..)
        .is_some_and(|text| text.starts_with("```"))
    {
        // It would parse, as templates that are called.
        return Err(vec![Diagnostic {
            message: "The program starts with a Markdown fence".to_owned(),
            place: Place::of(source, first),
            help: Some("Give the code alone, without the lines of backticks around it.".to_owned()),
        }]);
    }
    if let Some(at) = too_deep(source) {
        return Err(vec![Diagnostic {
            message: format!("Brackets nest more than {MAX_NESTING} levels deep"),
            place: Place::of(source, at),
            help: Some("Split the expression, or read the data with a tool.".to_owned()),
        }]);
    }
    let options = ParseOptions {
        allow_return_outside_function: true,
        ..ParseOptions::default()
    };
    // Strict, with top-level `await`: what the body of an async function in strict mode has, and a module too.
    let source_type = SourceType::ts().with_module(true);
    let mut parsed = Parser::new(allocator, source, source_type)
        .with_options(options)
        .parse();
    if parsed.panicked || parsed.diagnostics.has_errors() {
        return Err(diagnose(source, parsed.diagnostics.errors()));
    }
    let mut plan = Plan::new(source, &parsed.program);
    if !plan.refusals.is_empty() {
        let refusals = plan.refusals.iter().map(|refusal| Diagnostic {
            message: refusal.message.to_owned(),
            place: Place::of(source, refusal.at),
            help: Some(refusal.help.to_owned()),
        });
        let mut refusals: Vec<Diagnostic> = refusals.take(MAX_DIAGNOSTICS).collect();
        refusals.sort_by_key(|refusal| refusal.place);
        return Err(refusals);
    }
    if plan.compile {
        return compile(allocator, &mut parsed.program)
            .map_err(|diagnostics| diagnose(source, diagnostics.errors()));
    }
    if parsed.program.hashbang.is_some()
        && let Some(start) = source.find("#!")
    {
        // A function body can't start with `#!`; as a comment it keeps its text.
        plan.edits.push(Edit {
            start,
            end: start + 2,
            first: Some('/'),
            last: Some('/'),
        });
    }
    Ok(Stripped {
        source: edit::apply(source, &mut plan.edits),
        mappings: Vec::new(),
    })
}
