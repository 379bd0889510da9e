//! Layers, scopes, shadows, restrictions, disposers and change events (SPEC D), and the one view of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use lockgate::{
    CallRequest, Change, Mode, Registration, RegistryError, Restriction, Scope, Tool, ToolError,
    code_runtime::CodeLanguage, json,
};
use proptest::prelude::*;

use crate::pipeline_support::{call, checked, code, message, named, with_body};

fn names(scope: &Scope) -> Vec<String> {
    scope
        .schemas()
        .into_iter()
        .map(|schema| schema.name.to_string())
        .collect()
}

/// A tool whose value says where it was registered.
fn from(layer: &'static str, name: &str) -> Tool {
    with_body(name, move |_, _| async move { Ok(json!(layer)) })
}

async fn value(scope: &Scope, name: &str) -> String {
    let result = scope
        .registry()
        .execute(CallRequest::new("c", name, json!({})).agent(scope))
        .await;
    result
        .value()
        .and_then(|value| value.as_str())
        .unwrap_or("none")
        .to_owned()
}

// SPEC D1
#[tokio::test]
async fn d1_a_disposer_undoes_one_thing_once() {
    let registry = checked().build().unwrap();
    let first = registry.register(named("x")).unwrap();
    first.dispose();
    let second = registry.register(named("x")).unwrap();
    assert!(registry.get("x").is_some());
    drop(second);
    assert!(registry.get("x").is_none());
    registry.register(named("x")).unwrap().keep();
    assert!(registry.get("x").is_some());
}

// SPEC D1
#[tokio::test]
async fn d1_disposing_a_scope_unwinds_all_that_it_registered() {
    let registry = checked().build().unwrap();
    registry.register(from("global", "x")).unwrap().keep();
    let preset = registry.scope("preset");
    let agent = preset.child("agent");
    preset.register(from("preset", "x")).unwrap().keep();
    preset.guard(|_| Some("no".into())).unwrap().keep();
    preset.present_as(Mode::Code).unwrap().keep();
    assert_eq!(agent.mode(), Mode::Code);
    let late = preset.register(from("preset", "late")).unwrap();
    preset.dispose();
    assert_eq!(
        (agent.mode(), names(&agent)),
        (Mode::Native, vec!["x".to_owned()])
    );
    assert_eq!(value(&agent, "x").await, "global");
    late.dispose();
    assert!(matches!(
        preset.register(named("y")),
        Err(RegistryError::Disposed { .. })
    ));
    assert!(matches!(
        preset.guard(|_| None),
        Err(RegistryError::Disposed { .. })
    ));
    agent.register(named("y")).unwrap().keep();
}

// SPEC D2
#[tokio::test]
async fn d2_a_nearer_scope_shadows_four_deep() {
    let registry = checked().build().unwrap();
    registry.register(from("global", "x")).unwrap().keep();
    let deployment = registry.scope("deployment");
    let preset = deployment.child("preset");
    let agent = preset.child("agent");
    let sub_agent = agent.child("sub-agent");
    assert_eq!(value(&sub_agent, "x").await, "global");
    let in_deployment = deployment.register(from("deployment", "x")).unwrap();
    let in_agent = agent.register(from("agent", "x")).unwrap();
    for (scope, expected) in [
        (&deployment, "deployment"),
        (&preset, "deployment"),
        (&agent, "agent"),
        (&sub_agent, "agent"),
    ] {
        assert_eq!(value(scope, "x").await, expected);
    }
    assert_eq!(value(&registry.scope("other"), "x").await, "global");
    in_agent.dispose();
    assert_eq!(value(&sub_agent, "x").await, "deployment");
    in_deployment.dispose();
    assert_eq!(value(&sub_agent, "x").await, "global");
}

// SPEC D2
#[test]
fn d2_a_duplicate_in_one_layer_says_how_to_vary_it() {
    let registry = checked().build().unwrap();
    registry.register(named("x")).unwrap().keep();
    let error = registry.register(named("x")).unwrap_err();
    assert!(matches!(error, RegistryError::DuplicateTool { .. }));
    assert!(error.to_string().contains("scope("), "{error}");
}

// SPEC D3, D4
#[tokio::test]
async fn d3_restrictions_filter_what_is_inherited_and_never_the_scopes_own() {
    let registry = checked().build().unwrap();
    for name in ["a", "b", "c"] {
        registry.register(from("global", name)).unwrap().keep();
    }
    let preset = registry.scope("preset");
    let agent = preset.child("agent");
    agent.register(from("agent", "b")).unwrap().keep();
    preset
        .restrict(Restriction::allow(["a", "b"]))
        .unwrap()
        .keep();
    assert_eq!(
        (names(&preset), names(&agent)),
        (
            vec!["a".into(), "b".into()],
            vec!["a".into(), "b".to_owned()]
        )
    );
    // Several intersect.
    let second = agent.restrict(Restriction::deny(["a"])).unwrap();
    assert_eq!(names(&agent), ["b"]);
    assert_eq!(value(&agent, "b").await, "agent");
    // Look-up, execution and schemas agree.
    assert!(agent.get("a").is_none() && agent.get("c").is_none());
    let hidden = registry
        .execute(CallRequest::new("c", "a", json!({})).agent(&agent))
        .await;
    assert_eq!(code(&hidden), "UNKNOWN_TOOL");
    second.dispose();
    assert_eq!(names(&agent), ["a", "b"]);
    assert_eq!(value(&agent, "a").await, "global");
}

// SPEC D4: live. Deny admits tools that are registered later, allow hides them.
#[test]
fn d4_restrictions_are_evaluated_live() {
    let registry = checked().build().unwrap();
    registry.register(named("a")).unwrap().keep();
    let (denies, allows) = (registry.scope("denies"), registry.scope("allows"));
    denies.restrict(Restriction::deny(["a"])).unwrap().keep();
    allows.restrict(Restriction::allow(["a"])).unwrap().keep();
    registry.register(named("later")).unwrap().keep();
    assert_eq!(
        (names(&denies), names(&allows)),
        (vec!["later".to_owned()], vec!["a".to_owned()])
    );
}

// SPEC D4
#[test]
fn d4_a_restriction_that_can_mean_nothing_is_refused_with_the_known_names() {
    let registry = checked().build().unwrap();
    registry.register(named("known")).unwrap().keep();
    let scope = registry.scope("agent");
    scope.register(named("own")).unwrap().keep();
    let refused = |restriction: Restriction| scope.restrict(restriction).unwrap_err();
    let none: [&str; 0] = [];
    let errors = [
        refused(Restriction::default()),
        refused(Restriction::allow(none)),
        refused(Restriction::deny(["nope"])),
        refused(Restriction::allow(["own"])),
    ];
    assert!(matches!(errors[0], RegistryError::EmptyRestriction { .. }));
    assert!(matches!(errors[1], RegistryError::EmptyRestriction { .. }));
    assert!(matches!(errors[2], RegistryError::UnknownTool { .. }));
    assert!(matches!(errors[3], RegistryError::OwnTool { .. }));
    for error in errors {
        assert!(error.to_string().contains("known tools: known"), "{error}");
    }
    assert!(matches!(
        refused(Restriction::deny(["run_code"])),
        RegistryError::ReservedName { .. }
    ));
    assert_eq!(names(&scope), ["known", "own"]);
}

// SPEC D5
#[test]
fn d5_a_mode_is_chosen_once_per_scope_and_the_nearest_wins() {
    let registry = checked().mode(Mode::Both).build().unwrap();
    let preset = registry.scope("preset");
    let agent = preset.child("agent");
    assert_eq!(agent.mode(), Mode::Both);
    let chosen = preset.present_as(Mode::Code).unwrap();
    assert!(matches!(
        preset.present_as(Mode::Native),
        Err(RegistryError::ModeAlreadySet { .. })
    ));
    assert_eq!(agent.mode(), Mode::Code);
    agent.present_as(Mode::Native).unwrap().keep();
    assert_eq!((preset.mode(), agent.mode()), (Mode::Code, Mode::Native));
    chosen.dispose();
    assert_eq!(preset.mode(), Mode::Both);
}

// SPEC D6, E2
#[tokio::test]
async fn d6_run_code_is_reserved_whatever_the_mode() {
    let registry = checked().build().unwrap();
    assert!(matches!(
        registry.register(named("run_code")),
        Err(RegistryError::ReservedName { .. })
    ));
    assert!(matches!(
        registry.scope("a").register(named("run_code")),
        Err(RegistryError::ReservedName { .. })
    ));
    assert!(
        registry.get("run_code").is_none(),
        "mode native has no transport"
    );
    registry.register(named("x")).unwrap().keep();
    let agent = registry.scope("agent");
    agent.present_as(Mode::Code).unwrap().keep();
    assert_eq!(names(&agent), ["run_code"]);
    // A call without a parent is refused before any policy sees it.
    registry
        .guard(|call| panic!("policy saw {}", call.name()))
        .unwrap()
        .keep();
    let result = registry
        .execute(CallRequest::new("c", "x", json!({})).agent(&agent))
        .await;
    assert_eq!(code(&result), "UNKNOWN_TOOL");
    assert!(
        message(&result).contains("run_code"),
        "{}",
        message(&result)
    );
}

// SPEC D7
#[test]
fn d7_changes_are_told_unfiltered_and_a_refusal_rolls_back() {
    let registry = checked().build().unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let sink = told.clone();
    let listener = registry.on_change(move |change| {
        sink.lock()
            .unwrap()
            .push(format!("{change:?}").split(' ').next().unwrap().to_owned());
        Ok(())
    });
    let agent = registry.scope("agent");
    let a = registry.register(named("a")).unwrap();
    agent.register(named("b")).unwrap().keep();
    let restriction = agent.restrict(Restriction::deny(["a"])).unwrap();
    restriction.dispose();
    a.dispose();
    agent.dispose();
    assert_eq!(
        std::mem::take(&mut *told.lock().unwrap()),
        [
            "Registered",
            "Registered",
            "Restricted",
            "Restricted",
            "Disposed",
            "Disposed"
        ]
    );
    listener.dispose();

    let refusing = registry.on_change(|_| Err(ToolError::new("not in here")));
    let error = registry.register(named("a")).unwrap_err();
    assert!(
        matches!(&error, RegistryError::RefusedByListener(error) if error.message() == "not in here")
    );
    assert!(registry.get("a").is_none());
    refusing.dispose();
    let panicking = registry.on_change(|_| panic!("boom"));
    assert!(matches!(
        registry.register(named("a")),
        Err(RegistryError::RefusedByListener(_))
    ));
    assert!(registry.get("a").is_none());
    panicking.dispose();
    registry.register(named("a")).unwrap().keep();
}

// SPEC D7: a listener may register, too.
#[test]
fn d7_a_registration_inside_a_listener_works() {
    let registry = checked().build().unwrap();
    let handle = registry.clone();
    let once = AtomicBool::new(false);
    let listener = registry.on_change(move |change| {
        if matches!(change, Change::Registered { .. }) && !once.swap(true, Ordering::Relaxed) {
            handle
                .register(named("companion"))
                .map_err(|error| ToolError::new(error.to_string()))?
                .keep();
        }
        Ok(())
    });
    registry.register(named("a")).unwrap().keep();
    drop(listener);
    assert!(registry.get("a").is_some() && registry.get("companion").is_some());
}

// SPEC D7, E12
#[tokio::test]
async fn e12_scoped_listeners_see_only_their_own_agents() {
    let registry = checked().build().unwrap();
    registry.register(named("x")).unwrap().keep();
    let (one, two) = (registry.scope("one"), registry.scope("two"));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = seen.clone();
    one.on_result(move |call, _| sink.lock().unwrap().push(call.id().to_string()))
        .unwrap()
        .keep();
    for (id, agent) in [
        ("of-one", Some(&one)),
        ("of-two", Some(&two)),
        ("of-none", None),
    ] {
        let mut request = CallRequest::new(id, "x", json!({}));
        if let Some(agent) = agent {
            request = request.agent(agent);
        }
        let _ = registry.execute(request).await;
    }
    assert_eq!(*seen.lock().unwrap(), ["of-one"]);
    assert!(!call(&registry, "x").await.is_error());
}

/// One step of a random program over four layers and five names.
#[derive(Clone, Debug)]
enum Step {
    Register {
        layer: usize,
        name: usize,
    },
    Restrict {
        layer: usize,
        allow: bool,
        names: BTreeSet<usize>,
    },
    DisposeEntry(usize),
    DisposeScope(usize),
}

const LAYERS: usize = 4;
const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..LAYERS, 0..NAMES.len()).prop_map(|(layer, name)| Step::Register { layer, name }),
        2 => (1..LAYERS, any::<bool>(), prop::collection::btree_set(0..NAMES.len(), 0..3))
            .prop_map(|(layer, allow, names)| Step::Restrict { layer, allow, names }),
        2 => (0..20_usize).prop_map(Step::DisposeEntry),
        1 => (1..LAYERS).prop_map(Step::DisposeScope),
    ]
}

/// The same rules, as plainly as they can be written.
#[derive(Default)]
struct Model {
    tools: [BTreeMap<usize, usize>; LAYERS],
    restrictions: [BTreeMap<usize, (bool, BTreeSet<usize>)>; LAYERS],
    disposed: [bool; LAYERS],
}

impl Model {
    fn inherits(&self, layer: usize, name: usize) -> bool {
        (0..layer).any(|layer| self.tools[layer].contains_key(&name))
    }

    /// The entry that each name means.
    fn view(&self, layer: usize) -> BTreeMap<usize, usize> {
        let mut view = BTreeMap::new();
        for tools in &self.tools[..layer] {
            view.extend(tools.iter().map(|(name, entry)| (*name, *entry)));
        }
        let filters = || {
            self.restrictions[..=layer]
                .iter()
                .flat_map(BTreeMap::values)
        };
        view.retain(|name, _| filters().all(|(allow, names)| *allow == names.contains(name)));
        view.extend(
            self.tools[layer]
                .iter()
                .map(|(name, entry)| (*name, *entry)),
        );
        view
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    // SPEC D3, D4: the view is what the rules say, after any history.
    #[test]
    fn d3_the_view_agrees_with_a_reference_model(steps in prop::collection::vec(step(), 0..40)) {
        let registry = checked().build().unwrap();
        let mut scopes: Vec<Scope> = Vec::new();
        for layer in 1..LAYERS {
            let parent = scopes.last().cloned();
            scopes.push(parent.map_or_else(|| registry.scope("1"), |parent| parent.child(layer.to_string())));
        }
        let mut model = Model::default();
        let mut entries: Vec<(usize, Option<Registration>)> = Vec::new();
        for step in steps {
            let entry = entries.len();
            match step {
                Step::Register { layer, name } => {
                    let tool = with_body(NAMES[name], move |_, _| async move { Ok(json!(entry)) });
                    let registered = if layer == 0 { registry.register(tool) } else { scopes[layer - 1].register(tool) };
                    let allowed = !model.disposed[layer] && !model.tools[layer].contains_key(&name);
                    prop_assert_eq!(registered.is_ok(), allowed);
                    if let Ok(registration) = registered {
                        model.tools[layer].insert(name, entry);
                        entries.push((layer, Some(registration)));
                    }
                }
                Step::Restrict { layer, allow, names } => {
                    let texts: Vec<&str> = names.iter().map(|name| NAMES[*name]).collect();
                    let restriction = if allow { Restriction::allow(texts) } else { Restriction::deny(texts) };
                    let restricted = scopes[layer - 1].restrict(restriction);
                    let known = !names.is_empty() && names.iter().all(|name| {
                        // What is the scope's own it can't hide (SPEC D4).
                        model.inherits(layer, *name) && !model.tools[layer].contains_key(name)
                    });
                    prop_assert_eq!(restricted.is_ok(), known && !model.disposed[layer]);
                    if let Ok(registration) = restricted {
                        model.restrictions[layer].insert(entry, (allow, names));
                        entries.push((layer, Some(registration)));
                    }
                }
                Step::DisposeEntry(entry) => {
                    if let Some((layer, registration)) = entries.get_mut(entry) {
                        drop(registration.take());
                        model.tools[*layer].retain(|_, of| *of != entry);
                        model.restrictions[*layer].remove(&entry);
                    }
                }
                Step::DisposeScope(layer) => {
                    scopes[layer - 1].dispose();
                    model.tools[layer].clear();
                    model.restrictions[layer].clear();
                    model.disposed[layer] = true;
                }
            }
            for (at, scope) in scopes.iter().enumerate() {
                let expected: Vec<&str> = model.view(at + 1).keys().map(|name| NAMES[*name]).collect();
                prop_assert_eq!(names(scope), expected);
            }
        }
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for (at, scope) in scopes.iter().enumerate() {
            for (name, entry) in model.view(at + 1) {
                let request = CallRequest::new("c", NAMES[name], json!({})).agent(scope);
                let result = runtime.block_on(registry.execute(request));
                prop_assert_eq!(result.value(), Some(&json!(entry)));
            }
        }
    }
}

// SPEC D3, D4, K1: a program sees what its scope sees when it starts, after each kind of change anywhere on the chain.
#[tokio::test]
async fn programs_see_every_change_of_the_chain() {
    let sandbox = crate::sandbox_support::sandbox(CodeLanguage::JavaScript);
    let registry = checked()
        .mode(Mode::Code)
        .code_runtime(Arc::new(sandbox))
        .build()
        .unwrap();
    let parent = registry.scope("parent");
    let child = parent.child("child");
    let seen = async || {
        let arguments = json!({"code": "return Object.keys(tools)", "description": "a test"});
        let request = CallRequest::new("c", "run_code", arguments).agent(&child);
        registry.execute(request).await.value().unwrap()["result"].clone()
    };
    assert_eq!(seen().await, json!([]));
    let far = registry.register(named("far")).unwrap();
    assert_eq!(seen().await, json!(["far"]));
    let near = parent.register(named("near")).unwrap();
    let own = child.register(named("own")).unwrap();
    assert_eq!(seen().await, json!(["far", "near", "own"]));
    assert_eq!(seen().await, json!(["far", "near", "own"]));
    let hidden = parent.restrict(Restriction::deny(["far"])).unwrap();
    assert_eq!(seen().await, json!(["near", "own"]));
    hidden.dispose();
    assert_eq!(seen().await, json!(["far", "near", "own"]));
    near.dispose();
    assert_eq!(seen().await, json!(["far", "own"]));
    own.dispose();
    far.dispose();
    assert_eq!(seen().await, json!([]));
}
