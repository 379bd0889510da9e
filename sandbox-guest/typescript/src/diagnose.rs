//! Words the parser's errors for the author of a program, who knows nothing of the parser.

use oxc_diagnostics::OxcDiagnostic;

use crate::place::Place;
use crate::strip::Diagnostic;
use crate::text::{bounded, skip_trivia, word};

/// Diagnostics that one answer holds: an author mends the first ones and tries again.
pub(crate) const MAX_DIAGNOSTICS: usize = 20;
/// Bytes of a diagnostic's message or help; the parser may quote the program's own text.
const MAX_MESSAGE_BYTES: usize = 600;
/// Bytes of a token that is quoted.
const MAX_TOKEN_BYTES: usize = 40;

/// The errors of the parser or the transform as our own, in the order of the source; at least one.
pub(crate) fn diagnose<'d>(
    source: &str,
    errors: impl Iterator<Item = &'d OxcDiagnostic>,
) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> = errors
        .take(MAX_DIAGNOSTICS)
        .map(|error| one(source, error))
        .collect();
    if diagnostics.is_empty() {
        diagnostics.push(Diagnostic {
            message: "The program could not be parsed".to_owned(),
            place: Place { line: 1, column: 1 },
            help: None,
        });
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.place);
    diagnostics
}

fn one(source: &str, error: &OxcDiagnostic) -> Diagnostic {
    let label = error
        .labels
        .iter()
        .find(|label| label.primary())
        .or(error.labels.first());
    let offset = label.map_or(0, |label| label.offset() as usize);
    if error
        .message
        .starts_with("Expected a semicolon or an implicit semicolon")
    {
        // The parser points behind the statement; what it stumbled over comes next.
        let found = skip_trivia(source, offset);
        return Diagnostic {
            message: format!("{} can't follow what stands before it", quoted(source, found)),
            place: Place::of(source, found),
            help: Some(
                "An operator or a `;` may be missing before it, or a quote or bracket before it is closed too early or \
                 not at all."
                    .to_owned(),
            ),
        };
    }
    // The parser names some tokens by their class; the author knows them by their text.
    let message = error
        .message
        .replace("`EOF`", "the end of the program")
        .replace(
            "found `Identifier`",
            &format!("found {}", quoted(source, offset)),
        );
    let opened = error
        .labels
        .iter()
        .find(|label| label.label() == Some("Opened here"));
    let help = match (error.help.as_deref(), opened) {
        (Some(help), _) => Some(bounded(help, MAX_MESSAGE_BYTES)),
        (None, Some(opened)) => {
            let at = opened.offset() as usize;
            let Place { line, column } = Place::of(source, at);
            Some(format!(
                "{} was opened at {line}:{column}.",
                quoted(source, at)
            ))
        }
        (None, None) => None,
    };
    Diagnostic {
        message: bounded(&message, MAX_MESSAGE_BYTES),
        place: Place::of(source, offset),
        help,
    }
}

/// The token at `at`, in backticks.
fn quoted(source: &str, at: usize) -> String {
    let word = word(source, at);
    match source.get(at..).and_then(|rest| rest.chars().next()) {
        None => "the end of the program".to_owned(),
        Some(_) if !word.is_empty() => format!("`{}`", bounded(word, MAX_TOKEN_BYTES)),
        Some('`') => "a backtick".to_owned(),
        Some(character) => format!("`{character}`"),
    }
}
