//! Measures memory: that of the catalog, names, grants and plans, by the number of tables and
//! roles, and that of a process that serves them. `cargo bench -p bench --bench memory`, or `…
//! --bench memory -- held` for the first part alone.
//!
//! The process is `target/release/postern` or the value of `POSTERN_BIN`; without the binary that
//! part is skipped.

// Printing the figures is the purpose of this program.
#![allow(clippy::print_stdout)]

mod memory {
    pub(crate) mod held;
    pub(crate) mod process;
    pub(crate) mod stream;
}

use std::alloc::System;
use std::error::Error;

use cluster::{Cluster, Options};
use serde_json::json;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The parts that can be run alone.
const PARTS: [&str; 3] = ["held", "process", "stream"];

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // `make bench` also passes arguments that are not meant for this program.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let named = |part: &str| arguments.iter().any(|argument| argument == part);
    let asked = |part: &str| named(part) || !PARTS.into_iter().any(named);
    let most = if named("--quick") { 1_000 } else { 5_000 };
    // An existing cluster keeps its large databases from one run to the next.
    let (_own, cluster) = match std::env::var("POSTERN_TEST_CLUSTER") {
        Ok(url) => (None, url),
        Err(_) => {
            let own = Cluster::start(Options::default())?;
            let url = own.url("postgres");
            (Some(own), url)
        }
    };
    let mut figures = json!({});
    let mut above = vec![];
    if asked("held") {
        figures["held"] = memory::held::measure(&cluster, most).await?;
        figures["plans"] = memory::held::plans(&cluster).await?;
    }
    if asked("process") {
        (figures["process"], above) = memory::process::measure(&cluster, most).await?;
    }
    if asked("stream") {
        figures["stream"] = memory::stream::measure(&cluster).await?;
    }
    let path = bench::folder();
    std::fs::create_dir_all(&path)?;
    std::fs::write(
        path.join("memory.json"),
        serde_json::to_string_pretty(&figures)?,
    )?;
    if above.is_empty() {
        Ok(())
    } else {
        Err(above.join("; ").into())
    }
}
