//! Paths that messages name, e.g. `args.items[3].when`.

use std::fmt::Write;

/// Longest path that is written out; deeper ones are cut in the middle.
const MAX_STEPS: usize = 40;

/// One step from a container to a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// A member of an object.
    Key(&'a str),
    /// An element of an array.
    Index(usize),
}

/// Writes a path that starts at `root`. Names that are no identifiers are quoted: `args["a b"]`.
pub fn format<'a>(root: &str, steps: impl ExactSizeIterator<Item = Step<'a>>) -> String {
    let mut path = root.to_owned();
    let total = steps.len();
    for (position, step) in steps.enumerate() {
        if total > MAX_STEPS && (MAX_STEPS / 2..total - MAX_STEPS / 2).contains(&position) {
            if position == MAX_STEPS / 2 {
                path.push('…');
            }
            continue;
        }
        match step {
            Step::Index(index) => {
                let _ = write!(path, "[{index}]");
            }
            Step::Key(key) if is_identifier(key) => {
                path.push('.');
                path.push_str(key);
            }
            Step::Key(key) => {
                let _ = write!(path, "[{:?}]", crate::text::shorten(key, 80));
            }
        }
    }
    path
}

fn is_identifier(key: &str) -> bool {
    key.len() <= 80
        && key.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$'))
        && key
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_read_like_source() {
        let steps = [
            Step::Key("items"),
            Step::Index(3),
            Step::Key("a b"),
            Step::Key(""),
        ];
        assert_eq!(
            format("args", steps.into_iter()),
            r#"args.items[3]["a b"][""]"#
        );
        assert_eq!(format("result", [].into_iter()), "result");
    }

    #[test]
    fn deep_paths_are_cut() {
        let steps = vec![Step::Index(0); 10_000];
        assert_eq!(
            format("args", steps.into_iter()),
            format!("args{0}…{0}", "[0]".repeat(20))
        );
    }
}
