//! The binary `postern`.

use std::process::ExitCode;

/// A request takes some fifty pieces of memory and gives them back at once.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    gateway::commands::main()
}
