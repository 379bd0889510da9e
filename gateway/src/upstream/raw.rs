//! Answers of servers as lossless JSON, however rmcp decoded them, and without secrets.

use std::borrow::Cow;

use lockgate::{Json, JsonError};
use rmcp::model::{CustomResult, ServerResult};
use serde_json::Value;

use crate::redact::Redactor;

/// The result as JSON, with the secrets of the configuration taken out of its texts.
///
/// Negative zero becomes 0: it means nothing in an answer, and the boundary would refuse all of it.
///
/// # Errors
/// What lossless JSON can't hold.
pub(super) fn json(result: ServerResult, redactor: &Redactor) -> Result<Json, JsonError> {
    let value = match result {
        ServerResult::CustomResult(CustomResult(value)) => value,
        // Of rmcp's own types, which nest no deeper than what was parsed.
        other => serde_json::to_value(other).unwrap_or(Value::Null),
    };
    clean(value, redactor)
}

/// The text as JSON, if it is JSON; as [`json`].
pub(super) fn parse(text: &str, redactor: &Redactor) -> Option<Json> {
    let value = serde_json::from_str(text).ok()?;
    clean(value, redactor).ok()
}

fn clean(mut value: Value, redactor: &Redactor) -> Result<Json, JsonError> {
    scrub(&mut value, redactor);
    Json::try_from(value)
}

/// Recurses no deeper than serde_json's parser, which gives up at 128 levels.
fn scrub(value: &mut Value, redactor: &Redactor) {
    match value {
        Value::Number(number)
            if number.is_f64() && number.as_f64().is_some_and(|zero| zero == 0.0) =>
        {
            *value = Value::from(0);
        }
        Value::String(text) => {
            if let Cow::Owned(clean) = redactor.result(text) {
                *text = clean;
            }
        }
        Value::Array(elements) => elements
            .iter_mut()
            .for_each(|element| scrub(element, redactor)),
        Value::Object(members) => members
            .values_mut()
            .for_each(|member| scrub(member, redactor)),
        _ => {}
    }
}
