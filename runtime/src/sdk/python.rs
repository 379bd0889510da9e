//! The model as Python: typed dictionaries and one protocol.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::literal::{Escapes, clean_text, quote};
use super::model::{Described, Doc, Field, MAX_TYPES, Model, ObjectType, Others, Type};
use super::names::{TypeNames, is_ascii_identifier, pascal_case, tool_prefix};
use super::{Part, ToolDeclaration, read, takes_nothing};
use crate::Json;

/// Names that the fixed part and the language own.
const RESERVED: [&str; 13] = [
    "Any",
    "Awaitable",
    "Callable",
    "Literal",
    "NotRequired",
    "Protocol",
    "TypeAlias",
    "TypedDict",
    "Tools",
    "ToolCallError",
    "Type",
    "None",
    "True",
];
/// Types that annotations use: a member of the same name would hide them.
const ANNOTATIONS: [&str; 6] = ["bool", "dict", "float", "int", "list", "str"];
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];
/// Brackets that Python's parser takes inside each other, with room to spare (it takes 200).
const MAX_BRACKETS: usize = 60;

/// What each of the tools, which come sorted, adds to the text: its types, its method or its subscript.
pub(super) fn parts(tools: &[&ToolDeclaration<'_>]) -> Vec<Part> {
    let own = tools.iter().map(|tool| tool.name);
    let mut names = TypeNames::reserving(RESERVED.into_iter().chain(own));
    tools
        .iter()
        .map(|tool| render_tool(tool, &mut names))
        .collect()
}

/// The source text that the parts make.
pub(super) fn assemble(parts: &[&Part]) -> String {
    let mut text = String::new();
    parts.iter().for_each(|part| text.push_str(&part.types));
    text.push_str("class Tools(Protocol):\n");
    if parts.is_empty() {
        text.push_str("    pass\n");
    }
    parts.iter().for_each(|part| text.push_str(&part.members));
    parts.iter().for_each(|part| text.push_str(&part.more));
    if parts.iter().any(|part| !part.more.is_empty()) {
        // Python wants two overloads or none.
        text.push_str("    @overload\n    def __getitem__(self, name: str) -> Callable[..., Awaitable[Any]]: ...\n");
    }
    text.push_str("tools: Tools\n");
    text
}

fn render_tool(tool: &ToolDeclaration<'_>, names: &mut TypeNames) -> Part {
    let mut part = Part::default();
    let signature = signature(tool, names, &mut part.types);
    let text = [clean_text(tool.description), signature.returns]
        .join("\n")
        .trim()
        .to_owned();
    if is_plain_member(tool.name) {
        let argument = match signature.argument {
            Some(ty) if signature.optional => format!(", args: {ty} = {{}}"),
            Some(ty) => format!(", args: {ty}"),
            None => String::new(),
        };
        let name = tool.name;
        _ = writeln!(
            part.members,
            "    async def {name}(self{argument}) -> {}:",
            signature.output
        );
        write_docstring(&text, 8, &mut part.members);
    } else {
        let argument = match signature.argument {
            Some(ty) if !signature.optional => format!("[{ty}]"),
            Some(_) | None => "...".to_owned(),
        };
        _ = writeln!(
            part.more,
            "    @overload\n    def __getitem__(self, name: Literal[{}]) -> Callable[{argument}, Awaitable[{}]]:",
            quote(tool.name, Escapes::EightDigits),
            signature.output
        );
        write_docstring(&text, 8, &mut part.more);
    }
    part
}

struct Signature {
    /// None when there is nothing to pass.
    argument: Option<String>,
    optional: bool,
    output: String,
    /// A line about the output, or nothing.
    returns: String,
}

fn signature(tool: &ToolDeclaration<'_>, names: &mut TypeNames, types: &mut String) -> Signature {
    let prefix = tool_prefix(tool.name);
    let arguments = read::read(tool.parameters, "Args");
    let mut writer = Writer::new(&arguments, &prefix, names, types);
    let is_empty =
        |object: &ObjectType| object.fields.is_empty() && object.others == Others::Forbidden;
    let nothing = takes_nothing(tool, &arguments)
        || matches!(&arguments.root.ty, Type::Object(object) if is_empty(object));
    let (argument, optional) = if nothing {
        (None, true)
    } else {
        let ty = &arguments.root.ty;
        let optional = match ty {
            Type::Object(object) => object.fields.iter().all(|field| !field.required),
            ty => ty.is_open(),
        };
        (Some(writer.ty(ty, &format!("{prefix}Args"), 0)), optional)
    };
    let cut = arguments
        .root
        .doc
        .notes
        .iter()
        .find(|note| note.starts_with("not shown"));
    let mut returns = cut.map_or(String::new(), |note| format!("({note})"));
    let output = match tool.output {
        None => "Any".to_owned(),
        Some(schema) => {
            let model = read::read(schema, "Output");
            if !model.root.doc.is_empty() {
                returns.push_str(&format!("\nReturns: {}", model.root.doc.full_text()));
            }
            let mut writer = Writer::new(&model, &prefix, names, types);
            writer.ty(&model.root.ty, &format!("{prefix}Output"), 0)
        }
    };
    Signature {
        argument,
        optional,
        output,
        returns,
    }
}

struct Writer<'a> {
    model: &'a Model,
    named: Vec<String>,
    names: &'a mut TypeNames,
    /// Finished classes, nested ones first.
    out: &'a mut String,
    /// Classes that may still be written.
    left: usize,
    /// A named type was spoken of since this was last reset.
    mentions_named: bool,
    /// Named types whose members are being written as part of another class.
    merging: Vec<usize>,
}

impl<'a> Writer<'a> {
    /// Names the model's named types and writes them out.
    fn new(model: &'a Model, prefix: &str, names: &'a mut TypeNames, out: &'a mut String) -> Self {
        let named = model
            .named
            .iter()
            .map(|named| names.claim(format!("{prefix}_{}", pascal_case(&named.name))))
            .collect();
        let mut writer = Self {
            model,
            named,
            names,
            out,
            left: MAX_TYPES,
            mentions_named: false,
            merging: Vec::new(),
        };
        for (index, named) in model.named.iter().enumerate() {
            let name = writer.named[index].clone();
            if let Type::Object(object) = &named.described.ty
                && !object.fields.is_empty()
            {
                writer.class(object, &named.described.doc, &name);
            } else {
                let ty = writer.ty(&named.described.ty, &format!("{name}_"), 0);
                write_comment(&named.described.doc, 0, writer.out);
                // As text, because it may speak of types that come later, itself among them.
                _ = writeln!(
                    writer.out,
                    "{name}: TypeAlias = {}",
                    quote(&ty, Escapes::EightDigits)
                );
            }
        }
        writer
    }

    /// Recurses as deep as the model, which is bounded. `suggestion` names a class, should one be needed.
    fn ty(&mut self, ty: &Type, suggestion: &str, brackets: usize) -> String {
        if brackets > MAX_BRACKETS {
            return "Any".to_owned();
        }
        match ty {
            Type::Unknown | Type::Json | Type::Never => "Any".to_owned(),
            Type::Null => "None".to_owned(),
            Type::Boolean => "bool".to_owned(),
            Type::Integer => "int".to_owned(),
            Type::Number => "float".to_owned(),
            Type::String => "str".to_owned(),
            Type::Literal(value) => literal(value)
                .map_or_else(|plain| plain.to_owned(), |text| format!("Literal[{text}]")),
            Type::Named(index) => {
                self.mentions_named = true;
                self.named
                    .get(*index)
                    .map_or("Any", String::as_str)
                    .to_owned()
            }
            Type::Array(items) => format!(
                "list[{}]",
                self.ty(items, &format!("{suggestion}_Item"), brackets + 1)
            ),
            Type::Tuple { items, rest } => {
                let items = items.iter().chain(rest.as_deref());
                let members = items
                    .map(|ty| Described {
                        ty: ty.clone(),
                        doc: Doc::default(),
                    })
                    .collect();
                let union = Type::union(members);
                format!(
                    "list[{}]",
                    self.ty(&union, &format!("{suggestion}_Item"), brackets + 1)
                )
            }
            Type::Object(object) if object.fields.is_empty() => match &object.others {
                Others::Typed(ty) => format!(
                    "dict[str, {}]",
                    self.ty(ty, &format!("{suggestion}_Value"), brackets + 1)
                ),
                Others::Unsaid | Others::Forbidden => "dict[str, Any]".to_owned(),
            },
            Type::Object(object) => {
                if self.left == 0 {
                    return "dict[str, Any]".to_owned();
                }
                let name = self.names.claim(bounded(suggestion));
                self.class(object, &Doc::default(), &name);
                name
            }
            Type::Union(members) => self.union(members, suggestion, brackets),
            Type::Intersection(parts) => self.intersection(parts, suggestion, brackets),
        }
    }

    /// The objects among the parts become one class: Python has no intersections.
    fn intersection(&mut self, parts: &[Type], suggestion: &str, brackets: usize) -> String {
        let within = parts.iter().filter_map(|part| match part {
            Type::Named(index) => Some(*index),
            _ => None,
        });
        // A named type whose own members are merged with it again has no end: there its name must do.
        let again = within.clone().find(|index| self.merging.contains(index));
        match self.merged(parts) {
            Some(object) if again.is_none() => {
                let before = self.merging.len();
                self.merging.extend(within);
                let text = self.ty(&Type::Object(object), suggestion, brackets);
                self.merging.truncate(before);
                text
            }
            _ => {
                let part = again
                    .map(Type::Named)
                    .or_else(|| parts.first().cloned())
                    .unwrap_or_default();
                self.ty(&part, suggestion, brackets)
            }
        }
    }

    fn union(&mut self, members: &[Described], suggestion: &str, brackets: usize) -> String {
        let mut literals = Vec::new();
        let mut parts: Vec<String> = Vec::new();
        for (index, member) in members.iter().enumerate() {
            match &member.ty {
                Type::Literal(value) => match literal(value) {
                    Ok(text) => literals.push(text),
                    Err(plain) => parts.push(plain.to_owned()),
                },
                ty => parts.push(self.ty(ty, &format!("{suggestion}_{}", index + 1), brackets)),
            }
        }
        if !literals.is_empty() {
            parts.insert(0, format!("Literal[{}]", literals.join(", ")));
        }
        let mut seen = HashSet::new();
        parts.retain(|part| seen.insert(part.clone()));
        // `X | Any` says no more than `Any`.
        if parts.iter().any(|part| part == "Any") {
            "Any".to_owned()
        } else {
            parts.join(" | ")
        }
    }

    fn merged(&self, parts: &[Type]) -> Option<ObjectType> {
        let mut merged: Option<ObjectType> = None;
        for part in parts {
            let object = match part {
                Type::Object(object) => object,
                Type::Named(index) => match &self.model.named.get(*index)?.described.ty {
                    Type::Object(object) => object,
                    _ => continue,
                },
                _ => continue,
            };
            let merged = merged.get_or_insert_default();
            for field in &object.fields {
                match merged
                    .fields
                    .iter_mut()
                    .find(|other| other.name == field.name)
                {
                    Some(other) => {
                        other.required |= field.required;
                        if other.described.ty.is_open() {
                            other.described = field.described.clone();
                        }
                    }
                    None => merged.fields.push(field.clone()),
                }
            }
        }
        merged
    }

    fn class(&mut self, object: &ObjectType, doc: &Doc, name: &str) {
        self.left = self.left.saturating_sub(1);
        let outer = std::mem::take(&mut self.mentions_named);
        let mut fields: Vec<(&Field, String)> = Vec::with_capacity(object.fields.len());
        for field in &object.fields {
            self.mentions_named = false;
            let ty = self.ty(
                &field.described.ty,
                &format!("{name}_{}", pascal_case(&field.name)),
                2,
            );
            let ty = if field.required {
                ty
            } else {
                format!("NotRequired[{ty}]")
            };
            // As text, because a named type may come later, or be this very one.
            fields.push((
                field,
                if self.mentions_named {
                    quote(&ty, Escapes::EightDigits)
                } else {
                    ty
                },
            ));
        }
        self.mentions_named = outer;
        let out = &mut *self.out;
        write_comment(doc, 0, out);
        let is_plain = fields
            .iter()
            .all(|(field, _)| is_plain_member(&field.name) && !RESERVED.contains(&&*field.name));
        _ = if is_plain {
            writeln!(out, "class {name}(TypedDict):")
        } else {
            writeln!(out, "{name} = TypedDict(\"{name}\", {{")
        };
        for (field, ty) in &fields {
            write_field_comment(&field.described, out);
            _ = if is_plain {
                writeln!(out, "    {}: {ty}", field.name)
            } else {
                writeln!(
                    out,
                    "    {}: {ty},",
                    quote(&field.name, Escapes::EightDigits)
                )
            };
        }
        if !is_plain {
            out.push_str("})\n");
        }
    }
}

/// A class name of bounded length.
fn bounded(name: &str) -> String {
    if name.len() <= 100 {
        name.to_owned()
    } else {
        name[..100].to_owned()
    }
}

/// True for what can stand after `tools.`, and in a class body, without a surprise. Python reads names in their NFKC form, so
/// that only ASCII is what it seems; in a class, `__x` is another name.
fn is_plain_member(name: &str) -> bool {
    is_ascii_identifier(name)
        && !name.starts_with('_')
        && !KEYWORDS.contains(&name)
        && !ANNOTATIONS.contains(&name)
}

/// The inside of a `Literal`, or the plain type where there is no such literal.
fn literal(value: &Json) -> Result<String, &'static str> {
    match value {
        Json::Null => Ok("None".to_owned()),
        Json::Bool(true) => Ok("True".to_owned()),
        Json::Bool(false) => Ok("False".to_owned()),
        Json::String(text) => Ok(quote(text, Escapes::EightDigits)),
        Json::Number(number) if number.as_i64().is_some() || number.as_u64().is_some() => {
            Ok(number.to_string())
        }
        Json::Number(_) => Err("float"),
        Json::Array(_) => Err("list[Any]"),
        Json::Object(_) => Err("dict[str, Any]"),
    }
}

fn write_field_comment(described: &Described, out: &mut String) {
    write_comment(&described.doc, 4, out);
    if let Type::Union(members) = &described.ty {
        for member in members {
            if let (Type::Literal(value), false) = (&member.ty, member.doc.is_empty()) {
                let text = member.doc.full_text().replace('\n', " ");
                let value = literal(value).unwrap_or_default();
                _ = writeln!(out, "    # - {value}: {text}");
            }
        }
    }
}

fn write_comment(doc: &Doc, spaces: usize, out: &mut String) {
    let text = doc.full_text();
    let deprecated = if doc.deprecated { "Deprecated. " } else { "" };
    for line in format!("{deprecated}{text}").trim().lines() {
        out.extend(std::iter::repeat_n(' ', spaces));
        // A comment that starts with `type:` means something to type checkers.
        let line = match line.trim_start().strip_prefix("type:") {
            Some(rest) => format!("type :{rest}"),
            None => line.to_owned(),
        };
        _ = writeln!(out, "{}", format!("# {line}").trim_end());
    }
}

/// A method's body: its docstring, or an ellipsis.
fn write_docstring(text: &str, spaces: usize, out: &mut String) {
    let margin = " ".repeat(spaces);
    if text.is_empty() {
        _ = writeln!(out, "{margin}...");
        return;
    }
    let mut text = text.replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"");
    if text.ends_with('"') {
        text.insert(text.len() - 1, '\\');
    }
    _ = write!(out, "{margin}\"\"\"");
    for (index, line) in text.lines().enumerate() {
        if index > 0 {
            out.push('\n');
            out.push_str(if line.is_empty() { "" } else { &margin });
        }
        out.push_str(line);
    }
    if text.contains('\n') {
        _ = write!(out, "\n{margin}");
    }
    out.push_str("\"\"\"\n");
}
