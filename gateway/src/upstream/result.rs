//! From the answer of `tools/call` to the value that a program gets.
//!
//! - `isError`: the call fails with the text.
//! - `structuredContent`: that is the value.
//! - else one block of text: a string, or what it says where it is declared to be JSON;
//! - one other block: its handle; several blocks: a list of those; none: null.

use lockgate::{Content, Json, Resource, ResourceBody, json, json::Object};

use super::{
    limits::{MAX_ERROR_BYTES, MAX_MEDIA_BYTES},
    listing::{ListedTool, Output},
    raw,
    text::{clip, quoted, visible},
};
use crate::redact::Redactor;

/// Blocks of one answer that are read.
const MAX_BLOCKS: usize = 10_000;

/// A value, and the media that its handles stand for.
pub(super) struct Answer {
    pub(super) value: Json,
    pub(super) media: Vec<Media>,
}

/// Something that no program can see, for the model.
pub(super) struct Media {
    /// Says which handle it is.
    pub(super) label: String,
    pub(super) content: Content,
}

/// Reads an answer. `admit` says whether media of so many bytes may still be attached.
///
/// # Errors
/// The tool failed, or its answer is not one; as the message for the program.
pub(super) fn read(
    answer: &Json,
    tool: &ListedTool,
    call_id: &str,
    redactor: &Redactor,
    admit: &mut dyn FnMut(usize) -> bool,
) -> Result<Answer, String> {
    let empty = lockgate::json::Array::new();
    let content = answer["content"].as_array().unwrap_or(&empty);
    if answer["isError"].as_bool() == Some(true) {
        return Err(error_text(content, &tool.name));
    }
    if answer.as_object().is_none()
        || answer["content"].as_array().is_none()
            && answer.get("structuredContent").is_none()
            && !is_bare(answer)
    {
        return Err(format!(
            "the answer to {} is not one of MCP: it has neither `content` nor `structuredContent`",
            quoted(&tool.name)
        ));
    }
    let mut reader = Reader {
        call_id,
        tool: &tool.name,
        redactor,
        admit,
        media: Vec::new(),
    };
    let mut blocks: Vec<Json> = content
        .iter()
        .take(MAX_BLOCKS)
        .map(|block| reader.block(block))
        .collect();
    if content.len() > MAX_BLOCKS {
        return Err(format!(
            "the answer to {} has {} blocks of content (limit MAX_BLOCKS: {MAX_BLOCKS})",
            quoted(&tool.name),
            content.len()
        ));
    }
    let value = match answer
        .get("structuredContent")
        .filter(|value| !value.is_null())
    {
        Some(structured) => match &tool.output {
            Output::Typed { wrapped: true, .. } => structured["result"].clone(),
            _ => structured.clone(),
        },
        None => {
            let value = match blocks.len() {
                0 => Json::Null,
                1 => blocks.remove(0),
                _ => blocks.into(),
            };
            declared(value, tool, redactor)?
        }
    };
    Ok(Answer {
        value,
        media: reader.media,
    })
}

/// An answer without anything: some servers send `{}` for "done".
fn is_bare(answer: &Json) -> bool {
    answer.as_object().is_some_and(|members| {
        members
            .iter()
            .all(|(key, _)| matches!(key, "_meta" | "isError" | "resultType"))
    })
}

/// A tool that declares its values and sends only text means JSON.
fn declared(value: Json, tool: &ListedTool, redactor: &Redactor) -> Result<Json, String> {
    let Some(text) = value.as_str() else {
        return Ok(value);
    };
    let parsed = raw::parse(text, redactor);
    match &tool.output {
        Output::Unknown => Ok(value),
        Output::Unusable => Ok(parsed.unwrap_or(value)),
        Output::Typed { schema, wrapped } => {
            let parsed = match parsed {
                Some(parsed) if *wrapped && !schema.accepts(&parsed) => {
                    Some(parsed["result"].clone())
                }
                parsed => parsed,
            };
            match parsed {
                Some(parsed) => Ok(parsed),
                None if schema.accepts(&value) => Ok(value),
                None => Err(format!(
                    "{} declares an output schema, but sent neither `structuredContent` nor JSON; it said: {}",
                    quoted(&tool.name),
                    clip(text, 500)
                )),
            }
        }
    }
}

fn error_text(content: &lockgate::json::Array, tool: &str) -> String {
    let texts: Vec<&str> = content
        .iter()
        .filter_map(|block| {
            block["text"]
                .as_str()
                .or_else(|| block["resource"]["text"].as_str())
        })
        .filter(|text| !text.trim().is_empty())
        .take(100)
        .collect();
    if texts.is_empty() {
        return format!("{} failed and did not say why", quoted(tool));
    }
    clip(&visible(&texts.join("\n")), MAX_ERROR_BYTES)
}

struct Reader<'a> {
    call_id: &'a str,
    tool: &'a str,
    redactor: &'a Redactor,
    admit: &'a mut dyn FnMut(usize) -> bool,
    media: Vec<Media>,
}

impl Reader<'_> {
    fn block(&mut self, block: &Json) -> Json {
        match block["type"].as_str() {
            Some("text") => self.text(block),
            Some("image") => self.data("image", block),
            Some("audio") => self.data("audio", block),
            Some("resource") => self.resource(&block["resource"]),
            Some("resource_link") => {
                let mut link = Object::new();
                link.insert("type", "resource_link");
                for key in ["uri", "name", "title", "description", "mimeType", "size"] {
                    if let Some(value) = block.get(key).filter(|value| !value.is_null()) {
                        link.insert(key, value);
                    }
                }
                Json::Object(link)
            }
            Some(other) => json!({"type": (clip(other, 60))}),
            None => json!({"type": "unknown"}),
        }
    }

    fn text(&self, block: &Json) -> Json {
        let text = &block["text"];
        let mime_type = block["mimeType"]
            .as_str()
            .or_else(|| block["_meta"]["mimeType"].as_str());
        match (text.as_str(), mime_type) {
            (Some(json), Some(mime_type)) if is_json(mime_type) => {
                raw::parse(json, self.redactor).unwrap_or_else(|| text.clone())
            }
            (Some(_), _) => text.clone(),
            (None, _) => Json::from(""),
        }
    }

    fn data(&mut self, kind: &str, block: &Json) -> Json {
        let mime_type = mime_type(block, "application/octet-stream");
        let Json::String(data) = &block["data"] else {
            return json!({"type": kind, "mimeType": mime_type, "bytes": 0, "attached": false});
        };
        let content = if kind == "image" {
            Content::Image {
                data: data.clone(),
                mime_type: mime_type.as_str().into(),
            }
        } else {
            Content::Audio {
                data: data.clone(),
                mime_type: mime_type.as_str().into(),
            }
        };
        self.handle(kind, &mime_type, None, data, content)
    }

    /// An embedded resource. Text is what a program can read; bytes are for the model alone.
    fn resource(&mut self, resource: &Json) -> Json {
        let uri = resource["uri"].as_str().unwrap_or_default();
        if let Json::String(text) = &resource["text"] {
            let mime_type = mime_type(resource, "text/plain");
            let parsed = is_json(&mime_type)
                .then(|| raw::parse(text, self.redactor))
                .flatten();
            let (key, value) = match parsed {
                Some(value) => ("value", value),
                None => ("text", Json::String(text.clone())),
            };
            let mut handle = Object::new();
            handle.insert("type", "resource");
            handle.insert("mimeType", mime_type);
            handle.insert("bytes", text.len());
            handle.insert("uri", uri);
            handle.insert(key, value);
            return Json::Object(handle);
        }
        let mime_type = mime_type(resource, "application/octet-stream");
        let Json::String(blob) = &resource["blob"] else {
            return json!({"type": "resource", "mimeType": mime_type, "bytes": 0, "uri": uri, "attached": false});
        };
        let content = Content::Resource {
            resource: Resource {
                uri: uri.into(),
                mime_type: Some(mime_type.as_str().into()),
                body: ResourceBody::Blob(blob.clone()),
            },
        };
        self.handle("resource", &mime_type, Some(uri), blob, content)
    }

    /// What stands for media in a program, while the media goes to the model (SPEC K5).
    fn handle(
        &mut self,
        kind: &str,
        mime_type: &str,
        uri: Option<&str>,
        base64: &str,
        content: Content,
    ) -> Json {
        let bytes = decoded_length(base64);
        let attached = bytes.is_some_and(|bytes| bytes <= MAX_MEDIA_BYTES && (self.admit)(bytes));
        let name = format!("{}#{}", self.call_id, self.media.len() + 1);
        let mut handle = Object::new();
        handle.insert("type", kind);
        handle.insert("mimeType", mime_type);
        handle.insert("bytes", bytes.unwrap_or(0));
        if let Some(uri) = uri {
            handle.insert("uri", uri);
        }
        handle.insert("attached", attached);
        if let Some(bytes) = bytes.filter(|_| attached) {
            handle.insert("handle", name.as_str());
            self.media.push(Media {
                label: format!(
                    "{kind} {mime_type}, {bytes} bytes, from {}: handle {name}",
                    quoted(self.tool)
                ),
                content,
            });
        }
        Json::Object(handle)
    }
}

fn mime_type(block: &Json, otherwise: &str) -> String {
    let plain = |text: &&str| {
        text.len() <= 100
            && text.contains('/')
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"/+-._;= ".contains(&byte))
    };
    block["mimeType"]
        .as_str()
        .filter(plain)
        .unwrap_or(otherwise)
        .to_owned()
}

fn is_json(mime_type: &str) -> bool {
    let essence = mime_type.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
        || essence.to_ascii_lowercase().ends_with("+json")
}

/// How many bytes the base64 text stands for; None if it is none, so that no client is given it.
fn decoded_length(base64: &str) -> Option<usize> {
    let digits = base64.trim_end_matches('=');
    let padding = base64.len() - digits.len();
    let fits = base64.len().is_multiple_of(4)
        && padding <= 2
        && digits
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
    fits.then(|| base64.len() / 4 * 3 - padding)
}
