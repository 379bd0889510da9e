//! What of a tool set fits into a budget.

use std::collections::BTreeMap;

use super::{DESCRIBE, Entry, SEARCH};
use crate::code_runtime::CodeLanguage;
use crate::json;
use crate::sdk::literal::clean_text;
use crate::sdk::{Part, ToolDeclaration, assemble, comment, parts, prose};

/// Characters of a tool's one line.
const LINE: usize = 110;

/// About how many tokens a model reads a text as: measured on SDK texts, good to a fifth either way.
pub fn estimate_tokens(text: &str) -> usize {
    // Beyond ASCII, a token is about a character.
    let wide = text
        .chars()
        .filter(|character| !character.is_ascii())
        .count();
    let narrow = text.bytes().filter(u8::is_ascii).count();
    narrow.div_ceil(4) + wide
}

/// The group that a tool's name puts it into: `github__create_issue` is of `github`, `files.read` of `files`.
pub(super) fn group(name: &str) -> &str {
    let start = if name.starts_with("mcp__") { 5 } else { 0 };
    let end = ["__", ".", "/", ":"]
        .iter()
        .filter_map(|separator| name[start..].find(separator))
        .min();
    let end = end.or_else(|| name[start..].find(['_', '-']));
    match end {
        Some(end) if end > 0 => &name[..start + end],
        _ => name,
    }
}

/// The text within a budget, and how many tools it declares in full.
pub(super) fn within(language: CodeLanguage, entries: &[Entry], budget: usize) -> (String, usize) {
    let query = json!({"type": "string"});
    let hits = json!({"type": "array", "items": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "about": {"type": "string"}},
        "required": ["name", "about"],
        "additionalProperties": false,
    }});
    let functions = [
        ToolDeclaration {
            name: DESCRIBE,
            description: "The declaration of a tool by its exact name. Read it before you call a tool that is only listed.",
            parameters: &query,
            output: Some(&query),
        },
        ToolDeclaration {
            name: SEARCH,
            description: "Finds tools by words, best first.",
            parameters: &query,
            output: Some(&hits),
        },
    ];
    let own = parts(language, &functions.iter().collect::<Vec<_>>());
    // A tool of the same name comes first.
    let own: Vec<&Part> = own
        .iter()
        .zip(&functions)
        .filter(|(_, function)| !entries.iter().any(|entry| entry.name == function.name))
        .map(|(part, _)| part)
        .collect();
    let base = prose(language).sdk.to_owned() + &assemble(language, &own);
    let mut left = budget.saturating_sub(estimate_tokens(&base) + 40);

    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, entry) in entries.iter().enumerate() {
        groups.entry(group(&entry.name)).or_default().push(index);
    }
    // First every tool gets its line, as far as that goes; then what is left is spent on declarations.
    let lines: Vec<String> = entries.iter().map(line).collect();
    let line_costs: Vec<usize> = lines.iter().map(|line| estimate_tokens(line) + 1).collect();
    let listed = round_robin(&groups, &line_costs, &mut left, |_| true);
    let full_costs: Vec<usize> = entries
        .iter()
        .zip(&line_costs)
        .map(|(entry, line)| entry.part.cost().saturating_sub(*line))
        .collect();
    let in_full = round_robin(&groups, &full_costs, &mut left, |index| listed[index]);

    let mut shown: Vec<&Part> = own;
    shown.extend(
        entries
            .iter()
            .zip(&in_full)
            .filter(|(_, in_full)| **in_full)
            .map(|(entry, _)| &entry.part),
    );
    let mut list = String::from(
        "More tools, listed only: find them with $search, read their declarations with $describe.",
    );
    for (group, members) in &groups {
        let rest: Vec<usize> = members
            .iter()
            .copied()
            .filter(|index| !in_full[*index])
            .collect();
        if rest.is_empty() {
            continue;
        }
        let named: Vec<usize> = rest
            .iter()
            .copied()
            .filter(|index| listed[*index])
            .collect();
        // A group of nothing but unlisted tools would cost a line each.
        if named.is_empty() {
            continue;
        }
        if groups.len() > 1 && members.len() > 1 {
            list.push_str(&format!(
                "\n{} ({} of {}):",
                clean_text(group).replace('\n', " "),
                named.len(),
                members.len()
            ));
        }
        for index in named {
            list.push('\n');
            list.push_str(&lines[index]);
        }
    }
    let hidden = listed.iter().filter(|listed| !**listed).count();
    if hidden > 0 {
        list.push_str(&format!("\n… and {hidden} more that only $search shows."));
    }
    let text =
        prose(language).sdk.to_owned() + &comment(language, &list) + &assemble(language, &shown);
    (text, in_full.iter().filter(|in_full| **in_full).count())
}

fn line(entry: &Entry) -> String {
    // The exact name, as a program must write it where it is no identifier.
    let plain = entry.name.len() <= 100
        && entry
            .name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let name = if plain {
        entry.name.clone()
    } else {
        crate::text::quoted(&clean_text(&entry.name))
    };
    match one_line(&entry.description) {
        about if about.is_empty() => format!("- {name}"),
        about => format!("- {name}: {about}"),
    }
}

/// Takes one member of each group in turn, the cheapest first, as long as any fits into what is left.
fn round_robin(
    groups: &BTreeMap<&str, Vec<usize>>,
    costs: &[usize],
    left: &mut usize,
    is_candidate: impl Fn(usize) -> bool,
) -> Vec<bool> {
    let mut taken = vec![false; costs.len()];
    let mut queues: Vec<Vec<usize>> = groups
        .values()
        .map(|members| {
            let mut queue: Vec<usize> = members
                .iter()
                .copied()
                .filter(|index| is_candidate(*index))
                .collect();
            // The next is the last: cheapest first, and by name among equals.
            queue.sort_by_key(|index| std::cmp::Reverse((costs[*index], *index)));
            queue
        })
        .collect();
    while queues.iter().any(|queue| !queue.is_empty()) {
        for queue in &mut queues {
            let Some(index) = queue.pop() else { continue };
            if costs[index] > *left {
                // All that follow in this group cost more.
                queue.clear();
                continue;
            }
            *left -= costs[index];
            taken[index] = true;
        }
    }
    taken
}

impl Part {
    /// About how many tokens it adds.
    fn cost(&self) -> usize {
        estimate_tokens(&self.types) + estimate_tokens(&self.members) + estimate_tokens(&self.more)
    }
}

/// The first line or sentence of a description.
pub(super) fn one_line(description: &str) -> String {
    let text = clean_text(description);
    let line = text.lines().next().unwrap_or_default();
    let sentence = line.find(". ").map_or(line, |end| &line[..=end]);
    match sentence.char_indices().nth(LINE) {
        Some((end, _)) => format!("{}…", sentence[..end].trim_end()),
        None => sentence.to_owned(),
    }
}
