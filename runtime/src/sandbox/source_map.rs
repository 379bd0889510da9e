//! From places in the JavaScript that runs to places in the program as its author wrote it.

use super::bindings::typescript as wit;
use crate::code_runtime::SourcePosition;

/// The points at which generated and original text correspond; none where every character kept its place.
#[derive(Debug, Default)]
pub(super) struct SourceMap {
    /// In the order of the generated places.
    points: Vec<(SourcePosition, SourcePosition)>,
}

impl SourceMap {
    /// Takes the stripper's mappings. They are put in order here: the stripper is a guest, and not trusted.
    pub(super) fn new(mappings: &[wit::Mapping]) -> Self {
        let mut points: Vec<_> = mappings
            .iter()
            .map(|mapping| (place(mapping.generated), place(mapping.original)))
            .collect();
        points.sort_by_key(|(generated, _)| *generated);
        SourceMap { points }
    }

    /// The original place of a generated one. Between two points of a line the distance is kept.
    pub(super) fn original(&self, generated: SourcePosition) -> SourcePosition {
        if self.points.is_empty() {
            return generated;
        }
        let after = self
            .points
            .partition_point(|(point, _)| *point <= generated);
        match after.checked_sub(1).map(|index| self.points[index]) {
            Some((point, original)) if point.line == generated.line => SourcePosition {
                line: original.line,
                column: original
                    .column
                    .saturating_add(generated.column - point.column),
            },
            Some((_, original)) => original,
            None => self.points[0].1,
        }
    }

    /// A frame such as `at load (program.ts:3:7)` with its place mapped; any other text is left as it is.
    pub(super) fn frame(&self, frame: String, file_name: &str) -> String {
        if self.points.is_empty() {
            return frame;
        }
        self.mapped(&frame, file_name).unwrap_or(frame)
    }

    fn mapped(&self, frame: &str, file_name: &str) -> Option<String> {
        let name_end = frame.rfind(&format!("{file_name}:"))? + file_name.len() + 1;
        let (line, rest) = number(&frame[name_end..])?;
        let (column, rest) = number(rest.strip_prefix(':')?)?;
        let original = self.original(SourcePosition { line, column });
        Some(format!(
            "{}{}:{}{rest}",
            &frame[..name_end],
            original.line,
            original.column
        ))
    }
}

fn number(text: &str) -> Option<(u32, &str)> {
    let end = text
        .find(|character: char| !character.is_ascii_digit())
        .unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

/// A place of the stripper's world.
pub(super) fn place(place: wit::Place) -> SourcePosition {
    SourcePosition {
        line: place.line,
        column: place.column,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> SourceMap {
        let point = |generated: (u32, u32), original: (u32, u32)| wit::Mapping {
            generated: wit::Place {
                line: generated.0,
                column: generated.1,
            },
            original: wit::Place {
                line: original.0,
                column: original.1,
            },
        };
        SourceMap::new(&[
            point((4, 1), (3, 1)),
            point((1, 1), (1, 1)),
            point((4, 9), (3, 21)),
        ])
    }

    fn check(generated: (u32, u32), expect: (u32, u32)) {
        let place = map().original(SourcePosition {
            line: generated.0,
            column: generated.1,
        });
        assert_eq!((place.line, place.column), expect);
    }

    // SPEC J7
    #[test]
    fn places_are_mapped_from_the_nearest_point_before() {
        check((1, 5), (1, 5));
        check((4, 3), (3, 3));
        check((4, 10), (3, 22));
        check((2, 7), (1, 1));
        check((9, 9), (3, 21));
        check((0, 0), (1, 1));
        check((4, u32::MAX), (3, u32::MAX));
    }

    // SPEC J7
    #[test]
    fn frames_are_mapped_and_other_texts_kept() {
        let map = map();
        assert_eq!(
            map.frame("at load (p.ts:4:10)".to_owned(), "p.ts"),
            "at load (p.ts:3:22)"
        );
        assert_eq!(map.frame("at p.ts:4:10".to_owned(), "p.ts"), "at p.ts:3:22");
        for text in [
            "at native",
            "at p.ts:",
            "at p.ts:4",
            "at p.ts:99999999999:1",
            "at p.ts:4:x",
            "",
        ] {
            assert_eq!(map.frame(text.to_owned(), "p.ts"), text);
        }
        let none = SourceMap::default();
        assert_eq!(
            none.frame("at p.ts:4:10".to_owned(), "p.ts"),
            "at p.ts:4:10"
        );
    }
}
