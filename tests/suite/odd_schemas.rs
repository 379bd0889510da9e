//! Tool sets that are hard on the SDK text: real ones, and generated ones with everything that may go wrong.
#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::path::Path;

use lockgate::json::{Array, Object};
use lockgate::sdk::ToolDeclaration;
use lockgate::{Json, json};

/// A tool that owns its texts.
#[derive(Clone, Debug)]
pub(crate) struct OwnedTool {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) parameters: Json,
    pub(crate) output: Option<Json>,
}

impl OwnedTool {
    pub(crate) fn declaration(&self) -> ToolDeclaration<'_> {
        ToolDeclaration {
            name: &self.name,
            description: &self.description,
            parameters: &self.parameters,
            output: self.output.as_ref(),
        }
    }
}

/// Tool schemas of public servers; none where the folder is not there.
pub(crate) fn real_tools() -> Vec<OwnedTool> {
    // Beside the repository, or further up where this is a worktree.
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().skip(1);
    let found = above
        .map(|folder| folder.join("shared/cases/tool-schemas"))
        .find(|folder| folder.is_dir());
    let mut tools = Vec::new();
    let mut folders: Vec<_> = found.into_iter().collect();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        let mut paths: Vec<_> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "json")
            {
                let tool = Json::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
                tools.push(OwnedTool {
                    name: tool["name"].as_str().unwrap_or_default().to_owned(),
                    description: tool["description"].as_str().unwrap_or_default().to_owned(),
                    parameters: tool["inputSchema"].clone(),
                    output: tool.get("outputSchema").cloned(),
                });
            }
        }
    }
    if tools.is_empty() {
        println!(
            "skipped the real tool schemas: there is no folder shared/cases/tool-schemas beside the repository"
        );
    }
    tools
}

/// A small generator: the same seed gives the same tools on every machine.
pub(crate) struct Odd(u64);

const TEXTS: [&str; 24] = [
    "plain words",
    "",
    "*/ }; x",
    "\"\"\" '''",
    "a\\",
    "\\\"",
    "line\nbreak\r\nand\rmore",
    "\u{0}\u{1}\u{7f}\u{85}",
    "\u{2028}\u{2029}",
    "\u{202e}bidi\u{2066}",
    "\u{e0041}\u{e0042}\u{200b}\u{feff}",
    "`${x}`",
    "// x",
    "/* x",
    "# x",
    "@ts-nocheck",
    "'",
    "\"",
    "🦀 ﬁ é ＡＢ",
    "\u{fffd}\u{ffff}",
    "<script>",
    "{}",
    "\t tab",
    "type: ignore",
];
const NAMES: [&str; 34] = [
    "path",
    "value",
    "a",
    "b",
    "c",
    "class",
    "None",
    "await",
    "__proto__",
    "constructor",
    "then",
    "1a",
    "a-b",
    "a_b",
    "aB",
    "list",
    "str",
    "int",
    "Any",
    "Literal",
    "_private",
    "__dunder__",
    "",
    " ",
    "a b",
    "é",
    "ﬁle",
    "🦀",
    "type",
    "self",
    "args",
    "Tools",
    "$ref",
    "toString",
];

impl Odd {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    pub(crate) fn text(&mut self) -> String {
        let mut text = TEXTS[self.below(TEXTS.len())].to_owned();
        while self.one_in(3) {
            text.push_str(TEXTS[self.below(TEXTS.len())]);
        }
        text
    }

    fn name(&mut self) -> String {
        match self.below(6) {
            0 => self.text(),
            1 => format!("{}{}", NAMES[self.below(NAMES.len())], self.below(3)),
            _ => NAMES[self.below(NAMES.len())].to_owned(),
        }
    }

    fn scalar(&mut self) -> Json {
        match self.below(8) {
            0 => Json::Null,
            1 => json!(true),
            2 => json!(self.below(100)),
            3 => json!(9_007_199_254_740_993_u64),
            4 => json!(-1.5e-300),
            5 => json!([{"deep": [1]}]),
            _ => json!(self.text()),
        }
    }

    fn schemas(&mut self, most: usize, level: usize) -> Array {
        (0..1 + self.below(most))
            .map(|_| self.schema(level + 1))
            .collect()
    }

    /// A schema in which every keyword may be well-formed, odd or wrong.
    pub(crate) fn schema(&mut self, level: usize) -> Json {
        if self.one_in(40) {
            return [
                json!(true),
                json!(false),
                json!(null),
                json!([]),
                json!("x"),
                json!(7),
            ][self.below(6)]
            .clone();
        }
        let mut schema = Object::new();
        let deep = level > 5;
        match self.below(if deep { 6 } else { 16 }) {
            0 => _ = schema.insert("type", "string"),
            1 => {
                _ = schema.insert(
                    "type",
                    ["integer", "number", "boolean", "null"][self.below(4)],
                )
            }
            2 => {
                _ = schema.insert(
                    "enum",
                    (0..1 + self.below(5))
                        .map(|_| self.scalar())
                        .collect::<Array>(),
                )
            }
            3 => _ = schema.insert("const", self.scalar()),
            4 => {
                let types = [
                    json!("string"),
                    json!("null"),
                    json!("object"),
                    json!("bogus"),
                    json!(7),
                ];
                schema.insert(
                    "type",
                    types[..1 + self.below(types.len())]
                        .iter()
                        .collect::<Array>(),
                );
            }
            5 => {
                let target = [
                    "#",
                    "#/$defs/a",
                    "#/$defs/b",
                    "#/$defs/c d",
                    "#/$defs/%C3%A9",
                    "#/nowhere",
                    "#anchor",
                    "http://x/y",
                    "file:///x",
                    "",
                    "#/properties/a",
                ];
                schema.insert("$ref", target[self.below(target.len())]);
            }
            6..=8 => {
                schema.insert("type", "object");
                self.properties(&mut schema, level);
            }
            9 => self.properties(&mut schema, level),
            10 => {
                schema.insert("type", "array");
                schema.insert("items", self.schema(level + 1));
            }
            11 => _ = schema.insert("prefixItems", self.schemas(3, level)),
            12 => _ = schema.insert("anyOf", self.schemas(4, level)),
            13 => _ = schema.insert("oneOf", self.schemas(4, level)),
            14 => _ = schema.insert("allOf", self.schemas(3, level)),
            _ => _ = schema.insert("patternProperties", json!({"^x": (self.schema(level + 1))})),
        }
        self.annotations(&mut schema);
        if self.one_in(12) && !deep {
            schema.insert(
                ["anyOf", "oneOf", "allOf"][self.below(3)],
                self.schemas(3, level),
            );
        }
        if self.one_in(20) {
            let keyword = [
                "type",
                "properties",
                "items",
                "required",
                "enum",
                "anyOf",
                "$ref",
                "description",
                "additionalProperties",
            ];
            schema.insert(keyword[self.below(keyword.len())], self.scalar());
        }
        Json::Object(schema)
    }

    fn properties(&mut self, schema: &mut Object, level: usize) {
        let mut properties = Object::new();
        for _ in 0..self.below(5) {
            let property = self.schema(level + 1);
            properties.insert(self.name(), property);
        }
        let mut required: Vec<String> = properties.keys().map(str::to_owned).collect();
        required.retain(|_| self.one_in(2));
        if self.one_in(6) {
            required.push(self.name());
        }
        schema.insert("properties", properties);
        if !required.is_empty() {
            schema.insert("required", Json::from(required));
        }
        match self.below(6) {
            0 => _ = schema.insert("additionalProperties", false),
            1 => _ = schema.insert("additionalProperties", true),
            2 => _ = schema.insert("additionalProperties", self.schema(level + 1)),
            _ => {}
        }
    }

    fn annotations(&mut self, schema: &mut Object) {
        if self.one_in(2) {
            schema.insert("description", self.text());
        }
        for keyword in [
            "title",
            "format",
            "pattern",
            "default",
            "examples",
            "minimum",
            "maxLength",
            "deprecated",
            "nullable",
        ] {
            if self.one_in(10) {
                let value = match keyword {
                    "deprecated" | "nullable" => json!(true),
                    "title" | "format" | "pattern" => json!(self.text()),
                    _ => self.scalar(),
                };
                schema.insert(keyword, value);
            }
        }
    }

    pub(crate) fn tool(&mut self, index: usize) -> OwnedTool {
        let name = if self.one_in(3) {
            format!("{}{index}", self.name())
        } else {
            format!("tool_{index}")
        };
        let mut parameters = self.schema(0);
        if let (Json::Object(object), true) = (&parameters, self.one_in(2)) {
            let mut object = object.clone();
            let definitions = json!({"a": (self.schema(2)), "b": (self.schema(2)), "c d": (self.schema(3)), "é": (self.schema(3))});
            object.insert("$defs", definitions);
            parameters = Json::Object(object);
        }
        let output = (!self.one_in(4)).then(|| self.schema(1));
        OwnedTool {
            name,
            description: self.text(),
            parameters,
            output,
        }
    }
}

/// `count` tools from one seed.
pub(crate) fn odd_tools(seed: u64, count: usize) -> Vec<OwnedTool> {
    let mut odd = Odd::new(seed);
    (0..count).map(|index| odd.tool(index)).collect()
}
