//! Names of types and members: readable, unique, bounded, and stable when other tools come and go.

use std::collections::HashSet;

/// Letters of a part of a type name.
const PART: usize = 48;

/// The type names of one SDK text.
#[derive(Default)]
pub(super) struct TypeNames {
    used: HashSet<String>,
}

impl TypeNames {
    /// Names that are taken from the start.
    pub(super) fn reserving<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self {
            used: names.into_iter().map(str::to_owned).collect(),
        }
    }

    /// `name`, or `name2`, `name3`… where it is taken.
    pub(super) fn claim(&mut self, name: String) -> String {
        let mut candidate = name.clone();
        let mut number = 2_u32;
        while !self.used.insert(candidate.clone()) {
            candidate = format!("{name}{number}");
            number += 1;
        }
        candidate
    }
}

/// The type name prefix of a tool: `read_file` gives `ReadFile`, `github__get_user` gives `Github_GetUser`.
///
/// Different tools have different prefixes without knowing of each other: what is not plain snake case carries a mark made
/// of its exact name, so that `get-user` and `get_user` never meet.
pub(super) fn tool_prefix(name: &str) -> String {
    let is_word = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_lowercase())
            && word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    let is_plain = name.len() <= PART && name.split("__").all(|part| part.split('_').all(is_word));
    if is_plain {
        name.split("__")
            .map(pascal_case)
            .collect::<Vec<_>>()
            .join("_")
    } else {
        format!("{}_{:04x}", pascal_case(name), fingerprint(name))
    }
}

/// `weather-get.now` gives `WeatherGetNow`; a name without letters gives `Type`.
pub(super) fn pascal_case(name: &str) -> String {
    let mut out = String::new();
    let mut starts_word = true;
    for character in name.chars().take(4 * PART) {
        if out.len() >= PART {
            break;
        }
        if !character.is_ascii_alphanumeric() {
            starts_word = true;
        } else if out.is_empty() && character.is_ascii_digit() {
            out.push('N');
            out.push(character);
            starts_word = true;
        } else {
            out.push(if starts_word {
                character.to_ascii_uppercase()
            } else {
                character
            });
            starts_word = false;
        }
    }
    if out.is_empty() {
        "Type".to_owned()
    } else {
        out
    }
}

/// FNV-1a, folded: only to tell names apart for readers; [`TypeNames`] sees to uniqueness.
fn fingerprint(text: &str) -> u16 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    (hash >> 48) as u16 ^ (hash >> 32) as u16 ^ (hash >> 16) as u16 ^ hash as u16
}

/// Letters, digits and `_`, not starting with a digit.
pub(super) fn is_ascii_identifier(name: &str) -> bool {
    !name.starts_with(|first: char| first.is_ascii_digit())
        && !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
