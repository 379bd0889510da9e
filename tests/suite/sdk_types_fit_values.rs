//! SPEC I: the types let through the values that the schema lets through, and stop those that types can stop.
#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::fmt::Write as _;

use lockgate::code_runtime::CodeLanguage::{Python, TypeScript};
use lockgate::sdk::{ToolDeclaration, render};
use lockgate::{Json, json};

use crate::compilers::{Complaint, check_python, check_typescript, has_typescript};

struct Case {
    schema: Json,
    good: Vec<Json>,
    bad: Vec<Json>,
    /// What TypeScript alone can stop.
    bad_in_typescript: Vec<Json>,
}

fn case<const GOOD: usize, const BAD: usize>(
    schema: Json,
    good: [Json; GOOD],
    bad: [Json; BAD],
) -> Case {
    Case {
        schema,
        good: good.into(),
        bad: bad.into(),
        bad_in_typescript: Vec::new(),
    }
}

fn cases() -> Vec<Case> {
    let point = json!({"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}}, "required": ["x"]});
    let either = json!({
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    });
    let tagged = json!({"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}, "required": ["kind", "r"]},
        {"type": "object", "properties": {"kind": {"const": "square"}, "side": {"type": "number"}}, "required": ["kind", "side"]},
    ]});
    let tree = json!({
        "$ref": "#/$defs/tree",
        "$defs": {"tree": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
            "required": ["name"],
        }},
    });
    let composed = json!({"allOf": [
        &point,
        {"type": "object", "properties": {"label": {"type": "string"}}, "required": ["label"]},
    ]});
    let odd = json!({"type": "object", "properties": {"a-b": {"type": "string"}, "class": {"type": "boolean"}, "__proto__": {"type": "null"}}, "required": ["a-b"]});
    vec![
        case(
            json!({"type": "string"}),
            [json!(""), json!("a\u{2028}\"\\")],
            [json!(1), json!(null), json!(["a"])],
        ),
        case(
            json!({"type": "integer"}),
            [json!(1), json!(-3)],
            [json!("1"), json!(null)],
        ),
        case(
            json!({"type": "number"}),
            [json!(1.5), json!(2)],
            [json!("1"), json!([])],
        ),
        case(
            json!({"type": "boolean"}),
            [json!(true), json!(false)],
            [json!("true"), json!(null)],
        ),
        case(
            json!({"type": "null"}),
            [json!(null)],
            [json!("x"), json!(0)],
        ),
        case(
            json!({}),
            [json!(null), json!([1, {"a": "b"}]), json!("x")],
            [],
        ),
        case(
            json!({"type": ["string", "null"]}),
            [json!("a"), json!(null)],
            [json!(1)],
        ),
        case(
            json!({"type": "string", "nullable": true}),
            [json!("a"), json!(null)],
            [json!(1)],
        ),
        case(
            json!({"type": "string", "enum": ["a", "b\n\""]}),
            [json!("a"), json!("b\n\"")],
            [json!("c"), json!(1)],
        ),
        case(
            json!({"enum": ["a", 1, null, true]}),
            [json!("a"), json!(1), json!(null), json!(true)],
            [json!("b"), json!(2)],
        ),
        case(json!({"const": 7}), [json!(7)], [json!(8), json!("7")]),
        case(
            json!({"type": "array", "items": {"type": "string"}}),
            [json!([]), json!(["a"])],
            [json!([1]), json!("a")],
        ),
        case(
            json!({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}),
            [json!(["a", null])],
            [json!([1]), json!(null)],
        ),
        case(
            json!({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}),
            [json!([[1], []])],
            [json!([1])],
        ),
        Case {
            bad_in_typescript: vec![json!([1, "a"]), json!(["a"])],
            ..case(
                json!({"prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false}),
                [json!(["a", 1])],
                [json!("a"), json!([null, null])],
            )
        },
        case(
            point.clone(),
            [json!({"x": 1}), json!({"x": 1, "y": 2.5})],
            [json!({"y": 1}), json!({"x": "1"}), json!([])],
        ),
        case(
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            [json!({}), json!({"a": 1})],
            [json!({"a": "b"})],
        ),
        case(
            json!({"type": "object", "properties": {"in": {"type": "object", "properties": {"deep": {"enum": [1, 2]}}, "required": ["deep"]}}}),
            [json!({}), json!({"in": {"deep": 1}})],
            [json!({"in": {}}), json!({"in": {"deep": 3}})],
        ),
        Case {
            bad_in_typescript: vec![json!({}), json!({"c": "x"})],
            ..case(
                either,
                [
                    json!({"a": "x"}),
                    json!({"b": "x"}),
                    json!({"a": "x", "b": "y"}),
                ],
                [json!({"a": 1})],
            )
        },
        case(
            tagged,
            [
                json!({"kind": "circle", "r": 1}),
                json!({"kind": "square", "side": 1}),
            ],
            [
                json!({"kind": "circle"}),
                json!({"kind": "circle", "r": "1"}),
                json!({"kind": "oval", "r": 1}),
            ],
        ),
        case(
            tree,
            [
                json!({"name": "a"}),
                json!({"name": "a", "children": [{"name": "b", "children": []}]}),
            ],
            [
                json!({"children": []}),
                json!({"name": "a", "children": [{"name": 1}]}),
            ],
        ),
        case(
            composed,
            [json!({"x": 1, "label": "a"})],
            [json!({"x": 1}), json!({"label": "a"})],
        ),
        case(
            odd,
            [json!({"a-b": "x"}), json!({"a-b": "x", "class": true})],
            [json!({}), json!({"a-b": "x", "class": "y"})],
        ),
        case(
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}),
            [json!({}), json!({"a": "x"})],
            [json!({"b": "x"}), json!({"a": 1})],
        ),
        Case {
            // An open object takes more keys; Python has no words for it.
            good: vec![json!({"a": "x"})],
            bad_in_typescript: vec![json!({"a": 1, "b": 1})],
            ..case(
                json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": true}),
                [],
                [json!({"a": 1})],
            )
        },
        case(
            json!({"type": "string", "oneOf": [{"const": "a", "description": "A"}, {"const": "b"}]}),
            [json!("a")],
            [json!("c")],
        ),
        case(
            json!({"oneOf": [{"type": "string"}, point.clone()]}),
            [json!("a"), json!({"x": 1})],
            [json!(1), json!({"x": null})],
        ),
    ]
}

/// The value as an argument, as the start of the list of cases says: under the key `v`.
fn parameters(schema: &Json) -> Json {
    let mut schema = schema.as_object().unwrap().clone();
    let definitions = schema
        .insert("$defs", Json::empty_object())
        .unwrap_or(Json::empty_object());
    let schema: lockgate::json::Object = schema
        .iter()
        .filter(|(key, _)| *key != "$defs")
        .map(|(key, value)| (key, value.clone()))
        .collect();
    json!({"type": "object", "properties": {"v": schema}, "required": ["v"], "$defs": definitions})
}

fn python_literal(value: &Json) -> String {
    match value {
        Json::Null => "None".to_owned(),
        Json::Bool(value) => if *value { "True" } else { "False" }.to_owned(),
        Json::Array(array) => format!(
            "[{}]",
            array
                .iter()
                .map(python_literal)
                .collect::<Vec<_>>()
                .join(", ")
        ),
        Json::Object(object) => {
            let members = object
                .iter()
                .map(|(key, value)| format!("{}: {}", Json::from(key), python_literal(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        scalar => scalar.to_string(),
    }
}

/// The SDK text, then one line per value: the text and, for each line after it, what it is and whether it must be stopped.
fn program(is_python: bool, cases: &[Case]) -> (String, Vec<(usize, bool, String)>) {
    let names: Vec<String> = (0..cases.len()).map(|index| format!("t{index}")).collect();
    let parameters: Vec<Json> = cases.iter().map(|case| parameters(&case.schema)).collect();
    let tools: Vec<ToolDeclaration<'_>> = (0..cases.len())
        .map(|index| ToolDeclaration {
            name: &names[index],
            description: "",
            parameters: &parameters[index],
            output: Some(&cases[index].schema),
        })
        .collect();
    let mut text = render(if is_python { Python } else { TypeScript }, &tools);
    if is_python {
        text.push_str("async def main() -> None:\n");
    }
    let mut lines = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let in_typescript = case.bad_in_typescript.iter().filter(|_| !is_python);
        let values = case.good.iter().map(|value| (value, false));
        // A literal U+2028 would count as a line.
        for (value, is_bad) in values.chain(
            case.bad
                .iter()
                .chain(in_typescript)
                .map(|value| (value, true)),
        ) {
            lines.push((
                text.lines().count() + 1,
                is_bad,
                format!("{} for {}", value, case.schema),
            ));
            _ = if is_python {
                writeln!(
                    text,
                    "    await tools.t{index}({{\"v\": {}}})",
                    python_literal(value)
                )
            } else {
                writeln!(
                    text,
                    "tools.t{index}({{ v: {} }});",
                    value.to_string().replace('\u{2028}', "\\u2028")
                )
            };
            if !is_python {
                lines.push((
                    text.lines().count() + 1,
                    is_bad,
                    format!("{} from {}", value, case.schema),
                ));
                _ = writeln!(
                    text,
                    "((): ToolOutputMap[\"t{index}\"] => ({}))();",
                    value.to_string().replace('\u{2028}', "\\u2028")
                );
            }
        }
    }
    (text, lines)
}

fn compare(lines: &[(usize, bool, String)], complaints: &[Complaint]) {
    let mut wrong = Vec::new();
    for (line, is_bad, what) in lines {
        let complaint = complaints
            .iter()
            .find(|complaint| complaint.line == *line as u64);
        match complaint {
            Some(complaint) if !is_bad => {
                wrong.push(format!("stopped {what}: {}", complaint.message))
            }
            None if *is_bad => wrong.push(format!("let through {what}")),
            _ => {}
        }
    }
    let first = lines.first().map_or(0, |(line, ..)| *line as u64);
    wrong.extend(
        complaints
            .iter()
            .filter(|complaint| complaint.line < first)
            .map(|complaint| format!("{complaint:?}")),
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn in_typescript() {
    if !has_typescript() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (text, lines) = program(false, &cases());
    let file = folder.path().join("fixtures.ts");
    std::fs::write(&file, text).unwrap();
    compare(&lines, &check_typescript(&[file]));
}

#[test]
fn in_python() {
    let folder = tempfile::tempdir().unwrap();
    let (text, lines) = program(true, &cases());
    let file = folder.path().join("fixtures.py");
    std::fs::write(&file, text).unwrap();
    if let Some(complaints) = check_python(&[file]) {
        compare(&lines, &complaints);
    }
}

/// What is asked of a call as a whole: nothing where nothing is needed, and a promise of the value.
#[test]
fn calls_in_typescript() {
    if !has_typescript() {
        return;
    }
    let (none, optional, needed) = (
        json!({}),
        json!({"type": "object", "properties": {"a": {"type": "string"}}}),
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
    );
    let output =
        json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let tool = |name, parameters| ToolDeclaration {
        name,
        description: "",
        parameters,
        output: Some(&output),
    };
    let mut text = render(
        TypeScript,
        &[
            tool("none", &none),
            tool("optional", &optional),
            tool("needed", &needed),
            tool("a-b", &needed),
        ],
    );
    let mut lines = Vec::new();
    for (is_bad, line) in [
        (
            false,
            "tools.none(); tools.none({}); tools.optional(); tools.optional({ a: \"x\" });",
        ),
        (
            false,
            "tools.needed({ a: \"x\" }).then((value): number => value.n);",
        ),
        (
            false,
            "Promise.all([tools.none(), tools[\"a-b\"]({ a: \"x\" })]).then(([a, b]) => a.n + b.n);",
        ),
        (
            false,
            "const error = new ToolCallError(\"x\"); error.toolName.length + error.message.length;",
        ),
        (
            false,
            "const name: ToolName = \"a-b\"; const json: JsonValue = { a: [null, 1, \"x\"] };",
        ),
        (true, "tools.needed();"),
        (true, "tools.needed({ b: 1 });"),
        (true, "tools.optional({ a: 1 });"),
        (true, "tools.unknown();"),
        (true, "tools.none = tools.optional;"),
        (true, "tools.none().n;"),
        (true, "const wrong: ToolName = \"c\";"),
    ] {
        lines.push((text.lines().count() + 1, is_bad, line.to_owned()));
        text.push_str(line);
        text.push('\n');
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("calls.ts");
    std::fs::write(&file, text).unwrap();
    compare(&lines, &check_typescript(&[file]));
}

/// As above; `tools["a-b"]` by subscript.
#[test]
fn calls_in_python() {
    let (none, optional, needed) = (
        json!({}),
        json!({"type": "object", "properties": {"a": {"type": "string"}}}),
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
    );
    let output =
        json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let tool = |name, parameters| ToolDeclaration {
        name,
        description: "",
        parameters,
        output: Some(&output),
    };
    let mut text = render(
        Python,
        &[
            tool("none", &none),
            tool("optional", &optional),
            tool("needed", &needed),
            tool("a-b", &needed),
        ],
    );
    text.push_str("import asyncio\nasync def main() -> None:\n");
    let mut lines = Vec::new();
    for (is_bad, line) in [
        (
            false,
            "await tools.none(); await tools.optional(); await tools.optional({\"a\": \"x\"})",
        ),
        (
            false,
            "n: int = (await tools.needed({\"a\": \"x\"}))[\"n\"]",
        ),
        (
            false,
            "pair = await asyncio.gather(tools.none(), tools[\"a-b\"]({\"a\": \"x\"})); both: int = pair[0][\"n\"] + pair[1][\"n\"]",
        ),
        (true, "await tools.needed()"),
        (true, "await tools.needed({\"b\": 1})"),
        (true, "await tools.unknown()"),
        (true, "wrong: str = (await tools.none())[\"n\"]"),
        (true, "await tools[\"a-b\"]({\"a\": 1})"),
    ] {
        lines.push((text.lines().count() + 1, is_bad, line.to_owned()));
        text.push_str("    ");
        text.push_str(line);
        text.push('\n');
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("calls.py");
    std::fs::write(&file, text).unwrap();
    if let Some(complaints) = check_python(&[file]) {
        compare(&lines, &complaints);
    }
}
