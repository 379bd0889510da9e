//! The code frame under an error: the place, the line's text, and a caret under the column.

use crate::code_runtime::{CodeLanguage, SourcePosition};

/// Characters of the line's text that are shown; of a longer line, those around the column.
const MAX_CHARS: usize = 160;
/// Characters that are kept before the column of a long line.
const LEAD_CHARS: usize = 60;

/// Three lines, for example:
///
/// ```text
///   at program.ts:3:12
///   return tools.reed({ path });
///                ^
/// ```
///
/// The caret's line repeats tabs and widens under wide characters, so that the caret stands right in a terminal.
/// None where the source has no such line.
pub(super) fn code_frame(
    source: &str,
    file_name: &str,
    position: SourcePosition,
    language: CodeLanguage,
) -> Option<String> {
    let index = usize::try_from(position.line.checked_sub(1)?).ok()?;
    let line = source_lines(source, language).nth(index)?;
    let before = chars_before(line, position.column);
    let total = line.chars().count();
    let start = if total > MAX_CHARS {
        before.saturating_sub(LEAD_CHARS)
    } else {
        0
    };
    let shown = line.chars().skip(start).take(MAX_CHARS);
    let (head, tail) = (
        if start > 0 { "…" } else { "" },
        if total > start + MAX_CHARS { "…" } else { "" },
    );

    let mut frame = format!(
        "  at {file_name}:{}:{}\n  {head}",
        position.line, position.column
    );
    frame.extend(shown.map(printable));
    frame.push_str(tail);
    frame.push_str("\n  ");
    frame.push_str(if start > 0 { " " } else { "" });
    for character in line.chars().skip(start).take(before - start) {
        match (character, width(character)) {
            ('\t', _) => frame.push('\t'),
            (_, width) => frame.extend(std::iter::repeat_n(' ', width)),
        }
    }
    frame.push('^');
    Some(frame)
}

/// The lines of a program. A lone CR ends one, too, and in JavaScript U+2028 and U+2029 do.
fn source_lines(source: &str, language: CodeLanguage) -> impl Iterator<Item = &str> {
    let ends: &[char] = match language {
        CodeLanguage::TypeScript | CodeLanguage::JavaScript => {
            &['\n', '\r', '\u{2028}', '\u{2029}']
        }
        CodeLanguage::Python => &['\n', '\r'],
    };
    let mut rest = Some(source);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = text.find(ends) else {
            rest = None;
            return Some(text);
        };
        let (line, terminator) = text.split_at(end);
        let length = if terminator.starts_with("\r\n") {
            2
        } else {
            terminator.chars().next().map_or(0, char::len_utf8)
        };
        rest = Some(&terminator[length..]);
        Some(line)
    })
}

/// How many characters of the line lie before a column in UTF-16 code units; at most all of them.
fn chars_before(line: &str, column: u32) -> usize {
    let target = column.saturating_sub(1) as usize;
    let mut units = 0;
    line.chars()
        .take_while(|character| {
            let before = units < target;
            units += character.len_utf16();
            before
        })
        .count()
}

/// Control characters and bidirectional overrides would act on the terminal or hide text.
fn printable(character: char) -> char {
    match character {
        '\t' => '\t',
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' => {
            '\u{fffd}'
        }
        character if character.is_control() => '\u{fffd}',
        character => character,
    }
}

fn width(character: char) -> usize {
    unicode_width::UnicodeWidthChar::width(printable(character)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, line: u32, column: u32, expect: Option<&str>) {
        let position = SourcePosition { line, column };
        let frame = code_frame(source, "p.ts", position, CodeLanguage::TypeScript);
        assert_eq!(frame.as_deref(), expect);
    }

    // SPEC J7
    #[test]
    fn caret_stands_under_the_column() {
        check(
            "let a\nreturn b.c",
            2,
            8,
            Some("  at p.ts:2:8\n  return b.c\n         ^"),
        );
        check("x", 1, 1, Some("  at p.ts:1:1\n  x\n  ^"));
        check("x\r\ny\u{2028}z", 3, 1, Some("  at p.ts:3:1\n  z\n  ^"));
        check("x\ry", 2, 1, Some("  at p.ts:2:1\n  y\n  ^"));
        check("", 1, 1, Some("  at p.ts:1:1\n  \n  ^"));
    }

    // SPEC J7
    #[test]
    fn python_knows_fewer_line_ends() {
        let position = SourcePosition { line: 2, column: 1 };
        let frame = code_frame("x\u{2028}y\nz", "p.py", position, CodeLanguage::Python);
        assert_eq!(frame.as_deref(), Some("  at p.py:2:1\n  z\n  ^"));
    }

    // SPEC J7
    #[test]
    fn tabs_and_wide_characters_keep_the_caret_in_place() {
        check("\t\tf()", 1, 3, Some("  at p.ts:1:3\n  \t\tf()\n  \t\t^"));
        check(
            "'日本'.x",
            1,
            5,
            Some("  at p.ts:1:5\n  '日本'.x\n        ^"),
        );
        // An emoji is two UTF-16 code units and two cells.
        check("'😀'.x", 1, 5, Some("  at p.ts:1:5\n  '😀'.x\n      ^"));
    }

    // SPEC J7
    #[test]
    fn places_outside_of_the_source_are_harmless() {
        check("x", 0, 1, None);
        check("x", 2, 1, None);
        check("x", u32::MAX, u32::MAX, None);
        check("abc", 1, 0, Some("  at p.ts:1:0\n  abc\n  ^"));
        check(
            "abc",
            1,
            u32::MAX,
            Some("  at p.ts:1:4294967295\n  abc\n     ^"),
        );
    }

    // SPEC J7
    #[test]
    fn long_lines_are_cut_around_the_column() {
        let line = format!("{}!{}", "a".repeat(500), "b".repeat(500));
        let frame = code_frame(
            &line,
            "p.ts",
            SourcePosition {
                line: 1,
                column: 501,
            },
            CodeLanguage::TypeScript,
        )
        .unwrap();
        let [_, text, caret] = frame.split('\n').collect::<Vec<_>>()[..] else {
            panic!("three lines: {frame}")
        };
        assert!(
            text.starts_with("  …aaa") && text.ends_with("bbb…"),
            "{text}"
        );
        assert_eq!(text.chars().count(), 2 + 1 + MAX_CHARS + 1);
        assert_eq!(
            text.chars().position(|c| c == '!'),
            caret.chars().position(|c| c == '^')
        );
    }

    // SPEC J6
    #[test]
    fn control_characters_are_not_shown() {
        check(
            "\u{1b}[31m\u{202e}x",
            1,
            1,
            Some("  at p.ts:1:1\n  \u{fffd}[31m\u{fffd}x\n  ^"),
        );
    }
}
