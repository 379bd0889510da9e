//! The tools of the command line, through the registry's pipeline, on real folders and real programs.

mod file_reads;
mod file_writes;
mod folder;
mod process;
mod run;
mod support;
