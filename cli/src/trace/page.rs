//! The page of a trace: one file that loads nothing, and runs no script but its own, whatever the trace says.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use lockgate::{Json, json};
use sha2::{Digest as _, Sha256};

use super::timeline::Run;

const PAGE: &str = include_str!("page.html");
const SCRIPT: &str = include_str!("page.js");
const STYLE: &str = include_str!("page.css");

/// The page of these runs.
pub(super) fn render(title: &str, runs: &[Run]) -> String {
    let runs: Vec<Json> = runs.iter().map(Run::to_json).collect();
    let data = json!({ "title": title, "runs": runs }).to_string();
    // Names, arguments and texts of a trace are anybody's. In a script element only `<` can end it, or change how it is read.
    let data = data.replace('<', "\\u003c");
    let parts = [
        ("{style-hash}", source_hash(STYLE)),
        ("{script-hash}", source_hash(SCRIPT)),
        ("{style}", STYLE.to_owned()),
        ("{script}", SCRIPT.to_owned()),
        // Last, so that nothing in the data is taken for a place to fill.
        ("{data}", data),
    ];
    parts.iter().fold(PAGE.to_owned(), |page, (place, part)| {
        page.replacen(place, part, 1)
    })
}

/// What a content security policy calls an inline source by.
fn source_hash(source: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(source)))
}
