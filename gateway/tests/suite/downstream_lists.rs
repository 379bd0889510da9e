//! What clients are told of tools and resources, and of their changes.

use std::{sync::atomic::Ordering, time::Duration};

use lockgate::{Mode, Tool, json};
use lockgate_gateway::downstream::SHORT_DESCRIPTION;
use rmcp::model::{ReadResourceRequestParams, ResourceContents};

use crate::downstream_support::{Client, Person, Rig, options, program, run, text, until};

fn extra(name: &str) -> Tool {
    Tool::builder(name, "One more.")
        .parameters(&json!({"type": "object", "properties": {"q": {"type": "string"}}}))
        .output(&json!({"type": "string"}))
        .execute(|_, _| async { Ok(json!("extra")) })
        .build()
        .unwrap()
}

async fn description(client: &Client) -> String {
    let tools = client.peer().list_all_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["run_code"]);
    tools[0].description.clone().unwrap().to_string()
}

async fn read(client: &Client, uri: &str) -> Result<String, rmcp::ServiceError> {
    let read = client
        .peer()
        .read_resource(ReadResourceRequestParams::new(uri))
        .await?;
    match &read.contents[0] {
        ResourceContents::TextResourceContents { text, .. } => Ok(text.clone()),
        other => panic!("{other:?}"),
    }
}

// SPEC H1, H3: one tool, whose description declares the others.
#[tokio::test]
async fn mode_code_serves_run_code_alone() {
    let mut options = options();
    options.servers = (0..1_000).map(|n| format!("server-{n}")).collect();
    let rig = Rig::build(Mode::Code, None, options, |builder| builder).await;
    let client = rig.connect(Person::silent()).await;
    let text = description(&client).await;
    for part in ["declare const tools", "Deletes a file.", "add: {"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let info = client.peer().peer_info().unwrap();
    let instructions = info.instructions.as_ref().unwrap();
    assert!(instructions.contains("run_code") && instructions.contains(" server-0, server-1,"));
    assert!(instructions.len() <= SHORT_DESCRIPTION);
    assert_eq!(info.server_info.as_ref().unwrap().name, "lockgate");
}

// Clients that cut descriptions get all names, and how to look the rest up, instead of a part of the SDK text.
#[tokio::test]
async fn clients_that_cut_descriptions_get_a_short_one() {
    let rig = Rig::new(Mode::Code).await;
    for n in 0..300 {
        let tool = extra(&format!("server__tool_number_{n}"));
        rig.gateway.registry().register(tool).unwrap().keep();
    }
    let client = rig.connect(Person::named("claude-code")).await;
    let short = description(&client).await;
    assert!(
        short.chars().count() <= SHORT_DESCRIPTION,
        "{}",
        short.chars().count()
    );
    assert!(
        short.chars().count() > SHORT_DESCRIPTION - 100,
        "the room is used"
    );
    for part in [
        "305 tools",
        " add, delete,",
        "more: search",
        "lockgate://sdk.ts",
    ] {
        assert!(short.contains(part), "{part}: {short}");
    }
    // What it says works.
    let code =
        "return [await tools.$describe('add'), (await tools.$search('delete a file'))[0].name]";
    let result = run(&client, program(code)).await;
    assert!(text(&result).contains("sum: Integer"), "{}", text(&result));
    assert!(text(&result).contains("\"delete\""), "{}", text(&result));
    let other = rig.connect(Person::named("another")).await;
    assert!(description(&other).await.contains("declare const tools"));
}

// SPEC D7: clients hear of changed tools, once for many changes, and not of what changes nothing for them.
#[tokio::test]
async fn changed_tools_are_told_once() {
    let mut options = options();
    options.change_delay = Duration::from_millis(300);
    let rig = Rig::build(Mode::Code, None, options, |builder| builder).await;
    let (one, two) = (Person::silent(), Person::silent());
    let (told_one, told_two) = (one.told.clone(), two.told.clone());
    let (client, _other) = (rig.connect(one).await, rig.connect(two).await);
    until("both are known", || rig.gateway.clients() == 2).await;
    let registry = rig.gateway.registry();
    let mut kept: Vec<_> = (0..50)
        .map(|n| registry.register(extra(&format!("extra_{n}"))).unwrap())
        .collect();
    until("both heard", || {
        [&told_one, &told_two]
            .iter()
            .all(|told| told.tools_changed.load(Ordering::SeqCst) >= 1)
    })
    .await;
    assert!(description(&client).await.contains("extra_49"));
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert!(
        told_one.tools_changed.load(Ordering::SeqCst) <= 2,
        "many changes are told together"
    );
    let before = told_one.tools_changed.load(Ordering::SeqCst);
    drop(registry.register(extra("short_lived")).unwrap());
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert_eq!(
        told_one.tools_changed.load(Ordering::SeqCst),
        before,
        "nothing changed in the end"
    );
    kept.truncate(10);
    until("the disposal is told", || {
        told_one.tools_changed.load(Ordering::SeqCst) > before
    })
    .await;
    assert!(!description(&client).await.contains("extra_49"));
}

// The whole SDK text is a resource, whatever the budget of the description.
#[tokio::test]
async fn the_sdk_text_is_a_resource() {
    let rig = Rig::new(Mode::Code).await;
    for n in 0..200 {
        let tool = extra(&format!("server__tool_number_{n}"));
        rig.gateway.registry().register(tool).unwrap().keep();
    }
    let client = rig.connect(Person::silent()).await;
    let listed = client.peer().list_all_resources().await.unwrap();
    assert_eq!(listed[0].uri, "lockgate://sdk.ts");
    let text = read(&client, "lockgate://sdk.ts").await.unwrap();
    assert_eq!(u64::try_from(text.len()).ok(), listed[0].size);
    for n in 0..200 {
        assert!(
            text.contains(&format!("server__tool_number_{n}: {{")),
            "{n}"
        );
    }
}

// Past runs can be read by who made them, and by nobody else.
#[tokio::test]
async fn traces_of_runs_are_resources_of_their_client() {
    let rig = Rig::new(Mode::Code).await;
    let person = Person::silent();
    let told = person.told.clone();
    let client = rig.connect(person).await;
    let other = rig.connect(Person::silent()).await;
    assert_eq!(client.peer().list_all_resources().await.unwrap().len(), 1);
    run(
        &client,
        program("return (await tools.add({ a: 1, b: 2 })).sum"),
    )
    .await;
    run(&client, program("throw new Error('second')")).await;
    until("it is told", || {
        told.resources_changed.load(Ordering::SeqCst) >= 1
    })
    .await;
    let listed = client.peer().list_all_resources().await.unwrap();
    assert_eq!(listed.len(), 3);
    assert_eq!(listed[1].description.as_deref(), Some("a test"));
    let newest = read(&client, &listed[1].uri).await.unwrap();
    assert!(
        newest.contains("second"),
        "the newest comes first: {newest}"
    );
    let trace = read(&client, &listed[2].uri).await.unwrap();
    let types: Vec<String> = trace
        .lines()
        .map(|line| {
            let event: lockgate::events::Recorded =
                lockgate::Json::parse(line).unwrap().deserialize().unwrap();
            let event = lockgate::Json::from_serialize(&event.event).unwrap();
            event["type"].as_str().unwrap().to_owned()
        })
        .collect();
    let expected = [
        "tool/call",
        "tool/code-dispatch-start",
        "tool/call",
        "tool/result",
        "tool/code-dispatch",
        "code/run",
        "tool/result",
    ];
    assert_eq!(types, expected);
    assert_eq!(other.peer().list_all_resources().await.unwrap().len(), 1);
    let error = read(&other, &listed[2].uri).await.unwrap_err().to_string();
    assert!(error.contains("there is no resource"), "{error}");
}

// A run that says much leaves a trace within its bounds that can still be read.
#[tokio::test]
async fn long_events_are_shortened_in_traces() {
    let rig = Rig::new(Mode::Code).await;
    let client = rig.connect(Person::silent()).await;
    run(&client, program("await tools.delete({ path: 'x'.repeat(1e6) }); console.log('y'.repeat(1e6)); throw new Error('z'.repeat(1e6))")).await;
    let listed = client.peer().list_all_resources().await.unwrap();
    let trace = read(&client, &listed[1].uri).await.unwrap();
    assert!(trace.len() < 200_000, "{}", trace.len());
    for line in trace.lines() {
        let line = lockgate::Json::parse(line).unwrap();
        line.deserialize::<lockgate::events::Recorded>().unwrap();
    }
}

// Lists wait for servers that start, but not for ever; calls wait until they are there.
#[tokio::test]
async fn lists_wait_for_servers_that_start() {
    let mut options = options();
    options.list_patience = Duration::from_millis(200);
    let rig = Rig::build(Mode::Code, None, options, |builder| builder).await;
    let (go, gone) = tokio::sync::oneshot::channel::<()>();
    rig.gateway.warm_up(async move { gone.await.unwrap() });
    let client = rig.connect(Person::silent()).await;
    assert!(
        description(&client).await.contains("declare const tools"),
        "after its patience"
    );
    let peer = client.peer().clone();
    let call = tokio::spawn(async move { peer.call_tool(program("return 1")).await });
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!call.is_finished());
    go.send(()).unwrap();
    assert_eq!(call.await.unwrap().unwrap().is_error, Some(false));
}

// A client of a newer protocol falls back to the newest that is spoken.
#[tokio::test]
async fn newer_clients_fall_back() {
    let rig = Rig::new(Mode::Code).await;
    let (near, far) = tokio::io::duplex(64 * 1024);
    let gateway = rig.gateway.clone();
    tokio::spawn(async move {
        let (input, output) = tokio::io::split(far);
        gateway.serve_stream(input, output).await.unwrap();
    });
    let client = rmcp::ServiceExt::serve((), near).await.unwrap();
    let version = client.peer().peer_info().unwrap().protocol_version.clone();
    assert_eq!(version, rmcp::model::ProtocolVersion::V_2025_11_25);
    let result = client.peer().call_tool(program("return 1")).await.unwrap();
    assert_eq!(text(&result), "1");
}
