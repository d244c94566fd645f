//! Measures reading a large catalog: 5,000 tables of 15 columns, each with a primary key, a foreign
//! key and comments. The goal is less than two seconds for running the statement and decoding its
//! document together. `cargo bench -p bench --bench catalog`

// Printing the figures is the purpose of this program.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::time::{Duration, Instant};

use bench::large::{connect, load};
use cluster::{Cluster, Options};
use sql::postgres::catalog::{Catalog, QUERY};

const TABLES: u32 = 5_000;
const GOAL: Duration = Duration::from_secs(2);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let cluster = Cluster::start(Options::default())?;
    println!(
        "start of the cluster     {:>6} ms",
        start.elapsed().as_millis()
    );
    let url = cluster.url("postgres");
    let start = Instant::now();
    load(&connect(&url).await?, TABLES).await?;
    println!(
        "making of {TABLES} tables    {:>6} ms",
        start.elapsed().as_millis()
    );

    println!("round   statement   decode    total   (ms)");
    for round in 1..=2 {
        measure(&url, &format!("{round}")).await?;
    }
    connect(&url).await?.batch_execute("VACUUM ANALYZE").await?;
    println!("after VACUUM ANALYZE");
    for round in 3..=5 {
        measure(&url, &format!("{round}")).await?;
    }
    Ok(())
}

/// Measures on a new connection, whose caches are empty as at the start of a gateway.
async fn measure(url: &str, round: &str) -> Result<(), Box<dyn Error>> {
    let client = connect(url).await?;
    let start = Instant::now();
    let document: String = client.query_one(QUERY, &[]).await?.get(0);
    let statement = start.elapsed();
    let catalog = Catalog::decode(&document)?;
    let total = start.elapsed();
    assert_eq!(catalog.tables.len(), TABLES as usize + 1);
    let verdict = if total < GOAL { "" } else { "   over the goal" };
    let ms = |duration: Duration| duration.as_millis();
    println!(
        "{round:>5}   {:>9}   {:>6}   {:>6}{verdict}",
        ms(statement),
        ms(total - statement),
        ms(total)
    );
    Ok(())
}
