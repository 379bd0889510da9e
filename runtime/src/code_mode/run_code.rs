//! The reserved tool `run_code` (SPEC H3–H5): a program goes in, its logs and its result come out.

use std::sync::{Arc, Weak};

use crate::{
    code_mode::{RUN_CODE, bridge::Bridge, lookup::Lookup, outcome},
    code_runtime::{Binding, CodeLanguage, CodeRequest, CodeRuntime, LogSink},
    events::{Event, LoggedFailure},
    json::Json,
    registry::{Registry, RegistryInner},
    schema::{self, ParameterSchema, Schema},
    sdk,
    tool::{BoxFuture, CallId, ErrorCode, RunContext, Tool, ToolError, ToolParts},
};

/// The global under which a program finds its tools.
const GLOBAL: &str = "tools";

/// The transport of one registry, with texts for the language of its runtime.
pub(crate) fn run_code_tool(
    registry: Weak<RegistryInner>,
    runtime: Option<&dyn CodeRuntime>,
) -> Tool {
    let language = runtime.map_or(CodeLanguage::TypeScript, CodeRuntime::language);
    let prose = sdk::prose(language);
    let parameters = compiled(schema::parameters([
        schema::required("code", schema::string().description(prose.code_parameter)),
        schema::required(
            "description",
            schema::string().description(prose.description_parameter),
        ),
    ]));
    let output = compiled(schema::closed_object([
        schema::required("logs", schema::array(schema::string())),
        schema::optional("result", schema::any()),
    ]));
    Tool::new(ToolParts {
        name: RUN_CODE.into(),
        description: prose.run_code_description.into(),
        parameters: ParameterSchema::Validated(parameters),
        validate_arguments: true,
        output,
        render: Box::new(|_, value| Ok(outcome::render(value))),
        presentation_meta: None,
        execute: Box::new(move |args, context| -> BoxFuture<'static, _> {
            let registry = registry.clone();
            Box::pin(async move {
                let registry = registry
                    .upgrade()
                    .map(Registry)
                    .ok_or_else(|| ToolError::new("the registry is gone"))?;
                run(registry, &args, &context).await
            })
        }),
        finalize_content: None,
        timeout: None,
        idempotent: false,
        is_concurrency_safe: None,
        present_call: None,
        present_result: None,
    })
}

/// Schemas written in this file compile: a test holds it. Should one not, anything is accepted rather than nothing.
fn compiled(spec: schema::Spec) -> Schema {
    spec.compile().unwrap_or_else(|_| Schema::any())
}

/// What sees the lines of this one call's program.
fn log_sink(registry: &Registry, id: &CallId) -> Option<LogSink> {
    let (sink, id) = (registry.0.code_mode.on_log.clone()?, id.clone());
    Some(Arc::new(move |level, line| sink(&id, level, line)))
}

async fn run(registry: Registry, args: &Json, context: &RunContext) -> Result<Json, ToolError> {
    let text = |name| args.get(name).and_then(Json::as_str).unwrap_or_default();
    if text("description").trim().is_empty() {
        return Err(ToolError::with_code(
            ErrorCode::InvalidArgs,
            "invalid arguments for `run_code`:\n- args.description is empty: say in a few words what the program does",
        ));
    }
    let Some(runtime) = registry.code_runtime().cloned() else {
        return Err(ToolError::with_code(
            ErrorCode::CodeRunFailed,
            "no code runtime is set up: the host must give the registry one",
        ));
    };
    // One snapshot serves the whole run: what the program is shown is what its calls can reach.
    let layer = registry.layer(context.call().agent());
    let (mut functions, lookup) = match registry.0.code_mode.sdk_budget_tokens {
        None => (registry.visible_names(layer).to_vec(), None),
        Some(_) => {
            let tools = registry.visible(layer);
            let names = tools.keys().cloned().collect();
            (names, Some(Lookup::new(runtime.language(), tools)))
        }
    };
    functions.extend(lookup.iter().flat_map(Lookup::functions));
    let bindings = [Binding {
        global: GLOBAL.into(),
        functions,
    }];
    let functions = &bindings[0].functions;

    let signal = context.signal().child_token();
    let mut bridge = Bridge::new(&registry, context.call(), functions, lookup, signal.clone());
    let ran = runtime
        .run(CodeRequest {
            source: text("code"),
            file_name: None,
            bindings: &bindings,
            calls: &mut bridge,
            signal: signal.clone(),
            limits: registry.0.code_mode.limits,
            on_log: log_sink(&registry, context.call().id()),
        })
        .await;
    let calls = bridge.settle(registry.0.code_mode.grace).await;
    let id = context.call().id().clone();
    for message in calls.contexts {
        context.defer_context(message);
    }
    if calls.concludes_turn {
        context.conclude_turn();
    }

    let ran =
        ran.map_err(|error| ToolError::with_code(ErrorCode::CodeRunFailed, error.to_string()))?;
    let mut tally = calls.tally;
    for call in &ran.unsubmitted {
        tally.never_started(
            functions
                .get(call.function)
                .cloned()
                .unwrap_or_else(|| "?".into()),
        );
    }
    let mut logs: Vec<Arc<str>> = ran.logs.into_iter().map(|line| line.text.into()).collect();
    let ended = ran.outcome.map_err(|failure| {
        let message = outcome::failure_message(&failure, &tally);
        (failure, message)
    });
    registry.emit(|| Event::ProgramEnded {
        id,
        failure: ended
            .as_ref()
            .err()
            .map(|(failure, message)| LoggedFailure::new(failure, message)),
        usage: (&ran.usage).into(),
        logs: logs.as_slice().into(),
        calls: tally.counts(),
    });
    match ended {
        Ok(value) => {
            logs.extend(tally.unawaited_warning().into_iter().map(Arc::from));
            Ok(outcome::canonical(logs, value))
        }
        Err((_, message)) => {
            let text = outcome::with_output(message, &logs);
            Err(ToolError::with_code(ErrorCode::CodeRunFailed, text))
        }
    }
}
