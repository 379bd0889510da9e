//! The spans of the tracing layer.

#![expect(
    clippy::unwrap_used,
    reason = "a span that was not made fails the test"
)]

use std::{
    fmt,
    sync::{Arc, Mutex},
};

use lockgate::{CallRequest, Mode, Registry, code_runtime::CodeLanguage, json, layers::Trace};
use tracing::{
    Event, Instrument, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};

use crate::{
    pipeline_support::{call, checked, named, with_body},
    sandbox_support::sandbox,
};

#[derive(Clone, Debug, Default)]
struct Seen {
    name: &'static str,
    parent: Option<usize>,
    fields: Vec<(String, String)>,
}

impl Seen {
    fn field(&self, name: &str) -> Option<&str> {
        let mut found = self.fields.iter().filter(|(field, _)| field == name);
        let value = found.next().map(|(_, value)| &**value);
        assert!(found.next().is_none(), "`{name}` was recorded twice");
        value
    }
}

impl Visit for Seen {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.fields
            .push((field.name().to_owned(), format!("{value:?}")));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields
            .push((field.name().to_owned(), value.to_owned()));
    }
}

/// Keeps spans; those named `hidden` it does not want.
#[derive(Clone, Default)]
struct Spans {
    state: Arc<Mutex<(Vec<Seen>, Vec<usize>)>>,
    hidden: &'static str,
}

fn at(id: &Id) -> usize {
    usize::try_from(id.into_u64()).unwrap() - 1
}

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && metadata.name() != self.hidden
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let (spans, entered) = &mut *self.state.lock().unwrap();
        let mut seen = Seen {
            name: attributes.metadata().name(),
            parent: entered.last().copied(),
            fields: Vec::new(),
        };
        attributes.record(&mut seen);
        spans.push(seen);
        Id::from_u64(spans.len() as u64)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        values.record(&mut self.state.lock().unwrap().0[at(id)]);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, id: &Id) {
        self.state.lock().unwrap().1.push(at(id));
    }

    fn exit(&self, _: &Id) {
        self.state.lock().unwrap().1.pop();
    }
}

impl Spans {
    fn seen(&self) -> Vec<Seen> {
        self.state.lock().unwrap().0.clone()
    }
}

fn traced(builder: lockgate::RegistryBuilder) -> Registry {
    let registry = builder.build().unwrap();
    registry
        .on_execute(Trace::new().into_layer())
        .unwrap()
        .keep();
    registry.register(named("x")).unwrap().keep();
    let fails = with_body("fails", |_, _| async {
        Err(lockgate::ToolError::new("no"))
    });
    registry.register(fails).unwrap().keep();
    registry
}

#[tokio::test]
async fn a_sub_calls_span_is_inside_its_programs() {
    let runtime = Arc::new(sandbox(CodeLanguage::JavaScript));
    let registry = traced(checked().mode(Mode::Code).code_runtime(runtime));
    let spans = Spans::default();
    let _default = tracing::subscriber::set_default(spans.clone());
    let arguments = json!({
        "code": "await tools.x({}); await tools.fails({}).catch(() => 0)",
        "description": "a test"
    });
    let result = registry
        .execute(CallRequest::new("c", "run_code", arguments))
        .await;
    assert!(!result.is_error(), "{}", result.text());
    let calls: Vec<Seen> = spans
        .seen()
        .into_iter()
        .filter(|span| span.name == "tool_call")
        .collect();
    let told: Vec<_> = calls
        .iter()
        .map(|span| (span.field("id"), span.field("tool"), span.field("outcome")))
        .collect();
    assert_eq!(
        told,
        [
            (Some("c"), Some("run_code"), Some("ok")),
            (Some("c:code:1"), Some("x"), Some("ok")),
            (Some("c:code:2"), Some("fails"), Some("error")),
        ]
    );
    let all = spans.seen();
    for sub_call in &calls[1..] {
        let mut at = sub_call.parent;
        while let Some(span) = at
            && all[span].name != "tool_call"
        {
            at = all[span].parent;
        }
        assert_eq!(all[at.unwrap()].field("id"), Some("c"));
        assert_eq!(sub_call.field("root_id"), Some("c"));
    }
}

// Where the layer's span is filtered out, the host's own span is not written to.
#[tokio::test]
async fn a_span_that_nobody_wants_leaves_the_hosts_alone() {
    let registry = traced(checked());
    let spans = Spans {
        hidden: "tool_call",
        ..Spans::default()
    };
    let _default = tracing::subscriber::set_default(spans.clone());
    let host = tracing::info_span!("request", outcome = tracing::field::Empty);
    call(&registry, "x").instrument(host).await;
    let seen = spans.seen();
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].field("outcome"), None);
}
