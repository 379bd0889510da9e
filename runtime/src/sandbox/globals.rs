//! Which names the global objects of a program may have.

use crate::code_runtime::{Binding, CodeLanguage, CodeRuntimeError};

/// Longer names serve nobody.
const MAX_BYTES: usize = 255;

/// Checks the names of the globals of a program.
pub(super) fn check(bindings: &[Binding], language: CodeLanguage) -> Result<(), CodeRuntimeError> {
    let python = language == CodeLanguage::Python;
    let (keywords, standard) = if python {
        (PYTHON_KEYWORDS, PYTHON_STANDARD)
    } else {
        (KEYWORDS, STANDARD)
    };
    let listed = |list: &str, name: &str| list.split_ascii_whitespace().any(|word| word == name);
    for (index, binding) in bindings.iter().enumerate() {
        let global = &*binding.global;
        if !is_identifier(global) || (python && global.contains('$')) || listed(keywords, global) {
            return Err(CodeRuntimeError::InvalidGlobal {
                global: shown(global),
            });
        }
        if listed(standard, global) || (python && global.starts_with("__")) {
            return Err(CodeRuntimeError::ReservedGlobal {
                global: shown(global),
            });
        }
        if bindings[..index]
            .iter()
            .any(|other| other.global == binding.global)
        {
            return Err(CodeRuntimeError::DuplicateGlobal {
                global: shown(global),
            });
        }
    }
    Ok(())
}

fn is_identifier(name: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
    name.len() <= MAX_BYTES
        && name.bytes().all(word)
        && name
            .bytes()
            .next()
            .is_some_and(|first| !first.is_ascii_digit())
}

fn shown(name: &str) -> String {
    let mut shown: String = name.chars().take(MAX_BYTES).collect();
    if shown.len() < name.len() {
        shown.push('…');
    }
    shown
}

/// Words that can't name a global, or would confuse who reads them.
const KEYWORDS: &str = "\
    arguments async await break case catch class const continue debugger default delete do else enum \
    export extends false finally for function if implements import in instanceof interface let \
    new null of package private protected public return static super switch this throw true try \
    typeof var void while with yield";

/// The globals of the language, of the conveniences, and of the bridge.
const STANDARD: &str = "\
    globalThis self eval undefined NaN Infinity isFinite isNaN parseFloat parseInt decodeURI \
    decodeURIComponent encodeURI encodeURIComponent escape unescape Object Function Boolean Symbol \
    Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError \
    InternalError SuppressedError Number BigInt Math Date String RegExp Array Int8Array Uint8Array \
    Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array BigInt64Array BigUint64Array \
    Float16Array Float32Array Float64Array Map Set WeakMap WeakSet WeakRef FinalizationRegistry \
    ArrayBuffer SharedArrayBuffer DataView Atomics JSON Iterator AsyncIterator Promise Reflect Proxy \
    Intl WebAssembly DisposableStack AsyncDisposableStack console setTimeout clearTimeout \
    setInterval clearInterval setImmediate clearImmediate queueMicrotask structuredClone atob btoa \
    URL URLSearchParams TextEncoder TextDecoder crypto performance AbortController AbortSignal Event \
    EventTarget DOMException ToolCallError";

/// Words that can't name a global of a Python program, or would confuse who reads them.
const PYTHON_KEYWORDS: &str = "\
    False None True and as assert async await break case class continue def del elif else except finally for from \
    global if import in is lambda match nonlocal not or pass raise return try type while with yield _";

/// The built-in names of Python, and those of the bridge.
const PYTHON_STANDARD: &str = "\
    ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError \
    BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError \
    ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception \
    ExceptionGroup FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError \
    ImportError ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError \
    KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError NotADirectoryError NotImplemented \
    NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError ProcessLookupError \
    PythonFinalizationError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning \
    StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError TypeError \
    UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning \
    UserWarning ValueError Warning ZeroDivisionError abs aiter all anext any ascii bin bool breakpoint bytearray bytes \
    callable chr classmethod compile complex copyright credits delattr dict dir divmod enumerate eval exec exit filter \
    float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter len license \
    list locals map max memoryview min next object oct open ord pow print property quit range repr reversed round set \
    setattr slice sorted staticmethod str sum super tuple type vars zip asyncio ToolCallError";

#[cfg(test)]
mod tests {
    use super::*;

    fn bindings(globals: &[&str]) -> Vec<Binding> {
        globals
            .iter()
            .map(|global| Binding {
                global: (*global).into(),
                functions: Vec::new(),
            })
            .collect()
    }

    // SPEC J1
    #[test]
    fn misuse_is_told_by_kind() {
        let check = |globals: &[&str]| check(&bindings(globals), CodeLanguage::JavaScript);
        assert_eq!(check(&["tools", "$x_1", "_"]), Ok(()));
        for bad in [
            "",
            "1a",
            "a-b",
            "a b",
            "é",
            "class",
            "await",
            &"a".repeat(256),
        ] {
            assert_eq!(
                check(&[bad]),
                Err(CodeRuntimeError::InvalidGlobal { global: shown(bad) }),
                "{bad}"
            );
        }
        for reserved in [
            "globalThis",
            "Promise",
            "console",
            "undefined",
            "JSON",
            "setTimeout",
        ] {
            assert_eq!(
                check(&[reserved]),
                Err(CodeRuntimeError::ReservedGlobal {
                    global: reserved.to_owned()
                })
            );
        }
        assert_eq!(
            check(&["tools", "other", "tools"]),
            Err(CodeRuntimeError::DuplicateGlobal {
                global: "tools".to_owned()
            })
        );
    }
}
