//! Resources: the SDK text, and the traces of the client's past runs.

use lockgate::code_runtime::CodeLanguage;
use rmcp::{
    ErrorData,
    model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate},
};

use super::Gateway;

/// Where traces are.
const RUNS: &str = "lockgate://runs/";
/// One JSON value on each line.
const JSON_LINES: &str = "application/x-ndjson";

/// Where the SDK text of a language is.
pub(super) fn sdk_uri(language: CodeLanguage) -> &'static str {
    match language {
        CodeLanguage::TypeScript | CodeLanguage::JavaScript => "lockgate://sdk.ts",
        CodeLanguage::Python => "lockgate://sdk.py",
    }
}

fn sdk_type(language: CodeLanguage) -> &'static str {
    match language {
        CodeLanguage::TypeScript | CodeLanguage::JavaScript => "text/x-typescript",
        CodeLanguage::Python => "text/x-python",
    }
}

impl Gateway {
    /// What a session may read.
    pub(super) fn resources(&self, session: u64) -> Vec<Resource> {
        let listing = self.listing();
        let uri = sdk_uri(listing.language);
        let name = uri.trim_start_matches("lockgate://");
        let sdk = Resource::new(uri, name)
            .with_description("The declarations of all tools that a program of run_code can call.")
            .with_mime_type(sdk_type(listing.language))
            .with_size(listing.sdk.text().len() as u64);
        let runs = self.0.traces.of(session).into_iter().map(|trace| {
            Resource::new(format!("{RUNS}{}", trace.id), trace.id.to_string())
                .with_description(trace.about.to_string())
                .with_mime_type(JSON_LINES)
                .with_size(trace.text.len() as u64)
        });
        std::iter::once(sdk).chain(runs).collect()
    }

    /// How the addresses of traces are made.
    pub(super) fn resource_templates(&self) -> Vec<ResourceTemplate> {
        vec![
            ResourceTemplate::new(format!("{RUNS}{{id}}"), "run")
                .with_description(
                    "The trace of a past run of this session: one line of JSON for each event.",
                )
                .with_mime_type(JSON_LINES),
        ]
    }

    pub(super) fn read_resource(
        &self,
        session: u64,
        uri: &str,
    ) -> Result<ReadResourceResult, ErrorData> {
        let listing = self.listing();
        let (text, mime_type) = if uri == sdk_uri(listing.language) {
            (listing.sdk.text().to_owned(), sdk_type(listing.language))
        } else {
            let traces = self.0.traces.of(session);
            let id = uri.strip_prefix(RUNS);
            let found = traces.iter().find(|trace| Some(&*trace.id) == id);
            let found = found.ok_or_else(|| {
                ErrorData::resource_not_found(
                    format!(
                        "there is no resource {uri:?}; resources/list says what there is, and only the last runs are kept"
                    ),
                    None,
                )
            })?;
            (found.text.to_string(), JSON_LINES)
        };
        let contents = ResourceContents::text(text, uri).with_mime_type(mime_type);
        Ok(ReadResourceResult::new(vec![contents]))
    }
}
