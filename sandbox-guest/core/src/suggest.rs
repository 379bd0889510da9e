//! "Did you mean": the known name that is nearest to an unknown one.

/// Names longer than this are not compared.
const MAX_NAME: usize = 200;

/// The known name nearest to `wrong`, where one is near enough to be meant.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if wrong.is_empty() || wrong.len() > MAX_NAME {
        return None;
    }
    let folded = fold(wrong);
    let limit = (folded.len() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for name in known {
        if name.len() > MAX_NAME || name.len().abs_diff(wrong.len()) > limit + 4 {
            continue;
        }
        let distance = distance(&folded, &fold(name));
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Case and separators are what people get wrong first: they cost nothing.
fn fold(name: &str) -> Vec<char> {
    name.chars()
        .filter(|c| !matches!(c, '_' | '-' | '.' | ' '))
        .flat_map(char::to_lowercase)
        .collect()
}

/// Insertions, deletions, replacements and swaps of neighbours.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(b.len() + 1);
        row.push(i + 1);
        for (j, &y) in b.iter().enumerate() {
            let mut least = (last[j] + usize::from(x != y))
                .min(last[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        let known = ["read_file", "write_file", "list_files", "a"];
        for (wrong, meant) in [
            ("raed_file", Some("read_file")),
            ("readFile", Some("read_file")),
            ("listFile", Some("list_files")),
            ("write-file", Some("write_file")),
            ("delete_everything", None),
            ("", None),
        ] {
            assert_eq!(nearest(wrong, known), meant, "{wrong}");
        }
    }
}
