//! Runs the built command line and reads what it says.
#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// One run of the command line.
pub(crate) struct Lockgate {
    command: Command,
    input: String,
}

/// What it left.
pub(crate) struct Output {
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
    /// The exit code.
    pub(crate) code: i32,
}

impl Lockgate {
    /// The bare command, with a cache of its own.
    pub(crate) fn new() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lockgate"));
        command.env(
            "XDG_CACHE_HOME",
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"),
        );
        Self {
            command,
            input: String::new(),
        }
    }

    /// `lockgate run -` with this program.
    pub(crate) fn run(program: &str) -> Self {
        let mut run = Self::new().args(["run", "-"]);
        run.input = program.to_owned();
        run
    }

    /// `lockgate run` with a program of `examples/`.
    pub(crate) fn example(name: &str) -> Self {
        let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "examples", name]
            .iter()
            .collect();
        Self::new().args(["run", path.to_str().unwrap()])
    }

    /// More arguments.
    pub(crate) fn args<'a>(mut self, args: impl IntoIterator<Item = &'a str>) -> Self {
        self.command.args(args);
        self
    }

    /// Runs it to its end.
    pub(crate) fn output(mut self) -> Output {
        let mut child = self
            .command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command line that is wrong never reads its input.
        let _ = child.stdin.take().unwrap().write_all(self.input.as_bytes());
        let output = child.wait_with_output().unwrap();
        Output {
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code().unwrap(),
        }
    }

    /// Runs it and reads the object of `--json`.
    #[track_caller]
    pub(crate) fn json(self, code: i32) -> serde_json::Value {
        let output = self.output();
        assert_eq!(output.code, code, "{}\n{}", output.stdout, output.stderr);
        serde_json::from_str(&output.stdout).unwrap()
    }
}

/// A temporary folder with these files.
pub(crate) fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    dir
}
