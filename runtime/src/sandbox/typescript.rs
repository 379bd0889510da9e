//! Strips the types of a program, in a fresh guest of its own.

use wasmtime::Store;

use super::bindings::typescript::{self as wit, TypescriptGuestPre};
use super::fault;
use super::host::RunState;
use super::source_map::{SourceMap, place};
use super::watch::Watch;
use crate::code_runtime::{CodeFailure, CodeLimits, FailureKind};

/// Diagnostics past the first whose text is shown.
const MORE_DIAGNOSTICS: usize = 4;

/// A program in JavaScript, and where its text came from.
pub(super) struct Stripped {
    pub(super) source: String,
    pub(super) map: SourceMap,
}

/// Runs the stripper. Its time counts as the program's, its memory has the same limit; `peak` is what it took of it.
pub(super) async fn strip(
    stripper: &TypescriptGuestPre<RunState>,
    mut store: Store<RunState>,
    source: &str,
    watch: &mut Watch<'_>,
    limits: &CodeLimits,
    peak: &mut u64,
) -> Result<Stripped, Box<CodeFailure>> {
    let strip = async {
        let guest = stripper.instantiate_async(&mut store).await?;
        guest.call_strip(&mut store, source).await
    };
    let stripped = watch.drive(strip, |_| ()).await;
    *peak = store.data().memory.peak();
    match stripped {
        Ok(Ok(stripped)) => Ok(Stripped {
            map: SourceMap::new(&stripped.mappings),
            source: stripped.source,
        }),
        Ok(Err(diagnostics)) => Err(refused(diagnostics)),
        Err(interrupted) => Err(fault::strip_interrupted(
            interrupted,
            store.data_mut(),
            limits,
        )),
    }
}

/// The failure of a program that is not TypeScript. The first diagnostic has the place; the next ones are listed.
fn refused(diagnostics: Vec<wit::Diagnostic>) -> Box<CodeFailure> {
    let mut diagnostics = diagnostics.into_iter();
    let Some(first) = diagnostics.next() else {
        return fault::broken("the stripper refused the program without a diagnostic");
    };
    let mut failure = CodeFailure::new(FailureKind::Exception, with_help(&first));
    failure.name = "SyntaxError".to_owned();
    failure.position = Some(place(first.place));
    let hidden = diagnostics.len().saturating_sub(MORE_DIAGNOSTICS);
    for more in diagnostics.take(MORE_DIAGNOSTICS) {
        failure.message.push_str(&format!(
            "\n  also at {}:{}: {}",
            more.place.line,
            more.place.column,
            with_help(&more)
        ));
    }
    if hidden > 0 {
        failure.message.push_str(&format!("\n  and {hidden} more"));
    }
    Box::new(failure)
}

fn with_help(diagnostic: &wit::Diagnostic) -> String {
    match &diagnostic.help {
        Some(help) => format!("{} ({help})", diagnostic.message),
        None => diagnostic.message.clone(),
    }
}
