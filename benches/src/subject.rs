//! Who is compared: Lockgate through its doors, and its peers.

use std::path::Path;
use std::process::Command;

use lockgate::code_runtime::CodeLanguage;

use crate::driver::Driver;
use crate::ours::Door;

/// One column of the table.
#[derive(Debug)]
pub struct Subject {
    /// Its name on the command line and in the JSON.
    pub id: &'static str,
    /// The head of its column.
    pub label: &'static str,
    /// The language of its programs; JavaScript stands for TypeScript, too.
    pub language: CodeLanguage,
    start: Start,
    /// Live paused runs that the machine can hold of it, where 1,000 are too many.
    pub most_live: u64,
    /// Works that it can't do, and why.
    pub cannot: &'static [(&'static str, &'static str)],
}

#[derive(Debug)]
enum Start {
    Ours(Door),
    Node(&'static str),
    Python(&'static str),
}

const NO_TYPES: (&str, &str) = ("p1_lines", "takes no TypeScript");

/// All subjects, in the order of the columns. Ours come first.
pub const SUBJECTS: &[Subject] = &[
    ours(
        "lockgate",
        "Lockgate",
        Door::Pipeline,
        CodeLanguage::JavaScript,
    ),
    ours(
        "lockgate-guarded",
        "Lockgate, listeners on",
        Door::Guarded,
        CodeLanguage::JavaScript,
    ),
    ours(
        "lockgate-bare",
        "Lockgate's bare sandbox",
        Door::Bare,
        CodeLanguage::JavaScript,
    ),
    Subject {
        cannot: &[NO_TYPES],
        ..peer(
            "quickjs-emscripten",
            "quickjs-emscripten",
            Start::Node("quickjs.mjs"),
            1000,
        )
    },
    Subject {
        cannot: &[NO_TYPES],
        ..peer(
            "isolated-vm",
            "isolated-vm",
            Start::Node("isolated-vm.mjs"),
            1000,
        )
    },
    Subject {
        cannot: &[NO_TYPES],
        ..peer(
            "worker_threads",
            "worker_threads",
            Start::Node("worker.mjs"),
            100,
        )
    },
    Subject {
        cannot: &[
            NO_TYPES,
            (
                "p9",
                "runs on the host's one thread; more are worker_threads",
            ),
        ],
        ..peer(
            "node-vm",
            "node:vm (no boundary)",
            Start::Node("vm.mjs"),
            1000,
        )
    },
    peer("deno", "deno, a process", Start::Node("deno.mjs"), 25),
    Subject {
        cannot: &[NO_TYPES],
        ..peer(
            "workerd",
            "workerd + codemode",
            Start::Node("workerd.mjs"),
            1000,
        )
    },
    ours(
        "lockgate-python",
        "Lockgate (Python)",
        Door::Pipeline,
        CodeLanguage::Python,
    ),
    Subject {
        language: CodeLanguage::Python,
        ..peer("monty", "pydantic-monty", Start::Python("monty.py"), 100)
    },
    Subject {
        language: CodeLanguage::Python,
        ..peer(
            "python",
            "python, a process",
            Start::Python("python.py"),
            100,
        )
    },
];

const fn ours(
    id: &'static str,
    label: &'static str,
    door: Door,
    language: CodeLanguage,
) -> Subject {
    Subject {
        id,
        label,
        language,
        start: Start::Ours(door),
        most_live: 1000,
        cannot: &[],
    }
}

const fn peer(id: &'static str, label: &'static str, start: Start, most_live: u64) -> Subject {
    Subject {
        id,
        label,
        language: CodeLanguage::JavaScript,
        start,
        most_live,
        cannot: &[],
    }
}

/// The subject of a name.
pub fn find(id: &str) -> Option<&'static Subject> {
    SUBJECTS.iter().find(|subject| subject.id == id)
}

impl Subject {
    /// The door that `--serve` opens, for a subject of ours.
    pub fn door(&self) -> Option<Door> {
        match self.start {
            Start::Ours(door) => Some(door),
            _ => None,
        }
    }

    /// Starts its driver. `benches` is the folder of this crate, `report` the file with what the tool `report` gives.
    ///
    /// # Errors
    /// The reason why it can't run here.
    pub fn start(&self, benches: &Path, report: &Path) -> Result<Driver, String> {
        let peers = benches.join("peers");
        let install = "run `benches/peers/install` first";
        let mut command = match self.start {
            Start::Ours(_) => {
                let itself = std::env::current_exe().map_err(|error| error.to_string())?;
                let mut command = Command::new(itself);
                command.args(["--serve", self.id]);
                command
            }
            Start::Node(driver) => {
                if !peers.join("node_modules").is_dir() {
                    return Err(format!("not installed: {install}"));
                }
                let mut command = Command::new("node");
                // isolated-vm needs the flag; for the others it means nothing.
                command
                    .arg("--no-node-snapshot")
                    .arg(peers.join("drivers").join(driver));
                command
            }
            Start::Python(driver) => {
                let python = peers.join(".venv/bin/python");
                if !python.exists() {
                    return Err(format!("not installed: {install}"));
                }
                let mut command = Command::new(python);
                command.arg(peers.join("drivers").join(driver));
                command
            }
        };
        Driver::start(command.env("LOCKGATE_BENCH_REPORT", report))
    }
}
