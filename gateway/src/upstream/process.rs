//! A server's process: started with the environment of the configuration alone, and taken away with all that it started.

use std::{
    io,
    path::PathBuf,
    process::{ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use tokio::{
    io::AsyncReadExt,
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    sync::watch,
};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::limits::{DRAIN, STOP_GRACE};
use crate::config;

/// What a program needs to run at all. Everything else is in the configuration or is not there.
pub const INHERITED: [&str; 5] = ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR"];
/// The last bytes of standard error are kept: that is where the reason stands.
const MAX_STDERR_BYTES: usize = 4 << 10;

/// A running process that leads a process group of its own. Dropping it kills the group.
pub(super) struct Process {
    id: Option<u32>,
    ended: watch::Receiver<Option<(String, Instant)>>,
    _kill: DropGuard,
    kill: CancellationToken,
}

/// Its pipes.
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
}

/// The end of what it printed on standard error.
#[derive(Clone, Default)]
pub(super) struct StderrEnd(Arc<Mutex<Vec<u8>>>);

impl Process {
    pub(super) fn start(stdio: &config::Stdio) -> Result<(Self, Pipes, StderrEnd), String> {
        let program = stdio.command.reveal();
        let mut command = Command::new(program);
        command.env_clear();
        for name in INHERITED {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
            .envs(stdio.env.iter().map(|(name, value)| (name, value.reveal())))
            .args(stdio.args.iter().map(|arg| arg.reveal()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        if let Some(cwd) = &stdio.cwd {
            if !cwd.is_dir() {
                return Err(format!("its `cwd` {} is no folder", cwd.display()));
            }
            command.current_dir(cwd);
        }
        let mut child = command
            .spawn()
            .map_err(|error| describe_spawn(program, &error))?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(format!("{program} was started without pipes"));
        };
        let end = StderrEnd::default();
        tokio::spawn(end.clone().fill(stderr));
        let kill = CancellationToken::new();
        let (tell, ended) = watch::channel(None);
        let id = child.id();
        tokio::spawn(watch_over(child, kill.clone(), tell));
        Ok((
            Self {
                id,
                ended,
                _kill: kill.clone().drop_guard(),
                kill,
            },
            Pipes { stdin, stdout },
            end,
        ))
    }

    /// How it ended, if it has.
    pub(super) fn how_it_ended(&self) -> Option<String> {
        self.ended.borrow().as_ref().map(|(how, _)| how.clone())
    }

    /// Waits until it has ended and its pipes have had time to run dry.
    pub(super) async fn gone(&self) {
        let at = self.ended().await;
        tokio::time::sleep_until((at + DRAIN).into()).await;
    }

    async fn ended(&self) -> Instant {
        let mut ended = self.ended.clone();
        match ended.wait_for(Option::is_some).await {
            Ok(seen) => seen.as_ref().map_or_else(Instant::now, |(_, at)| *at),
            // Whoever watches over it has gone; so has it.
            Err(_) => Instant::now(),
        }
    }

    /// Waits for it to go by itself, asks it to, then makes it.
    pub(super) async fn stop(&self) {
        if self.has_ended_within(STOP_GRACE).await {
            return;
        }
        signal_group(self.id, Strength::Ask);
        if !self.has_ended_within(STOP_GRACE).await {
            self.kill();
            self.has_ended_within(STOP_GRACE).await;
        }
    }

    /// Kills it and what it started.
    pub(super) fn kill(&self) {
        self.kill.cancel();
    }

    /// Kills what it started and left holding its pipes, after it has ended.
    pub(super) fn kill_leftovers(&self) {
        signal_group(self.id, Strength::Force);
    }

    async fn has_ended_within(&self, time: Duration) -> bool {
        tokio::time::timeout(time, self.ended()).await.is_ok()
    }
}

async fn watch_over(
    mut child: Child,
    kill: CancellationToken,
    tell: watch::Sender<Option<(String, Instant)>>,
) {
    let status = tokio::select! {
        status = child.wait() => status,
        () = kill.cancelled() => {
            // Not reaped yet, so the id still means this group.
            signal_group(child.id(), Strength::Force);
            let _ = child.start_kill();
            child.wait().await
        }
    };
    tell.send_replace(Some((describe(status), Instant::now())));
}

impl StderrEnd {
    async fn fill(self, mut pipe: ChildStderr) {
        let mut chunk = vec![0; MAX_STDERR_BYTES];
        while let Ok(got @ 1..) = pipe.read(&mut chunk).await {
            let mut end = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            end.extend(chunk.iter().take(got));
            let surplus = end.len().saturating_sub(MAX_STDERR_BYTES);
            end.drain(..surplus);
        }
    }

    /// Its last lines on one line, at most `bytes` long.
    pub(super) fn last_lines(&self, bytes: usize) -> String {
        let end = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&end);
        let mut lines: Vec<&str> = Vec::new();
        let mut length = 0;
        for line in text
            .lines()
            .rev()
            .map(str::trim)
            .filter(|line| !line.is_empty())
        {
            length += line.len() + 3;
            if length > bytes && !lines.is_empty() {
                break;
            }
            lines.push(line);
        }
        lines.reverse();
        super::text::clip(&super::text::visible(&lines.join(" / ")), bytes)
    }
}

enum Strength {
    Ask,
    Force,
}

fn signal_group(leader: Option<u32>, strength: Strength) {
    #[cfg(unix)]
    if let Some(leader) = leader.and_then(|id| rustix::process::Pid::from_raw(id.cast_signed())) {
        let signal = match strength {
            Strength::Ask => rustix::process::Signal::TERM,
            Strength::Force => rustix::process::Signal::KILL,
        };
        // It may be gone already; then there is nothing to do.
        let _ = rustix::process::kill_process_group(leader, signal);
    }
    #[cfg(not(unix))]
    let _ = (leader, strength);
}

fn describe_spawn(program: &str, error: &io::Error) -> String {
    let program = PathBuf::from(program);
    let program = program.display();
    match error.kind() {
        io::ErrorKind::NotFound => {
            format!("the command {program} is not found; install it, or give its full path")
        }
        io::ErrorKind::PermissionDenied => format!("the command {program} may not be run"),
        _ => format!("the command {program} can't be started: {error}"),
    }
}

fn describe(status: io::Result<ExitStatus>) -> String {
    let Ok(status) = status else {
        return "its process is gone".to_owned();
    };
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("its process was ended by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("its process ended with code {code}"),
        None => "its process ended".to_owned(),
    }
}
