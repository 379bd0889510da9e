//! Schemas: the enforced subset of JSON Schema, how authors write one, and how values are checked against it.
//!
//! A [`Schema`] is compiled: what can't be enforced was refused when it was made, so nothing in it is ever ignored.
//! Make one from JSON ([`Schema::compile`]), with the builder ([`parameters`], [`closed_object`], [`string`], …), from the
//! authors' short notation ([`Schema::from_parameters_notation`]) or from a Rust type ([`Schema::from_type`]).

mod builder;
mod compile;
mod import;
mod notation;
mod parameters;
mod validate;
mod violation;

use std::fmt;
use std::sync::Arc;

use indexmap::IndexMap;

pub use builder::{
    Property, Spec, any, array, boolean, closed_object, integer, null, number, one_of, open_object,
    optional, parameters, required, string,
};
pub use parameters::ParameterSchema;
pub use validate::MAX_VIOLATIONS;
pub use violation::{SchemaError, Violation};

use crate::Json;

/// A schema of the enforced subset, ready to check values. Cloning shares it.
///
/// The subset: `type` (one of object array string number integer boolean null); `oneOf` instead of `type` (two or more,
/// exactly one matches); `properties`, `required` and boolean `additionalProperties` on objects; `items` on arrays;
/// `enum` and `const` on scalars; the annotations `description`, `title`, `default` and `examples`. Neither `type` nor
/// `oneOf` means any JSON. Objects are open unless `additionalProperties` is `false`. Defaults are never applied.
///
/// ```
/// use lockgate::{Schema, json};
///
/// let schema = Schema::compile(&json!({
///     "type": "object",
///     "properties": {"mode": {"type": "string", "enum": ["read", "write"]}},
///     "required": ["mode"],
/// }))?;
/// let violations = schema.validate(&json!({"mode": "wriet"}), "args");
/// assert_eq!(violations[0].path(), "args.mode");
/// assert!(violations[0].message().ends_with("did you mean \"write\"?"));
/// # Ok::<(), lockgate::schema::SchemaError>(())
/// ```
#[derive(Clone)]
pub struct Schema(Arc<Compiled>);

struct Compiled {
    json: Json,
    /// The root is the first.
    nodes: Vec<Node>,
}

/// Index into [`Compiled::nodes`].
type NodeId = usize;

#[derive(Default)]
struct Node {
    kind: Kind,
    /// From `enum`.
    members: Option<Vec<Json>>,
    /// From `const`.
    constant: Option<Json>,
}

#[derive(Default)]
enum Kind {
    #[default]
    Any,
    OneOf(Vec<NodeId>),
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array(Option<NodeId>),
    Object(ObjectNode),
}

#[derive(Default)]
struct ObjectNode {
    properties: IndexMap<Arc<str>, NodeId>,
    required: Vec<Arc<str>>,
    closed: bool,
}

impl Schema {
    /// The schema that every JSON value fits.
    pub fn any() -> Self {
        Self(Arc::new(Compiled {
            json: Json::empty_object(),
            nodes: vec![Node::default()],
        }))
    }

    /// The schema as JSON, as it was given.
    pub fn as_json(&self) -> &Json {
        &self.0.json
    }

    /// Checks that the root is `type: "object"`, for callers that need named arguments.
    ///
    /// # Errors
    /// The root is anything else.
    pub fn assert_object_root(&self) -> Result<(), SchemaError> {
        if matches!(self.root().kind, Kind::Object(_)) {
            return Ok(());
        }
        Err(SchemaError::new(vec![Violation::new(
            String::new(),
            "the root must be `type: \"object\"`".to_owned(),
        )]))
    }

    fn root(&self) -> &Node {
        &self.0.nodes[0]
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.0.nodes[id]
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.0.json == other.0.json
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Schema").field(&self.0.json).finish()
    }
}

#[cfg(test)]
mod tests;
