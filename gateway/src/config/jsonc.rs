//! JSON as people write it: comments and trailing commas become spaces, so that lines and columns stay.

/// The text as strict JSON of the same length.
pub(super) fn to_json(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    // The last comma with nothing but space and comments after it.
    let mut comma: Option<usize> = None;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                comma = None;
                at = after_string(&bytes, at);
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                while at < bytes.len() && bytes[at] != b'\n' {
                    bytes[at] = b' ';
                    at += 1;
                }
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => at = blank_block(&mut bytes, at),
            b',' => {
                comma = Some(at);
                at += 1;
            }
            b']' | b'}' => {
                if let Some(place) = comma.take() {
                    bytes[place] = b' ';
                }
                at += 1;
            }
            byte => {
                if !byte.is_ascii_whitespace() {
                    comma = None;
                }
                at += 1;
            }
        }
    }
    // Whole comments were blanked and nothing else was touched, so this is UTF-8 still.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

fn after_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn blank_block(bytes: &mut [u8], start: usize) -> usize {
    let end = bytes[start + 2..]
        .windows(2)
        .position(|pair| pair == b"*/")
        .map_or(bytes.len(), |found| start + 2 + found + 2);
    for byte in &mut bytes[start..end] {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::to_json;

    #[test]
    fn blanks_comments_and_trailing_commas_only() {
        for (given, expected) in [
            (
                r#"{"a": 1, // über
}"#,
                "{\"a\": 1          \n}",
            ),
            (r#"[1, /* two, */ 3,]"#, "[1,            3 ]"),
            (
                r#"{"url": "http://x/*y*/,]"}"#,
                r#"{"url": "http://x/*y*/,]"}"#,
            ),
            (r#"["a\"//", 1]"#, r#"["a\"//", 1]"#),
            (r#"[1, /* open"#, "[1,        "),
            ("[,1]", "[,1]"),
        ] {
            let json = to_json(given);
            // A character of several bytes in a comment becomes as many spaces.
            assert_eq!(json.trim_end(), expected.trim_end(), "{given}");
            assert_eq!(json.len(), given.len());
        }
    }
}
