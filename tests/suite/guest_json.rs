//! A program's `JSON.parse` and `JSON.stringify` are the language's, also where the guest answers instead of the engine.

use lockgate::json;

use super::sandbox_support::{by_engine, value};

/// A function `answers` that puts the cases to `JSON`.
const CASES: &str = include_str!("../programs/json.js");
/// What V8 answers.
const EXPECTED: &str = include_str!("../programs/json.expected");

// SPEC J6
#[tokio::test]
async fn json_behaves_as_the_language_says() {
    let program = format!("{CASES}\nreturn answers().join('\\n')");
    let answers = value(&program).await;
    let answers: Vec<_> = answers.as_str().unwrap_or_default().lines().collect();
    let expected: Vec<_> = EXPECTED.lines().collect();
    assert_eq!(answers.len(), expected.len());
    let differing: Vec<_> = answers
        .iter()
        .zip(&expected)
        .filter(|(answer, expected)| answer != expected)
        .collect();
    // What is left to Boa's parser: numbers past a double's range, and halves of surrogate pairs.
    let names: Vec<_> = differing
        .iter()
        .map(|(answer, _)| answer.split(' ').next())
        .collect();
    assert_eq!(
        names,
        by_engine(
            vec![],
            vec![Some("p_big"), Some("p_lone"), Some("p_lone_raw")]
        ),
        "{differing:#?}"
    );
}

// SPEC J7
#[tokio::test]
async fn a_text_that_is_not_json_is_told_with_its_place() {
    let program = "
        const told = (text) => { try { JSON.parse(text) } catch (error) { return error.message } };
        return [told('[1,\\n2,\\n x]'), told('{\"a\":1,}'), told('[1'), told('\"\\u0001\"')]";
    let quickjs = json!([
        "unexpected token: 'x'",
        "Expected property name or '}' in JSON at position 7 (line 1 column 8)",
        "Expected ',' or ']' after array element in JSON at position 2 (line 1 column 3)",
        "Bad control character in string literal in JSON at position 1 (line 1 column 2)"
    ]);
    let boa = json!([
        "expected value at line 3 column 2",
        "trailing comma at line 1 column 8",
        "EOF while parsing a list at line 1 column 2",
        "control character (\\u0000-\\u001F) found while parsing a string at line 1 column 2"
    ]);
    assert_eq!(value(program).await, by_engine(quickjs, boa));
}

// SPEC J6
#[tokio::test]
async fn what_a_walk_runs_runs_once() {
    let program = "
        let reads = 0, calls = 0, keys = 0;
        const odd = { list: [1, 2, { get a() { reads++; return 1 } }], when: { toJSON() { calls++; return 'now' } },
            p: new Proxy({ x: 1 }, { ownKeys(t) { keys++; return Reflect.ownKeys(t) } }) };
        const text = JSON.stringify(odd);
        return [text, reads, calls, keys]";
    let expected = json!([
        "{\"list\":[1,2,{\"a\":1}],\"when\":\"now\",\"p\":{\"x\":1}}",
        1,
        1,
        1
    ]);
    assert_eq!(value(program).await, expected);
}
