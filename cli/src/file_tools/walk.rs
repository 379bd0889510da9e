//! Walks a folder in the order of paths, without following symbolic links, and picks by glob.

use std::{collections::VecDeque, sync::Arc};

use cap_std::fs::FileType;
use globset::{GlobBuilder, GlobMatcher};
use lockgate::ToolError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::{Folder, check, folder::path_error};

/// Entries that one walk looks at.
const MAX_VISITED: usize = 500_000;
/// Bytes of a glob: its compiled form grows with it.
const MAX_GLOB_BYTES: usize = 1000;

/// What something in a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Directory,
    /// A symbolic link; it is not followed here.
    Symlink,
    /// A device, a pipe or a socket.
    Other,
}

impl From<FileType> for Kind {
    fn from(file_type: FileType) -> Self {
        if file_type.is_file() {
            Self::File
        } else if file_type.is_dir() {
            Self::Directory
        } else if file_type.is_symlink() {
            Self::Symlink
        } else {
            Self::Other
        }
    }
}

/// Which entries to visit.
pub(super) struct Filter {
    glob: Option<GlobMatcher>,
    /// Whether names that start with a dot are visited.
    pub(super) hidden: bool,
    /// Whether folders are entered.
    pub(super) recursive: bool,
    /// Entries that the walk looks at, at most.
    max_visited: usize,
}

impl Filter {
    /// A glob without `/` is about names, at any depth; one with `/` is about the path below the start.
    pub(super) fn new(
        glob: Option<&str>,
        hidden: bool,
        recursive: bool,
    ) -> Result<Self, ToolError> {
        let glob = glob.map(compile).transpose()?;
        Ok(Self {
            glob,
            hidden,
            recursive,
            max_visited: MAX_VISITED,
        })
    }

    /// Whether the glob, if there is one, takes the path below the start.
    pub(super) fn picks(&self, below: &str) -> bool {
        self.glob.as_ref().is_none_or(|glob| glob.is_match(below))
    }
}

fn compile(glob: &str) -> Result<GlobMatcher, ToolError> {
    if glob.len() > MAX_GLOB_BYTES {
        return Err(
            ToolError::new(format!("the glob is longer than {MAX_GLOB_BYTES} bytes"))
                .named("GlobError"),
        );
    }
    let anywhere = if glob.contains('/') {
        glob.trim_start_matches("./").to_owned()
    } else {
        format!("**/{glob}")
    };
    GlobBuilder::new(&anywhere)
        .literal_separator(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| {
            ToolError::new(format!("the glob `{glob}` is not valid: {}", error.kind()))
                .named("GlobError")
        })
}

/// One thing that the walk found.
pub(super) struct Found {
    /// Relative to the tools' folder, with `/`.
    pub(super) path: String,
    pub(super) kind: Kind,
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Go {
    On,
    Stop,
}

/// Visits what is below `start` and fits `filter`, parents before children, in the order of names. Gives whether
/// something was left out: `visit` stopped it, there was too much, a folder can't be read, or a name is no Unicode.
pub(super) fn walk(
    folder: &Folder,
    start: &str,
    filter: &Filter,
    signal: &CancellationToken,
    mut visit: impl FnMut(Found) -> Result<Go, ToolError>,
) -> Result<bool, ToolError> {
    let start = match start.trim_end_matches('/') {
        "" if start.is_empty() => ".",
        // Not shortened to nothing: the error is to name it.
        "" => start,
        trimmed => trimmed,
    };
    let root: Arc<str> = start.into();
    let prefix = match start.trim_start_matches("./") {
        "." => String::new(),
        path => format!("{path}/"),
    };
    let mut incomplete = false;
    let mut visited = 0;
    let mut waiting: VecDeque<Found> = children(
        folder,
        &root,
        "",
        filter,
        signal,
        &mut visited,
        &mut incomplete,
    )?
    .into();
    while let Some(found) = waiting.pop_front() {
        check(signal)?;
        let below = found.path.clone();
        let path = format!("{prefix}{below}");
        let kind = found.kind;
        if filter.picks(&below)
            && visit(Found {
                path: path.clone(),
                kind,
            })? == Go::Stop
        {
            return Ok(true);
        }
        if kind == Kind::Directory && filter.recursive {
            match children(
                folder,
                &path,
                &below,
                filter,
                signal,
                &mut visited,
                &mut incomplete,
            ) {
                Ok(entries) => entries
                    .into_iter()
                    .rev()
                    .for_each(|entry| waiting.push_front(entry)),
                Err(error) if signal.is_cancelled() => return Err(error),
                // One unreadable folder must not hide all the others.
                Err(_) => incomplete = true,
            }
        }
    }
    Ok(incomplete)
}

/// The entries of the folder at `path`, sorted; their paths start with `below`.
fn children(
    folder: &Folder,
    path: &str,
    below: &str,
    filter: &Filter,
    signal: &CancellationToken,
    visited: &mut usize,
    incomplete: &mut bool,
) -> Result<Vec<Found>, ToolError> {
    let failed = |error| path_error("list", path, &error);
    let mut entries = Vec::new();
    for entry in folder.dir().read_dir(path).map_err(failed)? {
        check(signal)?;
        if *visited >= filter.max_visited {
            *incomplete = true;
            break;
        }
        *visited += 1;
        let entry = entry.map_err(failed)?;
        let Ok(name) = entry.file_name().into_string() else {
            *incomplete = true;
            continue;
        };
        if name.starts_with('.') && !filter.hidden {
            continue;
        }
        let kind = entry.file_type().map_err(failed)?.into();
        let path = if below.is_empty() {
            name
        } else {
            format!("{below}/{name}")
        };
        entries.push(Found { path, kind });
    }
    entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use super::{Filter, Folder, Go, walk};

    #[test]
    fn a_walk_looks_at_so_many_entries_and_says_that_there_are_more() {
        let place = tempfile::TempDir::new().unwrap();
        for name in ["a", "b", "c"] {
            std::fs::create_dir(place.path().join(name)).unwrap();
            std::fs::write(place.path().join(name).join("f"), "").unwrap();
        }
        let folder = Folder::open(place.path()).unwrap();
        let walked = |max_visited| {
            let filter = Filter {
                max_visited,
                ..Filter::new(None, false, true).unwrap()
            };
            let mut found = Vec::new();
            let incomplete = walk(&folder, ".", &filter, &CancellationToken::new(), |entry| {
                found.push(entry.path);
                Ok(Go::On)
            });
            (found.len(), incomplete.unwrap())
        };
        assert_eq!(walked(6), (6, false));
        assert_eq!(walked(5), (5, true));
        assert_eq!(walked(2), (2, true));
    }
}
