//! The tool itself: an immutable bundle of schemas and callbacks, shared by handle.

use std::{fmt, sync::Arc, time::Duration};

use crate::{
    json::Json,
    schema::{ParameterSchema, Schema, SchemaError},
    tool::{
        BoxFuture, Content, ErrorCode, RunContext, ToolCall, ToolCallView, ToolError, ToolResult,
        ToolResultView, contain,
    },
};

pub(crate) type ExecuteFn =
    dyn Fn(Json, RunContext) -> BoxFuture<'static, Result<Json, ToolError>> + Send + Sync;
pub(crate) type RenderFn = dyn Fn(&Json, &Json) -> Result<Vec<Content>, ToolError> + Send + Sync;
pub(crate) type MetaFn = dyn Fn(&Json, &Json) -> Result<Json, ToolError> + Send + Sync;
pub(crate) type FinalizeFn = dyn Fn(&ToolCall, &ToolResult) -> Option<Vec<Content>> + Send + Sync;
pub(crate) type ClassifyFn = dyn Fn(&Json) -> bool + Send + Sync;
pub(crate) type PresentCallFn = dyn Fn(&Json) -> Option<ToolCallView> + Send + Sync;
pub(crate) type PresentResultFn =
    dyn Fn(&Json, &ToolResult) -> Option<ToolResultView> + Send + Sync;

/// A tool (SPEC C). Cheap to clone; register it with [`Registry::register`](crate::Registry::register).
///
/// Build one from a typed function with [`Tool::function`], or from raw schemas with [`Tool::builder`].
#[derive(Clone)]
pub struct Tool(Arc<ToolParts>);

pub(crate) struct ToolParts {
    pub(crate) name: Arc<str>,
    pub(crate) description: Arc<str>,
    pub(crate) parameters: ParameterSchema,
    pub(crate) validate_arguments: bool,
    pub(crate) output: Schema,
    pub(crate) render: Box<RenderFn>,
    pub(crate) presentation_meta: Option<Box<MetaFn>>,
    pub(crate) execute: Box<ExecuteFn>,
    pub(crate) finalize_content: Option<Box<FinalizeFn>>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) idempotent: bool,
    pub(crate) is_concurrency_safe: Option<Box<ClassifyFn>>,
    pub(crate) present_call: Option<Box<PresentCallFn>>,
    pub(crate) present_result: Option<Box<PresentResultFn>>,
}

/// What a model is told of a tool: name, description and parameters, detached from the registry (SPEC D7).
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSchema {
    /// The tool's exact name.
    pub name: Arc<str>,
    /// What it does.
    pub description: Arc<str>,
    /// The JSON Schema of its arguments.
    pub parameters: Json,
}

/// Why a tool could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The tool has no name.
    #[error("a tool needs a name: the first argument is empty")]
    EmptyName,
    /// A part that has no default was not given.
    #[error("tool `{tool}` has no {part}: call `.{part}(…)` on the builder")]
    Missing {
        /// The tool.
        tool: Arc<str>,
        /// The builder method that was not called.
        part: &'static str,
    },
    /// The timeout is zero.
    #[error("tool `{tool}`: the timeout is zero; give a positive duration or leave it out")]
    ZeroTimeout {
        /// The tool.
        tool: Arc<str>,
    },
    /// A schema is outside the enforced subset.
    #[error("tool `{tool}`: its {part} schema is not supported: {error}")]
    Schema {
        /// The tool.
        tool: Arc<str>,
        /// `parameters` or `output`.
        part: &'static str,
        /// Every violation, with its path.
        error: SchemaError,
    },
}

impl BuildError {
    /// The stable code, if it has one.
    pub fn code(&self) -> Option<ErrorCode> {
        matches!(self, Self::Schema { .. }).then_some(ErrorCode::UnsupportedSchema)
    }
}

impl Tool {
    pub(crate) fn new(parts: ToolParts) -> Self {
        Self(Arc::new(parts))
    }

    /// The exact name.
    pub fn name(&self) -> &Arc<str> {
        &self.0.name
    }

    /// What it does, for a model.
    pub fn description(&self) -> &Arc<str> {
        &self.0.description
    }

    /// The JSON Schema of the arguments.
    pub fn parameters(&self) -> &Json {
        self.0.parameters.as_json()
    }

    /// The schema of the canonical value.
    pub fn output(&self) -> &Schema {
        &self.0.output
    }

    /// The time that the body may take. Declared here, enforced by the timeout layer, never shown to a model (SPEC C1).
    pub fn timeout(&self) -> Option<Duration> {
        self.0.timeout
    }

    /// Whether the tool says that running it twice does what running it once does.
    pub fn is_idempotent(&self) -> bool {
        self.0.idempotent
    }

    /// What a model is told of this tool.
    pub fn schema(&self) -> ToolSchema {
        ToolSchema {
            name: self.0.name.clone(),
            description: self.0.description.clone(),
            parameters: self.parameters().clone(),
        }
    }

    /// Whether a call with these arguments may overlap with others. Bad arguments, a tool that says nothing, and a
    /// classifier that panics all mean no (SPEC C3, G3).
    pub fn is_concurrency_safe(&self, arguments: &Json) -> bool {
        let Some(classify) = &self.0.is_concurrency_safe else {
            return false;
        };
        self.arguments_fit(arguments) && contain(|| classify(arguments)).unwrap_or(false)
    }

    /// How to announce a call to a person. Old or bad arguments, and a presenter that fails, give the generic view.
    pub fn present_call(&self, arguments: &Json) -> ToolCallView {
        self.0
            .present_call
            .as_ref()
            .filter(|_| self.arguments_fit(arguments))
            .and_then(|present| contain(|| present(arguments)).ok().flatten())
            .unwrap_or_else(|| ToolCallView::generic(self.0.name.clone()))
    }

    /// How to show a result to a person. Old or bad arguments, and a presenter that fails, give the generic view.
    pub fn present_result(&self, arguments: &Json, result: &ToolResult) -> ToolResultView {
        self.0
            .present_result
            .as_ref()
            .filter(|_| self.arguments_fit(arguments))
            .and_then(|present| contain(|| present(arguments, result)).ok().flatten())
            .unwrap_or_else(|| ToolResultView::generic(self.0.name.clone()))
    }

    /// Whether both handles are the same tool.
    pub fn ptr_eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn parts(&self) -> &ToolParts {
        &self.0
    }

    fn arguments_fit(&self, arguments: &Json) -> bool {
        match &self.0.parameters {
            ParameterSchema::Validated(schema) if self.0.validate_arguments => {
                schema.validate(arguments, "args").is_empty()
            }
            _ => true,
        }
    }

    /// Every violation of the parameters, as the error that a model reads (SPEC C3).
    pub(crate) fn check_arguments(&self, arguments: &Json) -> Result<(), ToolError> {
        let ParameterSchema::Validated(schema) = &self.0.parameters else {
            return Ok(());
        };
        if !self.0.validate_arguments {
            return Ok(());
        }
        let violations = schema.validate(arguments, "args");
        if violations.is_empty() {
            return Ok(());
        }
        Err(ToolError::with_code(
            ErrorCode::InvalidArgs,
            listed(
                &format!("invalid arguments for `{}`", self.0.name),
                &violations,
            ),
        ))
    }

    /// Checks a canonical value and renders it: the only way by which a success gets its content (SPEC C2, E5).
    pub(crate) fn render(&self, arguments: &Json, value: &Json) -> Result<Vec<Content>, ToolError> {
        let violations = self.0.output.validate(value, "output");
        if !violations.is_empty() {
            return Err(ToolError::with_code(
                ErrorCode::InvalidToolOutput,
                listed(
                    &format!(
                        "`{}` returned a value that its output schema does not allow",
                        self.0.name
                    ),
                    &violations,
                ),
            ));
        }
        contain(|| (self.0.render)(arguments, value)).unwrap_or_else(|panic| {
            Err(ToolError::from_panic(
                &format!("`render` of `{}`", self.0.name),
                &panic,
            ))
        })
    }

    /// The presentation metadata of a value, if the tool has any.
    pub(crate) fn presentation_meta(
        &self,
        arguments: &Json,
        value: &Json,
    ) -> Result<Option<Json>, ToolError> {
        let Some(project) = &self.0.presentation_meta else {
            return Ok(None);
        };
        contain(|| project(arguments, value))
            .unwrap_or_else(|panic| {
                Err(ToolError::from_panic(
                    &format!("`presentation_meta` of `{}`", self.0.name),
                    &panic,
                ))
            })
            .map(Some)
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("name", &self.0.name)
            .finish_non_exhaustive()
    }
}

/// `head: first; second; …`, bounded: a model mends a dozen violations at a time, not thousands.
fn listed(head: &str, violations: &[crate::schema::Violation]) -> String {
    const SHOWN: usize = 20;
    let mut text = format!("{head}:");
    for violation in violations.iter().take(SHOWN) {
        text.push_str("\n- ");
        text.push_str(&violation.to_string());
    }
    if violations.len() > SHOWN {
        text.push_str(&format!("\n- … and {} more", violations.len() - SHOWN));
    }
    text
}
