//! Writes JSON tokens to the end of a text.

use super::MAX_SAFE_INTEGER;

/// Half of a surrogate pair without its other half: no UTF-8 text can hold it (SPEC A2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoneSurrogate {
    /// The code unit, U+D800 to U+DFFF.
    pub unit: u16,
}

/// Writes an integer.
pub fn write_i64(out: &mut Vec<u8>, number: i64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    let mut magnitude = number.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (magnitude % 10) as u8;
        magnitude /= 10;
        if magnitude == 0 {
            break;
        }
    }
    if number < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[at..]);
}

/// Writes a finite double as the shortest text that reads back as the same double.
pub fn write_f64(out: &mut Vec<u8>, number: f64) {
    // Up to here every integer that a double holds is written with exact digits, as JavaScript does below 1e21.
    if number.fract() == 0.0 && number.abs() < 9e18 {
        return write_i64(out, number as i64);
    }
    out.extend_from_slice(ryu::Buffer::new().format_finite(number).as_bytes());
}

/// Writes a finite double as JavaScript does, where that takes neither an exponent nor more digits than a double has. Says
/// whether it did.
pub fn write_short_number(out: &mut Vec<u8>, number: f64) -> bool {
    if number.fract() == 0.0 {
        let exact = number.abs() < MAX_SAFE_INTEGER as f64;
        if exact {
            write_i64(out, number as i64);
        }
        return exact;
    }
    let mut buffer = ryu::Buffer::new();
    let text = buffer.format_finite(number);
    let short = !text.contains('e');
    if short {
        out.extend_from_slice(text.as_bytes());
    }
    short
}

/// Writes a quoted string.
pub fn write_str(out: &mut Vec<u8>, text: &str) {
    // A `str` holds no surrogates.
    let _ = write_wtf8(out, text.as_bytes());
}

/// Writes a quoted string from WTF-8, the form in which engines hand out strings that may hold lone surrogates.
///
/// # Errors
/// There is a lone surrogate. The output then ends with a part of the string.
pub fn write_wtf8(out: &mut Vec<u8>, bytes: &[u8]) -> Result<(), LoneSurrogate> {
    out.push(b'"');
    let mut start = 0;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if PLAIN[usize::from(byte)] {
            at += 1;
            continue;
        }
        if byte == 0xed {
            if let (Some(&second @ 0xa0..), Some(&third)) = (bytes.get(at + 1), bytes.get(at + 2)) {
                return Err(LoneSurrogate {
                    unit: 0xd000 | (u16::from(second & 0x3f) << 6) | u16::from(third & 0x3f),
                });
            }
            at += 1;
            continue;
        }
        out.extend_from_slice(&bytes[start..at]);
        let short = match byte {
            b'"' | b'\\' => byte,
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            0x08 => b'b',
            0x0c => b'f',
            _ => {
                const HEX: &[u8; 16] = b"0123456789abcdef";
                out.extend_from_slice(b"\\u00");
                out.extend([HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
                at += 1;
                start = at;
                continue;
            }
        };
        out.extend([b'\\', short]);
        at += 1;
        start = at;
    }
    out.extend_from_slice(&bytes[start..]);
    out.push(b'"');
    Ok(())
}

/// Bytes that stand for themselves in a string; 0xED may begin a surrogate and is looked at.
static PLAIN: [bool; 256] = {
    let mut plain = [true; 256];
    let mut byte = 0;
    while byte < 0x20 {
        plain[byte] = false;
        byte += 1;
    }
    plain[b'"' as usize] = false;
    plain[b'\\' as usize] = false;
    plain[0xed] = false;
    plain
};

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn short_numbers_are_written_as_javascript_does() {
        let short = [
            (0.0, "0"),
            (-0.0, "0"),
            (-12.0, "-12"),
            (0.1, "0.1"),
            (-1234.5, "-1234.5"),
            (4294967296.5, "4294967296.5"),
            (9007199254740991.0, "9007199254740991"),
        ];
        for (number, written) in short {
            assert_eq!(
                text(|out| assert!(write_short_number(out, number))),
                written
            );
        }
        for number in [9007199254740992.0, 1e21, -1e300, 1e-7, 5e-324] {
            let mut out = Vec::new();
            assert!(!write_short_number(&mut out, number), "{number}");
            assert!(out.is_empty());
        }
    }

    #[test]
    fn numbers_read_back_as_themselves() {
        let expected = [
            (0.0, "0"),
            (-1.0, "-1"),
            (0.1, "0.1"),
            (1e21, "1e21"),
            (-2.5e-7, "-2.5e-7"),
            (9007199254740993.0, "9007199254740992"),
            (1152921504606846976.0, "1152921504606846976"),
        ];
        for (number, written) in expected {
            assert_eq!(text(|out| write_f64(out, number)), written);
        }
        for number in [
            f64::MAX,
            f64::MIN_POSITIVE,
            5e-324,
            1.0 / 3.0,
            123456789.123,
        ] {
            assert_eq!(text(|out| write_f64(out, number)).parse(), Ok(number));
        }
        assert_eq!(text(|out| write_i64(out, i64::MIN)), i64::MIN.to_string());
    }

    #[test]
    fn strings_are_escaped() {
        assert_eq!(
            text(|out| write_str(out, "a\"\\\n\u{1}\u{7f}é\u{2028}😀퟿")),
            "\"a\\\"\\\\\\n\\u0001\u{7f}é\u{2028}😀퟿\""
        );
    }

    #[test]
    fn lone_surrogates_are_found() {
        // SPEC A2
        let mut out = Vec::new();
        assert_eq!(
            write_wtf8(&mut out, b"ok \xed\xa0\x80"),
            Err(LoneSurrogate { unit: 0xd800 })
        );
        assert_eq!(
            write_wtf8(&mut out, b"\xed\xbf\xbf"),
            Err(LoneSurrogate { unit: 0xdfff })
        );
        assert_eq!(write_wtf8(&mut out, "\u{d7ff}".as_bytes()), Ok(()));
    }
}
