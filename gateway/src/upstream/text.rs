//! Texts of servers, made fit to be shown: bounded, and without characters that hide or move others.

/// The text without control characters (line breaks and tabs stay) and without those that change the direction or are not
/// seen.
pub(crate) fn visible(text: &str) -> String {
    text.chars()
        .filter(|c| matches!(c, '\n' | '\t') || !is_hidden(*c))
        .collect()
}

/// Control characters, direction marks, zero-width characters, tags.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The beginning of the text, at most `bytes` long, with `…` where it was cut.
pub(crate) fn clip(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let mut end = bytes.saturating_sub('…'.len_utf8());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &text[..end])
}

/// A name as a message shows it: quoted, escaped and short.
pub(crate) fn quoted(name: &str) -> String {
    lockgate::Json::from(clip(&visible(name), 60)).to_string()
}

#[cfg(test)]
mod tests {
    use super::{clip, quoted, visible};

    #[test]
    fn cleans_and_cuts() {
        assert_eq!(visible("a\u{202e}b\u{0}c\n\u{200b}d\u{e0041}"), "abc\nd");
        assert_eq!(visible("über 漢 🦀"), "über 漢 🦀");
        assert_eq!(clip("abcdef", 6), "abcdef");
        assert_eq!(clip("abcdefg", 6), "abc…");
        assert_eq!(clip("äöüäöü", 8), "äö…");
        assert!(quoted(&"n".repeat(10_000)).len() < 80);
    }
}
