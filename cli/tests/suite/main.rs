//! The tools of the command line, through the registry's pipeline, on real folders and real programs.

mod command_manifest;
#[cfg(unix)]
mod command_runs;
mod file_reads;
mod file_writes;
mod folder;
mod process;
mod run;
mod sdk;
mod support;
mod trace;
