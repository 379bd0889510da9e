//! File tools inside one folder (`--dir DIR`, and `--write`): list, read, search, stat, write, edit.
//!
//! Every path goes through [`Folder`], a capability: a path that leads out of the folder, by `..`, by a symbolic link or
//! by being absolute, is refused by the library that resolves it, not by looking at its text. What the tools return is
//! bounded, and each output says whether something was left out.

mod edit;
mod folder;
mod list;
mod read;
mod search;
mod stat;
mod walk;
mod write;

use lockgate::{BuildError, RunContext, Tool, ToolError};
use tokio_util::sync::CancellationToken;

pub use folder::Folder;

/// What the tools may do to the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// `list_files`, `read_file`, `search_files` and `stat_file`.
    Read,
    /// Those, `write_file` and `edit_file`.
    ReadWrite,
}

/// The tools over `folder`, in the order of their names.
///
/// # Errors
/// None with the types of this crate: building a tool checks its schemas.
pub fn file_tools(folder: &Folder, access: Access) -> Result<Vec<Tool>, BuildError> {
    let mut tools = Vec::new();
    if access == Access::ReadWrite {
        tools.push(edit::tool(folder)?);
    }
    tools.push(list::tool(folder)?);
    tools.push(read::tool(folder)?);
    tools.push(search::tool(folder)?);
    tools.push(stat::tool(folder)?);
    if access == Access::ReadWrite {
        tools.push(write::tool(folder)?);
    }
    Ok(tools)
}

/// Runs `work` where it may block. It is given the call's signal and has to look at it now and then.
async fn blocking<T: Send + 'static>(
    context: RunContext,
    work: impl FnOnce(&CancellationToken) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let signal = context.signal().clone();
    match tokio::task::spawn_blocking(move || work(&signal)).await {
        Ok(outcome) => outcome,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(cancelled()),
        },
    }
}

/// Ends the work if the call was cancelled.
fn check(signal: &CancellationToken) -> Result<(), ToolError> {
    if signal.is_cancelled() {
        Err(cancelled())
    } else {
        Ok(())
    }
}

fn cancelled() -> ToolError {
    ToolError::new("the call was cancelled").named("AbortError")
}

#[cfg(test)]
mod tests {
    use lockgate::ToolError;
    use tokio_util::sync::CancellationToken;

    use super::{Folder, edit, list, read, search};

    // SPEC F1
    #[test]
    fn work_that_was_cancelled_ends_with_the_next_look_at_the_signal() {
        let place = tempfile::TempDir::new().unwrap();
        std::fs::write(place.path().join("f"), "a\nb\n").unwrap();
        let folder = Folder::open(place.path()).unwrap();
        let signal = CancellationToken::new();
        signal.cancel();
        let name = |error: ToolError| error.info().map(|info| info.name.to_string());
        let aborted = Some("AbortError".to_owned());

        let listed = list::list(&folder, &list::Args::default(), &signal);
        assert_eq!(listed.err().and_then(name), aborted);
        for offset in [None, Some(2)] {
            let args = read::Args {
                path: "f".to_owned(),
                offset,
                limit: None,
            };
            assert_eq!(
                read::read(&folder, &args, &signal).err().and_then(name),
                aborted
            );
        }
        for path in [None, Some("f".to_owned())] {
            let args = search::Args {
                pattern: "a".to_owned(),
                path,
                ..search::Args::default()
            };
            assert_eq!(
                search::search(&folder, &args, &signal).err().and_then(name),
                aborted
            );
        }
        let args = edit::Args {
            path: "f".to_owned(),
            old_text: "a".to_owned(),
            new_text: "c".to_owned(),
            replace_all: None,
        };
        assert_eq!(
            edit::edit(&folder, &args, &signal).err().and_then(name),
            aborted
        );
        assert_eq!(
            std::fs::read_to_string(place.path().join("f")).unwrap(),
            "a\nb\n"
        );
    }
}
