//! Start-up of the command line beside other commands that run a line of code, one after the other in each round.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use lockgate_benches::stats::median;
use serde::{Deserialize, Serialize};

use crate::options::Options;

const ROUNDS: usize = 25;

/// What is aimed at, in ms of wall time.
pub(crate) const TARGET_MS: f64 = 25.0;

/// A command and its medians in ms.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Startup {
    pub(crate) command: String,
    pub(crate) wall_ms: Option<f64>,
    pub(crate) cpu_ms: Option<f64>,
    pub(crate) reason: Option<String>,
}

pub(crate) fn measure(options: &Options, benches: &Path) -> Vec<Startup> {
    if !options.wants_work("startup") {
        return Vec::new();
    }
    let program = |name: &str| benches.join("programs").join(name).display().to_string();
    let lockgate = std::env::current_exe()
        .ok()
        .and_then(|itself| Some(itself.parent()?.join("lockgate").display().to_string()))
        .unwrap_or_default();
    let peers = benches.join("peers");
    let deno = peers.join("node_modules/deno/deno").display().to_string();
    let monty = peers.join(".venv/bin/monty").display().to_string();
    let commands: Vec<(&str, Vec<String>)> = vec![
        (
            "lockgate run p1.js",
            vec![lockgate.clone(), "run".into(), program("p1.js")],
        ),
        (
            "lockgate run p1_lines.ts",
            vec![lockgate.clone(), "run".into(), program("p1_lines.ts")],
        ),
        (
            "lockgate run p1.py",
            vec![lockgate, "run".into(), program("p1.py")],
        ),
        ("node -e", words(&["node", "-e", "console.log(1 + 1)"])),
        ("deno eval", words(&[&deno, "eval", "console.log(1 + 1)"])),
        ("monty -c", words(&[&monty, "-c", "print(1 + 1)"])),
        ("python3 -c", words(&["python3", "-c", "print(1 + 1)"])),
    ];
    let mut rounds: Vec<Result<Vec<(f64, f64)>, String>> =
        commands.iter().map(|_| Ok(Vec::new())).collect();
    // The first round warms caches and does not count.
    for round in 0..=ROUNDS {
        for ((_, command), rounds) in commands.iter().zip(&mut rounds) {
            let Ok(times) = rounds else { continue };
            match once(command) {
                Ok(time) if round > 0 => times.push(time),
                Ok(_) => {}
                Err(reason) => *rounds = Err(reason),
            }
        }
    }
    commands
        .iter()
        .zip(rounds)
        .map(|((name, _), rounds)| {
            let (wall_ms, cpu_ms, reason) = match rounds {
                Ok(times) => (
                    Some(median(times.iter().map(|(wall, _)| *wall))),
                    Some(median(times.iter().map(|(_, cpu)| *cpu))),
                    None,
                ),
                Err(reason) => (None, None, Some(reason)),
            };
            let startup = Startup {
                command: (*name).to_owned(),
                wall_ms,
                cpu_ms,
                reason,
            };
            eprintln!("{startup:?}");
            startup
        })
        .collect()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Runs a command to its end: wall and CPU time in ms.
fn once(command: &[String]) -> Result<(f64, f64), String> {
    let Some((program, args)) = command.split_first() else {
        return Err("no command".to_owned());
    };
    let spent_before = children_cpu_ms();
    let began = Instant::now();
    let output = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("can't start: {error}"))?;
    let wall = began.elapsed().as_secs_f64() * 1e3;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(text.lines().next().unwrap_or("failed").to_owned());
    }
    Ok((wall, children_cpu_ms() - spent_before))
}

/// CPU time of all children that were waited for, in ms.
fn children_cpu_ms() -> f64 {
    use nix::sys::resource::{UsageWho, getrusage};
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else {
        return f64::NAN;
    };
    let micros =
        |time: nix::sys::time::TimeVal| time.tv_sec() as f64 * 1e3 + time.tv_usec() as f64 / 1e3;
    micros(usage.user_time()) + micros(usage.system_time())
}
