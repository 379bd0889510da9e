//! The registry's tools, as the command line asks for them.

use lockgate::{Registry, Tool};
use lockgate_cli::{
    command_tools,
    file_tools::{Access, Folder, file_tools},
};
use lockgate_gateway::{Config, ServerState, Upstream};

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

/// Connects to the servers that `--mcp` asks for, after everything else has its name. One that fails is told of on standard
/// error; the others serve.
pub(crate) async fn connect(
    registry: &Registry,
    args: &ToolArgs,
) -> Result<Option<Upstream>, Failure> {
    let Some(file) = &args.mcp else {
        return Ok(None);
    };
    let config = Config::load(file)?;
    for warning in config.warnings() {
        eprintln!("lockgate: {}: {warning}", file.display());
    }
    let upstream = Upstream::start(config, registry.clone());
    upstream.ready().await;
    for server in upstream.status() {
        let name = &server.name;
        match &server.state {
            ServerState::Unusable { reason } | ServerState::Down { reason, .. } => {
                eprintln!("lockgate: the MCP server \"{name}\" can't be used: {reason}");
            }
            _ => {}
        }
        for problem in &server.problems {
            eprintln!("lockgate: the MCP server \"{name}\": {problem}");
        }
    }
    Ok(Some(upstream))
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
