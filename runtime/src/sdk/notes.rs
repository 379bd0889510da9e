//! What a schema says besides the type: the text and the notes of a doc comment.

use super::literal::{clean_text, short_json};
use super::model::Doc;
use crate::json::Object;

/// Keywords whose value is shown as it is.
const SHOWN: [&str; 15] = [
    "default",
    "format",
    "pattern",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "contentEncoding",
];

/// Reads the doc of a schema.
pub(super) fn read_doc(schema: &Object) -> Doc {
    let mut doc = Doc::default();
    if let Some(text) = schema.get("description").and_then(|value| value.as_str()) {
        doc.text = clean_text(text);
    }
    doc.deprecated = schema.get("deprecated").and_then(|value| value.as_bool()) == Some(true);
    for keyword in SHOWN {
        if let Some(value) = schema.get(keyword)
            // Draft 4 has booleans here.
            && !(keyword.starts_with("exclusive") && value.as_bool().is_some())
        {
            let text = match value.as_str() {
                Some(text) if keyword != "default" => clip(&clean_text(text).replace('\n', " ")),
                _ => short_json(value),
            };
            doc.notes.push(format!("{keyword}: {text}"));
        }
    }
    if schema.get("uniqueItems").and_then(|value| value.as_bool()) == Some(true) {
        doc.notes.push("unique items".to_owned());
    }
    let examples = schema.get("examples").and_then(|value| value.as_array());
    let examples: Vec<_> = examples
        .into_iter()
        .flatten()
        .chain(schema.get("example"))
        .take(3)
        .map(short_json)
        .collect();
    if !examples.is_empty() {
        doc.notes.push(format!("e.g. {}", examples.join(", ")));
    }
    doc
}

fn clip(text: &str) -> String {
    match text.char_indices().nth(160) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
