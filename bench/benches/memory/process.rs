//! Measures the memory of a `postern serve` process after its start and after reloads, and how long these take.

use std::error::Error;
use std::time::Duration;

use bench::large;
use serde_json::{Value, json};

use super::serve::{Serve, binary};

/// Tables, roles and reloads. Zero roles means that there is no permission file.
const CASES: [(u32, u32, usize); 6] =
    [(100, 0, 20), (100, 5, 20), (1_000, 5, 5), (5_000, 0, 20), (5_000, 1, 5), (5_000, 5, 3)];

pub(crate) async fn measure(cluster: &str, most: u32) -> Result<Value, Box<dyn Error>> {
    if binary().is_none() {
        println!("\nno target/release/postern: `cargo build --release` makes it");
        return Ok(Value::Null);
    }
    println!("\n| Tables | Roles | ready | MiB | at most | reload | reloads | MiB | at most |");
    println!("|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let folder = tempfile::tempdir()?;
    let mut figures = vec![];
    for (tables, roles, reloads) in CASES.into_iter().filter(|(tables, ..)| *tables <= most) {
        let url = large::database(cluster, tables).await?;
        let path = folder.path().join("permissions.toml");
        std::fs::write(&path, large::permissions(tables, roles))?;
        let mut serve = Serve::start(&url, Some(path.as_path()).filter(|_| roles > 0), &[])?;
        std::thread::sleep(Duration::from_millis(300));
        let started = serve.memory()?;
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
            "| {tables} | {roles} | {ready:.0} ms | {:.0} | {:.0} | {time:.0} ms | {reloads} | {:.0} | {:.0} |",
            started.0, started.1, ended.0, ended.1
        );
        figures.push(json!({
            "tables": tables, "roles": roles, "ready_ms": ready, "start_mib": started.0, "start_most_mib": started.1,
            "reload_ms": time, "reloads": reloads, "after_mib": ended.0, "after_most_mib": ended.1,
        }));
    }
    Ok(figures.into())
}
