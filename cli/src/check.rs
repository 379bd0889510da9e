//! `lockgate mcp --check`: what the configured servers offer, what it costs a model's context, and what is wrong.

use std::{fmt::Write as _, process::ExitCode};

use lockgate::{
    Registry, ToolSchema,
    code_runtime::CodeLanguage,
    json,
    sdk::{Catalogue, ToolDeclaration, declarations, estimate_tokens},
};
use lockgate_gateway::{Config, OutputTyping, ServerState, ServerStatus, Upstream};

use crate::{args::McpArgs, toolset::Failure};

/// Something is wrong with a server or its tools; it was printed.
const PROBLEMS: u8 = 1;

pub(crate) fn check(args: &McpArgs) -> Result<ExitCode, Failure> {
    let config = Config::load(&args.config)?;
    let warnings = config.warnings().to_vec();
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (report, well) = tokio.block_on(async {
        let registry = Registry::new();
        let upstream = Upstream::start(config, registry.clone());
        upstream.ready().await;
        let report = report(
            &registry,
            &upstream.status(),
            args.lang.into(),
            args.sdk_budget,
        );
        upstream.shutdown().await;
        report
    });
    tokio.shutdown_background();
    print!("{report}");
    for warning in &warnings {
        println!("\n{}: {warning}", args.config.display());
    }
    Ok(if well && warnings.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(PROBLEMS)
    })
}

/// The text, and whether all is well.
fn report(
    registry: &Registry,
    servers: &[ServerStatus],
    language: CodeLanguage,
    budget: usize,
) -> (String, bool) {
    let (mut text, mut well) = (String::new(), true);
    let mut native_of_all = 0;
    for server in servers {
        let (state, fine) = state(&server.state);
        well &= fine && server.problems.is_empty();
        let _ = writeln!(text, "{} ({}): {state}", server.name, server.transport);
        let tools: Vec<_> = server
            .tools
            .iter()
            .filter_map(|tool| Some((tool, registry.get(&tool.exposed_as)?)))
            .collect();
        let native: usize = tools
            .iter()
            .map(|(_, tool)| native_tokens(&tool.schema()))
            .sum();
        native_of_all += native;
        if !tools.is_empty() {
            let outputs: Vec<_> = tools
                .iter()
                .map(|(_, tool)| tool.output().as_json())
                .collect();
            let declared: Vec<ToolDeclaration<'_>> = tools
                .iter()
                .zip(outputs)
                .map(|((_, tool), output)| ToolDeclaration {
                    name: tool.name(),
                    description: tool.description(),
                    parameters: tool.parameters(),
                    output: Some(output),
                })
                .collect();
            let sdk = estimate_tokens(&declarations(language, &declared));
            let _ = writeln!(
                text,
                "  {} tools: about {native} tokens as native schemas, {sdk} as SDK text",
                tools.len()
            );
        }
        if server.filtered > 0 {
            let _ = writeln!(
                text,
                "  {} more are kept out by the configuration",
                server.filtered
            );
        }
        for (status, _) in &tools {
            let renamed = if status.name == status.exposed_as {
                String::new()
            } else {
                format!(" (its own name: {})", status.name)
            };
            let typing = match status.output {
                OutputTyping::Declared => "typed values",
                OutputTyping::Unusable => "values of a type that can't be enforced",
                _ => "untyped values",
            };
            let reads = if status.read_only { ", only reads" } else { "" };
            let _ = writeln!(text, "    {}{renamed}: {typing}{reads}", status.exposed_as);
        }
        for problem in &server.problems {
            let _ = writeln!(text, "  problem: {problem}");
        }
        for note in &server.notes {
            let _ = writeln!(text, "  note: {note}");
        }
        text.push('\n');
    }
    let full = registry.sdk_text(language);
    let full = estimate_tokens(&full);
    let _ = write!(
        text,
        "In all: about {native_of_all} tokens as native schemas, {full} as SDK text"
    );
    if full > budget {
        let _ = write!(
            text,
            ", {} within the budget of {budget}",
            within(registry, language, budget)
        );
    }
    text.push('\n');
    (text, well)
}

fn state(state: &ServerState) -> (String, bool) {
    match state {
        ServerState::Ready => ("ready".to_owned(), true),
        ServerState::Disabled => ("disabled".to_owned(), true),
        ServerState::Unusable { reason } => (format!("can't be used: {reason}"), false),
        ServerState::Down { reason, .. } => (format!("failed: {reason}"), false),
        other => (format!("{other:?}").to_lowercase(), false),
    }
}

/// A tool as clients hand it to a model: name, description and input schema.
fn native_tokens(tool: &ToolSchema) -> usize {
    let native = json!({
        "name": (tool.name.clone()),
        "description": (tool.description.clone()),
        "input_schema": (tool.parameters.clone()),
    });
    estimate_tokens(&native.to_string())
}

fn within(registry: &Registry, language: CodeLanguage, budget: usize) -> usize {
    let schemas = registry.schemas();
    let tools: Vec<_> = schemas
        .iter()
        .filter_map(|schema| registry.get(&schema.name))
        .collect();
    let declared: Vec<ToolDeclaration<'_>> = tools
        .iter()
        .map(|tool| ToolDeclaration {
            name: tool.name(),
            description: tool.description(),
            parameters: tool.parameters(),
            output: Some(tool.output().as_json()),
        })
        .collect();
    estimate_tokens(Catalogue::new(language, &declared, Some(budget)).text())
}
