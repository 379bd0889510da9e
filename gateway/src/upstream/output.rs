//! A server's output schema, as far as it can be enforced: a schema of the subset (SPEC B1) that takes every value that the
//! server's own takes.
//!
//! What the subset can't say is widened, never narrowed: bounds and formats fall away, a recursive part becomes any JSON,
//! alternatives that overlap become their common type.

use lockgate::{
    Json, json,
    json::{Array, Object},
    schema::Schema,
};

/// Levels of a schema; deeper parts are any JSON.
const MAX_DEPTH: usize = 64;
/// Parts of a schema, with every `$ref` put in place; those after it are any JSON.
const MAX_PARTS: usize = 10_000;
/// Losses that are told of one schema.
const MAX_LOSSES: usize = 4;

/// The schema to enforce, and what of the server's own it can't say.
///
/// # Errors
/// Nothing of it can be enforced.
pub(super) fn enforceable(root: &Json, wrapped: bool) -> Result<(Schema, Vec<String>), String> {
    let mut widening = Widening {
        root,
        references: Vec::new(),
        parts: 0,
        losses: Vec::new(),
    };
    let start = if wrapped {
        &root["properties"]["result"]
    } else {
        root
    };
    let widened = widening.schema(start, 0);
    let schema = Schema::compile(&widened).map_err(|error| error.to_string())?;
    Ok((schema, widening.losses))
}

struct Widening<'a> {
    root: &'a Json,
    /// The `$ref`s that are being put in place.
    references: Vec<&'a str>,
    parts: usize,
    losses: Vec<String>,
}

impl<'a> Widening<'a> {
    /// Recurses at most [`MAX_DEPTH`] levels.
    fn schema(&mut self, schema: &'a Json, depth: usize) -> Json {
        self.parts += 1;
        if depth > MAX_DEPTH || self.parts > MAX_PARTS {
            self.lose("it is too large to check all of it");
            return Json::empty_object();
        }
        let Some(object) = schema.as_object() else {
            if schema.as_bool() != Some(true) {
                self.lose("a part that no value fits is not checked");
            }
            return Json::empty_object();
        };
        let mut widened = self.keywords(object, depth);
        if object.get("nullable").and_then(Json::as_bool) == Some(true) {
            widened = self.union(vec![widened, json!({"type": "null"})]);
        }
        describe(widened, object)
    }

    fn keywords(&mut self, object: &'a Object, depth: usize) -> Json {
        if let Some(reference) = object.get("$ref").and_then(Json::as_str) {
            return self.reference(reference, depth);
        }
        for key in [
            "not",
            "if",
            "dependentSchemas",
            "dependentRequired",
            "unevaluatedProperties",
        ] {
            if object.contains_key(key) {
                self.lose(&format!("`{key}` is not checked"));
            }
        }
        let ty = match object.get("type") {
            Some(Json::String(name)) => Some(&**name),
            Some(Json::Array(types)) => {
                let alternatives: Vec<Json> = types
                    .iter()
                    .filter_map(Json::as_str)
                    .map(|name| self.typed(name, object, depth))
                    .collect();
                return self.union(alternatives);
            }
            _ => None,
        };
        if ty.is_none() {
            for key in ["oneOf", "anyOf"] {
                if let Some(alternatives) = object.get(key).and_then(Json::as_array) {
                    let alternatives = alternatives
                        .iter()
                        .map(|alternative| self.schema(alternative, depth + 1))
                        .collect();
                    return self.union(alternatives);
                }
            }
            if let Some(parts) = object.get("allOf").and_then(Json::as_array) {
                return self.intersection(parts, depth);
            }
            if object.contains_key("enum") || object.contains_key("const") {
                return self.literals(object);
            }
        } else if ["oneOf", "anyOf", "allOf"]
            .iter()
            .any(|key| object.contains_key(key))
        {
            self.lose("alternatives beside a `type` are not checked");
        }
        match ty {
            Some(name) => self.typed(name, object, depth),
            None if object.contains_key("properties") => self.typed("object", object, depth),
            None => Json::empty_object(),
        }
    }

    fn reference(&mut self, reference: &'a str, depth: usize) -> Json {
        let target = reference
            .strip_prefix('#')
            .and_then(|pointer| self.root.pointer(pointer));
        let Some(target) = target else {
            self.lose("a `$ref` leads nowhere");
            return Json::empty_object();
        };
        if self.references.contains(&reference) {
            self.lose("what contains itself is checked once");
            return Json::empty_object();
        }
        self.references.push(reference);
        let widened = self.schema(target, depth + 1);
        self.references.pop();
        widened
    }

    fn typed(&mut self, name: &str, object: &'a Object, depth: usize) -> Json {
        match name {
            "object" => self.object(object, depth),
            "array" => {
                let mut array = json!({"type": "array"});
                match object.get("items") {
                    _ if object.contains_key("prefixItems") => {
                        self.lose("the elements of a tuple are not checked");
                    }
                    Some(items @ Json::Object(_)) => {
                        array = with(&array, "items", self.schema(items, depth + 1));
                    }
                    Some(Json::Array(_)) => self.lose("the elements of a tuple are not checked"),
                    _ => {}
                }
                array
            }
            "string" | "number" | "integer" | "boolean" | "null" => {
                let scalar = json!({"type": name});
                match literals_of(object, name) {
                    Some(members) if name != "null" && !members.is_empty() => {
                        with(&scalar, "enum", members.into())
                    }
                    _ => scalar,
                }
            }
            _ => {
                self.lose("a type that JSON has not is not checked");
                Json::empty_object()
            }
        }
    }

    fn object(&mut self, object: &'a Object, depth: usize) -> Json {
        let mut properties = Object::new();
        for (name, property) in object
            .get("properties")
            .and_then(Json::as_object)
            .into_iter()
            .flatten()
        {
            properties.insert(name, self.schema(property, depth + 1));
        }
        let mut required = Array::new();
        for name in object
            .get("required")
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
            .filter_map(Json::as_str)
        {
            if !properties.contains_key(name) {
                properties.insert(name, Json::empty_object());
            }
            if !required.iter().any(|other| other.as_str() == Some(name)) {
                required.push(name);
            }
        }
        let mut widened = Object::new();
        widened.insert("type", "object");
        let closed = match object.get("additionalProperties") {
            Some(Json::Bool(false)) => !object.contains_key("patternProperties"),
            Some(Json::Object(values)) if !values.is_empty() => {
                self.lose("the values of a map are not checked");
                false
            }
            _ => false,
        };
        if object.contains_key("patternProperties") {
            self.lose("`patternProperties` is not checked");
        }
        if !properties.is_empty() || closed {
            widened.insert("properties", properties);
        }
        if !required.is_empty() {
            widened.insert("required", required);
        }
        if closed {
            widened.insert("additionalProperties", false);
        }
        Json::Object(widened)
    }

    /// `enum` or `const` without a `type`.
    fn literals(&mut self, object: &Object) -> Json {
        let types = ["string", "number", "boolean", "null"];
        let members = object
            .get("enum")
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
            .chain(object.get("const"));
        if members
            .clone()
            .any(|member| !types.contains(&member.type_name()))
        {
            self.lose("literals that are no scalars are not checked");
            return Json::empty_object();
        }
        let alternatives = types
            .iter()
            .filter(|name| members.clone().any(|member| member.type_name() == **name))
            .map(|name| match literals_of(object, name) {
                Some(members) if *name != "null" => {
                    json!({"type": *name, "enum": (Json::from(members))})
                }
                _ => json!({"type": *name}),
            })
            .collect();
        self.union(alternatives)
    }

    /// What fits all parts: objects are put together, of others the first counts.
    fn intersection(&mut self, parts: &'a Array, depth: usize) -> Json {
        let mut widened: Vec<Json> = parts
            .iter()
            .map(|part| self.schema(part, depth + 1))
            .filter(|part| part.as_object().is_some_and(|part| !part.is_empty()))
            .collect();
        if widened.len() == 1 {
            return widened.remove(0);
        }
        self.lose("`allOf` is checked in part");
        if widened.is_empty()
            || widened
                .iter()
                .any(|part| part["type"].as_str() != Some("object"))
        {
            return widened
                .into_iter()
                .next()
                .unwrap_or_else(Json::empty_object);
        }
        let (mut properties, mut required) = (Object::new(), Array::new());
        for part in &widened {
            for (name, property) in part["properties"].as_object().into_iter().flatten() {
                // Declared twice: the first is as true as the second.
                if !properties.contains_key(name) {
                    properties.insert(name, property);
                }
            }
            for name in part["required"].as_array().into_iter().flatten() {
                if !required.contains(name) {
                    required.push(name);
                }
            }
        }
        let mut whole = Object::new();
        whole.insert("type", "object");
        if !properties.is_empty() {
            whole.insert("properties", properties);
        }
        if !required.is_empty() {
            whole.insert("required", required);
        }
        Json::Object(whole)
    }

    /// Alternatives of which at most one fits any value, as `oneOf` demands.
    fn union(&mut self, alternatives: Vec<Json>) -> Json {
        let mut flat: Vec<Json> = Vec::new();
        for alternative in alternatives {
            let inner = alternative.get("oneOf").and_then(Json::as_array);
            for part in inner.map_or_else(|| vec![alternative.clone()], |inner| inner.to_vec()) {
                if !flat.iter().any(|other| same(other, &part)) {
                    flat.push(part);
                }
            }
        }
        if flat.iter().any(|part| part.get("type").is_none()) {
            return Json::empty_object();
        }
        // An integer is a number: the two are one group, and every number takes in every integer.
        let any_number =
            |part: &Json| part["type"].as_str() == Some("number") && part.get("enum").is_none();
        if flat.iter().any(any_number) {
            flat.retain(|part| part["type"].as_str() != Some("integer"));
        } else if flat
            .iter()
            .any(|part| part["type"].as_str() == Some("number"))
        {
            for part in &mut flat {
                if part["type"].as_str() == Some("integer") {
                    *part = with(part, "type", "number".into());
                }
            }
        }
        let mut groups: Vec<Vec<Json>> = Vec::new();
        for part in flat {
            match groups
                .iter_mut()
                .find(|group| group[0]["type"] == part["type"])
            {
                Some(group) => group.push(part),
                None => groups.push(vec![part]),
            }
        }
        let mut parts = Vec::new();
        for group in groups {
            let overlap = group
                .iter()
                .enumerate()
                .any(|(index, left)| group[..index].iter().any(|right| !disjoint(left, right)));
            if overlap {
                self.lose("alternatives that overlap are checked by their type alone");
                parts.push(json!({"type": (group[0]["type"].clone())}));
            } else {
                parts.extend(group);
            }
        }
        match parts.len() {
            0 => Json::empty_object(),
            1 => parts.remove(0),
            _ => json!({"oneOf": (Json::from(parts))}),
        }
    }

    fn lose(&mut self, what: &str) {
        if self.losses.len() < MAX_LOSSES && !self.losses.iter().any(|loss| loss == what) {
            self.losses.push(what.to_owned());
        }
    }
}

/// The literals of one type; none where any value of the type fits.
fn literals_of(object: &Object, ty: &str) -> Option<Vec<Json>> {
    let fits = |member: &&Json| match ty {
        "integer" => member.as_number().is_some_and(|number| number.is_integer()),
        ty => member.type_name() == ty,
    };
    if let Some(constant) = object.get("const") {
        return Some(Some(constant).filter(fits).cloned().into_iter().collect());
    }
    let members = object.get("enum")?.as_array()?;
    let mut own: Vec<Json> = Vec::new();
    for member in members.iter().filter(fits) {
        if !own.contains(member) {
            own.push(member.clone());
        }
    }
    Some(own)
}

/// Says of a widened schema what its author says.
fn describe(widened: Json, object: &Object) -> Json {
    let Some(Json::String(text)) = object.get("description") else {
        return widened;
    };
    with(&widened, "description", Json::String(text.clone()))
}

fn with(schema: &Json, key: &str, value: Json) -> Json {
    let mut object = schema.as_object().cloned().unwrap_or_default();
    object.insert(key, value);
    Json::Object(object)
}

/// Equal but for what is said about them.
fn same(left: &Json, right: &Json) -> bool {
    let bare = |schema: &Json| -> Vec<(String, Json)> {
        schema
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(key, _)| *key != "description")
            .map(|(key, value)| (key.to_owned(), value.clone()))
            .collect()
    };
    bare(left) == bare(right)
}

/// True when surely no value fits both, which are of one type: their literals differ, or those of a property that both demand.
fn disjoint(left: &Json, right: &Json) -> bool {
    if left["type"].as_str() != Some("object") {
        return literals_differ(left, right);
    }
    let demands = |schema: &Json, name: &Json| {
        schema["required"]
            .as_array()
            .is_some_and(|names| names.contains(name))
    };
    left["required"]
        .as_array()
        .into_iter()
        .flatten()
        .any(|name| {
            let key = name.as_str().unwrap_or_default();
            demands(right, name)
                && literals_differ(&left["properties"][key], &right["properties"][key])
        })
}

fn literals_differ(left: &Json, right: &Json) -> bool {
    if left["type"] != right["type"] && left.get("type").is_some() && right.get("type").is_some() {
        let number = |schema: &Json| matches!(schema["type"].as_str(), Some("number" | "integer"));
        return !(number(left) && number(right));
    }
    match (left["enum"].as_array(), right["enum"].as_array()) {
        (Some(left), Some(right)) => left.iter().all(|member| !right.contains(member)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::enforceable;
    use lockgate::{Json, json};

    /// SPEC B1: what is enforced, with what it takes and refuses, and whether anything was lost.
    #[test]
    fn widens_what_the_subset_cannot_say() {
        /// Schema, enforced, taken, refused, lossy.
        type Case<'a> = (&'a str, &'a str, &'a [&'a str], &'a [&'a str], bool);
        let cases: &[Case] = &[
            (
                r#"{"type":"object","properties":{"n":{"type":"integer","minimum":0}},"required":["n"],"additionalProperties":false,"$schema":"x"}"#,
                r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}"#,
                &[r#"{"n":-1}"#],
                &[r#"{"n":"1"}"#, r#"{"n":1,"m":2}"#, "{}"],
                false,
            ),
            (
                r##"{"$ref":"#/$defs/N","$defs":{"N":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/N"},{"type":"null"}]}}}}}"##,
                r#"{"type":"object","properties":{"next":{}}}"#,
                &[r#"{"next":{"next":null}}"#],
                &["1"],
                true,
            ),
            (
                r#"{"anyOf":[{"type":"string"},{"type":"null"}],"description":"d"}"#,
                r#"{"oneOf":[{"type":"string"},{"type":"null"}],"description":"d"}"#,
                &["null", "\"a\""],
                &["1"],
                false,
            ),
            (
                r#"{"type":["integer","number","null"]}"#,
                r#"{"oneOf":[{"type":"number"},{"type":"null"}]}"#,
                &["1", "1.5", "null"],
                &["\"1\""],
                false,
            ),
            (
                r#"{"oneOf":[{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}]}"#,
                r#"{"oneOf":[{"type":"object","properties":{"k":{"type":"string","enum":["a"]}},"required":["k"]},{"type":"object","properties":{"k":{"type":"string","enum":["b"]}},"required":["k"]}]}"#,
                &[r#"{"k":"a"}"#],
                &[r#"{"k":"c"}"#],
                false,
            ),
            (
                r#"{"anyOf":[{"type":"object","properties":{"a":{}}},{"type":"object","properties":{"b":{}}}]}"#,
                r#"{"type":"object"}"#,
                &[r#"{"a":1,"b":2}"#],
                &["[]"],
                true,
            ),
            (
                r#"{"type":"object","required":["x"],"additionalProperties":{"type":"string"}}"#,
                r#"{"type":"object","properties":{"x":{}},"required":["x"]}"#,
                &[r#"{"x":1}"#],
                &["{}"],
                true,
            ),
            (
                r#"{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"type":"object","properties":{"b":{"type":"number"}}}]}"#,
                r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"number"}},"required":["a"]}"#,
                &[r#"{"a":"x"}"#],
                &[r#"{"b":1}"#],
                true,
            ),
            (
                r#"{"enum":["a",1,null]}"#,
                r#"{"oneOf":[{"type":"string","enum":["a"]},{"type":"number","enum":[1]},{"type":"null"}]}"#,
                &["1", "null"],
                &["2"],
                false,
            ),
            (
                r#"{"type":"string","nullable":true}"#,
                r#"{"oneOf":[{"type":"string"},{"type":"null"}]}"#,
                &["null"],
                &["1"],
                false,
            ),
            ("{}", "{}", &["1"], &[], false),
            ("false", "{}", &["1"], &[], true),
            (
                r#"{"type":"array","items":[{"type":"string"}]}"#,
                r#"{"type":"array"}"#,
                &["[1]"],
                &["1"],
                true,
            ),
        ];
        for (given, expected, taken, refused, lossy) in cases {
            let (schema, losses) = enforceable(&Json::parse(given).unwrap(), false).unwrap();
            assert_eq!(schema.as_json(), &Json::parse(expected).unwrap(), "{given}");
            assert_eq!(!losses.is_empty(), *lossy, "{given}: {losses:?}");
            for value in *taken {
                assert!(
                    schema.accepts(&Json::parse(value).unwrap()),
                    "{given}: {value}"
                );
            }
            for value in *refused {
                assert!(
                    !schema.accepts(&Json::parse(value).unwrap()),
                    "{given}: {value}"
                );
            }
        }
    }

    #[test]
    fn unwraps_what_fastmcp_wrapped() {
        let root = json!({
            "type": "object",
            "properties": {"result": {"$ref": "#/$defs/T"}},
            "$defs": {"T": {"type": "array", "items": {"type": "integer"}}},
        });
        let (schema, losses) = enforceable(&root, true).unwrap();
        assert_eq!(
            schema.as_json(),
            &json!({"type": "array", "items": {"type": "integer"}})
        );
        assert!(losses.is_empty());
    }

    /// Doubling references would unfold to 2^40 parts.
    #[test]
    fn bounds_what_unfolds() {
        let mut definitions = lockgate::json::Object::new();
        for level in 0..40 {
            let next = json!({"$ref": (format!("#/$defs/T{}", level + 1))});
            let name = format!("T{level}");
            definitions.insert(
                name.as_str(),
                json!({"type": "object", "properties": {"a": (next.clone()), "b": (next)}}),
            );
        }
        definitions.insert("T40", json!({"type": "string"}));
        let root = json!({"$ref": "#/$defs/T0", "$defs": (Json::Object(definitions))});
        let (_, losses) = enforceable(&root, false).unwrap();
        assert_eq!(losses, ["it is too large to check all of it"]);
    }
}
