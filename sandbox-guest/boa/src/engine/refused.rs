//! Syntax that the engine takes without giving it its meaning: it is refused.
//!
//! Boa parses `using` and disposes of nothing. In a program the declaration is looked for in its syntax tree; in code
//! from a text, which is no whole function, by its words.

use std::ops::ControlFlow;

use boa_engine::ast::declaration::{Binding, LexicalDeclaration};
use boa_engine::ast::visitor::{VisitWith, Visitor};
use boa_engine::ast::{Position, Spanned};
use boa_engine::interner::Interner;
use boa_engine::parser::Parser;
use boa_engine::{JsError, JsNativeError, Source};

const MESSAGE: &str =
    "declarations with `using` are not supported on this engine; use try and finally";

/// Refuses a program with a declaration with `using`.
pub(super) fn check_program(source: &str) -> Result<(), JsError> {
    if !source.contains("using") {
        return Ok(());
    }
    let mut interner = Interner::new();
    let Ok((script, _)) = Parser::new(Source::from_bytes(source)).parse_eval(false, &mut interner)
    else {
        // The engine says what is wrong.
        return Ok(());
    };
    match script.visit_with(&mut Finder) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(at) => {
            let at = at.map_or(String::new(), |at| {
                format!(" at line {}, col {}", at.line_number(), at.column_number())
            });
            Err(JsNativeError::syntax()
                .with_message(format!("{MESSAGE}{at}"))
                .into())
        }
    }
}

/// Refuses code from a text that seems to declare with `using`.
pub(super) fn check_text(source: &str) -> Result<(), JsError> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let declares = |(at, word): (usize, &str)| {
        let before = source[..at].chars().next_back();
        let after = &source[at + word.len()..];
        let name = after.trim_start_matches([' ', '\t']);
        !before.is_some_and(|c| is_name(c) || c == '.')
            && name.len() < after.len()
            && name.starts_with(is_name)
            && !["in ", "of ", "instanceof "]
                .iter()
                .any(|operator| name.starts_with(operator))
    };
    if source.match_indices("using").any(declares) {
        return Err(JsNativeError::syntax().with_message(MESSAGE).into());
    }
    Ok(())
}

struct Finder;

impl<'ast> Visitor<'ast> for Finder {
    type BreakTy = Option<Position>;

    fn visit_lexical_declaration(
        &mut self,
        declaration: &'ast LexicalDeclaration,
    ) -> ControlFlow<Self::BreakTy> {
        let (LexicalDeclaration::Using(list) | LexicalDeclaration::AwaitUsing(list)) = declaration
        else {
            return declaration.visit_with(self);
        };
        let first = list.as_ref().first().map(|variable| variable.binding());
        ControlFlow::Break(match first {
            Some(Binding::Identifier(name)) => Some(name.span().start()),
            _ => None,
        })
    }
}
