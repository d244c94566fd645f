//! `events`: measures event triggers over a private Postgres: what a trigger adds to an insert, how
//! many events a second one gateway delivers to a local receiver, and the same while a million
//! events are queued. It sets no thresholds.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bench::peers::DURABLE;
use bench::{Failure, machine};
use clap::{Arg, Command, value_parser};
use cluster::{Cluster, Options};
use gateway::Gateway;
use gateway::config::Settings;
use gateway::migrations;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_postgres::{Client, NoTls};

/// A table like those of services: a key, a foreign key's index and an index of times.
const SCHEMA: &str = "
CREATE TABLE orders (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), customer uuid NOT NULL, status text NOT NULL, description text,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON orders (customer, created_at);
CREATE INDEX ON orders (created_at);
CREATE TABLE plain (LIKE orders INCLUDING ALL);";

/// How many inserts are timed in a row, in turns with and without the trigger.
const INSERTS_PER_TURN: usize = 200;

fn main() -> ExitCode {
    let count = |name: &'static str, default: &'static str, help: &'static str| {
        let arg = Arg::new(name)
            .long(name)
            .value_name("N")
            .value_parser(value_parser!(u32).range(1..));
        arg.default_value(default).help(help)
    };
    let matches = Command::new("events")
        .about("Measure event triggers over a private Postgres")
        .arg(count(
            "inserts",
            "4000",
            "How many inserts are timed, with the trigger and without",
        ))
        .arg(count("events", "20000", "How many events are delivered"))
        .arg(count(
            "queued",
            "1000000",
            "How many events are queued for the last measurement",
        ))
        .get_matches();
    let number = |name| {
        matches
            .get_one::<u32>(name)
            .map_or(1, |number| *number as usize)
    };
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&error.into()),
    };
    match runtime.block_on(measure(
        number("inserts"),
        number("events"),
        number("queued"),
    )) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => fail(&failure),
    }
}

fn fail(failure: &Failure) -> ExitCode {
    print_line(&format!("error: {failure}"));
    ExitCode::FAILURE
}

fn print_line(text: &str) {
    let _ = std::io::Write::write_all(
        &mut std::io::stdout().lock(),
        format!("{text}\n").as_bytes(),
    );
}

async fn measure(inserts: usize, events: usize, queued: usize) -> Result<(), Failure> {
    print_line(&format!(
        "load of the machine before: {:?}",
        machine::load()
    ));
    // Commits are durable, as they are in use: the event is part of the same commit.
    let settings = DURABLE
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
    let options = Options {
        settings,
        ..Options::default()
    };
    let cluster = tokio::task::spawn_blocking(|| Cluster::start(options)).await??;
    let url = cluster.url("postgres");
    let client = connect(&url).await?;
    client.batch_execute(SCHEMA).await?;
    migrations::migrate(&client, &plugins::migrations()).await?;
    let received = Arc::new(AtomicUsize::new(0));
    let receiver = receive(received.clone()).await?;
    // The triggers are installed by a gateway that does not deliver.
    let file = |deliver: bool| {
        format!(
            "[events]\ndeliver = {deliver}\n[event.placed]\ntable = \
                                        \"orders\"\ninsert = true\nwebhook = \"{receiver}\"\n"
        )
    };
    let idle = start(&url, &file(false)).await?;
    let (plain, with_event) = insert(&client, inserts).await?;
    print_line(&format!(
        "insert of one row, median: {:.0} µs, with an event {:.0} µs: {:+.1} %",
        plain * 1e6,
        with_event * 1e6,
        (with_event / plain - 1.0) * 100.0
    ));
    idle.shutdown().await;
    client.batch_execute("TRUNCATE postern.event_queue").await?;
    for (what, backlog) in [("nothing else queued", 0), ("more queued", queued)] {
        let before = received.load(Ordering::Relaxed);
        let insert = "INSERT INTO orders (customer, status) SELECT gen_random_uuid(), 'new' FROM \
                      generate_series(1, $1::int8)";
        client
            .execute(insert, &[&i64::try_from(events + backlog)?])
            .await?;
        client
            .batch_execute("VACUUM ANALYZE postern.event_queue")
            .await?;
        client.batch_execute("CHECKPOINT").await?;
        let running = start(&url, &file(true)).await?;
        let began = Instant::now();
        while received.load(Ordering::Relaxed) < before + events {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let rate = events as f64 / began.elapsed().as_secs_f64();
        print_line(&format!(
            "{events} deliveries, {backlog} {what}: {rate:.0} a second"
        ));
        running.shutdown().await;
    }
    Ok(())
}

async fn start(url: &str, file: &str) -> Result<gateway::server::GatewayHandle, Failure> {
    let builder = Gateway::builder()
        .settings(Settings::from_text("gateway.toml", file)?)
        .listen("127.0.0.1:0");
    Ok(builder
        .database_url(url)
        .admin_secret("the secret of a benchmark")
        .start()
        .await?)
}

/// The medians of single inserts without and with the trigger, in seconds.
async fn insert(client: &Client, count: usize) -> Result<(f64, f64), Failure> {
    let statement = |table: &str| {
        format!(
            "INSERT INTO {table} (customer, status, description) \
                                           VALUES (gen_random_uuid(), 'new', 'some words about \
                                           it') RETURNING id"
        )
    };
    let statements = [
        client.prepare(&statement("plain")).await?,
        client.prepare(&statement("orders")).await?,
    ];
    let mut times = [vec![], vec![]];
    while times[0].len() < count {
        for (statement, times) in statements.iter().zip(&mut times) {
            for _ in 0..INSERTS_PER_TURN {
                let began = Instant::now();
                client.query_one(statement, &[]).await?;
                times.push(began.elapsed().as_secs_f64());
            }
        }
    }
    let [plain, with_event] = times.map(median);
    Ok((plain, with_event))
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}

async fn connect(url: &str) -> Result<Client, Failure> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// Starts a receiver that answers every request with 200 and counts it; returns its URL.
async fn receive(received: Arc<AtomicUsize>) -> Result<String, Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/", listener.local_addr()?);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(respond(stream, received.clone()));
        }
    });
    Ok(url)
}

/// Answers the requests of one connection.
async fn respond(mut stream: TcpStream, received: Arc<AtomicUsize>) -> Option<()> {
    let mut bytes = Vec::with_capacity(4096);
    loop {
        let end = loop {
            if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            if stream.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        };
        let head = String::from_utf8_lossy(bytes.get(..end)?).to_ascii_lowercase();
        let length = head.lines().find_map(|line| {
            line.strip_prefix("content-length:")?
                .trim()
                .parse::<usize>()
                .ok()
        })?;
        while bytes.len() < end + length {
            if stream.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        }
        bytes.drain(..end + length);
        received.fetch_add(1, Ordering::Relaxed);
        stream
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
            .await
            .ok()?;
    }
}
