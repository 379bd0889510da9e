//! From the pipeline's result to MCP's.

use lockgate::{Content, Json, Outcome, ToolResult};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

/// Levels of nesting that leave as structured JSON. Clients' parsers stop soon after, and so does ours.
const MAX_STRUCTURED_DEPTH: usize = 100;

/// The value as serde_json has it; none where it is nested too deeply for clients to read.
pub(super) fn to_value(value: &Json) -> Option<Value> {
    if value.depth() > MAX_STRUCTURED_DEPTH {
        return None;
    }
    serde_json::to_value(value).ok()
}

/// Text first, then what sub-calls left for the model: images and other media among it (SPEC K5).
///
/// Structured content is left out as soon as there is anything that it does not say: several clients show their model the
/// structured content alone where there is some.
pub(super) fn to_mcp(result: &ToolResult, has_output_schema: bool) -> CallToolResult {
    let contexts = result.additional_contexts();
    let blocks = result
        .content()
        .iter()
        .chain(contexts.iter().flat_map(|message| &message.content));
    let content: Vec<ContentBlock> = blocks.filter_map(block).collect();
    let success = match result.outcome() {
        Outcome::Failure(_) => return CallToolResult::error(content),
        Outcome::Success(success) => success,
    };
    let plain = contexts.is_empty()
        && result
            .content()
            .iter()
            .all(|block| block.as_text().is_some());
    let structured = if plain || has_output_schema {
        Some(&success.value)
            .filter(|value| value.as_object().is_some())
            .and_then(to_value)
    } else {
        None
    };
    if has_output_schema && structured.is_none() {
        return CallToolResult::error(vec![ContentBlock::text(format!(
            "Error: the result nests {} levels; more than {MAX_STRUCTURED_DEPTH} can't be sent as structured content. Call the tool \
             from a program, and return the part that is needed.",
            success.value.depth()
        ))]);
    }
    let mut answer = CallToolResult::success(content);
    answer.structured_content = structured;
    answer
}

/// One block; the shapes are those of MCP.
fn block(content: &Content) -> Option<ContentBlock> {
    let converted = serde_json::to_value(content).and_then(serde_json::from_value);
    converted
        .inspect_err(|error| tracing::error!(%error, "a content block can't be sent"))
        .ok()
}
