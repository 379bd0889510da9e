//! `search_files`: lines that match a regular expression.

use std::io::{BufRead, BufReader, Read};

use lockgate::{
    BuildError, Content, Location, SearchMatch, Tool, ToolCallView, ToolError, ToolResultView,
};
use regex::bytes::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::{
    Folder, blocking, check,
    folder::path_error,
    read::{is_binary, skip_line},
    walk::{Filter, Go, Kind, walk},
};

/// Matches that one call returns at most.
const MAX_MATCHES: u32 = 10_000;
const DEFAULT_MATCHES: u32 = 500;
/// Bytes of a line that are searched.
const MAX_LINE_BYTES: usize = 1 << 20;
/// Bytes of a matching line that are shown, around the match.
const MAX_TEXT_BYTES: usize = 500;
const MAX_PATTERN_BYTES: usize = 10_000;
/// Bytes that a compiled expression and its search may use, each.
const MAX_REGEX_BYTES: usize = 10 << 20;

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// A regular expression (Rust's `regex` syntax: no look-around, no back-references). It is matched line by line.
    pub(super) pattern: String,
    /// The folder or file to search, relative to the tools' folder. Default: the tools' folder.
    pub(super) path: Option<String>,
    /// Only files that match, such as `*.rs` (names at any depth) or `src/**/*.ts` (the path below `path`).
    pub(super) glob: Option<String>,
    /// Whether case matters. Default: true.
    pub(super) case_sensitive: Option<bool>,
    /// Whether to search files whose name, or a folder's name above, starts with a dot. Default: false.
    pub(super) hidden: Option<bool>,
    /// The most matching lines to return, up to 10000. Default: 500.
    pub(super) limit: Option<u32>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(super) struct Output {
    /// One for each matching line, in the order of paths and lines.
    pub(super) matches: Vec<Match>,
    /// How many files were searched.
    pub(super) files_searched: u64,
    /// How many files were not: binary files, and files that can't be read.
    pub(super) files_skipped: u64,
    /// Whether something is missing: there are more matches than `limit`, a part of the folder can't be read, or a line is
    /// longer than 1 MiB and only its start was searched.
    pub(super) truncated: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Match {
    /// Relative to the tools' folder.
    pub(super) path: String,
    /// Counted from 1.
    pub(super) line: u64,
    /// Where the first match in the line starts, counted from 1 as JavaScript counts characters.
    pub(super) column: u64,
    /// The line, without its line break. Of a long line, the part around the match, with `…` where it was cut.
    pub(super) text: String,
}

pub(super) fn tool(folder: &Folder) -> Result<Tool, BuildError> {
    let folder = folder.clone();
    Tool::function(
        "search_files",
        "Searches files line by line for a regular expression. Binary files are skipped, symbolic links are not followed.",
        move |args: Args, context| {
            let folder = folder.clone();
            blocking(context, move |signal| search(&folder, &args, signal))
        },
    )
    .concurrency_safe(true)
    .idempotent()
    .render(|_, output| vec![Content::text(text(output))])
    .present_call(|args| {
        let path = args.path.as_deref().unwrap_or(".");
        Some(ToolCallView::Generic {
            title: format!("Search {path} for {}", args.pattern).into(),
            locations: vec![Location { path: path.into(), line: None }],
        })
    })
    .present_result(|_, result| {
        let output: Output = result.value()?.deserialize().ok()?;
        let matches = output.matches.into_iter().map(|found| SearchMatch {
            location: Location { path: found.path.into(), line: Some(found.line) },
            text: found.text.into(),
        });
        Some(ToolResultView::Search { matches: matches.collect(), truncated: output.truncated })
    })
    .build()
}

pub(super) fn search(
    folder: &Folder,
    args: &Args,
    signal: &CancellationToken,
) -> Result<Output, ToolError> {
    let regex = compile(args)?;
    let limit = args.limit.unwrap_or(DEFAULT_MATCHES).min(MAX_MATCHES) as usize;
    let filter = Filter::new(args.glob.as_deref(), args.hidden.unwrap_or(false), true)?;
    let start = args.path.as_deref().unwrap_or(".");
    let mut output = Output::default();
    let metadata = folder
        .dir()
        .metadata(start)
        .map_err(|error| path_error("search", start, &error))?;
    if !metadata.is_dir() {
        // Named outright: what can't be searched is an error here, and no filter applies.
        folder.open_file(start)?;
        let go = search_file(folder, start, &regex, limit, signal, &mut output)?;
        output.truncated |= go == Go::Stop;
        return Ok(output);
    }
    let incomplete = walk(folder, start, &filter, signal, |found| {
        if found.kind != Kind::File {
            return Ok(Go::On);
        }
        search_file(folder, &found.path, &regex, limit, signal, &mut output)
    })?;
    output.truncated |= incomplete;
    Ok(output)
}

fn compile(args: &Args) -> Result<Regex, ToolError> {
    if args.pattern.len() > MAX_PATTERN_BYTES {
        return Err(ToolError::new(format!(
            "the pattern is longer than {MAX_PATTERN_BYTES} bytes"
        ))
        .named("PatternError"));
    }
    RegexBuilder::new(&args.pattern)
        .case_insensitive(args.case_sensitive == Some(false))
        .size_limit(MAX_REGEX_BYTES)
        .dfa_size_limit(MAX_REGEX_BYTES)
        .build()
        .map_err(|error| {
            ToolError::new(format!(
                "the pattern is not valid: {error}\nTo search for text as it is, escape its special characters with `\\`."
            ))
            .named("PatternError")
        })
}

/// Searches one file; stops when the output has `limit` matches and there is one more.
fn search_file(
    folder: &Folder,
    path: &str,
    regex: &Regex,
    limit: usize,
    signal: &CancellationToken,
    output: &mut Output,
) -> Result<Go, ToolError> {
    check(signal)?;
    let Ok((file, _)) = folder.open_file(path) else {
        output.files_skipped += 1;
        return Ok(Go::On);
    };
    let mut reader = BufReader::with_capacity(64 << 10, file);
    if !reader.fill_buf().is_ok_and(|start| !is_binary(start)) {
        output.files_skipped += 1;
        return Ok(Go::On);
    }
    output.files_searched += 1;
    let failed = |error| path_error("read", path, &error);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let got = reader
            .by_ref()
            .take(MAX_LINE_BYTES as u64)
            .read_until(b'\n', &mut line)
            .map_err(failed)?;
        if got == 0 {
            break;
        }
        if got == MAX_LINE_BYTES && !line.ends_with(b"\n") {
            output.truncated = true;
            skip_line(&mut reader, signal).map_err(|error| error.or(&failed))?;
        }
        if number % 256 == 0 {
            check(signal)?;
        }
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let Some(found) = regex.find(text) else {
            continue;
        };
        if output.matches.len() == limit {
            return Ok(Go::Stop);
        }
        let before = String::from_utf8_lossy(text.get(..found.start()).unwrap_or_default());
        output.matches.push(Match {
            path: path.to_owned(),
            line: number,
            column: before.encode_utf16().count() as u64 + 1,
            text: around(text, found.start()),
        });
    }
    Ok(Go::On)
}

/// The part of `line` around the byte `at` that is shown.
fn around(line: &[u8], at: usize) -> String {
    if line.len() <= MAX_TEXT_BYTES {
        return String::from_utf8_lossy(line).into_owned();
    }
    let start = at
        .saturating_sub(MAX_TEXT_BYTES / 4)
        .min(line.len() - MAX_TEXT_BYTES);
    let end = start + MAX_TEXT_BYTES;
    // Not inside a character: a continuation byte belongs to what is left out.
    let inside = |index: &usize| line.get(*index).is_none_or(|byte| byte & 0xc0 != 0x80);
    let start = (start..end).find(inside).unwrap_or(start);
    let end = (start..=end).rev().find(inside).unwrap_or(end);
    let text = String::from_utf8_lossy(line.get(start..end).unwrap_or_default());
    let (head, tail) = (
        if start > 0 { "…" } else { "" },
        if end < line.len() { "…" } else { "" },
    );
    format!("{head}{text}{tail}")
}

fn text(output: &Output) -> String {
    let mut lines: Vec<String> = output
        .matches
        .iter()
        .map(|found| format!("{}:{}: {}", found.path, found.line, found.text))
        .collect();
    if lines.is_empty() {
        lines.push(format!("no match in {} files", output.files_searched));
    }
    if output.truncated {
        lines.push("… and more that is not shown".to_owned());
    }
    lines.join("\n")
}
