//! A first look at how deeply brackets nest, because the parser behind it descends by recursion.

/// Levels of brackets that a program may nest. Real programs stay below 50.
pub(crate) const MAX_NESTING: usize = 500;

/// The byte offset of the bracket that opens a level past [`MAX_NESTING`], if there is one.
///
/// Strings, template texts and comments are skipped; regular expressions are not told apart, so a bracket or a quote in
/// one may be counted wrongly. That is harmless: this is for a clear message, the stack limit of the sandbox is the guard.
pub(crate) fn too_deep(source: &str) -> Option<usize> {
    let bytes = source.as_bytes();
    // One entry per open bracket; `true` where a template's `${` opened it.
    let mut open: Vec<bool> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'(' | b'[' | b'{' => {
                open.push(false);
                if open.len() > MAX_NESTING {
                    return Some(at);
                }
            }
            b')' | b']' => {
                open.pop();
            }
            b'}' if open.pop() == Some(true) => {
                at = template(bytes, at + 1, &mut open);
                continue;
            }
            b'`' => {
                at = template(bytes, at + 1, &mut open);
                if open.len() > MAX_NESTING {
                    return Some(at.saturating_sub(1));
                }
                continue;
            }
            b'"' | b'\'' => {
                at = string(bytes, at + 1, byte);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at += bytes[at..]
                    .iter()
                    .position(|&byte| byte == b'\n')
                    .unwrap_or(bytes.len());
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let end = bytes[at + 2..].windows(2).position(|pair| pair == b"*/");
                at = end.map_or(bytes.len(), |end| at + 2 + end + 1);
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Skips a template's text from `at`; stops after the closing backtick or after `${`, which it notes in `open`.
fn template(bytes: &[u8], mut at: usize, open: &mut Vec<bool>) -> usize {
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'`' => return at + 1,
            b'$' if bytes.get(at + 1) == Some(&b'{') => {
                open.push(true);
                return at + 2;
            }
            _ => {}
        }
        at += 1;
    }
    at
}

/// Skips a string's text from `at`; stops after the closing quote or at the end of the line.
fn string(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return at,
            _ if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::{MAX_NESTING, too_deep};

    #[test]
    fn the_limit_is_on_open_brackets_alone() {
        let nested = |open: &str, close: &str, levels| open.repeat(levels) + &close.repeat(levels);
        for (open, close) in [("(", ")"), ("[", "]"), ("{", "}"), ("`${", "}`")] {
            assert_eq!(too_deep(&nested(open, close, MAX_NESTING)), None, "{open}");
            assert!(
                too_deep(&nested(open, close, MAX_NESTING + 1)).is_some(),
                "{open}"
            );
        }
        assert_eq!(too_deep(&"()".repeat(10_000)), None);
        assert_eq!(too_deep(&format!("'{}'", "(".repeat(10_000))), None);
        assert_eq!(too_deep(&format!("`{}`", "(".repeat(10_000))), None);
        assert_eq!(too_deep(&format!("/*{}*/", "(".repeat(10_000))), None);
        assert_eq!(too_deep(&format!("//{}", "(".repeat(10_000))), None);
        assert_eq!(too_deep("'\\"), None);
        assert_eq!(too_deep("/*"), None);
    }

    #[test]
    fn the_place_is_the_first_bracket_too_many() {
        assert_eq!(too_deep(&"(".repeat(MAX_NESTING + 7)), Some(MAX_NESTING));
    }
}
