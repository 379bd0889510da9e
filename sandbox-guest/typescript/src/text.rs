//! Small looks at source text: what stands at a byte offset, past white space and comments.

use crate::place::is_line_terminator;

/// The offset of the first byte at or after `from` that is neither white space nor part of a comment.
///
/// `from` must be a place between tokens: inside a string or a regular expression `//` means something else.
pub(crate) fn skip_trivia(source: &str, from: usize) -> usize {
    let mut at = from;
    while let Some(rest) = source.get(at..) {
        if rest.starts_with("//") {
            at += rest.find(is_line_terminator).unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
        } else if let Some(character) = rest.chars().next()
            && (character.is_whitespace() || character == '\u{feff}')
        {
            at += character.len_utf8();
        } else {
            break;
        }
    }
    at
}

/// The ASCII word that starts at `at`; empty where there is none.
pub(crate) fn word(source: &str, at: usize) -> &str {
    let rest = source.get(at..).unwrap_or_default();
    let end = rest
        .bytes()
        .position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')))
        .unwrap_or(rest.len());
    &rest[..end]
}

/// The byte at `at`; 0 past the end.
pub(crate) fn byte(source: &str, at: usize) -> u8 {
    source.as_bytes().get(at).copied().unwrap_or(0)
}

/// Whether the text from `start` to `end` has a line terminator.
pub(crate) fn has_line_terminator(source: &str, start: usize, end: usize) -> bool {
    source
        .get(start..end)
        .is_some_and(|text| text.contains(is_line_terminator))
}

/// The first `max` bytes of `text`, cut between characters and marked where something was cut.
pub(crate) fn bounded(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let end = (0..=max)
        .rev()
        .find(|&end| text.is_char_boundary(end))
        .unwrap_or(0);
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::{bounded, skip_trivia, word};

    #[test]
    fn trivia_is_white_space_and_comments() {
        let source = "\u{feff} // one\n\t/* two\n */\u{a0}x";
        assert_eq!(skip_trivia(source, 0), source.find('x').unwrap());
        assert_eq!(skip_trivia("/* open", 0), 7);
        assert_eq!(skip_trivia("// open", 0), 7);
        assert_eq!(skip_trivia("a / b", 1), 2);
    }

    #[test]
    fn words_and_bounds() {
        assert_eq!(word("readonly x", 0), "readonly");
        assert_eq!(word("é", 0), "");
        assert_eq!(bounded("aé", 2), "a…");
        assert_eq!(bounded("aé", 3), "aé");
    }
}
