//! `lockgate sdk`: what a model is told.

use std::{
    io::{Read, Write},
    path::Path,
    process::ExitCode,
};

use lockgate::{
    Json, Registry,
    sdk::{Catalogue, ToolDeclaration},
};

use crate::{
    args::SdkArgs,
    toolset::{self, Failure},
};

pub(crate) fn print(args: &SdkArgs) -> Result<ExitCode, Failure> {
    let text = match &args.schemas {
        Some(file) => {
            let document = read(file)?;
            let tools = declarations(&document)
                .map_err(|what| format!("can't use {}: {what}", file.display()))?;
            Catalogue::new(args.lang.into(), &tools, args.budget)
                .text()
                .to_owned()
        }
        None => {
            let builder = Registry::builder();
            let builder = match args.budget {
                Some(tokens) => builder.sdk_budget_tokens(tokens),
                None => builder,
            };
            let registry = builder.build()?;
            toolset::register(&registry, &args.tools)?;
            let tokio = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            tokio.block_on(async {
                let upstream = toolset::connect(&registry, &args.tools).await?;
                let text = registry.sdk_text(args.lang.into());
                if let Some(upstream) = upstream {
                    upstream.shutdown().await;
                }
                Ok::<_, Failure>(text)
            })?
        }
    };
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn read(file: &Path) -> Result<Json, Failure> {
    let mut text = String::new();
    let read = if file == Path::new("-") {
        std::io::stdin().read_to_string(&mut text).map(drop)
    } else {
        std::fs::read_to_string(file).map(|read| text = read)
    };
    read.map_err(|error| format!("can't read {}: {error}", file.display()))?;
    Ok(Json::parse(&text).map_err(|error| format!("{} is not JSON: {error}", file.display()))?)
}

/// A list of tools, bare or as MCP wraps it.
fn declarations(document: &Json) -> Result<Vec<ToolDeclaration<'_>>, String> {
    let list = [document, &document["tools"], &document["result"]["tools"]]
        .into_iter()
        .find_map(Json::as_array)
        .ok_or("it is neither a list of tools nor an object with a list `tools`")?;
    list.iter().enumerate().map(declaration).collect()
}

fn declaration((index, tool): (usize, &Json)) -> Result<ToolDeclaration<'_>, String> {
    let name = tool["name"].as_str();
    let schema = ["inputSchema", "parameters", "input_schema"]
        .iter()
        .find_map(|key| tool.get(key));
    Ok(ToolDeclaration {
        name: name.ok_or_else(|| format!("[{index}].name must be a string"))?,
        description: tool["description"].as_str().unwrap_or_default(),
        // Without a schema a tool takes no arguments.
        parameters: schema.unwrap_or(&Json::Null),
        output: tool.get("outputSchema"),
    })
}
