//! Tests subscriptions while something fails between Postgres, gateway and client: subscribers have
//! the right result within two seconds afterwards without connecting again, or the gateway notices
//! that they are gone and keeps no work.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use cluster::{Cluster, Options};
use gateway::server::GatewayHandle;
use serde_json::{Value, json};
use tests::database::connect;
use tests::service::ADMIN_SECRET;
use tests::wait::until;

use super::hostile_sockets::nothing_is_left;
use super::service::{PERMISSIONS, SCHEMA, Service, send, until_no_subscriptions};
use super::switch::Switch;
use super::websocket_client::{LEGACY, PATIENCE, TRANSPORT, WebSocket};

/// Within this time subscribers have the result of a write.
const SOON: Duration = Duration::from_secs(2);

async fn start(url: &str) -> GatewayHandle {
    let builder = tests::gateway()
        .database_url(url)
        .admin_secret(ADMIN_SECRET)
        .listen("127.0.0.1:0");
    let builder = builder.setting("subscription-interval", "0.2");
    builder
        .permissions_text("service.toml", PERMISSIONS)
        .start()
        .await
        .unwrap()
}

/// Subscribers of live queries, with and without parameters, and of a stream.
struct Subscribers {
    live: Vec<WebSocket>,
    stream: WebSocket,
    /// The rows that the stream has delivered.
    seen: Vec<i64>,
    rounds: i64,
}

impl Subscribers {
    async fn start(gateway: &GatewayHandle) -> Subscribers {
        let mut live = Vec::new();
        for protocol in [TRANSPORT, LEGACY] {
            let kind = if protocol == LEGACY {
                "start"
            } else {
                "subscribe"
            };
            for author in [1, 1, 2] {
                let mut socket = WebSocket::reader_at(gateway.address(), protocol).await;
                let query = "subscription ($author: Int!) { articles(where: {author_id: {_eq: \
                             $author}}, order_by: {id: asc}) { id title } }";
                let payload = json!({"query": query, "variables": {"author": author}});
                socket
                    .send(&json!({"type": kind, "id": "1", "payload": payload}))
                    .await;
                live.push(socket);
            }
        }
        let mut stream = WebSocket::reader_at(gateway.address(), TRANSPORT).await;
        stream
            .start(
                "1",
                "subscription { articles_stream(batch_size: 2, cursor: {initial_value: \
                         {id: 100}}) { id } }",
            )
            .await;
        let mut subscribers = Subscribers {
            live,
            stream,
            seen: Vec::new(),
            rounds: 0,
        };
        for socket in &mut subscribers.live {
            next(socket).await;
        }
        subscribers
    }

    /// Writes to the database, and waits until every subscriber has the result.
    async fn see_a_write(&mut self, url: &str) {
        self.rounds += 1;
        let title = format!("round {}", self.rounds);
        let row = 100 + self.rounds;
        let write = format!(
            "UPDATE articles SET title = '{title}' WHERE id < 4; INSERT INTO \
                             articles VALUES ({row}, 1, 'row')"
        );
        connect(url)
            .await
            .unwrap()
            .batch_execute(&write)
            .await
            .unwrap();
        let began = Instant::now();
        for socket in &mut self.live {
            while next(socket).await["articles"][0]["title"] != title {}
        }
        while !self.seen.contains(&row) {
            let rows = next(&mut self.stream).await;
            self.seen.extend(
                rows["articles_stream"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|row| row["id"].as_i64().unwrap()),
            );
        }
        eprintln!("{title}: {:?}", began.elapsed());
        assert!(began.elapsed() < SOON, "{title}: {:?}", began.elapsed());
        assert_eq!(
            self.seen,
            (101..=row).collect::<Vec<i64>>(),
            "each row once"
        );
    }

    /// Ends all of them, after which no work is left.
    async fn end(self, gateway: GatewayHandle) {
        drop(self);
        until_no_subscriptions(&gateway).await;
        gateway.shutdown().await;
    }
}

/// The next result. No subscription may end.
async fn next(socket: &mut WebSocket) -> Value {
    loop {
        let message = socket.message().await;
        match message["type"].as_str().unwrap() {
            "next" | "data" => return message["payload"]["data"].clone(),
            "ka" => {}
            _ => panic!("{message}"),
        }
    }
}

/// A cluster of the test's own, which can be started again.
struct OwnCluster {
    cluster: Cluster,
    options: Options,
    folder: tempfile::TempDir,
}

impl OwnCluster {
    async fn start() -> OwnCluster {
        // Postgres runs as another user, who has to be able to enter its folder.
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        let folder = tempfile::Builder::new()
            .permissions(open)
            .tempdir()
            .unwrap();
        let options = Options {
            data_dir: Some(folder.path().join("data")),
            ..Options::default()
        };
        let cluster = Cluster::start(options.clone()).unwrap();
        connect(&cluster.url("postgres"))
            .await
            .unwrap()
            .batch_execute(SCHEMA)
            .await
            .unwrap();
        OwnCluster {
            cluster,
            options,
            folder,
        }
    }

    fn url(&self) -> String {
        self.cluster.url("postgres")
    }

    fn start_again(&mut self, switch: &Switch) {
        self.cluster.stop();
        self.cluster = Cluster::start(self.options.clone()).unwrap();
        switch.lead_to(self.cluster.port());
    }

    /// The server's processes, and those of its backends.
    async fn processes(&self) -> Vec<String> {
        let file: PathBuf = self.folder.path().join("data/data/postmaster.pid");
        let server = std::fs::read_to_string(file)
            .unwrap()
            .lines()
            .next()
            .unwrap()
            .to_owned();
        let client = connect(&self.url()).await.unwrap();
        let backends = client
            .query(
                "SELECT pid::text FROM pg_stat_activity WHERE pid <> pg_backend_pid()",
                &[],
            )
            .await;
        let backends = backends.unwrap().into_iter().map(|row| row.get(0));
        std::iter::once(server).chain(backends).collect()
    }
}

/// Sends a signal to processes. Those that have ended meanwhile do not matter.
fn signal(name: &str, processes: &[String]) {
    let kill = format!("kill -{name} {}; true", processes.join(" "));
    assert!(
        Command::new("sh")
            .args(["-c", &kill])
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap()
            .success()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn subscribers_outlive_ended_backends() {
    let database = tests::create("front", &[SCHEMA]).await.unwrap();
    let gateway = start(database.url()).await;
    let mut subscribers = Subscribers::start(&gateway).await;
    for _ in 0..5 {
        database.end_gateway_connections().await;
        subscribers.see_a_write(database.url()).await;
    }
    subscribers.end(gateway).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn subscribers_outlive_a_restart_and_a_crash_of_postgres() {
    let mut postgres = OwnCluster::start().await;
    let switch = Switch::start(postgres.cluster.port()).await;
    let gateway = start(&switch.url(&postgres.url())).await;
    let mut subscribers = Subscribers::start(&gateway).await;
    subscribers.see_a_write(&postgres.url()).await;

    postgres.cluster.stop();
    until_ready(&gateway, false).await;
    postgres.start_again(&switch);
    subscribers.see_a_write(&postgres.url()).await;

    signal("KILL", &postgres.processes().await);
    until_ready(&gateway, false).await;
    postgres.start_again(&switch);
    subscribers.see_a_write(&postgres.url()).await;
    subscribers.end(gateway).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn subscribers_outlive_a_pause_of_postgres() {
    let postgres = OwnCluster::start().await;
    let gateway = start(&postgres.url()).await;
    let mut subscribers = Subscribers::start(&gateway).await;
    subscribers.see_a_write(&postgres.url()).await;
    for _ in 0..2 {
        let processes = postgres.processes().await;
        signal("STOP", &processes);
        until_ready(&gateway, false).await;
        signal("CONT", &processes);
        subscribers.see_a_write(&postgres.url()).await;
    }

    // Only the gateway's connections do not respond, so it takes others.
    let activity = "SELECT pid::text FROM pg_stat_activity WHERE application_name = 'postern'";
    let backends = connect(&postgres.url())
        .await
        .unwrap()
        .query(activity, &[])
        .await
        .unwrap();
    let backends: Vec<String> = backends.iter().map(|row| row.get(0)).collect();
    signal("STOP", &backends);
    let write = "UPDATE articles SET title = 'while paused' WHERE id < 4";
    connect(&postgres.url())
        .await
        .unwrap()
        .batch_execute(write)
        .await
        .unwrap();
    for socket in &mut subscribers.live {
        while next(socket).await["articles"][0]["title"] != "while paused" {}
    }
    signal("CONT", &backends);
    subscribers.see_a_write(&postgres.url()).await;
    subscribers.end(gateway).await;
}

/// Waits until the gateway says that the database responds, or that it does not.
async fn until_ready(gateway: &GatewayHandle, is_ready: bool) {
    let url = format!("{}/readyz", gateway.url());
    until("the gateway knows the state of the database", async || {
        let status = send(reqwest::Client::new().get(&url)).await.status;
        status == if is_ready { 200 } else { 503 }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn subscribers_outlive_a_network_to_postgres_that_cuts_and_delays() {
    let database = tests::create("front", &[SCHEMA]).await.unwrap();
    let port = database
        .url()
        .rsplit_once('/')
        .unwrap()
        .0
        .rsplit_once(':')
        .unwrap()
        .1
        .parse()
        .unwrap();
    let switch = Switch::start(port).await;
    let gateway = start(&switch.url(database.url())).await;
    let mut subscribers = Subscribers::start(&gateway).await;
    for _ in 0..3 {
        switch.cut();
        subscribers.see_a_write(database.url()).await;
    }
    for cuts in [false, true] {
        switch.hold(true);
        until_ready(&gateway, false).await;
        if cuts {
            switch.cut();
        }
        switch.hold(false);
        subscribers.see_a_write(database.url()).await;
    }
    // Nothing listens for a while.
    switch.lead_to(1);
    switch.cut();
    until_ready(&gateway, false).await;
    switch.lead_to(port);
    subscribers.see_a_write(database.url()).await;
    subscribers.end(gateway).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_behind_a_network_that_cuts_or_falls_silent_leave_no_work() {
    let service =
        Service::with(&[("subscription-interval", "0.2"), ("socket-keep-alive", "2")]).await;
    for silent in [false, true] {
        let switch = Switch::start(service.address().port()).await;
        let mut sockets = Vec::new();
        for (number, protocol) in [TRANSPORT, LEGACY, TRANSPORT, LEGACY]
            .into_iter()
            .enumerate()
        {
            let mut socket = WebSocket::reader_at(switch.address(), protocol).await;
            socket
                .start(
                    "1",
                    "subscription { articles(order_by: {id: asc}) { id title } }",
                )
                .await;
            next(&mut socket).await;
            if number > 1 {
                socket.start("2", "{ slow { slept } }").await;
            }
            sockets.push(socket);
        }
        if silent {
            switch.hold(true);
        } else {
            switch.cut();
        }
        nothing_is_left(&service).await;
        drop(sockets);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn more_subscriptions_than_connections_wait_for_the_database() {
    let database = tests::create("front", &[SCHEMA]).await.unwrap();
    let port = database
        .url()
        .rsplit_once('/')
        .unwrap()
        .0
        .rsplit_once(':')
        .unwrap()
        .1
        .parse()
        .unwrap();
    let switch = Switch::start(port).await;
    let builder = tests::gateway()
        .database_url(&switch.url(database.url()))
        .admin_secret(ADMIN_SECRET);
    let builder = builder
        .listen("127.0.0.1:0")
        .permissions_text("service.toml", PERMISSIONS);
    // Those that wait for a connection give up soon, and so do those that have one.
    let builder = builder
        .setting("pool-size", "2")
        .setting("queue-timeout", "0.5")
        .setting("time-limit", "0.5");
    let gateway = builder
        .setting("subscription-interval", "0.2")
        .start()
        .await
        .unwrap();
    let mut socket = WebSocket::reader_at(gateway.address(), TRANSPORT).await;
    switch.hold(true);
    for number in 0..20 {
        let limit = 1000 + number;
        socket
            .start(
                &number.to_string(),
                &format!("subscription {{ articles(where: {{id: {{_lt: {limit}}}}}) {{ id }} }}"),
            )
            .await;
    }
    // Long enough for each of them to have failed.
    assert!(
        tokio::time::timeout(Duration::from_secs(4), socket.message())
            .await
            .is_err(),
        "one has ended"
    );
    switch.hold(false);
    for _ in 0..20 {
        assert_eq!(
            next(&mut socket).await["articles"]
                .as_array()
                .unwrap()
                .len(),
            3
        );
    }
    gateway.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn subscription_that_begins_without_the_database_waits_for_it() {
    let database = tests::create("front", &[SCHEMA]).await.unwrap();
    let port = database
        .url()
        .rsplit_once('/')
        .unwrap()
        .0
        .rsplit_once(':')
        .unwrap()
        .1
        .parse()
        .unwrap();
    let switch = Switch::start(port).await;
    let gateway = start(&switch.url(database.url())).await;
    // The planner is asked about each of these documents, which the gateway has not seen before.
    let document = |number: usize, away: bool| {
        format!(
            "subscription {{ articles(where: {{id: {{_lt: {}}}}}, order_by: {{id: asc}}) {{ id \
             title }} }}",
            1000 + 10 * number + usize::from(away)
        )
    };
    for (round, is_silent) in [false, true, false].into_iter().enumerate() {
        let mut sockets = Vec::new();
        for _ in 0..2 {
            sockets.push(WebSocket::reader_at(gateway.address(), TRANSPORT).await);
        }
        if is_silent {
            switch.hold(true);
        } else {
            switch.lead_to(1);
            switch.cut();
        }
        until_ready(&gateway, false).await;
        sockets[0].start("1", &document(round, true)).await;
        let mut stream = reqwest::Client::new().post(format!("{}/v1/graphql", gateway.url()));
        stream = stream
            .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
            .header("X-Gateway-Role", "reader");
        stream = stream.header("Accept", "text/event-stream");
        let mut stream = stream
            .json(&json!({"query": document(round, false)}))
            .send()
            .await
            .unwrap();
        // What was running goes on as well, also through a reload that finds no database.
        sockets[1].start("1", &document(round, true)).await;
        drop(gateway.reload().await);
        if is_silent {
            switch.hold(false);
        } else {
            switch.lead_to(port);
        }
        for socket in &mut sockets {
            assert_eq!(next(socket).await["articles"].as_array().unwrap().len(), 3);
        }
        let mut read = String::new();
        while !read.contains("event: ") {
            let part = tokio::time::timeout(PATIENCE, stream.chunk())
                .await
                .expect("nothing arrives")
                .unwrap();
            read += std::str::from_utf8(&part.expect("the stream ends")).unwrap();
        }
        assert!(
            read.contains("event: next\ndata: {\"data\":{\"articles\":[{\"id\":1,"),
            "{read}"
        );
    }
    until("the gateway is well", async || {
        gateway.reload().await.is_ok()
    })
    .await;
    gateway.shutdown().await;
}
