//! The binary `postern`.

use std::process::ExitCode;

fn main() -> ExitCode {
    gateway::commands::main()
}
