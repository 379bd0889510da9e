//! `lockgate run`: one program, through the same pipeline as any agent's.

use std::{
    fs::File,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use lockgate::{
    CallRequest, RUN_CODE, Registry, ToolResult,
    code_runtime::{CodeLimits, CodeRuntime},
    events::{EventSink, FanOut, JsonLines, Recorder},
    json,
    sandbox::{Progress, Sandbox},
};
use tokio_util::sync::CancellationToken;

use crate::{
    PROGRAM_FAILED,
    args::{LimitArgs, RunArgs},
    otlp, report,
    toolset::{self, Failure},
};

/// What a shell expects of a program that was interrupted.
const INTERRUPTED: u8 = 130;

pub(crate) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let source = read_program(&args.program)?;
    // One thread drives the program and its calls; tools that block have threads of their own.
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let code = tokio.block_on(run_program(args, &source))?;
    // A tool that ignores its cancellation must not keep the process.
    tokio.shutdown_background();
    Ok(code)
}

async fn run_program(args: &RunArgs, source: &str) -> Result<ExitCode, Failure> {
    let mut sandbox = Sandbox::builder()
        .language(args.language())
        .max_concurrent_runs(1)
        .on_progress(announce);
    if let Some(engine) = args.engine {
        sandbox = sandbox.engine(engine.into());
    }
    if let Some(file) = args.python_guest.clone().or_else(python_guest) {
        sandbox = sandbox.python_guest(file);
    }
    for mount in &args.mount {
        sandbox = sandbox.mount(&mount.folder, &mount.path, mount.access);
    }
    let sandbox = sandbox.build().await?;
    let recorder = Arc::new(Recorder::new());
    let trace = args.trace.as_deref().map(open_trace).transpose()?;
    let (spans, export) = otlp::start(&args.otlp)?;
    let sinks = std::iter::once::<Arc<dyn EventSink>>(recorder.clone())
        .chain(trace.clone().map(|trace| trace as Arc<dyn EventSink>))
        .chain(spans);
    let printed = Arc::new(AtomicUsize::new(0));
    let runtime: Arc<dyn CodeRuntime> = Arc::new(sandbox);
    let mut builder = Registry::builder()
        .mode(args.mode.into())
        .max_parallel(args.max_parallel)
        .code_runtime(runtime)
        .code_limits(limits(&args.limits))
        .events(Arc::new(FanOut::new(sinks)));
    if !args.json {
        let printed = printed.clone();
        builder = builder.on_program_log(Arc::new(move |_, _, line| {
            printed.fetch_add(1, Ordering::Relaxed);
            print_line(line);
        }));
    }
    let registry = builder.build()?;
    toolset::register(&registry, &args.tools)?;
    let upstream = toolset::connect(&registry, &args.tools).await?;

    let signal = CancellationToken::new();
    let interrupted = Arc::new(AtomicBool::new(false));
    let watching = tokio::spawn({
        let (signal, interrupted) = (signal.clone(), interrupted.clone());
        async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                interrupted.store(true, Ordering::Relaxed);
                signal.cancel();
            }
        }
    });
    let arguments = json!({ "code": source, "description": "the program of the command line" });
    let result = registry
        .execute(CallRequest::new("run", RUN_CODE, arguments).signal(signal))
        .await;
    watching.abort();
    if let Some(upstream) = upstream {
        upstream.shutdown().await;
    }
    drop(registry);
    otlp::finish(export).await;
    if let Some(path) = &args.trace
        && let Some(error) = trace.and_then(|trace| trace.flush().err())
    {
        eprintln!(
            "lockgate: the trace {} is not whole: {error}",
            path.display()
        );
    }

    let report = report::Report::new(&recorder.events());
    if args.json {
        print_line(&report.to_json(&result).to_string());
    } else {
        print_outcome(&result, &report, printed.load(Ordering::Relaxed));
        eprintln!("{}", report.summary());
    }
    Ok(
        match (interrupted.load(Ordering::Relaxed), result.is_error()) {
            (true, _) => ExitCode::from(INTERRUPTED),
            (false, true) => ExitCode::from(PROGRAM_FAILED),
            (false, false) => ExitCode::SUCCESS,
        },
    )
}

/// A line reaches the file whole, as it happens: the trace of a process that is killed is still one.
pub(crate) fn open_trace(path: &Path) -> Result<Arc<JsonLines<File>>, Failure> {
    let file = File::create(path)
        .map_err(|error| format!("can't write the trace {}: {error}", path.display()))?;
    Ok(Arc::new(JsonLines::timed(file)))
}

fn read_program(path: &Path) -> Result<String, Failure> {
    let name = path.display();
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        std::io::stdin()
            .read_to_end(&mut bytes)
            .map_err(|error| format!("can't read the program from standard input: {error}"))?;
    } else {
        bytes = std::fs::read(path)
            .map_err(|error| format!("can't read the program {name}: {error}"))?;
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("the program {name} is not UTF-8 (at byte {at}); save it as UTF-8").into()
    })
}

pub(crate) fn limits(args: &LimitArgs) -> CodeLimits {
    const MIB: u64 = 1024 * 1024;
    let mut limits = CodeLimits::default();
    if let Some(ms) = args.compute_ms {
        limits.compute = Duration::from_millis(ms);
    }
    if let Some(ms) = args.wall_ms {
        limits.wall = Duration::from_millis(ms);
    }
    if let Some(mib) = args.memory_mb {
        limits.memory_bytes = mib * MIB;
    }
    if let Some(bytes) = args.max_output_bytes {
        limits.output_bytes = bytes;
    }
    if let Some(calls) = args.max_calls {
        limits.calls = calls;
    }
    limits
}

/// The file of the Python guest that the environment names.
pub(crate) fn python_guest() -> Option<PathBuf> {
    std::env::var_os("LOCKGATE_PYTHON_GUEST").map(Into::into)
}

pub(crate) fn announce(progress: &Progress) {
    match progress {
        Progress::Compiling { guest } => {
            let time = match *guest {
                "python" => "half a minute",
                _ => "a few seconds",
            };
            eprintln!("lockgate: compiling the {guest} guest for this machine (once; {time})…");
        }
        Progress::Compiled { guest, took } => {
            eprintln!(
                "lockgate: compiled the {guest} guest in {:.1} s",
                took.as_secs_f64()
            );
        }
        Progress::NotCached { guest, reason } => {
            eprintln!("lockgate: the compiled {guest} guest is not kept: {reason}");
        }
        _ => {}
    }
}

/// What was printed is on the screen already; what remains are warnings about the run, and the result or the error.
fn print_outcome(result: &ToolResult, report: &report::Report, printed: usize) {
    match result.value() {
        Some(value) => {
            let logs = value.get("logs").and_then(lockgate::Json::as_array);
            for line in logs.into_iter().flat_map(|logs| logs.iter()).skip(printed) {
                eprintln!("lockgate: {}", line.as_str().unwrap_or_default());
            }
            if let Some(result) = value.get("result") {
                print_line(
                    &result
                        .as_str()
                        .map_or_else(|| result.to_pretty_string(), str::to_owned),
                );
            }
        }
        None => eprintln!("{}", report.error_message(result)),
    }
}

/// A reader that went away, as in `| head`, is no error of the program.
fn print_line(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out
        .write_all(line.as_bytes())
        .and_then(|()| out.write_all(b"\n"));
}
