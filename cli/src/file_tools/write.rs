//! `write_file`: puts a text into a file, at once or not at all.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use cap_std::fs::{OpenOptions, Permissions};
use lockgate::{BuildError, FileDiff, Tool, ToolCallView, ToolError, ToolResultView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Folder, blocking, folder::path_error};

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The path, relative to the tools' folder. Folders that are missing are made.
    pub(super) path: String,
    /// The whole new text of the file.
    pub(super) content: String,
    /// What to do if the file is there already. Default: true, replace it; false: fail.
    pub(super) overwrite: Option<bool>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Output {
    /// Bytes that the file has now.
    pub(super) size: u64,
    /// Whether the file is new.
    pub(super) created: bool,
}

pub(super) fn tool(folder: &Folder) -> Result<Tool, BuildError> {
    let folder = folder.clone();
    Tool::function(
        "write_file",
        "Writes a text file: makes it, or replaces all of its text.",
        move |args: Args, context| {
            let folder = folder.clone();
            blocking(context, move |_| write(&folder, &args))
        },
    )
    .concurrency_safe(false)
    .present_call(|args| {
        Some(ToolCallView::Diff {
            title: format!("Write {}", args.path).into(),
            files: vec![FileDiff {
                path: args.path.as_str().into(),
                old: None,
                new: args.content.as_str().into(),
            }],
        })
    })
    .present_result(|args, result| {
        let output: Output = result.value()?.deserialize().ok()?;
        let verb = if output.created {
            "Created"
        } else {
            "Replaced"
        };
        Some(ToolResultView::generic(format!(
            "{verb} {} ({} bytes)",
            args.path, output.size
        )))
    })
    .build()
}

pub(super) fn write(folder: &Folder, args: &Args) -> Result<Output, ToolError> {
    let failed = |error| path_error("write", &args.path, &error);
    let path = Path::new(&args.path);
    let created = match folder.dir().symlink_metadata(path) {
        Ok(_) if args.overwrite == Some(false) => {
            return Err(ToolError::new(format!(
                "`{}` is there already; leave out `overwrite: false` to replace it",
                args.path
            ))
            .named("ExistsError"));
        }
        Ok(_) => false,
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(error) => return Err(failed(error)),
    };
    if created && let Some(parent) = path.parent() {
        folder.dir().create_dir_all(parent).map_err(failed)?;
    }
    replace(folder, &args.path, args.content.as_bytes())?;
    Ok(Output {
        size: args.content.len() as u64,
        created,
    })
}

/// Writes `content` to a new file beside the one at `path`, then puts it in its place: a reader sees the old text or the
/// new one, never a part. A symbolic link stays a link; the file that it points to is replaced.
pub(super) fn replace(folder: &Folder, path: &str, content: &[u8]) -> Result<(), ToolError> {
    let failed = |error| path_error("write", path, &error);
    let dir = folder.dir();
    let mut target = PathBuf::from(path);
    let mut permissions = None;
    match dir.metadata(path) {
        Ok(metadata) if metadata.is_file() => {
            target = dir.canonicalize(path).map_err(failed)?;
            permissions = Some(metadata.permissions());
        }
        Ok(_) => {
            return Err(ToolError::new(format!(
                "`{path}` is no regular file and can't be written"
            ))
            .named("NotAFileError"));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    if permissions.as_ref().is_some_and(Permissions::readonly) {
        return Err(ToolError::new(format!("`{path}` is read-only")).named("PermissionError"));
    }
    let Some(name) = target.file_name().map(ToOwned::to_owned) else {
        return Err(ToolError::new(format!("`{path}` names no file")).named("PathError"));
    };
    // The folder is opened once: what happens to its path meanwhile does not matter any more.
    let parent = target
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let parent = dir
        .open_dir(parent.unwrap_or(Path::new(".")))
        .map_err(failed)?;
    let temporary = temporary_name();
    let written = (|| {
        let mut options = OpenOptions::new();
        let mut file = parent.open_with(&temporary, options.write(true).create_new(true))?;
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)?;
        }
        file.write_all(content)?;
        drop(file);
        parent.rename(&temporary, &parent, &name)
    })();
    written.map_err(|error| {
        // It may not be there; then there is nothing to clean up.
        let _ = parent.remove_file(&temporary);
        failed(error)
    })
}

/// A name that no other write of this or another process uses at this time.
fn temporary_name() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!(
        ".lockgate-{}-{}.tmp",
        std::process::id(),
        NEXT.fetch_add(1, Ordering::Relaxed)
    )
}
