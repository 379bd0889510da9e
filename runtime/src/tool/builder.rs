//! Building tools: from a typed function, or from raw schemas.

use std::{marker::PhantomData, sync::Arc, time::Duration};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    json::Json,
    schema::{ParameterSchema, Schema, SchemaError},
    tool::{
        BuildError, Content, ErrorCode, RunContext, Tool, ToolCall, ToolCallView, ToolError,
        ToolParts, ToolResult, ToolResultView,
        definition::{
            ClassifyFn, ExecuteFn, FinalizeFn, MetaFn, PresentCallFn, PresentResultFn, RenderFn,
        },
    },
};

impl Tool {
    /// A tool from an async function over Rust types. Their schemas are derived, arguments are checked before the
    /// function runs, and its value is checked after.
    ///
    /// ```
    /// use lockgate::{RunContext, Tool, ToolError};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Greet {
    ///     /// The name to greet.
    ///     name: String,
    /// }
    ///
    /// async fn greet(args: Greet, _: RunContext) -> Result<String, ToolError> {
    ///     Ok(format!("Hello, {}!", args.name))
    /// }
    ///
    /// let tool = Tool::function("greet", "Greets someone by name.", greet).concurrency_safe(true).build()?;
    /// assert_eq!(&**tool.name(), "greet");
    /// # Ok::<(), lockgate::BuildError>(())
    /// ```
    pub fn function<A, O, F, Fut>(
        name: impl Into<Arc<str>>,
        description: impl Into<Arc<str>>,
        function: F,
    ) -> TypedToolBuilder<A, O>
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize + JsonSchema + Send + 'static,
        F: Fn(A, RunContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O, ToolError>> + Send + 'static,
    {
        let name: Arc<str> = name.into();
        let label = name.clone();
        let execute = move |args: Json, context: RunContext| {
            // Deserialised here and not in the future, which then holds the typed value alone.
            let started = args.deserialize::<A>().map(|args| function(args, context));
            let label = label.clone();
            async move {
                let body = started.map_err(|error| {
                    ToolError::with_code(
                        ErrorCode::InvalidArgs,
                        format!("invalid arguments for `{label}`: {error}"),
                    )
                })?;
                let value = body.await?;
                Json::from_serialize(&value).map_err(|error| {
                    ToolError::with_code(
                        ErrorCode::InvalidToolOutput,
                        format!("`{label}` returned a value that is not lossless JSON: {error}"),
                    )
                })
            }
        };
        let mut builder = Tool::builder(name, description).execute(execute);
        builder.parameters = Some(Schema::from_type::<A>().map(ParameterSchema::Validated));
        builder.output = Some(Schema::from_output_type::<O>());
        TypedToolBuilder {
            builder,
            types: PhantomData,
        }
    }

    /// A tool from raw schemas and a function over JSON.
    ///
    /// ```
    /// use lockgate::{Json, Tool, json, schema::Schema};
    ///
    /// let tool = Tool::builder("double", "Doubles a number.")
    ///     .parameters(&json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}))
    ///     .output(&json!({"type": "integer"}))
    ///     .execute(|args, _| async move { Ok(Json::from(args.get("n").and_then(Json::as_i64).unwrap_or(0) * 2)) })
    ///     .build()?;
    /// # Ok::<(), lockgate::BuildError>(())
    /// ```
    pub fn builder(name: impl Into<Arc<str>>, description: impl Into<Arc<str>>) -> ToolBuilder {
        ToolBuilder {
            name: name.into(),
            description: description.into(),
            parameters: None,
            validate_arguments: true,
            output: None,
            render: None,
            presentation_meta: None,
            execute: None,
            finalize_content: None,
            timeout: None,
            idempotent: false,
            is_concurrency_safe: None,
            present_call: None,
            present_result: None,
        }
    }
}

/// Builds a [`Tool`] from raw schemas; see [`Tool::builder`].
#[must_use = "call `build`"]
pub struct ToolBuilder {
    name: Arc<str>,
    description: Arc<str>,
    parameters: Option<Result<ParameterSchema, SchemaError>>,
    validate_arguments: bool,
    output: Option<Result<Schema, SchemaError>>,
    render: Option<Box<RenderFn>>,
    presentation_meta: Option<Box<MetaFn>>,
    execute: Option<Box<ExecuteFn>>,
    finalize_content: Option<Box<FinalizeFn>>,
    timeout: Option<Duration>,
    idempotent: bool,
    is_concurrency_safe: Option<Box<ClassifyFn>>,
    present_call: Option<Box<PresentCallFn>>,
    present_result: Option<Box<PresentResultFn>>,
}

impl ToolBuilder {
    /// The JSON Schema of the arguments, in the enforced subset with an object at the root (SPEC B1). Arguments are checked
    /// against it before the body runs.
    pub fn parameters(mut self, schema: &Json) -> Self {
        self.parameters = Some(Schema::compile(schema).and_then(|schema| {
            schema.assert_object_root()?;
            Ok(ParameterSchema::Validated(schema))
        }));
        self
    }

    /// A parameter schema that is compiled already, such as one of the author DSL.
    pub fn parameter_schema(mut self, parameters: impl Into<ParameterSchema>) -> Self {
        self.parameters = Some(Ok(parameters.into()));
        self
    }

    /// Any JSON Schema for the arguments. It is shown to the model as well as it can be and not enforced (SPEC B6).
    pub fn raw_parameters(mut self, schema: Json) -> Self {
        self.parameters = Some(Ok(ParameterSchema::Raw(schema)));
        self
    }

    /// The JSON Schema of the canonical value, in the enforced subset; every value is checked against it.
    pub fn output(mut self, schema: &Json) -> Self {
        self.output = Some(Schema::compile(schema));
        self
    }

    /// An output schema that is compiled already.
    pub fn output_schema(mut self, schema: Schema) -> Self {
        self.output = Some(Ok(schema));
        self
    }

    /// Projects `(arguments, value)` to what a model is shown. Without it, strings are shown as they are and everything
    /// else as indented JSON.
    pub fn render<F>(mut self, render: F) -> Self
    where
        F: Fn(&Json, &Json) -> Result<Vec<Content>, ToolError> + Send + Sync + 'static,
    {
        self.render = Some(Box::new(render));
        self
    }

    /// Projects `(arguments, value)` to what [`present_result`](Self::present_result) may need in a replay.
    pub fn presentation_meta<F>(mut self, project: F) -> Self
    where
        F: Fn(&Json, &Json) -> Result<Json, ToolError> + Send + Sync + 'static,
    {
        self.presentation_meta = Some(Box::new(project));
        self
    }

    /// The body. It returns the canonical value only.
    pub fn execute<F, Fut>(mut self, execute: F) -> Self
    where
        F: Fn(Json, RunContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Json, ToolError>> + Send + 'static,
    {
        self.execute = Some(Box::new(move |args, context| {
            Box::pin(execute(args, context))
        }));
        self
    }

    /// A last change of the content, for every outcome, exactly once; `None` keeps it (SPEC E8).
    pub fn finalize_content<F>(mut self, finalize: F) -> Self
    where
        F: Fn(&ToolCall, &ToolResult) -> Option<Vec<Content>> + Send + Sync + 'static,
    {
        self.finalize_content = Some(Box::new(finalize));
        self
    }

    /// The time that the body may take; see [`Tool::timeout`].
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Says that running the tool twice does what running it once does, so that a retry layer may.
    pub fn idempotent(mut self) -> Self {
        self.idempotent = true;
        self
    }

    /// Whether calls may overlap with others whatever their arguments. The default is no.
    pub fn concurrency_safe(self, safe: bool) -> Self {
        self.concurrency_safe_if(move |_| safe)
    }

    /// Whether a call with these arguments may overlap with others.
    pub fn concurrency_safe_if<F>(mut self, classify: F) -> Self
    where
        F: Fn(&Json) -> bool + Send + Sync + 'static,
    {
        self.is_concurrency_safe = Some(Box::new(classify));
        self
    }

    /// How to announce a call to a person; `None` means the generic view.
    pub fn present_call<F>(mut self, present: F) -> Self
    where
        F: Fn(&Json) -> Option<ToolCallView> + Send + Sync + 'static,
    {
        self.present_call = Some(Box::new(present));
        self
    }

    /// How to show a result to a person; `None` means the generic view.
    pub fn present_result<F>(mut self, present: F) -> Self
    where
        F: Fn(&Json, &ToolResult) -> Option<ToolResultView> + Send + Sync + 'static,
    {
        self.present_result = Some(Box::new(present));
        self
    }

    /// Leaves the checking of arguments to the body.
    pub fn unchecked_arguments(mut self) -> Self {
        self.validate_arguments = false;
        self
    }

    /// The finished tool.
    ///
    /// # Errors
    /// A missing part, an empty name, a zero timeout, or a schema outside the enforced subset.
    pub fn build(self) -> Result<Tool, BuildError> {
        let name = self.name;
        if name.is_empty() {
            return Err(BuildError::EmptyName);
        }
        let missing = |part| BuildError::Missing {
            tool: name.clone(),
            part,
        };
        let parameters = self
            .parameters
            .ok_or_else(|| missing("parameters"))?
            .map_err(|error| BuildError::Schema {
                tool: name.clone(),
                part: "parameters",
                error,
            })?;
        let output = self
            .output
            .ok_or_else(|| missing("output"))?
            .map_err(|error| BuildError::Schema {
                tool: name.clone(),
                part: "output",
                error,
            })?;
        let execute = self.execute.ok_or_else(|| missing("execute"))?;
        if self.timeout.is_some_and(|timeout| timeout.is_zero()) {
            return Err(BuildError::ZeroTimeout { tool: name });
        }
        Ok(Tool::new(ToolParts {
            name,
            description: self.description,
            parameters,
            validate_arguments: self.validate_arguments,
            output,
            render: self
                .render
                .unwrap_or_else(|| Box::new(|_, value| Ok(vec![Content::text(plain_text(value))]))),
            presentation_meta: self.presentation_meta,
            execute,
            finalize_content: self.finalize_content,
            timeout: self.timeout,
            idempotent: self.idempotent,
            is_concurrency_safe: self.is_concurrency_safe,
            present_call: self.present_call,
            present_result: self.present_result,
        }))
    }
}

/// Builds a [`Tool`] from a typed function; see [`Tool::function`]. Its callbacks see the function's own types.
#[must_use = "call `build`"]
pub struct TypedToolBuilder<A, O> {
    builder: ToolBuilder,
    types: PhantomData<fn(A) -> O>,
}

impl<A, O> TypedToolBuilder<A, O>
where
    O: 'static,
    A: DeserializeOwned + 'static,
{
    /// Projects `(arguments, value)` to what a model is shown.
    pub fn render<F>(mut self, render: F) -> Self
    where
        O: DeserializeOwned,
        F: Fn(&A, &O) -> Vec<Content> + Send + Sync + 'static,
    {
        self.builder = self
            .builder
            .render(move |args, value| Ok(render(&args.deserialize()?, &value.deserialize()?)));
        self
    }

    /// Projects `(arguments, value)` to what a result presenter may need in a replay.
    pub fn presentation_meta<F, M>(mut self, project: F) -> Self
    where
        O: DeserializeOwned,
        F: Fn(&A, &O) -> M + Send + Sync + 'static,
        M: Serialize,
    {
        self.builder = self.builder.presentation_meta(move |args, value| {
            Ok(Json::from_serialize(&project(
                &args.deserialize()?,
                &value.deserialize()?,
            ))?)
        });
        self
    }

    /// Whether calls may overlap with others whatever their arguments. The default is no.
    pub fn concurrency_safe(mut self, safe: bool) -> Self {
        self.builder = self.builder.concurrency_safe(safe);
        self
    }

    /// Whether a call with these arguments may overlap with others.
    pub fn concurrency_safe_if<F>(mut self, classify: F) -> Self
    where
        F: Fn(&A) -> bool + Send + Sync + 'static,
    {
        self.builder = self
            .builder
            .concurrency_safe_if(move |args| args.deserialize().is_ok_and(|args| classify(&args)));
        self
    }

    /// The time that the body may take; see [`Tool::timeout`].
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.builder = self.builder.timeout(timeout);
        self
    }

    /// Says that running the tool twice does what running it once does, so that a retry layer may.
    pub fn idempotent(mut self) -> Self {
        self.builder = self.builder.idempotent();
        self
    }

    /// A last change of the content, for every outcome, exactly once; `None` keeps it (SPEC E8).
    pub fn finalize_content<F>(mut self, finalize: F) -> Self
    where
        F: Fn(&ToolCall, &ToolResult) -> Option<Vec<Content>> + Send + Sync + 'static,
    {
        self.builder = self.builder.finalize_content(finalize);
        self
    }

    /// How to announce a call to a person. Arguments that do not fit the type give the generic view.
    pub fn present_call<F>(mut self, present: F) -> Self
    where
        F: Fn(&A) -> Option<ToolCallView> + Send + Sync + 'static,
    {
        self.builder = self
            .builder
            .present_call(move |args| present(&args.deserialize().ok()?));
        self
    }

    /// How to show a result to a person. Arguments that do not fit the type give the generic view.
    pub fn present_result<F>(mut self, present: F) -> Self
    where
        F: Fn(&A, &ToolResult) -> Option<ToolResultView> + Send + Sync + 'static,
    {
        self.builder = self
            .builder
            .present_result(move |args, result| present(&args.deserialize().ok()?, result));
        self
    }

    /// The finished tool.
    ///
    /// # Errors
    /// As for [`ToolBuilder::build`].
    pub fn build(self) -> Result<Tool, BuildError> {
        self.builder.build()
    }
}

/// Strings as they are, everything else as indented JSON.
pub(crate) fn plain_text(value: &Json) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_pretty_string(), str::to_owned)
}
