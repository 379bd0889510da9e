//! Conversions from Rust's own types, and to and from `serde_json::Value`.

use std::sync::Arc;

use super::path::Segment;
use super::{Array, Json, JsonError, JsonErrorKind, MAX_TYPED_DEPTH, Number, Object};

macro_rules! from_integer {
    ($($small:ty => $wide:ty),*) => {$(
        impl From<$small> for Json {
            fn from(value: $small) -> Self {
                Self::Number(<$wide>::from(value).into())
            }
        }
    )*};
}

from_integer!(i8 => i64, i16 => i64, i32 => i64, i64 => i64, u8 => u64, u16 => u64, u32 => u64, u64 => u64);

impl From<usize> for Json {
    fn from(value: usize) -> Self {
        Self::Number((value as u64).into())
    }
}

impl From<isize> for Json {
    fn from(value: isize) -> Self {
        Self::Number((value as i64).into())
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<&str> for Json {
    fn from(value: &str) -> Self {
        Self::String(value.into())
    }
}

impl From<String> for Json {
    fn from(value: String) -> Self {
        Self::String(value.into())
    }
}

impl From<&String> for Json {
    fn from(value: &String) -> Self {
        Self::String(value.as_str().into())
    }
}

impl From<Arc<str>> for Json {
    fn from(value: Arc<str>) -> Self {
        Self::String(value)
    }
}

impl From<Number> for Json {
    fn from(value: Number) -> Self {
        Self::Number(value)
    }
}

impl From<Array> for Json {
    fn from(value: Array) -> Self {
        Self::Array(value)
    }
}

impl From<Object> for Json {
    fn from(value: Object) -> Self {
        Self::Object(value)
    }
}

impl From<&Json> for Json {
    fn from(value: &Json) -> Self {
        value.clone()
    }
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(values: Vec<T>) -> Self {
        Self::Array(values.into_iter().collect())
    }
}

/// `None` is `null`.
impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Json>> FromIterator<T> for Json {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        Self::Array(elements.into_iter().collect())
    }
}

/// NaN, the infinities and -0 are errors.
impl TryFrom<f64> for Json {
    type Error = JsonError;

    fn try_from(value: f64) -> Result<Self, JsonError> {
        Number::try_from(value).map(Self::Number)
    }
}

/// What [`json!`](crate::json!) takes as a value.
#[doc(hidden)]
pub trait IntoJson {
    /// The value as JSON.
    fn into_json(self) -> Json;
}

impl<T: Into<Json>> IntoJson for T {
    fn into_json(self) -> Json {
        self.into()
    }
}

impl IntoJson for f64 {
    fn into_json(self) -> Json {
        match Json::try_from(self) {
            Ok(value) => value,
            Err(error) => panic!("json!: {error}"),
        }
    }
}

/// Refuses -0; NaN and the infinities can't be in a `Value`.
impl TryFrom<serde_json::Value> for Json {
    type Error = JsonError;

    fn try_from(value: serde_json::Value) -> Result<Self, JsonError> {
        from_value(value)
    }
}

enum Open {
    Array {
        done: Vec<Json>,
        rest: std::vec::IntoIter<serde_json::Value>,
    },
    Object {
        done: Vec<(Arc<str>, Json)>,
        key: Arc<str>,
        rest: serde_json::map::IntoIter,
    },
}

fn from_value(root: serde_json::Value) -> Result<Json, JsonError> {
    use serde_json::Value;

    let mut stack: Vec<Open> = Vec::new();
    let mut next = root;
    loop {
        let mut done = match next {
            Value::Null => Json::Null,
            Value::Bool(value) => value.into(),
            Value::String(text) => text.into(),
            Value::Number(number) => match read_number(&number) {
                Ok(number) => Json::Number(number),
                Err(error) => return Err(error.at(path(&stack))),
            },
            Value::Array(elements) => {
                let mut rest = elements.into_iter();
                match rest.next() {
                    None => Json::empty_array(),
                    Some(first) => {
                        stack.push(Open::Array {
                            done: Vec::with_capacity(rest.len() + 1),
                            rest,
                        });
                        next = first;
                        continue;
                    }
                }
            }
            Value::Object(members) => {
                let mut rest = members.into_iter();
                match rest.next() {
                    None => Json::empty_object(),
                    Some((key, first)) => {
                        stack.push(Open::Object {
                            done: Vec::with_capacity(rest.len() + 1),
                            key: key.into(),
                            rest,
                        });
                        next = first;
                        continue;
                    }
                }
            }
        };
        next = loop {
            match stack.last_mut() {
                None => return Ok(done),
                Some(Open::Array {
                    done: elements,
                    rest,
                }) => {
                    elements.push(done);
                    if let Some(value) = rest.next() {
                        break value;
                    }
                    done = Json::Array(std::mem::take(elements).into());
                }
                Some(Open::Object {
                    done: members,
                    key,
                    rest,
                }) => {
                    members.push((key.clone(), done));
                    if let Some((name, value)) = rest.next() {
                        *key = name.into();
                        break value;
                    }
                    done = Json::Object(std::mem::take(members).into_iter().collect());
                }
            }
            stack.pop();
        };
    }
}

fn path(stack: &[Open]) -> Vec<Segment> {
    stack
        .iter()
        .map(|open| match open {
            Open::Array { done, .. } => Segment::Index(done.len()),
            Open::Object { key, .. } => Segment::Key(key.clone()),
        })
        .collect()
}

fn read_number(number: &serde_json::Number) -> Result<Number, JsonError> {
    if let Some(value) = number.as_i64() {
        Ok(value.into())
    } else if let Some(value) = number.as_u64() {
        Ok(value.into())
    } else {
        Number::try_from(number.as_f64().unwrap_or(f64::NAN))
    }
}

/// Refuses what nests deeper than [`MAX_TYPED_DEPTH`], because such a `Value` overflows the stack when it is dropped.
impl TryFrom<&Json> for serde_json::Value {
    type Error = JsonError;

    fn try_from(value: &Json) -> Result<Self, JsonError> {
        to_value(value, MAX_TYPED_DEPTH)
    }
}

/// Recurses at most `levels` deep.
fn to_value(value: &Json, levels: usize) -> Result<serde_json::Value, JsonError> {
    use serde_json::Value;

    if levels == 0 && value.is_container() {
        return Err(too_deep());
    }
    Ok(match value {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::String(text) => Value::String(text.as_ref().to_owned()),
        Json::Number(number) => {
            if let Some(value) = number.as_i64() {
                Value::from(value)
            } else if let Some(value) = number.as_u64() {
                Value::from(value)
            } else {
                Value::from(number.as_f64())
            }
        }
        Json::Array(array) => {
            let elements = array.iter().enumerate().map(|(index, element)| {
                to_value(element, levels - 1).map_err(|error| error.inside(Segment::Index(index)))
            });
            Value::Array(elements.collect::<Result<_, _>>()?)
        }
        Json::Object(object) => {
            let members =
                object
                    .shared_iter()
                    .map(|(key, member)| match to_value(member, levels - 1) {
                        Ok(value) => Ok((key.as_ref().to_owned(), value)),
                        Err(error) => Err(error.inside(Segment::Key(key.clone()))),
                    });
            Value::Object(members.collect::<Result<_, _>>()?)
        }
    })
}

pub(super) fn too_deep() -> JsonError {
    let detail = format!(
        "nested deeper than {MAX_TYPED_DEPTH} levels, too deep for a Rust type; take it as `Json`"
    );
    JsonError::new(JsonErrorKind::Depth, detail)
}
