//! Rust types to JSON, through serde.

use std::sync::Arc;

use serde::ser::{self, Serialize};

use super::convert::too_deep;
use super::path::Segment;
use super::{Json, JsonError, JsonErrorKind, MAX_TYPED_DEPTH, Number, Object, handover};

impl Json {
    /// Turns a Rust value into JSON.
    ///
    /// # Errors
    /// NaN, the infinities and -0; integers beyond 64 bits; map keys that are no strings; duplicate keys; nesting
    /// deeper than [`MAX_TYPED_DEPTH`]; what the type's own `Serialize` refuses. The error names the path.
    pub fn from_serialize<T: Serialize + ?Sized>(value: &T) -> Result<Self, JsonError> {
        value.serialize(Serializer {
            levels: MAX_TYPED_DEPTH,
        })
    }
}

impl Serialize for Json {
    fn serialize<S: ser::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(
            handover::NAME,
            &Tree {
                value: self,
                levels: MAX_TYPED_DEPTH,
            },
        )
    }
}

/// A value on its way into a foreign serializer, at most `levels` deep.
struct Tree<'a> {
    value: &'a Json,
    levels: usize,
}

impl Serialize for Tree<'_> {
    fn serialize<S: ser::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use ser::{Error as _, SerializeMap as _, SerializeSeq as _};

        if handover::offer(self.value) {
            return Err(S::Error::custom("handed over"));
        }
        if self.levels == 0 && self.value.is_container() {
            return Err(S::Error::custom(too_deep()));
        }
        let levels = self.levels.saturating_sub(1);
        match self.value {
            Json::Null => serializer.serialize_unit(),
            Json::Bool(value) => serializer.serialize_bool(*value),
            Json::String(text) => serializer.serialize_str(text),
            Json::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(value), _) => serializer.serialize_i64(value),
                (None, Some(value)) => serializer.serialize_u64(value),
                (None, None) => serializer.serialize_f64(number.as_f64()),
            },
            Json::Array(array) => {
                let mut sequence = serializer.serialize_seq(Some(array.len()))?;
                for value in array {
                    sequence.serialize_element(&Tree { value, levels })?;
                }
                sequence.end()
            }
            Json::Object(object) => {
                let mut map = serializer.serialize_map(Some(object.len()))?;
                for (key, value) in object {
                    map.serialize_entry(key, &Tree { value, levels })?;
                }
                map.end()
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Serializer {
    levels: usize,
}

impl Serializer {
    fn deeper(self) -> Result<Self, JsonError> {
        self.levels
            .checked_sub(1)
            .map(|levels| Self { levels })
            .ok_or_else(too_deep)
    }

    fn variant(self, name: &'static str) -> Result<Variant, JsonError> {
        Ok(Variant {
            inner: self.deeper()?,
            name,
        })
    }
}

#[derive(Clone, Copy)]
struct Variant {
    inner: Serializer,
    name: &'static str,
}

impl Variant {
    fn wrap(self, value: Json) -> Json {
        Json::Object([(self.name, value)].into_iter().collect())
    }
}

struct Sequence {
    inner: Serializer,
    elements: Vec<Json>,
    variant: Option<Variant>,
}

struct Members {
    inner: Serializer,
    object: Object,
    key: Option<Arc<str>>,
    variant: Option<Variant>,
}

impl Sequence {
    fn new(
        inner: Serializer,
        capacity: usize,
        variant: Option<Variant>,
    ) -> Result<Self, JsonError> {
        Ok(Self {
            inner: inner.deeper()?,
            elements: Vec::with_capacity(capacity.min(4096)),
            variant,
        })
    }

    fn add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        let index = self.elements.len();
        self.elements.push(
            value
                .serialize(self.inner)
                .map_err(|error| error.inside(Segment::Index(index)))?,
        );
        Ok(())
    }

    fn finish(self) -> Json {
        let value = Json::Array(self.elements.into());
        self.variant
            .map_or_else(|| value.clone(), |variant| variant.wrap(value.clone()))
    }
}

impl Members {
    fn new(inner: Serializer, variant: Option<Variant>) -> Result<Self, JsonError> {
        Ok(Self {
            inner: inner.deeper()?,
            object: Object::new(),
            key: None,
            variant,
        })
    }

    fn add<T: Serialize + ?Sized>(&mut self, key: Arc<str>, value: &T) -> Result<(), JsonError> {
        let value = value
            .serialize(self.inner)
            .map_err(|error| error.inside(Segment::Key(key.clone())))?;
        if self.object.insert(key.clone(), value).is_some() {
            let error = JsonError::new(
                JsonErrorKind::DuplicateKey,
                "the key comes twice; keep one".to_owned(),
            );
            return Err(error.inside(Segment::Key(key)));
        }
        Ok(())
    }

    fn finish(self) -> Json {
        let value = Json::Object(self.object);
        self.variant
            .map_or_else(|| value.clone(), |variant| variant.wrap(value.clone()))
    }
}

fn out_of_range(value: impl std::fmt::Display) -> JsonError {
    let detail = format!("the number {value} can't be held without loss; pass it as a string");
    JsonError::new(JsonErrorKind::NumberRange, detail)
}

impl ser::Serializer for Serializer {
    type Ok = Json;
    type Error = JsonError;
    type SerializeSeq = Sequence;
    type SerializeTuple = Sequence;
    type SerializeTupleStruct = Sequence;
    type SerializeTupleVariant = Sequence;
    type SerializeMap = Members;
    type SerializeStruct = Members;
    type SerializeStructVariant = Members;

    fn serialize_bool(self, value: bool) -> Result<Json, JsonError> {
        Ok(value.into())
    }

    fn serialize_i8(self, value: i8) -> Result<Json, JsonError> {
        Ok(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<Json, JsonError> {
        Ok(value.into())
    }

    fn serialize_i32(self, value: i32) -> Result<Json, JsonError> {
        Ok(value.into())
    }

    fn serialize_i64(self, value: i64) -> Result<Json, JsonError> {
        Ok(value.into())
    }

    fn serialize_i128(self, value: i128) -> Result<Json, JsonError> {
        match (i64::try_from(value), u64::try_from(value)) {
            (Ok(value), _) => Ok(value.into()),
            (_, Ok(value)) => Ok(value.into()),
            _ => Err(out_of_range(value)),
        }
    }

    fn serialize_u8(self, value: u8) -> Result<Json, JsonError> {
        Ok(value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<Json, JsonError> {
        Ok(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<Json, JsonError> {
        Ok(value.into())
    }

    fn serialize_u64(self, value: u64) -> Result<Json, JsonError> {
        Ok(value.into())
    }

    fn serialize_u128(self, value: u128) -> Result<Json, JsonError> {
        u64::try_from(value)
            .map(Json::from)
            .map_err(|_| out_of_range(value))
    }

    fn serialize_f32(self, value: f32) -> Result<Json, JsonError> {
        Number::try_from(f64::from(value)).map(Json::Number)
    }

    fn serialize_f64(self, value: f64) -> Result<Json, JsonError> {
        Number::try_from(value).map(Json::Number)
    }

    fn serialize_char(self, value: char) -> Result<Json, JsonError> {
        Ok(Json::from(value.encode_utf8(&mut [0; 4]) as &str))
    }

    fn serialize_str(self, value: &str) -> Result<Json, JsonError> {
        Ok(value.into())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<Json, JsonError> {
        Ok(value.iter().copied().collect())
    }

    fn serialize_none(self) -> Result<Json, JsonError> {
        Ok(Json::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Json, JsonError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Json, JsonError> {
        Ok(Json::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Json, JsonError> {
        Ok(Json::Null)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<Json, JsonError> {
        Ok(variant.into())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<Json, JsonError> {
        if std::ptr::eq(name, handover::NAME)
            && let Some(value) = handover::receive(|| _ = value.serialize(self))
        {
            return Ok(value);
        }
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Json, JsonError> {
        let variant = self.variant(variant)?;
        let value = value.serialize(variant.inner);
        value
            .map(|value| variant.wrap(value))
            .map_err(|error| error.inside(Segment::Key(variant.name.into())))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Sequence, JsonError> {
        Sequence::new(self, length.unwrap_or(0), None)
    }

    fn serialize_tuple(self, length: usize) -> Result<Sequence, JsonError> {
        Sequence::new(self, length, None)
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<Sequence, JsonError> {
        Sequence::new(self, length, None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Sequence, JsonError> {
        let variant = self.variant(variant)?;
        Sequence::new(variant.inner, length, Some(variant))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Members, JsonError> {
        Members::new(self, None)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Members, JsonError> {
        Members::new(self, None)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members, JsonError> {
        let variant = self.variant(variant)?;
        Members::new(variant.inner, Some(variant))
    }
}

macro_rules! sequence {
    ($($name:ident :: $method:ident),*) => {$(
        impl ser::$name for Sequence {
            type Ok = Json;
            type Error = JsonError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
                self.add(value)
            }

            fn end(self) -> Result<Json, JsonError> {
                Ok(self.finish())
            }
        }
    )*};
}

sequence!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

macro_rules! members {
    ($($name:ident),*) => {$(
        impl ser::$name for Members {
            type Ok = Json;
            type Error = JsonError;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), JsonError> {
                self.add(key.into(), value)
            }

            fn end(self) -> Result<Json, JsonError> {
                Ok(self.finish())
            }
        }
    )*};
}

members!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Members {
    type Ok = Json;
    type Error = JsonError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), JsonError> {
        let key = match key.serialize(self.inner)? {
            Json::String(text) => text,
            // As in every JSON library: `HashMap<u32, T>` is written with its keys as text.
            key @ (Json::Number(_) | Json::Bool(_)) => key.to_string().into(),
            key => {
                let detail = format!("a map key is {}; JSON keys are strings", key.type_name());
                return Err(JsonError::new(JsonErrorKind::KeyNotString, detail));
            }
        };
        self.key = Some(key);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        let key = self.key.take().unwrap_or_default();
        self.add(key, value)
    }

    fn end(self) -> Result<Json, JsonError> {
        Ok(self.finish())
    }
}
