//! A server's tool list: asked for page by page, and read so that one bad tool never takes the others with it.

use std::{collections::HashSet, sync::Arc};

use lockgate::{Json, json::Object, schema::Schema};
use rmcp::{
    RoleClient,
    model::{ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult},
    service::{Peer, ServiceError},
};

use super::{
    limits::{
        MAX_DESCRIPTION_BYTES, MAX_LIST_BYTES, MAX_NAME_BYTES, MAX_PAGES, MAX_PROBLEMS,
        MAX_SCHEMA_BYTES, MAX_TOOLS,
    },
    output, raw,
    text::{clip, is_hidden, quoted, visible},
};
use crate::{config::ToolFilter, redact::Redactor};

/// JSON-RPC's code for a method that a server does not know.
pub(super) const METHOD_NOT_FOUND: i32 = -32601;

/// A tool as its server lists it, read and bounded. Two are equal when a model would see no difference.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ListedTool {
    /// The server's own name for it.
    pub(super) name: Arc<str>,
    pub(super) description: String,
    pub(super) parameters: Json,
    pub(super) output: Output,
    pub(super) read_only: bool,
    pub(super) idempotent: bool,
}

/// What is known of a tool's values.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Output {
    /// The server says nothing.
    Unknown,
    /// The server says something that can't be enforced, so nothing is.
    Unusable,
    /// What can be enforced of what the server says.
    Typed {
        schema: Schema,
        /// `structuredContent` is `{"result": value}`, by FastMCP's mark.
        wrapped: bool,
    },
}

/// All tools of a server that are let through, and what was wrong with the list.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) tools: Vec<Arc<ListedTool>>,
    pub(super) problems: Vec<String>,
    /// What one should know of it.
    pub(super) notes: Vec<String>,
    /// Tools that the filter keeps out.
    pub(super) filtered: usize,
    seen: HashSet<String>,
    bytes: usize,
}

/// Asks for every page.
pub(super) async fn list(
    peer: &Peer<RoleClient>,
    filter: &ToolFilter,
    redactor: &Redactor,
) -> Result<Listing, ServiceError> {
    let mut listing = Listing::default();
    let mut cursors = HashSet::new();
    let mut cursor: Option<String> = None;
    let mut names = Vec::new();
    for page in 1.. {
        let request = cursor
            .take()
            .map_or_else(ListToolsRequest::default, |cursor| {
                let page = PaginatedRequestParams::default().with_cursor(Some(cursor));
                ListToolsRequest::with_param(page)
            });
        let answer = match peer
            .send_request(ClientRequest::ListToolsRequest(request))
            .await
        {
            Ok(answer) => answer,
            // A server without tools may not know the method.
            Err(ServiceError::McpError(error)) if page == 1 && error.code.0 == METHOD_NOT_FOUND => {
                listing.note("it has no tools (`tools/list` is unknown to it)".to_owned());
                break;
            }
            Err(error) => return Err(error),
        };
        let next = listing.page(answer, filter, redactor, &mut names);
        match next {
            None => break,
            Some(_) if listing.is_full() => break,
            Some(_) if page >= MAX_PAGES => {
                listing.problem(format!(
                    "its tool list goes on after {MAX_PAGES} pages (limit MAX_PAGES); the rest is left out"
                ));
                break;
            }
            Some(next) if !cursors.insert(next.clone()) => {
                listing.problem(
                    "its tool list comes back to a page that was read already; the rest is left out"
                        .to_owned(),
                );
                break;
            }
            Some(next) => cursor = Some(next),
        }
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for pattern in filter.unmatched(&names) {
        listing.problem(format!(
            "the pattern {} of `allow` or `deny` matches none of its tools",
            quoted(pattern)
        ));
    }
    Ok(listing)
}

impl Listing {
    /// Takes one page; gives the cursor of the next.
    fn page(
        &mut self,
        answer: ServerResult,
        filter: &ToolFilter,
        redactor: &Redactor,
        names: &mut Vec<String>,
    ) -> Option<String> {
        let answer = match raw::json(answer, redactor) {
            Ok(answer) => answer,
            Err(error) => {
                self.problem(format!("its tool list can't be read: {error}"));
                return None;
            }
        };
        let Some(tools) = answer["tools"].as_array() else {
            self.problem("its answer to `tools/list` has no list `tools`".to_owned());
            return None;
        };
        for tool in tools {
            if self.is_full() {
                break;
            }
            self.tool(tool, filter, names);
        }
        match &answer["nextCursor"] {
            Json::String(cursor) if !cursor.is_empty() && cursor.len() <= MAX_SCHEMA_BYTES => {
                Some(cursor.to_string())
            }
            _ => None,
        }
    }

    fn is_full(&self) -> bool {
        self.seen.len() >= MAX_TOOLS || self.bytes >= MAX_LIST_BYTES
    }

    fn tool(&mut self, json: &Json, filter: &ToolFilter, names: &mut Vec<String>) {
        let Some(name) = json["name"].as_str() else {
            return self.problem("a tool without a name is left out".to_owned());
        };
        let bad = if name.is_empty() {
            Some("is empty".to_owned())
        } else if name.len() > MAX_NAME_BYTES {
            Some(format!(
                "has {} bytes (limit MAX_NAME_BYTES: {MAX_NAME_BYTES})",
                name.len()
            ))
        } else if name.contains(is_hidden) {
            Some("holds control or invisible characters".to_owned())
        } else {
            None
        };
        if let Some(bad) = bad {
            return self.problem(format!(
                "the tool {} is left out: its name {bad}",
                quoted(name)
            ));
        }
        if !self.seen.insert(name.to_owned()) {
            return self.problem(format!(
                "the tool {} is listed twice; the first is used",
                quoted(name)
            ));
        }
        names.push(name.to_owned());
        if self.seen.len() == MAX_TOOLS {
            self.problem(format!(
                "it lists {MAX_TOOLS} tools or more (limit MAX_TOOLS); the rest is left out"
            ));
        }
        if !filter.lets(name) {
            self.filtered += 1;
            return;
        }
        let description = self.description(name, json);
        let parameters = self.parameters(name, json);
        let output = self.output(name, json);
        let hint = |key: &str| json["annotations"][key].as_bool() == Some(true);
        let tool = ListedTool {
            name: name.into(),
            description,
            parameters,
            output,
            read_only: hint("readOnlyHint"),
            idempotent: hint("idempotentHint"),
        };
        if self.bytes >= MAX_LIST_BYTES {
            self.problem(format!(
                "its tool list is larger than {MAX_LIST_BYTES} bytes (limit MAX_LIST_BYTES); the rest is left out"
            ));
        }
        self.tools.push(Arc::new(tool));
    }

    fn description(&mut self, name: &str, json: &Json) -> String {
        let text = ["description", "title"]
            .iter()
            .find_map(|key| json[*key].as_str())
            .or_else(|| json["annotations"]["title"].as_str())
            .unwrap_or_default();
        self.bytes += text.len();
        let clean = visible(text);
        if clean.len() != text.len() {
            self.problem(format!(
                "the description of {} holds control or invisible characters; they are left out",
                quoted(name)
            ));
        }
        if clean.len() > MAX_DESCRIPTION_BYTES {
            self.problem(format!(
                "the description of {} has {} bytes (limit MAX_DESCRIPTION_BYTES: {MAX_DESCRIPTION_BYTES}); it is cut",
                quoted(name),
                clean.len()
            ));
        }
        clip(&clean, MAX_DESCRIPTION_BYTES)
    }

    /// Any schema is shown as well as it can be (SPEC B6); what is none says nothing.
    fn parameters(&mut self, name: &str, json: &Json) -> Json {
        let open = || lockgate::json!({"type": "object"});
        match json.get("inputSchema") {
            None => {
                self.problem(format!("{} has no `inputSchema`", quoted(name)));
                open()
            }
            Some(schema @ Json::Object(_)) => {
                let bytes = schema.to_string().len();
                self.bytes += bytes;
                if bytes > MAX_SCHEMA_BYTES {
                    self.problem(format!(
                        "the input schema of {} has {bytes} bytes (limit MAX_SCHEMA_BYTES: {MAX_SCHEMA_BYTES}); its arguments are shown as any object",
                        quoted(name)
                    ));
                    return open();
                }
                if let Some(kind) = schema
                    .get("type")
                    .filter(|kind| kind.as_str() != Some("object"))
                {
                    self.problem(format!(
                        "the input schema of {} has the type {}; MCP takes objects only",
                        quoted(name),
                        clip(&kind.to_string(), 60)
                    ));
                }
                schema.clone()
            }
            Some(other) => {
                self.problem(format!(
                    "the input schema of {} is no object but {}; its arguments are shown as any object",
                    quoted(name),
                    other.type_name()
                ));
                open()
            }
        }
    }

    fn output(&mut self, name: &str, json: &Json) -> Output {
        let schema = match json.get("outputSchema") {
            None | Some(Json::Null) => return Output::Unknown,
            Some(Json::Object(schema)) => schema,
            Some(other) => {
                self.problem(format!(
                    "the output schema of {} is no object but {}; its values are not typed",
                    quoted(name),
                    other.type_name()
                ));
                return Output::Unusable;
            }
        };
        let bytes = json["outputSchema"].to_string().len();
        self.bytes += bytes;
        if bytes > MAX_SCHEMA_BYTES {
            self.problem(format!(
                "the output schema of {} has {bytes} bytes (limit MAX_SCHEMA_BYTES: {MAX_SCHEMA_BYTES}); its values are not typed",
                quoted(name)
            ));
            return Output::Unusable;
        }
        let wrapped = wraps_result(schema);
        let root = json["outputSchema"].clone();
        match output::enforceable(&root, wrapped) {
            Ok((schema, losses)) => {
                if !losses.is_empty() {
                    self.note(format!(
                        "the output schema of {} is enforced in part: {}",
                        quoted(name),
                        losses.join("; ")
                    ));
                }
                Output::Typed { schema, wrapped }
            }
            Err(error) => {
                self.note(format!(
                    "the output schema of {} can't be enforced, its values are not typed: {error}",
                    quoted(name)
                ));
                Output::Unusable
            }
        }
    }

    fn problem(&mut self, text: String) {
        add(&mut self.problems, text);
    }

    fn note(&mut self, text: String) {
        add(&mut self.notes, text);
    }
}

fn add(list: &mut Vec<String>, text: String) {
    match list.len() {
        MAX_PROBLEMS => list.push("there is more of this kind".to_owned()),
        count if count < MAX_PROBLEMS => list.push(text),
        _ => {}
    }
}

/// FastMCP says by this mark that it wrapped a value that is no object.
fn wraps_result(schema: &Object) -> bool {
    schema.get("x-fastmcp-wrap-result").and_then(Json::as_bool) == Some(true)
        && schema
            .get("properties")
            .is_some_and(|properties| properties.get("result").is_some())
}
