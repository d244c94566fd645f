//! Measures the translation of queries, step by step. No database is needed.

use bench::{Failure, steps, translation};

fn main() -> Result<(), Failure> {
    let permissions = bench::demo()?;
    let access = permissions
        .role("user")
        .ok_or("the demo's permissions have no role `user`")?;
    steps::main(
        "translation",
        &translation::cases(access)?,
        env!("CARGO_BIN_EXE_allocations"),
    )
}
