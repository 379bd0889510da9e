//! The tools of the command line, as a library.

pub mod file_tools;
