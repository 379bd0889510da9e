//! Lockgate beside its peers in one run: interleaved rounds, CPU time of the process trees, medians, a table.
//!
//! `cargo xtask bench compare` builds what this needs and starts it; `--help` lists the options.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lockgate_benches::{ours, subject, work};

mod options;
mod picture;
mod rounds;
mod startup;
mod table;

use options::Options;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("compare: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let options = Options::parse(std::env::args().skip(1))?;
    if let Some(id) = &options.serve {
        let subject = subject::find(id).ok_or("there is no such subject")?;
        let door = subject.door().ok_or("only Lockgate serves here")?;
        return Ok(ours::serve(door, subject.language)?);
    }
    let benches = Path::new(env!("CARGO_MANIFEST_DIR"));
    let report = report_file()?;
    let mut figures = rounds::measure(&options, benches, &report);
    figures.startup = startup::measure(&options, benches);
    std::fs::remove_file(&report)?;

    println!("{}", table::markdown(&figures));
    if let Some(file) = &options.json {
        std::fs::write(file, serde_json::to_string_pretty(&figures)? + "\n")?;
    }
    if options.docs {
        let docs = benches.join("../docs");
        table::write_into(&docs.join("benchmarks.md"), &figures)?;
        picture::draw(&docs.join("benchmarks"), &figures)?;
        let text = serde_json::to_string_pretty(&figures)? + "\n";
        std::fs::write(docs.join("benchmarks/compare.json"), text)?;
    }
    Ok(())
}

/// Writes what the tool `report` gives into a file, so that all subjects give the same.
fn report_file() -> Result<PathBuf, Box<dyn Error>> {
    let file = std::env::temp_dir().join(format!("lockgate-bench-{}.json", std::process::id()));
    std::fs::write(&file, work::report().to_string())?;
    Ok(file)
}
