//! How cost grows: with registered tools, sub-calls, live paused runs and the size of what crosses.
//!
//! `cargo xtask bench growth` prints the curves as tables; `--docs` draws them into `docs/benchmarks`. CPU time of this process,
//! medians.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cpu_time::ProcessTime;
use lockgate::code_runtime::{CodeLanguage, CodeLimits};
use lockgate::sandbox::Sandbox;
use lockgate::{CallRequest, Json, Mode, Registry, RegistryBuilder, Tool, json};
use lockgate_benches::process_tree::private_bytes_of;
use lockgate_benches::stats::{digits, median};
use lockgate_benches::svg::{self, Curve};

type Failed = Box<dyn Error + Send + Sync>;

const ROUNDS: usize = 5;
/// A point is repeated until a round has taken so long.
const ROUND: Duration = Duration::from_millis(60);
/// Growth over the last step that still counts as linear: measuring errs, and so do caches.
const LINEAR: f64 = 1.25;

/// A picture, and the file that it goes to.
struct Picture {
    file: &'static str,
    title: &'static str,
    across: &'static str,
    up: &'static str,
    curves: Vec<Curve>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failed> {
    let docs = match std::env::args().nth(1).as_deref() {
        None => false,
        Some("--docs") => true,
        Some(other) => return Err(format!("{other} is no option; there is --docs").into()),
    };
    let sandbox = Arc::new(
        Sandbox::builder()
            .language(CodeLanguage::JavaScript)
            .max_concurrent_runs(1000)
            .build()
            .await?,
    );
    let builder = || {
        Registry::builder()
            .mode(Mode::Code)
            .code_runtime(sandbox.clone())
            .code_limits(CodeLimits {
                calls: 1_000_000,
                pending_calls: 100_000,
                ..CodeLimits::default()
            })
    };
    // Memory first, while the process holds nothing else.
    let pictures = [
        live_runs(builder()).await?,
        tools(&builder).await?,
        calls(builder()).await?,
        payloads(&builder).await?,
    ];
    let mut linear = true;
    for picture in &pictures {
        println!(
            "\n{}: {} against {}",
            picture.title, picture.up, picture.across
        );
        for curve in &picture.curves {
            linear &= print(curve);
        }
        if docs {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/benchmarks");
            let drawn = svg::curves(picture.title, picture.across, picture.up, &picture.curves);
            std::fs::write(folder.join(picture.file), drawn)?;
        }
    }
    println!(
        "\n{}",
        if linear {
            "every curve is linear or better"
        } else {
            "NOT every curve is linear or better"
        }
    );
    Ok(())
}

/// Prints a curve, and says whether its last step grew no more than what it is over did.
fn print(curve: &Curve) -> bool {
    let points: Vec<String> = curve
        .points
        .iter()
        .map(|(x, y)| format!("{} → {}", digits(*x), digits(*y)))
        .collect();
    let last = curve.points.iter().rev();
    let growth = match last.clone().next().zip(last.clone().nth(1)) {
        Some((last, before)) => (last.1 / before.1) / (last.0 / before.0),
        None => 0.0,
    };
    println!(
        "  {:<28} {}   (last step: {growth:.2} of linear)",
        curve.label,
        points.join(", ")
    );
    growth <= LINEAR
}

fn tool<F, R>(name: &str, body: F) -> Result<Tool, Failed>
where
    F: Fn(Json) -> R + Send + Sync + 'static,
    R: Future<Output = Json> + Send + 'static,
{
    let tool = Tool::builder(name, "A tool of the benchmarks, with a line that says what it is for.")
        .parameters(&json!({
            "type": "object",
            "properties": {"path": {"type": "string", "description": "Where."}, "depth": {"type": "integer"}},
        }))
        .output(&json!({}))
        .concurrency_safe(true)
        .execute(move |arguments, _| {
            let answer = body(arguments);
            async move { Ok(answer.await) }
        })
        .build()?;
    Ok(tool)
}

async fn run(registry: &Registry, program: &str) -> Result<(), Failed> {
    let arguments = json!({"code": program, "description": "a benchmark"});
    let result = registry
        .execute(CallRequest::new("bench", "run_code", arguments))
        .await;
    if result.is_error() {
        return Err(result.text().into());
    }
    Ok(())
}

/// The median CPU time of one go, in µs.
async fn cost(mut go: impl AsyncFnMut() -> Result<(), Failed>) -> Result<f64, Failed> {
    go().await?;
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let began = ProcessTime::now();
        let mut times = 0.0;
        while began.elapsed() < ROUND || times == 0.0 {
            go().await?;
            times += 1.0;
        }
        rounds.push(began.elapsed().as_secs_f64() * 1e6 / times);
    }
    Ok(median(rounds))
}

fn curve(label: &str) -> Curve {
    Curve {
        label: label.to_owned(),
        points: Vec::new(),
    }
}

/// 1 to 4,000 tools: registering them, assembling the prompt, and a run that sees them.
async fn tools(builder: &impl Fn() -> RegistryBuilder) -> Result<Picture, Failed> {
    let mut registering = curve("registering all, ms");
    let mut assembling = curve("assembling the prompt, ms");
    let mut running = curve("a run of return 1 + 1, ms");
    let mut calling = curve("a run with one call, ms");
    for count in [1, 4, 16, 63, 250, 1000, 4000_u32] {
        let x = f64::from(count);
        let register = || {
            let registry = builder().build()?;
            for index in 0..count {
                registry
                    .register(tool(&format!("tool_{index}"), |_| async { Json::Null })?)?
                    .keep();
            }
            Ok::<_, Failed>(registry)
        };
        let each = cost(async || register().map(drop)).await?;
        registering.points.push((x, each / 1e3));
        let registry = register()?;
        let each = cost(async || {
            registry.assemble()?;
            Ok(())
        })
        .await?;
        assembling.points.push((x, each / 1e3));
        let each = cost(async || run(&registry, "return 1 + 1").await).await?;
        running.points.push((x, each / 1e3));
        let each =
            cost(async || run(&registry, "return await tools.tool_0({ depth: 1 })").await).await?;
        calling.points.push((x, each / 1e3));
    }
    Ok(Picture {
        file: "growth-tools.svg",
        title: "Registered tools",
        across: "tools",
        up: "CPU time",
        curves: vec![registering, assembling, running, calling],
    })
}

/// 1 to 100,000 sub-calls in one run.
async fn calls(builder: RegistryBuilder) -> Result<Picture, Failed> {
    let registry = builder.build()?;
    registry
        .register(tool("noop", |_| async { Json::Null })?)?
        .keep();
    let mut sequential = curve("one after the other, ms a run");
    let mut parallel = curve("in one Promise.all, ms a run");
    for count in [1, 10, 100, 1000, 10_000, 100_000_u32] {
        let x = f64::from(count);
        let program =
            format!("for (let i = 0; i < {count}; i++) await tools.noop({{ depth: i }});");
        let each = cost(async || run(&registry, &program).await).await?;
        sequential.points.push((x, each / 1e3));
        let program = format!(
            "const calls = []; for (let i = 0; i < {count}; i++) calls.push(tools.noop({{ depth: i }})); await Promise.all(calls);"
        );
        let each = cost(async || run(&registry, &program).await).await?;
        parallel.points.push((x, each / 1e3));
    }
    Ok(Picture {
        file: "growth-calls.svg",
        title: "Sub-calls of one run",
        across: "sub-calls",
        up: "CPU time",
        curves: vec![sequential, parallel],
    })
}

/// 1 to 1,000 live paused runs: what they hold, and what starting them took.
async fn live_runs(builder: RegistryBuilder) -> Result<Picture, Failed> {
    let registry = builder.build()?;
    let hanging = Arc::new(AtomicUsize::new(0));
    let counted = hanging.clone();
    let hang = tool("hang", move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        std::future::pending()
    })?;
    registry.register(hang)?.keep();
    run(&registry, "return 1").await?;
    let before = private_bytes_of("self") as f64;
    let began = ProcessTime::now();
    let mut memory = curve("private memory, MB");
    let mut starting = curve("CPU time to start them, ms");
    let mut live = 0;
    let mut runs = Vec::new();
    for count in [1, 10, 100, 1000_usize] {
        while live < count {
            let registry = registry.clone();
            runs.push(tokio::spawn(async move {
                run(&registry, "await tools.hang({})").await
            }));
            live += 1;
            while hanging.load(Ordering::Relaxed) < live {
                tokio::task::yield_now().await;
            }
        }
        let spent = began.elapsed().as_secs_f64() * 1e3;
        let held = private_bytes_of("self") as f64 - before;
        memory.points.push((count as f64, held / 1e6));
        starting.points.push((count as f64, spent));
    }
    for run in runs {
        run.abort();
    }
    Ok(Picture {
        file: "growth-live-runs.svg",
        title: "Live paused runs",
        across: "runs",
        up: "memory and CPU time",
        curves: vec![memory, starting],
    })
}

/// 1 KB to 10 MB: a result into the program, an argument out of it, its own result.
async fn payloads(builder: &impl Fn() -> RegistryBuilder) -> Result<Picture, Failed> {
    let mut result = curve("a tool's result, ms");
    let mut argument = curve("a tool's argument, ms");
    let mut returned = curve("the program's result, ms");
    for kilobytes in [1, 10, 100, 1000, 10_000_usize] {
        let x = kilobytes as f64;
        // A row is 100 bytes of JSON text.
        let row = json!({"id": 1234567, "name": "A name of a product that is so long", "price": 12.75, "tags": ["red", "new", null]});
        let rows: Json = std::iter::repeat_n(row, kilobytes * 10).collect();
        let registry = builder().build()?;
        registry
            .register(tool("give", move |_| {
                let rows = rows.clone();
                async move { rows }
            })?)?
            .keep();
        registry
            .register(tool("take", |_| async { Json::Null })?)?
            .keep();
        let each =
            cost(async || run(&registry, "return (await tools.give({})).length").await).await?;
        result.points.push((x, each / 1e3));
        let build = format!(
            "const rows = []; for (let i = 0; i < {}; i++) rows.push({{ id: 1234567, name: \"A name of a product that is so long\", \
             price: 12.75, tags: [\"red\", \"new\", null] }});",
            kilobytes * 10
        );
        // What building the rows takes is not crossing.
        let building =
            cost(async || run(&registry, &format!("{build} return rows.length")).await).await?;
        let each =
            cost(async || run(&registry, &format!("{build} return tools.take({{ rows }})")).await)
                .await?;
        let crossing = |each: f64| (each - building).max(1.0);
        argument.points.push((x, crossing(each) / 1e3));
        let each = cost(async || run(&registry, &format!("{build} return rows")).await).await?;
        returned.points.push((x, crossing(each) / 1e3));
    }
    Ok(Picture {
        file: "growth-payloads.svg",
        title: "Size of what crosses",
        across: "KB of JSON text",
        up: "CPU time",
        curves: vec![result, argument, returned],
    })
}
