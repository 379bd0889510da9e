//! Reads JSON text as a flat sequence of tokens.

use std::borrow::Cow;
use std::fmt;

/// One token. Commas and colons are checked and left out.
#[derive(Debug, Clone, PartialEq)]
pub enum Token<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer that is written without fraction or exponent and fits an `i64`.
    Int(i64),
    /// An integer above `i64::MAX` that fits a `u64`.
    UInt(u64),
    /// Any other number.
    Float(f64),
    /// A string value.
    Str(Cow<'a, str>),
    /// The name of an object's member; its value follows.
    Key(Cow<'a, str>),
    /// `[`
    BeginArray,
    /// `]`
    EndArray,
    /// `{`
    BeginObject,
    /// `}`
    EndObject,
}

/// Why a text is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadError {
    /// The byte at which reading stopped.
    pub offset: usize,
    /// What is wrong there.
    pub what: &'static str,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.what, self.offset)
    }
}

impl std::error::Error for ReadError {}

#[derive(Clone, Copy, PartialEq)]
enum Expect {
    Value,
    ValueOrEnd,
    KeyOrEnd,
    Key,
    CommaOrEnd,
    Nothing,
}

/// A reader over one JSON text.
#[derive(Debug)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    expect: Expect,
    /// One bit per open container: true = object.
    open: Vec<bool>,
}

impl fmt::Debug for Expect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Expect::Value => "value",
            Expect::ValueOrEnd => "value or ]",
            Expect::KeyOrEnd => "key or }",
            Expect::Key => "key",
            Expect::CommaOrEnd => ", or end",
            Expect::Nothing => "nothing",
        })
    }
}

impl<'a> Reader<'a> {
    /// A reader at the start of `text`.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Reader {
            text,
            at: 0,
            expect: Expect::Value,
            open: Vec::new(),
        }
    }

    /// Containers that are open.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    fn fail<T>(&self, what: &'static str) -> Result<T, ReadError> {
        Err(ReadError {
            offset: self.at,
            what,
        })
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    fn skip_space(&mut self) -> Option<u8> {
        let bytes = self.bytes();
        while let Some(&byte) = bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
        None
    }

    /// The next token; `None` after the last one.
    ///
    /// # Errors
    /// The text is not JSON. The reader stays where it is.
    pub fn next_token(&mut self) -> Result<Option<Token<'a>>, ReadError> {
        let mut byte = self.skip_space();
        if self.expect == Expect::CommaOrEnd {
            let Some(in_object) = self.open.last().copied() else {
                return self.fail("unexpected text after the value");
            };
            match byte {
                Some(b',') => {
                    self.at += 1;
                    self.expect = if in_object {
                        Expect::Key
                    } else {
                        Expect::Value
                    };
                    byte = self.skip_space();
                }
                Some(b']') if !in_object => return Ok(Some(self.close())),
                Some(b'}') if in_object => return Ok(Some(self.close())),
                _ => return self.fail("expected a comma or the end of the container"),
            }
        }
        match (self.expect, byte) {
            (Expect::Nothing, None) => Ok(None),
            (Expect::Nothing, Some(_)) => self.fail("unexpected text after the value"),
            (Expect::ValueOrEnd, Some(b']')) | (Expect::KeyOrEnd, Some(b'}')) => {
                Ok(Some(self.close()))
            }
            (Expect::Key | Expect::KeyOrEnd, Some(b'"')) => {
                let key = self.string()?;
                if self.skip_space() != Some(b':') {
                    return self.fail("expected a colon");
                }
                self.at += 1;
                self.expect = Expect::Value;
                Ok(Some(Token::Key(key)))
            }
            (Expect::Key | Expect::KeyOrEnd, _) => self.fail("expected a key"),
            (_, None) => self.fail("the text ends too early"),
            (_, Some(byte)) => self.value(byte).map(Some),
        }
    }

    fn close(&mut self) -> Token<'a> {
        self.at += 1;
        let in_object = self.open.pop().unwrap_or(false);
        self.after_value();
        if in_object {
            Token::EndObject
        } else {
            Token::EndArray
        }
    }

    fn after_value(&mut self) {
        self.expect = if self.open.is_empty() {
            Expect::Nothing
        } else {
            Expect::CommaOrEnd
        };
    }

    fn value(&mut self, byte: u8) -> Result<Token<'a>, ReadError> {
        let token = match byte {
            b'{' | b'[' => {
                let object = byte == b'{';
                self.at += 1;
                self.open.push(object);
                self.expect = if object {
                    Expect::KeyOrEnd
                } else {
                    Expect::ValueOrEnd
                };
                return Ok(if object {
                    Token::BeginObject
                } else {
                    Token::BeginArray
                });
            }
            b'"' => Token::Str(self.string()?),
            b'-' | b'0'..=b'9' => self.number()?,
            b'n' => self.word("null", Token::Null)?,
            b't' => self.word("true", Token::Bool(true))?,
            b'f' => self.word("false", Token::Bool(false))?,
            _ => return self.fail("expected a value"),
        };
        self.after_value();
        Ok(token)
    }

    fn word(&mut self, word: &'static str, token: Token<'a>) -> Result<Token<'a>, ReadError> {
        if !self.bytes()[self.at..].starts_with(word.as_bytes()) {
            return self.fail("expected a value");
        }
        self.at += word.len();
        Ok(token)
    }

    fn number(&mut self) -> Result<Token<'a>, ReadError> {
        let bytes = self.bytes();
        let start = self.at;
        let negative = bytes[start] == b'-';
        let first = start + usize::from(negative);
        // Digits of a number that is read here do not pass 64 bits; others are read again.
        let mut digits = 0u64;
        let mut take_digits = |mut at: usize| {
            while let Some(&byte @ b'0'..=b'9') = bytes.get(at) {
                digits = digits.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
                at += 1;
            }
            at
        };
        let integer_end = take_digits(first);
        if integer_end == first || (bytes[first] == b'0' && integer_end > first + 1) {
            return self.fail("not a number");
        }
        let mut at = integer_end;
        let mut decimals = 0;
        if bytes.get(at) == Some(&b'.') {
            at = take_digits(integer_end + 1);
            decimals = at - integer_end - 1;
            if decimals == 0 {
                return self.fail("not a number");
            }
        }
        let exponent = matches!(bytes.get(at), Some(b'e' | b'E'));
        if exponent {
            at += 1;
            if matches!(bytes.get(at), Some(b'+' | b'-')) {
                at += 1;
            }
            if !bytes.get(at).is_some_and(u8::is_ascii_digit) {
                return self.fail("not a number");
            }
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
        }
        if at == integer_end {
            let magnitude = if at - first <= MAX_PLAIN_DIGITS {
                Some(digits)
            } else {
                self.text[first..at].parse().ok()
            };
            let token = match magnitude {
                Some(0) if negative => None,
                Some(m) if negative => 0i64.checked_sub_unsigned(m).map(Token::Int),
                Some(m) => Some(i64::try_from(m).map_or(Token::UInt(m), Token::Int)),
                None => None,
            };
            let Some(token) = token else {
                return self.fail("an integer that can't be held exactly");
            };
            self.at = at;
            return Ok(token);
        }
        // A quotient of two doubles that are exact is rounded once, so it is the nearest double.
        if !exponent
            && at - first <= MAX_PLAIN_DIGITS
            && digits <= super::MAX_SAFE_INTEGER
            && let Some(scale) = POWERS_OF_TEN.get(decimals)
        {
            self.at = at;
            let number = digits as f64 / scale;
            return Ok(Token::Float(if negative { -number } else { number }));
        }
        match self.text[start..at].parse::<f64>() {
            Ok(number) if number.is_finite() => {
                self.at = at;
                Ok(Token::Float(number))
            }
            _ => self.fail("a number out of range"),
        }
    }

    fn string(&mut self) -> Result<Cow<'a, str>, ReadError> {
        let bytes = self.bytes();
        let start = self.at + 1;
        let mut at = start + plain_run(&bytes[start..]);
        if bytes.get(at) == Some(&b'"') {
            self.at = at + 1;
            return Ok(Cow::Borrowed(&self.text[start..at]));
        }
        let mut out = String::with_capacity(at - start + 16);
        out.push_str(&self.text[start..at]);
        loop {
            let run = plain_run(&bytes[at..]);
            out.push_str(&self.text[at..at + run]);
            at += run;
            match bytes.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return Ok(Cow::Owned(out));
                }
                Some(b'\\') => at = self.escape(at + 1, &mut out)?,
                Some(_) => {
                    self.at = at;
                    return self.fail("a control character in a string");
                }
                None => return self.fail("a string without an end"),
            }
        }
    }

    fn escape(&mut self, at: usize, out: &mut String) -> Result<usize, ReadError> {
        let bytes = self.bytes();
        out.push(match bytes.get(at) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let unit = |at: usize| {
                    let hex = bytes.get(at..at + 4)?;
                    hex.iter().try_fold(0u32, |code, &b| {
                        Some(code * 16 + char::from(b).to_digit(16)?)
                    })
                };
                let (code, end) = match unit(at + 1) {
                    Some(high @ 0xd800..=0xdbff) if bytes.get(at + 5..at + 7) == Some(br"\u") => {
                        match unit(at + 7) {
                            Some(low @ 0xdc00..=0xdfff) => (
                                Some(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)),
                                at + 11,
                            ),
                            _ => (None, at),
                        }
                    }
                    code => (code, at + 5),
                };
                let Some(char) = code.and_then(char::from_u32) else {
                    self.at = at;
                    return self.fail("a bad escape or a lone surrogate in a string");
                };
                out.push(char);
                return Ok(end);
            }
            _ => {
                self.at = at;
                return self.fail("a bad escape in a string");
            }
        });
        Ok(at + 1)
    }
}

/// So many decimal digits fit 64 bits, whatever they are.
const MAX_PLAIN_DIGITS: usize = 19;

/// The powers of ten that a number of so many digits may have behind its point, all of them exact.
const POWERS_OF_TEN: [f64; 20] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19,
];

/// Bytes up to the first quote, backslash or control character; eight at a time, since most strings are long and plain.
fn plain_run(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let mut at = 0;
    while let Some(chunk) = bytes
        .get(at..at + 8)
        .and_then(|c| <[u8; 8]>::try_from(c).ok())
    {
        let word = u64::from_le_bytes(chunk);
        let has_zero = |w: u64| w.wrapping_sub(ONES) & !w & HIGH;
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
        if has_zero(word ^ (ONES * u64::from(b'"')))
            | has_zero(word ^ (ONES * u64::from(b'\\')))
            | control
            != 0
        {
            break;
        }
        at += 8;
    }
    at + bytes[at..]
        .iter()
        .take_while(|&&b| b >= 0x20 && b != b'"' && b != b'\\')
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Result<Vec<Token<'_>>, ReadError> {
        let mut reader = Reader::new(text);
        let mut all = Vec::new();
        while let Some(token) = reader.next_token()? {
            all.push(token);
        }
        Ok(all)
    }

    #[test]
    fn every_kind_of_token() {
        let text = " {\"a\" : [1,-2, 3.5e2,true,false,null,\"x\\n\\u0041\\ud83d\\ude00\"],\"\":{}, \"b\":18446744073709551615}\n";
        let Ok(all) = tokens(text) else {
            panic!("valid text")
        };
        use Token::*;
        assert_eq!(
            all,
            [
                BeginObject,
                Key("a".into()),
                BeginArray,
                Int(1),
                Int(-2),
                Float(350.0),
                Bool(true),
                Bool(false),
                Null,
                Str("x\nA😀".into()),
                EndArray,
                Key("".into()),
                BeginObject,
                EndObject,
                Key("b".into()),
                UInt(u64::MAX),
                EndObject
            ]
        );
    }

    #[test]
    fn numbers_are_the_nearest_doubles() {
        for text in [
            "0.1",
            "-0.25",
            "-0.0",
            "3.14159265358979",
            "9007199254740992.5",
            "123456789012345678.9",
            "0.1234567890123456789",
            "0.00000000000000000001",
            "0.0000000000000000000000001",
            "99999999999999999999.5",
            "1.7976931348623157e308",
            "5e-324",
            "2.5E+3",
            "1e22",
        ] {
            let expected = text.parse::<f64>().map(f64::to_bits);
            match tokens(text).as_deref() {
                Ok([Token::Float(number)]) => assert_eq!(Ok(number.to_bits()), expected, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
        let integers = [
            (
                "9999999999999999999",
                Token::UInt(9_999_999_999_999_999_999),
            ),
            (
                "10000000000000000000",
                Token::UInt(10_000_000_000_000_000_000),
            ),
            ("-9223372036854775808", Token::Int(i64::MIN)),
        ];
        for (text, token) in integers {
            assert_eq!(tokens(text), Ok(vec![token]));
        }
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for bad in [
            "",
            " ",
            "{",
            "[1,]",
            "{\"a\":1,}",
            "{a:1}",
            "[1 2]",
            "1 2",
            "01",
            "1.",
            ".5",
            "-",
            "+1",
            "nul",
            "\"\u{1}\"",
            "\"abc",
            r#""\ud800""#,
            r#""\udc00""#,
            r#""\ud800A""#,
            r#""\x""#,
            r#""\u12""#,
            "1e999",
            "-0",
            "18446744073709551616",
            "]",
            "{]",
            "[}",
            "NaN",
            "'a'",
        ] {
            assert!(tokens(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn depth_costs_heap_alone() {
        // SPEC A5
        let text = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
        assert_eq!(tokens(&text).map(|all| all.len()), Ok(2_000_000));
    }

    #[test]
    fn plain_runs_end_where_a_byte_loop_would_end_them() {
        for special in [b'"', b'\\', 0x1f, 0x00] {
            for length in 0..20 {
                let mut bytes = vec![b'x'; length];
                bytes.extend([0x80, 0xff, 0x20, 0x7f]);
                let end = bytes.len();
                bytes.push(special);
                bytes.extend_from_slice(b"tail of plain text");
                assert_eq!(plain_run(&bytes), end, "{special} after {length}");
            }
        }
    }
}
