//! Why a program's value is not lossless JSON (SPEC A2), and what its author can do about it.

use std::fmt;

/// What was found where JSON was wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// `undefined` as the value, a property or an element.
    Undefined,
    /// A function.
    Function,
    /// A symbol.
    Symbol,
    /// A BigInt.
    BigInt,
    /// NaN.
    NaN,
    /// Infinity or -Infinity.
    Infinity,
    /// Negative zero.
    NegativeZero,
    /// A container that holds itself.
    Cycle,
    /// An array with holes.
    SparseArray,
    /// An array that carries named properties; the first one's name.
    ArrayProperty(String),
    /// A property whose key is a symbol.
    SymbolKey,
    /// A string or a key with half a surrogate pair.
    LoneSurrogate,
    /// A promise.
    Promise,
    /// A proxy.
    Proxy,
    /// Any other object that is neither plain nor an array; the name of its class.
    Instance(String),
    /// A getter that threw; what it threw.
    GetterThrew(String),
    /// More levels than the limit.
    TooDeep(usize),
    /// More bytes of text than the limit.
    TooLong(usize),
}

impl Found {
    fn what(&self) -> String {
        match self {
            Found::Undefined => "undefined".into(),
            Found::Function => "a function".into(),
            Found::Symbol => "a symbol".into(),
            Found::BigInt => "a BigInt".into(),
            Found::NaN => "NaN".into(),
            Found::Infinity => "an infinite number".into(),
            Found::NegativeZero => "-0".into(),
            Found::Cycle => "a cycle: it contains itself".into(),
            Found::SparseArray => "an array with holes".into(),
            Found::ArrayProperty(name) => format!("an array with a named property ({name})"),
            Found::SymbolKey => "an object with a symbol as a key".into(),
            Found::LoneSurrogate => "a string with half a surrogate pair".into(),
            Found::Promise => "a promise".into(),
            Found::Proxy => "a Proxy".into(),
            Found::Instance(class) => format!("an instance of {class}"),
            Found::GetterThrew(error) => format!("a getter that threw ({error})"),
            Found::TooDeep(limit) => format!("nested deeper than {limit} levels"),
            Found::TooLong(limit) => format!("longer than {limit} bytes as JSON"),
        }
    }

    fn mend(&self, at_root: bool) -> &'static str {
        match self {
            Found::Undefined if at_root => "leave it out or pass an object",
            Found::Undefined => "leave the key out or pass null",
            Found::Function => "pass data; a function can't cross",
            Found::Symbol | Found::SymbolKey => "use a string",
            Found::BigInt => "convert it with Number(…) or String(…)",
            Found::NaN | Found::Infinity => "pass a finite number or null",
            Found::NegativeZero => "pass 0",
            Found::Cycle => "break the cycle or pass a copy without it",
            Found::SparseArray => "fill the holes, e.g. with null",
            Found::ArrayProperty(_) => "use an object for named values",
            Found::LoneSurrogate => "repair the string with toWellFormed()",
            Found::Promise => "await it",
            Found::Proxy => "pass a plain copy, e.g. {...value}",
            Found::Instance(class) => match class.as_str() {
                "Date" => "pass date.toISOString()",
                "Map" => "pass Object.fromEntries(map)",
                "Set" => "pass [...set]",
                "RegExp" => "pass regexp.source",
                "Error" => "pass error.message",
                "ArrayBuffer" | "DataView" => "pass an array of numbers or a base64 string",
                typed if typed.ends_with("Array") => "pass Array.from(value)",
                _ => "pass a plain object with the fields you need",
            },
            Found::GetterThrew(_) => "pass plain values",
            Found::TooDeep(_) => "flatten it",
            Found::TooLong(_) => "make it smaller",
        }
    }
}

/// Why a value is not lossless JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotJson {
    /// Where, e.g. `args.items[3].when`.
    pub path: String,
    /// What was found there.
    pub found: Found,
}

impl fmt::Display for NotJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at_root = !self.path.contains(['.', '[']);
        write!(
            f,
            "{} is {}; {}",
            self.path,
            self.found.what(),
            self.found.mend(at_root)
        )
    }
}

impl std::error::Error for NotJson {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_path_found_and_mend() {
        // SPEC A2
        let message = |found| {
            NotJson {
                path: "args.when".into(),
                found,
            }
            .to_string()
        };
        assert_eq!(
            message(Found::Undefined),
            "args.when is undefined; leave the key out or pass null"
        );
        assert_eq!(
            message(Found::Instance("Date".into())),
            "args.when is an instance of Date; pass date.toISOString()"
        );
        assert_eq!(
            message(Found::Instance("Uint8Array".into())),
            "args.when is an instance of Uint8Array; pass Array.from(value)"
        );
        assert_eq!(message(Found::Promise), "args.when is a promise; await it");
    }
}
