//! `stat_file`: what is at a path.

use std::io;

use lockgate::{BuildError, Location, Tool, ToolCallView, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Folder, blocking, folder::path_error, walk::Kind};

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The path, relative to the tools' folder.
    pub(super) path: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Output {
    /// Whether there is something at the path. The other fields are null if not.
    pub(super) exists: bool,
    pub(super) kind: Option<Kind>,
    /// Bytes; of a symbolic link, those of the link.
    pub(super) size: Option<u64>,
    /// When it was changed last, in milliseconds since 1970, as `new Date(…)` takes it.
    pub(super) modified_ms: Option<i64>,
    /// Where a symbolic link points, as it is written in the link.
    pub(super) target: Option<String>,
}

pub(super) fn tool(folder: &Folder) -> Result<Tool, BuildError> {
    let folder = folder.clone();
    Tool::function(
        "stat_file",
        "Tells whether something is at a path, and its kind, size and time of change. Symbolic links are not followed.",
        move |args: Args, context| {
            let folder = folder.clone();
            blocking(context, move |_| stat(&folder, &args))
        },
    )
    .concurrency_safe(true)
    .idempotent()
    .present_call(|args| {
        Some(ToolCallView::Generic {
            title: format!("Look at {}", args.path).into(),
            locations: vec![Location { path: args.path.as_str().into(), line: None }],
        })
    })
    .build()
}

pub(super) fn stat(folder: &Folder, args: &Args) -> Result<Output, ToolError> {
    let metadata = match folder.dir().symlink_metadata(&args.path) {
        Ok(metadata) => metadata,
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            return Ok(Output {
                exists: false,
                kind: None,
                size: None,
                modified_ms: None,
                target: None,
            });
        }
        Err(error) => return Err(path_error("look at", &args.path, &error)),
    };
    let modified_ms = metadata.modified().ok().and_then(|time| {
        let epoch = cap_std::time::SystemTime::from_std(std::time::UNIX_EPOCH);
        match time.duration_since(epoch) {
            Ok(after) => i64::try_from(after.as_millis()).ok(),
            Err(before) => i64::try_from(before.duration().as_millis())
                .ok()
                .map(|milliseconds| -milliseconds),
        }
    });
    let target = if metadata.is_symlink() {
        folder
            .dir()
            .read_link_contents(&args.path)
            .ok()
            .map(|target| target.to_string_lossy().into_owned())
    } else {
        None
    };
    Ok(Output {
        exists: true,
        kind: Some(metadata.file_type().into()),
        size: Some(metadata.len()),
        modified_ms,
        target,
    })
}
