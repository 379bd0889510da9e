//! The tools of the command line, as a library.

pub mod command_tools;
pub mod file_tools;
