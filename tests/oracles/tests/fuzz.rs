//! Fuzz targets: whatever the bytes, JSON, schemas and the SDK text never panic, and say the same twice.
//!
//! A test run tries each for some seconds with random bytes. `cargo bolero test NAME` hunts with coverage.

use std::time::Duration;

use bolero::check;
use lockgate::{
    Json, Schema,
    code_runtime::CodeLanguage,
    json::{Array, Object},
    sdk::{ToolDeclaration, render},
};

const TIME: Duration = Duration::from_secs(5);

/// Pieces of JSON text; bytes choose among them, so that much of what comes out parses.
const PIECES: [&str; 32] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\u",
    "d800",
    "0",
    "-",
    "1e9",
    ".5",
    "9007199254740993",
    "true",
    "null",
    "\"a\":",
    "\"__proto__\":",
    "\"\"",
    " ",
    "\n",
    "\u{0}",
    "\u{7f}",
    "é",
    "𝄞",
    "\\n",
    "1E400",
    "-0",
    "[[[[",
    "]]]]",
    "\"$serde_json::private::Number\"",
];

/// Words that schemas are made of, and some that they are not.
const WORDS: [&str; 40] = [
    "type",
    "properties",
    "required",
    "items",
    "oneOf",
    "anyOf",
    "allOf",
    "enum",
    "const",
    "additionalProperties",
    "$ref",
    "$defs",
    "description",
    "title",
    "default",
    "examples",
    "format",
    "pattern",
    "minimum",
    "maxLength",
    "nullable",
    "patternProperties",
    "prefixItems",
    "not",
    "object",
    "array",
    "string",
    "number",
    "integer",
    "boolean",
    "null",
    "#",
    "#/$defs/a",
    "a",
    "class",
    "*/",
    "\"\"\"\\",
    "__proto__",
    "\u{2028}${`",
    "http://example.com/x",
];

/// Bytes, read one by one; zeros after the end.
struct Bytes<'b>(std::slice::Iter<'b, u8>);

impl Bytes<'_> {
    fn next(&mut self) -> usize {
        self.0.next().copied().map_or(0, usize::from)
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.next() % WORDS.len()]
    }

    /// Any JSON, of the shapes that schemas have more often than others.
    fn json(&mut self, levels: usize) -> Json {
        let choice = self.next() % if levels == 0 { 6 } else { 14 };
        match choice {
            0 => Json::Null,
            1 => Json::from(self.next() % 2 == 0),
            2 => Json::from(self.next()),
            3 => Json::try_from(self.next() as f64 / 8.0 + 0.5).unwrap_or_default(),
            4 | 5 => Json::from(self.word()),
            6 | 7 => (0..self.next() % 4)
                .map(|_| self.json(levels - 1))
                .collect::<Array>()
                .into(),
            _ => {
                let members: Vec<(&str, Json)> = (0..self.next() % 5)
                    .map(|_| (self.word(), self.json(levels - 1)))
                    .collect();
                members.into_iter().collect::<Object>().into()
            }
        }
    }
}

#[test]
fn json_text_is_read_or_refused_and_printed_as_it_was() {
    check!().with_test_time(TIME).for_each(|bytes: &[u8]| {
        if let Ok(text) = std::str::from_utf8(bytes) {
            let _ = Json::parse(text);
        }
        let text: String = bytes
            .iter()
            .map(|byte| PIECES[usize::from(*byte) % PIECES.len()])
            .collect();
        if let Ok(json) = Json::parse(&text) {
            let printed = json.to_string();
            assert_eq!(
                Json::parse(&printed).expect("what was printed parses"),
                json
            );
            let pretty = json.to_pretty_string();
            assert_eq!(Json::parse(&pretty).expect("what was printed parses"), json);
        }
    });
}

#[test]
fn schemas_are_compiled_or_refused_and_validation_is_total() {
    check!().with_test_time(TIME).for_each(|bytes: &[u8]| {
        let mut bytes = Bytes(bytes.iter());
        let schema = bytes.json(6);
        match Schema::compile(&schema) {
            Ok(schema) => {
                for _ in 0..4 {
                    let value = bytes.json(4);
                    let violations = schema.validate(&value, "args");
                    assert_eq!(violations.is_empty(), schema.accepts(&value));
                    assert!(
                        violations
                            .iter()
                            .all(|violation| violation.path().starts_with("args"))
                    );
                }
            }
            Err(error) => assert!(!error.violations().is_empty()),
        }
    });
}

#[test]
fn any_schema_is_rendered_and_twice_the_same() {
    check!().with_test_time(TIME).for_each(|bytes: &[u8]| {
        let mut bytes = Bytes(bytes.iter());
        let (parameters, output) = (bytes.json(7), bytes.json(5));
        let (name, description) = (bytes.word(), bytes.word());
        let tool = ToolDeclaration {
            name,
            description,
            parameters: &parameters,
            output: Some(&output),
        };
        for language in CodeLanguage::ALL {
            let text = render(language, &[tool]);
            assert_eq!(text, render(language, &[tool]));
            assert!(
                !text.contains('\0') && !text.contains('\u{2028}'),
                "{text:?}"
            );
        }
    });
}
