//! The typed builder for schemas written in Rust.

use std::sync::Arc;

use super::{Schema, SchemaError};
use crate::json::{Array, Json, Object};

/// A schema under construction. [`Spec::compile`] makes the [`Schema`].
///
/// ```
/// use lockgate::schema::{array, closed_object, integer, optional, parameters, required, string};
///
/// let arguments = parameters([
///     required("path", string().description("Directory path")),
///     optional("limit", integer().default_value(100)),
/// ])
/// .compile()?;
/// let output = closed_object([required("files", array(string()))]).compile()?;
/// # Ok::<(), lockgate::schema::SchemaError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a spec does nothing until it is compiled"]
pub struct Spec(Object);

/// A named member of an object schema: [`required`] or [`optional`].
#[derive(Clone, Debug)]
#[must_use = "a property does nothing until it is given to an object"]
pub struct Property {
    name: Arc<str>,
    required: bool,
    spec: Spec,
}

/// A property that must be there.
pub fn required(name: impl Into<Arc<str>>, spec: Spec) -> Property {
    Property {
        name: name.into(),
        required: true,
        spec,
    }
}

/// A property that may be left out.
pub fn optional(name: impl Into<Arc<str>>, spec: Spec) -> Property {
    Property {
        name: name.into(),
        required: false,
        spec,
    }
}

/// The arguments of a tool: an object that also takes keys which are not declared.
pub fn parameters(properties: impl IntoIterator<Item = Property>) -> Spec {
    object(properties, None)
}

/// An object with these keys and no others.
pub fn closed_object(properties: impl IntoIterator<Item = Property>) -> Spec {
    object(properties, Some(false))
}

/// An object with these keys, and any others.
pub fn open_object(properties: impl IntoIterator<Item = Property>) -> Spec {
    object(properties, Some(true))
}

fn object(properties: impl IntoIterator<Item = Property>, additional: Option<bool>) -> Spec {
    let mut declared = Object::new();
    let mut names = Array::new();
    for property in properties {
        if property.required {
            names.push(property.name.clone());
        }
        declared.insert(property.name, property.spec.0);
    }
    let mut spec = typed("object").with("properties", declared);
    if !names.is_empty() {
        spec = spec.with("required", names);
    }
    match additional {
        Some(open) => spec.with("additionalProperties", open),
        None => spec,
    }
}

/// An array whose elements all fit `items`.
pub fn array(items: Spec) -> Spec {
    typed("array").with("items", items.0)
}

/// Any string.
pub fn string() -> Spec {
    typed("string")
}

/// Any number.
pub fn number() -> Spec {
    typed("number")
}

/// A number without a fraction.
pub fn integer() -> Spec {
    typed("integer")
}

/// `true` or `false`.
pub fn boolean() -> Spec {
    typed("boolean")
}

/// `null`.
pub fn null() -> Spec {
    typed("null")
}

/// Any JSON.
pub fn any() -> Spec {
    Spec(Object::new())
}

/// Exactly one of the alternatives, of which there must be two or more.
pub fn one_of(alternatives: impl IntoIterator<Item = Spec>) -> Spec {
    let alternatives: Array = alternatives.into_iter().map(|spec| spec.0).collect();
    Spec(Object::new()).with("oneOf", alternatives)
}

fn typed(name: &str) -> Spec {
    Spec(Object::new()).with("type", name)
}

impl Spec {
    /// What the value means, for the model.
    pub fn description(self, text: &str) -> Self {
        self.with("description", text)
    }

    /// A short name for people.
    pub fn title(self, text: &str) -> Self {
        self.with("title", text)
    }

    /// The values that a scalar may have.
    pub fn members<T: Into<Json>>(self, values: impl IntoIterator<Item = T>) -> Self {
        self.with("enum", values.into_iter().collect::<Array>())
    }

    /// The one value that a scalar may have.
    pub fn constant(self, value: impl Into<Json>) -> Self {
        self.with("const", value)
    }

    /// What the tool assumes when the value is left out. Shown to the model, never filled in.
    pub fn default_value(self, value: impl Into<Json>) -> Self {
        self.with("default", value)
    }

    /// Values as examples for the model.
    pub fn examples<T: Into<Json>>(self, values: impl IntoIterator<Item = T>) -> Self {
        self.with("examples", values.into_iter().collect::<Array>())
    }

    /// The schema as JSON, unchecked.
    pub fn into_json(self) -> Json {
        Json::Object(self.0)
    }

    /// Makes the schema.
    ///
    /// # Errors
    /// What the types here can't prevent: fewer than two alternatives, literals of another type, no literals at all.
    pub fn compile(self) -> Result<Schema, SchemaError> {
        Schema::compile(&self.into_json())
    }

    fn with(mut self, key: &str, value: impl Into<Json>) -> Self {
        self.0.insert(key, value);
        self
    }
}
