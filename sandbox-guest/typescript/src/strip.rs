//! The way of a program through the guest: size and nesting, parse, plan, then blank or compile.

use oxc_allocator::Allocator;
use oxc_diagnostics::OxcDiagnostic;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;

use crate::blank::Plan;
use crate::compile::compile;
use crate::edit::{self, Edit};
use crate::nesting::{MAX_NESTING, too_deep};
use crate::place::Place;
use crate::text::bounded;

/// Bytes of a program. The densest program of this size takes 180 MB to parse, which fits into the default memory limit.
const MAX_SOURCE_BYTES: usize = 2 << 20;
/// Diagnostics that one answer holds: an author mends the first ones and tries again.
const MAX_DIAGNOSTICS: usize = 20;
/// Bytes of a diagnostic's message or help; the parser may quote the program's own text.
const MAX_MESSAGE_BYTES: usize = 600;

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
        return Err(from_parser(source, parsed.diagnostics.errors()));
    }
    let mut plan = Plan::new(source, &parsed.program);
    if !plan.refusals.is_empty() {
        let refusals = plan.refusals.iter().map(|refusal| Diagnostic {
            message: refusal.message.to_owned(),
            place: Place::of(source, refusal.at),
            help: Some(refusal.help.to_owned()),
        });
        return Err(in_order(refusals.take(MAX_DIAGNOSTICS).collect()));
    }
    if plan.compile {
        return compile(allocator, &mut parsed.program)
            .map_err(|diagnostics| from_parser(source, diagnostics.errors()));
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

/// The errors of the parser or the transform as our own.
fn from_parser<'d>(
    source: &str,
    errors: impl Iterator<Item = &'d OxcDiagnostic>,
) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> = errors
        .take(MAX_DIAGNOSTICS)
        .map(|error| {
            let label = error
                .labels
                .iter()
                .find(|label| label.primary())
                .or(error.labels.first());
            let offset = label.map_or(0, |label| label.offset() as usize);
            Diagnostic {
                message: bounded(&error.message, MAX_MESSAGE_BYTES),
                place: Place::of(source, offset),
                help: error
                    .help
                    .as_deref()
                    .map(|help| bounded(help, MAX_MESSAGE_BYTES)),
            }
        })
        .collect();
    if diagnostics.is_empty() {
        diagnostics.push(Diagnostic {
            message: "The program could not be parsed".to_owned(),
            place: Place { line: 1, column: 1 },
            help: None,
        });
    }
    in_order(diagnostics)
}

fn in_order(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.sort_by_key(|diagnostic| diagnostic.place);
    diagnostics
}
