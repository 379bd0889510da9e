//! The tools of all servers as the registry has them: every change of a list becomes the smallest change of registrations.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError, RwLock, Weak},
};

use lockgate::{
    CallId, Json, RUN_CODE, Registration, Registry, Tool,
    schema::{ParameterSchema, Schema},
    sdk::{DESCRIBE, SEARCH},
};

use super::{
    call,
    limits::MAX_MEDIA_BYTES_OF_RUN,
    listing::{ListedTool, Output},
    names::{Exposed, expose},
    server::Server,
    status::{OutputTyping, ToolOrigin, ToolStatus},
    text::quoted,
};

/// Top-level calls whose media are counted; that of an older one starts anew.
const MAX_ROOTS: usize = 256;

/// What all servers' tools are published through.
pub(super) struct Catalogue {
    registry: Registry,
    servers: Vec<Arc<Server>>,
    me: Weak<Catalogue>,
    /// Held while tools are registered, so that lists follow each other. Readers use `view`.
    book: Mutex<Book>,
    view: RwLock<Arc<View>>,
    attached: Mutex<Attached>,
}

/// Bytes of media that each of the last top-level calls has gathered.
#[derive(Default)]
struct Attached {
    bytes: HashMap<CallId, usize>,
    order: VecDeque<CallId>,
}

#[derive(Default)]
struct Book {
    lists: Vec<Vec<Arc<ListedTool>>>,
    /// What was learned of a server's tool.
    observed: HashMap<(usize, Arc<str>), Arc<str>>,
    registered: BTreeMap<Arc<str>, Entry>,
    closed: bool,
}

/// A registered tool. Two with equal `published` are the same to a model.
struct Entry {
    published: Published,
    _registration: Registration,
}

#[derive(Clone, PartialEq)]
struct Published {
    server: usize,
    tool: Arc<ListedTool>,
    observed: Option<Arc<str>>,
}

/// What readers see: a snapshot.
#[derive(Default)]
struct View {
    tools: Vec<Vec<ToolStatus>>,
    problems: Vec<Vec<String>>,
    notes: Vec<Vec<String>>,
    origins: BTreeMap<Arc<str>, ToolOrigin>,
}

impl Catalogue {
    pub(super) fn new(registry: Registry, servers: Vec<Arc<Server>>) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            registry,
            me: me.clone(),
            book: Mutex::new(Book {
                lists: vec![Vec::new(); servers.len()],
                ..Book::default()
            }),
            view: RwLock::default(),
            attached: Mutex::default(),
            servers,
        })
    }

    pub(super) fn servers(&self) -> &[Arc<Server>] {
        &self.servers
    }

    /// The tools of one server, with the problems and the notes that are about them.
    pub(super) fn of(&self, server: usize) -> (Vec<ToolStatus>, Vec<String>, Vec<String>) {
        let view = self.view();
        let texts = |lists: &[Vec<String>]| lists.get(server).cloned().unwrap_or_default();
        (
            view.tools.get(server).cloned().unwrap_or_default(),
            texts(&view.problems),
            texts(&view.notes),
        )
    }

    pub(super) fn origin(&self, registered: &str) -> Option<ToolOrigin> {
        self.view().origins.get(registered).cloned()
    }

    fn view(&self) -> Arc<View> {
        self.view
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Takes a server's new list.
    pub(super) fn publish(&self, server: usize, tools: Vec<Arc<ListedTool>>) {
        let mut book = self.book();
        if let Some(list) = book.lists.get_mut(server) {
            *list = tools;
        }
        self.settle(&mut book);
    }

    /// Takes what was learned of a tool's values.
    pub(super) fn observe(&self, server: usize, tool: &Arc<str>, observed: Arc<str>) {
        let mut book = self.book();
        book.observed.insert((server, tool.clone()), observed);
        self.settle(&mut book);
    }

    /// Whether media of so many bytes fit into what one top-level call may gather; then they count.
    pub(super) fn admit(&self, root: &CallId, bytes: usize) -> bool {
        let mut attached = self.attached.lock().unwrap_or_else(PoisonError::into_inner);
        if !attached.bytes.contains_key(root) {
            attached.order.push_back(root.clone());
            if attached.order.len() > MAX_ROOTS
                && let Some(oldest) = attached.order.pop_front()
            {
                attached.bytes.remove(&oldest);
            }
        }
        let total = attached.bytes.entry(root.clone()).or_default();
        let fits = *total + bytes <= MAX_MEDIA_BYTES_OF_RUN;
        if fits {
            *total += bytes;
        }
        fits
    }

    /// Unregisters everything, for good.
    pub(super) fn close(&self) {
        let mut book = self.book();
        book.closed = true;
        book.lists.iter_mut().for_each(Vec::clear);
        self.settle(&mut book);
    }

    fn book(&self) -> std::sync::MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Brings the registry to what the lists say.
    fn settle(&self, book: &mut Book) {
        let lists: Vec<(&str, Vec<&Arc<str>>)> = self
            .servers
            .iter()
            .zip(&book.lists)
            .map(|(server, tools)| {
                (
                    &**server.name(),
                    tools.iter().map(|tool| &tool.name).collect(),
                )
            })
            .collect();
        let exposed = expose(&lists, |name| {
            matches!(name, RUN_CODE | SEARCH | DESCRIBE)
                || !book.registered.contains_key(name) && self.registry.get(name).is_some()
        });
        let mut wanted: BTreeMap<Arc<str>, Published> = BTreeMap::new();
        for Exposed { server, tool, name } in &exposed {
            let Some(listed) = book.lists.get(*server).and_then(|list| list.get(*tool)) else {
                continue;
            };
            let observed = book.observed.get(&(*server, listed.name.clone())).cloned();
            wanted.insert(
                name.clone(),
                Published {
                    server: *server,
                    tool: listed.clone(),
                    observed,
                },
            );
        }
        self.foretell(&wanted);
        // Those that go first, so that a name is free for who gets it next.
        book.registered
            .retain(|name, entry| wanted.get(name) == Some(&entry.published));
        let mut problems = vec![Vec::new(); self.servers.len()];
        for (name, published) in wanted {
            if book.registered.contains_key(&name) || book.closed {
                continue;
            }
            let server = published.server;
            match self.register(&name, &published) {
                Ok(registration) => {
                    let entry = Entry {
                        published,
                        _registration: registration,
                    };
                    book.registered.insert(name, entry);
                }
                Err(error) => problems[server].push(format!(
                    "the tool {} is left out: {error}",
                    quoted(&published.tool.name)
                )),
            }
        }
        let view = self.look(book, &exposed, problems);
        *self.view.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(view);
    }

    fn register(&self, name: &Arc<str>, published: &Published) -> Result<Registration, String> {
        let server = self
            .servers
            .get(published.server)
            .ok_or("its server is unknown")?;
        let tool = build(name, published, server.clone(), self.me.clone())?;
        self.registry
            .register(tool)
            .map_err(|error| error.to_string())
    }

    /// Says where the new names come from before the registry's listeners hear of them.
    fn foretell(&self, wanted: &BTreeMap<Arc<str>, Published>) {
        let old = self.view();
        let mut origins = old.origins.clone();
        origins.extend(
            wanted
                .iter()
                .map(|(name, published)| (name.clone(), self.origin_of(published))),
        );
        let view = View {
            tools: old.tools.clone(),
            problems: old.problems.clone(),
            notes: old.notes.clone(),
            origins,
        };
        *self.view.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(view);
    }

    fn origin_of(&self, published: &Published) -> ToolOrigin {
        ToolOrigin {
            server: self.servers[published.server].name().clone(),
            tool: published.tool.name.clone(),
        }
    }

    fn look(&self, book: &Book, exposed: &[Exposed], problems: Vec<Vec<String>>) -> View {
        let mut view = View {
            tools: vec![Vec::new(); self.servers.len()],
            notes: vec![Vec::new(); self.servers.len()],
            problems,
            ..View::default()
        };
        for (name, entry) in &book.registered {
            view.origins
                .insert(name.clone(), self.origin_of(&entry.published));
        }
        for Exposed { server, tool, name } in exposed {
            let Some(entry) = book.registered.get(name) else {
                continue;
            };
            let listed = &book.lists[*server][*tool];
            if *name != listed.name {
                view.notes[*server].push(format!(
                    "its tool {} is called {}, as that name has another owner too",
                    quoted(&listed.name),
                    quoted(name)
                ));
            }
            view.tools[*server].push(ToolStatus {
                name: listed.name.clone(),
                exposed_as: name.clone(),
                output: match (&listed.output, &entry.published.observed) {
                    (Output::Typed { .. }, _) => OutputTyping::Declared,
                    (Output::Unusable, _) => OutputTyping::Unusable,
                    (Output::Unknown, Some(_)) => OutputTyping::Observed,
                    (Output::Unknown, None) => OutputTyping::Unknown,
                },
                read_only: listed.read_only,
            });
        }
        view
    }
}

/// The registry's tool. Its server's annotations are hints: one that says it only reads may overlap with others (SPEC G3).
fn build(
    name: &Arc<str>,
    published: &Published,
    server: Arc<Server>,
    catalogue: Weak<Catalogue>,
) -> Result<Tool, String> {
    let tool = published.tool.clone();
    let description = match &published.observed {
        None => tool.description.clone(),
        Some(observed) => format!(
            "{}\n\nObserved value (seen in past answers, not promised by the server): {observed}",
            tool.description
        ),
    };
    let output = match &tool.output {
        Output::Typed { schema, .. } => schema.clone(),
        Output::Unknown | Output::Unusable => Schema::any(),
    };
    let mut builder = Tool::builder(name.clone(), description)
        .parameter_schema(ParameterSchema::raw(tool.parameters.clone()))
        .output_schema(output)
        .concurrency_safe(tool.read_only);
    if tool.read_only || tool.idempotent {
        builder = builder.idempotent();
    }
    builder
        .execute(move |arguments: Json, context| {
            call::run(
                server.clone(),
                tool.clone(),
                catalogue.clone(),
                arguments,
                context,
            )
        })
        .build()
        .map_err(|error| error.to_string())
}
