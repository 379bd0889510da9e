//! What clients are told of the tools: the list of tools, with the SDK text in the description of `run_code`.

use std::{fmt::Write as _, sync::Arc};

use lockgate::{
    Json, RUN_CODE, Registry, Scope, Tool,
    code_runtime::CodeLanguage,
    sdk::{Catalogue, DESCRIBE, SEARCH, ToolDeclaration},
};
use rmcp::model::{JsonObject, Tool as McpTool};

use super::{resources, result::to_value};

/// Characters that a description may have for clients that cut longer ones. They get the names of the tools and how to look
/// one up, instead of the SDK text.
pub const SHORT_DESCRIPTION: usize = 2_048;

/// Beginnings of the names of clients that cut descriptions to [`SHORT_DESCRIPTION`].
const CUTTING_CLIENTS: &[&str] = &["claude-code"];

/// One state of the tools, as clients see it.
pub(super) struct Listing {
    tools: Vec<McpTool>,
    /// The description of `run_code` for clients that cut longer ones.
    short: String,
    /// The code-only rule, if it holds.
    rule: String,
    pub(super) sdk: Catalogue,
    pub(super) language: CodeLanguage,
}

impl Listing {
    pub(super) fn new(registry: &Registry, native: &Scope) -> Self {
        let language = registry
            .code_runtime()
            .map_or(CodeLanguage::TypeScript, |runtime| runtime.language());
        let visible: Vec<Tool> = native
            .schemas()
            .iter()
            .filter_map(|schema| native.get(&schema.name))
            .collect();
        let declarations: Vec<ToolDeclaration<'_>> = visible
            .iter()
            .map(|tool| ToolDeclaration {
                name: tool.name(),
                description: tool.description(),
                parameters: tool.parameters(),
                output: Some(tool.output().as_json()),
            })
            .collect();
        let sdk = Catalogue::new(language, &declarations, None);
        let mut rule = String::new();
        let (tools, short) = match registry.assemble() {
            Ok(assembly) => {
                let mut sections = String::new();
                for section in &assembly.sections {
                    if section.name == "tools:code-only" {
                        rule.push_str(section.text.trim());
                    } else {
                        sections.push_str("\n\n");
                        sections.push_str(&section.text);
                    }
                }
                let mut short = String::new();
                let tools = assembly
                    .schemas
                    .iter()
                    .map(|schema| {
                        if &*schema.name == RUN_CODE {
                            short = short_description(&schema.description, &sdk, language);
                            let text = format!("{}{sections}", schema.description);
                            mcp_tool(RUN_CODE, text, &schema.parameters, None)
                        } else {
                            let output = native.get(&schema.name);
                            let output = output.as_ref().map(|tool| tool.output().as_json());
                            mcp_tool(
                                &schema.name,
                                schema.description.to_string(),
                                &schema.parameters,
                                output,
                            )
                        }
                    })
                    .collect();
                (tools, short)
            }
            // Only a registry without a code runtime comes here, and it has no programs to offer.
            Err(error) => {
                tracing::error!(%error, "the tools can't be presented");
                (Vec::new(), String::new())
            }
        };
        Self {
            tools,
            short,
            rule,
            sdk,
            language,
        }
    }

    /// What a client is told of the server as a whole. Clients cut it as they cut descriptions.
    pub(super) fn instructions_with(&self, servers: &[String]) -> String {
        let mut text = self.rule.clone();
        for (index, server) in servers.iter().enumerate() {
            let next = match index {
                0 if text.is_empty() => {
                    format!("Here are the tools of these MCP servers: {server}")
                }
                0 => format!("\n\nHere are the tools of these MCP servers: {server}"),
                _ => format!(", {server}"),
            };
            if text.chars().count() + next.chars().count() > SHORT_DESCRIPTION {
                break;
            }
            text.push_str(&next);
        }
        text
    }

    /// The list for a client of this name.
    pub(super) fn tools_for(&self, client: Option<&str>) -> Vec<McpTool> {
        let cuts = client.is_some_and(|client| {
            CUTTING_CLIENTS
                .iter()
                .any(|name| client.to_ascii_lowercase().starts_with(name))
        });
        let mut tools = self.tools.clone();
        if cuts && let Some(run_code) = tools.iter_mut().find(|tool| tool.name == RUN_CODE) {
            let long = run_code.description.as_ref();
            if long.is_some_and(|text| text.chars().count() > SHORT_DESCRIPTION) {
                run_code.description = Some(self.short.clone().into());
            }
        }
        tools
    }

    /// Whether clients were told what the tool's results look like.
    pub(super) fn has_output_schema(&self, name: &str) -> bool {
        let tool = self.tools.iter().find(|tool| tool.name == name);
        tool.is_some_and(|tool| tool.output_schema.is_some())
    }

    /// Whether clients would see no difference.
    pub(super) fn same_as(&self, other: &Self) -> bool {
        self.tools == other.tools && self.sdk.text() == other.sdk.text()
    }
}

fn mcp_tool(name: &str, description: String, parameters: &Json, output: Option<&Json>) -> McpTool {
    let input = object(parameters).unwrap_or_else(|| {
        // Nested beyond what clients read. The server checks the arguments itself.
        [("type".to_owned(), "object".into())].into_iter().collect()
    });
    let mut tool = McpTool::new(name.to_owned(), description, Arc::new(input));
    // MCP knows structured output of objects only.
    tool.output_schema = output
        .filter(|schema| schema["type"].as_str() == Some("object"))
        .and_then(object)
        .map(Arc::new);
    tool
}

fn object(schema: &Json) -> Option<JsonObject> {
    match to_value(schema)? {
        serde_json::Value::Object(members) => Some(members),
        _ => None,
    }
}

/// What a program has to know, within [`SHORT_DESCRIPTION`] characters: the names of the tools, and how to read the rest.
fn short_description(about: &str, sdk: &Catalogue, language: CodeLanguage) -> String {
    let uri = resources::sdk_uri(language);
    let names: Vec<&str> = sdk.names().collect();
    let (describe, search) = match language {
        CodeLanguage::Python => (
            format!("print(await tools[\"{DESCRIBE}\"](\"name\"))"),
            format!("return await tools[\"{SEARCH}\"](\"words\")"),
        ),
        CodeLanguage::TypeScript | CodeLanguage::JavaScript => (
            format!("console.log(await tools.{DESCRIBE}(\"name\"))"),
            format!("return await tools.{SEARCH}(\"words\")"),
        ),
    };
    let mut text = format!(
        "{about}\n\nBefore you call a tool whose arguments you don't know, read its declaration in a program: `{describe}`; find \
         tools by `{search}`. All declarations: resource {uri}.\n\n{} tools in `tools`:",
        names.len()
    );
    let more = |left: usize| format!(" and {left} more: search");
    let room = SHORT_DESCRIPTION.saturating_sub(more(names.len()).chars().count());
    let mut length = text.chars().count();
    for (index, name) in names.iter().enumerate() {
        let next = format!("{} {name}", if index == 0 { "" } else { "," });
        length += next.chars().count();
        if length > room {
            let _ = write!(text, "{}", more(names.len() - index));
            break;
        }
        text.push_str(&next);
    }
    text
}
