//! Unit tests of the renderers.

use proptest::prelude::*;

use super::{ToolDeclaration, declarations, prose, render};
use crate::code_runtime::CodeLanguage::{JavaScript, Python, TypeScript};
use crate::{Json, json};

fn tool<'a>(name: &'a str, parameters: &'a Json, output: Option<&'a Json>) -> ToolDeclaration<'a> {
    ToolDeclaration {
        name,
        description: "",
        parameters,
        output,
    }
}

/// The TypeScript type of a value.
fn typescript(schema: Json) -> String {
    let none = json!({});
    let text = declarations(TypeScript, &[tool("t", &none, Some(&schema))]);
    let types = text
        .split("interface ToolArgsMap")
        .next()
        .unwrap_or_default()
        .to_owned();
    let output = text
        .split("interface ToolOutputMap {\n")
        .nth(1)
        .and_then(|text| text.strip_suffix("}\n"))
        .unwrap();
    types
        + output
            .trim()
            .trim_start_matches("t: ")
            .trim_end_matches(';')
}

/// The Python type of a value, after the classes that it needs.
fn python(schema: Json) -> String {
    let none = json!({});
    let text = declarations(Python, &[tool("t", &none, Some(&schema))]);
    let (types, rest) = text.split_once("class Tools(Protocol):\n").unwrap();
    let output = rest
        .split("async def t(self) -> ")
        .nth(1)
        .unwrap()
        .split(":\n")
        .next()
        .unwrap();
    format!("{types}{output}")
}

fn check(schema: Json, in_typescript: &str, in_python: &str) {
    assert_eq!(typescript(schema.clone()), in_typescript, "{schema}");
    assert_eq!(python(schema.clone()), in_python, "{schema}");
}

// SPEC I1, I4
#[test]
fn types() {
    check(json!({}), "JsonValue", "Any");
    check(json!(true), "JsonValue", "Any");
    check(json!(false), "never", "Any");
    check(json!(7), "unknown", "Any");
    check(json!({"type": "string"}), "string", "str");
    check(json!({"type": "integer"}), "Integer", "int");
    check(json!({"type": "number"}), "number", "float");
    check(
        json!({"type": ["string", "null"]}),
        "string | null",
        "str | None",
    );
    check(
        json!({"type": "string", "nullable": true}),
        "string | null",
        "str | None",
    );
    check(
        json!({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}),
        "(string | null)[]",
        "list[str | None]",
    );
    check(json!({"type": "array"}), "JsonValue[]", "list[Any]");
    check(
        json!({"enum": ["a", 1, null, true]}),
        "\"a\" | 1 | null | true",
        "Literal[\"a\", 1, None, True]",
    );
    check(json!({"enum": [1.5]}), "1.5", "float");
    check(
        json!({"const": 9007199254740993_u64}),
        "number",
        "Literal[9007199254740993]",
    );
    check(
        json!({"type": "string", "enum": ["a", 1]}),
        "\"a\"",
        "Literal[\"a\"]",
    );
    check(
        json!({"prefixItems": [{"type": "string"}, {"type": "number"}], "items": false}),
        "[string, number]",
        "list[str | float]",
    );
    check(
        json!({"items": [{"type": "string"}]}),
        "[string, ...JsonValue[]]",
        "list[Any]",
    );
    check(
        json!({"type": "object"}),
        "{ [key: string]: JsonValue }",
        "dict[str, Any]",
    );
    check(
        json!({"type": "object", "additionalProperties": {"type": "integer"}}),
        "{ [key: string]: Integer }",
        "dict[str, int]",
    );
    check(
        json!({"patternProperties": {"^x": {"type": "null"}}, "additionalProperties": false}),
        "{ [key: string]: null }",
        "dict[str, None]",
    );
    check(
        json!({"type": "object", "additionalProperties": false}),
        "Record<string, never>",
        "dict[str, Any]",
    );
    check(
        json!({"oneOf": [{"type": "integer"}, {"type": "number"}, {"type": "string"}]}),
        "number | string",
        "float | str",
    );
    check(
        json!({"type": "string", "oneOf": [{"const": "a"}, {"const": "b"}]}),
        "\"a\" | \"b\"",
        "Literal[\"a\", \"b\"]",
    );
    check(
        json!({"type": "string", "anyOf": [{"format": "ipv4"}, {"format": "ipv6"}]}),
        "string",
        "str",
    );
    check(
        json!({"properties": {"a-b": {"type": "string"}, "list": {"items": {"type": "string"}}}, "required": ["list"]}),
        "{ \"a-b\"?: string; list: string[] }",
        "TOutput = TypedDict(\"TOutput\", {\n    \"a-b\": NotRequired[str],\n    \"list\": list[str],\n})\nTOutput",
    );
}

// An intersection of unions keeps its parentheses; what only one side demands is demanded.
#[test]
fn intersections() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    });
    check(
        schema,
        "{ a?: string; b?: string } & ({ a: unknown } | { b: unknown })",
        "class TOutput(TypedDict):\n    a: NotRequired[str]\n    b: NotRequired[str]\nTOutput",
    );
    let schema = json!({"allOf": [
        {"properties": {"a": {"type": "string"}}},
        {"properties": {"b": {"type": "integer"}}, "required": ["a", "b"]},
    ]});
    check(
        schema,
        "{ a?: string } & { b: Integer; a: unknown }",
        "class TOutput(TypedDict):\n    a: str\n    b: int\nTOutput",
    );
}

// SPEC I4: references become named types, where they are needed.
#[test]
fn references() {
    let tree = json!({
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/node"}}}, "required": ["children"]},
        },
    });
    check(
        tree,
        "type T_Node = { children: T_Node[] };\nT_Node",
        "class T_Node(TypedDict):\n    children: \"list[T_Node]\"\nT_Node",
    );
    let once = json!({"items": {"$ref": "#/definitions/a~1b"}, "definitions": {"a/b": {"type": "string"}}});
    check(once, "string[]", "list[str]");
    let root = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});
    check(
        root,
        "type T_Output = { next?: T_Output };\nT_Output",
        "class T_Output(TypedDict):\n    next: \"NotRequired[T_Output]\"\nT_Output",
    );
    for broken in [
        "#/$defs/none",
        "https://example.com/schema",
        "file:///etc/passwd",
        "x",
    ] {
        assert!(
            typescript(json!({"$ref": broken})).ends_with("unknown"),
            "{broken}"
        );
    }
    // Circles that say nothing, alone, of two, and through a union.
    check(
        json!({"$ref": "#"}),
        "/** (unresolved reference \"#\") */\n  t: unknown",
        "Any",
    );
    let two = json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}});
    assert!(typescript(two).ends_with("unknown"));
    let union = json!({"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "string"}, {"type": "null"}]}}});
    check(
        union,
        "type T_A = string | null;\nT_A",
        "T_A: TypeAlias = \"str | None\"\nT_A",
    );
}

#[test]
fn chains_of_references_are_followed() {
    let mut definitions = crate::json::Object::new();
    for index in 0..9_999 {
        definitions.insert(
            format!("d{index}"),
            json!({"$ref": (format!("#/$defs/d{}", index + 1))}),
        );
    }
    definitions.insert("d9999", json!({"type": "string"}));
    let text = typescript(json!({"$ref": "#/$defs/d0", "$defs": (Json::Object(definitions))}));
    assert_eq!(text, "type T_D9999 = string;\nT_D9999");
}

// SPEC I4: what types can't say is in the comment.
#[test]
fn comments() {
    let schema = json!({
        "type": "object",
        "properties": {
            "limit": {"type": "integer", "description": "Most results.", "default": 30, "minimum": 1, "maximum": 100},
            "when": {"type": "string", "format": "date-time", "deprecated": true},
            "tags": {"type": "array", "items": {"type": "string", "description": "A tag.", "maxLength": 9}, "examples": [["a"]]},
            "mode": {"oneOf": [{"const": "r", "description": "Only look."}, {"const": "w", "title": "Change."}]},
            "level": {"enum": [1, 2], "enumDescriptions": ["low", "high"]},
        },
    });
    assert_eq!(
        typescript(schema.clone()),
        r#"{
    /** Most results. (default: 30; minimum: 1; maximum: 100) */
    limit?: Integer;
    /** @deprecated (format: date-time) */
    when?: string;
    /** (e.g. ["a"]; each: A tag. (maxLength: 9)) */
    tags?: string[];
    mode?:
      /** Only look. */
      | "r"
      /** Change. */
      | "w";
    level?:
      /** low */
      | 1
      /** high */
      | 2;
  }"#
    );
    assert_eq!(
        python(schema),
        r#"class TOutput(TypedDict):
    # Most results. (default: 30; minimum: 1; maximum: 100)
    limit: NotRequired[int]
    # Deprecated. (format: date-time)
    when: NotRequired[str]
    # (e.g. ["a"]; each: A tag. (maxLength: 9))
    tags: NotRequired[list[str]]
    # - "r": Only look.
    # - "w": Change.
    mode: NotRequired[Literal["r", "w"]]
    # - 1: low
    # - 2: high
    level: NotRequired[Literal[1, 2]]
TOutput"#
    );
}

// SPEC I2: hostile names keep their exact value, and none vanishes behind another.
#[test]
fn names() {
    let parameters =
        json!({"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {}}}}});
    let long = "n".repeat(10_000);
    let names = [
        "get_user",
        "get-user",
        "getUser",
        "get__user",
        "weather.get",
        "weather-get",
        "__proto__",
        "constructor",
        "then",
        "class",
        "await",
        "None",
        "1a",
        "list",
        "",
        "a\"b\\c",
        "line\nbreak",
        "\u{202e}bidi",
        "🦀",
        "ﬁle",
        "ToolArgsMap",
        "GetUserArgs",
        &long,
    ];
    let tools: Vec<_> = names
        .iter()
        .map(|name| tool(name, &parameters, None))
        .collect();
    let text = declarations(TypeScript, &tools);
    for key in [
        "  get_user: ",
        "  \"get-user\": ",
        "  getUser: ",
        "  __proto__: ",
        "  \"1a\": ",
        "  \"\": ",
        "  \"a\\\"b\\\\c\": ",
        "  \"line\\nbreak\": ",
        "  \"\\u202ebidi\": ",
        "  \"🦀\": ",
    ] {
        assert_eq!(text.matches(key).count(), 2, "{key}");
    }
    let text = declarations(Python, &tools);
    for (count, key) in [
        (1, "def get_user("),
        (1, "def getUser("),
        (1, "Literal[\"class\"]"),
        (1, "Literal[\"list\"]"),
        (1, "Literal[\"__proto__\"]"),
        (1, "Literal[\"ﬁle\"]"),
        (1, "def then("),
    ] {
        assert_eq!(text.matches(key).count(), count, "{key}");
    }
    let classes: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("class ")?.split('(').next())
        .collect();
    let unique: std::collections::HashSet<_> = classes.iter().collect();
    assert_eq!(unique.len(), classes.len());
    assert!(
        classes
            .iter()
            .all(|name| name.len() <= 110 && !names.contains(name))
    );
}

// SPEC I2: a description can't leave its comment.
#[test]
fn descriptions_stay_inside() {
    let parameters = json!({"type": "object", "properties": {"a": {"description": "*/ x: string }\u{2028}};\r\n# y\u{0}\u{202e}"}}});
    let tools = [ToolDeclaration {
        name: "t",
        description: "a */ b \"\"\" c \\",
        parameters: &parameters,
        output: None,
    }];
    assert_eq!(
        declarations(TypeScript, &tools),
        "interface ToolArgsMap {\n  /** a *\\/ b \"\"\" c \\ */\n  t: {\n    /**\n     * *\\/ x: string }\n     * };\n     * # y\n     */\n    a?: JsonValue;\n  };\n}\ninterface ToolOutputMap {\n  t: unknown;\n}\n"
    );
    let text = declarations(Python, &tools);
    assert!(
        text.contains("    # */ x: string }\n    # };\n    # # y\n"),
        "{text}"
    );
    assert!(
        text.contains("        \"\"\"a */ b \\\"\\\"\\\" c \\\\\"\"\"\n"),
        "{text}"
    );
}

// SPEC H2: same tools, same bytes, in whatever order they come; another tool only adds lines.
#[test]
fn text_is_stable() {
    let parameters = json!({"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"$ref": "#/$defs/d"}, "c": {"$ref": "#/$defs/d"}}}}, "$defs": {"d": {"type": "object", "properties": {"x": {}}}}});
    let names = [
        "b_tool", "a_tool", "get-user", "c", "get_user", "d.e", "list",
    ];
    for language in [TypeScript, Python, JavaScript] {
        let all: Vec<_> = names
            .iter()
            .map(|name| tool(name, &parameters, Some(&parameters)))
            .collect();
        let text = render(language, &all);
        let mut reversed = all.clone();
        reversed.reverse();
        assert_eq!(text, render(language, &reversed));
        for (left_out, name) in names.iter().enumerate() {
            let mut fewer = all.clone();
            fewer.remove(left_out);
            let fewer = render(language, &fewer);
            let mut lines = text.lines();
            assert!(
                fewer.lines().all(|line| lines.any(|other| other == line)),
                "without {name}"
            );
        }
    }
}

// A tool without arguments is callable, and one bad schema takes no other tool along.
#[test]
fn no_arguments() {
    let (empty, none, bad) = (
        json!({}),
        json!({"type": "object", "properties": {}}),
        json!([1]),
    );
    let tools = [
        tool("a", &empty, None),
        tool("b", &none, None),
        tool("c", &bad, None),
        tool("d", &Json::Null, None),
    ];
    let text = declarations(TypeScript, &tools);
    assert!(
        text.contains("  a: {};\n  b: {};\n  c: unknown;\n  d: {};\n"),
        "{text}"
    );
    let text = declarations(Python, &tools);
    assert!(
        text.contains("async def a(self) -> Any:") && text.contains("async def b(self) -> Any:"),
        "{text}"
    );
    assert!(declarations(TypeScript, &[]).contains("interface ToolArgsMap {\n}"));
}

// SPEC I3: bounded text for boundless schemas, marked where it is cut.
#[test]
fn text_is_bounded() {
    let deep = (0..10_000).fold(json!({"type": "string"}), |inner, level| match level % 3 {
        0 => json!({"type": "array", "items": inner}),
        1 => json!({"type": "object", "properties": {"a": inner}}),
        _ => json!({"anyOf": [inner, {"type": "null"}]}),
    });
    let members: Vec<String> = (0..100_000).map(|index| format!("value{index}")).collect();
    let wide = json!({"type": "string", "enum": (members.clone())});
    let properties: Json = Json::Object(
        (0..10_000)
            .map(|index| (format!("p{index}"), json!({"type": "string"})))
            .collect(),
    );
    let many = json!({"type": "object", "properties": properties});
    let definitions: Json = Json::Object(
        (0..60)
            .map(|level| {
                let next = json!({"$ref": (format!("#/$defs/d{}", level + 1))});
                (
                    format!("d{level}"),
                    json!({"allOf": [next.clone(), next.clone(), {"properties": {"a": next}}]}),
                )
            })
            .collect(),
    );
    let blow_up = json!({"$ref": "#/$defs/d0", "$defs": definitions});
    for schema in [deep, wide, many, blow_up] {
        for language in [TypeScript, Python] {
            let text = declarations(language, &[tool("t", &schema, Some(&schema))]);
            assert!(text.len() < 500_000, "{}", text.len());
        }
    }
    // Where it is cut, it says so.
    let properties: Json = Json::Object(
        (0..10_000)
            .map(|index| (format!("p{index}"), json!({"type": "string"})))
            .collect(),
    );
    let many = json!({"type": "object", "properties": properties});
    for language in [TypeScript, Python] {
        let text = declarations(language, &[tool("t", &many, None)]);
        assert!(
            text.contains("(not shown: 8001 more keys)"),
            "{}",
            &text[text.len() - 300..]
        );
    }
    let text = typescript(json!({"type": "string", "enum": members}));
    assert!(
        text.contains("99800 more values are not shown") && text.ends_with("| string"),
        "{}",
        &text[..200]
    );
}

#[test]
fn fixed_prose_is_complete() {
    for language in [TypeScript, JavaScript, Python] {
        let prose = prose(language);
        for text in [
            prose.run_code_description,
            prose.code_parameter,
            prose.description_parameter,
            prose.code_only_rule,
        ] {
            assert!(
                !text.is_empty() && text.trim() == text && !text.contains('\n'),
                "{text}"
            );
        }
        assert!(prose.run_code_description.contains(language.display_name()));
        assert!(render(language, &[]).starts_with(prose.sdk));
    }
}

proptest! {
    // SPEC I3: never fails.
    #[test]
    fn never_panics(schema in crate::json::tests::any_json(), name in any::<String>(), description in any::<String>()) {
        let tools = [ToolDeclaration { name: &name, description: &description, parameters: &schema, output: Some(&schema) }];
        for language in [TypeScript, Python] {
            prop_assert_eq!(render(language, &tools), render(language, &tools));
        }
    }
}
