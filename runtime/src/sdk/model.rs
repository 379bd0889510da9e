//! The neutral model between a JSON Schema and a language's types.
//!
//! A model is a tree of at most [`MAX_LEVELS`] levels and [`MAX_TYPES`] types, whatever the schema was like. So those who
//! walk it may recurse.

use crate::Json;

/// Levels of nesting that are shown; what is deeper is unknown.
pub(super) const MAX_LEVELS: usize = 48;
/// Types that are shown of one schema; what comes after them is unknown.
pub(super) const MAX_TYPES: usize = 2_000;
/// Members of an enumeration or a union that are shown; the rest is its plain type.
pub(super) const MAX_MEMBERS: usize = 200;

/// A schema as types: the root, and the named types that it refers to.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) root: Described,
    pub(super) named: Vec<Named>,
}

/// A type that others refer to by its name.
#[derive(Debug)]
pub(super) struct Named {
    /// What its author called it. Not unique.
    pub(super) name: String,
    pub(super) described: Described,
}

/// A type and what is said about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Described {
    pub(super) ty: Type,
    pub(super) doc: Doc,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Type {
    /// Nothing is known, or nothing can be said.
    #[default]
    Unknown,
    /// Any JSON, and the schema says so.
    Json,
    /// No value.
    Never,
    Null,
    Boolean,
    Integer,
    Number,
    String,
    /// One scalar value.
    Literal(Json),
    Array(Box<Type>),
    Tuple {
        items: Vec<Type>,
        rest: Option<Box<Type>>,
    },
    Object(ObjectType),
    Union(Vec<Described>),
    Intersection(Vec<Type>),
    /// Index into [`Model::named`].
    Named(usize),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ObjectType {
    pub(super) fields: Vec<Field>,
    pub(super) others: Others,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) required: bool,
    pub(super) described: Described,
}

/// Keys of an object that are not declared.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Others {
    /// The schema does not say.
    #[default]
    Unsaid,
    Forbidden,
    Typed(Box<Type>),
}

/// What goes into a doc comment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Doc {
    pub(super) text: String,
    /// What the type can't say: `default: 30`, `format: uri`.
    pub(super) notes: Vec<String>,
    pub(super) deprecated: bool,
}

impl Doc {
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.notes.is_empty() && !self.deprecated
    }

    /// Text and notes: `Directory path. (default: "/"; format: uri)`.
    pub(super) fn full_text(&self) -> String {
        let mut text = self.text.clone();
        if !self.notes.is_empty() {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push('(');
            text.push_str(&self.notes.join("; "));
            text.push(')');
        }
        text
    }
}

impl Type {
    /// True when it says nothing about a value.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Self::Unknown | Self::Json)
    }

    /// A union of the alternatives: flat, without repetition, bounded.
    pub(super) fn union(alternatives: Vec<Described>) -> Self {
        let mut members: Vec<Described> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let mut plain: Vec<Type> = Vec::new();
        for alternative in alternatives {
            let inner = match alternative.ty {
                Self::Union(inner) if alternative.doc.is_empty() => inner,
                ty => vec![Described {
                    ty,
                    doc: alternative.doc,
                }],
            };
            for member in inner {
                match &member.ty {
                    Self::Never => continue,
                    open if open.is_open() => return member.ty,
                    Self::Literal(literal) => {
                        if members.len() >= MAX_MEMBERS {
                            plain.push(Self::of_literal(literal));
                        } else if seen.insert(literal.to_string()) {
                            members.push(member);
                        }
                    }
                    // Few of them: comparing each with each is cheap.
                    ty => {
                        if members.len() >= MAX_MEMBERS {
                            if !ty.is_bare() {
                                return Self::Unknown;
                            }
                            plain.push(member.ty);
                        } else if !members.iter().any(|other| other.ty == *ty) {
                            members.push(member);
                        }
                    }
                }
            }
        }
        for ty in plain {
            // At most one of each kind.
            if !members.iter().any(|other| other.ty == ty) {
                members.push(Described {
                    ty,
                    doc: Doc::default(),
                });
            }
        }
        if members.iter().any(|member| member.ty == Self::Number) {
            members.retain(|member| member.ty != Self::Integer);
        }
        match members.len() {
            0 => Self::Never,
            1 => members.swap_remove(0).ty,
            _ => Self::Union(members),
        }
    }

    /// What fits all parts. Parts that say nothing are left out.
    pub(super) fn intersection(parts: Vec<Self>) -> Self {
        let mut kept: Vec<Self> = Vec::new();
        for part in parts {
            match part {
                Self::Intersection(inner) => kept.extend(inner),
                part if part.is_open() => {}
                part if kept.contains(&part) => {}
                part => kept.push(part),
            }
        }
        // `string & ("a" | "b")` is `"a" | "b"`.
        let mut index = 0;
        while index < kept.len() {
            let implied = kept[index].is_bare()
                && kept.iter().enumerate().any(|(other, part)| {
                    other != index && part.kinds() & !kept[index].kinds() == 0
                });
            if implied {
                kept.remove(index);
            } else {
                index += 1;
            }
        }
        match kept.len() {
            0 => Self::Unknown,
            1 => kept.swap_remove(0),
            _ => Self::Intersection(kept),
        }
    }

    pub(super) fn of_literal(literal: &Json) -> Self {
        match literal {
            Json::Null => Self::Null,
            Json::Bool(_) => Self::Boolean,
            Json::Number(number) if number.is_integer() => Self::Integer,
            Json::Number(_) => Self::Number,
            Json::String(_) => Self::String,
            Json::Array(_) => Self::Array(Box::new(Self::Json)),
            Json::Object(_) => Self::Object(ObjectType {
                fields: Vec::new(),
                others: Others::Typed(Box::new(Self::Json)),
            }),
        }
    }

    /// True for a type that names nothing but a kind of value.
    fn is_bare(&self) -> bool {
        match self {
            Self::Null | Self::Boolean | Self::Integer | Self::Number | Self::String => true,
            Self::Array(items) => items.is_open(),
            Self::Object(object) => object.fields.is_empty() && object.others == Others::Unsaid,
            Self::Union(members) => members.iter().all(|member| member.ty.is_bare()),
            _ => false,
        }
    }

    /// The kinds of values that may fit, as bits.
    fn kinds(&self) -> u8 {
        match self {
            Self::Never => 0,
            Self::Null => 1,
            Self::Boolean => 2,
            Self::Integer => 4,
            Self::Number => 4 | 8,
            Self::String => 16,
            Self::Array(_) | Self::Tuple { .. } => 32,
            Self::Object(_) => 64,
            Self::Literal(literal) => Self::of_literal(literal).kinds(),
            Self::Union(members) => members
                .iter()
                .fold(0, |kinds, member| kinds | member.ty.kinds()),
            Self::Intersection(parts) => parts
                .iter()
                .fold(u8::MAX, |kinds, part| kinds & part.kinds()),
            Self::Unknown | Self::Json | Self::Named(_) => u8::MAX,
        }
    }
}
