//! Any JSON Schema to the neutral model. Never fails: what can't be typed is unknown.

use std::collections::HashMap;

use super::literal::{clean_text, short_json};
use super::model::{
    Described, Doc, Field, MAX_LEVELS, MAX_MEMBERS, MAX_TYPES, Model, Named, ObjectType, Others,
    Type,
};
use super::notes::read_doc;
use crate::json::{Array, Json, Object};

/// Steps of a chain of references that are followed.
const MAX_HOPS: usize = 10_000;

/// Reads a schema. `root_name` names the root, should the schema refer to it.
pub(super) fn read(schema: &Json, root_name: &str) -> Model {
    let mut reader = Reader {
        root: schema,
        root_name,
        uses: count_references(schema),
        targets: HashMap::new(),
        named: Vec::new(),
        unread: Vec::new(),
        left: MAX_TYPES,
    };
    let root = if reader.uses.contains_key("#") {
        reader.reference("#", 0)
    } else {
        reader.read(schema, 0)
    };
    let mut read: Vec<Option<Described>> = Vec::new();
    while let Some((index, target)) = reader.unread.pop() {
        let described = reader.read(target, 0);
        if read.len() <= index {
            read.resize_with(index + 1, || None);
        }
        read[index] = Some(described);
    }
    read.resize_with(reader.named.len(), || None);
    let named = reader.named.into_iter().zip(read);
    let mut model = Model {
        root,
        named: named
            .map(|(name, described)| Named {
                name,
                described: described.unwrap_or_default(),
            })
            .collect(),
    };
    super::cycles::cut(&mut model);
    model
}

/// How often each `$ref` occurs.
fn count_references(root: &Json) -> HashMap<&str, usize> {
    let mut uses = HashMap::new();
    let mut pending = vec![root];
    while let Some(value) = pending.pop() {
        match value {
            Json::Array(array) => pending.extend(array.iter().filter(|child| child.is_container())),
            Json::Object(object) => {
                if let Some(Json::String(reference)) = object.get("$ref") {
                    *uses.entry(&**reference).or_insert(0) += 1;
                }
                pending.extend(object.values().filter(|child| child.is_container()));
            }
            _ => {}
        }
    }
    uses
}

struct Reader<'a> {
    root: &'a Json,
    root_name: &'a str,
    uses: HashMap<&'a str, usize>,
    /// Where chains of references end.
    targets: HashMap<String, Option<Target<'a>>>,
    named: Vec<String>,
    /// Named types that were referred to and are still to be read.
    unread: Vec<(usize, &'a Json)>,
    left: usize,
}

#[derive(Clone, Copy)]
struct Target<'a> {
    schema: &'a Json,
    /// Index into the named types, or none for what is put in place.
    named: Option<usize>,
}

impl<'a> Reader<'a> {
    /// Reads one schema. Recurses [`MAX_LEVELS`] deep at most.
    fn read(&mut self, schema: &'a Json, level: usize) -> Described {
        let object = match schema {
            Json::Bool(true) => {
                return Described {
                    ty: Type::Json,
                    doc: Doc::default(),
                };
            }
            Json::Bool(false) => {
                return Described {
                    ty: Type::Never,
                    doc: Doc::default(),
                };
            }
            Json::Object(object) => object,
            _ => return Described::default(),
        };
        if level >= MAX_LEVELS || self.left == 0 {
            let mut doc = read_doc(object);
            doc.notes = vec!["not shown: the schema is too large".to_owned()];
            return Described {
                ty: Type::Unknown,
                doc,
            };
        }
        self.left -= 1;
        let mut doc = read_doc(object);
        let mut parts = Vec::new();
        if let Some(Json::String(reference)) = object.get("$ref") {
            let target = self.reference(reference, level);
            if doc.text.is_empty() {
                doc.text = target.doc.text;
            }
            doc.deprecated |= target.doc.deprecated;
            doc.notes.extend(target.doc.notes);
            parts.push(target.ty);
        }
        parts.push(self.base(object, &mut doc, level));
        for keyword in ["oneOf", "anyOf"] {
            if let Some(alternatives) = object
                .get(keyword)
                .and_then(Json::as_array)
                .filter(|array| !array.is_empty())
            {
                parts.push(self.alternatives(alternatives, level));
            }
        }
        for part in object
            .get("allOf")
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
            .take(MAX_MEMBERS)
        {
            let part = self.read(part, level + 1);
            if doc.text.is_empty() {
                doc.text = part.doc.text;
            }
            doc.notes.extend(part.doc.notes);
            parts.push(part.ty);
        }
        let says_nothing = object.keys().all(is_annotation);
        let mut ty = if says_nothing {
            Type::Json
        } else {
            Type::intersection(parts)
        };
        if object.get("nullable") == Some(&Json::Bool(true)) && !ty.is_open() {
            ty = Type::union(vec![plain(ty), plain(Type::Null)]);
        }
        doc.notes.dedup();
        Described { ty, doc }
    }

    /// What `type`, `enum`, `const` and the keywords of one type say.
    fn base(&mut self, object: &'a Object, doc: &mut Doc, level: usize) -> Type {
        if let Some(constant) = object.get("const") {
            return literal(constant, doc);
        }
        let names: Vec<&str> = match object.get("type") {
            Some(Json::String(name)) => vec![name],
            Some(Json::Array(names)) => names.iter().take(16).filter_map(Json::as_str).collect(),
            _ => Vec::new(),
        };
        if let Some(members) = object.get("enum").and_then(Json::as_array) {
            return enumeration(object, members, &names, doc);
        }
        if names.is_empty() {
            let is_object = [
                "properties",
                "additionalProperties",
                "patternProperties",
                "required",
            ]
            .iter()
            .any(|keyword| object.contains_key(keyword));
            let is_array = object.contains_key("items") || object.contains_key("prefixItems");
            return match (is_object, is_array) {
                (true, false) => self.object(object, doc, level),
                (false, true) => self.array(object, doc, level),
                _ => Type::Unknown,
            };
        }
        let alternatives = names.into_iter().map(|name| {
            plain(match name {
                "null" => Type::Null,
                "boolean" => Type::Boolean,
                "integer" => Type::Integer,
                "number" => Type::Number,
                "string" => Type::String,
                "array" => self.array(object, doc, level),
                "object" => self.object(object, doc, level),
                _ => Type::Unknown,
            })
        });
        Type::union(alternatives.collect())
    }

    fn alternatives(&mut self, alternatives: &'a Array, level: usize) -> Type {
        let members = alternatives
            .iter()
            .take(MAX_MEMBERS + 1)
            .map(|alternative| {
                let mut described = self.read(alternative, level + 1);
                let title = alternative.get("title").and_then(Json::as_str);
                if let (true, Some(title), Type::Literal(_)) =
                    (described.doc.text.is_empty(), title, &described.ty)
                {
                    described.doc.text = clean_text(title);
                }
                described
            });
        Type::union(members.collect())
    }

    fn array(&mut self, object: &'a Object, doc: &mut Doc, level: usize) -> Type {
        let (prefix, items) = match (object.get("prefixItems"), object.get("items")) {
            (Some(Json::Array(prefix)), items) => (prefix, items),
            // Drafts before 2020.
            (None, Some(Json::Array(prefix))) => (prefix, object.get("additionalItems")),
            (_, items) => {
                let items = items
                    .map(|items| self.read(items, level + 1))
                    .unwrap_or(plain(Type::Json));
                if !items.doc.is_empty() {
                    let text = items.doc.full_text();
                    doc.notes.push(format!("each: {}", text.replace('\n', " ")));
                }
                return Type::Array(Box::new(items.ty));
            }
        };
        let positions = prefix
            .iter()
            .take(MAX_MEMBERS)
            .map(|item| self.read(item, level + 1).ty)
            .collect();
        let closed = items == Some(&Json::Bool(false))
            || object.get("maxItems").and_then(Json::as_u64) == Some(prefix.len() as u64);
        let rest = match items {
            _ if closed && prefix.len() <= MAX_MEMBERS => None,
            Some(items) => Some(self.read(items, level + 1).ty),
            None => Some(Type::Json),
        };
        Type::Tuple {
            items: positions,
            rest: rest.map(Box::new),
        }
    }

    fn object(&mut self, object: &'a Object, doc: &mut Doc, level: usize) -> Type {
        let required = object.get("required").and_then(Json::as_array);
        let required: std::collections::HashSet<&str> = required
            .into_iter()
            .flatten()
            .filter_map(Json::as_str)
            .collect();
        let properties = object.get("properties").and_then(Json::as_object);
        let mut fields = Vec::new();
        let mut cut = false;
        for (name, property) in properties.into_iter().flatten() {
            if self.left == 0 {
                cut = true;
                let rest = properties.map_or(0, Object::len) - fields.len();
                doc.notes.push(format!("not shown: {rest} more keys"));
                break;
            }
            let mut described = self.read(property, level + 1);
            if described.doc.text.is_empty()
                && let Some(title) = property.get("title").and_then(Json::as_str)
                && !same_words(title, name)
            {
                described.doc.text = clean_text(title);
            }
            fields.push(Field {
                name: name.to_owned(),
                required: required.contains(name),
                described,
            });
        }
        // Demanded, but described elsewhere or nowhere.
        let undeclared = object
            .get("required")
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
            .filter_map(Json::as_str);
        let mut seen = std::collections::HashSet::new();
        for name in undeclared.take(MAX_MEMBERS) {
            if !properties.is_some_and(|properties| properties.contains_key(name))
                && seen.insert(name)
            {
                fields.push(Field {
                    name: name.to_owned(),
                    required: true,
                    described: Described::default(),
                });
            }
        }
        let others = self.others(object, level);
        let others = if cut {
            Others::Typed(Box::new(Type::Unknown))
        } else {
            others
        };
        Type::Object(ObjectType { fields, others })
    }

    fn others(&mut self, object: &'a Object, level: usize) -> Others {
        let patterns = object.get("patternProperties").and_then(Json::as_object);
        let mut types: Vec<Described> = Vec::new();
        for (_, schema) in patterns.into_iter().flatten().take(MAX_MEMBERS) {
            types.push(plain(self.read(schema, level + 1).ty));
        }
        match object
            .get("additionalProperties")
            .or(object.get("unevaluatedProperties"))
        {
            Some(Json::Bool(false)) if types.is_empty() => return Others::Forbidden,
            Some(Json::Bool(false)) => {}
            Some(schema) => types.push(plain(self.read(schema, level + 1).ty)),
            None if types.is_empty() => return Others::Unsaid,
            None => types.push(plain(Type::Json)),
        }
        Others::Typed(Box::new(Type::union(types)))
    }

    /// The type that a `$ref` means.
    fn reference(&mut self, reference: &str, level: usize) -> Described {
        match self.target(reference) {
            None => {
                let notes = vec![format!(
                    "unresolved reference {}",
                    short_json(&reference.into())
                )];
                Described {
                    ty: Type::Unknown,
                    doc: Doc {
                        notes,
                        ..Doc::default()
                    },
                }
            }
            Some(Target {
                named: Some(index), ..
            }) => plain(Type::Named(index)),
            Some(Target {
                schema,
                named: None,
            }) => self.read(schema, level + 1),
        }
    }

    /// Follows a chain of bare references to its end.
    fn target(&mut self, reference: &str) -> Option<Target<'a>> {
        if let Some(known) = self.targets.get(reference) {
            return *known;
        }
        let mut hops: Vec<String> = vec![reference.to_owned()];
        let mut seen = std::collections::HashSet::from([reference.to_owned()]);
        let end = loop {
            let last = hops.last().cloned().unwrap_or_default();
            if let Some(known) = self.targets.get(&last) {
                break *known;
            }
            let Some(schema) = lookup(self.root, &last) else {
                break None;
            };
            let next = schema
                .as_object()
                .filter(|object| object.keys().all(|key| key == "$ref" || is_annotation(key)));
            match next
                .and_then(|object| object.get("$ref"))
                .and_then(Json::as_str)
            {
                Some(next) if hops.len() < MAX_HOPS && seen.insert(next.to_owned()) => {
                    hops.push(next.to_owned())
                }
                // A circle that never says anything.
                Some(_) => break None,
                None => {
                    let once = self.uses.get(&*last).copied() == Some(1) && hops.len() == 1;
                    let in_definitions =
                        last.starts_with("#/$defs/") || last.starts_with("#/definitions/");
                    let named = (!once || !in_definitions).then(|| self.name(&last, schema));
                    break Some(Target { schema, named });
                }
            }
        };
        for hop in hops {
            self.targets.insert(hop, end);
        }
        end
    }

    fn name(&mut self, reference: &str, schema: &'a Json) -> usize {
        let last = reference.rsplit('/').next().unwrap_or_default();
        let name = if reference == "#" {
            self.root_name
        } else {
            last
        };
        self.named.push(name.to_owned());
        self.unread.push((self.named.len() - 1, schema));
        self.named.len() - 1
    }
}

/// The schema at a reference inside the same document. Nothing is ever fetched.
fn lookup<'a>(root: &'a Json, reference: &str) -> Option<&'a Json> {
    let fragment = reference.strip_prefix('#')?;
    if fragment.is_empty() {
        return Some(root);
    }
    if let Some(found) = root.pointer(fragment) {
        return Some(found);
    }
    if fragment.contains('%') {
        return root.pointer(&percent_decoded(fragment)?);
    }
    // An anchor among the definitions.
    ["$defs", "definitions"]
        .iter()
        .filter_map(|keyword| root.get(keyword)?.as_object())
        .find_map(|definitions| {
            definitions
                .values()
                .find(|schema| schema.get("$anchor").and_then(Json::as_str) == Some(fragment))
        })
}

fn percent_decoded(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while index < bytes.len() {
        let escaped = (bytes[index] == b'%')
            .then(|| text.get(index + 1..index + 3))
            .flatten();
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                index += 3;
            }
            None => {
                out.push(bytes[index]);
                index += 1;
            }
        }
    }
    String::from_utf8(out).ok()
}

/// Keywords that say nothing about which values fit.
fn is_annotation(keyword: &str) -> bool {
    matches!(
        keyword,
        "description"
            | "title"
            | "default"
            | "examples"
            | "example"
            | "deprecated"
            | "readOnly"
            | "writeOnly"
            | "$comment"
            | "$schema"
            | "$id"
            | "$anchor"
            | "$defs"
            | "definitions"
            | "nullable"
    ) || keyword.starts_with("x-")
}

fn plain(ty: Type) -> Described {
    Described {
        ty,
        doc: Doc::default(),
    }
}

/// A constant. Containers and very long texts are their plain type, with a note.
fn literal(value: &Json, doc: &mut Doc) -> Type {
    let too_long = value.as_str().is_some_and(|text| text.len() > 1_000);
    if value.is_container() || too_long {
        doc.notes.push(format!("always {}", short_json(value)));
        return Type::of_literal(value);
    }
    Type::Literal(value.clone())
}

fn enumeration(object: &Object, members: &Array, types: &[&str], doc: &mut Doc) -> Type {
    let texts = [
        "enumDescriptions",
        "x-enum-descriptions",
        "x-enumDescriptions",
        "enumNames",
    ]
    .iter()
    .find_map(|keyword| object.get(keyword)?.as_array());
    let fits = |member: &Json| {
        types.is_empty()
            || types.iter().any(|ty| match *ty {
                "integer" => member.as_number().is_some_and(|number| number.is_integer()),
                ty => member.type_name() == ty,
            })
    };
    let any_fits = members.iter().take(MAX_MEMBERS).any(fits);
    let mut alternatives = Vec::new();
    for (index, member) in members.iter().enumerate() {
        if index >= MAX_MEMBERS {
            doc.notes.push(format!(
                "{} more values are not shown",
                members.len() - MAX_MEMBERS
            ));
            let mut kinds: Vec<Type> = Vec::new();
            for member in members.iter().skip(MAX_MEMBERS) {
                let kind = Type::of_literal(member);
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
            alternatives.extend(kinds.into_iter().map(plain));
            break;
        }
        if any_fits && !fits(member) {
            continue;
        }
        let text = texts
            .and_then(|texts| texts.get(index))
            .and_then(Json::as_str)
            .map(clean_text);
        let member_doc = Doc {
            text: text.unwrap_or_default(),
            ..Doc::default()
        };
        alternatives.push(Described {
            ty: literal(member, doc),
            doc: member_doc,
        });
    }
    Type::union(alternatives)
}

/// True for `Max Results` and `max_results`.
fn same_words(left: &str, right: &str) -> bool {
    let letters = |text: &str| {
        text.chars()
            .filter(|character| character.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect::<String>()
    };
    letters(left) == letters(right)
}
