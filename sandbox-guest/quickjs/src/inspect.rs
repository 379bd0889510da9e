//! Values as people read them.

use crate::engine::{Kind, Value};

/// A readable text of at most about `max_bytes`.
pub(crate) fn inspect(value: &Value, max_bytes: usize) -> String {
    let text = match value.kind() {
        Kind::Undefined => "undefined".into(),
        Kind::Null => "null".into(),
        Kind::Bool(bool) => bool.to_string(),
        Kind::Int(int) => int.to_string(),
        Kind::Float(_) | Kind::BigInt => value
            .convert_to_string()
            .map(|text| text.to_text())
            .unwrap_or_default(),
        Kind::String => value.to_text(),
        Kind::Symbol => "Symbol()".into(),
        Kind::Object => crate::to_json::to_json(
            value,
            "value",
            crate::to_json::Bounds {
                max_depth: 100,
                max_bytes,
            },
        )
        .unwrap_or_else(|_| "[object]".into()),
        Kind::Internal => String::new(),
    };
    lockgate_guest_core::text::shorten(&text, max_bytes).into_owned()
}
