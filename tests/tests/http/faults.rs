//! Tests a database that becomes unavailable and comes back, and a gateway that stops while
//! requests run.

use std::time::{Duration, Instant};

use cluster::{Cluster, Options};
use gateway::server::GatewayHandle;
use serde_json::json;
use tests::proxy::Proxy;
use tests::reply::Reply;
use tests::service::ADMIN_SECRET;
use tests::wait::until;

use super::service::{PERMISSIONS, SCHEMA, Service, send};
use super::socket::Socket;
use super::switch::Switch;

const QUERY: &str = "{ authors { id } }";

async fn ask(url: &str, query: &str) -> Reply {
    let post = reqwest::Client::new()
        .post(format!("{url}/v1/graphql"))
        .header("X-Gateway-Admin-Secret", ADMIN_SECRET);
    send(post.json(&json!({"query": query}))).await
}

async fn status(url: &str, path: &str) -> u16 {
    send(reqwest::Client::new().get(format!("{url}{path}")))
        .await
        .status
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_database_is_reported_and_reconnected() {
    let folder = tempfile::tempdir().unwrap();
    // Postgres runs as another user, who has to be able to enter its folder.
    std::fs::set_permissions(
        folder.path(),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let data_dir = Some(folder.path().join("data"));
    let mut cluster = Cluster::start(Options {
        data_dir: data_dir.clone(),
        ..Options::default()
    })
    .unwrap();
    tests::database::connect(&cluster.url("postgres"))
        .await
        .unwrap()
        .batch_execute(SCHEMA)
        .await
        .unwrap();
    let proxy = Switch::start(cluster.port()).await;
    let database = proxy.url(&cluster.url("postgres"));
    let builder = tests::gateway()
        .database_url(&database)
        .admin_secret(ADMIN_SECRET)
        .listen("127.0.0.1:0");
    let running = builder
        .permissions_text("service.toml", PERMISSIONS)
        .setting("time-limit", "3")
        .start()
        .await
        .unwrap();
    let url = running.url();
    assert_eq!(ask(&url, QUERY).await.status, 200);
    assert_eq!(status(&url, "/readyz").await, 200);

    cluster.stop();
    assert_eq!(status(&url, "/healthz").await, 200);
    assert_eq!(status(&url, "/readyz").await, 503);
    let began = Instant::now();
    let reply = ask(&url, QUERY).await;
    reply.assert_error(503, "unavailable", "the database is not available");
    assert_eq!(reply.header("retry-after"), "1");
    assert!(
        began.elapsed() < Duration::from_secs(6),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(status(&url, "/v1/version").await, 200);

    let again = Cluster::start(Options {
        data_dir,
        ..Options::default()
    })
    .unwrap();
    proxy.lead_to(again.port());
    until_answered(&url).await;
    assert_eq!(status(&url, "/readyz").await, 200);
    running.shutdown().await;
}

/// Repeats a query until it succeeds, which has to happen within seconds and without intervention.
async fn until_answered(url: &str) {
    let end = Instant::now() + Duration::from_secs(15);
    loop {
        let reply = ask(url, QUERY).await;
        if reply.status == 200 {
            return;
        }
        reply.assert_error(503, "unavailable", "the database is not available");
        assert!(Instant::now() < end, "still {}", reply.text);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// A proxy that stops forwarding on open connections, as a balancer that has forgotten them.
#[tokio::test(flavor = "multi_thread")]
async fn one_forgotten_connection_costs_one_request_and_idle_ones_none() {
    let database = tests::create("forgotten", &[SCHEMA]).await.unwrap();
    let proxy = Proxy::start(database.url()).await.unwrap();
    let start = async |settings: &[(&str, &str)]| {
        let builder = tests::gateway()
            .database_url(proxy.url())
            .listen("127.0.0.1:0")
            .admin_secret(ADMIN_SECRET);
        let builder = settings.iter().fold(builder, |builder, (name, value)| {
            builder.setting(name, value)
        });
        builder.start().await.unwrap()
    };
    // Connections that were idle are replaced before a request takes them.
    let running = start(&[("pool-idle-timeout", "1"), ("pool-size", "4")]).await;
    let database_of = |running: &GatewayHandle| running.app().state().execution.database.clone();
    database_of(&running).open(4).await;
    until("idle connections are closed", async || {
        database_of(&running).size().0 == 0
    })
    .await;
    proxy.forget_connections();
    assert_eq!(ask(&running.url(), QUERY).await.status, 200);
    running.shutdown().await;
    // Old ones as well.
    let running = start(&[
        ("pool-max-age", "1"),
        ("pool-idle-timeout", "0"),
        ("pool-size", "4"),
    ])
    .await;
    database_of(&running).open(4).await;
    until("old connections are closed", async || {
        database_of(&running).size().0 == 0
    })
    .await;
    running.shutdown().await;
    // One that fails by its time takes the other idle ones with it.
    let running = start(&[("time-limit", "6"), ("pool-size", "4")]).await;
    database_of(&running).open(4).await;
    assert_eq!(ask(&running.url(), QUERY).await.status, 200);
    proxy.forget_connections();
    let mut statuses = vec![];
    for _ in 0..4 {
        statuses.push(ask(&running.url(), QUERY).await.status);
    }
    assert_eq!(statuses, [504, 200, 200, 200]);
    running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn closed_connections_are_replaced_transparently() {
    let service = Service::with(&[("pool-size", "4")]).await;
    for _ in 0..3 {
        let responses = (0..4).map(|_| service.ask("{ brief { slept } }"));
        assert!(
            futures_util::future::join_all(responses)
                .await
                .iter()
                .all(|reply| reply.status == 200)
        );
        let client = service.database.connect().await.unwrap();
        let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                   WHERE datname = current_database() AND pid <> pg_backend_pid()";
        client.execute(cut, &[]).await.unwrap();
        let responses = (0..4).map(|_| service.ask(QUERY));
        for reply in futures_util::future::join_all(responses).await {
            assert_eq!(reply.status, 200, "{}", reply.text);
        }
    }
    // A read whose connection is closed while its statement runs is retried on another connection.
    let running = service.ask("{ brief { slept } }");
    let cut = async {
        service.database.until_waiting(1, "PgSleep").await;
        let client = service.database.connect().await.unwrap();
        let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = \
                   'PgSleep' \
                   AND datname = current_database()";
        client.execute(cut, &[]).await.unwrap()
    };
    let (reply, cut) = futures_util::future::join(running, cut).await;
    assert_eq!((reply.status, cut), (200, 1), "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_beyond_the_pool_size_wait() {
    let service = Service::with(&[("pool-size", "2")]).await;
    let responses = (0..40).map(|_| service.ask(QUERY));
    for reply in futures_util::future::join_all(responses).await {
        assert_eq!(reply.status, 200, "{}", reply.text);
    }
    let client = service.database.connect().await.unwrap();
    let query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND \
                 application_name = 'postern'";
    let open: i64 = client.query_one(query, &[]).await.unwrap().get(0);
    assert!(open <= 2, "{open}");
}

#[tokio::test(flavor = "multi_thread")]
async fn running_requests_finish_when_the_gateway_stops() {
    let service = Service::start().await;
    let address = service.address();
    let mut socket = Socket::connect(address).await;
    socket
        .post("", br#"{"query":"{ brief { id slept } }"}"#)
        .await;
    service.database.until_waiting(1, "PgSleep").await;
    let (running, database) = service.into_parts();
    let stopped = tokio::spawn(running.shutdown());
    let reply = socket.reply().await.unwrap();
    assert_eq!(
        reply.data(),
        json!({"brief": [{"id": 1, "slept": ""}]}),
        "{}",
        reply.text
    );
    tokio::time::timeout(Duration::from_secs(5), stopped)
        .await
        .unwrap()
        .unwrap();
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
    drop(database);
}
