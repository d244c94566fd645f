//! Tests the endpoint for OpenAPI descriptions: access, caching, and the described authentication
//! schemes.

use reqwest::Method;
use reqwest::header::COOKIE;
use serde_json::{Value, json};
use tests::service::ADMIN_SECRET;

use super::service::{ADA, MAP, Service, from_files, send, token};

const DESCRIPTION: &str = "openapi.json";

#[tokio::test(flavor = "multi_thread")]
async fn description_has_an_etag_and_depends_on_the_role() {
    let service = Service::start().await;
    let by_token = || service.ask(Method::GET, DESCRIPTION).bearer_auth(token());
    let first = send(by_token()).await;
    assert_eq!(
        (first.status, first.header("cache-control")),
        (200, "private, no-cache"),
        "{}",
        first.text
    );
    assert_eq!(
        first.header("vary"),
        "authorization, x-gateway-role, x-gateway-admin-secret"
    );
    let same = send(by_token().header("If-None-Match", first.header("etag"))).await;
    assert_eq!(
        (same.status, same.text.as_str(), same.header("etag")),
        (304, "", first.header("etag"))
    );
    // The map's description of a parameter is included.
    let names = &first.json()["paths"]["/api/rest/names"];
    let in_query = names["get"]["parameters"]
        .as_array()
        .unwrap()
        .iter()
        .find(|known| known["name"] == "limit");
    assert_eq!(in_query.unwrap()["description"], "How many at most");
    let body = &names["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"];
    assert_eq!(
        (&body["limit"]["description"], &body["from"]["description"]),
        (&json!("How many at most"), &Value::Null)
    );
    // Each role has its own description, and as a back end another one.
    let paths =
        |reply: &tests::reply::Reply| reply.json()["paths"].as_object().map(|paths| paths.len());
    let visitor = send(
        by_token()
            .header("X-Gateway-Role", "visitor")
            .header("If-None-Match", first.header("etag")),
    )
    .await;
    assert_eq!(visitor.status, 200);
    assert!(
        paths(&visitor) < paths(&first),
        "{:?} {:?}",
        paths(&visitor),
        paths(&first)
    );
    let reader = send(service.by("reader", Method::GET, DESCRIPTION)).await;
    assert_eq!(
        (reader.status, reader.header("cache-control")),
        (200, "no-store")
    );
    let nobody = send(service.by("nobody", Method::GET, DESCRIPTION)).await;
    assert_eq!((nobody.status, &nobody.json()["paths"]), (200, &json!({})));
    let refusal = send(service.ask(Method::GET, DESCRIPTION)).await;
    refusal.assert_envelope(401, "No authorization header provided");
    assert_eq!(refusal.header("cache-control"), "no-store");
    assert_eq!(
        send(service.ask(Method::POST, DESCRIPTION))
            .await
            .header("cache-control"),
        "no-store"
    );
    let head = send(service.ask(Method::HEAD, DESCRIPTION).bearer_auth(token())).await;
    assert_eq!(
        (head.status, head.header("etag")),
        (200, first.header("etag"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn reload_updates_the_description() {
    let database = tests::create("rest", &[include_str!("service.sql")])
        .await
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("map.toml");
    std::fs::write(&path, MAP).unwrap();
    let settings = [("rest-map", path.to_str().unwrap())];
    let running = from_files(&database, &settings).start().await.unwrap();
    let service = Service::from_parts(running, database);
    let ask = async || send(service.by("reader", Method::GET, DESCRIPTION)).await;
    let before = ask().await;
    std::fs::write(&path, MAP.replace("path = \"names\"", "path = \"called\"")).unwrap();
    service.gateway.reload().await.unwrap();
    let after = ask().await;
    assert!(
        before.json()["paths"].get("/api/rest/names").is_some()
            && before.header("etag") != after.header("etag")
    );
    assert!(
        after.json()["paths"].get("/api/rest/called").is_some()
            && after.json()["paths"].get("/api/rest/names").is_none()
    );
}

/// Adds the credentials of a security scheme to a request.
fn show(
    service: &Service,
    scheme: &Value,
    request: reqwest::RequestBuilder,
) -> reqwest::RequestBuilder {
    let name = scheme["name"].as_str().unwrap_or_default();
    match (scheme["type"].as_str().unwrap(), scheme["in"].as_str()) {
        ("http", None) => request.bearer_auth(token()),
        ("apiKey", Some("cookie")) => request.header(COOKIE, format!("{name}={}", token())),
        ("apiKey", Some("header")) if name.ends_with("Admin-Secret") => request
            .header(name, ADMIN_SECRET)
            .header("X-Gateway-Role", "owner")
            .header("X-Gateway-Owner-Id", ADA),
        ("apiKey", Some("header")) => request.header(name, token()),
        other => panic!("{other:?} of {}", service.gateway.url()),
    }
}

/// Every described security scheme authenticates the caller where it is described; other schemes do
/// not.
#[tokio::test(flavor = "multi_thread")]
async fn described_security_schemes_authenticate() {
    let key = "a key of thirty-two bytes, or more";
    let issuer = |header: Value| json!({"type": "HS256", "key": key, "header": header});
    let several = json!([
        issuer(json!({"type": "Authorization"})),
        issuer(json!({"type": "Cookie", "name": "session"})),
        issuer(json!({"type": "CustomHeader", "name": "X-Token"})),
    ])
    .to_string();
    let service = Service::with(MAP, &[("jwt-secret", &several)]).await;
    let description = send(service.by("owner", Method::GET, DESCRIPTION))
        .await
        .json();
    let schemes = description["components"]["securitySchemes"]
        .as_object()
        .unwrap();
    assert_eq!(schemes.len(), 4, "{schemes:?}");
    let ways = |of: &Value| -> Vec<String> {
        let all = of["security"]
            .as_array()
            .or_else(|| description["security"].as_array())
            .unwrap();
        all.iter()
            .map(|way| {
                way.as_object()
                    .unwrap()
                    .keys()
                    .next()
                    .cloned()
                    .unwrap_or_default()
            })
            .collect()
    };
    let paths = &description["paths"];
    let mut sent = 0;
    for (path, method, request) in [
        ("names", Method::GET, service.ask(Method::GET, "names")),
        (
            "rename",
            Method::GET,
            service.ask(Method::GET, "rename?id=1&name=x"),
        ),
        (
            "rename",
            Method::PUT,
            service
                .ask(Method::PUT, "rename")
                .json(&json!({"id": 1, "name": "x"})),
        ),
    ] {
        let operation = &paths[format!("/api/rest/{path}")][method.as_str().to_lowercase()];
        let allowed = ways(operation);
        for (name, scheme) in schemes {
            let reply = send(show(&service, scheme, request.try_clone().unwrap())).await;
            let expected = if allowed.contains(name) { 200 } else { 401 };
            assert_eq!(
                reply.status, expected,
                "{method} {path} by {name}: {}",
                reply.text
            );
            sent += 1;
        }
    }
    assert_eq!(sent, 12);
    assert_eq!(
        ways(&paths["/api/rest/rename"]["get"]),
        ["token", "adminSecret"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn unauthorized_role_gets_its_description() {
    let service = Service::with(MAP, &[("unauthorized-role", "visitor")]).await;
    let description = send(service.ask(Method::GET, DESCRIPTION)).await.json();
    assert_eq!(
        description["security"],
        json!([{"token": []}, {"adminSecret": []}, {}])
    );
    assert_eq!(
        description["paths"]["/api/rest/rename"]["get"]["security"],
        json!([{"token": []}, {"adminSecret": []}])
    );
    assert_eq!(
        description["paths"]["/api/rest/rename"]["put"].get("security"),
        None
    );
    assert_eq!(
        description["components"]["parameters"]["Role"]["schema"]["const"],
        "visitor"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn rate_limit_refusal_conforms_to_the_description() {
    let rule =
        "[[rates]]\nname = \"requests\"\nper = [\"role\"]\nrate = 1\nevery = 3600\nburst = 2\n";
    let service = Service::of_file(rule).await;
    let description = tests::openapi::Description(
        send(service.by("reader", Method::GET, DESCRIPTION))
            .await
            .json(),
    );
    let answered = send(service.by("reader", Method::GET, "names")).await;
    assert!(
        answered.headers.contains_key("ratelimit"),
        "{:?}",
        answered.headers
    );
    let refused = send(service.by("reader", Method::GET, "names")).await;
    assert_eq!(
        (answered.status, refused.status),
        (200, 429),
        "{}",
        refused.text
    );
    for reply in [&answered, &refused] {
        let faults = description.faults_of_answer("/api/rest/names", "get", reply);
        assert_eq!(faults, Vec::<String>::new(), "{}", reply.text);
    }
    let mut without = refused.clone();
    without.headers.remove("retry-after");
    let faults = description.faults_of_answer("/api/rest/names", "get", &without);
    assert_eq!(faults, ["there is no header Retry-After"]);
}
