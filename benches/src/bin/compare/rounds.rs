//! Measures each work of each subject in interleaved rounds.

use std::path::Path;
use std::thread;
use std::time::Duration;

use lockgate_benches::driver::{Driver, Measured};
use lockgate_benches::stats::median;
use lockgate_benches::subject::{SUBJECTS, Subject};
use lockgate_benches::work::{self, Figure, WORKS, Work};
use serde::{Deserialize, Serialize};

use crate::options::Options;
use crate::startup::Startup;

/// How long one round of a subject should take, in µs of wall time.
const ROUND_MICROS: f64 = 200_000.0;
/// A work whose one iteration takes longer gets three rounds only.
const LONG_MICROS: f64 = 1_500_000.0;
const LONG_ROUNDS: usize = 3;
/// The most iterations of one round.
const MOST_ITERATIONS: f64 = 5000.0;
/// After this a driver is given up for the work.
const DEADLINE: Duration = Duration::from_secs(60);
/// The same for P7, which should end after a tenth of a second.
const STOP_DEADLINE: Duration = Duration::from_secs(20);

/// All figures of a comparison.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Figures {
    pub(crate) machine: String,
    pub(crate) rounds: usize,
    pub(crate) subjects: Vec<Measurable>,
    pub(crate) cells: Vec<Cell>,
    pub(crate) startup: Vec<Startup>,
}

/// A subject, or why it was left out.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Measurable {
    pub(crate) id: String,
    pub(crate) label: String,
    /// What it was, with its version.
    pub(crate) name: Option<String>,
    pub(crate) skipped: Option<String>,
}

/// A work of a subject.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Cell {
    pub(crate) work: String,
    pub(crate) subject: String,
    /// The figure of each round, in the unit of the work.
    pub(crate) rounds: Vec<f64>,
    /// Wall time of each round per part, in µs.
    pub(crate) wall_us: Vec<f64>,
    /// For P7: how long the host was silent, in ms.
    pub(crate) gap_ms: Option<f64>,
    /// For P8: how many runs were live.
    pub(crate) live: Option<u64>,
    /// Why there is no figure.
    pub(crate) reason: Option<String>,
}

impl Cell {
    pub(crate) fn figure(&self) -> Option<f64> {
        (!self.rounds.is_empty()).then(|| median(self.rounds.iter().copied()))
    }
}

impl Figures {
    pub(crate) fn cell(&self, subject: &str, work: &str) -> Option<&Cell> {
        self.cells
            .iter()
            .find(|cell| cell.subject == subject && cell.work == work)
    }
}

/// A subject with its driver; none while it can't run.
struct Contestant<'s> {
    subject: &'s Subject,
    driver: Result<Driver, String>,
}

struct Field<'s> {
    benches: &'s Path,
    report: &'s Path,
    contestants: Vec<Contestant<'s>>,
}

pub(crate) fn measure(options: &Options, benches: &Path, report: &Path) -> Figures {
    let contestants: Vec<_> = SUBJECTS
        .iter()
        .filter(|subject| options.wants_subject(subject.id))
        .map(|subject| Contestant {
            subject,
            driver: subject.start(benches, report),
        })
        .collect();
    let mut figures = Figures {
        machine: machine(),
        rounds: options.rounds,
        subjects: Vec::new(),
        cells: Vec::new(),
        startup: Vec::new(),
    };
    for Contestant { subject, driver } in &contestants {
        let (name, skipped) = match driver {
            Ok(driver) => (Some(driver.name.clone()), None),
            Err(reason) => (None, Some(reason.clone())),
        };
        eprintln!(
            "{:<20} {}",
            subject.id,
            name.as_deref().or(skipped.as_deref()).unwrap_or_default()
        );
        figures.subjects.push(Measurable {
            id: subject.id.to_owned(),
            label: subject.label.to_owned(),
            name,
            skipped,
        });
    }
    let mut field = Field {
        benches,
        report,
        contestants,
    };
    for work in WORKS.iter().filter(|work| options.wants_work(work.id)) {
        eprintln!("{}", work.title);
        let cells = if work.figure == Figure::Memory {
            field.memory(work)
        } else {
            field.work(work, options.rounds)
        };
        for cell in &cells {
            match (cell.figure(), &cell.reason) {
                (Some(figure), _) => eprintln!(
                    "  {:<20} {figure:>12.3} {}",
                    cell.subject,
                    work.figure.unit()
                ),
                (None, reason) => eprintln!(
                    "  {:<20} {}",
                    cell.subject,
                    reason.as_deref().unwrap_or_default()
                ),
            }
        }
        figures.cells.extend(cells);
    }
    figures
}

impl Field<'_> {
    /// The rounds of one work, subjects taking turns.
    fn work(&mut self, work: &Work, rounds: usize) -> Vec<Cell> {
        let mut cells: Vec<Cell> = Vec::new();
        let mut plans: Vec<Option<Plan>> = Vec::new();
        for index in 0..self.contestants.len() {
            let planned = self.plan(index, work);
            cells.push(Cell {
                work: work.id.to_owned(),
                subject: self.subject(index).id.to_owned(),
                reason: planned.as_ref().err().cloned(),
                ..Cell::default()
            });
            plans.push(planned.ok());
        }
        for round in 0..rounds {
            for turn in 0..self.contestants.len() {
                // Each round begins with another subject.
                let index = (turn + round) % self.contestants.len();
                let (Some(plan), Some(cell)) =
                    (plans.get(index).copied().flatten(), cells.get_mut(index))
                else {
                    continue;
                };
                if round >= plan.rounds {
                    continue;
                }
                match self.round(index, work, plan.iterations) {
                    Ok((figure, measured)) => {
                        cell.rounds.push(figure);
                        let parts = plan.iterations as f64 * f64::from(work.parts);
                        cell.wall_us.push(measured.wall_us / parts);
                        cell.gap_ms = measured
                            .gap_ms
                            .map(|gap| gap.max(cell.gap_ms.unwrap_or(0.0)));
                    }
                    Err(reason) => {
                        cell.rounds.clear();
                        cell.reason = Some(reason);
                        if let Some(plan) = plans.get_mut(index) {
                            *plan = None;
                        }
                    }
                }
            }
        }
        cells
    }

    fn subject(&self, index: usize) -> &Subject {
        self.contestants[index].subject
    }

    /// Tries a work out: whether it can be done, gives what it must, and how often it fits into a round.
    fn plan(&mut self, index: usize, work: &Work) -> Result<Plan, String> {
        let cannot = self.subject(index).cannot.iter();
        if let Some((_, reason)) = cannot.into_iter().find(|(id, _)| *id == work.id) {
            return Err((*reason).to_owned());
        }
        let driver = self.contestants[index].driver.as_ref();
        if !driver?.works.iter().any(|known| known == work.id) {
            return Err("can't do this".to_owned());
        }
        if work.figure == Figure::Late {
            self.ask(index, work.id, 1)?;
            return Ok(Plan {
                iterations: 3,
                rounds: LONG_ROUNDS,
            });
        }
        let first = self.ask(index, work.id, 1)?;
        let expected = match work.id {
            "p5a" => Some(work::report_sum()),
            _ => work.value,
        };
        if let Some(expected) = expected
            && first.value != Some(expected)
        {
            return Err(format!("gave {:?} instead of {expected}", first.value));
        }
        if first.wall_us > LONG_MICROS {
            return Ok(Plan {
                iterations: 1,
                rounds: LONG_ROUNDS,
            });
        }
        // Once more, warm, and often enough to be more than the way to the driver.
        let some = if first.wall_us < 20_000.0 { 20 } else { 1 };
        let each = self.ask(index, work.id, some)?.wall_us / some as f64;
        let iterations = if work.figure == Figure::WallOverHost {
            1
        } else {
            (ROUND_MICROS / each).clamp(1.0, MOST_ITERATIONS) as u64
        };
        Ok(Plan {
            iterations,
            rounds: usize::MAX,
        })
    }

    fn round(
        &mut self,
        index: usize,
        work: &Work,
        iterations: u64,
    ) -> Result<(f64, Measured), String> {
        let alone = match work.figure {
            Figure::WallOverHost => self.ask(index, "p4_host", iterations)?.wall_us,
            _ => 0.0,
        };
        let measured = self.ask(index, work.id, iterations)?;
        let runs = iterations as f64;
        let per_part = measured.cpu_us / (runs * f64::from(work.parts));
        let figure = match work.figure {
            Figure::CpuMicros => per_part,
            Figure::CpuMillis => per_part / 1e3,
            Figure::WallOverHost => (measured.wall_us - alone) / runs / 1e3,
            Figure::Late => measured.late_ms.unwrap_or(f64::NAN),
            Figure::Rate => runs / measured.wall_us * 1e6,
            Figure::Memory => f64::NAN,
        };
        Ok((figure, measured))
    }

    /// Asks a driver. One that does not answer is started anew, for the works that follow.
    fn ask(&mut self, index: usize, work: &str, iterations: u64) -> Result<Measured, String> {
        let contestant = &mut self.contestants[index];
        let driver = contestant.driver.as_mut().map_err(|error| error.clone())?;
        let deadline = if work == "p7" {
            STOP_DEADLINE
        } else {
            DEADLINE
        };
        let answer = driver.ask(work, iterations, deadline);
        if let Err(reason) = &answer
            && (reason.starts_with("no answer") || reason.starts_with("the process ended"))
        {
            contestant.driver = Err(reason.clone());
            contestant.driver = contestant.subject.start(self.benches, self.report);
        }
        answer
    }

    /// What live paused runs hold, each subject in a new process.
    fn memory(&mut self, work: &Work) -> Vec<Cell> {
        let wanted: u64 = if work.id == "p8_1000" { 1000 } else { 100 };
        let mut cells = Vec::new();
        for contestant in &self.contestants {
            let mut cell = Cell {
                work: work.id.to_owned(),
                subject: contestant.subject.id.to_owned(),
                ..Cell::default()
            };
            let live = wanted.min(contestant.subject.most_live);
            let held = match &contestant.driver {
                Err(reason) => Err(reason.clone()),
                Ok(_) if live < wanted && wanted > 100 => {
                    Err(format!("too big for the machine: {live} is the most"))
                }
                Ok(_) => self.hold(contestant.subject, live),
            };
            match held {
                Ok(megabytes) => {
                    cell.rounds.push(megabytes);
                    cell.live = Some(live);
                }
                Err(reason) => cell.reason = Some(reason),
            }
            cells.push(cell);
        }
        cells
    }

    /// MB that one of `live` paused runs holds.
    fn hold(&self, subject: &Subject, live: u64) -> Result<f64, String> {
        let mut driver = subject.start(self.benches, self.report)?;
        // Warm: what is loaded once is not a run's.
        driver.ask("p8", 1, DEADLINE)?;
        thread::sleep(Duration::from_millis(300));
        let before = driver.private_bytes();
        driver.ask("p8", live, DEADLINE)?;
        thread::sleep(Duration::from_millis(500));
        let after = driver.private_bytes();
        Ok((after as f64 - before as f64) / live as f64 / 1e6)
    }
}

#[derive(Clone, Copy, Debug)]
struct Plan {
    iterations: u64,
    rounds: usize,
}

/// The processor, its cores and the kernel.
fn machine() -> String {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let cpu = read("/proc/cpuinfo");
    let model = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("unknown processor", |(_, name)| name.trim());
    let cores = thread::available_parallelism().map_or(0, usize::from);
    let release = read("/proc/sys/kernel/osrelease");
    let kernel: Vec<&str> = release.split('.').take(2).collect();
    format!("{model}, {cores} cores, Linux {}", kernel.join("."))
}
