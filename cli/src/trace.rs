//! `lockgate trace`: one self-contained page that shows what a run did, and when.

mod page;
mod timeline;

use std::{
    fs::File,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::ExitCode,
};

use lockgate::{Json, events::Recorded};

use crate::{args::TraceArgs, toolset::Failure};

/// Reads a trace and writes its page.
pub(crate) fn write(args: &TraceArgs) -> Result<ExitCode, Failure> {
    let events = read(&args.file)?;
    let runs = timeline::runs(&events);
    if runs.is_empty() {
        return Err(format!(
            "{} holds no call; `lockgate run --trace FILE` writes a trace",
            args.file.display()
        )
        .into());
    }
    let title = args
        .file
        .file_stem()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let page = page::render(&title, &runs);
    if args.output.as_deref() == Some(Path::new("-")) {
        std::io::stdout().write_all(page.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let output = args
        .output
        .clone()
        .unwrap_or_else(|| args.file.with_extension("html"));
    if output == args.file {
        return Err(format!(
            "{} would overwrite itself; name another file with --output",
            output.display()
        )
        .into());
    }
    std::fs::write(&output, page)
        .map_err(|error| format!("can't write {}: {error}", output.display()))?;
    eprintln!("lockgate: wrote {}", output.display());
    Ok(ExitCode::SUCCESS)
}

/// The events of a file, a line each. A last line without its end is what a killed process leaves: it is told and left out.
fn read(path: &Path) -> Result<Vec<Recorded>, Failure> {
    let name = path.display();
    let file = File::open(path).map_err(|error| format!("can't read {name}: {error}"))?;
    let mut reader = BufReader::new(file);
    let mut events = Vec::new();
    let mut line = String::new();
    for number in 1.. {
        line.clear();
        let read = reader
            .read_line(&mut line)
            .map_err(|error| format!("can't read {name}, line {number}: {error}"))?;
        if read == 0 {
            break;
        }
        if line.trim().is_empty() {
            continue;
        }
        let event = Json::parse(&line)
            .map_err(|error| error.to_string())
            .and_then(|line| line.deserialize().map_err(|error| error.to_string()));
        match event {
            Ok(event) => events.push(event),
            Err(_) if !line.ends_with('\n') => {
                eprintln!("lockgate: {name}, line {number} is cut off; it is left out");
            }
            Err(error) => {
                return Err(
                    format!("{name}, line {number} is no event of a trace: {error}").into(),
                );
            }
        }
    }
    Ok(events)
}
