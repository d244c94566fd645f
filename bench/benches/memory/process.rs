//! Measures the memory of a `postern serve` process after its start and after reloads, and how long
//! these take.

use std::error::Error;
use std::time::Duration;

use bench::large;
use bench::serve::{Serve, binary};
use serde_json::{Value, json};

/// Tables, roles and reloads, and how many MiB the process may have had until it was ready. Zero
/// roles means that there is no permission file. The guards are a fourth above what was measured.
const CASES: [(u32, u32, usize, f64); 6] = [
    (100, 0, 20, 30.0),
    (100, 5, 20, 36.0),
    (1_000, 5, 5, 70.0),
    (5_000, 0, 20, 103.0),
    (5_000, 1, 5, 138.0),
    (5_000, 5, 3, 190.0),
];

/// Measures the cases with `most` tables at most. Returns the figures, and a line for each guard
/// that was passed.
pub(crate) async fn measure(
    cluster: &str,
    most: u32,
) -> Result<(Value, Vec<String>), Box<dyn Error>> {
    if binary().is_none() {
        println!("\nno target/release/postern: `cargo build --release` makes it");
        return Ok((Value::Null, vec![]));
    }
    println!("\n| Tables | Roles | ready | MiB | at most | reload | reloads | MiB | at most |");
    println!("|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let folder = tempfile::tempdir()?;
    let mut figures = vec![];
    let mut above = vec![];
    for (tables, roles, reloads, guard) in CASES.into_iter().filter(|(tables, ..)| *tables <= most)
    {
        let url = large::database(cluster, tables).await?;
        let path = folder.path().join("permissions.toml");
        std::fs::write(&path, large::permissions(tables, roles))?;
        let mut serve = Serve::start(&url, Some(path.as_path()).filter(|_| roles > 0), &[])?;
        std::thread::sleep(Duration::from_millis(300));
        let started = serve.memory()?;
        if started.1 > guard {
            above.push(format!(
                "{tables} tables, {roles} roles: {:.0} MiB until it was ready, guarded at {guard}",
                started.1
            ));
        }
        let mut times = vec![];
        for _ in 0..reloads {
            times.push(serve.reload()?);
            // The gateway drops the previous version shortly after the reload.
            std::thread::sleep(Duration::from_millis(300));
        }
        let ended = serve.memory()?;
        times.sort_by(f64::total_cmp);
        let time = times.get(times.len() / 2).copied().unwrap_or_default();
        let ready = serve.ready;
        println!(
            "| {tables} | {roles} | {ready:.0} ms | {:.0} | {:.0} | {time:.0} ms | {reloads} | \
             {:.0} | {:.0} |",
            started.0, started.1, ended.0, ended.1
        );
        figures.push(json!({
            "tables": tables, "roles": roles, "ready_ms": ready, "start_mib": started.0, "start_most_mib": started.1,
            "reload_ms": time, "reloads": reloads, "after_mib": ended.0, "after_most_mib": ended.1,
        }));
    }
    Ok((figures.into(), above))
}
