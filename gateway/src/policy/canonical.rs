//! The canonical text of a call and its digest: what an approval is bound to.

use std::fmt;

use lockgate::Json;
use sha2::{Digest, Sha256};

/// The SHA-256 of a call's name and canonical arguments. Two calls have the same only if they would do the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ArgumentsDigest([u8; 32]);

impl ArgumentsDigest {
    /// Of a call.
    pub fn of(name: &str, arguments: &Json) -> Self {
        let mut hash = Sha256::new();
        hash.update(canonical_text(&Json::from(name)));
        hash.update(b"\n");
        hash.update(canonical_text(arguments));
        Self(hash.finalize().into())
    }

    /// Its first eight digits, to tell calls apart on a screen.
    pub fn short(&self) -> String {
        self.to_string()[..8].to_owned()
    }
}

impl fmt::Display for ArgumentsDigest {
    /// 64 hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ArgumentsDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ArgumentsDigest({self})")
    }
}

/// What is still to be written.
enum Todo<'a> {
    Value(&'a Json),
    Key(&'a str),
    Mark(&'static str),
}

/// The JSON text without spaces, the members of every object sorted by name. Equal values have equal texts.
pub fn canonical_text(value: &Json) -> String {
    let mut text = String::new();
    let mut todo = vec![Todo::Value(value)];
    while let Some(next) = todo.pop() {
        match next {
            Todo::Mark(mark) => text.push_str(mark),
            Todo::Key(key) => {
                text.push_str(&Json::from(key).to_string());
                text.push(':');
            }
            Todo::Value(Json::Array(elements)) => {
                todo.push(Todo::Mark("]"));
                let elements: Vec<&Json> = elements.iter().collect();
                for (index, element) in elements.into_iter().enumerate().rev() {
                    todo.push(Todo::Value(element));
                    if index > 0 {
                        todo.push(Todo::Mark(","));
                    }
                }
                todo.push(Todo::Mark("["));
            }
            Todo::Value(Json::Object(members)) => {
                todo.push(Todo::Mark("}"));
                let mut members: Vec<(&str, &Json)> = members.iter().collect();
                members.sort_unstable_by_key(|(name, _)| *name);
                for (index, (name, member)) in members.into_iter().enumerate().rev() {
                    todo.push(Todo::Value(member));
                    todo.push(Todo::Key(name));
                    if index > 0 {
                        todo.push(Todo::Mark(","));
                    }
                }
                todo.push(Todo::Mark("{"));
            }
            Todo::Value(scalar) => text.push_str(&scalar.to_string()),
        }
    }
    text
}
