//! `read_file`: the text of a file, or some of its lines.

use std::io::{BufRead, BufReader, Read};

use cap_std::fs::File;
use lockgate::{
    BuildError, Content, Location, ReadLine, Tool, ToolCallView, ToolError, ToolResultView,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::{Folder, blocking, check, folder::path_error};

/// Bytes of content that one call returns.
const MAX_CONTENT_BYTES: usize = 4 << 20;
/// The first bytes of a file decide whether it is text.
pub(super) const SNIFF_BYTES: usize = 8 << 10;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The path, relative to the tools' folder.
    pub(super) path: String,
    /// The first line to read, counted from 1. Default: 1.
    pub(super) offset: Option<u64>,
    /// The most lines to read. Default: all.
    pub(super) limit: Option<u64>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Output {
    /// The lines, with their line breaks as they are in the file.
    pub(super) content: String,
    /// How many lines `content` holds.
    pub(super) lines: u64,
    /// Bytes of the whole file.
    pub(super) size: u64,
    /// Whether the file goes on after `content`. At most 4 MiB are returned at a time.
    pub(super) truncated: bool,
    /// The `offset` that goes on, if the file does.
    pub(super) next_offset: Option<u64>,
    /// Whether the last line is longer than fits and was cut; its rest can't be read with this tool.
    pub(super) cut: bool,
    /// Whether bytes that are no UTF-8 were replaced by U+FFFD.
    pub(super) lossy: bool,
}

pub(super) fn tool(folder: &Folder) -> Result<Tool, BuildError> {
    let folder = folder.clone();
    Tool::function(
        "read_file",
        "Reads a text file, all of it or the lines from `offset` on.",
        move |args: Args, context| {
            let folder = folder.clone();
            blocking(context, move |signal| read(&folder, &args, signal))
        },
    )
    .concurrency_safe(true)
    .idempotent()
    .render(|_, output| {
        let note = match output.next_offset {
            Some(next) if output.cut => {
                format!("\n[the last line was cut; the file goes on at offset {next}]")
            }
            Some(next) => format!("\n[the file goes on at offset {next}]"),
            None if output.cut => "\n[the last line was cut]".to_owned(),
            None => String::new(),
        };
        vec![Content::text(format!("{}{note}", output.content))]
    })
    .present_call(|args| {
        Some(ToolCallView::Generic {
            title: format!("Read {}", args.path).into(),
            locations: vec![Location {
                path: args.path.as_str().into(),
                line: args.offset,
            }],
        })
    })
    .present_result(|args, result| {
        let output: Output = result.value()?.deserialize().ok()?;
        let first = args.offset.unwrap_or(1);
        let lines = output.content.lines().zip(first..);
        Some(ToolResultView::Read {
            path: args.path.as_str().into(),
            lines: lines
                .map(|(text, number)| ReadLine {
                    number,
                    text: text.into(),
                })
                .collect(),
            truncated: output.truncated || output.cut,
        })
    })
    .build()
}

pub(super) fn read(
    folder: &Folder,
    args: &Args,
    signal: &CancellationToken,
) -> Result<Output, ToolError> {
    let failed = |error| path_error("read", &args.path, &error);
    let first = args.offset.unwrap_or(1);
    if first == 0 {
        return Err(ToolError::new("`offset` counts lines from 1").named("RangeError"));
    }
    let (file, metadata) = folder.open_file(&args.path)?;
    let mut reader = BufReader::with_capacity(64 << 10, file);
    let start = reader.fill_buf().map_err(failed)?;
    if is_binary(start) {
        return Err(ToolError::new(format!(
            "`{}` is a binary file; `stat_file` tells its size",
            args.path
        ))
        .named("BinaryFileError"));
    }
    let mut line = 1;
    while line < first && skip_line(&mut reader, signal).map_err(|error| error.or(&failed))? {
        line += 1;
    }
    if line < first {
        // Past the end: not an error, as a loop over pages ends like this.
        return Ok(Output {
            content: String::new(),
            lines: 0,
            size: metadata.len(),
            truncated: false,
            next_offset: None,
            cut: false,
            lossy: false,
        });
    }
    let limit = args.limit.unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    let (mut lines, mut cut) = (0, false);
    while lines < limit && !cut {
        check(signal)?;
        let before = bytes.len();
        let room = MAX_CONTENT_BYTES - before;
        let got = reader
            .by_ref()
            .take(room as u64)
            .read_until(b'\n', &mut bytes)
            .map_err(failed)?;
        if got == 0 {
            break;
        }
        lines += 1;
        if got == room && !bytes.ends_with(b"\n") && !reader.fill_buf().map_err(failed)?.is_empty()
        {
            if before > 0 {
                // The line does not fit any more; the next call starts with it.
                bytes.truncate(before);
                lines -= 1;
                return Ok(output(
                    bytes,
                    metadata.len(),
                    lines,
                    Some(first + lines),
                    false,
                ));
            }
            cut = true;
            skip_line(&mut reader, signal).map_err(|error| error.or(&failed))?;
        }
    }
    let more = !reader.fill_buf().map_err(failed)?.is_empty();
    Ok(output(
        bytes,
        metadata.len(),
        lines,
        more.then_some(first + lines),
        cut,
    ))
}

fn output(
    mut bytes: Vec<u8>,
    size: u64,
    lines: u64,
    next_offset: Option<u64>,
    cut: bool,
) -> Output {
    if cut {
        // The cut may have split a character: its first bytes go, they are no error of the file.
        let start = bytes.len().saturating_sub(3);
        let tail = bytes.get(start..).unwrap_or_default();
        if let Some(lead) = tail.iter().rposition(|byte| *byte >= 0xc0)
            && std::str::from_utf8(tail.get(lead..).unwrap_or_default()).is_err()
        {
            bytes.truncate(start + lead);
        }
    }
    let (content, lossy) = match String::from_utf8(bytes) {
        Ok(content) => (content, false),
        Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
    };
    Output {
        content,
        lines,
        size,
        truncated: next_offset.is_some(),
        next_offset,
        cut,
        lossy,
    }
}

/// Whether a file that starts like this is no text.
pub(super) fn is_binary(start: &[u8]) -> bool {
    start.iter().take(SNIFF_BYTES).any(|byte| *byte == 0)
}

/// Why skipping ended.
pub(super) enum Ended {
    Io(std::io::Error),
    Cancelled(ToolError),
}

impl Ended {
    pub(super) fn or(self, describe: &impl Fn(std::io::Error) -> ToolError) -> ToolError {
        match self {
            Self::Io(error) => describe(error),
            Self::Cancelled(error) => error,
        }
    }
}

/// Skips to behind the next line break; false if the file ends before it.
pub(super) fn skip_line(
    reader: &mut BufReader<File>,
    signal: &CancellationToken,
) -> Result<bool, Ended> {
    loop {
        check(signal).map_err(Ended::Cancelled)?;
        let buffer = reader.fill_buf().map_err(Ended::Io)?;
        if buffer.is_empty() {
            return Ok(false);
        }
        if let Some(index) = buffer.iter().position(|byte| *byte == b'\n') {
            reader.consume(index + 1);
            return Ok(true);
        }
        let length = buffer.len();
        reader.consume(length);
    }
}
