//! The use cases, shared by tools, console, MCP and jobs.
