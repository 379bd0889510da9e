//! Edits that blank a part of a text and leave every other character at its line and UTF-16 column.

use crate::place::is_line_terminator;

/// Blanks a range: each character becomes as many spaces as it has UTF-16 units; line terminators stay.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edit {
    /// First byte.
    pub(crate) start: usize,
    /// One past the last byte.
    pub(crate) end: usize,
    /// An ASCII character to stand where the range's first character was.
    pub(crate) first: Option<char>,
    /// An ASCII character to stand where the range's last character was.
    pub(crate) last: Option<char>,
}

/// Applies `edits`, which must not overlap and are put in order here.
pub(crate) fn apply(source: &str, edits: &mut [Edit]) -> String {
    edits.sort_unstable_by_key(|edit| edit.start);
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    for edit in edits.iter() {
        let (Some(kept), Some(cut)) =
            (source.get(at..edit.start), source.get(edit.start..edit.end))
        else {
            debug_assert!(false, "edits overlap at {}", edit.start);
            continue;
        };
        out.push_str(kept);
        for (index, character) in cut.char_indices() {
            let substitute = if index == 0 && edit.first.is_some() {
                edit.first
            } else if index + character.len_utf8() == cut.len() {
                edit.last
            } else {
                None
            };
            if is_line_terminator(character) {
                out.push(character);
                continue;
            }
            out.push(substitute.unwrap_or(' '));
            if character.len_utf16() == 2 {
                out.push(' ');
            }
        }
        at = edit.end;
    }
    out.push_str(source.get(at..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::{Edit, apply};

    #[test]
    fn characters_become_as_many_spaces_as_they_have_utf16_units() {
        let source = "x: 'é😀\r\n'|y";
        let mut edits = [Edit {
            start: 1,
            end: source.find('|').unwrap(),
            first: Some(';'),
            last: Some(')'),
        }];
        assert_eq!(apply(source, &mut edits), "x;     \r\n)|y");
    }
}
