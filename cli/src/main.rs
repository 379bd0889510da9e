//! The `lockgate` command line: runs a program in the sandbox over file and command tools, prints what a model is told, shows
//! a trace, serves MCP servers to an agent.

mod args;
mod check;
mod mcp;
mod otlp;
mod report;
mod run;
mod sdk;
mod toolset;
mod trace;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command};

/// The program failed; its error was printed.
const PROGRAM_FAILED: u8 = 1;
/// Nothing ran: the command line, a manifest or a file is wrong.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match &cli.command {
        Command::Run(args) => run::run(args),
        Command::Sdk(args) => sdk::print(args),
        Command::Trace(args) => trace::write(args),
        Command::Mcp(args) if args.check => check::check(args),
        Command::Mcp(args) => mcp::serve(args),
    };
    done.unwrap_or_else(|error| {
        eprintln!("lockgate: {error}");
        ExitCode::from(USAGE)
    })
}
