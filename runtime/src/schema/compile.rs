//! JSON to [`Schema`]: every keyword is understood or refused.

use std::sync::Arc;

use super::{Compiled, Kind, Node, NodeId, ObjectNode, Schema, SchemaError, Violation};
use crate::json::{Json, Object, Segment, render_path};
use crate::text::{did_you_mean, quoted};

const TYPES: [&str; 7] = [
    "object", "array", "string", "number", "integer", "boolean", "null",
];
const KEYWORDS: [&str; 12] = [
    "type",
    "oneOf",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "description",
    "title",
    "default",
    "examples",
];

impl Schema {
    /// Compiles a schema of the enforced subset.
    ///
    /// # Errors
    /// Lists every keyword outside the subset or in the wrong place, with its path from the schema's root.
    pub fn compile(schema: &Json) -> Result<Self, SchemaError> {
        let mut compiler = Compiler {
            nodes: vec![Node::default()],
            paths: Vec::new(),
            pending: Vec::new(),
            violations: Vec::new(),
        };
        compiler.pending.push(Pending {
            node: 0,
            schema,
            path: None,
        });
        // Children wait on a stack in reverse, so that violations come in the order of reading.
        while let Some(next) = compiler.pending.pop() {
            compiler.visit(&next);
        }
        if compiler.violations.is_empty() {
            Ok(Self(Arc::new(Compiled {
                json: schema.clone(),
                nodes: compiler.nodes,
            })))
        } else {
            Err(SchemaError::new(compiler.violations))
        }
    }
}

struct Pending<'a> {
    node: NodeId,
    schema: &'a Json,
    path: Option<usize>,
}

struct Compiler<'a> {
    nodes: Vec<Node>,
    /// A step and the index of the step before it.
    paths: Vec<(Option<usize>, Segment)>,
    pending: Vec<Pending<'a>>,
    violations: Vec<Violation>,
}

/// What may stand next to `type` or `oneOf`.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Any,
    OneOf,
    Scalar,
    Array,
    Object,
    /// The type itself is wrong: its own violation is enough.
    Unknown,
}

impl<'a> Compiler<'a> {
    fn visit(&mut self, next: &Pending<'a>) {
        let path = next.path;
        let Some(schema) = next.schema.as_object() else {
            let mend = if next.schema.as_bool() == Some(true) {
                "; write {} for any JSON"
            } else {
                ""
            };
            self.refuse(
                path,
                &[],
                format!(
                    "a schema must be an object, found {}{mend}",
                    next.schema.type_name()
                ),
            );
            return;
        };
        let first_child = self.pending.len();
        let (shape, mut node) = self.shape(schema, path);
        for (key, value) in schema {
            self.keyword(path, schema, shape, &mut node, key, value);
        }
        self.nodes[next.node] = node;
        self.pending[first_child..].reverse();
    }

    fn shape(&mut self, schema: &Object, path: Option<usize>) -> (Shape, Node) {
        let (shape, kind) = match schema.get("type") {
            None if schema.contains_key("oneOf") => (Shape::OneOf, Kind::OneOf(Vec::new())),
            None => (Shape::Any, Kind::Any),
            Some(Json::String(name)) => match &**name {
                "object" => (Shape::Object, Kind::Object(ObjectNode::default())),
                "array" => (Shape::Array, Kind::Array(None)),
                "string" => (Shape::Scalar, Kind::String),
                "number" => (Shape::Scalar, Kind::Number),
                "integer" => (Shape::Scalar, Kind::Integer),
                "boolean" => (Shape::Scalar, Kind::Boolean),
                "null" => (Shape::Scalar, Kind::Null),
                other => {
                    let message = format!(
                        "unknown type {}; use one of {}{}",
                        quoted(other),
                        TYPES.join(", "),
                        did_you_mean(other, TYPES)
                    );
                    self.refuse(path, &["type"], message);
                    (Shape::Unknown, Kind::Any)
                }
            },
            Some(Json::Array(_)) => {
                self.refuse(
                    path,
                    &["type"],
                    "a list of types is not supported; use `oneOf` with one schema per type"
                        .to_owned(),
                );
                (Shape::Unknown, Kind::Any)
            }
            Some(other) => {
                self.refuse(
                    path,
                    &["type"],
                    format!("must be the name of a type, found {}", other.type_name()),
                );
                (Shape::Unknown, Kind::Any)
            }
        };
        if schema.contains_key("type") && schema.contains_key("oneOf") {
            self.refuse(
                path,
                &["oneOf"],
                "stands instead of `type`; move `type` into the alternatives".to_owned(),
            );
        }
        (
            shape,
            Node {
                kind,
                members: None,
                constant: None,
            },
        )
    }

    fn keyword(
        &mut self,
        path: Option<usize>,
        schema: &'a Object,
        shape: Shape,
        node: &mut Node,
        key: &str,
        value: &'a Json,
    ) {
        match key {
            "type" | "default" => {}
            "description" | "title" => {
                if value.as_str().is_none() {
                    self.refuse(
                        path,
                        &[key],
                        format!("must be a string, found {}", value.type_name()),
                    );
                }
            }
            "examples" => {
                if value.as_array().is_none() {
                    self.refuse(
                        path,
                        &[key],
                        format!("must be an array, found {}", value.type_name()),
                    );
                }
            }
            "oneOf" => self.one_of(path, shape, node, value),
            "properties" | "required" | "additionalProperties" => {
                if let Kind::Object(object) = &mut node.kind {
                    self.object_keyword(path, schema, object, key, value);
                } else {
                    self.misplaced(path, shape, key, "type: \"object\"");
                }
            }
            "items" => {
                if let Kind::Array(items) = &mut node.kind {
                    *items = Some(self.child(path, &[Segment::from("items")], value));
                } else {
                    self.misplaced(path, shape, key, "type: \"array\"");
                }
            }
            "enum" | "const" => {
                if shape == Shape::Scalar {
                    self.literals(path, node, key, value);
                } else {
                    self.misplaced(path, shape, key, "a scalar `type`");
                }
            }
            _ => {
                let mend = match did_you_mean(key, KEYWORDS) {
                    near if near.is_empty() => {
                        "; say it in `description`, or check it in the tool".to_owned()
                    }
                    near => near,
                };
                self.refuse(
                    path,
                    &[key],
                    format!(
                        "keyword {} is not in the enforced subset{mend}",
                        quoted(key)
                    ),
                );
            }
        }
    }

    fn one_of(&mut self, path: Option<usize>, shape: Shape, node: &mut Node, value: &'a Json) {
        let Some(alternatives) = value
            .as_array()
            .filter(|alternatives| alternatives.len() >= 2)
        else {
            self.refuse(
                path,
                &["oneOf"],
                "must be an array of at least two schemas".to_owned(),
            );
            return;
        };
        if let (Shape::OneOf, Kind::OneOf(children)) = (shape, &mut node.kind) {
            for (index, alternative) in alternatives.iter().enumerate() {
                let child = self.child(
                    path,
                    &[Segment::from("oneOf"), Segment::Index(index)],
                    alternative,
                );
                children.push(child);
            }
        }
    }

    fn object_keyword(
        &mut self,
        path: Option<usize>,
        schema: &'a Object,
        node: &mut ObjectNode,
        key: &str,
        value: &'a Json,
    ) {
        match (key, value) {
            ("properties", Json::Object(properties)) => {
                for (name, property) in properties.shared_iter() {
                    let child = self.child(
                        path,
                        &[Segment::from("properties"), Segment::Key(name.clone())],
                        property,
                    );
                    node.properties.insert(name.clone(), child);
                }
            }
            ("properties", other) => self.refuse(
                path,
                &[key],
                format!("must be an object, found {}", other.type_name()),
            ),
            ("additionalProperties", Json::Bool(open)) => node.closed = !open,
            ("additionalProperties", other) => {
                let message = format!(
                    "must be true or false, found {}; declare the keys in `properties`",
                    other.type_name()
                );
                self.refuse(path, &[key], message);
            }
            (_, Json::Array(names)) => {
                let declared = schema.get("properties").and_then(Json::as_object);
                for (index, name) in names.iter().enumerate() {
                    match name {
                        Json::String(name)
                            if declared.is_some_and(|properties| properties.contains_key(name)) =>
                        {
                            node.required.push(name.clone());
                        }
                        Json::String(name) => {
                            let near =
                                did_you_mean(name, declared.into_iter().flat_map(Object::keys));
                            let message =
                                format!("{} is not declared in `properties`{near}", quoted(name));
                            self.refuse_at(
                                path,
                                [Segment::from(key), Segment::Index(index)],
                                message,
                            );
                        }
                        other => {
                            let message = format!("must be a string, found {}", other.type_name());
                            self.refuse_at(
                                path,
                                [Segment::from(key), Segment::Index(index)],
                                message,
                            );
                        }
                    }
                }
            }
            (_, other) => {
                let message = format!("must be an array of names, found {}", other.type_name());
                self.refuse(path, &[key], message);
            }
        }
    }

    fn literals(&mut self, path: Option<usize>, node: &mut Node, key: &str, value: &Json) {
        if key == "const" {
            if fits_type(&node.kind, value) {
                node.constant = Some(value.clone());
            } else {
                self.refuse(
                    path,
                    &[key],
                    format!(
                        "must be a value of the declared type, found {}",
                        value.type_name()
                    ),
                );
            }
            return;
        }
        let Some(members) = value.as_array().filter(|members| !members.is_empty()) else {
            self.refuse(
                path,
                &[key],
                "must be an array of at least one value".to_owned(),
            );
            return;
        };
        for (index, member) in members.iter().enumerate() {
            if !fits_type(&node.kind, member) {
                let message = format!(
                    "must be a value of the declared type, found {}",
                    member.type_name()
                );
                self.refuse_at(path, [Segment::from(key), Segment::Index(index)], message);
            }
        }
        node.members = Some(members.to_vec());
    }

    fn misplaced(&mut self, path: Option<usize>, shape: Shape, key: &str, needs: &str) {
        if shape != Shape::Unknown {
            self.refuse(path, &[key], format!("only stands beside {needs}"));
        }
    }

    fn child(&mut self, path: Option<usize>, steps: &[Segment], schema: &'a Json) -> NodeId {
        let node = self.nodes.len();
        self.nodes.push(Node::default());
        let mut last = path;
        for step in steps {
            self.paths.push((last, step.clone()));
            last = Some(self.paths.len() - 1);
        }
        self.pending.push(Pending {
            node,
            schema,
            path: last,
        });
        node
    }

    fn refuse(&mut self, path: Option<usize>, keys: &[&str], message: String) {
        self.refuse_at(path, keys.iter().map(|key| Segment::from(*key)), message);
    }

    fn refuse_at(
        &mut self,
        path: Option<usize>,
        rest: impl IntoIterator<Item = Segment>,
        message: String,
    ) {
        let mut segments = Vec::new();
        let mut at = path;
        while let Some(index) = at {
            let (before, segment) = &self.paths[index];
            segments.push(segment.clone());
            at = *before;
        }
        segments.reverse();
        segments.extend(rest);
        self.violations.push(Violation::new(
            render_path("", segments.iter().map(Segment::step)),
            message,
        ));
    }
}

pub(super) fn fits_type(kind: &Kind, value: &Json) -> bool {
    match kind {
        Kind::Any | Kind::OneOf(_) => true,
        Kind::Null => value.is_null(),
        Kind::Boolean => value.as_bool().is_some(),
        Kind::Integer => value.as_number().is_some_and(|number| number.is_integer()),
        Kind::Number => value.as_number().is_some(),
        Kind::String => value.as_str().is_some(),
        Kind::Array(_) => value.as_array().is_some(),
        Kind::Object(_) => value.as_object().is_some(),
    }
}
