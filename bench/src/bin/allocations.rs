//! Counts the allocations of the translation steps: `allocations translation`, `allocations
//! mutations`. The benchmarks of those names run it as a separate program, since a counting
//! allocator would slow them down.

use std::io::Write;

use bench::{Failure, mutation, steps, translation};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

fn main() -> Result<(), Failure> {
    let permissions = bench::demo()?;
    let access = permissions
        .role("user")
        .ok_or("the demo's permissions have no role `user`")?;
    let cases = match std::env::args().nth(1).as_deref() {
        Some("translation") => translation::cases(access)?,
        Some("mutations") => mutation::cases(access)?,
        _ => return Err("which steps: translation or mutations?".into()),
    };
    Ok(writeln!(std::io::stdout(), "{}", steps::count(&cases))?)
}
