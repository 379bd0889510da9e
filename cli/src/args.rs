//! What the command line takes.

use std::{net::SocketAddr, path::PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use lockgate::{
    Mode,
    code_runtime::CodeLanguage,
    sandbox::{Engine, MountAccess},
};

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
    /// Serves the tools of MCP servers to an agent as `run_code`: one program instead of many calls.
    Mcp(McpArgs),
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
    /// Gives the program the tools of these MCP servers: `{"mcpServers": {"name": {"command": …} or {"url": …}}}`.
    #[arg(long, value_name = "FILE")]
    pub(crate) mcp: Option<PathBuf>,
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
    /// The file of the Python guest; by default what LOCKGATE_PYTHON_GUEST names, else where `cargo xtask guests python` puts it.
    #[arg(long, value_name = "FILE")]
    pub(crate) python_guest: Option<PathBuf>,
    /// Lets a Python program open files in a folder, as `/NAME` after the folder's name; may be given more than once.
    #[arg(long, value_name = "DIR:ro|rw", value_parser = mount)]
    pub(crate) mount: Vec<Mount>,
    /// The engine; by default that of the language. `boa` runs TypeScript and JavaScript without C code, several times slower.
    #[arg(long, value_enum)]
    pub(crate) engine: Option<EngineArg>,
    /// How the tools are presented: `code` lets calls come from programs alone.
    #[arg(long, value_enum, default_value_t = ModeArg::Code)]
    pub(crate) mode: ModeArg,
    /// Calls whose bodies may overlap; 1 means one at a time.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = positive)]
    pub(crate) max_parallel: usize,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Writes what happens to this file, a line of JSON for each event; `lockgate trace` shows it.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) otlp: OtlpArgs,
    /// Prints one JSON object with logs, result or error, calls and budget.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The budgets of one program.
#[derive(Debug, Args)]
pub(crate) struct LimitArgs {
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
}

#[derive(Debug, Args)]
pub(crate) struct SdkArgs {
    #[command(flatten)]
    pub(crate) tools: ToolArgs,
    /// Shows the tools that this file declares instead: a list of `{name, description, inputSchema, outputSchema}`, or the
    /// result of MCP's `tools/list`; `-` reads standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dir", "tools", "mcp"])]
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

/// Without `--http` the agent is served over standard input and output, as the agent's own configuration expects it.
#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// The MCP servers: `{"mcpServers": {"name": {"command": …} or {"url": …}}}`, as agents have it.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: PathBuf,
    /// Starts the servers, lists them with their tools, what they cost a model's context and what is wrong, and ends. The exit
    /// code is 1 if anything is wrong.
    #[arg(long)]
    pub(crate) check: bool,
    /// What may be called: `{"default": "ask", "rules": [{"tool": "read_*", "action": "allow"}]}`. A policy in the
    /// configuration (`lockgate.policy`) holds besides.
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// What the agent sees: `run_code` alone, or the servers' tools as well.
    #[arg(long, value_enum, default_value_t = ModeArg::Code)]
    pub(crate) mode: ModeArg,
    /// The language of the programs.
    #[arg(long, value_enum, default_value_t = Language::Typescript)]
    pub(crate) lang: Language,
    /// About how many tokens the SDK text in the description of `run_code` may have; programs find the tools past it with
    /// `tools.$search` and `tools.$describe`.
    #[arg(long, value_name = "TOKENS", default_value_t = 10_000, value_parser = positive)]
    pub(crate) sdk_budget: usize,
    /// Calls of one program whose bodies may overlap; 1 means one at a time.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = positive)]
    pub(crate) max_parallel: usize,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// The file of the Python guest; by default what LOCKGATE_PYTHON_GUEST names, else where `cargo xtask guests python` puts it.
    #[arg(long, value_name = "FILE")]
    pub(crate) python_guest: Option<PathBuf>,
    /// Writes what happens in all programs to this file, a line of JSON for each event; `lockgate trace` shows it.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Seconds that a person may take to answer an approval; then the calls are denied.
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) approval_timeout: u64,
    /// Serves over HTTP at this address instead, such as 127.0.0.1:8765; the path is /mcp. Any other address than one of
    /// this machine alone needs a token: in `--token-file` or in the environment variable LOCKGATE_TOKEN.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) http: Option<SocketAddr>,
    /// The file with the bearer token that clients must send.
    #[arg(long, value_name = "FILE", requires = "http")]
    pub(crate) token_file: Option<PathBuf>,
    /// A name by which clients reach the gateway, such as gateway.example; may be given several times.
    #[arg(long, value_name = "HOST", requires = "http")]
    pub(crate) allow_host: Vec<String>,
    /// The origin of a web page that may connect, such as https://app.example:443; may be given several times.
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    pub(crate) allow_origin: Vec<String>,
    /// Sessions that there may be at one time.
    #[arg(long, value_name = "N", requires = "http", default_value_t = 256, value_parser = positive)]
    pub(crate) max_sessions: usize,
    #[command(flatten)]
    pub(crate) otlp: OtlpArgs,
}

/// Where traces are sent.
#[derive(Debug, Args)]
pub(crate) struct OtlpArgs {
    /// Sends a span for each call to this OpenTelemetry collector (OTLP over HTTP), such as http://localhost:4318. Names, times
    /// and error codes are sent, arguments and results are not.
    #[arg(long = "otlp", value_name = "URL")]
    pub(crate) url: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    Typescript,
    Javascript,
    Python,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineArg {
    Quickjs,
    Boa,
    Cpython,
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

impl From<EngineArg> for Engine {
    fn from(engine: EngineArg) -> Self {
        match engine {
            EngineArg::Quickjs => Self::QuickJs,
            EngineArg::Boa => Self::Boa,
            EngineArg::Cpython => Self::CPython,
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

/// A folder that Python programs may open files in.
#[derive(Clone, Debug)]
pub(crate) struct Mount {
    pub(crate) folder: PathBuf,
    /// Where the program finds it.
    pub(crate) path: String,
    pub(crate) access: MountAccess,
}

fn mount(text: &str) -> Result<Mount, String> {
    let (folder, access) = match text.rsplit_once(':') {
        Some((folder, "ro")) => (folder, MountAccess::ReadOnly),
        Some((folder, "rw")) => (folder, MountAccess::ReadWrite),
        _ => return Err("say `:ro` or `:rw` after the folder".to_owned()),
    };
    let folder = std::fs::canonicalize(folder).map_err(|error| error.to_string())?;
    let name = folder.file_name().and_then(|name| name.to_str());
    let path = match name {
        Some(name) => format!("/{name}"),
        None => return Err("the folder has no name that a program could open".to_owned()),
    };
    Ok(Mount {
        folder,
        path,
        access,
    })
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
