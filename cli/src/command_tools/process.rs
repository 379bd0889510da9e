//! Runs one program to its end: feeds it, takes what it prints within bounds, and leaves nothing of it behind.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    io,
    path::PathBuf,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::{Child, ChildStdin},
};
use tokio_util::sync::CancellationToken;

/// Bytes that a program may print on standard output.
const MAX_OUTPUT_BYTES: usize = 16 << 20;
/// The last bytes of standard error are kept: that is where the reason stands.
const MAX_DETAIL_BYTES: usize = 16 << 10;
/// How long what a program left running may keep its output open.
const GRACE: Duration = Duration::from_millis(500);
/// How long a killed program may take to go: the system may be busy with it.
const REAP: Duration = Duration::from_secs(5);

/// A program and all that it is started with.
#[derive(Clone, Debug)]
pub(super) struct Command {
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<String>,
    pub(super) cwd: PathBuf,
    pub(super) environment: BTreeMap<String, OsString>,
}

/// How a program ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// With code 0: what it printed.
    Success(Vec<u8>),
    /// With another code, or by a signal.
    Failure {
        /// Such as `exited with code 2`.
        how: String,
        /// The end of its standard error.
        detail: String,
    },
    NotStarted {
        program: String,
        error: io::Error,
    },
    /// A pipe to it failed.
    Broken(io::Error),
    TooMuchOutput(usize),
    TimedOut(Duration),
    Cancelled,
}

impl Command {
    /// As one would type it.
    pub(super) fn line(&self) -> String {
        let name = self.program.file_name().unwrap_or(self.program.as_os_str());
        let mut line = name.to_string_lossy().into_owned();
        for argument in &self.arguments {
            line.push(' ');
            line.push_str(argument);
        }
        line
    }

    /// Runs it with `input` on its standard input. When this future is dropped, the program is killed.
    pub(super) async fn run(
        &self,
        input: Vec<u8>,
        timeout: Option<Duration>,
        signal: &CancellationToken,
    ) -> Ended {
        let mut group = match self.start() {
            Ok(group) => group,
            Err(error) => {
                return Ended::NotStarted {
                    program: self.program.display().to_string(),
                    error,
                };
            }
        };
        let ended = {
            let expired = async {
                match timeout {
                    Some(timeout) => tokio::time::sleep(timeout).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = signal.cancelled() => Ended::Cancelled,
                () = expired => Ended::TimedOut(timeout.unwrap_or_default()),
                ended = converse(&mut group.child, input) => ended,
            }
        };
        if !matches!(ended, Ended::Success(_) | Ended::Failure { .. }) {
            group.kill();
            // Awaited so that a call that has ended has nothing running any more.
            let _ = tokio::time::timeout(REAP, group.child.wait()).await;
        }
        ended
    }

    fn start(&self) -> io::Result<Group> {
        let mut command = tokio::process::Command::new(&self.program);
        command
            .args(&self.arguments)
            .current_dir(&self.cwd)
            .env_clear()
            .envs(&self.environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        Ok(Group {
            child: command.spawn()?,
        })
    }
}

/// A program that leads a process group of its own.
struct Group {
    child: Child,
}

impl Group {
    /// Kills the program and what it started, unless it has ended and its id may mean something else by now.
    fn kill(&mut self) {
        kill_group(self.child.id());
        // The only way where there are no groups; an error means that it has ended.
        let _ = self.child.start_kill();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Feeds the program and takes its output until it has ended.
async fn converse(child: &mut Child, input: Vec<u8>) -> Ended {
    let leader = child.id();
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (mut output, mut detail) = (Vec::new(), Vec::new());
    let mut pipes = Box::pin(async {
        tokio::try_join!(
            feed(stdin, input),
            take_all(stdout, &mut output),
            take_end(stderr, &mut detail)
        )
    });
    let mut open = true;
    let status = loop {
        tokio::select! {
            done = &mut pipes, if open => match done {
                Ok(_) => open = false,
                Err(ended) => return ended,
            },
            status = child.wait() => break status,
        }
    };
    if open {
        // What the program started and left running may hold the pipes for ever.
        match tokio::time::timeout(GRACE, &mut pipes).await {
            Ok(Ok(_)) => {}
            Ok(Err(ended)) => return ended,
            // They keep the group's id in use, so it still means them.
            Err(_) => kill_group(leader),
        }
    }
    drop(pipes);
    match status {
        Ok(status) if status.success() => Ended::Success(output),
        Ok(status) => Ended::Failure {
            how: describe(status),
            detail: text(&detail),
        },
        Err(error) => Ended::Broken(error),
    }
}

fn kill_group(leader: Option<u32>) {
    #[cfg(unix)]
    if let Some(leader) = leader.and_then(|id| rustix::process::Pid::from_raw(id.cast_signed())) {
        // It may be gone already; then there is nothing to do.
        let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = leader;
}

/// Writes the input and closes it. A program need not read it.
async fn feed(pipe: Option<ChildStdin>, input: Vec<u8>) -> Result<(), Ended> {
    let Some(mut pipe) = pipe else { return Ok(()) };
    match pipe.write_all(&input).await {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Ended::Broken(error)),
        _ => Ok(()),
    }
}

/// Reads all of standard output, up to the limit.
async fn take_all(pipe: Option<impl AsyncRead + Unpin>, into: &mut Vec<u8>) -> Result<(), Ended> {
    let Some(pipe) = pipe else { return Ok(()) };
    pipe.take(MAX_OUTPUT_BYTES as u64 + 1)
        .read_to_end(into)
        .await
        .map_err(Ended::Broken)?;
    if into.len() > MAX_OUTPUT_BYTES {
        Err(Ended::TooMuchOutput(MAX_OUTPUT_BYTES))
    } else {
        Ok(())
    }
}

/// Reads all of standard error and keeps its end.
async fn take_end(pipe: Option<impl AsyncRead + Unpin>, into: &mut Vec<u8>) -> Result<(), Ended> {
    let Some(mut pipe) = pipe else { return Ok(()) };
    let mut chunk = vec![0; MAX_DETAIL_BYTES];
    loop {
        let got = pipe.read(&mut chunk).await.map_err(Ended::Broken)?;
        if got == 0 {
            return Ok(());
        }
        into.extend(chunk.iter().take(got));
        let surplus = into.len().saturating_sub(MAX_DETAIL_BYTES);
        if surplus > 0 {
            into.drain(..surplus);
        }
    }
}

/// The kept end of standard error as text.
fn text(detail: &[u8]) -> String {
    let text = String::from_utf8_lossy(detail);
    let cut = if detail.len() == MAX_DETAIL_BYTES {
        "…"
    } else {
        ""
    };
    format!("{cut}{}", text.trim())
}

fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("was ended by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("exited with code {code}"),
        None => "ended abnormally".to_owned(),
    }
}
