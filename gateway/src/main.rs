//! The binary `postern`.

use std::process::ExitCode;

/// The global allocator. A request makes some fifty small allocations and frees them all when it ends.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    gateway::commands::main()
}
