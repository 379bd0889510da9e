//! Whatever fails at whatever step of the host: that call fails or the run ends on time, its siblings go on, each start has one
//! settle, and the next run is as good as ever (SPEC C4, F, K4, M1).

#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::future::{pending, poll_fn};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use lockgate::code_runtime::{
    CallCompletion, CallHandler, CodeLanguage, CodeLimits, CodeRequest, CodeRuntime, FailureKind,
    ProgramCall,
};
use lockgate::events::{Event, EventSink, FanOut, InvariantChecker};
use lockgate::sandbox::Sandbox;
use lockgate::{
    Approval, ApprovalOutcome, ApprovalRequest, BoxFuture, CallRequest, Decision, Mode, Registry,
    RegistryBuilder, Scope, ToolCall, ToolError, ToolResult, json,
};
use tokio_util::sync::CancellationToken;

use crate::pipeline_support::{open, with_body};
use crate::sandbox_support::{JAVASCRIPT, TYPESCRIPT, cache, python, run_in, sandbox, tools};

/// Longer than any run below may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Three calls, of which the middle one meets the fault.
const PROGRAM: &str = "
    const settled = await Promise.allSettled([tools.good({ n: 1 }), tools.faulty({}), tools.good({ n: 2 })]);
    return settled.map((one) => one.status)";

/// Counts the starts and the settles of sub-calls.
#[derive(Default)]
struct Ledger {
    started: AtomicUsize,
    settled: AtomicUsize,
}

impl EventSink for Ledger {
    fn record(&self, event: &Event) {
        match event {
            Event::DispatchStarted { .. } => self.started.fetch_add(1, Ordering::SeqCst),
            Event::DispatchSettled { .. } => self.settled.fetch_add(1, Ordering::SeqCst),
            _ => 0,
        };
    }
}

struct House {
    registry: Registry,
    /// The agent that calls: only one can be asked about.
    agent: Scope,
    ledger: Arc<Ledger>,
    checker: Arc<InvariantChecker>,
}

impl House {
    fn new(configure: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> Self {
        static SHARED: LazyLock<Arc<Sandbox>> =
            LazyLock::new(|| Arc::new(sandbox(CodeLanguage::JavaScript)));
        let (ledger, checker) = (
            Arc::new(Ledger::default()),
            Arc::new(InvariantChecker::new()),
        );
        let sinks: [Arc<dyn EventSink>; 2] = [ledger.clone(), checker.clone()];
        let limits = CodeLimits {
            wall: Duration::from_millis(400),
            ..CodeLimits::default()
        };
        let builder = Registry::builder()
            .mode(Mode::Code)
            .code_runtime(SHARED.clone())
            .code_limits(limits)
            .cancellation_grace(Duration::from_millis(100))
            .events(Arc::new(FanOut::new(sinks)));
        let registry = configure(builder).build().unwrap();
        let good = open("good")
            .concurrency_safe(true)
            .execute(|args, _| async { Ok(args) });
        registry.register(good.build().unwrap()).unwrap().keep();
        Self {
            agent: registry.scope("agent"),
            registry,
            ledger,
            checker,
        }
    }

    fn request(&self, code: &str) -> CallRequest {
        let arguments = json!({"code": code, "description": "a test"});
        CallRequest::new("c", "run_code", arguments).agent(&self.agent)
    }

    async fn run(&self, code: &str) -> ToolResult {
        tokio::time::timeout(PATIENCE, self.registry.execute(self.request(code)))
            .await
            .expect("the run hangs")
    }

    #[track_caller]
    fn expect_balance(&self, fault: &str) {
        assert_eq!(self.checker.violations(), [""; 0], "{fault}");
        assert_eq!(
            self.ledger.started.load(Ordering::SeqCst),
            self.ledger.settled.load(Ordering::SeqCst),
            "{fault}"
        );
    }
}

/// What becomes of the call that meets a fault.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Then {
    /// It rejects; the run goes on.
    Rejects,
    /// Nothing: the fault is contained.
    Fulfills,
    /// The run ends by its wall limit.
    TimesOut,
}

/// A payload that panics once more when it is dropped.
struct Grenade;

impl Drop for Grenade {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("and once more");
        }
    }
}

fn is_faulty(call: &ToolCall) -> bool {
    &**call.name() == "faulty"
}

/// Registers `faulty` with a body that works.
fn works(registry: &Registry) {
    registry
        .register(with_body("faulty", |_, _| async { Ok(json!(1)) }))
        .unwrap()
        .keep();
}

type Install = fn(&Registry);

const FAULTS: [(&str, Install, Then); 26] = [
    (
        "a body's error",
        |registry| {
            keep(
                registry,
                with_body("faulty", |_, _| async { Err(ToolError::new("no")) }),
            )
        },
        Then::Rejects,
    ),
    (
        "a body's panic",
        |registry| {
            keep(
                registry,
                with_body("faulty", |_, _| async { panic!("boom") }),
            )
        },
        Then::Rejects,
    ),
    (
        "a panic before the body's future",
        |registry| {
            let tool = open("faulty").execute(|_, _| -> std::future::Ready<_> { panic!("boom") });
            keep(registry, tool.build().unwrap());
        },
        Then::Rejects,
    ),
    (
        "a panic that carries a panic",
        |registry| {
            let body = |_, _| async { std::panic::panic_any(Grenade) };
            keep(registry, with_body("faulty", body));
        },
        Then::Rejects,
    ),
    (
        "a hang",
        |registry| keep(registry, with_body("faulty", |_, _| pending())),
        Then::TimesOut,
    ),
    (
        "a channel that is closed",
        |registry| {
            let body = |_, _| async {
                let (_, receiver) = tokio::sync::oneshot::channel();
                receiver
                    .await
                    .map_err(|error| ToolError::new(error.to_string()))
            };
            keep(registry, with_body("faulty", body));
        },
        Then::Rejects,
    ),
    (
        "a value that its schema refuses",
        |registry| {
            let tool = open("faulty").output(&json!({"type": "string"}));
            let tool = tool.execute(|_, _| async { Ok(json!(1)) });
            keep(registry, tool.build().unwrap());
        },
        Then::Rejects,
    ),
    (
        "a body that cancels itself",
        |registry| {
            let body = |_, context: lockgate::RunContext| async move {
                context.signal().cancel();
                Ok(json!(1))
            };
            keep(registry, with_body("faulty", body));
        },
        Then::Rejects,
    ),
    (
        "a renderer's panic",
        |registry| {
            let tool = open("faulty").render(|_, _| panic!("boom"));
            let tool = tool.execute(|_, _| async { Ok(json!(1)) });
            keep(registry, tool.build().unwrap());
        },
        Then::Rejects,
    ),
    (
        "a classifier's panic",
        |registry| {
            let tool = open("faulty").concurrency_safe_if(|_| panic!("boom"));
            let tool = tool.execute(|_, _| async { Ok(json!(1)) });
            keep(registry, tool.build().unwrap());
        },
        Then::Fulfills,
    ),
    (
        "a finalizer's panic",
        |registry| {
            let tool = open("faulty").finalize_content(|_, _| panic!("boom"));
            let tool = tool.execute(|_, _| async { Ok(json!(1)) });
            keep(registry, tool.build().unwrap());
        },
        Then::Rejects,
    ),
    (
        "a gate's error",
        |registry| gate(registry, || async { Err(ToolError::new("no")) }),
        Then::Rejects,
    ),
    (
        "a gate's panic",
        |registry| gate(registry, || async { panic!("boom") }),
        Then::Rejects,
    ),
    (
        "a gate's denial",
        |registry| gate(registry, || async { Ok(Decision::deny("no")) }),
        Then::Rejects,
    ),
    (
        "a gate's hang",
        |registry| gate(registry, pending),
        Then::TimesOut,
    ),
    (
        "a gate that asks where nobody can be asked",
        |registry| gate(registry, || async { Ok(Decision::Ask { reason: None }) }),
        Then::Rejects,
    ),
    (
        "a guard's panic",
        |registry| {
            works(registry);
            let guard = |call: &ToolCall| {
                assert!(!is_faulty(call), "boom");
                None
            };
            registry.guard(guard).unwrap().keep();
        },
        Then::Rejects,
    ),
    (
        "a layer's error",
        |registry| layer(registry, |_| async { Err(ToolError::new("no")) }),
        Then::Rejects,
    ),
    (
        "a layer's panic before the body",
        |registry| layer(registry, |_| async { panic!("boom") }),
        Then::Rejects,
    ),
    (
        "a layer's panic after the body",
        |registry| {
            layer(registry, |next| async {
                let _ = next.run().await;
                panic!("boom")
            });
        },
        Then::Rejects,
    ),
    (
        "a layer's hang",
        |registry| layer(registry, |_| pending()),
        Then::TimesOut,
    ),
    (
        "a judge's error",
        |registry| judge(registry, || async { Err(ToolError::new("no")) }),
        Then::Rejects,
    ),
    (
        "a judge's panic",
        |registry| judge(registry, || async { panic!("boom") }),
        Then::Rejects,
    ),
    (
        "a judge's hang",
        |registry| judge(registry, pending),
        Then::TimesOut,
    ),
    (
        "an observer's panic",
        |registry| {
            works(registry);
            registry.on_result(|_, _| panic!("boom")).unwrap().keep();
        },
        Then::Fulfills,
    ),
    (
        "a log listener's panic",
        |registry| {
            works(registry);
            registry
                .on_dispatch_log(|_, _| panic!("boom"))
                .unwrap()
                .keep();
        },
        Then::Fulfills,
    ),
];

fn keep(registry: &Registry, tool: lockgate::Tool) {
    registry.register(tool).unwrap().keep();
}

fn gate<Fut>(registry: &Registry, decide: impl Fn() -> Fut + Send + Sync + 'static)
where
    Fut: Future<Output = Result<Decision, ToolError>> + Send + 'static,
{
    works(registry);
    let gate = move |call: ToolCall, next: lockgate::Next<ToolCall, Decision>| {
        let decided = is_faulty(&call).then(&decide);
        async move {
            match decided {
                Some(decided) => decided.await,
                None => next.run().await,
            }
        }
    };
    registry.on_pre_execute(gate).unwrap().keep();
}

fn layer<Fut>(
    registry: &Registry,
    execute: impl Fn(lockgate::Next<lockgate::Invocation, lockgate::Execution>) -> Fut
    + Send
    + Sync
    + 'static,
) where
    Fut: Future<Output = Result<lockgate::Execution, ToolError>> + Send + 'static,
{
    works(registry);
    let execute = Arc::new(execute);
    let layer =
        move |call: lockgate::Invocation,
              next: lockgate::Next<lockgate::Invocation, lockgate::Execution>| {
            let execute = is_faulty(call.call()).then(|| execute.clone());
            async move {
                match execute {
                    Some(execute) => execute(next).await,
                    None => next.run().await,
                }
            }
        };
    registry.on_execute(layer).unwrap().keep();
}

fn judge<Fut>(registry: &Registry, decide: impl Fn() -> Fut + Send + Sync + 'static)
where
    Fut: Future<Output = Result<lockgate::Verdict, ToolError>> + Send + 'static,
{
    works(registry);
    let judge = move |settled: lockgate::Settled,
                      next: lockgate::Next<lockgate::Settled, lockgate::Verdict>| {
        let decided = is_faulty(settled.call()).then(&decide);
        async move {
            match decided {
                Some(decided) => decided.await,
                None => next.run().await,
            }
        }
    };
    registry.on_post_execute(judge).unwrap().keep();
}

// SPEC C4, E, F1, K4, M1
#[tokio::test]
async fn a_fault_of_the_host_costs_its_own_call() {
    for (fault, install, then) in FAULTS {
        let house = House::new(|builder| builder);
        install(&house.registry);
        let result = house.run(PROGRAM).await;
        house.expect_balance(fault);
        match then {
            Then::Rejects | Then::Fulfills => {
                let status = match then {
                    Then::Rejects => "rejected",
                    _ => "fulfilled",
                };
                let value = result
                    .value()
                    .unwrap_or_else(|| panic!("{fault}: {}", result.text()));
                assert_eq!(
                    value["result"],
                    json!(["fulfilled", status, "fulfilled"]),
                    "{fault}"
                );
            }
            Then::TimesOut => {
                assert!(result.is_error(), "{fault}: {}", result.text());
                assert!(result.text().contains("wall"), "{fault}: {}", result.text());
            }
        }
        let next = house.run("return (await tools.good({ n: 3 })).n").await;
        assert_eq!(next.value().unwrap()["result"], json!(3), "{fault}");
        house.expect_balance(fault);
    }
}

/// Panics at the `n`-th event.
struct PanicsAt(AtomicU64);

impl EventSink for PanicsAt {
    fn record(&self, _: &Event) {
        assert_ne!(self.0.fetch_sub(1, Ordering::SeqCst), 0, "boom");
    }
}

// SPEC C4
#[tokio::test]
async fn a_sink_that_panics_at_any_event_ends_nothing() {
    for nth in 0..16 {
        let sink = Arc::new(PanicsAt(AtomicU64::new(nth)));
        let house = House::new(|builder| builder.events(sink));
        works(&house.registry);
        let result = house.run(PROGRAM).await;
        assert_eq!(
            result.value().unwrap()["result"],
            json!(["fulfilled", "fulfilled", "fulfilled"]),
            "{nth}"
        );
    }
}

/// An approval service that does one thing.
struct Service(Answer);

type Answer = fn() -> BoxFuture<'static, ApprovalOutcome>;

impl Approval for Service {
    fn request(&self, _: ApprovalRequest) -> BoxFuture<'_, ApprovalOutcome> {
        (self.0)()
    }
}

// SPEC E3
#[tokio::test]
async fn an_approval_that_fails_in_any_way_is_no_approval() {
    let services: [(&str, Answer); 5] = [
        ("rejects", || {
            Box::pin(async { ApprovalOutcome::Rejected { reason: None } })
        }),
        ("withdraws", || {
            Box::pin(async { ApprovalOutcome::Cancelled })
        }),
        ("has nobody", || {
            Box::pin(async { ApprovalOutcome::Unavailable })
        }),
        ("panics", || panic!("boom")),
        ("panics later", || Box::pin(async { panic!("boom") })),
    ];
    let yes: Answer = || Box::pin(async { ApprovalOutcome::AllowedOnce });
    for (what, service) in services.into_iter().chain([("allows", yes)]) {
        let house = House::new(|builder| builder.approval(Service(service)));
        gate(&house.registry, || async {
            Ok(Decision::Ask { reason: None })
        });
        let result = house.run(PROGRAM).await;
        house.expect_balance(what);
        let status = match what {
            "allows" => "fulfilled",
            _ => "rejected",
        };
        let value = result
            .value()
            .unwrap_or_else(|| panic!("{what}: {}", result.text()));
        assert_eq!(
            value["result"],
            json!(["fulfilled", status, "fulfilled"]),
            "{what}"
        );
    }
}

// SPEC E3, F: no wall time passes while a person decides, so the signal is what ends this run.
#[tokio::test]
async fn an_approval_that_never_comes_is_ended_by_the_signal() {
    let house = House::new(|builder| builder.approval(Service(|| Box::pin(pending()))));
    gate(&house.registry, || async {
        Ok(Decision::Ask { reason: None })
    });
    let signal = CancellationToken::new();
    let request = house.request(PROGRAM).signal(signal.clone());
    let run = tokio::time::timeout(PATIENCE, house.registry.execute(request));
    let cancel = async {
        // Longer than the wall limit.
        tokio::time::sleep(Duration::from_millis(600)).await;
        assert!(!signal.is_cancelled());
        signal.cancel();
        Instant::now()
    };
    let (result, cancelled) = tokio::join!(run, cancel);
    let result = result.expect("the run hangs");
    assert!(cancelled.elapsed() < Duration::from_secs(5));
    assert!(result.is_error(), "{}", result.text());
    house.expect_balance("never answers");
}

// SPEC F2, K4
#[tokio::test]
async fn a_signal_at_any_poll_ends_the_run_with_a_balanced_ledger() {
    let program = "
        for (let n = 0; n < 6; n++) await Promise.all([tools.slow({}), tools.good({ n }), tools.slow({})]);
        return 'done'";
    let mut finished = false;
    for polls in 0..200 {
        let house = House::new(|builder| builder);
        let slow = open("slow").concurrency_safe(true).execute(|_, _| async {
            for _ in 0..3 {
                tokio::task::yield_now().await;
            }
            Ok(json!(1))
        });
        keep(&house.registry, slow.build().unwrap());
        let signal = CancellationToken::new();
        let mut run = std::pin::pin!(
            house
                .registry
                .execute(house.request(program).signal(signal.clone()))
        );
        let mut polled = 0;
        let ended = poll_fn(|cx| {
            if polled == polls {
                signal.cancel();
            }
            polled += 1;
            run.as_mut().poll(cx)
        });
        let result = tokio::time::timeout(PATIENCE, ended)
            .await
            .expect("the run hangs");
        house.expect_balance(&format!("after {polls} polls"));
        assert!(house.checker.unsettled().is_empty());
        match result.value() {
            Some(value) => {
                assert_eq!(value["result"], json!("done"));
                finished = true;
                break;
            }
            None => assert!(result.is_error()),
        }
    }
    assert!(finished, "every poll of the run was met");
}

// SPEC K4, M1
#[tokio::test]
async fn a_run_that_is_dropped_at_any_poll_leaves_a_balanced_ledger() {
    let program = "for (;;) await Promise.all([tools.good({}), tools.slow({})])";
    for polls in 0..60 {
        let house = House::new(|builder| builder);
        let slow = with_body("slow", |_, _| async {
            tokio::task::yield_now().await;
            Ok(json!(1))
        });
        keep(&house.registry, slow);
        let mut run = Box::pin(house.registry.execute(house.request(program)));
        for _ in 0..polls {
            let polled = poll_fn(|cx| Poll::Ready(run.as_mut().poll(cx))).await;
            assert!(polled.is_pending());
            tokio::task::yield_now().await;
        }
        drop(run);
        house.expect_balance(&format!("after {polls} polls"));
    }
}

/// A handler that settles calls in a wrong way.
struct Wrong {
    way: Way,
    outbox: Vec<CallCompletion>,
    unsettled: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Twice,
    UnknownToo,
    Never,
    NeverAndDeniesIt,
    PanicsAtSubmit,
    PanicsAtPoll,
    PanicsAtCount,
}

impl CallHandler for Wrong {
    fn submit(&mut self, call: ProgramCall) {
        assert_ne!(self.way, Way::PanicsAtSubmit, "boom");
        self.unsettled += 1;
        let completion = |id: u32, value| CallCompletion {
            id,
            outcome: Ok(json!(value)),
        };
        match self.way {
            Way::Never | Way::NeverAndDeniesIt | Way::PanicsAtCount => {}
            Way::Twice => {
                let again = (0..3).map(|time| completion(call.id, time));
                self.outbox.extend(again.rev());
            }
            _ => {
                self.outbox.push(completion(call.id, 0));
                for id in [0, call.id + 1, call.id + 1000, u32::MAX] {
                    self.outbox.push(completion(id, 7));
                }
            }
        }
    }

    fn poll_completion(&mut self, _: &mut Context<'_>) -> Poll<CallCompletion> {
        assert_ne!(self.way, Way::PanicsAtPoll, "boom");
        match self.outbox.pop() {
            Some(completion) => {
                self.unsettled = self.unsettled.saturating_sub(1);
                Poll::Ready(completion)
            }
            None => Poll::Pending,
        }
    }

    fn unsettled(&self) -> usize {
        assert_ne!(self.way, Way::PanicsAtCount, "boom");
        match self.way {
            Way::NeverAndDeniesIt => 0,
            _ => self.unsettled,
        }
    }
}

// SPEC J6: completions for unknown or answered calls are ignored; a handler that panics takes only its own run along.
#[tokio::test]
async fn a_handler_that_settles_wrongly_harms_only_its_run() {
    let narrow = Sandbox::builder()
        .language(CodeLanguage::JavaScript)
        .cache(cache())
        .max_concurrent_runs(1)
        .build()
        .await
        .unwrap();
    for way in [
        Way::Twice,
        Way::UnknownToo,
        Way::Never,
        Way::NeverAndDeniesIt,
        Way::PanicsAtSubmit,
        Way::PanicsAtPoll,
        Way::PanicsAtCount,
    ] {
        let bindings = tools();
        let mut handler = Wrong {
            way,
            outbox: Vec::new(),
            unsettled: 0,
        };
        let source = "const a = await tools.echo(1); const b = await tools.echo(2); return [a, b]";
        let mut request = CodeRequest::new(source, &bindings, &mut handler);
        request.limits.wall = Duration::from_millis(200);
        let run = AssertUnwindSafe(narrow.run(request)).catch_unwind();
        let ended = tokio::time::timeout(PATIENCE, run)
            .await
            .expect("the run hangs");
        let panics = matches!(
            way,
            Way::PanicsAtSubmit | Way::PanicsAtPoll | Way::PanicsAtCount
        );
        assert_eq!(ended.is_err(), panics, "{way:?}");
        if let Ok(result) = ended {
            let outcome = result.unwrap().outcome;
            match way {
                Way::Twice | Way::UnknownToo => {
                    assert_eq!(outcome.unwrap(), Some(json!([0, 0])), "{way:?}")
                }
                Way::NeverAndDeniesIt => {
                    assert_eq!(outcome.unwrap_err().kind, FailureKind::Exception)
                }
                _ => assert_eq!(outcome.unwrap_err().kind, FailureKind::Timeout),
            }
        }
        // Its one slot is free again, and the guest in it is fresh.
        let (next, _) = run_in(&narrow, "return 1 + 1", CodeLimits::default()).await;
        assert_eq!(next.outcome.unwrap(), Some(json!(2)), "{way:?}");
    }
}

// SPEC J4: growth that is refused at any request ends in an error of the program or names the limit.
#[tokio::test]
async fn memory_may_be_refused_at_any_request() {
    let javascript = "
        const kept = [];
        try { for (;;) kept.push(new Array(1000).fill({ n: kept.length }), 'x'.repeat(5000) + kept.length) }
        catch (error) { kept.length = 0; return error.message }";
    let typescript = "enum E { A, B } const f = <T,>(x: T): T => x; return f(E.B)";
    let python_program = "
kept = []
try:
    while True: kept.append([{'n': len(kept)} for _ in range(500)])
except MemoryError:
    kept.clear()
    return 'refused'";
    let mut programs = vec![
        (&*JAVASCRIPT, javascript, 48),
        (&*TYPESCRIPT, typescript, 64),
    ];
    // CPython itself takes 12 MiB.
    programs.extend(python().map(|sandbox| (sandbox, python_program, 24)));
    for (sandbox, program, steps) in programs {
        for step in 0..steps {
            // Steps of one page at first, then of more.
            let pages = step + step * step / 4;
            let limits = CodeLimits {
                memory_bytes: pages * 65_536,
                compute: Duration::from_secs(20),
                ..CodeLimits::default()
            };
            let (result, _) = run_in(sandbox, program, limits).await;
            if let Err(failure) = result.outcome {
                assert!(
                    matches!(
                        failure.kind,
                        FailureKind::SandboxExit | FailureKind::Exception
                    ),
                    "{pages} pages: {failure:?}"
                );
            }
            assert!(
                result.usage.peak_memory_bytes <= pages * 65_536,
                "{pages}: {:?}",
                result.usage
            );
        }
    }
    let (next, _) = run_in(&JAVASCRIPT, "return 1 + 1", CodeLimits::default()).await;
    assert_eq!(next.outcome.unwrap(), Some(json!(2)));
}
