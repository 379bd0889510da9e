//! The tools of the command line, through the registry's pipeline, on real folders and real programs.

mod command_manifest;
#[cfg(unix)]
mod command_runs;
mod file_reads;
mod file_writes;
mod folder;
mod mcp;
mod mcp_agent;
mod process;
mod run;
mod sdk;
#[path = "../../../gateway/tests/suite/servers.rs"]
#[expect(
    dead_code,
    reason = "servers of Python are for the tests of the gateway"
)]
mod servers;
mod support;
mod trace;
