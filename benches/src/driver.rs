//! A driver: a long-lived process that does works of one subject, one JSON line each way. `peers/drivers/serve.mjs` has the
//! protocol.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde::Deserialize;

use crate::process_tree;

/// How long a driver may take to load.
const START: Duration = Duration::from_secs(60);

/// A running driver.
pub struct Driver {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// What the driver runs, with its version.
    pub name: String,
    /// The works that it can do.
    pub works: Vec<String>,
}

/// What came of some iterations of a work.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// CPU time of the process tree in µs, user and system.
    pub cpu_us: f64,
    /// Time that passed in µs, by the driver's clock.
    pub wall_us: f64,
    /// How late a hot loop was stopped, in ms.
    pub late_ms: Option<f64>,
    /// The longest that the host answered nothing meanwhile, in ms.
    pub gap_ms: Option<f64>,
    /// What the program returned.
    pub value: Option<f64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Hello {
    Ready { peer: String, works: Vec<String> },
    Skip { skip: String },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Error {
        error: String,
    },
    Done {
        wall_us: f64,
        value: Option<f64>,
        late_ms: Option<f64>,
        gap_ms: Option<f64>,
    },
}

impl Driver {
    /// Starts a driver and waits until it is ready.
    ///
    /// # Errors
    /// The reason why it can't run here.
    pub fn start(command: &mut Command) -> Result<Driver, String> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| {
                format!(
                    "can't start {}: {error}",
                    command.get_program().to_string_lossy()
                )
            })?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("its pipes are missing".to_owned());
        };
        let (send, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        let mut driver = Driver {
            child,
            input: Some(input),
            lines,
            name: String::new(),
            works: Vec::new(),
        };
        let line = driver.line(START)?;
        match serde_json::from_str(&line) {
            Ok(Hello::Ready { peer, works }) => {
                driver.name = peer;
                driver.works = works;
                Ok(driver)
            }
            Ok(Hello::Skip { skip }) => Err(skip),
            Err(error) => Err(format!("its first line is wrong: {error}: {line}")),
        }
    }

    fn line(&self, deadline: Duration) -> Result<String, String> {
        self.lines
            .recv_timeout(deadline)
            .map_err(|error| match error {
                RecvTimeoutError::Timeout => {
                    format!("no answer within {} s", deadline.as_secs())
                }
                RecvTimeoutError::Disconnected => "the process ended".to_owned(),
            })
    }

    /// Does a work.
    ///
    /// # Errors
    /// What went wrong. A driver that did not answer in time is of no more use.
    pub fn ask(
        &mut self,
        work: &str,
        iterations: u64,
        deadline: Duration,
    ) -> Result<Measured, String> {
        let request = serde_json::json!({"work": work, "iterations": iterations});
        let before = self.cpu_time();
        let input = self
            .input
            .as_mut()
            .ok_or_else(|| "the process ended".to_owned())?;
        writeln!(input, "{request}")
            .and_then(|()| input.flush())
            .map_err(|error| format!("the process ended: {error}"))?;
        let line = self.line(deadline)?;
        let spent = self.cpu_time().saturating_sub(before);
        match serde_json::from_str(&line) {
            Ok(Answer::Done {
                wall_us,
                value,
                late_ms,
                gap_ms,
            }) => Ok(Measured {
                cpu_us: spent.as_secs_f64() * 1e6,
                wall_us,
                late_ms,
                gap_ms,
                value,
            }),
            Ok(Answer::Error { error }) => Err(error),
            Err(error) => Err(format!("its answer is wrong: {error}: {line}")),
        }
    }

    fn cpu_time(&self) -> Duration {
        process_tree::cpu_time(self.child.id())
    }

    /// Bytes that only the driver and its children hold.
    pub fn private_bytes(&self) -> u64 {
        process_tree::private_bytes(self.child.id())
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let members = process_tree::members(self.child.id());
        self.input = None;
        let deadline = Instant::now() + Duration::from_millis(500);
        while Instant::now() < deadline {
            if matches!(self.child.try_wait(), Ok(Some(_)) | Err(_)) {
                break;
            }
            thread::sleep(Duration::from_millis(10));
        }
        // What a driver leaves behind, itself included, is ended; a process that is gone already is no error.
        for pid in members {
            if let Ok(pid) = i32::try_from(pid) {
                let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
            }
        }
        let _ = self.child.wait();
    }
}
