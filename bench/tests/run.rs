//! Tests rounds over fake servers: the order in which peers are driven, what is counted, and the
//! format of the report. No figure is checked.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::cell::RefCell;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use bench::meter::Processes;
use bench::peers::Peer;
use bench::run::{Driven, Outcome, Plan, measure};
use bench::work::{self, Data};
use bench::{machine, report};
use loadgen::{ArrivalRate, LoadOptions, LoadReport, PreparedRequest, drive};

/// Starts a server that answers every packet with this body.
fn server(body: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            std::thread::spawn(move || {
                let response = format!(
                    "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}",
                    body.len()
                );
                let mut buffer = [0; 4096];
                while stream.read(&mut buffer).is_ok_and(|read| read > 0)
                    && stream.write_all(response.as_bytes()).is_ok()
                {}
            });
        }
    });
    address
}

fn load(address: SocketAddr, asked: &LoadOptions) -> LoadReport {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime
        .block_on(drive(
            address,
            &[PreparedRequest::post("localhost", "/", &[], b"{}")],
            asked,
        ))
        .unwrap()
}

fn plan() -> Plan {
    Plan {
        works: vec![&work::all()[0]],
        peers: vec![Peer::Postern, Peer::HandWritten, Peer::PostGraphile],
        clients: vec![1, 3],
        rate: Some(0.5),
        time: Duration::from_millis(100),
        warm_up: Duration::from_millis(10),
        rounds: 2,
        pool: 8,
        reports: 0,
        durable: false,
        report_rate: None,
        data: Data::SMALL,
        seed: 1,
    }
}

#[test]
fn peers_are_driven_in_turns_and_reported() {
    let good = server(r#"{"data":{"x":[]}}"#);
    let bad = server(r#"{"errors":[]}"#);
    let turns = RefCell::new(vec![]);
    let process = Some(Processes::under(std::process::id()));
    let driven = |peer: Peer| {
        let turns = &turns;
        let address = if peer == Peer::PostGraphile {
            bad
        } else {
            good
        };
        let drive = move |asked: &LoadOptions| {
            turns.borrow_mut().push((
                peer,
                asked.clients,
                asked.arrival_rate != ArrivalRate::Closed,
            ));
            Ok(load(address, asked))
        };
        Driven {
            peer,
            process,
            postgres: None,
            drive: Box::new(drive),
        }
    };
    let plan = plan();
    let driven: Vec<Driven<'_>> = plan.peers.iter().map(|peer| driven(*peer)).collect();
    let groups = measure(&plan, plan.works[0], &driven, &|_| ()).unwrap();

    let [one, two, three] = [Peer::Postern, Peer::HandWritten, Peer::PostGraphile];
    let turns = turns.borrow();
    let rounds: Vec<Peer> = turns[3..9].iter().map(|turn| turn.0).collect();
    assert_eq!(rounds, [one, two, three, two, three, one]);
    assert_eq!(
        turns.len(),
        3 + 3 * 6,
        "a prelude, two numbers of clients and the rate"
    );
    assert!(turns[15..].iter().all(|turn| turn.2) && turns[..15].iter().all(|turn| !turn.2));

    assert_eq!(groups.len(), 3);
    let due = groups[2].rate.unwrap();
    let reached = groups[1]
        .throughput(one)
        .unwrap()
        .min(groups[1].throughput(two).unwrap());
    assert!(
        (due / reached - 0.5).abs() < 0.01,
        "the good ones decide the rate, not the slowest of all"
    );
    for group in &groups {
        assert!(group.slices(one).len() == 2 && group.throughput(one).unwrap() > 0.0);
        assert_eq!(
            group.throughput(three),
            Some(0.0),
            "errors are no throughput"
        );
        let [least, median, greatest] = group.ratio(one, two).unwrap();
        assert!(least <= median && median <= greatest);
        assert!(group.slices(one)[0].postgres.is_none());
    }

    let outcome = Outcome {
        groups,
        absent: vec![(Peer::Pgbench, "not asked for".into())],
        ..Outcome::default()
    };
    let facts = machine::facts(std::path::Path::new("."), "15.0", None);
    let json = report::json(&plan, &outcome, &facts);
    let peers = json["groups"][0]["peers"].as_array().unwrap();
    assert_eq!(
        (
            json["groups"].as_array().unwrap().len(),
            peers.len(),
            peers[0]["rounds"].as_array().unwrap().len()
        ),
        (3, 3, 2)
    );
    assert_eq!(peers[2]["first_error"], r#"200 {"errors":[]}"#);
    assert!(
        peers[0]["median"]["p50_us"].as_f64().unwrap() > 0.0
            && peers[0]["ratio"]["median"].is_f64()
    );
    let tables = report::tables(&plan, &outcome, &facts);
    for text in [
        "postern 3",
        "1 client\n",
        "3 clients\n",
        "due a second",
        "Without pgbench: not asked for",
        "postgres: 15.0",
    ] {
        assert!(tables.contains(text), "no {text:?} in\n{tables}");
    }
}
