//! Places in a text: from byte offsets to lines and UTF-16 columns.

/// A place in a text. Lines and columns count from 1; columns count UTF-16 code units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line, from 1. Lines end as ECMAScript says: LF, CR LF, CR, U+2028, U+2029.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl Place {
    /// The place of the byte at `offset`; past the end or inside a character: the place of what comes before.
    pub(crate) fn of(source: &str, offset: usize) -> Self {
        let mut place = Self { line: 1, column: 1 };
        let mut after_carriage_return = false;
        for (index, character) in source.char_indices() {
            if index >= offset {
                break;
            }
            if character == '\n' && after_carriage_return {
                // Second half of CR LF: the line was counted already.
                place.column = 1;
            } else if is_line_terminator(character) {
                place.line += 1;
                place.column = 1;
            } else {
                place.column += u32::from(character.len_utf16() == 2) + 1;
            }
            after_carriage_return = character == '\r';
        }
        place
    }
}

/// Whether `character` ends a line in ECMAScript.
pub(crate) fn is_line_terminator(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn columns_count_utf16_units_and_lines_end_as_in_ecmascript() {
        let source = "a\r\nb😀c\u{2028}d\re";
        let at = |needle: char| {
            let place = Place::of(source, source.find(needle).unwrap());
            (place.line, place.column)
        };
        assert_eq!(at('a'), (1, 1));
        assert_eq!(at('b'), (2, 1));
        assert_eq!(at('c'), (2, 4));
        assert_eq!(at('d'), (3, 1));
        assert_eq!(at('e'), (4, 1));
        assert_eq!(Place::of(source, 1000), Place { line: 4, column: 2 });
    }
}
