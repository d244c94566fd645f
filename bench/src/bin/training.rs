//! `training`: the training run of the release's profile-guided optimization
//! (`scripts/release.sh`). It sends the instrumented servers the works of the end-to-end
//! comparison, starts Postern over many tables, and sends the demo's queries as GraphQL and as
//! REST. It measures nothing.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use bench::peers::{POOL_SIZE, Peer, Programs, end, exchange};
use bench::program::print_line;
use bench::run::{self, Plan};
use bench::serve::Serve;
use bench::translation::Request;
use bench::work::{self, Data};
use bench::{Failure, large};
use cluster::{Cluster, Options};
use loadgen::PreparedRequest;
use serde_json::{Value, json};

/// The tables and roles of the start.
const TABLE_COUNT: u32 = 1_000;
const ROLE_COUNT: u32 = 5;

/// How often each query of the demo is sent as it is, with a comment that makes it a new one, and
/// as REST.
const REPETITIONS: usize = 40;

fn main() -> ExitCode {
    match train(&Programs::beside()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            print_line(&format!("error: {failure}"));
            ExitCode::FAILURE
        }
    }
}

fn train(programs: &Programs) -> Result<(), Failure> {
    run::run(&works(programs), programs, &print_line)?;
    print_line("starting over many tables …");
    start_over_many_tables()?;
    print_line("sending the demo's queries …");
    send_demo_queries(programs)
}

/// The works for Postern, and for the server written by hand if it has been built: a fair
/// comparison needs a profile of each.
fn works(programs: &Programs) -> Plan {
    let mut peers = vec![Peer::Postern];
    if programs.handwritten.is_file() {
        peers.push(Peer::HandWritten);
    }
    Plan {
        works: work::all().iter().collect(),
        peers,
        clients: vec![16],
        rate: None,
        time: Duration::from_secs(2),
        warm_up: Duration::from_millis(300),
        rounds: 1,
        pool: POOL_SIZE,
        reports: 0,
        report_rate: None,
        durable: false,
        data: Data::WHOLE,
        seed: 1,
    }
}

fn start_over_many_tables() -> Result<(), Failure> {
    let cluster = Cluster::start(Options::default())?;
    let runtime = tokio::runtime::Runtime::new()?;
    let url = runtime.block_on(large::database(&cluster.url("postgres"), TABLE_COUNT))?;
    let folder = tempfile::tempdir()?;
    let permissions = folder.path().join("permissions.toml");
    std::fs::write(&permissions, large::permissions(TABLE_COUNT, ROLE_COUNT))?;
    Serve::start(&url, Some(&permissions), &[])?;
    Ok(())
}

fn send_demo_queries(programs: &Programs) -> Result<(), Failure> {
    let demo = Demo::start(&programs.postern)?;
    let mut names = vec![];
    for entry in std::fs::read_dir(programs.root.join("demo/queries"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        names.extend(name.strip_suffix(".graphql").map(str::to_owned));
    }
    names.sort();
    names.iter().try_for_each(|name| demo.send(name))
}

/// A running demo. Dropping it ends it.
struct Demo {
    child: Child,
    address: SocketAddr,
    secret: String,
}

impl Demo {
    /// Starts the demo and reads the first line of its output, which describes it.
    fn start(postern: &Path) -> Result<Demo, Failure> {
        let mut command = Command::new(postern);
        command
            .args(["demo", "--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn()?;
        let mut line = String::new();
        // The demo writes nothing else there; its summary goes to standard error.
        BufReader::new(child.stdout.take().ok_or("no output")?).read_line(&mut line)?;
        let facts: Value = serde_json::from_str(&line)?;
        let fact = |name: &str| {
            facts[name]
                .as_str()
                .ok_or("the demo does not say where it is")
        };
        let address = fact("url")?.trim_start_matches("http://").parse()?;
        Ok(Demo {
            address,
            secret: fact("admin_secret")?.to_owned(),
            child,
        })
    }

    fn send(&self, name: &str) -> Result<(), Failure> {
        let request = Request::read("demo/queries", name)?;
        let mut headers = vec![("X-Gateway-Admin-Secret".to_owned(), self.secret.clone())];
        headers.push(("X-Gateway-Role".to_owned(), request.role.clone()));
        let session = request.session.iter();
        headers.extend(session.map(|(name, value)| {
            (
                format!("X-Gateway-{}", name.replace('_', "-")),
                value.clone(),
            )
        }));
        let graphql = |text: &str| {
            let body = json!({"query": text, "variables": *request.variables}).to_string();
            PreparedRequest::post("localhost", "/v1/graphql", &headers, body.as_bytes())
        };
        let path = format!("/api/rest/{}", name.to_lowercase());
        let variables = json!(*request.variables).to_string();
        let rest = PreparedRequest::post("localhost", &path, &headers, variables.as_bytes());
        for number in 0..REPETITIONS {
            // The demo limits how many requests one person may have open.
            let statuses: &[u16] = if number == 0 { &[200] } else { &[200, 400] };
            self.expect(name, &graphql(&request.text), statuses)?;
            let new_text = format!("{}\n# {number}", request.text);
            self.expect(name, &graphql(&new_text), statuses)?;
            // Not every query is an endpoint, and one writes to a row that it needs to see first.
            self.expect(name, &rest, &[200, 400, 403, 404])?;
        }
        Ok(())
    }

    fn expect(
        &self,
        name: &str,
        request: &PreparedRequest,
        statuses: &[u16],
    ) -> Result<(), Failure> {
        let (status, body) = exchange(self.address, request)?;
        if statuses.contains(&status) {
            Ok(())
        } else {
            Err(format!("{name}: {status} {}", String::from_utf8_lossy(&body)).into())
        }
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}
