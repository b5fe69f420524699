//! The `balcao` command: parses the command line and wires the parts together.

fn main() {}
