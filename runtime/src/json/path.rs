//! Paths into JSON: `items[3].when`, `["odd key"]`.

use std::fmt::Write as _;
use std::sync::Arc;

/// Steps that are shown at each end of a long path.
const PATH_ENDS: usize = 12;
/// Characters of a key that a path shows.
const KEY_CHARS: usize = 80;

/// One step of a path.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

/// One step of a path that outlives the value.
#[derive(Clone, Debug)]
pub(crate) enum Segment {
    Key(Arc<str>),
    Index(usize),
}

impl Segment {
    pub(crate) fn step(&self) -> Step<'_> {
        match self {
            Self::Key(key) => Step::Key(key),
            Self::Index(index) => Step::Index(*index),
        }
    }
}

impl From<&str> for Segment {
    fn from(key: &str) -> Self {
        Self::Key(key.into())
    }
}

/// The text of a path that begins with `root`. Very long paths are cut in the middle.
pub(crate) fn render_path<'a>(
    root: &str,
    steps: impl ExactSizeIterator<Item = Step<'a>>,
) -> String {
    let mut path = root.to_owned();
    let count = steps.len();
    for (position, step) in steps.enumerate() {
        if count > 2 * PATH_ENDS && (PATH_ENDS..count - PATH_ENDS).contains(&position) {
            if position == PATH_ENDS {
                path.push('…');
            }
            continue;
        }
        push_step(&mut path, step);
    }
    path
}

/// `path` below `root`, both already text.
pub(crate) fn join(root: &str, path: &str) -> String {
    let separator = if root.is_empty() || path.is_empty() || path.starts_with('[') {
        ""
    } else {
        "."
    };
    format!("{root}{separator}{path}")
}

fn push_step(path: &mut String, step: Step<'_>) {
    match step {
        Step::Index(index) => _ = write!(path, "[{index}]"),
        Step::Key(key) if is_plain(key) => {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(key);
        }
        Step::Key(key) => {
            path.push('[');
            match key.char_indices().nth(KEY_CHARS) {
                Some((end, _)) => {
                    super::write_quoted(path, &key[..end]);
                    path.insert(path.len() - 1, '…');
                }
                None => super::write_quoted(path, key),
            }
            path.push(']');
        }
    }
}

fn is_plain(key: &str) -> bool {
    !key.is_empty()
        && key.len() <= KEY_CHARS
        && !key.starts_with(|first: char| first.is_ascii_digit())
        && key.chars().all(|character| {
            character.is_ascii_alphanumeric() || matches!(character, '_' | '$' | '-')
        })
}
