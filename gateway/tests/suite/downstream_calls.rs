//! Calls of a client: results, progress, log lines, cancellation.

use std::sync::atomic::Ordering;

use lockgate::{Mode, json};
use rmcp::{model::ClientRequest, service::PeerRequestOptions};

use crate::downstream_support::{PATIENCE, Person, Rig, call, options, program, run, text, until};

// SPEC H4: what was printed and what was returned, as text and as structured content.
#[tokio::test]
async fn a_program_gives_text_and_structured_content() {
    let rig = Rig::new(Mode::Code).await;
    let client = rig.connect(Person::silent()).await;
    let code =
        "const { sum } = await tools.add({ a: 1, b: 2 }); console.log('sum', sum); return { sum };";
    let result = run(&client, program(code)).await;
    assert_eq!(result.is_error, Some(false), "{}", text(&result));
    assert_eq!(text(&result), "sum 3\n{\n  \"sum\": 3\n}");
    let structured = serde_json::json!({"logs": ["sum 3"], "result": {"sum": 3}});
    assert_eq!(result.structured_content, Some(structured));
}

// SPEC H5, E2
#[tokio::test]
async fn failures_are_results_that_the_model_can_read() {
    let rig = Rig::new(Mode::Code).await;
    let client = rig.connect(Person::silent()).await;
    for (params, expected) in [
        (program("throw new Error('no luck')"), "no luck"),
        (program("return ("), "program.ts:1:9"),
        (
            program("return await tools.add({ a: 'x', b: 2 })"),
            "args.a",
        ),
        (
            call("add", json!({"a": 1, "b": 2})),
            "call `run_code` with a program",
        ),
        (call("nothing", json!({})), "nothing"),
        (
            call("run_code", json!({"code": "return 1"})),
            "args.description",
        ),
    ] {
        let result = run(&client, params).await;
        assert_eq!(result.is_error, Some(true));
        assert!(text(&result).starts_with("Error: "), "{}", text(&result));
        assert!(text(&result).contains(expected), "{}", text(&result));
        assert_eq!(result.structured_content, None);
    }
}

// SPEC H1: in mode `both` the tools can be called by themselves, too.
#[tokio::test]
async fn mode_both_serves_the_tools_as_well() {
    let rig = Rig::new(Mode::Both).await;
    let client = rig.connect(Person::silent()).await;
    let tools = client.peer().list_all_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(
        names,
        ["add", "delete", "hang", "nest", "picture", "run_code"]
    );
    assert!(tools[0].output_schema.is_some(), "its output is an object");
    assert!(tools[1].output_schema.is_none(), "its output is a string");
    let result = run(&client, call("add", json!({"a": 20, "b": 22}))).await;
    assert_eq!(
        result.structured_content,
        Some(serde_json::json!({"sum": 42}))
    );
    let result = run(&client, call("delete", json!({"path": "x"}))).await;
    assert_eq!(
        (text(&result), result.structured_content),
        ("deleted x".to_owned(), None)
    );
}

// SPEC K5: media of sub-calls come with the outer result; several clients show their model structured content alone, so
// there is none beside them.
#[tokio::test]
async fn pictures_come_with_the_result_and_without_structured_content() {
    let rig = Rig::new(Mode::Code).await;
    let client = rig.connect(Person::silent()).await;
    for (code, error) in [
        (
            "await tools.picture({}); await tools.picture({}); return 'done'",
            false,
        ),
        (
            "await tools.picture({}); await tools.picture({}); throw new Error('late')",
            true,
        ),
    ] {
        let result = run(&client, program(code)).await;
        assert_eq!(result.is_error, Some(error));
        let images = result.content.iter().filter_map(|block| block.as_image());
        let images: Vec<_> = images
            .map(|image| (&*image.data, &*image.mime_type))
            .collect();
        assert_eq!(images, [("aGk=", "image/png"); 2]);
        assert_eq!(result.structured_content, None);
    }
}

// SPEC A5: what clients can't parse is not sent to them as a structure, however deep it is.
#[tokio::test]
async fn deep_values_leave_as_text_only() {
    let rig = Rig::new(Mode::Both).await;
    let client = rig.connect(Person::silent()).await;
    let code = "return await tools.nest({ levels: 5000 })";
    let result = run(&client, program(code)).await;
    assert_eq!(result.is_error, Some(false), "{}", text(&result));
    assert_eq!(result.structured_content, None);
    let result = run(&client, call("nest", json!({"levels": 5000}))).await;
    assert_eq!(
        result.is_error,
        Some(true),
        "its output schema asks for structured content"
    );
    assert!(
        text(&result).contains("nests 5001 levels"),
        "{}",
        text(&result)
    );
    let result = run(&client, call("nest", json!({"levels": 20}))).await;
    assert_eq!(result.is_error, Some(false));
}

// SPEC K3: progress tells of each sub-call once when it starts and once when it settles, and only grows.
#[tokio::test]
async fn progress_tells_of_every_sub_call() {
    let rig = Rig::new(Mode::Code).await;
    let person = Person::silent();
    let told = person.told.clone();
    let client = rig.connect(person).await;
    let code = "await Promise.all([1, 2, 3].map((a) => tools.add({ a, b: 0 }))); await tools.delete({ path: 'p' })";
    // This client sends a progress token with every request.
    run(&client, program(code)).await;
    until("all is told", || told.progress.lock().unwrap().len() >= 8).await;
    let progress = told.progress.lock().unwrap().clone();
    let numbers: Vec<f64> = progress.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    assert_eq!(progress[0].1, "add started (1 started, 0 settled)");
    assert_eq!(progress[7].1, "delete completed (4 started, 4 settled)");
}

// SPEC J5: lines come as they are printed, at the level that was asked for and above.
#[tokio::test]
#[expect(
    deprecated,
    reason = "the protocol version that is spoken has log messages"
)]
async fn log_lines_are_messages_where_asked_for() {
    let rig = Rig::new(Mode::Code).await;
    let person = Person::silent();
    let told = person.told.clone();
    let client = rig.connect(person).await;
    let level = rmcp::model::SetLevelRequestParams::new(rmcp::model::LoggingLevel::Warning);
    client.peer().set_level(level).await.unwrap();
    run(
        &client,
        program("console.log('low'); console.warn('high'); console.error('higher')"),
    )
    .await;
    until("both lines came", || told.logs.lock().unwrap().len() >= 2).await;
    assert_eq!(*told.logs.lock().unwrap(), ["high", "higher"]);
}

// SPEC F1, K4: the client's cancellation reaches the sub-calls.
#[tokio::test]
async fn cancelling_a_call_fires_its_signal() {
    let rig = Rig::new(Mode::Code).await;
    let client = rig.connect(Person::silent()).await;
    let request = ClientRequest::CallToolRequest(rmcp::model::Request::new(program(
        "await Promise.all([tools.hang({}), tools.hang({})])",
    )));
    let handle = client
        .peer()
        .send_cancellable_request(request, PeerRequestOptions::no_options())
        .await
        .unwrap();
    until("both hang", || rig.seen.waiting.load(Ordering::SeqCst) == 2).await;
    handle
        .cancel(Some("no longer needed".to_owned()))
        .await
        .unwrap();
    until("both are cancelled", || {
        rig.seen.cancelled.load(Ordering::SeqCst) == 2
    })
    .await;
    until("no call is left", || rig.gateway.calls_in_flight() == 0).await;
    let result = run(&client, program("return 'still there'")).await;
    assert_eq!(text(&result), "still there");
}

// A client that goes away cancels its calls, and they are awaited.
#[tokio::test]
async fn disconnecting_cancels_the_calls() {
    let rig = Rig::new(Mode::Code).await;
    let client = rig.connect(Person::silent()).await;
    let stays = rig.connect(Person::silent()).await;
    let peer = client.peer().clone();
    let running =
        tokio::spawn(async move { peer.call_tool(program("await tools.hang({})")).await });
    until("it hangs", || rig.seen.waiting.load(Ordering::SeqCst) == 1).await;
    client.cancel().await.unwrap();
    until("it is cancelled", || {
        rig.seen.cancelled.load(Ordering::SeqCst) == 1
    })
    .await;
    until("no call is left", || rig.gateway.calls_in_flight() == 0).await;
    until("the client is forgotten", || rig.gateway.clients() == 1).await;
    assert!(running.await.unwrap().is_err());
    assert_eq!(text(&run(&stays, program("return 'here'")).await), "here");
}

// The limit of calls in flight names itself.
#[tokio::test]
async fn a_call_too_many_fails_at_once() {
    let mut options = options();
    options.max_calls = 1;
    let rig = Rig::build(Mode::Code, None, options, |builder| builder).await;
    let client = rig.connect(Person::silent()).await;
    let peer = client.peer().clone();
    let first = tokio::spawn(async move { peer.call_tool(program("await tools.hang({})")).await });
    until("it hangs", || rig.seen.waiting.load(Ordering::SeqCst) == 1).await;
    let refused = run(&client, program("return 1")).await;
    assert_eq!(refused.is_error, Some(true));
    assert!(
        text(&refused).contains("limit max_calls: 1"),
        "{}",
        text(&refused)
    );
    rig.seen.go_on.notify_one();
    assert_eq!(first.await.unwrap().unwrap().is_error, Some(false));
    assert_eq!(
        run(&client, program("return 1")).await.is_error,
        Some(false)
    );
}

// A gateway that shuts down cancels and awaits what runs.
#[tokio::test]
async fn shutting_down_ends_everything() {
    let rig = Rig::new(Mode::Code).await;
    let client = rig.connect(Person::silent()).await;
    let peer = client.peer().clone();
    tokio::spawn(async move { peer.call_tool(program("await tools.hang({})")).await });
    until("it hangs", || rig.seen.waiting.load(Ordering::SeqCst) == 1).await;
    rig.gateway.shutdown(PATIENCE).await;
    assert_eq!(rig.seen.cancelled.load(Ordering::SeqCst), 1);
    assert_eq!(rig.gateway.calls_in_flight(), 0);
    until("the client hears of it", || {
        client.peer().is_transport_closed()
    })
    .await;
}
