//! Measures the peak memory of a `postern serve` while it sends large responses, to a client that
//! reads as fast as it can and to one that hardly reads.

use std::error::Error;
use std::time::{Duration, Instant};

use bench::large;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use bench::serve::{SECRET, Serve, binary};

const ROWS: &str = "CREATE TABLE IF NOT EXISTS rows AS
  SELECT g AS id, md5(g::text) AS name, md5((-g)::text) || md5(g::text) AS note, g % 7 = 0 AS active
  FROM generate_series(1, 1000000) g";

/// How a client reads, and how many rows it requests.
const CASES: [(&str, u32, Option<Duration>); 4] = [
    ("fast", 10_000, None),
    ("fast", 1_000_000, None),
    ("slow", 1_000_000, Some(Duration::from_millis(20))),
    ("fast", 1_000_000, None),
];

/// How long a slow client is observed before it disconnects.
const CLIENT_WATCH_TIME: Duration = Duration::from_secs(8);

pub(crate) async fn measure(cluster: &str) -> Result<Value, Box<dyn Error>> {
    if binary().is_none() {
        return Ok(Value::Null);
    }
    let url = large::database(cluster, 100).await?;
    large::connect(&url).await?.batch_execute(ROWS).await?;
    println!("\n| Client | Rows | MB read | seconds | MiB before | at most |");
    println!("|---|--:|--:|--:|--:|--:|");
    let serve = Serve::start(
        &url,
        None,
        &["--answer-limit", "1000000000", "--time-limit", "120"],
    )?;
    let mut figures = vec![];
    for (client, rows, pause) in CASES {
        let before = serve.memory()?.0;
        let began = Instant::now();
        let bytes = read(&serve.address, rows, pause).await?;
        let seconds = began.elapsed().as_secs_f64();
        let most = serve.memory()?.1;
        let read = bytes as f64 / 1e6;
        println!("| {client} | {rows} | {read:.1} | {seconds:.1} | {before:.0} | {most:.0} |");
        figures.push(json!({
            "client": client, "rows": rows, "bytes": bytes, "seconds": seconds, "before_mib": before, "most_mib": most,
        }));
    }
    Ok(figures.into())
}

/// Reads a response and returns its length in bytes; pauses after each 64 KiB.
async fn read(address: &str, rows: u32, pause: Option<Duration>) -> Result<usize, Box<dyn Error>> {
    let body = json!({"query": format!("{{ rows(limit: {rows}) {{ id name note active }} }}")})
        .to_string();
    let mut stream = TcpStream::connect(address).await?;
    let head = format!(
        "POST /v1/graphql HTTP/1.1\r\nHost: bench\r\nConnection: close\r\nContent-Type: \
         application/json\r\n\
         X-Gateway-Admin-Secret: {SECRET}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    let began = Instant::now();
    let mut all = 0;
    let mut bytes = vec![0; 1 << 16];
    while pause.is_none() || began.elapsed() < CLIENT_WATCH_TIME {
        match stream.read(&mut bytes).await? {
            0 => break,
            read => all += read,
        }
        if let Some(pause) = pause {
            tokio::time::sleep(pause).await;
        }
    }
    Ok(all)
}
