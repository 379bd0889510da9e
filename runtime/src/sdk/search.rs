//! Ranked search over tools: words of names, of descriptions, and of argument names.

use std::collections::{BTreeMap, HashMap};

/// Weight of a word by where it stands.
const IN_NAME: f64 = 8.0;
const IN_ARGUMENTS: f64 = 2.0;
const IN_DESCRIPTION: f64 = 3.0;
/// Letters that a word must have to be found by its beginning.
const PREFIX: usize = 3;
/// Words of one text that are looked at.
const MAX_WORDS: usize = 400;

/// Which tools speak of which words.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// Word to tools with weights. Sorted, so that beginnings can be looked up.
    words: BTreeMap<String, Vec<(usize, f64)>>,
    tools: usize,
}

impl Index {
    /// Adds the next tool.
    pub(super) fn add<'a>(
        &mut self,
        name: &str,
        description: &str,
        arguments: impl Iterator<Item = &'a str>,
    ) {
        let mut weights: HashMap<String, f64> = HashMap::new();
        let mut add = |text: &str, weight: f64| {
            for word in words(text) {
                let entry = weights.entry(word).or_insert(0.0);
                *entry = entry.max(weight);
            }
        };
        add(name, IN_NAME);
        add(description, IN_DESCRIPTION);
        arguments
            .take(MAX_WORDS)
            .for_each(|name| add(name, IN_ARGUMENTS));
        for (word, weight) in weights {
            self.words
                .entry(word)
                .or_default()
                .push((self.tools, weight));
        }
        self.tools += 1;
    }

    /// Tools in the order of relevance, which those come first that speak of more of the query's rarer words.
    pub(super) fn search(&self, query: &str) -> Vec<usize> {
        let mut scores: HashMap<usize, f64> = HashMap::new();
        for word in words(query) {
            let mut best: HashMap<usize, f64> = HashMap::new();
            let mut count = |found: &str, postings: &[(usize, f64)]| {
                let rarity = (1.0 + self.tools as f64 / postings.len().max(1) as f64).ln();
                let exactness = if found == word { 1.0 } else { 0.5 };
                for (tool, weight) in postings {
                    let score = best.entry(*tool).or_insert(0.0);
                    *score = score.max(weight * rarity * exactness);
                }
            };
            if let Some(postings) = self.words.get(&word) {
                count(&word, postings);
            }
            if word.len() >= PREFIX {
                let range = self
                    .words
                    .range(word.clone()..)
                    .take_while(|(other, _)| other.starts_with(&word));
                range.for_each(|(other, postings)| count(other, postings));
            }
            for (tool, score) in best {
                *scores.entry(tool).or_insert(0.0) += score;
            }
        }
        let mut ranked: Vec<(usize, f64)> = scores.into_iter().collect();
        // Equal scores in the order of names, which is the order of adding.
        ranked.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        ranked.into_iter().map(|(tool, _)| tool).collect()
    }
}

/// Lower-case words without the plural's `s`; `readFile` is two.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for character in text.chars() {
        if !character.is_alphanumeric() || (character.is_uppercase() && was_lower) {
            finish(&mut word, &mut words);
        }
        if character.is_alphanumeric() {
            word.extend(character.to_lowercase());
        }
        was_lower = character.is_lowercase();
        if words.len() >= MAX_WORDS {
            return words;
        }
    }
    finish(&mut word, &mut words);
    words
}

fn finish(word: &mut String, words: &mut Vec<String>) {
    let mut done = std::mem::take(word);
    if done.len() > 3 && done.ends_with('s') && !done.ends_with("ss") {
        done.pop();
    }
    if !done.is_empty() && done.len() <= 100 {
        words.push(done);
    }
}
