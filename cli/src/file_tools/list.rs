//! `list_files`: what is in a folder.

use lockgate::{BuildError, Content, Location, Tool, ToolCallView, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::{
    Folder, blocking,
    walk::{Filter, Go, Kind, walk},
};

/// Entries that one call returns at most.
const MAX_ENTRIES: u32 = 20_000;
const DEFAULT_ENTRIES: u32 = 2_000;

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The folder to list, relative to the tools' folder. Default: the tools' folder itself.
    pub(super) path: Option<String>,
    /// Only what matches, such as `*.rs` (names at any depth) or `src/**/*.{ts,tsx}` (the path below `path`).
    pub(super) glob: Option<String>,
    /// Whether to go into subfolders. Default: true if there is a glob, else false.
    pub(super) recursive: Option<bool>,
    /// Whether to include names that start with a dot, and what is below them. Default: false.
    pub(super) hidden: Option<bool>,
    /// The most entries to return, up to 20000. Default: 2000.
    pub(super) limit: Option<u32>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Output {
    /// In the order of their paths, folders before what is in them.
    pub(super) entries: Vec<Entry>,
    /// Whether something is missing: there are more entries than `limit`, or a part of the folder can't be read.
    pub(super) truncated: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Entry {
    /// Relative to the tools' folder, with `/`; the other file tools take it as it is.
    pub(super) path: String,
    pub(super) kind: Kind,
    /// Bytes of a file; 0 for everything else.
    pub(super) size: u64,
}

pub(super) fn tool(folder: &Folder) -> Result<Tool, BuildError> {
    let folder = folder.clone();
    Tool::function(
        "list_files",
        "Lists the files and folders in a folder, optionally with everything below it and filtered by a glob. Symbolic links \
         are listed, not followed.",
        move |args: Args, context| {
            let folder = folder.clone();
            blocking(context, move |signal| list(&folder, &args, signal))
        },
    )
    .concurrency_safe(true)
    .idempotent()
    .render(|_, output| vec![Content::text(text(output))])
    .present_call(|args| {
        let path = args.path.as_deref().unwrap_or(".");
        let glob = args.glob.as_deref().map(|glob| format!(" ({glob})")).unwrap_or_default();
        Some(ToolCallView::Generic {
            title: format!("List {path}{glob}").into(),
            locations: vec![Location { path: path.into(), line: None }],
        })
    })
    .build()
}

pub(super) fn list(
    folder: &Folder,
    args: &Args,
    signal: &CancellationToken,
) -> Result<Output, ToolError> {
    let limit = args.limit.unwrap_or(DEFAULT_ENTRIES).min(MAX_ENTRIES) as usize;
    let recursive = args.recursive.unwrap_or(args.glob.is_some());
    let filter = Filter::new(
        args.glob.as_deref(),
        args.hidden.unwrap_or(false),
        recursive,
    )?;
    let mut entries = Vec::new();
    let truncated = walk(
        folder,
        args.path.as_deref().unwrap_or("."),
        &filter,
        signal,
        |found| {
            if entries.len() == limit {
                return Ok(Go::Stop);
            }
            let size = match found.kind {
                // A file that vanished since has no size any more; that is no reason to fail.
                Kind::File => folder
                    .dir()
                    .symlink_metadata(&found.path)
                    .map_or(0, |metadata| metadata.len()),
                _ => 0,
            };
            entries.push(Entry {
                path: found.path,
                kind: found.kind,
                size,
            });
            Ok(Go::On)
        },
    )?;
    Ok(Output { entries, truncated })
}

fn text(output: &Output) -> String {
    let mut lines: Vec<String> = output
        .entries
        .iter()
        .map(|entry| match entry.kind {
            Kind::File => format!("{} ({} bytes)", entry.path, entry.size),
            Kind::Directory => format!("{}/", entry.path),
            Kind::Symlink => format!("{} (symbolic link)", entry.path),
            Kind::Other => format!("{} (no regular file)", entry.path),
        })
        .collect();
    if lines.is_empty() {
        lines.push("nothing found".to_owned());
    }
    if output.truncated {
        lines.push("… and more that is not listed".to_owned());
    }
    lines.join("\n")
}
