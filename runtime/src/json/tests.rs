//! Unit and property tests of the JSON type.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    Json, JsonError, JsonErrorKind as Kind, MAX_DEPTH, MAX_TYPED_DEPTH, Number, Object,
    ParseOptions,
};
use crate::json;

fn error(text: &str) -> (Kind, String) {
    let error = Json::parse(text).expect_err(text);
    (error.kind(), error.path())
}

/// `levels` arrays around a null.
fn nest(levels: usize) -> Json {
    (0..levels).fold(Json::Null, |inner, level| {
        if level % 2 == 0 {
            json!([inner])
        } else {
            json!({"a": inner})
        }
    })
}

// SPEC A2: each kind of refusal has its own message and names the path.
#[test]
fn refusals_name_kind_and_path() {
    assert_eq!(
        error(r#"{"a": [1, {"b": -0}]}"#),
        (Kind::NegativeZero, "a[1].b".into())
    );
    assert_eq!(error("-0.0e5"), (Kind::NegativeZero, String::new()));
    assert_eq!(error("[1e400]"), (Kind::NumberRange, "[0]".into()));
    assert_eq!(error("1e-400"), (Kind::NumberRange, String::new()));
    assert_eq!(
        error("18446744073709551617"),
        (Kind::NumberRange, String::new())
    );
    assert_eq!(
        error(r#"{"x y": "\ud800"}"#),
        (Kind::LoneSurrogate, r#"["x y"]"#.into())
    );
    assert_eq!(
        error(r#""\ud800\u0041""#),
        (Kind::LoneSurrogate, String::new())
    );
    assert_eq!(
        error(r#"{"a": {"b": 1, "b": 2}}"#),
        (Kind::DuplicateKey, "a".into())
    );
    assert_eq!(error(r#"{"a": nul}"#), (Kind::Syntax, "a".into()));
    let message = Json::parse(r#"{"when": -0}"#)
        .unwrap_err()
        .rooted("args.items[3]")
        .to_string();
    assert_eq!(
        message,
        "args.items[3].when: -0 does not survive JSON; pass 0"
    );
}

#[test]
fn syntax_is_strict() {
    for text in [
        "",
        " ",
        "[",
        "]",
        "{",
        "[1,]",
        "[,1]",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\"}",
        "{\"a\":}",
        "[1 2]",
        "01",
        "1.",
        ".5",
        "+1",
        "1e",
        "1e+",
        "-",
        "--1",
        "0x1",
        "NaN",
        "Infinity",
        "'a'",
        "\"a",
        "\"\u{1}\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "tru",
        "nullx",
        "1 1",
        "[] []",
        "\u{feff}1",
        "/**/1",
        "\u{a0}1",
        "\"\n\"",
    ] {
        assert_eq!(
            Json::parse(text).expect_err(text).kind(),
            Kind::Syntax,
            "{text}"
        );
    }
    let message = Json::parse("{\n  \"a\": ?}").unwrap_err().to_string();
    assert_eq!(
        message,
        "a: not JSON: expected a value, found `?` at line 2, column 8"
    );
}

#[test]
fn text_round_trips() {
    for text in [
        "null",
        "true",
        "false",
        "0",
        "-1",
        "9223372036854775807",
        "18446744073709551615",
        "-9223372036854775808",
        "0.1",
        "1.5e300",
        "\"\"",
        "\"a\\\"\\\\\\n\\u0001é\u{2028}𝄞\"",
        "[]",
        "{}",
        "[1,[2,{\"a\":[]}],{}]",
        "{\"b\":1,\"a\":2,\"\":3,\"__proto__\":4,\"constructor\":5}",
    ] {
        let value = Json::parse(text).expect(text);
        assert_eq!(value.to_string(), text);
        assert_eq!(format!("{value:?}"), text);
    }
    assert_eq!(
        Json::parse(r#""\u00e9\ud834\udd1e\/\b\f""#).unwrap(),
        json!("é𝄞/\u{8}\u{c}")
    );
}

#[test]
fn numbers_have_one_form() {
    for (text, canonical) in [
        ("1.0", "1"),
        ("1e2", "100"),
        ("-5.0", "-5"),
        ("1E400", ""),
        ("100000000000000000000", "1e20"),
        ("123456789012345680000", "1.2345678901234568e20"),
        ("123456789012345683969", ""),
        ("1e18", "1000000000000000000"),
        ("18446744073709551615", "18446744073709551615"),
        ("18446744073709551616", ""),
        ("1e19", "10000000000000000000"),
    ] {
        match Json::parse(text) {
            Ok(value) => assert_eq!(value.to_string(), canonical, "{text}"),
            Err(error) => assert_eq!((error.kind(), canonical), (Kind::NumberRange, ""), "{text}"),
        }
    }
    assert_eq!(json!(1.0), json!(1));
    assert_ne!(Json::from(u64::MAX), json!(-1));
    for (value, kind) in [
        (f64::NAN, Kind::NonFinite),
        (f64::INFINITY, Kind::NonFinite),
        (-f64::INFINITY, Kind::NonFinite),
        (-0.0, Kind::NegativeZero),
    ] {
        assert_eq!(Number::try_from(value).unwrap_err().kind(), kind);
    }
}

// SPEC A4
#[test]
fn knows_what_a_double_holds() {
    let exact = |value: Json| value.as_number().unwrap().fits_f64_exactly();
    assert!(
        exact(json!(1_u64 << 53))
            && exact(json!((1_u64 << 53) + 2))
            && exact(json!(i64::MIN))
            && exact(json!(0.1))
    );
    assert!(!exact(json!((1_u64 << 53) + 1)) && !exact(json!(u64::MAX)) && !exact(json!(i64::MAX)));
    assert!(
        json!(1e300).as_number().unwrap().is_integer()
            && !json!(1.5).as_number().unwrap().is_integer()
    );
}

// SPEC A5: parse, print, compare, measure and drop use no stack.
#[test]
fn depth_is_no_matter() {
    let deep = nest(1_000_000);
    assert_eq!(deep.depth(), 1_000_000);
    let text = deep.to_string();
    let options = ParseOptions {
        max_depth: 1_000_000,
        ..ParseOptions::default()
    };
    let parsed = Json::parse_with(&text, &options).unwrap();
    assert!(parsed == deep);
    assert!(parsed != nest(999_999));
    // Indentation is capped: linear in the number of levels.
    assert!(deep.to_pretty_string().len() < 60 * 2_000_000);
    assert_eq!(
        Json::parse(&nest(MAX_DEPTH).to_string()).unwrap().depth(),
        MAX_DEPTH
    );
    let error = Json::parse(&nest(MAX_DEPTH + 1).to_string()).unwrap_err();
    assert_eq!(error.kind(), Kind::Depth);
    assert!(error.to_string().len() < 300, "{error}");
}

#[test]
fn size_limit_holds() {
    let options = ParseOptions {
        max_bytes: 5,
        ..ParseOptions::default()
    };
    assert!(Json::parse_with("[1,2]", &options).is_ok());
    assert_eq!(
        Json::parse_with("[1,23]", &options).unwrap_err().kind(),
        Kind::Size
    );
}

// SPEC A: what must be escaped is escaped wherever it stands among bytes that need not be.
#[test]
fn escapes_are_found_at_every_place() {
    for length in 0..40 {
        for at in 0..length {
            for byte in (0_u8..0x80).chain([0xff]) {
                let other = if byte == 0xff { 'é' } else { char::from(byte) };
                let text: String = (0..length)
                    .map(|index| if index == at { other } else { 'x' })
                    .collect();
                let twice = text.replace('x', "\u{7f}!");
                for text in [text, twice] {
                    let written = Json::from(text.as_str()).to_string();
                    assert_eq!(written, serde_json::to_string(&text).unwrap());
                }
            }
        }
    }
}

#[test]
fn memory_limit_holds() {
    let holds = |text: &str, max_memory| {
        let options = ParseOptions {
            max_memory,
            ..ParseOptions::default()
        };
        Json::parse_with(text, &options).map_err(|error| error.kind())
    };
    let text = format!("\"{}\"", "x".repeat(1000));
    assert!(holds(&text, 1100).is_ok());
    assert_eq!(holds(&text, 1000), Err(Kind::Size));
    // A thousand empty lists are short as text, and so are members; lists double as they grow.
    for text in [
        format!("[{}0]", "[],".repeat(1000)),
        format!("[{}0]", "{},".repeat(1000)),
        format!("[{}0]", "7,".repeat(1000)),
        format!("[{}0]", "{\"a\":1},".repeat(100)),
    ] {
        assert!(holds(&text, 400_000).is_ok(), "{text:.20}");
        assert_eq!(holds(&text, 20_000), Err(Kind::Size), "{text:.20}");
    }
}

#[test]
fn pretty_text() {
    let value = json!({"a": [1, {"b": null}], "c": {}, "d": []});
    assert_eq!(
        value.to_pretty_string(),
        "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ],\n  \"c\": {},\n  \"d\": []\n}"
    );
    assert_eq!(format!("{value:#}"), value.to_pretty_string());
}

// SPEC A1: a clone is a snapshot.
#[test]
fn clones_are_snapshots() {
    let mut object = Object::new();
    object.insert("a", 1);
    let snapshot = Json::from(object.clone());
    object.insert("a", 2);
    object.insert("b", 3);
    assert_eq!(snapshot, json!({"a": 1}));
    assert_eq!(Json::from(object), json!({"b": 3, "a": 2}));
}

#[test]
fn lookups() {
    let value = json!({"a/b": [{"m~n": 1}], "": 2});
    assert_eq!(value.pointer("/a~1b/0/m~0n"), Some(&json!(1)));
    assert_eq!(value.pointer("/"), Some(&json!(2)));
    assert_eq!(value.pointer(""), Some(&value));
    assert_eq!(value.pointer("/a~1b/1"), None);
    assert_eq!(value["a/b"][0]["m~n"], json!(1));
    assert_eq!(value["nothing"][7], Json::Null);
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Call {
    path: String,
    range: Option<(u32, u32)>,
    mode: Mode,
    scores: BTreeMap<u32, f64>,
    extra: Json,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    Read,
    Write { text: String },
    Copy(String),
    Pair(i8, char),
}

#[test]
fn typed_values_round_trip() {
    let modes = [
        Mode::Read,
        Mode::Write { text: "t".into() },
        Mode::Copy("c".into()),
        Mode::Pair(-1, 'é'),
    ];
    let texts = [
        json!("read"),
        json!({"write": {"text": "t"}}),
        json!({"copy": "c"}),
        json!({"pair": [-1, "é"]}),
    ];
    for (mode, text) in modes.into_iter().zip(texts) {
        // The deep field passes as it is, however deep.
        let extra = nest(100_000);
        let call = Call {
            path: "p".into(),
            range: Some((1, 2)),
            mode,
            scores: [(7, 1.0), (8, 0.5)].into(),
            extra,
        };
        let value = Json::from_serialize(&call).unwrap();
        assert_eq!(value["mode"], text);
        assert_eq!(value["scores"], json!({"7": 1, "8": 0.5}));
        assert!(value.deserialize::<Call>().unwrap() == call);
    }
}

#[test]
fn typed_errors_name_the_path() {
    let value = json!({"path": "p", "range": [1, -2], "mode": "read", "scores": {}, "extra": null});
    let error = value.deserialize::<Call>().unwrap_err();
    assert_eq!(
        (error.kind(), error.path()),
        (Kind::Mismatch, "range[1]".into())
    );
    let error = json!({"path": "p", "mode": "rea"})
        .deserialize::<Call>()
        .unwrap_err();
    assert_eq!(error.path(), "mode");
    let error = Json::from_serialize(&HashMap::from([("a", vec![0.0, f64::NAN])])).unwrap_err();
    assert_eq!(
        (error.kind(), error.path()),
        (Kind::NonFinite, "a[1]".into())
    );
    assert_eq!(
        Json::from_serialize(&i128::MAX).unwrap_err().kind(),
        Kind::NumberRange
    );
    assert_eq!(
        Json::from_serialize(&BTreeMap::from([((), 1)]))
            .unwrap_err()
            .kind(),
        Kind::KeyNotString
    );
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Chain {
    next: Option<Box<Chain>>,
}

// SPEC A5: hostile depth is an error for a recursive Rust type, not a stack overflow.
#[test]
fn recursive_types_are_bounded() {
    let chain = (0..100_000).fold(json!({"next": null}), |next, _| json!({"next": next}));
    let error = chain.deserialize::<Chain>().unwrap_err();
    assert_eq!(error.kind(), Kind::Depth);
    let chain = (0..MAX_TYPED_DEPTH - 1).fold(Chain::default(), |next, _| Chain {
        next: Some(Box::new(next)),
    });
    let value = Json::from_serialize(&chain).unwrap();
    assert!(value.deserialize::<Chain>().is_ok());
    assert_eq!(
        Json::from_serialize(&Chain {
            next: Some(Box::new(chain))
        })
        .unwrap_err()
        .kind(),
        Kind::Depth
    );
    // What nobody reads may be as deep as it likes.
    assert!(
        json!({"next": null, "other": (nest(100_000))})
            .deserialize::<Chain>()
            .is_ok()
    );
}

// Foreign formats: ordinary transparency, bounded depth, magic keys are plain data.
#[test]
fn other_formats() {
    let text = r#"{"$serde_json::private::RawValue":"1","$serde_json::private::Number":"2","__proto__":[1,2.5,-3]}"#;
    let value: Json = serde_json::from_str(text).unwrap();
    assert_eq!(value.to_string(), text);
    assert_eq!(serde_json::to_string(&value).unwrap(), text);
    let foreign: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!(Json::try_from(foreign.clone()).unwrap(), value);
    assert_eq!(serde_json::Value::try_from(&value).unwrap(), foreign);
    assert!(serde_json::from_str::<Json>(r#"{"a":1,"a":2}"#).is_err());
    assert!(serde_json::to_string(&nest(100_000)).is_err());
    assert_eq!(
        serde_json::Value::try_from(&nest(100_000))
            .unwrap_err()
            .kind(),
        Kind::Depth
    );
    let negative: serde_json::Value = serde_json::from_str(r#"{"a":[0,-0.0]}"#).unwrap();
    let error = Json::try_from(negative).unwrap_err();
    assert_eq!(
        (error.kind(), error.path()),
        (Kind::NegativeZero, "a[1]".into())
    );
    let reused: Json = Json::deserialize(&value).unwrap();
    assert!(reused == value);
}

#[test]
fn macro_shapes() {
    let key = "k";
    let value = json!({"a": 1, (key): [null, {}, [], key, key.len(), -1, 0.5, {"x": true}], "n": null, "o": Some("x"),});
    assert_eq!(
        value.to_string(),
        r#"{"a":1,"k":[null,{},[],"k",1,-1,0.5,{"x":true}],"n":null,"o":"x"}"#
    );
    assert_eq!(
        (json!([]), json!({}), json!(null)),
        (Json::empty_array(), Json::empty_object(), Json::Null)
    );
}

#[test]
fn is_shareable() {
    fn check<T: Send + Sync + 'static>() {}
    check::<Json>();
    check::<JsonError>();
    assert!(size_of::<Json>() <= 24);
}

pub(crate) fn any_json() -> impl Strategy<Value = Json> {
    let number = prop_oneof![
        any::<i64>().prop_map(Json::from),
        any::<u64>().prop_map(Json::from),
        any::<f64>().prop_filter_map("finite", |value| Json::try_from(value).ok()),
    ];
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        number,
        ".*".prop_map(Json::from)
    ];
    leaf.prop_recursive(6, 60, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Json::from),
            prop::collection::vec((".{0,4}", inner), 0..8).prop_map(|members| Json::Object(
                members
                    .into_iter()
                    .map(|(key, value)| (Arc::from(key), value))
                    .collect()
            )),
        ]
    })
}

proptest! {
    // SPEC A1: what is printed is read back as the same value with the same key order.
    #[test]
    fn printed_is_parsed(value in any_json()) {
        for text in [value.to_string(), value.to_pretty_string()] {
            let parsed = Json::parse(&text).unwrap();
            prop_assert_eq!(&parsed, &value);
            prop_assert_eq!(parsed.to_string(), value.to_string());
        }
    }

    #[test]
    fn serde_keeps_everything(value in any_json()) {
        let text = value.to_string();
        let theirs = Json::parse(&serde_json::to_string(&value).unwrap()).unwrap();
        prop_assert_eq!(theirs.to_string(), text.clone());
        let through = Json::try_from(serde_json::Value::try_from(&value).unwrap()).unwrap();
        prop_assert_eq!(through.to_string(), text.clone());
        prop_assert_eq!(value.deserialize::<Json>().unwrap(), value.clone());
        prop_assert_eq!(Json::from_serialize(&serde_json::Value::try_from(&value).unwrap()).unwrap().to_string(), text);
    }

    // What we accept, serde_json accepts with the same meaning; what it refuses, we refuse.
    #[test]
    fn agrees_with_serde_json(text in r#"[\[\]{},:"\\u0-9eE+.a-f \-]{0,24}"#) {
        let theirs = serde_json::from_str::<serde_json::Value>(&text);
        match (Json::parse(&text), theirs) {
            (Ok(ours), Ok(theirs)) => prop_assert_eq!(ours, Json::try_from(theirs).unwrap()),
            (Ok(ours), Err(error)) => prop_assert!(false, "{text} gave {ours}, but {error}"),
            (Err(error), Ok(_)) => prop_assert!(error.kind() != Kind::Syntax, "{text}: {error}"),
            (Err(_), Err(_)) => {}
        }
    }

    #[test]
    fn never_panics(text in any::<String>()) {
        _ = Json::parse(&text);
    }
}
