//! Hostile text in source code: string literals that keep their value, comment text that can't leave its comment.

use std::fmt::Write as _;

use crate::Json;

/// How a language writes characters beyond U+FFFF in a string literal.
#[derive(Clone, Copy)]
pub(super) enum Escapes {
    /// `\u{1F600}`
    Braces,
    /// `\U0001F600`
    EightDigits,
}

/// `text` as a double-quoted literal with the very same value. Whatever is invisible or reorders text is escaped.
pub(super) fn quote(text: &str, escapes: Escapes) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            character if is_treacherous(character) || character == '\u{200D}' => {
                let code = u32::from(character);
                _ = match escapes {
                    _ if code <= 0xFFFF => write!(out, "\\u{code:04x}"),
                    Escapes::Braces => write!(out, "\\u{{{code:x}}}"),
                    Escapes::EightDigits => write!(out, "\\U{code:08x}"),
                };
            }
            character => out.push(character),
        }
    }
    out.push('"');
    out
}

/// Control characters, line separators, bidi controls, invisible characters and tags.
fn is_treacherous(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
            | '\u{fdd0}'..='\u{fdef}')
}

/// Text for a comment: lines end with `\n`, nothing invisible, no blank space at the ends.
pub(super) fn clean_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.trim().chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                out.truncate(out.trim_end_matches([' ', '\t']).len());
                // At most one empty line in a row.
                if !out.ends_with("\n\n") {
                    out.push('\n');
                }
            }
            '\t' => out.push(' '),
            character if is_treacherous(character) => {}
            character => out.push(character),
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// A value as short JSON on one line.
pub(super) fn short_json(value: &Json) -> String {
    let text = match value {
        // Long values are cut: printing them whole would cost their size for each level above.
        Json::Array(array) if array.len() > 20 => format!("[{} elements]", array.len()),
        Json::Object(object) if object.len() > 20 => format!("{{{} members}}", object.len()),
        Json::Array(_) | Json::Object(_) if value.depth() > 8 => "{…}".to_owned(),
        other => other.to_string(),
    };
    let text = clean_text(&text).replace('\n', " ");
    match text.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
