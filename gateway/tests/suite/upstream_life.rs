//! A server's life: started when asked for, followed, cancelled, killed, restarted, stopped.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use lockgate::{CallRequest, ErrorCode, Registry, json};
use lockgate_gateway::ServerState;
use tokio_util::sync::CancellationToken;

use crate::{
    hostile_server::{entry, entry_with},
    support::{PATIENCE, Rig},
};

#[tokio::test(flavor = "multi_thread")]
async fn nothing_starts_before_it_is_asked_for() {
    let rig = Rig::unready(Registry::new(), &json!({"lazy": (entry("tools"))}));
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(rig.status("lazy").state, ServerState::Idle);
    assert_eq!(rig.status("lazy").starts, 0);
    assert!(rig.names().is_empty());
    rig.upstream.ready().await;
    assert_eq!(rig.status("lazy").state, ServerState::Ready);
    assert_eq!(rig.names().len(), 15);
    rig.upstream.shutdown().await;
    assert!(rig.registry.schemas().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unused_server_rests_until_the_next_call() {
    let own = json!({"idleTimeoutMs": 300});
    let rig = Rig::new(&json!({"idle": (entry_with("tools", &json!({}), &own))})).await;
    rig.until("it rests", |rig| {
        rig.status("idle").state == ServerState::Idle
    })
    .await;
    assert_eq!(rig.names().len(), 15, "its tools stay");
    assert_eq!(rig.value("echo", json!({})).await, json!("{}"));
    assert_eq!(rig.status("idle").starts, 2);
    rig.upstream.shutdown().await;
}

/// SPEC D7: the registry hears of exactly what changed.
#[tokio::test(flavor = "multi_thread")]
async fn a_changed_list_is_followed_by_its_difference() {
    let rig = Rig::new(&json!({"live": (entry("tools"))})).await;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let _listening = rig.registry.on_change({
        let heard = heard.clone();
        move |change| {
            heard.lock().unwrap().push(format!("{change:?}"));
            Ok(())
        }
    });
    rig.value("grow", json!({"to": 2})).await;
    rig.until("two tools more", |rig| rig.names().len() == 17)
        .await;
    rig.value("grow", json!({"to": 1})).await;
    rig.until("one less", |rig| rig.names().len() == 16).await;
    let heard: Vec<String> = heard.lock().unwrap().clone();
    let parts = [
        "Registered { name: \"grown_0\"",
        "Registered { name: \"grown_1\"",
        "Disposed { name: \"grown_1\"",
    ];
    assert_eq!(heard.len(), parts.len(), "{heard:?}");
    assert!(
        heard
            .iter()
            .zip(parts)
            .all(|(heard, part)| heard.starts_with(part)),
        "{heard:?}"
    );
    rig.upstream.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn colliding_names_come_and_go_with_their_servers_lists() {
    let rig = Rig::new(&json!({
        "a": (entry_with("tools", &json!({}), &json!({"allow": ["echo", "grow", "grown_*"]}))),
        "b c": (entry_with("tools", &json!({}), &json!({"allow": ["echo", "count", "grown_*", "grow"], "deny": ["gro?"]}))),
    }))
    .await;
    let names = |rig: &Rig| {
        rig.names()
            .iter()
            .map(|name| name.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&rig), ["a__echo", "b_c__echo", "count", "grow"]);
    let notes = rig.status("b c").notes;
    assert!(
        notes
            .iter()
            .any(|note| note.contains("its tool \"echo\" is called \"b_c__echo\"")),
        "{notes:?}"
    );
    let problems = rig.status("b c").problems;
    assert!(
        problems
            .iter()
            .any(|problem| problem.contains("the pattern \"grown_*\"")),
        "{problems:?}"
    );
    rig.value("grow", json!({"to": 1})).await;
    rig.until("the new tool keeps its own name", |rig| {
        names(rig).contains(&"grown_0".to_owned())
    })
    .await;
    rig.upstream.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_tells_the_server() {
    let notes = tempfile::NamedTempFile::new().unwrap();
    let env = json!({"NOTES": (notes.path().to_str().unwrap())});
    let rig =
        Rig::new(&json!({"slow": (entry_with("tools", &env, &json!({"callTimeoutMs": 60000})))}))
            .await;
    let read = || std::fs::read_to_string(notes.path()).unwrap();
    let signal = CancellationToken::new();
    let request = CallRequest::new("call", "hang", json!({})).signal(signal.clone());
    let registry = rig.registry.clone();
    let calling = tokio::spawn(async move { registry.execute(request).await });
    rig.until("the call hangs", |_| read().contains("hangs"))
        .await;
    let id = read().trim().strip_prefix("hangs ").unwrap().to_owned();
    signal.cancel();
    let result = tokio::time::timeout(PATIENCE, calling)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(result.error().unwrap().code(), Some(ErrorCode::Aborted));
    rig.until("the server heard", |_| {
        read().contains(&format!("cancelled {id}"))
    })
    .await;
    rig.upstream.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_fails_its_call_and_comes_back_while_others_go_on() {
    let rig = Rig::new(&json!({
        "a": (entry_with("tools", &json!({}), &json!({"allow": ["die", "echo", "hang"]}))),
        "b": (entry_with("tools", &json!({}), &json!({"allow": ["count", "give"]}))),
    }))
    .await;
    let (hanging, dying, other) = tokio::join!(
        rig.error("hang", json!({})),
        async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            rig.error("die", json!({})).await
        },
        async {
            for _ in 0..50 {
                assert_eq!(rig.value("count", json!({})).await, json!("1"));
            }
            "fifty"
        },
    );
    for error in [hanging, dying] {
        assert!(
            error.contains("the MCP server \"a\" was lost while")
                && error.contains("its process ended with code 9"),
            "{error}"
        );
    }
    assert_eq!(other, "fifty");
    // The next call waits for the restart.
    assert_eq!(
        rig.value("echo", json!({"again": true})).await,
        json!("{\"again\":true}")
    );
    assert_eq!((rig.status("a").starts, rig.status("b").starts), (2, 1));
    rig.upstream.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_keeps_failing_is_told_of_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let flag = dir.path().join("works");
    std::fs::write(&flag, "").unwrap();
    // Works as long as the flag is there.
    let bad = entry("tools");
    let mut args = vec![
        "-c".to_owned(),
        "test -e \"$0\" || { echo out of order >&2; exit 4; }; exec \"$@\"".to_owned(),
        flag.to_str().unwrap().to_owned(),
        bad["command"].as_str().unwrap().to_owned(),
    ];
    args.extend(
        bad["args"]
            .as_array()
            .unwrap()
            .iter()
            .map(|arg| arg.as_str().unwrap().to_owned()),
    );
    let server =
        json!({"command": "sh", "args": (lockgate::Json::from(args)), "env": (bad["env"].clone())});
    let rig = Rig::new(&json!({"flaky": (server)})).await;
    std::fs::remove_file(&flag).unwrap();
    rig.error("die", json!({})).await;
    // Backing off: 0.5 s, 1 s, 2 s, 4 s.
    rig.until("it is given time", |rig| {
        matches!(rig.status("flaky").state, ServerState::Down { retry_in, .. } if retry_in > Duration::from_secs(3))
    })
    .await;
    let starts = rig.status("flaky").starts;
    assert!((4..=6).contains(&starts), "{starts}");
    let error = rig.error("echo", json!({})).await;
    assert!(
        error.contains("the MCP server \"flaky\" is down: its process ended with code 4; it printed: out of order. It is tried again in "),
        "{error}"
    );
    std::fs::write(&flag, "").unwrap();
    rig.until("it is back by itself", |rig| {
        rig.status("flaky").state == ServerState::Ready
    })
    .await;
    assert_eq!(rig.value("echo", json!({})).await, json!("{}"));
    rig.upstream.shutdown().await;
}

/// What a server started goes with it.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_server_leaves_no_process() {
    let dir = tempfile::tempdir().unwrap();
    let pids = dir.path().join("pids");
    let bad = entry("tools");
    let mut args = vec![
        "-c".to_owned(),
        // Neither the shell nor its child goes by itself.
        "trap '' TERM; sleep 1000 & echo $! >> \"$0\"; echo $$ >> \"$0\"; \"$@\"; wait".to_owned(),
        pids.to_str().unwrap().to_owned(),
        bad["command"].as_str().unwrap().to_owned(),
    ];
    args.extend(
        bad["args"]
            .as_array()
            .unwrap()
            .iter()
            .map(|arg| arg.as_str().unwrap().to_owned()),
    );
    let server =
        json!({"command": "sh", "args": (lockgate::Json::from(args)), "env": (bad["env"].clone())});
    let rig = Rig::new(&json!({"stubborn": (server)})).await;
    assert_eq!(rig.value("echo", json!({})).await, json!("{}"));
    tokio::time::timeout(PATIENCE, rig.upstream.shutdown())
        .await
        .unwrap();
    for pid in std::fs::read_to_string(&pids).unwrap().lines() {
        let gone = || {
            // A zombie that nobody reaps has ended, too.
            std::fs::read_to_string(format!("/proc/{pid}/stat"))
                .map_or(true, |stat| stat.contains(") Z "))
        };
        let waited = tokio::time::timeout(PATIENCE, async {
            while !gone() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        assert!(waited.await.is_ok(), "process {pid} is still there");
    }
}
