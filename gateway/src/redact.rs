//! Secrets of the configuration: how they are held, and how they are kept out of every text.

use std::{borrow::Cow, fmt};

/// Shorter values are not looked for: they would be found in ordinary words.
const SHORTEST: usize = 6;
/// Values at least this long that mix letters and digits look like keys, whatever they are called.
const LOOKS_LIKE_A_KEY: usize = 16;

/// The name under which an argument of a command is kept.
pub(crate) const ARGUMENT: &str = "argument";
/// The name under which a URL is kept.
pub(crate) const URL: &str = "url";

/// A value that is never shown: not by `Debug`, not by `Display`.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Secret {
    value: String,
    /// The variables that were put into it, with their values.
    sources: Vec<(String, String)>,
}

impl Secret {
    pub(crate) fn with_sources(value: String, sources: Vec<(String, String)>) -> Self {
        Self { value, sources }
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.value
    }
}

impl From<&str> for Secret {
    fn from(value: &str) -> Self {
        Self::with_sources(value.to_owned(), Vec::new())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

/// Takes secrets out of texts.
///
/// What a program or a model reads loses only what is surely secret, as a folder's name in `${HOME}` must stay a folder's
/// name. Logs and errors lose every value of an environment entry or a header.
#[derive(Clone, Default)]
pub(crate) struct Redactor {
    /// Longest first, with what stands in their place.
    sure: Vec<(String, String)>,
    all: Vec<(String, String)>,
}

impl Redactor {
    pub(crate) fn new(secrets: impl IntoIterator<Item = (String, Secret)>) -> Self {
        let mut redactor = Self::default();
        for (name, secret) in secrets {
            redactor.take(&name, &secret);
        }
        for list in [&mut redactor.sure, &mut redactor.all] {
            list.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
            list.dedup_by(|a, b| a.0 == b.0);
        }
        redactor
    }

    fn take(&mut self, name: &str, secret: &Secret) {
        let named = !matches!(name, ARGUMENT | URL);
        if named {
            let value = secret.reveal();
            // `Bearer x`: servers repeat the `x` without the scheme.
            let bare = value.split_once(' ').map(|(_, rest)| rest);
            for value in [Some(value), bare].into_iter().flatten() {
                self.add(name, value, is_secret_name(name) || looks_like_a_key(value));
            }
        }
        if name == URL
            && let Some((_, rest)) = secret.reveal().split_once("://")
            && let Some((user, _)) = rest.split('/').next().unwrap_or_default().rsplit_once('@')
        {
            let password = user.split_once(':').map_or(user, |(_, password)| password);
            self.add(URL, password, true);
        }
        for (variable, value) in &secret.sources {
            let sure = is_secret_name(variable) || looks_like_a_key(value);
            if sure || named {
                self.add(variable, value, sure);
            }
        }
    }

    fn add(&mut self, name: &str, value: &str, sure: bool) {
        if value.len() < SHORTEST {
            return;
        }
        // An ordinary word, such as `production`: taking it out would hide nothing and spoil every sentence.
        if !sure
            && value.len() < LOOKS_LIKE_A_KEY
            && value.bytes().all(|b| b.is_ascii_lowercase() || b == b' ')
        {
            return;
        }
        let place = format!("[redacted {name}]");
        let quoted = lockgate::Json::from(value).to_string();
        let escaped = quoted.trim_matches('"');
        for form in [value, escaped] {
            if sure {
                self.sure.push((form.to_owned(), place.clone()));
            }
            self.all.push((form.to_owned(), place.clone()));
        }
    }

    /// For what a program or a model reads.
    pub(crate) fn result<'a>(&self, text: &'a str) -> Cow<'a, str> {
        replace(&self.sure, text)
    }

    /// For logs, errors and reports.
    pub(crate) fn message<'a>(&self, text: &'a str) -> Cow<'a, str> {
        replace(&self.all, text)
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor").finish_non_exhaustive()
    }
}

fn replace<'a>(list: &[(String, String)], text: &'a str) -> Cow<'a, str> {
    let mut out = Cow::Borrowed(text);
    for (secret, place) in list {
        if out.contains(secret.as_str()) {
            out = Cow::Owned(out.replace(secret.as_str(), place));
        }
    }
    out
}

pub(crate) fn is_secret_name(name: &str) -> bool {
    const PARTS: [&str; 12] = [
        "key",
        "token",
        "secret",
        "password",
        "passwd",
        "pwd",
        "auth",
        "cookie",
        "credential",
        "pat",
        "dsn",
        "session",
    ];
    let name = name.to_ascii_lowercase();
    name.split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| {
            PARTS
                .iter()
                .any(|part| word == *part || part.len() > 3 && word.contains(part))
        })
        || name.ends_with("key")
}

fn looks_like_a_key(value: &str) -> bool {
    value.len() >= LOOKS_LIKE_A_KEY
        && !value.contains(|c: char| c.is_whitespace() || matches!(c, '/' | '\\'))
        && value.contains(|c: char| c.is_ascii_digit())
        && value.contains(|c: char| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::{Redactor, Secret};

    fn secret(value: &str, sources: &[(&str, &str)]) -> Secret {
        let sources = sources
            .iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()));
        Secret::with_sources(value.to_owned(), sources.collect())
    }

    #[test]
    fn takes_out_what_is_secret() {
        let env = secret("hunter2!", &[("DB_PASSWORD", "hunter2!")]);
        let header = secret("Bearer abcdef123456", &[]);
        let home = secret("/home/ada", &[("HOME", "/home/ada")]);
        let level = secret("information", &[]);
        let quoted = secret("a\"b\\cdef", &[]);
        let url = secret("https://ada:passw0rd@example.org/mcp", &[]);
        let named = [
            ("DB_PASSWORD", &env),
            ("Authorization", &header),
            ("ROOT", &home),
            ("LEVEL", &level),
            ("API_KEY", &quoted),
            ("url", &url),
        ];
        let redactor = Redactor::new(named.map(|(name, secret)| (name.to_owned(), secret.clone())));
        for (text, result, message) in [
            ("it is hunter2!", "it is [redacted DB_PASSWORD]", None),
            ("got abcdef123456.", "got [redacted Authorization].", None),
            (
                "{\"k\":\"a\\\"b\\\\cdef\"}",
                "{\"k\":\"[redacted API_KEY]\"}",
                None,
            ),
            ("passw0rd", "[redacted url]", None),
            ("/home/ada/x", "/home/ada/x", Some("[redacted HOME]/x")),
            ("more information", "more information", None),
            ("nothing", "nothing", None),
        ] {
            assert_eq!(redactor.result(text), result);
            assert_eq!(redactor.message(text), message.unwrap_or(result), "{text}");
        }
        assert_eq!(format!("{env:?}"), "[redacted]");
    }
}
