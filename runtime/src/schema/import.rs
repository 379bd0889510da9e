//! Rust types to [`Schema`], through `schemars`: whatever fits the subset without loss.

use std::sync::Arc;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

use super::{Schema, SchemaError, Violation};
use crate::json::{Array, Json, MAX_TYPED_DEPTH, Object, Segment, render_path};

/// Schemas that one type may unfold into when its `$ref`s are put in place.
const MAX_NODES: usize = 100_000;

impl Schema {
    /// The schema of what `T` reads: arguments.
    ///
    /// References are put in place, an `Option` may be left out or null, enums become `enum` or `oneOf`. Limits that the
    /// Rust type keeps by itself (the range of a `u8`) are left to it.
    ///
    /// ```
    /// #[derive(schemars::JsonSchema, serde::Deserialize)]
    /// struct Arguments {
    ///     /// Directory path.
    ///     path: String,
    ///     limit: Option<u32>,
    /// }
    ///
    /// let schema = lockgate::Schema::from_type::<Arguments>()?;
    /// assert!(schema.accepts(&lockgate::json!({"path": "."})));
    /// assert!(!schema.accepts(&lockgate::json!({"path": ".", "limit": "3"})));
    /// # Ok::<(), lockgate::schema::SchemaError>(())
    /// ```
    ///
    /// # Errors
    /// What the subset can't say, with the path: maps with typed values, tuples, recursive types, `range`, `regex`, …
    pub fn from_type<T: JsonSchema>() -> Result<Self, SchemaError> {
        import::<T>(SchemaSettings::draft2020_12().for_deserialize())
    }

    /// The schema of what `T` writes: outputs. It differs where serde does, e.g. a field with a default is always there.
    ///
    /// # Errors
    /// As [`Schema::from_type`].
    pub fn from_output_type<T: JsonSchema>() -> Result<Self, SchemaError> {
        import::<T>(SchemaSettings::draft2020_12().for_serialize())
    }
}

fn import<T: JsonSchema>(settings: SchemaSettings) -> Result<Schema, SchemaError> {
    let settings = settings.with(|settings| settings.inline_subschemas = true);
    let root = settings.into_generator().into_root_schema_for::<T>();
    let root = Json::try_from(serde_json::Value::from(root)).map_err(|error| {
        SchemaError::new(vec![Violation::new(
            error.path(),
            error.detail().to_owned(),
        )])
    })?;
    let definitions = root
        .get("$defs")
        .and_then(Json::as_object)
        .cloned()
        .unwrap_or_default();
    let mut importer = Importer {
        definitions,
        violations: Vec::new(),
        path: Vec::new(),
        references: Vec::new(),
        nodes: 0,
    };
    let mut top: Object = root
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(key, _)| !matches!(*key, "$schema" | "$defs"))
        .map(|(key, value)| (key, value.clone()))
        .collect();
    // The generator names the root after the type, which tells a model nothing.
    if top.get("title").and_then(Json::as_str) == Some(&*T::schema_name()) {
        top = top
            .iter()
            .filter(|(key, _)| *key != "title")
            .map(|(key, value)| (key, value.clone()))
            .collect();
    }
    let schema = importer.schema(&Json::Object(top));
    if importer.violations.is_empty() {
        Schema::compile(&schema)
    } else {
        Err(SchemaError::new(importer.violations))
    }
}

/// Recurses over a Rust type's schema, which its author wrote: as deep as types nest, and bounded.
struct Importer {
    definitions: Object,
    violations: Vec<Violation>,
    path: Vec<Segment>,
    /// The `$ref`s that are being put in place.
    references: Vec<Arc<str>>,
    nodes: usize,
}

impl Importer {
    fn schema(&mut self, schema: &Json) -> Json {
        self.nodes += 1;
        if self.nodes > MAX_NODES || self.path.len() > MAX_TYPED_DEPTH {
            if self.nodes <= MAX_NODES + 1 {
                self.refuse("the type unfolds into too large a schema; take that part as `Json`");
            }
            return Json::empty_object();
        }
        match schema {
            Json::Bool(true) => Json::empty_object(),
            Json::Object(object) => match object.get("$ref").and_then(Json::as_str) {
                Some(reference) => self.reference(object, reference),
                None => self.object(object),
            },
            other => {
                self.refuse(&format!("no value fits this type (schema `{other}`)"));
                Json::empty_object()
            }
        }
    }

    fn reference(&mut self, object: &Object, reference: &str) -> Json {
        let name = reference
            .strip_prefix("#/$defs/")
            .map(|name| name.replace("~1", "/").replace("~0", "~"));
        let target = name
            .as_ref()
            .and_then(|name| self.definitions.get(name))
            .and_then(Json::as_object)
            .cloned();
        let (Some(name), Some(target)) = (name, target) else {
            self.refuse(&format!("the reference {reference} leads nowhere"));
            return Json::empty_object();
        };
        if self.references.iter().any(|open| **open == *name) {
            self.refuse(&format!(
                "`{name}` contains itself; take that part as `Json`"
            ));
            return Json::empty_object();
        }
        self.references.push(name.into());
        // What stands beside a reference holds as well.
        let mut beside = Object::new();
        for (key, value) in object.iter().filter(|(key, _)| *key != "$ref") {
            beside.insert(key, value);
        }
        let merged = self.merge(&target, &beside);
        let schema = self.schema(&Json::Object(merged));
        self.references.pop();
        schema
    }

    /// A schema that says what both say.
    fn merge(&mut self, left: &Object, right: &Object) -> Object {
        let mut merged = left.clone();
        for (key, value) in right {
            let merged_value = match (key, merged.get(key), value) {
                (_, None, value) => value.clone(),
                (_, Some(old), value) if old == value => continue,
                (
                    "description" | "title" | "default" | "examples" | "deprecated",
                    Some(_),
                    value,
                ) => value.clone(),
                ("required", Some(Json::Array(old)), Json::Array(new)) => {
                    let mut names = old.clone();
                    new.iter()
                        .filter(|name| !old.contains(name))
                        .for_each(|name| names.push(name));
                    Json::Array(names)
                }
                ("properties", Some(Json::Object(old)), Json::Object(new)) => {
                    let mut properties = old.clone();
                    for (name, schema) in new {
                        if let Some(other) = properties.insert(name, schema)
                            && other != *schema
                        {
                            self.refuse(&format!("the property `{name}` is declared twice"));
                        }
                    }
                    Json::Object(properties)
                }
                (key, Some(_), _) => {
                    self.refuse(&format!("`{key}` is said twice, differently"));
                    continue;
                }
            };
            merged.insert(key, merged_value);
        }
        let closed =
            |object: &Object| object.get("additionalProperties") == Some(&Json::Bool(false));
        if closed(left) != closed(right)
            && left.contains_key("properties")
            && right.contains_key("properties")
        {
            self.refuse("a type that denies unknown fields is put together with another one");
        }
        merged
    }

    fn object(&mut self, object: &Object) -> Json {
        if let Some(parts) = object.get("allOf").and_then(Json::as_array) {
            let mut whole: Object = object
                .iter()
                .filter(|(key, _)| *key != "allOf")
                .map(|(key, value)| (key, value.clone()))
                .collect();
            for part in parts {
                match part {
                    Json::Object(part) if !part.contains_key("$ref") => {
                        whole = self.merge(part, &whole)
                    }
                    Json::Object(_) if parts.len() == 1 => {
                        whole = self.merge(&part_of(part), &whole)
                    }
                    _ => self.refuse("`allOf` of references can't be put in place"),
                }
            }
            return self.schema(&Json::Object(whole));
        }
        if let Some(types) = object.get("type").and_then(Json::as_array) {
            return self.type_list(object, types);
        }
        if !object.contains_key("type")
            && (object.contains_key("enum") || object.contains_key("const"))
        {
            return self.untyped_literals(object);
        }
        let ty = object.get("type").and_then(Json::as_str).unwrap_or("");
        let mut schema = Object::new();
        let mut notes = Vec::new();
        for (key, value) in object {
            self.path.push(Segment::from(key));
            self.keyword(object, ty, key, value, &mut schema, &mut notes);
            self.path.pop();
        }
        if !notes.is_empty() {
            let described = schema
                .get("description")
                .and_then(Json::as_str)
                .map(str::to_owned);
            let text = described
                .into_iter()
                .chain(notes)
                .collect::<Vec<_>>()
                .join(" ");
            schema.insert("description", text);
        }
        Json::Object(schema)
    }

    fn keyword(
        &mut self,
        object: &Object,
        ty: &str,
        key: &str,
        value: &Json,
        schema: &mut Object,
        notes: &mut Vec<String>,
    ) {
        match (key, value) {
            ("properties", Json::Object(properties)) => {
                let mut imported = Object::new();
                for (name, property) in properties.shared_iter() {
                    self.path.push(Segment::Key(name.clone()));
                    imported.insert(name.clone(), self.schema(property));
                    self.path.pop();
                }
                schema.insert(key, imported);
            }
            ("items", Json::Bool(true)) => {}
            ("items", items) => {
                let items = self.schema(items);
                schema.insert(key, items);
            }
            ("oneOf" | "anyOf", Json::Array(alternatives)) => {
                self.alternatives(key, alternatives, schema)
            }
            ("additionalProperties" | "unevaluatedProperties", Json::Bool(open)) => {
                schema.insert("additionalProperties", *open);
            }
            ("additionalProperties", Json::Object(any)) if any.is_empty() => {
                _ = schema.insert(key, true)
            }
            ("additionalProperties", _) => self.refuse(
                "a map with typed values has no place in the subset; use `HashMap<String, Json>`",
            ),
            ("format", Json::String(format)) if ty == "string" => {
                notes.push(format!("Format: {format}."))
            }
            ("format", _) => {}
            ("minimum" | "maximum", bound) => {
                if !is_own_bound(object, key, bound) {
                    self.refuse("a range has no place in the subset; say it in the doc comment and check it in the tool");
                }
            }
            ("deprecated", Json::Bool(true)) => notes.push("Deprecated.".to_owned()),
            ("deprecated" | "readOnly" | "writeOnly" | "$comment", _) => {}
            ("contentEncoding" | "contentMediaType", Json::String(text)) => {
                notes.push(format!("Content: {text}."))
            }
            ("prefixItems" | "minItems" | "maxItems", _) => {
                // Once for the three.
                let first = ["prefixItems", "minItems", "maxItems"]
                    .into_iter()
                    .find(|key| object.contains_key(key));
                if first == Some(key) {
                    self.refuse("a list of limited length has no place in the subset; use `Vec` or a struct");
                }
            }
            ("uniqueItems", _) => self.refuse("a set has no place in the subset; use `Vec`"),
            // Everything else is for the compiler to accept or to refuse.
            _ => _ = schema.insert(key, value),
        }
    }

    /// `anyOf` is as good as `oneOf` when no value can match two alternatives.
    fn alternatives(&mut self, key: &str, alternatives: &Array, schema: &mut Object) {
        let mut imported: Vec<Json> = Vec::new();
        for (index, alternative) in alternatives.iter().enumerate() {
            self.path.push(Segment::Index(index));
            match self.schema(alternative) {
                // An alternative that is nothing but alternatives joins its parent's.
                Json::Object(inner)
                    if key == "anyOf" && inner.len() == 1 && inner.contains_key("oneOf") =>
                {
                    imported.extend(
                        inner
                            .get("oneOf")
                            .and_then(Json::as_array)
                            .into_iter()
                            .flatten()
                            .cloned(),
                    );
                }
                alternative => imported.push(alternative),
            }
            self.path.pop();
        }
        if key == "anyOf" && self.violations.is_empty() {
            let overlap = imported.iter().enumerate().any(|(index, left)| {
                imported[..index]
                    .iter()
                    .any(|right| !disjoint(left, right, MAX_TYPED_DEPTH))
            });
            if overlap {
                self.refuse("a value may fit several alternatives; give the enum a tag (`#[serde(tag = \"…\")]`)");
            }
        }
        match imported.len() {
            0 => self.refuse("an enum without variants has no values"),
            1 => {
                let only = imported.swap_remove(0);
                for (key, value) in only.as_object().into_iter().flatten() {
                    if !schema.contains_key(key) {
                        schema.insert(key, value);
                    }
                }
            }
            _ => _ = schema.insert("oneOf", Array::from(imported)),
        }
    }

    /// `type: ["string", "null"]`: one alternative per type, each with the keywords that are about it.
    fn type_list(&mut self, object: &Object, types: &Array) -> Json {
        let has_number = types.iter().any(|ty| ty.as_str() == Some("number"));
        let mut outer = Object::new();
        let mut alternatives = Array::new();
        for ty in types {
            let name = ty.as_str().unwrap_or_default();
            if name == "integer" && has_number {
                continue;
            }
            let mut alternative = Object::new();
            alternative.insert("type", ty);
            for (key, value) in object {
                match (key, value) {
                    ("type", _) => {}
                    (
                        "description" | "title" | "default" | "examples" | "deprecated"
                        | "readOnly" | "writeOnly",
                        _,
                    ) => {
                        outer.insert(key, value);
                    }
                    ("enum", Json::Array(members)) => {
                        let own: Array = members
                            .iter()
                            .filter(|member| is_of(member, name))
                            .cloned()
                            .collect();
                        if name != "null" {
                            alternative.insert(key, own);
                        }
                    }
                    _ if name != "null" => _ = alternative.insert(key, value),
                    _ => {}
                }
            }
            alternatives.push(alternative);
        }
        match alternatives.first() {
            Some(Json::Object(only)) if alternatives.len() == 1 => {
                let merged = self.merge(only, &outer);
                self.schema(&Json::Object(merged))
            }
            _ => {
                outer.insert("oneOf", alternatives);
                self.object(&outer)
            }
        }
    }

    /// `enum` or `const` without a type: the literals tell it.
    fn untyped_literals(&mut self, object: &Object) -> Json {
        let mut types = Array::new();
        let members = object
            .get("enum")
            .and_then(Json::as_array)
            .into_iter()
            .flatten();
        for literal in members.chain(object.get("const")) {
            let name = match literal {
                Json::Array(_) | Json::Object(_) => {
                    self.refuse("a literal that is no scalar has no place in the subset");
                    return Json::empty_object();
                }
                scalar => Json::from(scalar.type_name()),
            };
            if !types.contains(&name) {
                types.push(name);
            }
        }
        let mut typed = Object::new();
        typed.insert(
            "type",
            if types.len() == 1 {
                types[0].clone()
            } else {
                Json::Array(types)
            },
        );
        typed = self.merge(&typed, object);
        self.object(&typed)
    }

    fn refuse(&mut self, message: &str) {
        let path = render_path("", self.path.iter().map(Segment::step));
        self.violations
            .push(Violation::new(path, message.to_owned()));
    }
}

fn part_of(schema: &Json) -> Object {
    schema.as_object().cloned().unwrap_or_default()
}

fn is_of(literal: &Json, ty: &str) -> bool {
    match ty {
        "integer" => literal
            .as_number()
            .is_some_and(|number| number.is_integer()),
        other => literal.type_name() == other,
    }
}

/// True for the bounds that an integer type has by itself, which serde keeps.
fn is_own_bound(object: &Object, key: &str, bound: &Json) -> bool {
    let format = object
        .get("format")
        .and_then(Json::as_str)
        .unwrap_or_default();
    match (key, format) {
        ("minimum", "uint" | "uint8" | "uint16" | "uint32" | "uint64" | "uint128") => {
            bound.as_i64() == Some(0)
        }
        ("maximum", "uint8") => bound.as_i64() == Some(u8::MAX.into()),
        ("maximum", "uint16") => bound.as_i64() == Some(u16::MAX.into()),
        ("minimum", "int8") => bound.as_i64() == Some(i8::MIN.into()),
        ("maximum", "int8") => bound.as_i64() == Some(i8::MAX.into()),
        ("minimum", "int16") => bound.as_i64() == Some(i16::MIN.into()),
        ("maximum", "int16") => bound.as_i64() == Some(i16::MAX.into()),
        _ => false,
    }
}

/// True when surely no value fits both schemas of the subset. Looks `levels` deep.
fn disjoint(left: &Json, right: &Json, levels: usize) -> bool {
    let alternatives = |schema: &Json| schema.get("oneOf").and_then(Json::as_array).cloned();
    if levels == 0 {
        return false;
    }
    if let Some(alternatives) = alternatives(left) {
        return alternatives
            .iter()
            .all(|alternative| disjoint(alternative, right, levels - 1));
    }
    if let Some(alternatives) = alternatives(right) {
        return alternatives
            .iter()
            .all(|alternative| disjoint(left, alternative, levels - 1));
    }
    let (Some(left_type), Some(right_type)) = (left["type"].as_str(), right["type"].as_str())
    else {
        return false;
    };
    if left_type != right_type {
        return !matches!(
            (left_type, right_type),
            ("integer", "number") | ("number", "integer")
        );
    }
    if left_type == "object" {
        return lacks_required(left, right)
            || lacks_required(right, left)
            || tags_differ(left, right, levels);
    }
    match (literals(left), literals(right)) {
        (Some(left), Some(right)) => left.iter().all(|literal| !right.contains(literal)),
        _ => false,
    }
}

fn literals(schema: &Json) -> Option<Vec<Json>> {
    match (
        schema.get("const"),
        schema.get("enum").and_then(Json::as_array),
    ) {
        (Some(constant), _) => Some(vec![constant.clone()]),
        (None, Some(members)) => Some(members.to_vec()),
        (None, None) => None,
    }
}

/// True when `closed` takes no key that `other` demands.
fn lacks_required(closed: &Json, other: &Json) -> bool {
    closed["additionalProperties"] == Json::Bool(false)
        && required_names(other).any(|name| closed["properties"].get(name).is_none())
}

fn tags_differ(left: &Json, right: &Json, levels: usize) -> bool {
    let demanded: Vec<&str> = required_names(right).collect();
    required_names(left)
        .filter(|name| demanded.contains(name))
        .any(|name| {
            disjoint(
                &left["properties"][name],
                &right["properties"][name],
                levels - 1,
            )
        })
}

fn required_names(schema: &Json) -> impl Iterator<Item = &str> {
    schema
        .get("required")
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
}
