//! `sort` and `toSorted` of arrays: the engine's own stops the instance where a comparison contradicts itself, as that of
//! the common shuffle by `Math.random() - 0.5` does.

use boa_engine::{JsNativeError, JsObject, JsString, js_string};

use super::context::{context, pend, settle};
use super::value::Value;
use super::{JsResult, Thrown};

/// `Array.prototype.sort`.
pub(super) fn sort(this: &Value, arguments: &[Value]) -> JsResult<Value> {
    let compare = comparison(arguments)?;
    let object = settle(context(|context| this.js().to_object(context)))?;
    let length = length(&object)?;
    let mut values = Vec::new();
    for index in 0..length {
        let present = settle(context(|context| object.has_property(index, context)))?;
        if present {
            values.push(Value::from(settle(context(|context| {
                object.get(index, context)
            }))?));
        }
    }
    let values = sorted(values, compare.as_ref())?;
    let count = values.len() as u64;
    for (index, value) in (0..).zip(values) {
        let index: u64 = index;
        settle(context(|context| {
            object.set(index, value.into_js(), true, context)
        }))?;
    }
    for index in count..length {
        settle(context(|context| {
            object.delete_property_or_throw(index, context)
        }))?;
    }
    Ok(Value::from(object))
}

/// `Array.prototype.toSorted`.
pub(super) fn to_sorted(this: &Value, arguments: &[Value]) -> JsResult<Value> {
    let compare = comparison(arguments)?;
    let object = settle(context(|context| this.js().to_object(context)))?;
    let mut values = Vec::new();
    for index in 0..length(&object)? {
        let value = settle(context(|context| object.get(index, context)))?;
        values.push(Value::from(value));
    }
    Value::array(sorted(values, compare.as_ref())?)
}

fn comparison(arguments: &[Value]) -> JsResult<Option<Value>> {
    match arguments.first() {
        Some(compare) if compare.is_function() => Ok(Some(compare.clone())),
        Some(compare) if !compare.is_undefined() => Err(pend(
            JsNativeError::typ()
                .with_message("sorting needs a function that compares, or nothing")
                .into(),
        )),
        _ => Ok(None),
    }
}

fn length(object: &JsObject) -> JsResult<u64> {
    settle(context(|context| {
        object
            .get(js_string!("length"), context)?
            .to_length(context)
    }))
}

/// The values in order, equal ones as they were, `undefined` last.
fn sorted(values: Vec<Value>, compare: Option<&Value>) -> JsResult<Vec<Value>> {
    let (undefined, mut values): (Vec<Value>, Vec<Value>) =
        values.into_iter().partition(Value::is_undefined);
    values = match compare {
        Some(compare) => merge_sorted(values, compare)?,
        None => by_text(values)?,
    };
    values.extend(undefined);
    Ok(values)
}

fn by_text(values: Vec<Value>) -> JsResult<Vec<Value>> {
    let mut texts: Vec<(JsString, Value)> = Vec::with_capacity(values.len());
    for value in values {
        let text = settle(context(|context| value.js().to_string(context)))?;
        texts.push((text, value));
    }
    texts.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(texts.into_iter().map(|(_, value)| value).collect())
}

/// Merges runs of growing length: whatever the comparison says, this comes to an end.
fn merge_sorted(mut values: Vec<Value>, compare: &Value) -> JsResult<Vec<Value>> {
    let count = values.len();
    let mut width = 1;
    while width < count {
        let mut merged = Vec::with_capacity(count);
        for run in values.chunks(width * 2) {
            let (left, right) = run.split_at(width.min(run.len()));
            let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
            while let (Some(one), Some(other)) = (left.peek(), right.peek()) {
                let next = if is_after(compare, one, other)? {
                    right.next()
                } else {
                    left.next()
                };
                merged.extend(next.cloned());
            }
            merged.extend(left.chain(right).cloned());
        }
        values = merged;
        width *= 2;
    }
    Ok(values)
}

fn is_after(compare: &Value, one: &Value, other: &Value) -> Result<bool, Thrown> {
    let order = compare.call(&Value::UNDEFINED, &[one.clone(), other.clone()])?;
    Ok(order.convert_to_number()? > 0.0)
}
