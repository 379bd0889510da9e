//! Asking the person behind a client before a call runs.

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use lockgate::{Mode, code_runtime::CodeLimits};
use lockgate_gateway::policy::ArgumentsDigest;
use rmcp::model::{ClientRequest, ElicitResult, ElicitationAction};
use rmcp::service::PeerRequestOptions;
use serde_json::json;

use crate::downstream_support::{
    Form, PATIENCE, Person, Rig, accept, options, program, run, text, until,
};

const ASK_TO_DELETE: &str =
    r#"{"rules": [{"tool": "delete", "action": "ask", "reason": "files are precious"}]}"#;
const DELETE_THREE: &str = "const paths = ['a', 'b', 'c'];
    const ended = await Promise.allSettled(paths.map((path) => tools.delete({ path })));
    return ended.map((one) => one.value ?? one.reason.message);";

// SPEC E3: the person sees the exact call, and what is allowed runs once.
#[tokio::test]
async fn an_allowed_call_runs() {
    let rig = Rig::with_policy(ASK_TO_DELETE).await;
    let person = Person::answering(|_| accept(json!({"decision": "allow"})));
    let told = person.told.clone();
    let client = rig.connect(person).await;
    let result = run(
        &client,
        program("return await tools.delete({ path: 'a', force: true })"),
    )
    .await;
    assert_eq!(text(&result), "deleted a");
    let forms = told.forms();
    let message = &forms[0].message;
    let digest = ArgumentsDigest::of("delete", &lockgate::json!({"path": "a", "force": true}));
    for part in [
        "1. delete\n{\"force\":true,\"path\":\"a\"}",
        "Why: files are precious",
        &digest.to_string(),
    ] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(
        forms[0].schema["properties"]["decision"]["enum"],
        json!(["allow", "deny"])
    );
    // Once means once.
    run(
        &client,
        program("await tools.delete({ path: 'a', force: true })"),
    )
    .await;
    assert_eq!(told.forms().len(), 2);
}

// SPEC E3: whatever is not a clear yes is a no, with its own text.
#[tokio::test]
async fn everything_else_is_denied() {
    for (answer, expected) in [
        (accept(json!({"decision": "deny"})), "`delete` was rejected"),
        (
            accept(json!({"decision": "deny", "reason": "ask me tomorrow"})),
            "`delete` was rejected: ask me tomorrow",
        ),
        (accept(json!({})), "`delete` was rejected"),
        (
            accept(json!({"decision": "allow all"})),
            "`delete` was rejected",
        ),
        (accept(json!({"decision": true})), "`delete` was rejected"),
        (accept(json!("allow")), "`delete` was rejected"),
        (
            ElicitResult::new(ElicitationAction::Accept),
            "`delete` was rejected",
        ),
        (
            ElicitResult::new(ElicitationAction::Decline)
                .with_content(json!({"decision": "allow"})),
            "`delete` was rejected",
        ),
        (
            ElicitResult::new(ElicitationAction::Cancel),
            "the approval of `delete` was cancelled",
        ),
    ] {
        let rig = Rig::with_policy(ASK_TO_DELETE).await;
        let client = rig
            .connect(Person::answering(move |_| answer.clone()))
            .await;
        let result = run(
            &client,
            program("return await tools.delete({ path: 'a' }).catch((e) => e.message)"),
        )
        .await;
        assert_eq!(text(&result), expected);
        assert_eq!(rig.seen.calls(), [""; 0], "nothing ran");
    }
}

// A client that can't ask its person: denied, and said so.
#[tokio::test]
async fn where_nobody_can_be_asked_it_is_denied() {
    let rig = Rig::with_policy(ASK_TO_DELETE).await;
    let client = rig.connect(Person::silent()).await;
    let result = run(&client, program("await tools.delete({ path: 'a' })")).await;
    assert_eq!(result.is_error, Some(true));
    assert!(
        text(&result).contains("nobody can be asked now"),
        "{}",
        text(&result)
    );
    assert_eq!(rig.seen.calls(), [""; 0]);
}

// A fan-out is one form; other calls go on meanwhile, also those behind it.
#[tokio::test]
async fn a_fan_out_is_asked_at_once_and_others_go_on() {
    let rig = Rig::with_policy(ASK_TO_DELETE).await;
    let person = Person::pondering();
    let told = person.told.clone();
    let client = rig.connect(person).await;
    let code = format!("const adding = tools.add({{ a: 1, b: 1 }}); const deleting = (async () => {{ {DELETE_THREE} }})();
        await adding; await tools.add({{ a: 2, b: 2 }}); return await deleting;");
    let peer = client.peer().clone();
    let running = tokio::spawn(async move { peer.call_tool(program(&code)).await });
    until("the form is there", || !told.forms().is_empty()).await;
    until("the others went on", || {
        rig.seen.calls() == ["add 2", "add 4"]
    })
    .await;
    assert_eq!(told.forms().len(), 1);
    assert!(
        told.forms()[0].message.contains("3 calls"),
        "{}",
        told.forms()[0].message
    );
    assert_eq!(rig.gateway.calls_in_flight(), 1);
    running.abort();
}

// Of several calls those run that were ticked; each box is bound to its call's arguments.
#[tokio::test]
async fn several_calls_can_be_allowed_one_by_one() {
    let rig = Rig::with_policy(ASK_TO_DELETE).await;
    let client = rig
        .connect(Person::answering(|form: &Form| {
            let fields = form.fields();
            assert_eq!(fields[0], "decision");
            let digest = ArgumentsDigest::of("delete", &lockgate::json!({"path": "b"})).short();
            assert_eq!(fields[2], format!("allow_2_{digest}"));
            accept(json!({
                "decision": "allow those ticked below",
                (fields[2].as_str()): true,
                (fields[3].as_str()): false,
                "allow_1_00000000": true,
                "reason": "only b",
            }))
        }))
        .await;
    let result = run(&client, program(DELETE_THREE)).await;
    let expected = json!([
        "`delete` was rejected: only b",
        "deleted b",
        "`delete` was rejected: only b"
    ]);
    assert_eq!(result.structured_content.unwrap()["result"], expected);
    assert_eq!(rig.seen.calls(), ["delete b"]);
}

#[tokio::test]
async fn several_calls_can_be_allowed_together() {
    let rig = Rig::with_policy(ASK_TO_DELETE).await;
    let person = Person::answering(|_| accept(json!({"decision": "allow all"})));
    let told = person.told.clone();
    let client = rig.connect(person).await;
    let result = run(&client, program(DELETE_THREE)).await;
    let expected = json!(["deleted a", "deleted b", "deleted c"]);
    assert_eq!(result.structured_content.unwrap()["result"], expected);
    assert_eq!(
        rig.seen.calls(),
        ["delete a", "delete b", "delete c"],
        "in their order"
    );
    assert_eq!(told.forms().len(), 1);
}

// Equal calls are one entry that says how often.
#[tokio::test]
async fn equal_calls_are_one_entry() {
    let rig = Rig::with_policy(ASK_TO_DELETE).await;
    let person = Person::answering(|_| accept(json!({"decision": "allow"})));
    let told = person.told.clone();
    let client = rig.connect(person).await;
    let code = "return (await Promise.all([{ path: 'a', force: true }, { force: true, path: 'a' }].map((args) => tools.delete(args)))).length";
    assert_eq!(text(&run(&client, program(code)).await), "2");
    assert!(
        told.forms()[0].message.contains("1. delete (2 times)"),
        "{}",
        told.forms()[0].message
    );
    assert_eq!(rig.seen.calls().len(), 2);
}

// Forms stay readable: many calls take several, one after the other.
#[tokio::test]
async fn a_long_list_comes_in_parts() {
    let rig = Rig::with_policy(ASK_TO_DELETE).await;
    let person = Person::answering(|_| accept(json!({"decision": "allow all"})));
    let told = person.told.clone();
    let client = rig.connect(person).await;
    let code = "const paths = Array.from({ length: 60 }, (_, i) => 'file' + i);
        return (await Promise.all(paths.map((path) => tools.delete({ path })))).length";
    assert_eq!(text(&run(&client, program(code)).await), "60");
    assert_eq!(told.forms().len(), 3, "25 + 25 + 10");
}

// What could make a person see other text than there is stands as an escape, and long arguments are cut and said to be.
#[tokio::test]
async fn nothing_in_a_form_deceives() {
    let rig = Rig::with_policy(ASK_TO_DELETE).await;
    let person = Person::answering(|_| accept(json!({"decision": "deny"})));
    let told = person.told.clone();
    let client = rig.connect(person).await;
    let code = r"await tools.delete({ path: 'a\u202Etxt.exe\u200B\u001b[2J' + '\n'.repeat(3) + 'x'.repeat(100000) })";
    run(&client, program(code)).await;
    let message = &told.forms()[0].message;
    assert!(message.contains(r"a\u{202e}txt.exe\u{200b}"), "{message}");
    assert!(!message.contains(['\u{202e}', '\u{200b}', '\u{1b}']));
    assert!(
        message.contains("more characters that are not shown"),
        "{message}"
    );
    assert!(message.len() < 10_000);
}

// SPEC J4: neither budget runs while a person decides. The wall limit is shorter than the answer takes.
#[tokio::test]
async fn budgets_stand_still_while_a_person_decides() {
    let wall = Duration::from_secs(2);
    let limits = CodeLimits {
        wall,
        ..CodeLimits::default()
    };
    let rig = Rig::build(Mode::Code, Some(ASK_TO_DELETE), options(), |builder| {
        builder.code_limits(limits)
    })
    .await;
    let person = Person::answering(|_| accept(json!({"decision": "allow"}))).after(wall * 2);
    let client = rig.connect(person).await;
    let began = Instant::now();
    let result = run(&client, program("return await tools.delete({ path: 'a' })")).await;
    assert_eq!(text(&result), "deleted a");
    assert!(began.elapsed() > wall);
    // The clock goes on when there is anything else to wait for.
    let code = "await Promise.all([tools.delete({ path: 'a' }), tools.hang({})])";
    let result = run(&client, program(code)).await;
    assert!(
        text(&result).contains("[timeout: wall"),
        "{}",
        text(&result)
    );
    assert_eq!(rig.seen.calls(), ["delete a"]);
}

// A person who does not answer in time: the form is withdrawn, the call denied.
#[tokio::test]
async fn a_question_has_its_time() {
    let mut options = options();
    options.approval_timeout = Duration::from_millis(200);
    let rig = Rig::build(Mode::Code, Some(ASK_TO_DELETE), options, |builder| builder).await;
    let person = Person::pondering();
    let told = person.told.clone();
    let client = rig.connect(person).await;
    let result = run(
        &client,
        program("return await tools.delete({ path: 'a' }).catch((e) => e.message)"),
    )
    .await;
    assert!(
        text(&result).contains("nobody can be asked now"),
        "{}",
        text(&result)
    );
    until("the form is withdrawn", || {
        told.forms_withdrawn.load(Ordering::SeqCst) == 1
    })
    .await;
}

// SPEC F2: a call that is cancelled while it waits for an answer never runs, and its form is withdrawn.
#[tokio::test]
async fn cancelling_withdraws_the_question() {
    let rig = Rig::with_policy(ASK_TO_DELETE).await;
    let person = Person::pondering();
    let told = person.told.clone();
    let client = rig.connect(person).await;
    let request = ClientRequest::CallToolRequest(rmcp::model::Request::new(program(DELETE_THREE)));
    let handle = client
        .peer()
        .send_cancellable_request(request, PeerRequestOptions::no_options())
        .await
        .unwrap();
    until("the form is there", || !told.forms().is_empty()).await;
    handle.cancel(None).await.unwrap();
    until("the form is withdrawn", || {
        told.forms_withdrawn.load(Ordering::SeqCst) == 1
    })
    .await;
    until("no call is left", || rig.gateway.calls_in_flight() == 0).await;
    assert_eq!(rig.seen.calls(), [""; 0]);
}

// A program that ends without awaiting its question takes it back.
#[tokio::test]
async fn an_abandoned_question_is_withdrawn() {
    let rig = Rig::with_policy(ASK_TO_DELETE).await;
    let person = Person::pondering();
    let told = person.told.clone();
    let client = rig.connect(person).await;
    let code = "tools.delete({ path: 'a' }); await new Promise((done) => setTimeout(done, 300)); return 'over'";
    let result = tokio::time::timeout(PATIENCE, run(&client, program(code)))
        .await
        .unwrap();
    assert!(
        text(&result).starts_with("Warning: ") || text(&result).contains("over"),
        "{}",
        text(&result)
    );
    until("the form is withdrawn", || {
        told.forms_withdrawn.load(Ordering::SeqCst) == 1
    })
    .await;
    assert_eq!(rig.seen.calls(), [""; 0]);
}
