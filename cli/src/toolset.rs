//! The registry's tools, as the command line asks for them.

use lockgate::{Registry, Tool};
use lockgate_cli::{
    command_tools,
    file_tools::{Access, Folder, file_tools},
};

use crate::args::ToolArgs;

/// Why nothing ran.
pub(crate) type Failure = Box<dyn std::error::Error>;

/// Registers what `--dir` and `--tools` ask for.
pub(crate) fn register(registry: &Registry, args: &ToolArgs) -> Result<(), Failure> {
    for tool in tools(args)? {
        registry.register(tool)?.keep();
    }
    Ok(())
}

fn tools(args: &ToolArgs) -> Result<Vec<Tool>, Failure> {
    let mut tools = Vec::new();
    if let Some(dir) = &args.dir {
        let folder = Folder::open(dir).map_err(|error| {
            format!("can't open the folder {} of --dir: {error}", dir.display())
        })?;
        let access = if args.write {
            Access::ReadWrite
        } else {
            Access::Read
        };
        tools.extend(file_tools(&folder, access)?);
    }
    if let Some(manifest) = &args.tools {
        tools.extend(command_tools::load(manifest)?);
    }
    Ok(tools)
}
