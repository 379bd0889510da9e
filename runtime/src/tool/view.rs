//! Views for people (SPEC L1): how a call and its result may be drawn. Pure data, the same live and in a replay.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// How a call is announced to a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "card", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolCallView {
    /// A titled card.
    Generic {
        /// The title; the tool's name where a tool has no presenter.
        title: Arc<str>,
        /// Files or places that the call is about.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        locations: Vec<Location>,
    },
    /// A command line.
    Terminal {
        /// The command.
        title: Arc<str>,
    },
    /// A change of files.
    Diff {
        /// The title.
        title: Arc<str>,
        /// The changes that are asked for.
        files: Vec<FileDiff>,
    },
}

/// How a result is shown to a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "card", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolResultView {
    /// A titled card; the content is shown as it is.
    Generic {
        /// The title.
        title: Arc<str>,
    },
    /// Output of a command.
    Terminal {
        /// What it printed.
        output: Arc<str>,
        /// Its exit code, if it ended by itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit_code: Option<i32>,
    },
    /// Changed files.
    Diff {
        /// The changes that were made.
        files: Vec<FileDiff>,
    },
    /// Hits of a search.
    Search {
        /// The hits, in the order of the tool.
        matches: Vec<SearchMatch>,
        /// Whether there were more.
        truncated: bool,
    },
    /// Lines of a file.
    Read {
        /// The file.
        path: Arc<str>,
        /// The lines shown.
        lines: Vec<ReadLine>,
        /// Whether the file goes on.
        truncated: bool,
    },
    /// Pages of the web.
    Web {
        /// The sources.
        sources: Vec<WebSource>,
    },
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// The file.
    pub path: Arc<str>,
    /// The line, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

/// A change of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDiff {
    /// The file.
    pub path: Arc<str>,
    /// The text before; none for a new file.
    pub old: Option<Arc<str>>,
    /// The text after.
    pub new: Arc<str>,
}

/// One hit of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchMatch {
    /// Where.
    pub location: Location,
    /// The line's text.
    pub text: Arc<str>,
}

/// One line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadLine {
    /// Counted from 1.
    pub number: u64,
    /// Without the line break.
    pub text: Arc<str>,
}

/// One source from the web.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebSource {
    /// Its address.
    pub url: Arc<str>,
    /// Its title, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Arc<str>>,
}

impl ToolCallView {
    /// The view of a tool that has no presenter.
    pub fn generic(title: impl Into<Arc<str>>) -> Self {
        Self::Generic {
            title: title.into(),
            locations: Vec::new(),
        }
    }
}

impl ToolResultView {
    /// The view of a tool that has no presenter.
    pub fn generic(title: impl Into<Arc<str>>) -> Self {
        Self::Generic {
            title: title.into(),
        }
    }
}
