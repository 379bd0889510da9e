//! What the scheduler promises (SPEC G), over very many random schedules.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds nothing to look at fails"
)]

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use lockgate::{CallRequest, Decision, Registry, json};

use crate::pipeline_support::{checked, message, named, open};

/// Schedules that one test tries.
const SCHEDULES: u64 = 50_000;

/// xorshift: the same schedules each time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Prepared(i64),
    Began(i64),
    Ended(i64),
    Judged(i64),
    Result(i64),
}

type Marks = Arc<Mutex<Vec<Mark>>>;

async fn pauses(count: i64) {
    for _ in 0..count {
        tokio::task::yield_now().await;
    }
}

/// A registry whose one tool pauses as its arguments say, at every stage.
fn registry(lanes: usize, judged: bool, marks: &Marks) -> Registry {
    let registry = checked().max_parallel(lanes).build().unwrap();
    let number = |call: &lockgate::ToolCall, name: &str| {
        call.arguments()
            .get(name)
            .and_then(lockgate::Json::as_i64)
            .unwrap()
    };
    let log = marks.clone();
    let work = open("work")
        .concurrency_safe_if(|args| {
            args.get("safe").and_then(lockgate::Json::as_bool) == Some(true)
        })
        .execute(move |_, context| {
            let log = log.clone();
            async move {
                let id = number(context.call(), "id");
                log.lock().unwrap().push(Mark::Began(id));
                pauses(number(context.call(), "body")).await;
                log.lock().unwrap().push(Mark::Ended(id));
                Ok(json!(id))
            }
        })
        .build()
        .unwrap();
    registry.register(work).unwrap().keep();
    let log = marks.clone();
    registry
        .on_pre_execute(move |call, next| {
            let log = log.clone();
            async move {
                pauses(number(&call, "pre")).await;
                log.lock()
                    .unwrap()
                    .push(Mark::Prepared(number(&call, "id")));
                next.run().await
            }
        })
        .unwrap()
        .keep();
    if judged {
        let log = marks.clone();
        registry
            .on_post_execute(move |settled, next| {
                let log = log.clone();
                async move {
                    pauses(number(settled.call(), "post")).await;
                    log.lock()
                        .unwrap()
                        .push(Mark::Judged(number(settled.call(), "id")));
                    next.run().await
                }
            })
            .unwrap()
            .keep();
    }
    let log = marks.clone();
    registry
        .on_result(move |call, _| log.lock().unwrap().push(Mark::Result(number(call, "id"))))
        .unwrap()
        .keep();
    registry
}

async fn schedules(judged: bool, seed: u64) {
    let mut random = Random(seed);
    let marks = Marks::default();
    let registries: Vec<Registry> = (1..=4)
        .map(|lanes| registry(lanes, judged, &marks))
        .collect();
    let mut overlapped = 0_u64;
    let mut overtook = 0_u64;
    for schedule in 0..SCHEDULES {
        let lanes = 1 + usize::try_from(random.below(4)).unwrap();
        let calls = i64::try_from(1 + random.below(7)).unwrap();
        let mut safe = Vec::new();
        let requests = (0..calls)
            .map(|id| {
                safe.push(random.below(3) > 0);
                let mut pause = |most| i64::try_from(random.below(most)).unwrap();
                let args = json!({"id": id, "safe": safe[id as usize], "pre": pause(2), "body": pause(10), "post": pause(4)});
                CallRequest::new(id.to_string(), "work", args)
            })
            .collect();
        let results = registries[lanes - 1].execute_batch(None, requests).await;
        let marks = std::mem::take(&mut *marks.lock().unwrap());
        let context = || format!("schedule {schedule}, {lanes} lanes, safe {safe:?}: {marks:?}");

        // Each call has its own result, in the order of submission.
        let values: Vec<i64> = results
            .iter()
            .map(|result| result.value().unwrap().as_i64().unwrap())
            .collect();
        assert_eq!(values, (0..calls).collect::<Vec<_>>(), "{}", context());

        let ids =
            |kind: fn(&Mark) -> Option<i64>| marks.iter().filter_map(kind).collect::<Vec<_>>();
        let in_order: Vec<i64> = (0..calls).collect();
        // G1, G2: prepare and start in submission order.
        assert_eq!(
            ids(|mark| if let Mark::Prepared(id) = mark {
                Some(*id)
            } else {
                None
            }),
            in_order,
            "{}",
            context()
        );
        assert_eq!(
            ids(|mark| if let Mark::Began(id) = mark {
                Some(*id)
            } else {
                None
            }),
            in_order,
            "{}",
            context()
        );
        // G2: with policy that looks at results, commits in submission order; each call settles once in any case.
        let committed = ids(|mark| {
            if let Mark::Result(id) = mark {
                Some(*id)
            } else {
                None
            }
        });
        if judged {
            assert_eq!(
                ids(|mark| if let Mark::Judged(id) = mark {
                    Some(*id)
                } else {
                    None
                }),
                in_order,
                "{}",
                context()
            );
            assert_eq!(committed, in_order, "{}", context());
        } else {
            assert_eq!(
                committed.iter().copied().collect::<BTreeSet<_>>().len(),
                committed.len(),
                "{}",
                context()
            );
            overtook += u64::from(committed != in_order);
        }

        let mut running = BTreeSet::new();
        let mut barrier = None;
        for mark in &marks {
            match *mark {
                Mark::Prepared(id) | Mark::Began(id) => {
                    // G1: while an exclusive call holds its barrier, no other gets into the pipeline.
                    assert!(barrier.is_none_or(|held| held == id), "{}", context());
                    if matches!(mark, Mark::Began(_)) {
                        if !safe[usize::try_from(id).unwrap()] {
                            assert!(running.is_empty(), "{}", context());
                            barrier = Some(id);
                        }
                        running.insert(id);
                        assert!(running.len() <= lanes, "{}", context());
                        overlapped += u64::from(running.len() > 1);
                    }
                }
                Mark::Ended(id) => assert!(running.remove(&id), "{}", context()),
                Mark::Judged(_) => {}
                Mark::Result(id) => {
                    // The barrier falls when its call is committed, not when its body ends.
                    if barrier == Some(id) {
                        barrier = None;
                    }
                }
            }
        }
    }
    assert!(
        overlapped > SCHEDULES / 2,
        "the schedules hardly overlap: {overlapped}"
    );
    assert!(
        judged || overtook > SCHEDULES / 20,
        "no call overtakes another: {overtook}"
    );
}

// SPEC G1, G2
#[tokio::test]
async fn g1_g2_random_schedules_without_post_execute_policy() {
    schedules(false, 0x9e37_79b9_7f4a_7c15).await;
}

// SPEC G1, G2
#[tokio::test]
async fn g1_g2_random_schedules_with_post_execute_policy() {
    schedules(true, 0x2545_f491_4f6c_dd1d).await;
}

// SPEC G3: what is hidden, unknown, invalid or panics runs alone; the class is read again before the start.
#[tokio::test]
async fn g3_only_an_exact_yes_is_parallel_and_it_is_read_again() {
    let registry = checked().build().unwrap();
    let peak = Arc::new(Mutex::new((0_usize, 0_usize)));
    let counted = |name: &str, peak: &Arc<Mutex<(usize, usize)>>| {
        let peak = peak.clone();
        open(name).execute(move |_, _| {
            let peak = peak.clone();
            async move {
                {
                    let mut peak = peak.lock().unwrap();
                    peak.0 += 1;
                    peak.1 = peak.1.max(peak.0);
                }
                tokio::time::sleep(Duration::from_millis(2)).await;
                peak.lock().unwrap().0 -= 1;
                Ok(json!(null))
            }
        })
    };
    registry
        .register(
            counted("safe", &peak)
                .concurrency_safe(true)
                .build()
                .unwrap(),
        )
        .unwrap()
        .keep();
    registry
        .register(counted("silent", &peak).build().unwrap())
        .unwrap()
        .keep();
    registry
        .register(
            counted("panics", &peak)
                .concurrency_safe_if(|_| panic!("boom"))
                .build()
                .unwrap(),
        )
        .unwrap()
        .keep();
    // Says yes when it is asked first and no after that.
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let fickle = counted("fickle", &peak).concurrency_safe_if(move |_| {
        asked
            .fetch_add(1, std::sync::atomic::Ordering::Relaxed)
            .is_multiple_of(2)
    });
    registry.register(fickle.build().unwrap()).unwrap().keep();
    for (name, most) in [("safe", 4), ("silent", 1), ("panics", 1), ("fickle", 1)] {
        let calls = (0..4)
            .map(|id| CallRequest::new(id.to_string(), name, json!({})))
            .collect();
        assert!(
            registry
                .execute_batch(None, calls)
                .await
                .iter()
                .all(|result| !result.is_error())
        );
        assert_eq!(std::mem::take(&mut *peak.lock().unwrap()).1, most, "{name}");
    }
}

// SPEC G1: lanes.
#[tokio::test]
async fn g1_no_more_calls_overlap_than_there_are_lanes() {
    let registry = checked().max_parallel(10).build().unwrap();
    let sleep = open("sleep")
        .concurrency_safe(true)
        .execute(|_, _| async {
            tokio::time::sleep(Duration::from_millis(10)).await;
            Ok(json!(null))
        })
        .build()
        .unwrap();
    registry.register(sleep).unwrap().keep();
    let calls = (0..100)
        .map(|id| CallRequest::new(id.to_string(), "sleep", json!({})))
        .collect();
    let began = Instant::now();
    assert_eq!(registry.execute_batch(None, calls).await.len(), 100);
    assert!(
        began.elapsed() >= Duration::from_millis(100),
        "{:?}",
        began.elapsed()
    );
}

// Each call of a batch has its own end.
#[tokio::test]
async fn a_batch_gives_each_call_its_own_result() {
    let registry = checked().build().unwrap();
    registry.register(named("good")).unwrap().keep();
    registry
        .register(
            open("bad")
                .execute(|_, _| async { panic!("boom") })
                .build()
                .unwrap(),
        )
        .unwrap()
        .keep();
    registry
        .on_pre_execute(|call, next| async move {
            if call.id().starts_with("denied") {
                Ok(Decision::deny("no"))
            } else {
                next.run().await
            }
        })
        .unwrap()
        .keep();
    let calls = [
        ("1", "good"),
        ("2", "bad"),
        ("3", "missing"),
        ("denied", "good"),
        ("5", "good"),
    ];
    let calls = calls
        .map(|(id, name)| CallRequest::new(id, name, json!({})))
        .into();
    let results = registry.execute_batch(None, calls).await;
    assert_eq!(results[0].value(), Some(&json!("good")));
    assert!(message(&results[1]).contains("boom"));
    assert!(message(&results[2]).contains("missing"));
    assert_eq!(message(&results[3]), "no");
    assert_eq!(results[4].value(), Some(&json!("good")));
}
