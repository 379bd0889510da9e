//! JSON to Rust types, through serde.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{self, Deserialize, DeserializeOwned, DeserializeSeed, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::convert::too_deep;
use super::path::Segment;
use super::{
    Array, Json, JsonError, JsonErrorKind, MAX_TYPED_DEPTH, Number, Object, containers, handover,
};

impl Json {
    /// Reads this value as a Rust type.
    ///
    /// # Errors
    /// The value does not fit, or nests deeper than [`MAX_TYPED_DEPTH`] in what the type reads. The error names the path.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T, JsonError> {
        T::deserialize(Deserializer {
            value: self,
            levels: MAX_TYPED_DEPTH,
        })
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(
            handover::NAME,
            Build {
                levels: MAX_TYPED_DEPTH,
            },
        )
    }
}

/// Builds a value out of what a foreign deserializer reads, at most `levels` deep.
#[derive(Clone, Copy)]
struct Build {
    levels: usize,
}

impl Build {
    fn deeper<E: de::Error>(self) -> Result<Self, E> {
        self.levels
            .checked_sub(1)
            .map(|levels| Self { levels })
            .ok_or_else(|| E::custom(too_deep()))
    }
}

impl<'de> DeserializeSeed<'de> for Build {
    type Value = Json;

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Build {
    type Value = Json;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_newtype_struct<D: de::Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Json, D::Error> {
        match handover::take() {
            Some(value) => Ok(value),
            None => deserializer.deserialize_any(self),
        }
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Json, E> {
        Number::try_from(value).map(Json::Number).map_err(E::custom)
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_string<E: de::Error>(self, value: String) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_none<E: de::Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_some<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut sequence: A) -> Result<Json, A::Error> {
        let inner = self.deeper()?;
        let mut elements = Vec::new();
        while let Some(element) = sequence.next_element_seed(inner)? {
            elements.push(element);
        }
        Ok(Json::Array(elements.into()))
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let inner = self.deeper()?;
        let mut object = Object::new();
        while let Some(key) = map.next_key::<String>()? {
            let value = map.next_value_seed(inner)?;
            if object.contains_key(&key) {
                return Err(de::Error::custom(format_args!(
                    "the key {key:?} comes twice; keep one"
                )));
            }
            object.insert(key, value);
        }
        Ok(Json::Object(object))
    }
}

#[derive(Clone, Copy)]
struct Deserializer<'de> {
    value: &'de Json,
    levels: usize,
}

impl<'de> Deserializer<'de> {
    fn array<V: Visitor<'de>>(self, array: &'de Array, visitor: V) -> Result<V::Value, JsonError> {
        let levels = self.levels.checked_sub(1).ok_or_else(too_deep)?;
        let mut access = Elements {
            elements: array.iter(),
            index: 0,
            levels,
        };
        let value = visitor.visit_seq(&mut access)?;
        if access.elements.len() > 0 {
            return Err(de::Error::invalid_length(
                array.len(),
                &"fewer elements in the array",
            ));
        }
        Ok(value)
    }

    fn object<V: Visitor<'de>>(
        self,
        object: &'de Object,
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        let levels = self.levels.checked_sub(1).ok_or_else(too_deep)?;
        visitor.visit_map(Members {
            members: object.iter(),
            pending: None,
            levels,
        })
    }
}

impl<'de> de::Deserializer<'de> for Deserializer<'de> {
    type Error = JsonError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        match self.value {
            Json::Null => visitor.visit_unit(),
            Json::Bool(value) => visitor.visit_bool(*value),
            Json::String(text) => visitor.visit_borrowed_str(text),
            Json::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(value), _) => visitor.visit_u64(value),
                (None, Some(value)) => visitor.visit_i64(value),
                (None, None) => visitor.visit_f64(number.as_f64()),
            },
            Json::Array(array) => self.array(array, visitor),
            Json::Object(object) => self.object(object, visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        if self.value.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        if std::ptr::eq(name, handover::NAME) {
            return handover::leave(self.value, || visitor.visit_newtype_struct(self));
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        match self.value {
            Json::String(name) => visitor.visit_enum(StrDeserializer::<JsonError>::new(name)),
            Json::Object(object) if object.len() == 1 => {
                let levels = self.levels.checked_sub(1).ok_or_else(too_deep)?;
                match object.iter().next() {
                    Some((name, value)) => visitor.visit_enum(Variant {
                        name,
                        value,
                        levels,
                    }),
                    None => Err(de::Error::custom("an object without its one member")),
                }
            }
            other => {
                let detail = format!(
                    "expected a string or an object with one member, found {}",
                    describe(other)
                );
                Err(JsonError::new(JsonErrorKind::Mismatch, detail))
            }
        }
    }

    // Nothing is read, so that an unknown field may be as deep as it likes.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier
    }
}

fn describe(value: &Json) -> &'static str {
    match value {
        Json::Object(_) => "an object with another number of members",
        other => other.type_name(),
    }
}

struct Elements<'de> {
    elements: std::slice::Iter<'de, Json>,
    index: usize,
    levels: usize,
}

impl<'de> de::SeqAccess<'de> for &mut Elements<'de> {
    type Error = JsonError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, JsonError> {
        let Some(value) = self.elements.next() else {
            return Ok(None);
        };
        let index = self.index;
        self.index += 1;
        let element = seed.deserialize(Deserializer {
            value,
            levels: self.levels,
        });
        element
            .map(Some)
            .map_err(|error| error.inside(Segment::Index(index)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.elements.len())
    }
}

struct Members<'de> {
    members: containers::Iter<'de>,
    pending: Option<(&'de str, &'de Json)>,
    levels: usize,
}

impl<'de> de::MapAccess<'de> for Members<'de> {
    type Error = JsonError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, JsonError> {
        self.pending = self.members.next();
        let Some((key, _)) = self.pending else {
            return Ok(None);
        };
        let value = seed.deserialize(MapKey(key));
        value
            .map(Some)
            .map_err(|error| error.inside(Segment::Key(key.into())))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, JsonError> {
        let (key, value) = self.pending.take().unwrap_or(("", &Json::Null));
        let value = seed.deserialize(Deserializer {
            value,
            levels: self.levels,
        });
        value.map_err(|error| error.inside(Segment::Key(key.into())))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.members.len())
    }
}

/// A key, which may be wanted as an integer: `HashMap<u32, T>` is written with its keys as text.
struct MapKey<'de>(&'de str);

macro_rules! numeric_keys {
    ($($method:ident => $visit:ident),*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
            match self.0.parse() {
                Ok(value) => visitor.$visit(value),
                Err(_) => visitor.visit_borrowed_str(self.0),
            }
        }
    )*};
}

impl<'de> de::Deserializer<'de> for MapKey<'de> {
    type Error = JsonError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        visitor.visit_enum(StrDeserializer::<JsonError>::new(self.0))
    }

    numeric_keys! {
        deserialize_bool => visit_bool,
        deserialize_i8 => visit_i8, deserialize_i16 => visit_i16, deserialize_i32 => visit_i32, deserialize_i64 => visit_i64,
        deserialize_u8 => visit_u8, deserialize_u16 => visit_u16, deserialize_u32 => visit_u32, deserialize_u64 => visit_u64
    }

    forward_to_deserialize_any! {
        i128 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier
        ignored_any
    }
}

struct Variant<'de> {
    name: &'de str,
    value: &'de Json,
    levels: usize,
}

impl<'de> Variant<'de> {
    fn inside<T>(
        &self,
        read: impl FnOnce(Deserializer<'de>) -> Result<T, JsonError>,
    ) -> Result<T, JsonError> {
        read(Deserializer {
            value: self.value,
            levels: self.levels,
        })
        .map_err(|error| error.inside(Segment::Key(self.name.into())))
    }
}

impl<'de> de::EnumAccess<'de> for Variant<'de> {
    type Error = JsonError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), JsonError> {
        let name: StrDeserializer<'_, JsonError> = self.name.into_deserializer();
        seed.deserialize(name).map(|value| (value, self))
    }
}

impl<'de> de::VariantAccess<'de> for Variant<'de> {
    type Error = JsonError;

    fn unit_variant(self) -> Result<(), JsonError> {
        self.inside(<()>::deserialize)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, JsonError> {
        self.inside(|inner| seed.deserialize(inner))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, JsonError> {
        self.inside(|inner| de::Deserializer::deserialize_seq(inner, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        self.inside(|inner| de::Deserializer::deserialize_map(inner, visitor))
    }
}
