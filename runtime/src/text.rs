//! "Did you mean": the names nearest to a wrong one.

/// How many names [`nearest`] gives at most.
const MOST: usize = 3;
/// Characters of a name that are compared; longer names are compared by their beginnings.
const COMPARED: usize = 64;

/// The candidates that `name` was probably meant to be, best first, at most three; empty if none is near.
///
/// Near means: the same but for case and separators, a few typing errors away, or one made of the other's words.
///
/// ```
/// use lockgate::text::nearest;
///
/// assert_eq!(nearest("readFile", ["write_file", "read_file"]), ["read_file"]);
/// assert_eq!(nearest("qux", ["write_file", "read_file"]), [""; 0]);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let plain = plain_form(name);
    let words = words(name);
    let mut ranked: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter(|candidate| *candidate != name)
        .filter_map(|candidate| {
            distance(&plain, &words, candidate).map(|distance| (distance, candidate))
        })
        .collect();
    ranked.sort();
    ranked.dedup();
    // A clear winner stands alone.
    if let Some(&(best, _)) = ranked.first() {
        ranked.retain(|&(distance, _)| distance <= best + 1);
    }
    ranked
        .into_iter()
        .take(MOST)
        .map(|(_, candidate)| candidate)
        .collect()
}

/// `; did you mean "a" or "b"?`, or nothing when no candidate is near. Names are clipped and quoted.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let near = nearest(name, candidates);
    let mut text = String::new();
    for (index, candidate) in near.iter().enumerate() {
        text.push_str(match index {
            0 => "; did you mean ",
            _ if index + 1 == near.len() => " or ",
            _ => ", ",
        });
        text.push_str(&quoted(candidate));
    }
    if !text.is_empty() {
        text.push('?');
    }
    text
}

/// The text as a JSON string literal of at most 80 characters.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::new();
    match text.char_indices().nth(80) {
        Some((end, _)) => {
            crate::json::write_quoted(&mut out, &text[..end]);
            out.insert(out.len() - 1, '…');
        }
        None => crate::json::write_quoted(&mut out, text),
    }
    out
}

fn distance(plain: &str, words_of_name: &[String], candidate: &str) -> Option<usize> {
    let other = plain_form(candidate);
    if other == plain {
        return Some(0);
    }
    let (longer, shorter) = (plain.len().max(other.len()), plain.len().min(other.len()));
    let allowed = (longer / 3).min(4);
    if longer - shorter <= allowed * 4 {
        let typing_errors = strsim::osa_distance(plain, &other);
        if typing_errors <= allowed && typing_errors < plain.chars().count() {
            return Some(typing_errors);
        }
    }
    // `get_user` for `users_get`, `read` for `read_file`.
    let others = words(candidate);
    let (few, many) = if words_of_name.len() <= others.len() {
        (words_of_name, &others[..])
    } else {
        (&others[..], words_of_name)
    };
    let within = !few.is_empty()
        && few.iter().all(|word| {
            word.len() >= 3
                && many.iter().any(|other| {
                    other.starts_with(&**word) || word.starts_with(&**other) && other.len() >= 3
                })
        });
    within.then(|| 5 + many.len() - few.len())
}

/// Lower case without separators.
fn plain_form(name: &str) -> String {
    name.chars()
        .take(COMPARED)
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// `readFile_fast` as `read`, `file`, `fast`.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for character in name.chars().take(COMPARED) {
        if !character.is_alphanumeric() || (character.is_uppercase() && was_lower) {
            words.push(std::mem::take(&mut word));
        }
        if character.is_alphanumeric() {
            word.extend(character.to_lowercase());
        }
        was_lower = character.is_lowercase();
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::{did_you_mean, nearest};

    const NAMES: [&str; 6] = [
        "read_file",
        "write_file",
        "list_users",
        "get_user",
        "weather.get",
        "a",
    ];

    #[test]
    fn finds_the_near_ones() {
        for (wrong, right) in [
            ("readFile", &["read_file"][..]),
            ("read-file", &["read_file"]),
            ("raed_file", &["read_file"]),
            ("read", &["read_file"]),
            ("users_list", &["list_users"]),
            ("get_users", &["get_user"]),
            ("getWeather", &["weather.get"]),
            ("delete", &[]),
            ("", &[]),
            ("b", &[]),
            ("🦀🦀🦀", &[]),
        ] {
            assert_eq!(nearest(wrong, NAMES), right, "{wrong}");
        }
    }

    #[test]
    fn words_the_question() {
        assert_eq!(
            did_you_mean("ab_file", ["aa_file", "ac_file", "zz"]),
            "; did you mean \"aa_file\" or \"ac_file\"?"
        );
        assert_eq!(did_you_mean("x", ["y"]), "");
        let long = "n".repeat(10_000);
        assert!(did_you_mean("nnnn", [long.as_str()]).len() < 200);
        assert!(did_you_mean(&long, [format!("{long}1").as_str()]).len() < 200);
    }
}
