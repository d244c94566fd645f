//! Measures the translation of mutations, cold and cached. No database is needed.

use bench::{Failure, mutation, steps};

fn main() -> Result<(), Failure> {
    let permissions = bench::demo()?;
    let access = permissions
        .role("user")
        .ok_or("the demo's permissions have no role `user`")?;
    steps::main(
        "mutations",
        &mutation::cases(access)?,
        env!("CARGO_BIN_EXE_allocations"),
    )
}
