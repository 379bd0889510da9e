//! Calls that wait for somebody's approval stand aside: the others go on, and nothing overlaps that must not (SPEC E3, G).

#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use lockgate::{
    Approval, ApprovalOutcome, ApprovalRequest, BoxFuture, CallRequest, Decision, Json, Registry,
    json,
};
use tokio::sync::oneshot;

use crate::pipeline_support::{checked, open};

type Questions = Arc<Mutex<Vec<(String, oneshot::Sender<bool>)>>>;

/// Keeps questions until the test answers them.
struct Later(Questions);

impl Approval for Later {
    fn request(&self, request: ApprovalRequest) -> BoxFuture<'_, ApprovalOutcome> {
        let (answer, answered) = oneshot::channel();
        let id = request.call.id().to_string();
        self.0.lock().unwrap().push((id, answer));
        Box::pin(async move {
            match answered.await {
                Ok(true) => ApprovalOutcome::AllowedOnce,
                _ => ApprovalOutcome::Rejected { reason: None },
            }
        })
    }
}

struct Rig {
    registry: Registry,
    questions: Questions,
    ran: Arc<Mutex<Vec<String>>>,
    overlaps: Arc<AtomicUsize>,
}

/// `read` may overlap and `write` may not; calls with `ask` are asked about.
fn rig(lanes: usize) -> Rig {
    let questions = Questions::default();
    let registry = checked()
        .max_parallel(lanes)
        .approval(Later(questions.clone()))
        .build()
        .unwrap();
    let ran: Arc<Mutex<Vec<String>>> = Arc::default();
    let overlaps = Arc::new(AtomicUsize::new(0));
    // Readers count 1, a writer 1,000.
    let inside = Arc::new(AtomicUsize::new(0));
    for (name, weight) in [("read", 1), ("write", 1_000)] {
        let (ran, overlaps, inside) = (ran.clone(), overlaps.clone(), inside.clone());
        let tool = open(name)
            .concurrency_safe(name == "read")
            .execute(move |args, context| {
                let (overlaps, inside) = (overlaps.clone(), inside.clone());
                ran.lock().unwrap().push(context.call().id().to_string());
                async move {
                    let before = inside.fetch_add(weight, Ordering::SeqCst);
                    if before >= 1_000 || (weight == 1_000 && before > 0) {
                        overlaps.fetch_add(1, Ordering::SeqCst);
                    }
                    for _ in 0..args["pauses"].as_i64().unwrap_or(1) {
                        tokio::task::yield_now().await;
                    }
                    inside.fetch_sub(weight, Ordering::SeqCst);
                    Ok(Json::Null)
                }
            })
            .build()
            .unwrap();
        registry.register(tool).unwrap().keep();
    }
    registry
        .on_pre_execute(|call, next| async move {
            if call.arguments()["ask"].as_bool() == Some(true) {
                return Ok(Decision::Ask { reason: None });
            }
            next.run().await
        })
        .unwrap()
        .keep();
    Rig {
        registry,
        questions,
        ran,
        overlaps,
    }
}

impl Rig {
    fn asked(&self) -> Vec<String> {
        let questions = self.questions.lock().unwrap();
        questions.iter().map(|(id, _)| id.clone()).collect()
    }

    fn answer(&self, id: &str, allowed: bool) {
        let mut questions = self.questions.lock().unwrap();
        let at = questions.iter().position(|(asked, _)| asked == id).unwrap();
        questions.remove(at).1.send(allowed).unwrap();
    }

    fn ran(&self) -> Vec<String> {
        self.ran.lock().unwrap().clone()
    }
}

fn call(id: &str, name: &str, ask: bool) -> CallRequest {
    CallRequest::new(id, name, json!({"ask": ask}))
}

async fn settle() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
}

// All questions of a batch are there at once, and what is not asked about runs, also behind an exclusive call that is.
#[tokio::test]
async fn questions_wait_together_and_others_go_on() {
    let rig = rig(2);
    let agent = rig.registry.scope("agent");
    let calls = vec![
        call("w1", "write", true),
        call("r1", "read", false),
        call("r2", "read", true),
        call("w2", "write", false),
        call("w3", "write", true),
        call("r3", "read", false),
    ];
    let registry = rig.registry.clone();
    let batch = tokio::spawn(async move { registry.execute_batch(Some(&agent), calls).await });
    settle().await;
    assert_eq!(rig.asked(), ["w1", "r2", "w3"]);
    assert_eq!(rig.ran(), ["r1", "w2", "r3"]);
    rig.answer("w3", true);
    settle().await;
    assert_eq!(
        rig.ran(),
        ["r1", "w2", "r3", "w3"],
        "answers count in their own order"
    );
    rig.answer("w1", false);
    rig.answer("r2", true);
    let results = batch.await.unwrap();
    let failed: Vec<bool> = results.iter().map(lockgate::ToolResult::is_error).collect();
    assert_eq!(
        failed,
        [true, false, false, false, false, false],
        "in the order of the calls"
    );
    assert_eq!(rig.ran().last().map(String::as_str), Some("r2"));
    assert_eq!(rig.overlaps.load(Ordering::SeqCst), 0);
}

// Over many random schedules: an exclusive call runs alone, whenever its answer comes, and every call ends once.
#[tokio::test]
async fn exclusive_calls_run_alone_whenever_they_are_answered() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |bound: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % bound
    };
    for schedule in 0..500 {
        let rig = rig(1 + usize::try_from(random(3)).unwrap());
        let agent = rig.registry.scope("agent");
        let count = 1 + random(12);
        let calls: Vec<CallRequest> = (0..count)
            .map(|n| {
                let name = if random(2) == 0 { "read" } else { "write" };
                let arguments = json!({"ask": (random(2) == 0), "pauses": (random(5))});
                CallRequest::new(format!("{n}"), name, arguments)
            })
            .collect();
        let registry = rig.registry.clone();
        let batch = tokio::spawn(async move { registry.execute_batch(Some(&agent), calls).await });
        let mut denied = 0;
        while !batch.is_finished() {
            for _ in 0..random(10) {
                tokio::task::yield_now().await;
            }
            let asked = rig.asked();
            if !asked.is_empty() {
                let at = usize::try_from(random(asked.len() as u64)).unwrap();
                let allowed = random(3) > 0;
                denied += usize::from(!allowed);
                rig.answer(&asked[at], allowed);
            }
            tokio::task::yield_now().await;
        }
        let results = batch.await.unwrap();
        assert_eq!(results.len() as u64, count, "schedule {schedule}");
        assert_eq!(
            rig.ran().len() + denied,
            results.len(),
            "schedule {schedule}"
        );
        assert_eq!(
            rig.overlaps.load(Ordering::SeqCst),
            0,
            "schedule {schedule}"
        );
    }
}
