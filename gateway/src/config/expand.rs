//! `${VAR}` in a configuration: values of the environment, so that secrets need not be in the file.

use crate::redact::Secret;

/// A text with its variables put in. `${VAR}` and `${env:VAR}` must be set; `${VAR:-text}` falls back to the text.
///
/// # Errors
/// What can't be put in, as a sentence.
pub(super) fn expand(
    text: &str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Secret, String> {
    let mut out = String::with_capacity(text.len());
    let mut sources = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let Some(length) = rest[start..].find('}') else {
            break;
        };
        out.push_str(&rest[..start]);
        let inside = &rest[start + 2..start + length];
        rest = &rest[start + length + 1..];
        let (name, fallback) = match inside.split_once(":-") {
            Some((name, fallback)) => (name, Some(fallback)),
            None => (inside, None),
        };
        let name = name.strip_prefix("env:").unwrap_or(name);
        if name.is_empty() || name.contains(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
            return Err(format!(
                "`${{{inside}}}` is not supported; only variables of the environment are: `${{NAME}}`, `${{NAME:-default}}`"
            ));
        }
        match variable(name) {
            Some(value) => {
                sources.push((name.to_owned(), value.clone()));
                out.push_str(&value);
            }
            None => out.push_str(fallback.ok_or_else(|| {
                format!(
                    "the environment variable {name} is not set; set it, or write `${{{name}:-default}}`"
                )
            })?),
        }
    }
    out.push_str(rest);
    Ok(Secret::with_sources(out, sources))
}

#[cfg(test)]
mod tests {
    use super::expand;

    fn variable(name: &str) -> Option<String> {
        (name == "TOKEN").then(|| "s3cret".to_owned())
    }

    #[test]
    fn puts_variables_in() {
        for (given, expected) in [
            ("Bearer ${TOKEN}", Ok("Bearer s3cret")),
            ("${env:TOKEN}", Ok("s3cret")),
            ("${NONE:-x}${TOKEN:-y}", Ok("xs3cret")),
            ("$TOKEN ${open", Ok("$TOKEN ${open")),
            ("${NONE}", Err("NONE is not set")),
            ("${input:key}", Err("`${input:key}` is not supported")),
        ] {
            match (expand(given, &variable), expected) {
                (Ok(value), Ok(expected)) => assert_eq!(value.reveal(), expected),
                (Err(error), Err(part)) => assert!(error.contains(part), "{error}"),
                (got, _) => panic!("{given}: {got:?}"),
            }
        }
    }
}
