//! What a tool says about its arguments: a schema that is enforced, or any JSON Schema that is only shown.

use super::{Schema, SchemaError, Violation};
use crate::{Json, json};

/// The schema of a tool's arguments.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterSchema {
    /// Arguments are checked before the tool runs. The root is an object; see [`ParameterSchema::validated`].
    Validated(Schema),
    /// Any JSON Schema, e.g. an MCP server's: shown to the model, not checked.
    Raw(Json),
}

impl ParameterSchema {
    /// A checked schema.
    ///
    /// # Errors
    /// The root of `schema` is not `type: "object"`.
    pub fn validated(schema: Schema) -> Result<Self, SchemaError> {
        schema.assert_object_root()?;
        Ok(Self::Validated(schema))
    }

    /// A schema that is shown as it is and not checked. `null` and `{}` say that the tool takes no arguments.
    pub fn raw(schema: impl Into<Json>) -> Self {
        match schema.into() {
            Json::Null => Self::none(),
            Json::Object(object) if object.is_empty() => Self::none(),
            schema => Self::Raw(schema),
        }
    }

    /// No arguments: an object of which nothing is declared.
    pub fn none() -> Self {
        Self::Raw(json!({"type": "object", "properties": {}}))
    }

    /// The schema as JSON, as the model is shown it.
    pub fn as_json(&self) -> &Json {
        match self {
            Self::Validated(schema) => schema.as_json(),
            Self::Raw(schema) => schema,
        }
    }

    /// Everything that does not fit; always empty for a raw schema. See [`Schema::validate`].
    pub fn validate(&self, arguments: &Json, root: &str) -> Vec<Violation> {
        match self {
            Self::Validated(schema) => schema.validate(arguments, root),
            Self::Raw(_) => Vec::new(),
        }
    }
}

/// The root must be an object.
impl TryFrom<Schema> for ParameterSchema {
    type Error = SchemaError;

    fn try_from(schema: Schema) -> Result<Self, SchemaError> {
        Self::validated(schema)
    }
}
