//! Tests rate limits of the REST map's endpoints: they share the buckets of GraphQL, and each has
//! its own path.

use gateway::rest::{Documents, Source};
use reqwest::Method;

use super::service::{SCHEMA, SECRET, Service, builder, send, settings};

const MAP: &str = "[[endpoint]]\npath = \"authors\"\nmethods = [\"GET\"]\nquery = \"{ authors { \
                   id } }\"\n\
                   [[endpoint]]\npath = \"authors/:id\"\nmethods = [\"GET\"]\nquery = \"query \
                   One($id: Int!) { authors_by_pk(id: $id) { id } }\"\n";

async fn service(file: &str) -> (tests::TestDatabase, Service) {
    let database = tests::create("rates", &[SCHEMA]).await.unwrap();
    let map = Source::new("map.toml", MAP, Documents::Given(&[]));
    let running = builder(&database, settings(file))
        .rest_map(map)
        .start()
        .await
        .unwrap();
    (
        database,
        Service {
            gateway: running,
            client: reqwest::Client::new(),
            _database: None,
        },
    )
}

#[tokio::test]
async fn endpoint_calls_count_as_requests() {
    let (_database, service) =
        service("[[rates]]\nname = \"a\"\nper = [\"address\"]\nrate = 3\nevery = 3600\n").await;
    let ask = |path: &str| {
        let request = service
            .client
            .get(service.url(&format!("/api/rest/{path}")));
        request
            .header("X-Gateway-Admin-Secret", SECRET)
            .header("X-Gateway-Role", "reader")
    };
    let reply = send(ask("authors")).await;
    assert_eq!(
        (reply.status, reply.header("ratelimit").split(';').nth(1)),
        (200, Some("r=2"))
    );
    assert_eq!(send(service.reader()).await.status, 200);
    assert_eq!(send(ask("authors/1")).await.status, 200);
    let reply = send(ask("authors/2")).await;
    assert_eq!(
        (reply.status, reply.json()["status"].as_str()),
        (429, Some("error")),
        "{}",
        reply.text
    );
    assert!(!reply.header("retry-after").is_empty());
}

#[tokio::test]
async fn each_endpoint_has_its_own_path() {
    let rules = "[[rates]]\nname = \"one\"\nper = [\"session.role\"]\npaths = \
                 [\"/api/rest/authors/:id\"]\nrate = 1\nevery = 3600\n";
    let (_database, service) = service(rules).await;
    let ask = |path: &str| {
        let request = service
            .client
            .get(service.url(&format!("/api/rest/{path}")));
        request
            .header("X-Gateway-Admin-Secret", SECRET)
            .header("X-Gateway-Role", "reader")
    };
    assert_eq!(send(ask("authors/1")).await.status, 200);
    assert_eq!(send(ask("authors/2")).await.status, 429);
    assert_eq!(service.statuses(2, || ask("authors")).await, [200, 200]);
}

#[tokio::test]
async fn refused_endpoint_calls_are_counted() {
    let by_role = "[[rates]]\nname = \"b\"\nper = [\"role\"]\nrate = 2\nevery = 3600\n";
    let (_other_database, other) = service(by_role).await;
    let file = "[[rates]]\nname = \"a\"\nper = [\"address\"]\nrate = 3\nevery = 3600\n\
                [[rates]]\nname = \"path\"\nper = [\"address\"]\npaths = \
                [\"/api/rest/authors\"]\nrate = 1\nevery = 3600\n";
    let (_database, service) = service(file).await;
    let ask = |method: Method, path: &str| {
        let request = service
            .client
            .request(method, service.url(&format!("/api/rest/{path}")));
        request
            .header("X-Gateway-Admin-Secret", SECRET)
            .header("X-Gateway-Role", "reader")
    };
    // Neither request is for the path of the other rule.
    assert_eq!(send(ask(Method::GET, "nothing")).await.status, 404);
    assert_eq!(send(ask(Method::DELETE, "authors")).await.status, 405);
    assert_eq!(send(ask(Method::GET, "authors")).await.status, 200);
    assert_eq!(send(ask(Method::GET, "nothing")).await.status, 429);
    let forbidden = || {
        let request = other.client.get(other.url("/api/rest/authors"));
        request
            .header("X-Gateway-Admin-Secret", SECRET)
            .header("X-Gateway-Role", "nobody")
    };
    assert_eq!(other.statuses(3, forbidden).await, [403, 403, 429]);
}
