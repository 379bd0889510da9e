//! Unit tests of the subset, the builder, the notation and the import.

use std::collections::{BTreeMap, HashSet};

use proptest::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    MAX_VIOLATIONS, ParameterSchema, Schema, SchemaError, any, array, boolean, closed_object,
    integer, null, number, one_of, open_object, optional, parameters, required, string,
};
use crate::{Json, json};

fn compile(schema: Json) -> Schema {
    Schema::compile(&schema).unwrap_or_else(|error| panic!("{schema}: {error}"))
}

fn paths(error: &SchemaError) -> Vec<&str> {
    error
        .violations()
        .iter()
        .map(|violation| violation.path())
        .collect()
}

fn refused(schema: Json) -> Vec<String> {
    let error = Schema::compile(&schema).expect_err("refused");
    assert_eq!(error.code(), "UNSUPPORTED_SCHEMA");
    paths(&error).into_iter().map(str::to_owned).collect()
}

fn check(schema: &Schema, value: Json) -> Vec<String> {
    schema
        .validate(&value, "args")
        .iter()
        .map(ToString::to_string)
        .collect()
}

// SPEC B1
#[test]
fn the_subset_compiles() {
    for schema in [
        json!({}),
        json!({"description": "d", "title": "t", "default": [1], "examples": [null]}),
        json!({"type": "string", "enum": ["a", "b"]}),
        json!({"type": "null", "const": null}),
        json!({"type": "number", "enum": [1, 1.5]}),
        json!({"oneOf": [{"type": "string"}, {"oneOf": [{"type": "null"}, {}]}]}),
        json!({"type": "array"}),
        json!({"type": "array", "items": {"type": "array", "items": {}}}),
        json!({"type": "object", "properties": {"type": {"type": "string"}, "": {}}, "required": ["type"], "additionalProperties": false}),
    ] {
        assert_eq!(compile(schema.clone()).as_json(), &schema);
    }
}

// SPEC B2: nothing is ignored, every violation is listed with its path.
#[test]
fn everything_else_is_refused() {
    for (schema, path) in [
        (json!(true), ""),
        (json!({"type": "any"}), "type"),
        (json!({"type": ["string", "null"]}), "type"),
        (json!({"type": "string", "pattern": "x"}), "pattern"),
        (json!({"type": "string", "oneOf": [{}, {}]}), "oneOf"),
        (json!({"oneOf": [{}]}), "oneOf"),
        (json!({"oneOf": [{}, 7]}), "oneOf[1]"),
        (json!({"oneOf": [{}, {}], "properties": {}}), "properties"),
        (json!({"properties": {}}), "properties"),
        (json!({"items": {}}), "items"),
        (json!({"enum": ["a"]}), "enum"),
        (json!({"type": "object", "const": {}}), "const"),
        (json!({"type": "string", "enum": []}), "enum"),
        (json!({"type": "string", "enum": ["a", 1]}), "enum[1]"),
        (json!({"type": "integer", "const": 1.5}), "const"),
        (json!({"type": "object", "required": ["a"]}), "required[0]"),
        (
            json!({"type": "object", "properties": {"a": {}}, "required": [1]}),
            "required[0]",
        ),
        (
            json!({"type": "object", "properties": {"a": {}}, "required": "a"}),
            "required",
        ),
        (
            json!({"type": "object", "additionalProperties": {}}),
            "additionalProperties",
        ),
        (json!({"type": "object", "properties": []}), "properties"),
        (json!({"type": "array", "items": [{}]}), "items"),
        (json!({"description": 1}), "description"),
        (json!({"examples": 1}), "examples"),
        (json!({"$ref": "#"}), "$ref"),
        (
            json!({"type": "object", "properties": {"a b": {"type": "array", "items": {"x": 1}}}}),
            "properties[\"a b\"].items.x",
        ),
    ] {
        assert_eq!(refused(schema.clone()), [path], "{schema}");
    }
    let many = json!({"type": "object", "properties": {"a": {"format": "x"}, "b": {"nullable": true}}, "minProperties": 1});
    assert_eq!(
        refused(many),
        [
            "minProperties",
            "properties.a.format",
            "properties.b.nullable"
        ]
    );
    let error = Schema::compile(&json!({"type": "object", "propertys": {}}))
        .unwrap_err()
        .rooted("output.schema");
    assert!(error.to_string().ends_with("output.schema.propertys: keyword \"propertys\" is not in the enforced subset; did you mean \"properties\"?"), "{error}");
}

// SPEC B3: every violation, with its path, in walk order.
#[test]
fn violations_are_listed_in_walk_order() {
    let schema = compile(json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "mode": {"type": "string", "enum": ["read", "write"]},
            "items": {"type": "array", "items": {"type": "object", "properties": {"when": {"type": "integer"}}, "required": ["when"]}},
        },
        "required": ["path", "mode"],
        "additionalProperties": false,
    }));
    assert_eq!(
        check(&schema, json!({"path": "p", "mode": "read"})),
        [""; 0]
    );
    assert_eq!(
        check(
            &schema,
            json!({"items": [{"when": 1.5}, {}, 3, {"when": 2.0}], "mode": "wriet", "pth": 1})
        ),
        [
            "args.path: required, but missing",
            "args.items[0].when: expected an integer, found number 1.5",
            "args.items[1].when: required, but missing",
            "args.items[2]: expected an object, found number 3",
            "args.mode: must be one of \"read\", \"write\", found string \"wriet\"; did you mean \"write\"?",
            "args.pth: unknown key; did you mean \"path\"?",
        ]
    );
    assert_eq!(
        check(&schema, json!([])),
        ["args: expected an object, found an array"]
    );
    let closed = compile(
        json!({"type": "object", "properties": {"alpha": {}, "beta": {}}, "additionalProperties": false}),
    );
    assert_eq!(
        check(&closed, json!({"zzz": 1})),
        ["args.zzz: unknown key; known keys: \"alpha\", \"beta\""]
    );
}

#[test]
fn one_of_means_exactly_one() {
    let tagged = compile(json!({"oneOf": [
        {"type": "object", "properties": {"kind": {"type": "string", "const": "a"}, "x": {"type": "integer"}}, "required": ["kind", "x"]},
        {"type": "object", "properties": {"kind": {"type": "string", "const": "b"}}, "required": ["kind"], "additionalProperties": false},
    ]}));
    assert_eq!(check(&tagged, json!({"kind": "a", "x": 1})), [""; 0]);
    // The tag says which alternative was meant, so that one's violations are told.
    assert_eq!(
        check(&tagged, json!({"kind": "a", "x": "1"})),
        ["args.x: expected an integer, found string \"1\""]
    );
    assert_eq!(
        check(&tagged, json!({"kind": "b", "x": 1})),
        ["args.x: unknown key; known keys: \"kind\""]
    );
    assert_eq!(
        check(&tagged, json!({"kind": "c"})),
        [
            "args: matches none of 2 alternatives, found an object: x: required, but missing, kind: must be \"b\", found string \"c\""
        ]
    );
    let overlapping =
        compile(json!({"oneOf": [{"type": "number"}, {"type": "integer"}, {"type": "null"}]}));
    assert_eq!(check(&overlapping, json!(1.5)), [""; 0]);
    assert_eq!(
        check(&overlapping, json!(1)),
        ["args: must match exactly one of 3 alternatives, but matches 2"]
    );
    let nested = compile(
        json!({"type": "array", "items": {"oneOf": [{"oneOf": [{"type": "string"}, {"type": "null"}]}, {"type": "boolean"}]}}),
    );
    assert_eq!(check(&nested, json!(["a", null, true])), [""; 0]);
    assert_eq!(check(&nested, json!([1])).len(), 1);
}

// SPEC A3: such keys are ordinary ones.
#[test]
fn odd_keys_are_ordinary() {
    let keys = [
        "__proto__",
        "constructor",
        "toString",
        "",
        "$serde_json::private::Number",
    ];
    let properties: Json = Json::Object(
        keys.iter()
            .map(|key| (*key, json!({"type": "string"})))
            .collect(),
    );
    let schema = compile(
        json!({"type": "object", "properties": properties, "required": (keys.to_vec()), "additionalProperties": false}),
    );
    assert_eq!(
        check(
            &schema,
            Json::Object(keys.iter().map(|key| (*key, "x")).collect())
        ),
        [""; 0]
    );
    assert_eq!(check(&schema, json!({})).len(), keys.len());
}

#[test]
fn numbers_and_literals_are_compared_as_numbers() {
    assert!(compile(json!({"type": "integer", "const": 1})).accepts(&json!(1.0)));
    assert!(compile(json!({"type": "integer"})).accepts(&json!(1e300)));
    assert!(
        !compile(json!({"type": "number", "const": 9007199254740993_u64}))
            .accepts(&json!(9007199254740992_u64))
    );
}

// SPEC A5, B3: neither depth nor size of schema or value is a matter of the stack.
#[test]
fn depth_and_size_are_no_matter() {
    let levels = 100_000;
    let schema = (0..levels).fold(json!({"type": "null"}), |inner, level| match level % 3 {
        0 => json!({"type": "array", "items": inner}),
        1 => json!({"type": "object", "properties": {"a": inner}, "required": ["a"]}),
        _ => json!({"oneOf": [{"type": "string"}, inner]}),
    });
    let value = |leaf: Json| {
        (0..levels).fold(leaf, |inner, level| match level % 3 {
            0 => json!([inner]),
            1 => json!({"a": inner}),
            _ => inner,
        })
    };
    let schema = compile(schema);
    assert!(schema.accepts(&value(Json::Null)));
    let violations = schema.validate(&value(json!(1)), "args");
    assert_eq!(violations.len(), 1);
    assert!(violations[0].path().len() < 300, "{}", violations[0]);

    let wide: Json = (0..1_000_000).collect::<Vec<i32>>().into();
    assert!(compile(json!({"type": "array", "items": {"type": "integer"}})).accepts(&wide));
    let violations =
        compile(json!({"type": "array", "items": {"type": "string"}})).validate(&wide, "args");
    assert_eq!(violations.len(), MAX_VIOLATIONS + 1);
    assert_eq!(
        violations[MAX_VIOLATIONS].message(),
        "…and 999000 more violations"
    );
}

// Nested alternatives must not multiply: each is judged once.
#[test]
fn nested_alternatives_stay_linear() {
    let schema = (0..2_000).fold(
        json!({"type": "null"}),
        |inner, _| json!({"oneOf": [inner, {"type": "string"}]}),
    );
    let schema = compile(schema);
    assert!(schema.accepts(&Json::Null));
    assert!(!schema.accepts(&json!(1)));
}

#[test]
fn parameter_schemas() {
    let object = parameters([optional("a", string())]).compile().unwrap();
    assert!(
        ParameterSchema::validated(object.clone())
            .unwrap()
            .validate(&json!({"a": 1}), "args")
            .len()
            == 1
    );
    assert_eq!(
        paths(&ParameterSchema::validated(Schema::any()).unwrap_err()),
        [""]
    );
    // SPEC B6
    let raw =
        ParameterSchema::raw(json!({"type": "object", "properties": {"a": {"pattern": "x"}}}));
    assert!(raw.validate(&json!(7), "args").is_empty());
    assert_eq!(ParameterSchema::raw(json!({})), ParameterSchema::none());
    assert_eq!(
        ParameterSchema::raw(Json::Null).as_json(),
        &json!({"type": "object", "properties": {}})
    );
}

// SPEC B4
#[test]
fn the_builder_makes_the_subset() {
    let spec = parameters([
        required(
            "path",
            string()
                .description("Where")
                .members(["a", "b"])
                .default_value("a"),
        ),
        optional(
            "deep",
            closed_object([required(
                "n",
                array(one_of([integer().constant(1), null(), number()])),
            )]),
        ),
        optional("free", open_object([])),
        optional("any", any().title("Any").examples([1])),
        optional("flag", boolean()),
    ]);
    assert_eq!(
        spec.compile().unwrap().as_json().to_string(),
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Where", "enum": ["a", "b"], "default": "a"},
                "deep": {
                    "type": "object",
                    "properties": {"n": {"type": "array", "items": {"oneOf": [{"type": "integer", "const": 1}, {"type": "null"}, {"type": "number"}]}}},
                    "required": ["n"],
                    "additionalProperties": false,
                },
                "free": {"type": "object", "properties": {}, "additionalProperties": true},
                "any": {"title": "Any", "examples": [1]},
                "flag": {"type": "boolean"},
            },
            "required": ["path"],
        })
        .to_string()
    );
    assert_eq!(paths(&one_of([string()]).compile().unwrap_err()), ["oneOf"]);
    assert_eq!(
        paths(&array(string().members([1])).compile().unwrap_err()),
        ["items.enum[0]"]
    );
}

// SPEC B4
#[test]
fn the_notation_makes_the_subset() {
    let notation = json!({
        "path": {"type": "string", "required": true, "description": "Where"},
        "payload": {"type": "json", "description": "Anything"},
        "bare": "json",
        "options": {"type": "object", "additionalProperties": true, "properties": {"required": {"type": "boolean", "required": true}}},
        "tags": {"type": "array", "items": {"type": "string"}},
        "either": {"oneOf": [{"type": "null"}, {"type": "object", "additionalProperties": false}]},
    });
    assert_eq!(
        Schema::from_parameters_notation(&notation)
            .unwrap()
            .as_json(),
        &json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Where"},
                "payload": {"description": "Anything"},
                "bare": {},
                "options": {"type": "object", "additionalProperties": true, "properties": {"required": {"type": "boolean"}}, "required": ["required"]},
                "tags": {"type": "array", "items": {"type": "string"}},
                "either": {"oneOf": [{"type": "null"}, {"type": "object", "additionalProperties": false}]},
            },
            "required": ["path"],
        })
    );
    let refused = |notation: Json| {
        let error = Schema::from_parameters_notation(&notation).expect_err("refused");
        paths(&error)
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        refused(json!({"a": {"type": "object"}})),
        ["a.additionalProperties"]
    );
    assert_eq!(
        refused(json!({"a": {"type": "string", "required": false}})),
        ["a.required"]
    );
    assert_eq!(
        refused(json!({"a": {"type": "array", "items": {"type": "string", "required": true}}})),
        ["a.items.required"]
    );
    assert_eq!(refused(json!({"a": 1})), ["a"]);
    assert_eq!(refused(json!([])), [""]);
    assert_eq!(
        refused(json!({"a": {"type": "string", "format": "x"}})),
        ["properties.a.format"]
    );
    assert_eq!(
        refused(json!({"a": {"type": "object", "additionalProperties": false, "required": ["x"]}})),
        ["a.required"]
    );
    let value = Schema::from_value_notation(
        &json!({"type": "object", "additionalProperties": false, "properties": {"n": {"type": "integer", "required": true}}}),
    );
    assert_eq!(value.unwrap().as_json()["required"], json!(["n"]));
    assert!(Schema::from_value_notation(&json!({"type": "string", "required": true})).is_err());
    let deep = (0..50_000).fold(
        json!("json"),
        |inner, _| json!({"type": "array", "items": inner}),
    );
    assert!(Schema::from_value_notation(&deep).is_ok());
}

/// Everything that goes without loss.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Fine {
    /// Where to look.
    path: String,
    limit: Option<u32>,
    #[serde(default)]
    small: u8,
    ratio: f64,
    mode: Mode,
    plain: Option<Plain>,
    shape: Shape,
    outside: Outside,
    loose: Loose,
    inner: Vec<Inner>,
    maybe: Option<Box<Inner>>,
    free: BTreeMap<String, Json2>,
    anything: Json2,
    #[serde(flatten)]
    flat: Flat,
    when: Option<Newtype>,
}

type Json2 = serde_json::Value;

/// How.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    /// Only look.
    Read,
    /// Change.
    Write,
    Other,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Plain {
    A,
    B,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Shape {
    Circle { radius: f64 },
    Named(Flat),
    Nothing,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Outside {
    Unit,
    Struct { a: bool },
    New(Inner),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Loose {
    Text(String),
    Number(i64),
    Object(Inner),
    List(Vec<String>),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Inner {
    x: i32,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Flat {
    name: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Newtype(String);

// SPEC B5
#[test]
fn rust_types_become_schemas() {
    let schema = Schema::from_type::<Fine>().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(schema.as_json().get("title"), None);
    let property = |name: &str| schema.as_json()["properties"][name].clone();
    assert_eq!(
        property("path"),
        json!({"description": "Where to look.", "type": "string"})
    );
    assert_eq!(
        property("limit"),
        json!({"oneOf": [{"type": "integer"}, {"type": "null"}]})
    );
    assert_eq!(property("small"), json!({"type": "integer", "default": 0}));
    assert_eq!(
        property("mode"),
        json!({"description": "How.", "oneOf": [
            {"type": "string", "enum": ["other"]},
            {"description": "Only look.", "type": "string", "const": "read"},
            {"description": "Change.", "type": "string", "const": "write"},
        ]})
    );
    assert_eq!(
        property("plain"),
        json!({"oneOf": [{"type": "string", "enum": ["A", "B"]}, {"type": "null"}]})
    );
    assert_eq!(property("anything"), json!({}));
    assert_eq!(
        property("free"),
        json!({"type": "object", "additionalProperties": true})
    );

    let value = json!({
        "path": "p", "limit": null, "ratio": 1, "mode": "read", "plain": "A", "shape": {"kind": "Circle", "radius": 1.5},
        "outside": {"New": {"x": 1}}, "loose": ["a"], "inner": [{"x": 1}], "maybe": null, "free": {"a": [1]}, "anything": null,
        "name": "n",
    });
    assert_eq!(check(&schema, value.clone()), [""; 0]);
    // What the schema takes, serde takes; what serde writes, the output schema takes.
    let fine: Fine = value.deserialize().unwrap();
    let output = Schema::from_output_type::<Fine>().unwrap();
    assert_eq!(
        check(&output, Json::from_serialize(&fine).unwrap()),
        [""; 0]
    );
    assert!(
        output.as_json()["required"]
            .as_array()
            .unwrap()
            .contains(&json!("small"))
    );

    for (key, wrong) in [
        ("limit", json!("1")),
        ("mode", json!("raed")),
        ("shape", json!({"kind": "Circle"})),
        ("outside", json!({"New": {"x": 1, "y": 2}})),
        ("loose", json!(true)),
        ("inner", json!([{"x": 1.5}])),
        ("name", json!(1)),
    ] {
        let mut object = value.as_object().unwrap().clone();
        object.insert(key, wrong);
        assert_eq!(check(&schema, Json::Object(object)).len(), 1, "{key}");
    }
}

#[derive(JsonSchema)]
struct Lossy {
    #[expect(dead_code, reason = "only its schema is looked at")]
    map: BTreeMap<String, i32>,
    #[expect(dead_code, reason = "only its schema is looked at")]
    pair: (u8, String),
    #[expect(dead_code, reason = "only its schema is looked at")]
    set: HashSet<String>,
    #[expect(dead_code, reason = "only its schema is looked at")]
    three: [u8; 3],
    #[expect(dead_code, reason = "only its schema is looked at")]
    #[schemars(range(min = 1, max = 10))]
    range: u32,
    #[expect(dead_code, reason = "only its schema is looked at")]
    #[schemars(regex(pattern = "^a"))]
    pattern: String,
    #[expect(dead_code, reason = "only its schema is looked at")]
    #[schemars(length(max = 3))]
    short: Vec<String>,
    #[expect(dead_code, reason = "only its schema is looked at")]
    tree: Vec<Tree>,
    #[expect(dead_code, reason = "only its schema is looked at")]
    vague: Vague,
}

#[derive(JsonSchema)]
struct Tree {
    #[expect(dead_code, reason = "only its schema is looked at")]
    children: Vec<Tree>,
}

#[derive(JsonSchema)]
#[serde(untagged)]
enum Vague {
    #[expect(dead_code, reason = "only its schema is looked at")]
    One { a: Option<i32> },
    #[expect(dead_code, reason = "only its schema is looked at")]
    Two { b: Option<i32> },
}

// SPEC B5: what can't go without loss says so, with the path.
#[test]
fn lossy_rust_types_are_refused() {
    let error = Schema::from_type::<Lossy>().unwrap_err();
    assert_eq!(
        paths(&error),
        [
            "properties.map.additionalProperties",
            "properties.pair.prefixItems",
            "properties.set.uniqueItems",
            "properties.three.minItems",
            "properties.range.minimum",
            "properties.range.maximum",
            "properties.short.maxItems",
            "properties.tree.items.properties.children.items.properties.children.items",
        ],
        "{error}"
    );
    assert_eq!(paths(&Schema::from_type::<Vague>().unwrap_err()), ["anyOf"]);
    #[derive(JsonSchema)]
    struct Pattern {
        #[expect(dead_code, reason = "only its schema is looked at")]
        #[schemars(regex(pattern = "^a"))]
        pattern: String,
    }
    assert_eq!(
        paths(&Schema::from_type::<Pattern>().unwrap_err()),
        ["properties.pattern.pattern"]
    );
}

proptest! {
    // SPEC B3: total on any schema and any value.
    #[test]
    fn never_panics(schema in crate::json::tests::any_json(), value in crate::json::tests::any_json()) {
        if let Ok(schema) = Schema::compile(&schema) {
            _ = schema.validate(&value, "args");
        }
        _ = Schema::from_value_notation(&schema);
        _ = Schema::from_parameters_notation(&schema);
    }
}
