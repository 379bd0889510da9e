//! Big tool sets within a budget: some tools in full, the others by name, and a search that costs no model turn.

mod budget;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::search::Index;
use super::{Part, ToolDeclaration, assemble, parts, prose, sorted};
pub use budget::estimate_tokens;
use budget::{one_line, within};

use crate::code_runtime::CodeLanguage;
use crate::text::did_you_mean;
use crate::{Json, json};

/// The function by which a program finds tools: `tools.$search("words")`.
pub const SEARCH: &str = "$search";
/// The function by which a program reads a declaration: `tools.$describe("name")`.
pub const DESCRIBE: &str = "$describe";

/// Hits that a search gives unless it asks for another number.
const HITS: usize = 10;
/// The most that it may ask for.
const MAX_HITS: usize = 100;

/// The tools that one scope may call, as one snapshot: the text that the model reads, and what [`SEARCH`] and [`DESCRIBE`]
/// answer. Cloning shares it.
#[derive(Clone, Debug)]
pub struct Catalogue(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    language: CodeLanguage,
    entries: Vec<Entry>,
    by_name: HashMap<String, usize>,
    text: String,
    in_full: usize,
    index: OnceLock<Index>,
}

#[derive(Debug)]
struct Entry {
    name: String,
    /// The whole description, for the search.
    description: String,
    argument_names: Vec<String>,
    part: Part,
}

/// A tool that a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchHit<'a> {
    /// The exact name.
    pub name: &'a str,
    /// The beginning of its description, on one line.
    pub about: String,
}

impl Catalogue {
    /// Takes the snapshot. With a budget, the text is at most about that many tokens long (see [`estimate_tokens`]): what
    /// does not fit is listed by name, fairly over the groups of tools (`github__…`, `files.…`), so that no server crowds
    /// out another.
    pub fn new(
        language: CodeLanguage,
        tools: &[ToolDeclaration<'_>],
        budget_tokens: Option<usize>,
    ) -> Self {
        let tools = sorted(tools);
        let entries: Vec<Entry> = parts(language, &tools)
            .into_iter()
            .zip(&tools)
            .map(|(part, tool)| Entry {
                name: tool.name.to_owned(),
                description: tool.description.to_owned(),
                argument_names: argument_names(tool.parameters),
                part,
            })
            .collect();
        let all: Vec<&Part> = entries.iter().map(|entry| &entry.part).collect();
        let mut text = prose(language).sdk.to_owned() + &assemble(language, &all);
        let mut in_full = entries.len();
        if let Some(budget) = budget_tokens
            && estimate_tokens(&text) > budget
        {
            (text, in_full) = within(language, &entries, budget);
        }
        let by_name = entries
            .iter()
            .enumerate()
            .map(|(index, entry)| (entry.name.clone(), index))
            .collect();
        Self(Arc::new(Inner {
            language,
            entries,
            by_name,
            text,
            in_full,
            index: OnceLock::new(),
        }))
    }

    /// The SDK section. Without a budget, or within it, the same as [`render`](super::render) gives.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// True when every tool is declared in full. Then programs have no need of [`SEARCH`] and [`DESCRIBE`], and the text does
    /// not speak of them.
    pub fn is_complete(&self) -> bool {
        self.0.in_full == self.0.entries.len()
    }

    /// The names of all tools, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.entries.iter().map(|entry| &*entry.name)
    }

    /// The tools that fit the words best, at most `most`; without words, the first ones by name.
    pub fn search(&self, query: &str, most: usize) -> Vec<SearchHit<'_>> {
        let entries = &self.0.entries;
        let found = if query.trim().is_empty() {
            (0..entries.len()).collect()
        } else {
            self.index().search(query)
        };
        let hits = found
            .into_iter()
            .take(most)
            .filter_map(|index| entries.get(index));
        hits.map(|entry| SearchHit {
            name: &entry.name,
            about: one_line(&entry.description),
        })
        .collect()
    }

    /// The declaration of a tool, exactly as the full text has it.
    pub fn describe(&self, name: &str) -> Option<String> {
        let entry = self.0.entries.get(*self.0.by_name.get(name)?)?;
        Some(assemble(self.0.language, &[&entry.part]))
    }

    /// Answers a program's call of [`SEARCH`] or [`DESCRIBE`]; None for any other function.
    ///
    /// [`SEARCH`] takes the words, or `{"query": …, "limit": …}`, and gives `[{"name": …, "about": …}]`. [`DESCRIBE`] takes a
    /// name, or `{"name": …}`, and gives the declaration's text. The error is the message for the program.
    pub fn answer(&self, function: &str, arguments: &Json) -> Option<Result<Json, String>> {
        let text = |key: &str| arguments.as_str().or_else(|| arguments.get(key)?.as_str());
        Some(match function {
            SEARCH => match text("query") {
                Some(query) => {
                    let limit = arguments
                        .get("limit")
                        .and_then(Json::as_u64)
                        .unwrap_or(HITS as u64);
                    let hits = self.search(
                        query,
                        usize::try_from(limit).unwrap_or(MAX_HITS).min(MAX_HITS),
                    );
                    Ok(hits
                        .into_iter()
                        .map(|hit| json!({"name": (hit.name), "about": (hit.about)}))
                        .collect())
                }
                None => Err(format!(
                    "{SEARCH} takes the words to look for: tools.{SEARCH}(\"words\")"
                )),
            },
            DESCRIBE => match text("name") {
                Some(name) => self.describe(name).map(Json::from).ok_or_else(|| {
                    format!(
                        "there is no tool {}{}",
                        crate::text::quoted(name),
                        did_you_mean(name, self.names())
                    )
                }),
                None => Err(format!(
                    "{DESCRIBE} takes the name of a tool: tools.{DESCRIBE}(\"name\")"
                )),
            },
            _ => return None,
        })
    }

    fn index(&self) -> &Index {
        self.0.index.get_or_init(|| {
            let mut index = Index::default();
            for entry in &self.0.entries {
                index.add(
                    &entry.name,
                    &entry.description,
                    entry.argument_names.iter().map(String::as_str),
                );
            }
            index
        })
    }
}

/// The names of the arguments, of the nested ones as well as far as they are near the top.
fn argument_names(schema: &Json) -> Vec<String> {
    let mut names = Vec::new();
    let mut pending = vec![(schema, 0)];
    while let Some((schema, level)) = pending.pop() {
        for (name, property) in schema
            .get("properties")
            .and_then(Json::as_object)
            .into_iter()
            .flatten()
        {
            if names.len() >= 100 {
                return names;
            }
            names.push(name.to_owned());
            if level < 2 {
                pending.push((property, level + 1));
            }
        }
    }
    names
}

#[cfg(test)]
mod tests;
