//! Texts of bounded length.

/// The longest prefix of at most `max` bytes that ends between characters.
#[must_use]
pub fn prefix(text: &str, max: usize) -> &str {
    let mut end = max.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The text, or where it is longer than `max` bytes, a prefix with an ellipsis.
#[must_use]
pub fn shorten(text: &str, max: usize) -> std::borrow::Cow<'_, str> {
    if text.len() <= max {
        text.into()
    } else {
        format!("{}…", prefix(text, max)).into()
    }
}

/// The column of a byte of a line, in UTF-16 code units, counted from 1 like `byte_column`.
#[must_use]
pub fn utf16_column(line: &str, byte_column: usize) -> u32 {
    let before = prefix(line, byte_column.saturating_sub(1));
    u32::try_from(before.encode_utf16().count() + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_fall_between_characters() {
        assert_eq!(prefix("aé", 2), "a");
        assert_eq!(prefix("aé", 3), "aé");
        assert_eq!(shorten("abcdef", 3), "abc…");
        assert_eq!(shorten("abc", 3), "abc");
    }

    #[test]
    fn columns_count_code_units() {
        assert_eq!(utf16_column("é😀x", 1), 1);
        assert_eq!(utf16_column("é😀x", 7), 4);
        assert_eq!(utf16_column("", 9), 1);
    }
}
