//! What the command line takes.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use lockgate::{Mode, code_runtime::CodeLanguage};

/// Runs programs that call tools, in a WebAssembly sandbox.
#[derive(Debug, Parser)]
#[command(name = "lockgate", version, about)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs a program: the body of an async function that calls `tools.*` and returns its answer.
    Run(RunArgs),
    /// Prints the SDK text that a model programs against.
    Sdk(SdkArgs),
    /// Writes a page that shows what a run did, and when, from the trace of `lockgate run --trace`.
    Trace(TraceArgs),
}

/// The tools that a program gets.
#[derive(Debug, Args)]
pub(crate) struct ToolArgs {
    /// Gives the program file tools inside this folder, and nowhere else.
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Lets the file tools write, too.
    #[arg(long, requires = "dir")]
    pub(crate) write: bool,
    /// Gives the program the command tools of this manifest.
    #[arg(long, value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The program's file; `-` reads it from standard input.
    #[arg(value_name = "PROGRAM")]
    pub(crate) program: PathBuf,
    #[command(flatten)]
    pub(crate) tools: ToolArgs,
    /// The program's language; by default what the file's suffix says, else TypeScript.
    #[arg(long, value_enum)]
    pub(crate) lang: Option<Language>,
    /// How the tools are presented: `code` lets calls come from programs alone.
    #[arg(long, value_enum, default_value_t = ModeArg::Code)]
    pub(crate) mode: ModeArg,
    /// Calls whose bodies may overlap; 1 means one at a time.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = positive)]
    pub(crate) max_parallel: usize,
    /// Milliseconds that the program may really compute [default: 60000].
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) compute_ms: Option<u64>,
    /// Milliseconds that may pass from start to end [default: 600000].
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) wall_ms: Option<u64>,
    /// MiB of memory that the program and its engine may use [default: 256].
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub(crate) memory_mb: Option<u64>,
    /// Bytes of logs and result together [default: 67108864].
    #[arg(long, value_name = "BYTES")]
    pub(crate) max_output_bytes: Option<u64>,
    /// Calls that the program may make in all [default: 10000].
    #[arg(long, value_name = "N")]
    pub(crate) max_calls: Option<u64>,
    /// Writes what happens to this file, a line of JSON for each event; `lockgate trace` shows it.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Prints one JSON object with logs, result or error, calls and budget.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SdkArgs {
    #[command(flatten)]
    pub(crate) tools: ToolArgs,
    /// Shows the tools that this file declares instead: a list of `{name, description, inputSchema, outputSchema}`, or the
    /// result of MCP's `tools/list`; `-` reads standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dir", "tools"])]
    pub(crate) schemas: Option<PathBuf>,
    /// The language that the model programs in.
    #[arg(long, value_enum, default_value_t = Language::Typescript)]
    pub(crate) lang: Language,
    /// About how many tokens the text may have; tools past it are only listed.
    #[arg(long, value_name = "TOKENS", value_parser = positive)]
    pub(crate) budget: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct TraceArgs {
    /// The trace: lines of JSON.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The page; `-` prints it [default: FILE with the suffix .html].
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    Typescript,
    Javascript,
    Python,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeArg {
    Code,
    Both,
}

impl From<Language> for CodeLanguage {
    fn from(language: Language) -> Self {
        match language {
            Language::Typescript => Self::TypeScript,
            Language::Javascript => Self::JavaScript,
            Language::Python => Self::Python,
        }
    }
}

impl From<ModeArg> for Mode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::Code => Self::Code,
            ModeArg::Both => Self::Both,
        }
    }
}

fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("0 would start no call; give 1 or more".to_owned()),
        Ok(number) => Ok(number),
        Err(_) => Err("not a whole number".to_owned()),
    }
}

impl RunArgs {
    /// The language by option, else by the file's suffix, else TypeScript.
    pub(crate) fn language(&self) -> CodeLanguage {
        if let Some(language) = self.lang {
            return language.into();
        }
        match self.program.extension().and_then(|suffix| suffix.to_str()) {
            Some("js" | "mjs" | "cjs") => CodeLanguage::JavaScript,
            Some("py") => CodeLanguage::Python,
            _ => CodeLanguage::TypeScript,
        }
    }
}
