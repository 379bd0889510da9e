//! SPEC B: inside the subset, JSON Schema means what its specification says. By keyword, the cases where implementations
//! differ.

use lockgate::{Json, Schema, json};

/// Checks which of the values the schema lets through.
#[track_caller]
fn check(schema: Json, valid: &[Json], invalid: &[Json]) {
    let compiled = Schema::compile(&schema).expect("the schema is in the subset");
    for value in valid {
        let violations = compiled.validate(value, "value");
        assert!(
            violations.is_empty(),
            "{schema} should let {value} through: {violations:?}"
        );
    }
    for value in invalid {
        assert!(
            !compiled.validate(value, "value").is_empty(),
            "{schema} should not let {value} through"
        );
    }
}

/// One value of each kind.
fn kinds() -> Vec<(&'static str, Json)> {
    vec![
        ("null", json!(null)),
        ("boolean", json!(false)),
        ("integer", json!(3)),
        ("number", json!(2.5)),
        ("string", json!("")),
        ("array", json!([])),
        ("object", json!({})),
    ]
}

#[test]
fn type_tells_every_kind_from_every_other() {
    for (name, _) in kinds() {
        for (kind, value) in kinds() {
            let fits = kind == name || (name == "number" && kind == "integer");
            let (valid, invalid) = if fits {
                (vec![value], vec![])
            } else {
                (vec![], vec![value])
            };
            check(json!({"type": name}), &valid, &invalid);
        }
    }
}

#[test]
fn integer_is_a_matter_of_value_not_of_spelling() {
    let spelled = |text: &str| Json::parse(text).expect("a number");
    let valid = [
        spelled("1.0"),
        spelled("1e2"),
        spelled("12300e-2"),
        spelled("9007199254740993"),
    ];
    check(
        json!({"type": "integer"}),
        &valid,
        &[spelled("1.5"), spelled("1e-1"), json!("1"), json!([1])],
    );
    check(
        json!({"type": "number"}),
        &[spelled("1.0"), spelled("1e300"), spelled("5e-324")],
        &[json!("1"), json!(true)],
    );
}

#[test]
fn the_empty_schema_lets_everything_through() {
    let everything: Vec<Json> = kinds().into_iter().map(|(_, value)| value).collect();
    check(json!({}), &everything, &[]);
    check(
        json!({"description": "anything", "title": "t", "default": 1, "examples": [1, "a"]}),
        &everything,
        &[],
    );
}

#[test]
fn enum_compares_by_value_and_kind() {
    check(
        json!({"type": "integer", "enum": [1, 2]}),
        &[json!(1), json!(2), json!(1.0)],
        &[json!(3), json!(true), json!("1"), json!([1]), json!(null)],
    );
    check(
        json!({"type": "string", "enum": ["a", "A", ""]}),
        &[json!("a"), json!("A"), json!("")],
        &[json!(" a"), json!("b"), json!(null), json!("á")],
    );
    check(
        json!({"type": "boolean", "enum": [false]}),
        &[json!(false)],
        &[json!(true), json!(0), json!("false"), json!(null)],
    );
    check(
        json!({"type": "null", "enum": [null]}),
        &[json!(null)],
        &[json!(0), json!(false), json!("")],
    );
    check(
        json!({"type": "string", "enum": ["a\u{0}b"]}),
        &[json!("a\u{0}b")],
        &[json!("ab"), json!("a\\0b")],
    );
}

#[test]
fn const_compares_by_value_and_kind() {
    check(
        json!({"type": "number", "const": 2}),
        &[json!(2), json!(2.0)],
        &[json!(-2), json!("2"), json!(2.000_000_1)],
    );
    check(
        json!({"type": "boolean", "const": true}),
        &[json!(true)],
        &[json!(1), json!(false), json!("true")],
    );
    check(
        json!({"type": "integer", "const": 0}),
        &[json!(0), json!(0.0)],
        &[json!(false), json!(""), json!([]), json!(null)],
    );
    // Beyond what a double holds exactly, neighbours are different numbers.
    check(
        json!({"type": "integer", "const": 9_007_199_254_740_993_i64}),
        &[json!(9_007_199_254_740_993_i64)],
        &[
            json!(9_007_199_254_740_992_i64),
            json!(9_007_199_254_740_994_i64),
        ],
    );
}

#[test]
fn properties_look_only_at_what_is_there() {
    check(
        json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}}),
        &[
            json!({}),
            json!({"a": 1}),
            json!({"a": 1, "b": "x"}),
            json!({"c": []}),
            json!({"a": 1, "c": null}),
        ],
        &[
            json!({"a": "x"}),
            json!({"a": 1, "b": 2}),
            json!({"a": null}),
            json!([]),
            json!("a"),
        ],
    );
    check(
        json!({"type": "object", "properties": {"": {"type": "null"}, "a\"b\n\t\\": {"type": "integer"}}}),
        &[json!({"": null, "a\"b\n\t\\": 1})],
        &[json!({"": 1}), json!({"a\"b\n\t\\": "1"})],
    );
    // Names that an object of JavaScript would have anyway.
    check(
        json!({"type": "object", "properties": {"__proto__": {"type": "number"}, "toString": {"type": "string"}, "constructor": {"type": "null"}}}),
        &[
            json!({}),
            json!({"__proto__": 1, "toString": "s", "constructor": null}),
        ],
        &[
            json!({"__proto__": "x"}),
            json!({"toString": 1}),
            json!({"constructor": {}}),
        ],
    );
}

#[test]
fn required_asks_for_the_key_not_for_a_value() {
    check(
        json!({"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a", "b"]}),
        &[
            json!({"a": 1, "b": null}),
            json!({"b": [], "a": {}, "c": 0}),
        ],
        &[json!({}), json!({"a": 1}), json!({"b": 1, "A": 1})],
    );
    check(
        json!({"type": "object", "properties": {"__proto__": {}, "toString": {}}, "required": ["__proto__", "toString"]}),
        &[json!({"__proto__": 1, "toString": 2})],
        &[json!({}), json!({"__proto__": 1})],
    );
    check(
        json!({"type": "object", "properties": {}, "required": []}),
        &[json!({})],
        &[json!(null)],
    );
}

#[test]
fn additional_properties_close_an_object_and_only_that_object() {
    let closed = json!({"type": "object", "properties": {"a": {}, "in": {"type": "object"}}, "additionalProperties": false});
    check(
        closed,
        &[json!({}), json!({"a": 1}), json!({"in": {"free": 1}})],
        &[json!({"b": 1}), json!({"a": 1, "": 2})],
    );
    check(
        json!({"type": "object", "additionalProperties": false}),
        &[json!({})],
        &[json!({"a": null})],
    );
    check(
        json!({"type": "object", "additionalProperties": true}),
        &[json!({}), json!({"a": null})],
        &[json!([])],
    );
}

#[test]
fn items_hold_for_every_element() {
    check(
        json!({"type": "array", "items": {"type": "integer"}}),
        &[json!([]), json!([1, 2, 3])],
        &[json!([1, "x"]), json!([null]), json!({"0": 1, "length": 1})],
    );
    check(
        json!({"type": "array", "items": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "null"}}, "required": ["a"]}}}),
        &[json!([[], [{"a": null}]])],
        &[
            json!([{}]),
            json!([[{}]]),
            json!([[{"a": 1}]]),
            json!([[null]]),
        ],
    );
    check(
        json!({"type": "array"}),
        &[json!([]), json!([null, 1, "a", {}])],
        &[json!({})],
    );
}

#[test]
fn one_of_means_exactly_one() {
    let overlapping = json!({"oneOf": [{"type": "integer"}, {"type": "number", "enum": [1, 2.5]}]});
    check(
        overlapping,
        &[json!(2), json!(2.5)],
        &[json!(1), json!(3.5), json!("1")],
    );
    check(
        json!({"oneOf": [{}, {"type": "string"}]}),
        &[json!(1), json!(null)],
        &[json!("both")],
    );
    let tagged = json!({"oneOf": [
        {"type": "object", "properties": {"k": {"type": "string", "const": "a"}, "x": {"type": "integer"}}, "required": ["k", "x"]},
        {"type": "object", "properties": {"k": {"type": "string", "const": "b"}}, "required": ["k"]}
    ]});
    check(
        tagged,
        &[json!({"k": "a", "x": 1}), json!({"k": "b"})],
        &[
            json!({"k": "a"}),
            json!({"k": "c"}),
            json!({}),
            json!({"x": 1}),
        ],
    );
    let nested =
        json!({"oneOf": [{"type": "null"}, {"oneOf": [{"type": "boolean"}, {"type": "integer"}]}]});
    check(
        nested,
        &[json!(null), json!(true), json!(1)],
        &[json!("x"), json!(1.5)],
    );
}
