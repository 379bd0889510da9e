//! The model as TypeScript.

use std::fmt::Write as _;

use super::literal::{Escapes, quote};
use super::model::{Described, Doc, Field, Model, ObjectType, Others, Type};
use super::names::{TypeNames, is_ascii_identifier, pascal_case, tool_prefix};
use super::{Part, ToolDeclaration, read, takes_nothing};
use crate::Json;

/// Names that the fixed part and the language own.
const RESERVED: [&str; 7] = [
    "Integer",
    "JsonValue",
    "ToolArgsMap",
    "ToolOutputMap",
    "ToolName",
    "ToolCallError",
    "Type",
];
/// Columns of an object or a union that is still written on one line.
const LINE: usize = 80;

/// What each of the tools, which come sorted, adds to the text: its types, its arguments, its output.
pub(super) fn parts(tools: &[&ToolDeclaration<'_>]) -> Vec<Part> {
    let mut names = TypeNames::reserving(RESERVED);
    tools
        .iter()
        .map(|tool| render_tool(tool, &mut names))
        .collect()
}

/// The source text that the parts make.
pub(super) fn assemble(parts: &[&Part]) -> String {
    let mut text = String::new();
    parts.iter().for_each(|part| text.push_str(&part.types));
    text.push_str("interface ToolArgsMap {\n");
    parts.iter().for_each(|part| text.push_str(&part.members));
    text.push_str("}\ninterface ToolOutputMap {\n");
    parts.iter().for_each(|part| text.push_str(&part.more));
    text.push_str("}\n");
    text
}

fn render_tool(tool: &ToolDeclaration<'_>, names: &mut TypeNames) -> Part {
    let prefix = tool_prefix(tool.name);
    let key = property_key(tool.name);
    let mut part = Part::default();

    let arguments = read::read(tool.parameters, "Args");
    let writer = Writer::new(&arguments, &prefix, names, &mut part.types);
    let mut doc = Doc {
        text: super::literal::clean_text(tool.description),
        ..Doc::default()
    };
    doc.notes.extend(
        arguments
            .root
            .doc
            .notes
            .iter()
            .filter(|note| note.starts_with("not shown"))
            .cloned(),
    );
    write_doc(&doc, 1, &mut part.members);
    let ty = if takes_nothing(tool, &arguments) {
        "{}".to_owned()
    } else {
        writer.ty(&arguments.root.ty, 1, Context::Union)
    };
    _ = writeln!(part.members, "  {};", typed(&key, ":", &ty));

    let any = Json::Bool(true);
    let output = read::read(tool.output.unwrap_or(&any), "Output");
    let writer = Writer::new(&output, &prefix, names, &mut part.types);
    write_doc(&output.root.doc, 1, &mut part.more);
    let ty = if tool.output.is_some() {
        writer.ty(&output.root.ty, 1, Context::Union)
    } else {
        "unknown".to_owned()
    };
    _ = writeln!(part.more, "  {};", typed(&key, ":", &ty));
    part
}

/// What stands around a type, loosest first: a tighter one needs parentheses around a looser type.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Context {
    Union,
    Intersection,
    Element,
}

struct Writer {
    /// The names of the model's named types.
    named: Vec<String>,
}

impl Writer {
    /// Names the model's named types and writes them out.
    fn new(model: &Model, prefix: &str, names: &mut TypeNames, out: &mut String) -> Self {
        let name = |named: &super::model::Named| {
            names.claim(format!("{prefix}_{}", pascal_case(&named.name)))
        };
        let writer = Self {
            named: model.named.iter().map(name).collect(),
        };
        for (name, named) in writer.named.iter().zip(&model.named) {
            write_doc(&named.described.doc, 0, out);
            let ty = writer.ty(&named.described.ty, 0, Context::Union);
            _ = writeln!(out, "type {};", typed(name, " =", &ty));
        }
        writer
    }

    /// Recurses as deep as the model, which is bounded.
    fn ty(&self, ty: &Type, level: usize, context: Context) -> String {
        match ty {
            Type::Unknown => "unknown".to_owned(),
            Type::Json => "JsonValue".to_owned(),
            Type::Never => "never".to_owned(),
            Type::Null => "null".to_owned(),
            Type::Boolean => "boolean".to_owned(),
            Type::Integer => "Integer".to_owned(),
            Type::Number => "number".to_owned(),
            Type::String => "string".to_owned(),
            Type::Literal(value) => literal(value),
            Type::Named(index) => self
                .named
                .get(*index)
                .map_or("unknown", String::as_str)
                .to_owned(),
            Type::Array(items) => format!("{}[]", self.ty(items, level, Context::Element)),
            Type::Tuple { items, rest } => {
                let mut parts: Vec<String> = items
                    .iter()
                    .map(|item| self.ty(item, level, Context::Union))
                    .collect();
                if let Some(rest) = rest {
                    parts.push(format!("...{}[]", self.ty(rest, level, Context::Element)));
                }
                format!("[{}]", parts.join(", "))
            }
            Type::Object(object) => self.object(object, level),
            Type::Union(members) => self.union(members, level, context),
            Type::Intersection(parts) => {
                let parts: Vec<String> = parts
                    .iter()
                    .map(|part| self.ty(part, level, Context::Intersection))
                    .collect();
                parenthesised(parts.join(" & "), context > Context::Intersection)
            }
        }
    }

    fn union(&self, members: &[Described], level: usize, context: Context) -> String {
        let parenthesise = context > Context::Union;
        if members.iter().all(|member| member.doc.is_empty()) {
            let members: Vec<String> = members
                .iter()
                .map(|member| self.ty(&member.ty, level, Context::Intersection))
                .collect();
            return parenthesised(members.join(" | "), parenthesise);
        }
        let mut out = String::new();
        for member in members {
            out.push('\n');
            write_doc(&member.doc, level + 1, &mut out);
            indent(level + 1, &mut out);
            let ty = self.ty(&member.ty, level + 1, Context::Intersection);
            _ = write!(out, "| {ty}");
        }
        if parenthesise {
            out.push('\n');
            indent(level, &mut out);
        }
        parenthesised(out, parenthesise)
    }

    fn object(&self, object: &ObjectType, level: usize) -> String {
        let others = match &object.others {
            Others::Unsaid if object.fields.is_empty() => Some("JsonValue".to_owned()),
            Others::Unsaid | Others::Forbidden => None,
            // Declared members need not fit the type of the others, so that only `unknown` holds for all.
            Others::Typed(_) if !object.fields.is_empty() => Some("unknown".to_owned()),
            Others::Typed(ty) => Some(self.ty(ty, level + 1, Context::Union)),
        };
        if object.fields.is_empty() && others.is_none() {
            return "Record<string, never>".to_owned();
        }
        let mut members: Vec<(Option<&Doc>, String)> = object
            .fields
            .iter()
            .map(|field| (Some(&field.described.doc), self.field(field, level + 1)))
            .collect();
        members.extend(others.map(|ty| (None, format!("[key: string]: {ty}"))));
        let has_docs = members
            .iter()
            .any(|(doc, _)| doc.is_some_and(|doc| !doc.is_empty()));
        let width: usize = members.iter().map(|(_, text)| text.len() + 2).sum();
        if !has_docs && width <= LINE && !members.iter().any(|(_, text)| text.contains('\n')) {
            let members: Vec<String> = members.into_iter().map(|(_, text)| text).collect();
            return format!("{{ {} }}", members.join("; "));
        }
        let mut out = String::from("{\n");
        for (doc, text) in members {
            if let Some(doc) = doc {
                write_doc(doc, level + 1, &mut out);
            }
            indent(level + 1, &mut out);
            _ = writeln!(out, "{text};");
        }
        indent(level, &mut out);
        out.push('}');
        out
    }

    fn field(&self, field: &Field, level: usize) -> String {
        let mark = if field.required { "" } else { "?" };
        let ty = self.ty(&field.described.ty, level, Context::Union);
        typed(&format!("{}{mark}", property_key(&field.name)), ":", &ty)
    }
}

/// `name: type`, where the type may begin on its own line.
fn typed(name: &str, sign: &str, ty: &str) -> String {
    let space = if ty.starts_with('\n') { "" } else { " " };
    format!("{name}{sign}{space}{ty}")
}

fn parenthesised(text: String, parenthesise: bool) -> String {
    if parenthesise {
        format!("({text})")
    } else {
        text
    }
}

fn literal(value: &Json) -> String {
    match value {
        Json::String(text) => quote(text, Escapes::Braces),
        // JavaScript would read another number.
        Json::Number(number) if !number.fits_f64_exactly() => "number".to_owned(),
        other => other.to_string(),
    }
}

fn property_key(name: &str) -> String {
    if is_ascii_identifier(&name.replace('$', "_")) {
        name.to_owned()
    } else {
        quote(name, Escapes::Braces)
    }
}

fn indent(level: usize, out: &mut String) {
    out.extend(std::iter::repeat_n("  ", level));
}

fn write_doc(doc: &Doc, level: usize, out: &mut String) {
    if doc.is_empty() {
        return;
    }
    let mut text = doc.full_text().replace("*/", "*\\/");
    if doc.deprecated {
        text = format!("@deprecated {text}").trim_end().to_owned();
    }
    indent(level, out);
    if text.contains('\n') {
        out.push_str("/**\n");
        for line in text.lines() {
            indent(level, out);
            _ = writeln!(out, "{}", format!(" * {line}").trim_end());
        }
        indent(level, out);
        out.push_str(" */\n");
    } else {
        _ = writeln!(out, "/** {text} */");
    }
}
