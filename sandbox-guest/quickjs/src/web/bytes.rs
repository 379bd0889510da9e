//! UTF-8 and random bytes.

use super::misuse;
use crate::engine::{JsResult, Kind, Value};
use crate::realm::realm;
use crate::world;

/// The most bytes that one call of `getRandomValues` fills, as everywhere.
const MAX_RANDOM_BYTES: usize = 65_536;

/// `encodeUtf8(text)`: lone surrogates become U+FFFD.
pub(super) fn encode_utf8(_: &Value, arguments: &[Value]) -> JsResult<Value> {
    let text = arguments
        .first()
        .filter(|text| text.kind() == Kind::String)
        .ok_or_else(misuse)?;
    let bytes = text.with_bytes(|bytes| match std::str::from_utf8(bytes) {
        Ok(text) => Value::uint8_array(text.as_bytes()),
        Err(_) => Value::uint8_array(well_formed(text).as_bytes()),
    });
    bytes.unwrap_or_else(|| Err(misuse()))
}

fn well_formed(text: &Value) -> String {
    text.with_utf16(String::from_utf16_lossy)
        .unwrap_or_default()
}

/// `decodeUtf8(bytes, rest, stream)`: the text, the bytes of an unfinished character at the end where `stream`, and
/// whether all was valid. `undefined` where `bytes` are none.
pub(super) fn decode_utf8(_: &Value, arguments: &[Value]) -> JsResult<Value> {
    let [bytes, rest, stream] = arguments else {
        return Err(misuse());
    };
    let mut input = Vec::new();
    for index in 0..rest.length()? as u32 {
        input.push(rest.get_index(index)?.as_number().unwrap_or_default() as u8);
    }
    if bytes
        .with_buffer(|bytes| input.extend_from_slice(bytes))
        .is_none()
    {
        return Ok(Value::UNDEFINED);
    }
    let unfinished = if stream.convert_to_bool() {
        unfinished_bytes(&input)
    } else {
        0
    };
    let rest = input.split_off(input.len() - unfinished);
    let text = String::from_utf8_lossy(&input);
    let valid = matches!(text, std::borrow::Cow::Borrowed(_));
    let rest = rest
        .into_iter()
        .map(|byte| Value::int(byte.into()))
        .collect();
    Value::array(vec![
        Value::string(&text)?,
        Value::array(rest)?,
        Value::bool(valid),
    ])
}

/// Bytes at the end that begin a character whose other bytes are still to come.
fn unfinished_bytes(input: &[u8]) -> usize {
    for (index, byte) in input.iter().rev().take(3).enumerate() {
        let length = match byte {
            0x80..=0xbf => continue,
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0.. => 4,
            _ => 1,
        };
        return if length > index + 1 { index + 1 } else { 0 };
    }
    0
}

/// `fillRandom(array)`.
pub(super) fn fill_random(_: &Value, arguments: &[Value]) -> JsResult<Value> {
    let Some(array) = arguments
        .first()
        .filter(|array| array.is_object() && array.is_typed_array())
    else {
        return Err(realm().type_error("getRandomValues needs a typed array of integers"));
    };
    let filled = array.with_buffer(|bytes| {
        if bytes.len() > MAX_RANDOM_BYTES {
            return false;
        }
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&world::random().to_le_bytes()[..chunk.len()]);
        }
        true
    });
    if filled == Some(true) {
        return Ok(array.clone());
    }
    Err(realm().range_error(&format!(
        "getRandomValues fills at most {MAX_RANDOM_BYTES} bytes"
    )))
}

/// `randomUuid()`: version 4.
pub(super) fn random_uuid(_: &Value, _: &[Value]) -> JsResult<Value> {
    let high = world::random() & !0xf000 | 0x4000;
    let low = world::random() & !(0b11 << 62) | (0b10 << 62);
    let text = format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    );
    Value::string(&text)
}
