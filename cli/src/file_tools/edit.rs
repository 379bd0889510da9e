//! `edit_file`: replaces one piece of a file's text.

use std::io::Read;

use lockgate::{BuildError, FileDiff, Tool, ToolCallView, ToolError, ToolResultView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::{Folder, blocking, check, folder::path_error, write::replace};

/// Bytes of a file that can be edited.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// Lines that an error names.
const MAX_NAMED_LINES: usize = 10;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The path, relative to the tools' folder.
    pub(super) path: String,
    /// The text to replace, exactly as it is in the file, with its white space and line breaks. It has to be there once,
    /// unless `replace_all` is true.
    pub(super) old_text: String,
    /// What to put in its place.
    pub(super) new_text: String,
    /// Whether to replace it wherever it is. Default: false.
    pub(super) replace_all: Option<bool>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Output {
    /// How often the text was replaced.
    pub(super) replacements: u64,
    /// Bytes that the file has now.
    pub(super) size: u64,
}

pub(super) fn tool(folder: &Folder) -> Result<Tool, BuildError> {
    let folder = folder.clone();
    Tool::function(
        "edit_file",
        "Replaces a piece of a text file by another. Fails, and changes nothing, if the piece is not there, or is there more \
         than once without `replace_all`.",
        move |args: Args, context| {
            let folder = folder.clone();
            blocking(context, move |signal| edit(&folder, &args, signal))
        },
    )
    .concurrency_safe(false)
    .present_call(|args| {
        Some(ToolCallView::Diff { title: format!("Edit {}", args.path).into(), files: vec![diff(args)] })
    })
    .present_result(|args, result| {
        result.value()?;
        Some(ToolResultView::Diff { files: vec![diff(args)] })
    })
    .build()
}

fn diff(args: &Args) -> FileDiff {
    FileDiff {
        path: args.path.as_str().into(),
        old: Some(args.old_text.as_str().into()),
        new: args.new_text.as_str().into(),
    }
}

pub(super) fn edit(
    folder: &Folder,
    args: &Args,
    signal: &CancellationToken,
) -> Result<Output, ToolError> {
    let path = &args.path;
    if args.old_text.is_empty() {
        return Err(
            ToolError::new("`old_text` is empty; to write a whole file use `write_file`")
                .named("EditError"),
        );
    }
    if args.old_text == args.new_text {
        return Err(ToolError::new(
            "`old_text` and `new_text` are the same: there is nothing to edit",
        )
        .named("EditError"));
    }
    let (file, metadata) = folder.open_file(path)?;
    if metadata.len() > MAX_FILE_BYTES {
        return Err(ToolError::new(format!(
            "`{path}` is larger than {MAX_FILE_BYTES} bytes; it can't be edited"
        ))
        .named("EditError"));
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|error| path_error("read", path, &error))?;
    let Ok(before) = String::from_utf8(bytes) else {
        return Err(ToolError::new(format!(
            "`{path}` is no UTF-8 text; it can't be edited without changing more than asked"
        ))
        .named("BinaryFileError"));
    };
    check(signal)?;
    let found = before.matches(&args.old_text).count();
    if found == 0 {
        return Err(not_found(path, &before, &args.old_text));
    }
    if found > 1 && args.replace_all != Some(true) {
        return Err(ambiguous(path, &before, &args.old_text, found));
    }
    // Computed before it is built: many replacements by a long text would be more than memory holds.
    let size = (before.len() as u64 - (found * args.old_text.len()) as u64)
        .saturating_add((found as u64).saturating_mul(args.new_text.len() as u64));
    if size > MAX_FILE_BYTES {
        return Err(ToolError::new(format!(
            "`{path}` would become larger than {MAX_FILE_BYTES} bytes"
        ))
        .named("EditError"));
    }
    let after = before.replace(&args.old_text, &args.new_text);
    // The last moment at which nothing has changed.
    check(signal)?;
    replace(folder, path, after.as_bytes())?;
    Ok(Output {
        replacements: found as u64,
        size,
    })
}

/// Says where the text is, all of its places or the first.
fn ambiguous(path: &str, text: &str, wanted: &str, found: usize) -> ToolError {
    let places = text.match_indices(wanted).take(MAX_NAMED_LINES);
    let mut lines: Vec<String> = places
        .map(|(at, _)| line_of(text, at).to_string())
        .collect();
    if found > MAX_NAMED_LINES {
        lines.push("…".to_owned());
    }
    ToolError::new(format!(
        "`old_text` is in `{path}` {found} times (lines {}); give more of the text around it, or `replace_all: true`",
        lines.join(", ")
    ))
    .named("EditError")
}

/// Says what is nearest to the text that is not there.
fn not_found(path: &str, text: &str, wanted: &str) -> ToolError {
    let hint = if text.contains("\r\n")
        && text
            .replace("\r\n", "\n")
            .contains(&wanted.replace("\r\n", "\n"))
    {
        "; the file's lines end with \\r\\n".to_owned()
    } else {
        let first = wanted.lines().map(str::trim).find(|line| !line.is_empty());
        let near = first.and_then(|first| text.lines().position(|line| line.trim() == first));
        match near {
            Some(index) => format!(
                "; line {} is alike but for white space or what follows it",
                index + 1
            ),
            None => "; read the file and give the text exactly".to_owned(),
        }
    };
    ToolError::new(format!("`old_text` is not in `{path}`{hint}")).named("EditError")
}

/// The line of the byte `at`, from 1.
fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()
        .iter()
        .take(at)
        .filter(|byte| **byte == b'\n')
        .count()
        + 1
}
