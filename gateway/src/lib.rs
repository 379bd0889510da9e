//! Stands between an agent and its MCP servers: their tools become functions of a program.
