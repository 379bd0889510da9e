//! SPEC B: inside the subset, the validator agrees with the `jsonschema` crate on every value.

use lockgate::json::{Array, Object};
use lockgate::{Json, Schema, json};

/// A small generator: the same seed gives the same cases on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    fn key(&mut self) -> &'static str {
        ["a", "b", "c", "__proto__", "", "a b", "é"][self.below(7)]
    }

    fn scalar(&mut self, ty: &str) -> Json {
        match ty {
            "null" => Json::Null,
            "boolean" => json!(self.one_in(2)),
            "integer" => [
                json!(0),
                json!(1),
                json!(-7),
                json!(2.0),
                json!(9_007_199_254_740_993_u64),
                json!(1e300),
            ][self.below(6)]
            .clone(),
            "number" => [json!(0), json!(1.5), json!(1), json!(-2.25)][self.below(4)].clone(),
            _ => json!(["", "a", "b", "\u{0}é𝄞"][self.below(4)]),
        }
    }

    /// A schema of the subset.
    fn schema(&mut self, level: usize) -> Json {
        let mut schema = Object::new();
        match self.below(if level > 3 { 6 } else { 10 }) {
            0 => {}
            choice @ 1..=5 => {
                let ty = ["string", "integer", "number", "boolean", "null"][choice - 1];
                schema.insert("type", ty);
                if self.one_in(3) {
                    schema.insert(
                        "enum",
                        (0..1 + self.below(3))
                            .map(|_| self.scalar(ty))
                            .collect::<Array>(),
                    );
                }
                if self.one_in(6) {
                    schema.insert("const", self.scalar(ty));
                }
            }
            6 => {
                schema.insert("type", "array");
                if !self.one_in(4) {
                    schema.insert("items", self.schema(level + 1));
                }
            }
            7 | 8 => {
                schema.insert("type", "object");
                let properties: Object = (0..self.below(4))
                    .map(|_| (self.key(), self.schema(level + 1)))
                    .collect();
                let required: Array = properties.keys().filter(|_| self.one_in(2)).collect();
                if !required.is_empty() {
                    schema.insert("required", required);
                }
                schema.insert("properties", properties);
                if self.one_in(2) {
                    schema.insert("additionalProperties", self.one_in(3));
                }
            }
            _ => {
                _ = schema.insert(
                    "oneOf",
                    (0..2 + self.below(2))
                        .map(|_| self.schema(level + 1))
                        .collect::<Array>(),
                )
            }
        }
        if self.one_in(8) {
            schema.insert("description", "d");
            schema.insert("default", self.scalar("string"));
        }
        Json::Object(schema)
    }

    /// A value that fits the schema more often than not.
    fn value(&mut self, schema: &Json, level: usize) -> Json {
        if self.one_in(12) || level > 8 {
            let ty = ["string", "integer", "number", "boolean", "null"][self.below(5)];
            return match self.below(4) {
                0 => json!([self.scalar(ty)]),
                1 => json!({(self.key()): (self.scalar(ty))}),
                _ => self.scalar(ty),
            };
        }
        if let Some(alternatives) = schema.get("oneOf").and_then(Json::as_array) {
            let alternative = alternatives[self.below(alternatives.len())].clone();
            return self.value(&alternative, level + 1);
        }
        if let Some(members) = schema.get("enum").and_then(Json::as_array) {
            return members[self.below(members.len())].clone();
        }
        if let Some(constant) = schema.get("const") {
            return constant.clone();
        }
        match schema["type"].as_str() {
            Some("array") => (0..self.below(4))
                .map(|_| self.value(&schema["items"], level + 1))
                .collect(),
            Some("object") => {
                let mut object = Object::new();
                for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                    if !self.one_in(5) {
                        object.insert(name, self.value(property, level + 1));
                    }
                }
                if self.one_in(5) {
                    object.insert(self.key(), 1);
                }
                Json::Object(object)
            }
            Some(ty) => self.scalar(ty),
            None => self.scalar("string"),
        }
    }
}

fn foreign(value: &Json) -> serde_json::Value {
    serde_json::Value::try_from(value).unwrap()
}

/// True when theirs says the same; the answer.
fn agree(schema: &Json, values: impl IntoIterator<Item = Json>) -> Vec<bool> {
    let ours = Schema::compile(schema).unwrap_or_else(|error| panic!("{schema}: {error}"));
    let theirs = jsonschema::draft202012::new(&foreign(schema)).unwrap();
    let check = |value: Json| {
        let violations = ours.validate(&value, "value");
        assert_eq!(
            violations.is_empty(),
            theirs.is_valid(&foreign(&value)),
            "{schema}\n{value}\n{violations:?}"
        );
        violations.is_empty()
    };
    values.into_iter().map(check).collect()
}

#[test]
fn on_generated_schemas() {
    let (mut fits, mut fails) = (0, 0);
    for seed in 1..=20_000_u64 {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let schema = random.schema(0);
        let values: Vec<Json> = (0..6).map(|_| random.value(&schema, 0)).collect();
        for answer in agree(&schema, values) {
            *(if answer { &mut fits } else { &mut fails }) += 1;
        }
    }
    // The test would prove nothing if all values fitted, or none.
    assert!(fits > 30_000 && fails > 20_000, "{fits} fit, {fails} don't");
}

/// What the official suite asks of these keywords, in cases of our own: per schema, values that fit and values that don't.
#[test]
fn on_cases() {
    let cases = [
        (
            json!({}),
            vec![json!(null), json!(1), json!("x"), json!([]), json!({})],
            vec![],
        ),
        (
            json!({"type": "integer"}),
            vec![json!(1), json!(1.0), json!(-5), json!(1e20)],
            vec![json!(1.1), json!("1"), json!(null), json!([1]), json!(true)],
        ),
        (
            json!({"type": "number"}),
            vec![json!(1), json!(1.1)],
            vec![json!("1"), json!({}), json!(false)],
        ),
        (
            json!({"type": "string"}),
            vec![json!(""), json!("1")],
            vec![json!(1), json!(null), json!(["a"])],
        ),
        (
            json!({"type": "boolean"}),
            vec![json!(true), json!(false)],
            vec![json!(0), json!(""), json!("true"), json!(null)],
        ),
        (
            json!({"type": "null"}),
            vec![json!(null)],
            vec![json!(0), json!(false), json!(""), json!({})],
        ),
        (
            json!({"type": "array"}),
            vec![json!([]), json!([1, "a"])],
            vec![json!({}), json!("[]")],
        ),
        (
            json!({"type": "object"}),
            vec![json!({}), json!({"a": 1})],
            vec![json!([]), json!(null)],
        ),
        (
            json!({"type": "array", "items": {"type": "integer"}}),
            vec![json!([]), json!([1, 2.0])],
            vec![json!([1, "x"]), json!([null])],
        ),
        (
            json!({"type": "array", "items": {"type": "array", "items": {"type": "null"}}}),
            vec![json!([[], [null]])],
            vec![json!([null]), json!([[1]])],
        ),
        (
            json!({"type": "object", "properties": {"foo": {"type": "integer"}, "bar": {"type": "string"}}}),
            vec![json!({}), json!({"foo": 1, "bar": "b", "quux": []})],
            vec![json!({"foo": "1"}), json!({"foo": [], "bar": {}})],
        ),
        (
            json!({"type": "object", "properties": {"__proto__": {"type": "number"}, "toString": {"type": "object"}, "constructor": {"type": "number"}}}),
            vec![json!({}), json!({"__proto__": 1})],
            vec![
                json!({"__proto__": "x"}),
                json!({"toString": 1}),
                json!({"constructor": {}}),
            ],
        ),
        (
            json!({"type": "object", "properties": {"foo\nbar": {"type": "number"}, "foo\"bar": {"type": "number"}, "foo\\bar": {"type": "number"}}}),
            vec![json!({"foo\nbar": 1, "foo\"bar": 1, "foo\\bar": 1})],
            vec![json!({"foo\nbar": "1"}), json!({"foo\\bar": "1"})],
        ),
        (
            json!({"type": "object", "properties": {"a": {}}, "required": ["a"]}),
            vec![json!({"a": null})],
            vec![json!({}), json!({"A": 1})],
        ),
        (
            json!({"type": "object", "properties": {"a": {}}, "required": []}),
            vec![json!({})],
            vec![],
        ),
        (
            json!({"type": "object", "properties": {"foo": {}}, "additionalProperties": false}),
            vec![json!({}), json!({"foo": 1})],
            vec![json!({"foo": 1, "bar": 2}), json!({"": 1})],
        ),
        (
            json!({"type": "object", "additionalProperties": false}),
            vec![json!({})],
            vec![json!({"a": 1})],
        ),
        (
            json!({"type": "object", "properties": {"foo": {}}, "additionalProperties": true}),
            vec![json!({"foo": 1, "bar": 2})],
            vec![],
        ),
        (
            json!({"type": "string", "enum": ["a", "é", ""]}),
            vec![json!("a"), json!("é"), json!("")],
            vec![json!("A"), json!("e\u{301}"), json!(null)],
        ),
        (
            json!({"type": "integer", "enum": [0, 2]}),
            vec![json!(0), json!(2.0)],
            vec![json!(1), json!(false)],
        ),
        (
            json!({"type": "boolean", "enum": [false]}),
            vec![json!(false)],
            vec![json!(0), json!(true), json!(null)],
        ),
        (
            json!({"type": "number", "const": 1}),
            vec![json!(1), json!(1.0)],
            vec![json!(true), json!(2), json!("1")],
        ),
        (
            json!({"type": "null", "const": null}),
            vec![json!(null)],
            vec![json!(0)],
        ),
        (
            json!({"type": "number", "const": -2.0}),
            vec![json!(-2)],
            vec![json!(2), json!(-2.00001)],
        ),
        (
            json!({"type": "integer", "const": 9_007_199_254_740_992_u64}),
            vec![json!(9_007_199_254_740_992_u64)],
            vec![json!(9_007_199_254_740_991_u64)],
        ),
        (
            json!({"oneOf": [{"type": "integer"}, {"type": "string"}]}),
            vec![json!(1), json!("a")],
            vec![json!(1.5), json!(null)],
        ),
        (
            json!({"oneOf": [{"type": "integer"}, {"type": "number"}]}),
            vec![json!(1.5)],
            vec![json!(1), json!("x")],
        ),
        (
            json!({"oneOf": [{}, {}]}),
            vec![],
            vec![json!(1), json!(null)],
        ),
        (
            json!({"oneOf": [{"oneOf": [{"type": "null"}, {"type": "string"}]}, {"type": "boolean"}]}),
            vec![json!(null), json!("a"), json!(true)],
            vec![json!(1)],
        ),
        (
            json!({"oneOf": [
                {"type": "object", "properties": {"bar": {"type": "integer"}}, "required": ["bar"]},
                {"type": "object", "properties": {"foo": {"type": "string"}}, "required": ["foo"]},
            ]}),
            vec![json!({"bar": 2}), json!({"foo": "baz"})],
            vec![
                json!({"foo": "baz", "bar": 2}),
                json!({"foo": 2, "bar": "quux"}),
                json!({}),
            ],
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "integer", "default": []}}}),
            vec![json!({}), json!({"a": 1})],
            vec![json!({"a": []})],
        ),
    ];
    for (schema, fits, fails) in cases {
        assert!(agree(&schema, fits).iter().all(|fits| *fits), "{schema}");
        assert!(agree(&schema, fails).iter().all(|fits| !fits), "{schema}");
    }
}
