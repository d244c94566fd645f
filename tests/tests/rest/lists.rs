//! Tests lists: as CSV for clients that prefer it, and the links of a page to others.

use reqwest::Method;
use serde_json::Value;
use tests::service::ADMIN_SECRET;

use super::described::{Asker, headers};
use super::service::{Service, send};

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
        send(
            service
                .by("reader", Method::GET, path)
                .header("Accept", accept),
        )
    };
    for path in ["paged", "object"] {
        let reply = get(path, "text/csv").await;
        assert_eq!(
            (reply.status, reply.header("content-type")),
            (200, "text/csv; charset=utf-8; header=present")
        );
        assert!(
            reply.text.starts_with("id,name\r\n1,a/b + ü\r\n2,"),
            "{}",
            reply.text
        );
        let json = get(path, "application/json, text/csv;q=0.9").await;
        assert_eq!(
            json.header("content-type"),
            "application/json; charset=utf-8"
        );
        assert!(json.text.contains("\"id\":1"));
    }
    let posted = service
        .by("reader", Method::POST, "paged")
        .header("Accept", "text/csv");
    assert!(
        send(posted.json(&serde_json::json!({"limit": 1})))
            .await
            .text
            .ends_with("1,a/b + ü\r\n")
    );
    let two = get("two", "text/csv").await;
    assert_eq!(
        (two.status, two.header("content-type")),
        (200, "application/json; charset=utf-8")
    );
    let refused = send(
        service
            .ask(Method::GET, "paged")
            .header("Accept", "text/csv"),
    )
    .await;
    assert_eq!(
        (refused.status, refused.header("content-type")),
        (401, "application/json; charset=utf-8")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn formulas_are_escaped_where_the_map_says_so() {
    let service = Service::with(MAP, &[]).await;
    let sql = "UPDATE things SET name = '=HYPERLINK(\"http://evil\")' WHERE id = 1";
    service
        .database
        .connect()
        .await
        .unwrap()
        .batch_execute(sql)
        .await
        .unwrap();
    for (path, first) in [("escaped", "\"'=HYPERLINK"), ("object", "1,\"=HYPERLINK")] {
        let reply = send(
            service
                .by("reader", Method::GET, path)
                .header("Accept", "text/csv"),
        )
        .await;
        let line = reply.text.lines().nth(1).unwrap();
        assert!(line.starts_with(first), "{}", reply.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn page_links_to_its_neighbours() {
    let service = Service::with(MAP, &[]).await;
    let link = async |path: &str| service.get(path).await.header("link").to_owned();
    assert_eq!(
        link("paged?limit=1").await,
        "</api/rest/paged?limit=1&offset=1>; rel=\"next\""
    );
    let middle = "</api/rest/paged?limit=1&offset=0>; rel=\"first\", \
                  </api/rest/paged?limit=1&offset=0>; rel=\"prev\", \
                  </api/rest/paged?limit=1&offset=2>; rel=\"next\"";
    assert_eq!(link("paged?offset=1&limit=1").await, middle);
    let last = "</api/rest/paged?limit=5&offset=0>; rel=\"first\", \
                </api/rest/paged?limit=5&offset=0>; rel=\"prev\"";
    assert_eq!(link("paged?limit=5&offset=1").await, last);
    // Neither a request without a limit nor an endpoint without the parameters has pages.
    assert_eq!(
        (link("paged").await, link("object").await),
        (String::new(), String::new())
    );
    let csv = send(
        service
            .by("reader", Method::GET, "paged?limit=1")
            .header("Accept", "text/csv"),
    )
    .await;
    assert!(csv.header("link").contains("rel=\"next\""));
}

/// Follows `next` from a page, and returns the ids of all pages.
async fn walk(service: &Service, role: &str, first: &str) -> Vec<i64> {
    let mut ids = vec![];
    let mut path = first.to_owned();
    for _ in 0..20 {
        let reply = send(service.by(role, Method::GET, &path)).await;
        let rows = reply.json();
        ids.extend(
            rows.as_array()
                .unwrap()
                .iter()
                .map(|row| row["id"].as_i64().unwrap()),
        );
        let link = reply.header("link").to_owned();
        let next = link
            .split(", ")
            .find_map(|link| link.strip_suffix(">; rel=\"next\""));
        match next.and_then(|next| next.strip_prefix("</api/rest/")) {
            Some(next) => path = next.to_owned(),
            None => return ids,
        }
    }
    panic!("the pages do not end: {ids:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn links_lead_through_the_whole_list_whatever_the_limit_of_the_grant() {
    let objects = "CREATE TABLE many (id int PRIMARY KEY); INSERT INTO many SELECT generate_series(1, 9);
        CREATE FUNCTION all_of_many() RETURNS SETOF many LANGUAGE sql STABLE AS 'SELECT * FROM many';";
    let permissions = r#"
[table.many.role.reader]
select = { columns = "*", rows = "true" }
[table.many.role.five]
select = { columns = "*", rows = "true", limit = 5 }
[table.many.role.three]
select = { columns = "*", rows = "true", limit = 3 }
[function.all_of_many]
roles = ["reader", "five", "three"]
"#;
    let endpoint = |path: &str, query: &str, more: &str| {
        format!(
            "[[endpoint]]\npath = \"{path}\"\nmethods = [\"GET\"]\nquery = '''{query}'''\n{more}\n"
        )
    };
    let arguments = "order_by: {id: asc}, limit: $limit, offset: $offset";
    let of = |selection: &str| format!("query ($limit: Int, $offset: Int) {{ {selection} }}");
    let many = format!("many({arguments}) {{ id }}");
    let map = [
        endpoint("many", &of(&many), "single = \"many\""),
        endpoint(
            "object",
            &format!("{} fragment F on query_root {{ {many} }}", of("...F")),
            "",
        ),
        endpoint(
            "all_of_many",
            &of(&format!("all_of_many({arguments}) {{ id }}")),
            "single = \"all_of_many\"",
        ),
    ];
    let service = Service::over(&map.concat(), objects, permissions).await;
    let all: Vec<i64> = (1..=9).collect();
    for role in ["reader", "five", "three"] {
        for limit in [1, 2, 3, 4, 5, 6, 9, 10, 1000, 5000] {
            for path in ["many", "all_of_many"] {
                let ids = walk(&service, role, &format!("{path}?limit={limit}")).await;
                assert_eq!(ids, all, "{role}: {path}?limit={limit}");
            }
        }
        let object = send(service.by(role, Method::GET, "object?limit=6")).await;
        assert!(
            object.header("link").contains("rel=\"next\""),
            "{role}: {}",
            object.text
        );
    }
    let page = send(service.by("five", Method::GET, "many?limit=6&offset=5")).await;
    let expected = "</api/rest/many?limit=6&offset=0>; rel=\"first\", \
                    </api/rest/many?limit=6&offset=0>; rel=\"prev\"";
    assert_eq!(page.header("link"), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn long_lists_are_compressed_as_json_and_as_csv() {
    let objects = "CREATE TABLE wide (id int PRIMARY KEY, word text);
        INSERT INTO wide SELECT g, 'a word that repeats' FROM generate_series(1, 200) g;";
    let permissions = "[table.wide.role.reader]\nselect = { columns = \"*\", rows = \"true\" }\n";
    let map =
        "[[endpoint]]\npath = \"wide\"\nmethods = [\"GET\"]\nquery = \"{ wide { id word } }\"\n";
    let service = Service::over(map, objects, permissions).await;
    for accept in ["application/json", "text/csv"] {
        for coding in ["gzip", "br", "zstd"] {
            let request = service
                .by("reader", Method::GET, "wide")
                .header("Accept", accept);
            let reply = request
                .header("Accept-Encoding", coding)
                .send()
                .await
                .unwrap();
            assert_eq!(reply.headers()["content-encoding"], coding, "{accept}");
            assert!(
                reply.headers()["content-type"]
                    .to_str()
                    .unwrap()
                    .starts_with(accept)
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn description_has_csv_and_links_where_answers_have_them() {
    let service = Service::with(MAP, &[]).await;
    let caller = headers(&[
        ("X-Gateway-Admin-Secret", ADMIN_SECRET),
        ("X-Gateway-Role", "reader"),
    ]);
    let asker = Asker::new(&service.gateway.url(), caller).await;
    let response = |path: &str, method: &str| {
        asker
            .description
            .operation(&format!("/api/rest/{path}"), method)["responses"]["200"]
            .clone()
    };
    let has = |path: &str, method: &str| {
        let response_value: Value = response(path, method);
        (
            response_value["content"].get("text/csv").is_some(),
            response_value["headers"].get("Link").is_some(),
        )
    };
    assert_eq!(
        (has("paged", "get"), has("paged", "post")),
        ((true, true), (true, false))
    );
    assert_eq!(
        (has("object", "get"), has("two", "get")),
        ((true, false), (false, false))
    );
    for (path, accept) in [
        ("paged?limit=1", "text/csv"),
        ("paged?limit=1", "*/*"),
        ("two", "text/csv"),
    ] {
        let reply = send(
            service
                .by("reader", Method::GET, path)
                .header("Accept", accept),
        )
        .await;
        let described = format!("/api/rest/{}", path.split('?').next().unwrap());
        assert_eq!(
            asker
                .description
                .faults_of_answer(&described, "get", &reply),
            Vec::<String>::new(),
            "{path}"
        );
    }
}
