//! Tests queries on replicas and the failover of a primary, with a real streaming replica: callers
//! read what they have written, lag and loss of a replica cause no failure and no old answer, and
//! no acknowledged write is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::{Duration, Instant};

use cluster::Cluster;
use futures_util::future::join_all;
use gateway::config::Settings;
use gateway::rest;
use gateway::server::GatewayHandle;
use serde_json::{Value, json};
use tests::database::connect;
use tests::reply::Reply;
use tests::service::ADMIN_SECRET;
use tests::standby::{Forwarder, Standby, primary, with_port};
use tests::wait::until;
use tokio_postgres::Client;

/// `place` shows which server answers.
const SCHEMA: &str = "\
    CREATE TABLE notes (id int PRIMARY KEY, body text); \
    CREATE VIEW place AS SELECT 1 AS id, pg_is_in_recovery() AS is_replica; \
    CREATE FUNCTION counted() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM notes';";

const PERMISSIONS: &str = r#"
[naming]
convention = "snake"
[table.notes.role.user]
select = { columns = "*", rows = "true", aggregates = true }
insert = { columns = "*", check = "true" }
update = { columns = ["body"], rows = "true" }
[table.place.role.user]
select = { columns = "*", rows = "true" }
[table.place.role.report]
select = { columns = "*", rows = "true" }
"#;

/// A primary and its replica, the latter behind a forwarder. Fields are dropped in order.
struct Servers {
    sql: Client,
    forwarder: Forwarder,
    standby: Standby,
    primary: Cluster,
}

impl Servers {
    /// `None` where the installation cannot make a replica.
    async fn start() -> Option<Servers> {
        let primary = primary(&[("synchronous_commit", "on"), ("full_page_writes", "on")]).unwrap();
        let sql = connect(&primary.url("postgres")).await.unwrap();
        sql.batch_execute(SCHEMA).await.unwrap();
        let Some(standby) = Standby::start(&primary).unwrap() else {
            eprintln!("skipped: this installation of Postgres has no `pg_basebackup`");
            return None;
        };
        let forwarder = Forwarder::start(standby.port()).await.unwrap();
        Some(Servers {
            sql,
            forwarder,
            standby,
            primary,
        })
    }

    fn replica_url(&self) -> String {
        with_port(&self.primary.url("postgres"), self.forwarder.port())
    }

    async fn on_standby(&self) -> Client {
        connect(&self.standby.cluster.as_ref().unwrap().url("postgres"))
            .await
            .unwrap()
    }

    async fn gateway(&self, file: &str) -> Service {
        let builder = tests::gateway().settings(Settings::from_text("gateway.toml", file).unwrap());
        let builder = builder
            .database_url(&self.primary.url("postgres"))
            .setting("replica-url", &self.replica_url());
        Service::start(builder).await
    }
}

struct Service {
    gateway: GatewayHandle,
    http: reqwest::Client,
}

impl Service {
    async fn start(builder: gateway::server::Builder) -> Service {
        let builder = builder
            .admin_secret(ADMIN_SECRET)
            .listen("127.0.0.1:0")
            .permissions_text("replicas.toml", PERMISSIONS);
        Service {
            gateway: builder.start().await.unwrap(),
            http: reqwest::Client::new(),
        }
    }

    async fn ask_as(
        &self,
        role: &str,
        query: &str,
        variables: Value,
        after: Option<&str>,
    ) -> Reply {
        let post = self
            .http
            .post(format!("{}/v1/graphql", self.gateway.url()))
            .header("X-Gateway-Role", role);
        let post = post.header("X-Gateway-Admin-Secret", ADMIN_SECRET);
        let post = after
            .into_iter()
            .fold(post, |post, after| post.header("Read-After", after));
        Reply::of(post.json(&json!({"query": query, "variables": variables})))
            .await
            .unwrap()
    }

    async fn ask(&self, query: &str, after: Option<&str>) -> Reply {
        self.ask_as("user", query, json!({}), after).await
    }

    /// Whether a replica answers.
    async fn reads_replica(&self, after: Option<&str>) -> bool {
        let reply = self
            .ask("query Place { place { is_replica } }", after)
            .await;
        reply.data()["place"][0]["is_replica"]
            .as_bool()
            .unwrap_or_else(|| panic!("{}", reply.text))
    }

    async fn until_replica_is_used(&self) {
        until("queries go to the replica", async || {
            self.reads_replica(None).await
        })
        .await;
    }

    async fn until_replica_is_left_out(&self) {
        until("queries go to the primary", async || {
            !self.reads_replica(None).await
        })
        .await;
    }

    async fn metric(&self, name: &str) -> f64 {
        let text = Reply::of(self.http.get(format!("{}/metrics", self.gateway.url())))
            .await
            .unwrap()
            .text;
        let lines = text
            .lines()
            .filter(|line| line.starts_with(&format!("postern_{name}")));
        lines
            .filter_map(|line| line.rsplit_once(' ')?.1.parse::<f64>().ok())
            .sum()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_read_what_they_have_written() {
    let Some(servers) = Servers::start().await else {
        return;
    };
    let service = servers.gateway("").await;
    service.until_replica_is_used().await;
    let standby = servers.on_standby().await;
    standby
        .batch_execute("SELECT pg_wal_replay_pause()")
        .await
        .unwrap();
    let written = service
        .ask(
            "mutation { insert_notes_one(object: {id: 1, body: \"a\"}) { id } }",
            None,
        )
        .await;
    assert_eq!(
        written.data(),
        json!({"insert_notes_one": {"id": 1}}),
        "{}",
        written.text
    );
    let after = written.header("read-after").to_owned();
    assert!(after.starts_with("1-0/"), "{after:?}");
    for port in [servers.primary.port(), servers.forwarder.port()] {
        let labels = format!("{{code=\"\",server=\"127.0.0.1:{port}\"}}");
        let requests = service
            .metric(&format!("server_requests_total{labels}"))
            .await;
        assert!(requests >= 1.0, "{labels} {requests}");
    }
    // Without the position the replica may answer, from before the write; with it only the primary
    // can.
    let read = async |after: Option<&str>| {
        service
            .ask("{ notes { body } place { is_replica } }", after)
            .await
            .data()
    };
    assert_eq!(
        read(None).await,
        json!({"notes": [], "place": [{"is_replica": true}]})
    );
    let new = json!({"notes": [{"body": "a"}], "place": [{"is_replica": false}]});
    assert_eq!(read(Some(&after)).await, new);
    assert_eq!(read(Some("nonsense")).await, new);
    assert_eq!(read(Some("1-FFFFFFFF/FFFFFFFF")).await, new);
    // Without a timeline nothing shows which history the position belongs to.
    assert_eq!(read(Some("0/1")).await, new);
    // No server has been on a later timeline.
    assert_eq!(read(Some("2-0/1")).await, new);
    // A dry run and a failed mutation write nothing to read after.
    let failed = service
        .ask(
            "mutation { insert_notes_one(object: {id: 1}) { id } }",
            None,
        )
        .await;
    assert_eq!(
        (failed.error().code.as_str(), failed.header("read-after")),
        ("constraint-violation", "")
    );
    // A batch, whose requests may depend on each other, reads from the primary.
    let batch = json!([{"query": "{ place { is_replica } }"}]);
    let batch = service
        .http
        .post(format!("{}/v1/graphql", service.gateway.url()))
        .json(&batch);
    let batch = batch
        .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
        .header("X-Gateway-Role", "user");
    assert_eq!(
        Reply::of(batch).await.unwrap().json()[0]["data"]["place"][0]["is_replica"],
        false
    );
    standby
        .batch_execute("SELECT pg_wal_replay_resume()")
        .await
        .unwrap();
    until("the replica answers with the write", async || {
        let rows = read(Some(&after)).await;
        assert_eq!(rows["notes"], new["notes"]);
        rows["place"][0]["is_replica"] == true
    })
    .await;
    assert!(
        service
            .metric("replica_reads_total{server=\"primary\"}")
            .await
            >= 3.0
    );
    assert_eq!(service.metric("replica_usable").await, 1.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn roles_and_operations_decide_which_queries_use_replicas() {
    let Some(servers) = Servers::start().await else {
        return;
    };
    let file = "[replicas]\nroles = [\"report\"]\noperations = [\"Place\"]\n";
    let service = servers.gateway(file).await;
    let location = async |role: &str, name: &str| {
        let reply = service
            .ask_as(
                role,
                &format!("query {name} {{ place {{ is_replica }} }}"),
                json!({}),
                None,
            )
            .await;
        reply.data()["place"][0]["is_replica"]
            .as_bool()
            .unwrap_or_else(|| panic!("{}", reply.text))
    };
    until("the report reads from the replica", async || {
        location("report", "Place").await
    })
    .await;
    assert!(!location("report", "Other").await && !location("user", "Place").await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replica_that_lags_or_is_gone_gets_no_queries_until_it_returns() {
    let Some(mut servers) = Servers::start().await else {
        return;
    };
    let service = Arc::new(servers.gateway("[replicas]\nmax_lag = 1\n").await);
    service.until_replica_is_used().await;
    // It lags.
    let standby = servers.on_standby().await;
    standby
        .batch_execute("SELECT pg_wal_replay_pause()")
        .await
        .unwrap();
    servers
        .sql
        .batch_execute("INSERT INTO notes VALUES (10, 'late')")
        .await
        .unwrap();
    service.until_replica_is_left_out().await;
    assert!(service.metric("replica_lag_seconds").await > 1.0);
    standby
        .batch_execute("SELECT pg_wal_replay_resume()")
        .await
        .unwrap();
    service.until_replica_is_used().await;
    // A table that the replica does not have yet: the primary answers.
    standby
        .batch_execute("SELECT pg_wal_replay_pause()")
        .await
        .unwrap();
    servers
        .sql
        .batch_execute("ALTER TABLE notes ADD extra int DEFAULT 7")
        .await
        .unwrap();
    service.gateway.reload().await.unwrap();
    let reply = service
        .ask("{ notes(where: {id: {_eq: 10}}) { extra } }", None)
        .await;
    assert_eq!(
        reply.data(),
        json!({"notes": [{"extra": 7}]}),
        "{}",
        reply.text
    );
    standby
        .batch_execute("SELECT pg_wal_replay_resume()")
        .await
        .unwrap();
    drop(standby);
    service.until_replica_is_used().await;
    // It dies while queries run: none fails.
    let stop = Arc::new(AtomicBool::new(false));
    let clients = (0..8).map(|_| {
        let service = service.clone();
        let stop = stop.clone();
        tokio::spawn(async move {
            let mut answered = 0;
            while !stop.load(Ordering::Relaxed) {
                let reply = service.ask("{ notes_by_pk(id: 10) { body } }", None).await;
                assert_eq!(
                    reply.data(),
                    json!({"notes_by_pk": {"body": "late"}}),
                    "{}",
                    reply.text
                );
                answered += 1;
            }
            answered
        })
    });
    let clients: Vec<_> = clients.collect();
    tokio::time::sleep(Duration::from_millis(200)).await;
    servers.forwarder.point_to(0);
    tokio::task::block_in_place(|| servers.standby.stop());
    service.until_replica_is_left_out().await;
    tokio::task::block_in_place(|| servers.standby.start_again()).unwrap();
    servers.forwarder.point_to(servers.standby.port());
    service.until_replica_is_used().await;
    // Promoted, it is no longer a replica.
    servers
        .on_standby()
        .await
        .batch_execute("SELECT pg_promote()")
        .await
        .unwrap();
    until("a promoted replica gets no queries", async || {
        service.metric("replica_usable").await == 0.0
    })
    .await;
    assert!(!service.reads_replica(None).await);
    stop.store(true, Ordering::Relaxed);
    for answered in join_all(clients).await {
        assert!(answered.unwrap() > 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replica_that_has_left_the_history_of_the_primary_gets_no_queries() {
    let Some(mut servers) = Servers::start().await else {
        return;
    };
    // A role without any privilege but to read, and a second replica, of the first one.
    servers
        .sql
        .batch_execute(
            "CREATE ROLE reader LOGIN PASSWORD 'reader'; GRANT SELECT, INSERT, UPDATE ON notes, place TO \
             reader",
        )
        .await
        .unwrap();
    let standby = servers.standby.cluster.as_ref().unwrap();
    let cascade = Standby::start(standby).unwrap().unwrap();
    let as_reader = |port: u16| format!("postgres://reader:reader@127.0.0.1:{port}/postgres");
    let builder = tests::gateway()
        .database_url(&as_reader(servers.primary.port()))
        .setting("replica-url", &as_reader(servers.forwarder.port()));
    let service = Service::start(builder).await;
    let follower = tests::gateway()
        .database_url(&as_reader(servers.primary.port()))
        .setting("replica-url", &as_reader(cascade.port()));
    let of_cascade = Service::start(follower).await;
    let to_primary = Forwarder::start(servers.primary.port()).await.unwrap();
    let forwarded = tests::gateway()
        .database_url(&as_reader(to_primary.port()))
        .setting("replica-url", &as_reader(servers.forwarder.port()));
    let without_primary = Service::start(forwarded).await;
    without_primary.until_replica_is_used().await;
    service.until_replica_is_used().await;
    of_cascade.until_replica_is_used().await;
    let write = "mutation { insert_notes_one(object: {id: 1, body: \"a\"}) { id } }";
    let written = service.ask(write, None).await;
    let after = written.header("read-after").to_owned();
    assert!(after.starts_with("1-0/"), "{after:?} {}", written.text);
    // The replica is promoted, written to, and returns as a standby on its own timeline.
    let standby = servers.on_standby().await;
    standby.batch_execute("SELECT pg_promote()").await.unwrap();
    standby
        .batch_execute("INSERT INTO notes VALUES (666, 'ghost')")
        .await
        .unwrap();
    drop(standby);
    servers.forwarder.point_to(0);
    to_primary.point_to(0);
    tokio::task::block_in_place(|| servers.standby.return_as_standby()).unwrap();
    servers.forwarder.point_to(servers.standby.port());
    let is_reachable = async || {
        let standby = servers.on_standby().await;
        let question = "SELECT pg_is_in_recovery()";
        standby
            .query_one(question, &[])
            .await
            .unwrap()
            .get::<_, bool>(0)
    };
    until("the former primary is a standby", is_reachable).await;
    let ghosts = "{ notes(where: {id: {_eq: 666}}) { id } place { is_replica } }";
    let primary = json!({"notes": [], "place": [{"is_replica": false}]});
    for _ in 0..8 {
        assert_eq!(service.ask(ghosts, None).await.data(), primary);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(service.metric("replica_usable").await, 0.0);
    // Nor while the primary is away, which nothing can be compared with.
    assert_eq!(without_primary.ask(ghosts, None).await.status, 503);
    assert_eq!(without_primary.metric("replica_usable").await, 0.0);
    // Nor one that starts now, nor once the primary is beyond the position of the replica.
    let fill = "INSERT INTO notes SELECT g, repeat('x', 1000) FROM generate_series(1000, 6000) g";
    servers.sql.batch_execute(fill).await.unwrap();
    let builder = tests::gateway()
        .database_url(&as_reader(servers.primary.port()))
        .setting("replica-url", &as_reader(servers.forwarder.port()));
    let started = Service::start(builder).await;
    for service in [&service, &started] {
        for after in [None, Some(after.as_str())] {
            assert_eq!(service.ask(ghosts, after).await.data(), primary);
        }
        assert_eq!(service.metric("replica_usable").await, 0.0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_of_a_new_primary_are_used_and_those_of_the_former_one_are_not() {
    let Some(servers) = Servers::start().await else {
        return;
    };
    let Some(former) = Standby::start(&servers.primary).unwrap() else {
        return;
    };
    let standby = servers.standby.cluster.as_ref().unwrap();
    let cascade = Standby::start(standby).unwrap().unwrap();
    servers
        .on_standby()
        .await
        .batch_execute("SELECT pg_promote()")
        .await
        .unwrap();
    // Both primaries accept writes, and each has a replica. The gateway follows the new one.
    servers
        .sql
        .batch_execute("INSERT INTO notes VALUES (666, 'ghost')")
        .await
        .unwrap();
    let url = |port: u16| with_port(&servers.primary.url("postgres"), port);
    let start = async |replica: u16| {
        let builder = tests::gateway()
            .database_url(&url(servers.standby.port()))
            .setting("replica-url", &url(replica));
        Service::start(builder).await
    };
    let of_new = start(cascade.port()).await;
    let of_former = start(former.port()).await;
    of_new.until_replica_is_used().await;
    // A position before the failover is on every server that has come beyond it.
    assert!(of_new.reads_replica(Some("1-0/1")).await);
    assert!(!of_new.reads_replica(Some("3-0/1")).await);
    let ghosts = "{ notes(where: {id: {_eq: 666}}) { id } place { is_replica } }";
    for _ in 0..4 {
        assert_eq!(
            of_former.ask(ghosts, None).await.data(),
            json!({"notes": [], "place": [{"is_replica": false}]})
        );
    }
    assert_eq!(of_former.metric("replica_usable").await, 0.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failover_takes_less_than_five_seconds_and_loses_no_acknowledged_write() {
    let Some(mut servers) = Servers::start().await else {
        return;
    };
    // From now on a commit is acknowledged once the standby has it.
    let sql = &servers.sql;
    sql.batch_execute("ALTER SYSTEM SET synchronous_standby_names TO '*'")
        .await
        .unwrap();
    sql.batch_execute("SELECT pg_reload_conf()").await.unwrap();
    until("the standby is synchronous", async || {
        let state = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
        sql.query_one(state, &[]).await.unwrap().get::<_, i64>(0) == 1
    })
    .await;
    let url = servers.primary.url("postgres");
    let (location, database) = url.rsplit_once('/').unwrap();
    let hosts = format!(
        "{location},127.0.0.1:{}/{database}?target_session_attrs=read-write&connect_timeout=2",
        servers.standby.port()
    );
    let service = Arc::new(Service::start(tests::gateway().database_url(&hosts)).await);
    let next = Arc::new(AtomicI32::new(100));
    let stop = Arc::new(AtomicBool::new(false));
    let writers = (0..4).map(|_| {
        let service = service.clone();
        let next = next.clone();
        let stop = stop.clone();
        tokio::spawn(async move {
            let mut acknowledged = vec![];
            let mut last = Instant::now();
            let mut longest = Duration::ZERO;
            while !stop.load(Ordering::Relaxed) {
                let id = next.fetch_add(1, Ordering::Relaxed);
                let insert = "mutation($id: Int) { insert_notes_one(object: {id: $id, body: \
                              \"x\"}) { id } }";
                let reply = service
                    .ask_as("user", insert, json!({"id": id}), None)
                    .await;
                if reply.data() == json!({"insert_notes_one": {"id": id}}) {
                    acknowledged.push(id);
                    longest = longest.max(last.elapsed());
                    last = Instant::now();
                    // What was acknowledged is there at once.
                    let read = "query($id: Int!) { notes_by_pk(id: $id) { body } }";
                    let reply = service.ask_as("user", read, json!({"id": id}), None).await;
                    let is_error = reply.json()["errors"].is_array();
                    assert!(
                        is_error || reply.data() == json!({"notes_by_pk": {"body": "x"}}),
                        "{}",
                        reply.text
                    );
                } else {
                    assert!(matches!(reply.status, 200 | 503 | 504), "{}", reply.text);
                    assert!(reply.is_sound_error(), "{}", reply.text);
                }
            }
            (acknowledged, longest)
        })
    });
    let writers: Vec<_> = writers.collect();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let on_standby = servers.on_standby().await;
    let before = next.load(Ordering::Relaxed);
    tokio::task::block_in_place(|| servers.primary.stop());
    let began = Instant::now();
    on_standby
        .batch_execute("SELECT pg_promote()")
        .await
        .unwrap();
    until("writes reach the new primary", async || {
        let written = "SELECT count(*) FROM notes WHERE id > $1";
        on_standby
            .query_one(written, &[&(before + 8)])
            .await
            .unwrap()
            .get::<_, i64>(0)
            > 0
    })
    .await;
    let recovery = began.elapsed();
    tokio::time::sleep(Duration::from_millis(300)).await;
    stop.store(true, Ordering::Relaxed);
    let mut acknowledged = vec![];
    for writer in join_all(writers).await {
        acknowledged.extend(writer.unwrap().0);
    }
    assert!(recovery < Duration::from_secs(5), "{recovery:?}");
    let lost = "SELECT count(*) FROM unnest($1::int[]) AS a (id) WHERE NOT EXISTS (SELECT FROM \
                notes n WHERE n.id = a.id)";
    let lost: i64 = on_standby
        .query_one(lost, &[&acknowledged])
        .await
        .unwrap()
        .get(0);
    assert_eq!(lost, 0, "of {} acknowledged writes", acknowledged.len());
    assert!(
        acknowledged.iter().any(|id| *id > before + 8)
            && acknowledged.iter().any(|id| *id < before)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_primaries_the_one_on_the_latest_timeline_is_used() {
    let Some(servers) = Servers::start().await else {
        return;
    };
    let url = servers.primary.url("postgres");
    let (location, database) = url.rsplit_once('/').unwrap();
    let standby = format!("127.0.0.1:{}", servers.standby.port());
    let hosts = format!(
        "{location},{standby}/{database}?target_session_attrs=read-write&connect_timeout=2"
    );
    let start = async || Service::start(tests::gateway().database_url(&hosts)).await;
    let service = start().await;
    let info = |host: &str| format!("primary_info{{host=\"{host}\",server=\"primary\"}}");
    let former = format!("127.0.0.1:{}", servers.primary.port());
    assert_eq!(service.metric(&info(&former)).await, 1.0);
    assert_eq!(service.metric("primary_candidates").await, 1.0);
    assert!(service.metric("clock_offset_seconds").await.abs() < 2.0);
    // The standby is promoted, and the former primary goes on.
    let on_standby = servers.on_standby().await;
    on_standby
        .batch_execute("SELECT pg_promote()")
        .await
        .unwrap();
    until("the new primary is noticed", async || {
        service.metric(&info(&standby)).await == 1.0
    })
    .await;
    assert_eq!(service.metric("primary_candidates").await, 2.0);
    // So is it by a gateway that starts now, although the former one stands first.
    let started = start().await;
    for (id, service) in [(1, &service), (2, &started)] {
        let insert = "mutation($id: Int) { insert_notes_one(object: {id: $id}) { id } }";
        let reply = service
            .ask_as("user", insert, json!({"id": id}), None)
            .await;
        assert_eq!(
            reply.data(),
            json!({"insert_notes_one": {"id": id}}),
            "{}",
            reply.text
        );
    }
    let count = "SELECT count(*) FROM notes";
    let of = async |client: &Client| client.query_one(count, &[]).await.unwrap().get::<_, i64>(0);
    assert_eq!((of(&servers.sql).await, of(&on_standby).await), (0, 2));
}

/// A map with one statement.
fn map(sql: &str) -> rest::Source {
    let text = format!("[[endpoint]]\npath = \"x\"\nmethods = [\"GET\"]\nsql = \"{sql}\"\n");
    rest::Source::new("rest-map.toml", &text, rest::Documents::Given(&[]))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn named_sql_starts_on_a_standby() {
    let Some(servers) = Servers::start().await else {
        return;
    };
    let url = with_port(&servers.primary.url("postgres"), servers.standby.port());
    let start = async |sql: &str| {
        let builder = tests::gateway()
            .database_url(&url)
            .admin_secret(ADMIN_SECRET)
            .listen("127.0.0.1:0");
        builder
            .permissions_text("replicas.toml", PERMISSIONS)
            .rest_map(map(sql))
            .start()
            .await
    };
    let running = start("SELECT count(*) AS n, max(upper(body)) AS m FROM notes")
        .await
        .unwrap();
    let get = reqwest::Client::new().get(format!("{}/api/rest/x", running.url()));
    let get = get
        .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
        .header("X-Gateway-Role", "user");
    assert_eq!(
        Reply::of(get).await.unwrap().json(),
        json!({"rows": [{"n": 0, "m": null}]})
    );
    let refused = start("SELECT counted() AS n FROM notes")
        .await
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("counted()") && refused.contains("unchecked"),
        "{refused}"
    );
}
