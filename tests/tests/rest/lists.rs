//! Tests lists: as CSV for clients that prefer it, and the links of a page to others.

use reqwest::Method;
use serde_json::Value;

use super::described::{Asker, headers};
use super::service::{SECRET, Service, send};

const MAP: &str = r#"
[[endpoint]]
path = "paged"
methods = ["GET", "POST"]
query = "query Paged($limit: Int, $offset: Int) { things(order_by: {id: asc}, limit: $limit, offset: $offset) { id name } }"
single = "things"

[[endpoint]]
path = "object"
methods = ["GET"]
query = "{ things(order_by: {id: asc}) { id name } }"
cache_control = "private, max-age=60"

[[endpoint]]
path = "escaped"
methods = ["GET"]
query = "{ things(order_by: {id: asc}) { name id } }"
csv_formulas = "escape"

[[endpoint]]
path = "two"
methods = ["GET"]
query = "{ a: things { id } b: things { id } }"
"#;

#[tokio::test(flavor = "multi_thread")]
async fn list_is_csv_for_clients_that_prefer_it() {
    let service = Service::with(MAP, &[]).await;
    let get = |path: &'static str, accept: &'static str| {
        send(service.by("reader", Method::GET, path).header("Accept", accept))
    };
    for path in ["paged", "object"] {
        let reply = get(path, "text/csv").await;
        assert_eq!((reply.status, reply.header("content-type")), (200, "text/csv; charset=utf-8; header=present"));
        assert!(reply.text.starts_with("id,name\r\n1,a/b + ü\r\n2,"), "{}", reply.text);
        let json = get(path, "application/json, text/csv;q=0.9").await;
        assert_eq!(json.header("content-type"), "application/json; charset=utf-8");
        assert!(json.text.contains("\"id\":1"));
    }
    let posted = service.by("reader", Method::POST, "paged").header("Accept", "text/csv");
    assert!(send(posted.json(&serde_json::json!({"limit": 1}))).await.text.ends_with("1,a/b + ü\r\n"));
    let two = get("two", "text/csv").await;
    assert_eq!((two.status, two.header("content-type")), (200, "application/json; charset=utf-8"));
    let refused = send(service.ask(Method::GET, "paged").header("Accept", "text/csv")).await;
    assert_eq!((refused.status, refused.header("content-type")), (401, "application/json; charset=utf-8"));
}

#[tokio::test(flavor = "multi_thread")]
async fn formulas_are_escaped_where_the_map_says_so() {
    let service = Service::with(MAP, &[]).await;
    let sql = "UPDATE things SET name = '=HYPERLINK(\"http://evil\")' WHERE id = 1";
    service.database.connect().await.unwrap().batch_execute(sql).await.unwrap();
    for (path, first) in [("escaped", "\"'=HYPERLINK"), ("object", "1,\"=HYPERLINK")] {
        let reply = send(service.by("reader", Method::GET, path).header("Accept", "text/csv")).await;
        let line = reply.text.lines().nth(1).unwrap();
        assert!(line.starts_with(first), "{}", reply.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn page_links_to_its_neighbours() {
    let service = Service::with(MAP, &[]).await;
    let link = async |path: &str| service.get(path).await.header("link").to_owned();
    assert_eq!(link("paged?limit=1").await, "</api/rest/paged?limit=1&offset=1>; rel=\"next\"");
    let middle = "</api/rest/paged?limit=1&offset=0>; rel=\"first\", </api/rest/paged?limit=1&offset=0>; rel=\"prev\", \
                  </api/rest/paged?limit=1&offset=2>; rel=\"next\"";
    assert_eq!(link("paged?offset=1&limit=1").await, middle);
    let last = "</api/rest/paged?limit=5&offset=0>; rel=\"first\", </api/rest/paged?limit=5&offset=0>; rel=\"prev\"";
    assert_eq!(link("paged?limit=5&offset=1").await, last);
    // Neither a request without a limit nor an endpoint without the parameters has pages.
    assert_eq!((link("paged").await, link("object").await), (String::new(), String::new()));
    let csv = send(service.by("reader", Method::GET, "paged?limit=1").header("Accept", "text/csv")).await;
    assert!(csv.header("link").contains("rel=\"next\""));
}

#[tokio::test(flavor = "multi_thread")]
async fn description_has_csv_and_links_where_answers_have_them() {
    let service = Service::with(MAP, &[]).await;
    let caller = headers(&[("X-Gateway-Admin-Secret", SECRET), ("X-Gateway-Role", "reader")]);
    let asker = Asker::new(&service.running.url(), caller).await;
    let answer = |path: &str, method: &str| {
        asker.description.operation(&format!("/api/rest/{path}"), method)["responses"]["200"].clone()
    };
    let has = |path: &str, method: &str| {
        let answer: Value = answer(path, method);
        (answer["content"].get("text/csv").is_some(), answer["headers"].get("Link").is_some())
    };
    assert_eq!((has("paged", "get"), has("paged", "post")), ((true, true), (true, false)));
    assert_eq!((has("object", "get"), has("two", "get")), ((true, false), (false, false)));
    for (path, accept) in [("paged?limit=1", "text/csv"), ("paged?limit=1", "*/*"), ("two", "text/csv")] {
        let reply = send(service.by("reader", Method::GET, path).header("Accept", accept)).await;
        let described = format!("/api/rest/{}", path.split('?').next().unwrap());
        assert_eq!(asker.description.faults_of_answer(&described, "get", &reply), Vec::<String>::new(), "{path}");
    }
}
