//! Values as people read them, in the manner of Node's console. Reads data properties, classes and the engine's own
//! accessors only, so that no getter, proxy or `toString` of the program runs.

use crate::engine::{Atom, Class, Keys, Kind, PromiseState, Slot, Value};
use crate::failure;
use crate::realm::realm;
use lockgate_guest_core::text::{prefix, shorten};

/// Levels that are shown below the first.
const MAX_DEPTH: usize = 4;
/// Elements or members of one container that are shown.
const MAX_ENTRIES: usize = 100;
/// A container that fits into this many characters stays on one line.
const LINE_WIDTH: usize = 76;

/// A readable text of at most about `max_bytes`.
pub(crate) fn inspect(value: &Value, max_bytes: usize) -> String {
    let mut inspector = Inspector {
        budget: max_bytes,
        open: Vec::new(),
    };
    let text = inspector.value(value, 0, false);
    shorten(&text, max_bytes).into_owned()
}

struct Inspector {
    /// Bytes that may still be made.
    budget: usize,
    /// Containers around the present value.
    open: Vec<Value>,
}

impl Inspector {
    /// `quoted` tells a string within a container from one that stands alone.
    fn value(&mut self, value: &Value, indent: usize, quoted: bool) -> String {
        let text = match value.kind() {
            Kind::Undefined => "undefined".into(),
            Kind::Null => "null".into(),
            Kind::Bool(bool) => bool.to_string(),
            Kind::Int(int) => int.to_string(),
            Kind::Float(float) if float == 0.0 => {
                if float.is_sign_negative() { "-0" } else { "0" }.into()
            }
            Kind::Float(_) => primitive_text(value),
            Kind::BigInt => format!("{}n", primitive_text(value)),
            Kind::String if quoted => quote(&self.cut(value.to_text_within(self.budget))),
            Kind::String => value.to_text_within(self.budget),
            Kind::Symbol => symbol_text(value),
            Kind::Object => self.object(value, indent),
            Kind::Internal => String::new(),
        };
        self.budget = self.budget.saturating_sub(text.len());
        text
    }

    fn cut(&self, text: String) -> String {
        shorten(&text, self.budget).into_owned()
    }

    fn object(&mut self, value: &Value, indent: usize) -> String {
        if self.open.iter().any(|open| open.is_same_object(value)) {
            return "[Circular]".into();
        }
        let class = value.class();
        if class == Class::Proxy {
            // As Node does: a proxy shows its target.
            let target = value
                .proxy_target()
                .filter(|target| target.class() != Class::Proxy);
            return target.map_or_else(|| "[Proxy]".into(), |target| self.object(&target, indent));
        }
        if self.budget == 0 {
            return "…".into();
        }
        let head = Head::of(value, class);
        if self.open.len() > MAX_DEPTH && head.has_body {
            return format!(
                "[{}]",
                if head.name.is_empty() {
                    "Object"
                } else {
                    head.name.as_str()
                }
            );
        }
        self.open.push(value.clone());
        let entries = self.entries(value, class, &head, indent + 2);
        self.open.pop();
        let title = head.title();
        if entries.is_empty() && !head.has_body {
            return title;
        }
        let space = if title.is_empty() { "" } else { " " };
        let (open, close) = if head.is_list { ('[', ']') } else { ('{', '}') };
        if entries.is_empty() {
            return format!("{title}{space}{open}{close}");
        }
        format!(
            "{title}{space}{}",
            layout(open, close, &entries, indent, head.is_list)
        )
    }

    /// The texts of a container's elements and members.
    fn entries(&mut self, value: &Value, class: Class, head: &Head, indent: usize) -> Vec<String> {
        let mut entries = Vec::new();
        match class {
            Class::Map | Class::Set => self.collection(value, class, indent, &mut entries),
            Class::Promise => entries.push(match value.promise_state() {
                PromiseState::Pending => "<pending>".into(),
                PromiseState::Fulfilled(value) => self.value(&value, indent, true),
                PromiseState::Rejected(reason) => {
                    format!("<rejected> {}", self.value(&reason, indent, true))
                }
            }),
            _ => {}
        }
        let Ok(keys) = value.keys() else {
            drop(crate::engine::take_exception());
            return entries;
        };
        if head.is_list {
            self.elements(value, &keys, head.length, indent, &mut entries);
        }
        let first_name = if head.is_list {
            (0..keys.len())
                .take_while(|&at| is_element(&keys, at))
                .count()
        } else {
            0
        };
        let total = keys.len() - first_name;
        for at in (first_name..keys.len()).take(MAX_ENTRIES) {
            if self.budget == 0 {
                break;
            }
            let Some(key) = keys.get(at) else { break };
            let slot = match value.own(&key) {
                Some(Slot::Data(data)) => self.value(&data, indent, true),
                Some(Slot::Accessor {
                    getter: true,
                    setter: true,
                }) => "[Getter/Setter]".into(),
                Some(Slot::Accessor { getter: true, .. }) => "[Getter]".into(),
                Some(Slot::Accessor { .. }) => "[Setter]".into(),
                None => continue,
            };
            entries.push(format!("{}: {slot}", key_text(&key)));
        }
        if total > MAX_ENTRIES {
            entries.push(format!("... {} more properties", total - MAX_ENTRIES));
        }
        entries
    }

    fn elements(
        &mut self,
        value: &Value,
        keys: &Keys,
        length: usize,
        indent: usize,
        entries: &mut Vec<String>,
    ) {
        let mut next = 0;
        let mut at = 0;
        while next < length && entries.len() < MAX_ENTRIES && self.budget > 0 {
            let Some(key) = keys.get(at).filter(|_| is_element(keys, at)) else {
                entries.push(holes(length - next));
                return;
            };
            let index = key.to_text().parse().unwrap_or(next);
            if index > next {
                entries.push(holes(index - next));
            }
            match value.own(&key) {
                Some(Slot::Data(element)) => entries.push(self.value(&element, indent, true)),
                _ => entries.push("[Getter]".into()),
            }
            next = index + 1;
            at += 1;
        }
        if next < length {
            let left = length - next;
            entries.push(format!(
                "... {left} more item{}",
                if left == 1 { "" } else { "s" }
            ));
        }
    }

    fn collection(
        &mut self,
        value: &Value,
        class: Class,
        indent: usize,
        entries: &mut Vec<String>,
    ) {
        let probes = &realm().probes;
        let (values, next) = match class {
            Class::Map => (&probes.map_entries, &probes.map_next),
            _ => (&probes.set_values, &probes.set_next),
        };
        let Ok(iterator) = values.call(value, &[]) else {
            return;
        };
        while let Ok(step) = next.call(&iterator, &[]) {
            if !matches!(step.find(&realm().names.done), Some(done) if done.kind() == Kind::Bool(false))
            {
                return;
            }
            if entries.len() >= MAX_ENTRIES || self.budget == 0 {
                entries.push("... more items".into());
                return;
            }
            let Some(item) = step.find(&realm().names.value) else {
                return;
            };
            entries.push(match class {
                Class::Map => {
                    let (Ok(key), Ok(value)) = (item.get_index(0), item.get_index(1)) else {
                        return;
                    };
                    format!(
                        "{} => {}",
                        self.value(&key, indent, true),
                        self.value(&value, indent, true)
                    )
                }
                _ => self.value(&item, indent, true),
            });
        }
    }
}

/// What stands before the braces.
struct Head {
    /// The class, where it is not a plain object or array.
    name: String,
    /// The size in parentheses.
    size: Option<usize>,
    /// A text that says it all, such as that of a date.
    text: Option<String>,
    is_list: bool,
    length: usize,
    /// Whether braces are written even when they are empty.
    has_body: bool,
}

impl Head {
    fn of(value: &Value, class: Class) -> Head {
        let mut head = Head {
            name: String::new(),
            size: None,
            text: None,
            is_list: false,
            length: 0,
            has_body: true,
        };
        let probes = &realm().probes;
        let size = |getter: &Value| {
            getter
                .call(value, &[])
                .ok()?
                .as_number()
                .map(|size| size as usize)
        };
        match class {
            Class::Plain => match value.prototype() {
                None => head.name = "[Object: null prototype]".into(),
                Some(prototype) if prototype.is_same_object(&realm().object_prototype) => {}
                Some(_) => head.name = failure::class_name(value),
            },
            Class::Array => {
                head.is_list = true;
                head.length = value.length().unwrap_or_default();
                if !value
                    .prototype()
                    .is_some_and(|prototype| prototype.is_same_object(&realm().array_prototype))
                {
                    head.name = failure::class_name(value);
                    head.size = Some(head.length);
                }
            }
            Class::Function => head.only(function_text(value)),
            Class::Error => head.only(error_text(value)),
            Class::Date => {
                let text = probes.date_iso.call(value, &[]).map(|text| text.to_text());
                head.only(text.unwrap_or_else(|_| {
                    drop(crate::engine::take_exception());
                    "Invalid Date".into()
                }));
            }
            Class::RegExp => {
                let source = probes
                    .regexp_source
                    .call(value, &[])
                    .map(|text| text.to_text())
                    .unwrap_or_default();
                let flags = probes.regexp_flags.iter().filter_map(|(flag, getter)| {
                    let set = getter.call(value, &[]).ok()?;
                    (set.kind() == Kind::Bool(true)).then_some(*flag)
                });
                head.only(format!("/{source}/{}", flags.collect::<String>()));
            }
            Class::Map | Class::Set => {
                head.name = failure::class_name(value);
                head.size = size(if class == Class::Map {
                    &probes.map_size
                } else {
                    &probes.set_size
                });
            }
            Class::Promise => head.name = "Promise".into(),
            Class::Proxy => head.name = "Proxy".into(),
            Class::Other => {
                head.name = failure::class_name(value);
                if value.is_typed_array() {
                    head.is_list = true;
                    head.length = size(&probes.typed_array_length).unwrap_or_default();
                    head.size = Some(head.length);
                } else if let Some(bytes) = value.with_buffer(|bytes| bytes.len()) {
                    head.only(format!("{} {{ byteLength: {bytes} }}", head.name));
                } else if value.prototype().is_none() {
                    head.name = "[Object: null prototype]".into();
                }
            }
        }
        head
    }

    fn only(&mut self, text: String) {
        self.text = Some(text);
        self.has_body = false;
    }

    fn title(&self) -> String {
        match (&self.text, self.size) {
            (Some(text), _) => text.clone(),
            (None, Some(size)) => format!("{}({size})", self.name),
            (None, None) => self.name.clone(),
        }
    }
}

/// Entries on one line where they fit; lists of short ones fill their lines; everything else has a line per entry.
fn layout(open: char, close: char, entries: &[String], indent: usize, is_list: bool) -> String {
    let total: usize = entries.iter().map(|entry| entry.chars().count() + 2).sum();
    let multiline = entries.iter().any(|entry| entry.contains('\n'));
    if !multiline && total + indent <= LINE_WIDTH {
        return format!("{open} {} {close}", entries.join(", "));
    }
    let margin = " ".repeat(indent + 2);
    let mut text = format!("{open}\n{margin}");
    let fill = is_list && !multiline && entries.iter().all(|entry| entry.len() <= 24);
    let mut width = 0;
    for (index, entry) in entries.iter().enumerate() {
        if index > 0 {
            text.push(',');
            if fill && width + entry.len() + 2 + indent <= LINE_WIDTH {
                text.push(' ');
            } else {
                text.push('\n');
                text.push_str(&margin);
                width = 0;
            }
        }
        text.push_str(entry);
        width += entry.len() + 2;
    }
    format!("{text}\n{}{close}", " ".repeat(indent))
}

/// Whether the name at `at` is an index.
fn is_element(keys: &Keys, at: usize) -> bool {
    keys.index(at).is_some()
}

fn holes(count: usize) -> String {
    format!("<{count} empty item{}>", if count == 1 { "" } else { "s" })
}

/// A number or BigInt as text; runs no code of the program, since it is no object.
fn primitive_text(value: &Value) -> String {
    value
        .convert_to_string()
        .map(|text| text.to_text())
        .unwrap_or_default()
}

fn symbol_text(symbol: &Value) -> String {
    realm()
        .probes
        .symbol_text
        .call(symbol, &[])
        .map(|text| text.to_text())
        .unwrap_or_else(|_| "Symbol()".into())
}

fn key_text(key: &Atom) -> String {
    let name = key.to_value();
    if name.kind() == Kind::Symbol {
        return format!("[{}]", symbol_text(&name));
    }
    let name = name.to_text();
    let is_identifier = name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$'))
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
    let is_index = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    if is_identifier || is_index {
        name
    } else {
        quote(&name)
    }
}

/// A string literal with the quotes that need the fewest escapes.
fn quote(text: &str) -> String {
    let mark = ['\'', '"', '`']
        .into_iter()
        .find(|&mark| !text.contains(mark))
        .unwrap_or('\'');
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push(mark);
    for c in text.chars() {
        match c {
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\\' => quoted.push_str("\\\\"),
            c if c == mark => {
                quoted.push('\\');
                quoted.push(c);
            }
            c if c < ' ' || c == '\u{7f}' => quoted.push_str(&format!("\\x{:02X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push(mark);
    quoted
}

fn function_text(function: &Value) -> String {
    let name = match function.find(&realm().names.name) {
        Some(name) if name.kind() == Kind::String => prefix(&name.to_text(), 200).to_owned(),
        _ => String::new(),
    };
    let source = realm().probes.function_text.call(function, &[]);
    let is_class = source.is_ok_and(|source| {
        source
            .with_bytes(|bytes| bytes.starts_with(b"class"))
            .unwrap_or(false)
    });
    match (is_class, name.is_empty()) {
        (true, true) => "[class (anonymous)]".into(),
        (true, false) => format!("[class {name}]"),
        (false, true) => "[Function (anonymous)]".into(),
        (false, false) => format!("[Function: {name}]"),
    }
}

/// An error as its stack shows it; the frames are the program's own.
fn error_text(error: &Value) -> String {
    let frames = failure::own_frames(error);
    let line = failure::one_line(error);
    if frames.is_empty() {
        format!("[{line}]")
    } else {
        format!("{line}\n    {}", frames.join("\n    "))
    }
}
