//! Lockgate as a subject: the same works by the same protocol, through the public API.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use lockgate::Json;
use lockgate::code_runtime::{CodeLanguage, CodeLimits};
use lockgate::sandbox::Sandbox;
use serde::Deserialize;
use serde_json::json as line;
use tokio::sync::Semaphore;

use crate::work::{self, Work};

mod bare;
mod registry;

use registry::{Tools, registry};

/// An error of a work, as text: it goes into the table.
type Failed = Box<dyn std::error::Error + Send + Sync>;

/// How the programs are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// `run_code` of a registry: the whole pipeline round the program and round each sub-call.
    Pipeline,
    /// The same with a gate, a guard, a layer, a verdict, an observer and a sink of events at work.
    Guarded,
    /// The sandbox alone, with a handler that answers at once.
    Bare,
}

/// The time after which P7 stops its program.
const STOP: Duration = Duration::from_millis(100);
/// Bodies of `sleep` at one time: the registry's default, kept by hand where there is no registry.
const LANES: usize = 10;

/// Serves requests on standard input until it ends.
///
/// # Errors
/// Standard output is gone.
pub fn serve(door: Door, language: CodeLanguage) -> std::io::Result<()> {
    let mut output = std::io::stdout().lock();
    let host = match Host::new(door, language) {
        Ok(host) => host,
        Err(error) => return writeln!(output, "{}", line!({ "skip": error.to_string() })),
    };
    let mut works: Vec<&str> = work::WORKS
        .iter()
        .filter(|work| host.language_of(work).is_some())
        .map(|work| work.id)
        .filter(|id| !id.starts_with("p8"))
        .collect();
    works.extend(["p4_host", "p8"]);
    writeln!(output, "{}", line!({ "peer": host.name(), "works": works }))?;
    output.flush()?;
    for text in std::io::stdin().lock().lines() {
        let answer = match serde_json::from_str::<Request>(&text?) {
            Ok(request) => host.answer(&request),
            Err(error) => line!({ "error": error.to_string() }),
        };
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

#[derive(Deserialize)]
struct Request {
    work: String,
    iterations: u32,
}

struct Host {
    door: Door,
    language: CodeLanguage,
    tokio: tokio::runtime::Runtime,
    /// For P9 alone: as many threads as cores.
    threads: tokio::runtime::Runtime,
    doors: RefCell<HashMap<Setting, Arc<dyn RunProgram>>>,
    /// Runs that never end, kept alive.
    held: RefCell<Vec<tokio::task::JoinHandle<Result<Json, Failed>>>>,
    hanging: Arc<AtomicUsize>,
}

/// What a door is built for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Setting {
    language: CodeLanguage,
    compute: Duration,
    slots: u32,
}

/// Runs the body of an async function in a fresh sandbox.
trait RunProgram: Send + Sync {
    fn run<'a>(&'a self, source: &'a str) -> lockgate::BoxFuture<'a, Result<Json, Failed>>;
}

impl Host {
    fn new(door: Door, language: CodeLanguage) -> Result<Host, Failed> {
        let host = Host {
            door,
            language,
            tokio: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?,
            threads: tokio::runtime::Builder::new_multi_thread()
                .enable_all()
                .build()?,
            doors: RefCell::default(),
            held: RefCell::default(),
            hanging: Arc::default(),
        };
        host.door_for(host.setting(language))?;
        Ok(host)
    }

    fn name(&self) -> String {
        let version = env!("CARGO_PKG_VERSION");
        let how = match self.door {
            Door::Pipeline => "run_code, whole pipeline",
            Door::Guarded => "run_code, whole pipeline with listeners",
            Door::Bare => "sandbox alone",
        };
        let language = match self.language {
            CodeLanguage::Python => "Python",
            _ => "JavaScript and TypeScript",
        };
        format!("Lockgate {version} ({language}), {how}")
    }

    fn setting(&self, language: CodeLanguage) -> Setting {
        Setting {
            language,
            compute: CodeLimits::default().compute,
            slots: 64,
        }
    }

    /// The language in which this host does a work.
    fn language_of(&self, work: &Work) -> Option<CodeLanguage> {
        let languages: &[CodeLanguage] = match self.language {
            CodeLanguage::Python => &[CodeLanguage::Python],
            _ => &[CodeLanguage::JavaScript, CodeLanguage::TypeScript],
        };
        languages
            .iter()
            .copied()
            .find(|language| work.program(*language).is_some())
    }

    fn door_for(&self, setting: Setting) -> Result<Arc<dyn RunProgram>, Failed> {
        if let Some(door) = self.doors.borrow().get(&setting) {
            return Ok(door.clone());
        }
        let sandbox = Sandbox::builder()
            .language(setting.language)
            .max_concurrent_runs(setting.slots)
            .build_blocking()?;
        let limits = CodeLimits {
            compute: setting.compute,
            ..CodeLimits::default()
        };
        let tools = Tools {
            report: Json::parse(&work::report().to_string())?,
            hanging: self.hanging.clone(),
        };
        let door: Arc<dyn RunProgram> = match self.door {
            Door::Bare => Arc::new(bare::Bare::new(sandbox, limits, tools)),
            Door::Pipeline | Door::Guarded => {
                let guarded = self.door == Door::Guarded;
                Arc::new(registry(Arc::new(sandbox), limits, &tools, guarded)?)
            }
        };
        self.doors.borrow_mut().insert(setting, door.clone());
        Ok(door)
    }

    fn answer(&self, request: &Request) -> serde_json::Value {
        let began = Instant::now();
        let done = match request.work.as_str() {
            "p4_host" => self.host_alone(request.iterations),
            "p7" => self.stops(request.iterations),
            "p8" => self.hold(request.iterations),
            "p9" => self.on_all_cores(request.iterations),
            id => self.repeat(id, request.iterations),
        };
        let wall = began.elapsed().as_secs_f64() * 1e6;
        match done {
            Ok(mut answer) => {
                answer["wall_us"] = wall.into();
                answer
            }
            Err(error) => line!({ "error": error.to_string() }),
        }
    }

    fn repeat(&self, id: &str, iterations: u32) -> Result<serde_json::Value, Failed> {
        let work = work::find(id).ok_or("there is no such work")?;
        let language = self
            .language_of(work)
            .ok_or("no program in this language")?;
        let source = work.program(language).unwrap_or_default();
        let door = self.door_for(self.setting(language))?;
        let value = self.tokio.block_on(async {
            let mut value = Json::Null;
            for _ in 0..iterations {
                value = door.run(source).await?;
            }
            Ok::<_, Failed>(value)
        })?;
        Ok(line!({ "value": value.as_f64() }))
    }

    /// The calls of P4 without a program: what the lanes and the timer alone take.
    fn host_alone(&self, iterations: u32) -> Result<serde_json::Value, Failed> {
        self.tokio.block_on(async {
            for _ in 0..iterations {
                let lanes = Arc::new(Semaphore::new(LANES));
                let calls: Vec<_> = (0..100)
                    .map(|_| tokio::spawn(sleep_in(lanes.clone(), 10)))
                    .collect();
                for call in calls {
                    call.await?;
                }
            }
            Ok::<_, Failed>(())
        })?;
        Ok(line!({ "value": 100 }))
    }

    fn stops(&self, iterations: u32) -> Result<serde_json::Value, Failed> {
        let work = work::find("p7").ok_or("there is no such work")?;
        let language = self
            .language_of(work)
            .ok_or("no program in this language")?;
        let source = work.program(language).unwrap_or_default();
        let door = self.door_for(Setting {
            compute: STOP,
            ..self.setting(language)
        })?;
        let (mut late, mut gap) = (Vec::new(), Duration::ZERO);
        self.tokio.block_on(async {
            for _ in 0..iterations {
                let longest = Arc::new(std::sync::Mutex::new((Instant::now(), Duration::ZERO)));
                let ticking = tokio::spawn(tick(longest.clone()));
                tokio::task::yield_now().await;
                let began = Instant::now();
                if door.run(source).await.is_ok() {
                    return Err("the loop ended".into());
                }
                late.push((began.elapsed().as_secs_f64() - STOP.as_secs_f64()) * 1e3);
                ticking.abort();
                note(&longest);
                if let Ok(longest) = longest.lock() {
                    gap = gap.max(longest.1);
                }
            }
            Ok::<_, Failed>(())
        })?;
        Ok(line!({
            "value": 0,
            "late_ms": crate::stats::median(late),
            "gap_ms": gap.as_secs_f64() * 1e3,
        }))
    }

    fn hold(&self, count: u32) -> Result<serde_json::Value, Failed> {
        let work = work::find("p8_100").ok_or("there is no such work")?;
        let language = self
            .language_of(work)
            .ok_or("no program in this language")?;
        let source = work.program(language).unwrap_or_default();
        let door = self.door_for(Setting {
            slots: 1000,
            ..self.setting(language)
        })?;
        self.tokio.block_on(async {
            for _ in 0..count {
                let door = door.clone();
                let running = tokio::spawn(async move { door.run(source).await });
                self.held.borrow_mut().push(running);
            }
            while self.hanging.load(Ordering::Relaxed) < count as usize {
                if let Some(ended) = self.held.borrow().iter().find(|run| run.is_finished()) {
                    return Err(Failed::from(format!("a run ended: {ended:?}")));
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            Ok(())
        })?;
        Ok(line!({ "value": count }))
    }

    fn on_all_cores(&self, iterations: u32) -> Result<serde_json::Value, Failed> {
        let work = work::find("p9").ok_or("there is no such work")?;
        let language = self
            .language_of(work)
            .ok_or("no program in this language")?;
        let source = work.program(language).unwrap_or_default();
        let door = self.door_for(self.setting(language))?;
        let lanes = std::thread::available_parallelism()?.get() as u32;
        self.threads.block_on(async {
            let running: Vec<_> = (0..lanes)
                .map(|_| {
                    let door = door.clone();
                    tokio::spawn(async move {
                        for _ in 0..iterations.div_ceil(lanes) {
                            door.run(source).await?;
                        }
                        Ok::<_, Failed>(())
                    })
                })
                .collect();
            for lane in running {
                lane.await??;
            }
            Ok::<_, Failed>(())
        })?;
        Ok(line!({ "value": 2 }))
    }
}

/// Notes the longest time between two notes.
fn note(longest: &std::sync::Mutex<(Instant, Duration)>) {
    if let Ok(mut longest) = longest.lock() {
        let now = Instant::now();
        longest.1 = longest
            .1
            .max((now - longest.0).saturating_sub(Duration::from_millis(1)));
        longest.0 = now;
    }
}

/// Another task on the same thread, which would like to run every millisecond.
async fn tick(longest: Arc<std::sync::Mutex<(Instant, Duration)>>) {
    loop {
        tokio::time::sleep(Duration::from_millis(1)).await;
        note(&longest);
    }
}

async fn sleep_in(lanes: Arc<Semaphore>, ms: u64) {
    let _lane = lanes.acquire().await;
    tokio::time::sleep(Duration::from_millis(ms)).await;
}
