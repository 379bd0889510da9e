//! The authors' short notation: `{path: {type: 'string', required: true}}`, as JSON.

use super::{Schema, SchemaError, Violation};
use crate::json::{Array, Json, Object, Segment, render_path};

impl Schema {
    /// Compiles parameters in the short notation: a map of names to property specs, an implicit open object.
    ///
    /// A spec is a schema in which `required: true` marks a property, `type: "json"` (or the text `"json"`) is any JSON,
    /// and every object states `additionalProperties`.
    ///
    /// ```
    /// use lockgate::{Schema, json};
    ///
    /// let schema = Schema::from_parameters_notation(&json!({
    ///     "path": {"type": "string", "required": true, "description": "Directory path"},
    ///     "payload": {"type": "json"},
    /// }))?;
    /// assert_eq!(schema.as_json()["required"], json!(["path"]));
    /// # Ok::<(), lockgate::schema::SchemaError>(())
    /// ```
    ///
    /// # Errors
    /// Lists every violation with its path in the notation, or, where the notation is well-formed but means something
    /// that can't be enforced, in the schema that it stands for.
    pub fn from_parameters_notation(parameters: &Json) -> Result<Self, SchemaError> {
        translate(parameters, true)
    }

    /// Compiles a value in the short notation, e.g. an output schema.
    ///
    /// # Errors
    /// As [`Schema::from_parameters_notation`].
    pub fn from_value_notation(value: &Json) -> Result<Self, SchemaError> {
        translate(value, false)
    }
}

/// A spec and where it stands.
struct Item<'a> {
    spec: &'a Json,
    parent: Option<usize>,
    /// The steps from the spec above.
    steps: Vec<Segment>,
    /// Indexes of the specs directly below, in the order of reading.
    properties: Vec<(&'a str, usize)>,
    items: Option<usize>,
    alternatives: Vec<usize>,
    /// Names of the properties that are marked as required.
    required: Array,
}

struct Translator<'a> {
    /// Parents before their children.
    items: Vec<Item<'a>>,
    violations: Vec<Violation>,
}

fn translate(root: &Json, is_parameters: bool) -> Result<Schema, SchemaError> {
    let mut translator = Translator {
        items: Vec::new(),
        violations: Vec::new(),
    };
    translator.add(root, None, Vec::new());
    if is_parameters {
        translator.properties(0, root, &[]);
    }
    let mut next = usize::from(is_parameters);
    while next < translator.items.len() {
        translator.visit(next);
        next += 1;
    }
    if !translator.violations.is_empty() {
        return Err(SchemaError::new(translator.violations));
    }
    Schema::compile(&translator.build(is_parameters))
}

impl<'a> Translator<'a> {
    fn add(&mut self, spec: &'a Json, parent: Option<usize>, steps: Vec<Segment>) -> usize {
        self.items.push(Item {
            spec,
            parent,
            steps,
            properties: Vec::new(),
            items: None,
            alternatives: Vec::new(),
            required: Array::new(),
        });
        self.items.len() - 1
    }

    fn visit(&mut self, index: usize) {
        let spec = self.items[index].spec;
        let Json::Object(object) = spec else {
            if spec.as_str() != Some("json") {
                self.refuse(
                    index,
                    &[],
                    format!(
                        "a spec must be an object or \"json\", found {}",
                        spec.type_name()
                    ),
                );
            }
            return;
        };
        let is_object = spec["type"].as_str() == Some("object");
        if is_object && !object.contains_key("additionalProperties") {
            self.refuse(
                index,
                &["additionalProperties"],
                "an object must say true (open) or false (closed)".to_owned(),
            );
        }
        if let Some(required) = object.get("required") {
            let is_property = self.items[index].steps.len() == 2
                || self.items[index].parent == Some(0)
                    && matches!(self.items[index].steps[..], [Segment::Key(_)]);
            if !is_property || required != &Json::Bool(true) {
                let message =
                    "marks a property as `required: true`; leave it out for an optional one"
                        .to_owned();
                self.refuse(index, &["required"], message);
            }
        }
        if let Some(properties) = object.get("properties") {
            self.properties(index, properties, &["properties"]);
        }
        if let Some(items) = object.get("items") {
            self.items[index].items =
                Some(self.add(items, Some(index), vec![Segment::from("items")]));
        }
        if let Some(alternatives) = object.get("oneOf").and_then(Json::as_array) {
            for (position, alternative) in alternatives.iter().enumerate() {
                let steps = vec![Segment::from("oneOf"), Segment::Index(position)];
                let child = self.add(alternative, Some(index), steps);
                self.items[index].alternatives.push(child);
            }
        }
    }

    fn properties(&mut self, index: usize, properties: &'a Json, steps: &[&str]) {
        let Json::Object(properties) = properties else {
            self.refuse(
                index,
                steps,
                format!(
                    "must be a map of names to specs, found {}",
                    properties.type_name()
                ),
            );
            return;
        };
        for (name, spec) in properties {
            let mut path: Vec<Segment> = steps.iter().map(|step| Segment::from(*step)).collect();
            path.push(Segment::from(name));
            let child = self.add(spec, Some(index), path);
            self.items[index].properties.push((name, child));
            if spec["required"] == Json::Bool(true) {
                self.items[index].required.push(name);
            }
        }
    }

    /// Children come after their parents, so building from the end finds them ready.
    fn build(&mut self, is_parameters: bool) -> Json {
        let mut built = vec![Json::Null; self.items.len()];
        for index in (0..self.items.len()).rev() {
            let item = &self.items[index];
            let properties = || {
                item.properties
                    .iter()
                    .map(|(name, child)| (*name, built[*child].clone()))
                    .collect::<Object>()
            };
            let mut schema = Object::new();
            let keys = item
                .spec
                .as_object()
                .filter(|_| !is_parameters || index > 0);
            if is_parameters && index == 0 {
                schema.insert("type", "object");
                schema.insert("properties", properties());
            }
            for (key, value) in keys.into_iter().flatten() {
                match key {
                    "type" if value.as_str() == Some("json") => {}
                    "required" => {}
                    "properties" => _ = schema.insert(key, properties()),
                    "items" => {
                        _ = item
                            .items
                            .map(|child| schema.insert(key, built[child].clone()))
                    }
                    "oneOf" if !item.alternatives.is_empty() => {
                        schema.insert(
                            key,
                            item.alternatives
                                .iter()
                                .map(|child| built[*child].clone())
                                .collect::<Array>(),
                        );
                    }
                    _ => _ = schema.insert(key, value.clone()),
                }
            }
            if !item.required.is_empty() {
                schema.insert("required", item.required.clone());
            }
            built[index] = Json::Object(schema);
        }
        built.swap_remove(0)
    }

    fn refuse(&mut self, index: usize, keys: &[&str], message: String) {
        let mut segments: Vec<Segment> = keys.iter().rev().map(|key| Segment::from(*key)).collect();
        let mut at = Some(index);
        while let Some(index) = at {
            segments.extend(self.items[index].steps.iter().rev().cloned());
            at = self.items[index].parent;
        }
        let path = render_path("", segments.iter().rev().map(Segment::step));
        self.violations.push(Violation::new(path, message));
    }
}
