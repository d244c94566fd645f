//! Tests limits of roles: requests over a limit are refused or counted by role, and other roles are
//! not affected.

use std::sync::{Arc, Mutex};

use futures_util::stream;
use gateway::config::Settings;
use serde_json::json;
use tests::reply::Reply;
use tests::service::ADMIN_SECRET;

use super::service::{PERMISSIONS, SCHEMA, Service, send};
use super::token;

/// Limits that small documents exceed.
const BOUNDS: &str = "\
                      [bounds.role.reader]\ndepth = 3\nheight = 6\nnodes = 2\naliases = 2\nroots \
                      = 2\nfields = 8\ntokens = 40\nbatch = 2\n\
                      body = 400\nanswer = 2000\ntime = 0.3\n";

/// Documents that each exceed one limit, the limit's name, and the error message.
fn documents() -> Vec<(&'static str, &'static str, String)> {
    let limit_message = |what: &str, value: usize| format!("the limit on {what} is {value}");
    let case = |bound, document, what: &str, value| (bound, document, limit_message(what, value));
    vec![
        case(
            "depth",
            "{ authors { articles { author { id } } } }",
            "depth of a document",
            3,
        ),
        case(
            "height",
            "{ authors { id name born } articles { id title size } }",
            "height of a document",
            6,
        ),
        case(
            "nodes",
            "{ authors { articles { id } } articles { id } }",
            "nodes of a document",
            2,
        ),
        case(
            "aliases",
            "{ authors { a: id b: id c: id } }",
            "aliases of a document",
            2,
        ),
        case(
            "roots",
            "{ authors { id } __typename other: __typename }",
            "root fields of a document",
            2,
        ),
        case(
            "fields",
            "{ authors { id id id id id id id id } }",
            "fields of a document",
            8,
        ),
        case(
            "tokens",
            "{ authors(where: {id: {_in: [1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 \
             1]}}) { id } }",
            "tokens of a document",
            40,
        ),
    ]
}

/// Sends a query as a role.
async fn ask(service: &Service, role: &str, query: &str) -> Reply {
    send(service.by(role).json(&json!({"query": query}))).await
}

/// The value of the counter of a limit.
async fn counted(service: &Service, bound: &str, role: &str, mode: &str) -> u64 {
    let series =
        format!("postern_bounded_total{{bound=\"{bound}\",mode=\"{mode}\",role=\"{role}\"}} ");
    let text = service.metrics().await;
    text.lines()
        .find_map(|line| line.strip_prefix(&series))
        .map_or(0, |number| number.parse().unwrap())
}

#[tokio::test]
async fn document_limits_apply_by_role() {
    let service = Service::of_file(BOUNDS).await;
    for (bound, document, message) in documents() {
        // Every time, not only the first.
        for times in 1..=2 {
            ask(&service, "reader", document)
                .await
                .assert_error(400, "limit-exceeded", &message);
            assert_eq!(
                counted(&service, bound, "reader", "enforce").await,
                times,
                "{bound}"
            );
        }
        assert_ne!(
            ask(&service, "admin", document).await.data(),
            json!(null),
            "{document}"
        );
    }
    // A cached document of another role does not bypass the limit of `reader`, and the other way
    // round.
    let document = "{ authors { a: name b: name c: name } }";
    assert_ne!(ask(&service, "visitor", document).await.data(), json!(null));
    ask(&service, "reader", document)
        .await
        .assert_error(400, "limit-exceeded", &documents()[3].2);
    assert_ne!(ask(&service, "visitor", document).await.data(), json!(null));
    // The limit applies to tokens as to the admin secret.
    let by_token = service
        .post()
        .bearer_auth(token::good())
        .header("X-Gateway-Role", "reader");
    send(by_token.json(&json!({"query": document})))
        .await
        .assert_error(400, "limit-exceeded", &documents()[3].2);
    // A document within the limits succeeds.
    assert_ne!(
        ask(
            &service,
            "reader",
            "{ authors { a: id b: name id } articles { id } }"
        )
        .await
        .data(),
        json!(null)
    );
}

#[tokio::test]
async fn fragments_merge_in_the_height_but_not_in_the_field_count() {
    let service = Service::of_file("[bounds]\nheight = 3\nfields = 1000\n").await;
    let merged = "{ a: authors { ...F ...F id } authors { ...F x: id } } fragment F on authors { \
                  id name ...G } \
                  fragment G on authors { id name }";
    assert_ne!(ask(&service, "reader", merged).await.data(), json!(null));
    let limit_message = "the limit on height of a document is 3";
    let reply = ask(
        &service,
        "reader",
        "{ authors { ...F born } } fragment F on authors { id name }",
    )
    .await;
    reply.assert_error(400, "limit-exceeded", limit_message);
    // Fragments that double thirty times are refused before they are merged.
    let mut document = "{ authors { ...F0 } }".to_owned();
    (0..30).for_each(|n| {
        document.push_str(&format!(
            " fragment F{n} on authors {{ ...F{0} ...F{0} }}",
            n + 1
        ));
    });
    document.push_str(" fragment F30 on authors { id }");
    assert_eq!(
        ask(&service, "reader", &document).await.error().code,
        "limit-exceeded"
    );
}

#[tokio::test]
async fn body_and_batch_limits_apply_by_role() {
    let service = Service::of_file(&format!(
        "body_limit = 1000\n{BOUNDS}[bounds.role.author]\nbody = 5000\n"
    ))
    .await;
    let fits = |size: usize| {
        let body = json!({"query": "{ authors { id } }"}).to_string();
        format!("{body}{}", " ".repeat(size - body.len()))
    };
    let by = |role: &str| service.by(role).header("Content-Type", "application/json");
    let chunked = |size: usize| {
        let parts: Vec<Result<Vec<u8>, std::io::Error>> = fits(size)
            .as_bytes()
            .chunks(100)
            .map(|part| Ok(part.to_vec()))
            .collect();
        reqwest::Body::wrap_stream(stream::iter(parts))
    };
    let limit_message =
        |limit: usize| format!("the body is larger than the limit of {limit} bytes");
    assert_eq!(send(by("reader").body(fits(400))).await.status, 200);
    send(by("reader").body(fits(401))).await.assert_error(
        413,
        "limit-exceeded",
        &limit_message(400),
    );
    send(by("reader").body(chunked(401))).await.assert_error(
        413,
        "limit-exceeded",
        &limit_message(400),
    );
    // A role's limit may be higher than the others'; the caller has to be authenticated first.
    assert_eq!(
        send(by("visitor").body(fits(1001))).await.error().status,
        413
    );
    let author = || by("author").header("X-Gateway-User-Id", "1");
    assert_eq!(send(author().body(chunked(5000))).await.status, 200);
    send(author().body(fits(5001)))
        .await
        .assert_error(413, "limit-exceeded", &limit_message(5000));
    let unnamed = service
        .post()
        .header("Content-Type", "application/json")
        .body(fits(1001));
    assert_eq!(send(unnamed).await.status, 401);
    let batch = |requests: usize| json!(vec![json!({"query": "{ authors { id } }"}); requests]);
    assert_eq!(
        send(service.reader().json(&batch(2)))
            .await
            .json()
            .as_array()
            .map(Vec::len),
        Some(2)
    );
    let message = "the batch holds more requests than the limit of 2";
    send(service.reader().json(&batch(3)))
        .await
        .assert_error(400, "limit-exceeded", message);
    assert_eq!(counted(&service, "body", "reader", "enforce").await, 2);
    assert_eq!(counted(&service, "batch", "reader", "enforce").await, 1);
    service.is_well().await;
}

#[tokio::test]
async fn response_limits_apply_by_role() {
    let file = "answer_limit = 3000\n[bounds.role.reader]\nanswer = \
                2000\n[bounds.role.admin]\nanswer = 90000000\n";
    let service = Service::of_file(file).await;
    let limit_message = "the answer is larger than the limit of 2000 bytes";
    let some = |rows: usize| format!("{{ flood(where: {{id: {{_lte: {rows}}}}}) {{ text }} }}");
    assert_ne!(ask(&service, "reader", &some(10)).await.data(), json!(null));
    ask(&service, "reader", &some(25))
        .await
        .assert_error(200, "limit-exceeded", limit_message);
    // The limit applies to each request of a batch separately.
    let reply = send(
        service
            .reader()
            .json(&json!([{"query": some(10)}, {"query": some(25)}, {"query": some(10)}])),
    )
    .await;
    let codes: Vec<bool> = reply
        .json()
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one.get("errors").is_some())
        .collect();
    assert_eq!(codes, [false, true, false]);
    assert_eq!(counted(&service, "answer", "reader", "enforce").await, 2);
    // Once the batch as a whole is too long, the requests that follow are not run.
    let write = "mutation { insert_articles(objects: [{id: 8, author_id: 1, title: \"t\"}]) { \
                 affected_rows } }";
    let long = json!({"query": some(15)});
    let reply = send(
        service
            .reader()
            .json(&json!([long, long, {"query": write}])),
    )
    .await
    .json();
    let codes: Vec<bool> = reply
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one.get("errors").is_some())
        .collect();
    assert_eq!(
        (codes, reply[2]["errors"][0]["message"].as_str()),
        (vec![false, false, true], Some(limit_message))
    );
    assert_eq!(counted(&service, "answer", "reader", "enforce").await, 3);
    assert_eq!(
        ask(
            &service,
            "admin",
            "{ articles(where: {id: {_eq: 8}}) { id } }"
        )
        .await
        .data(),
        json!({"articles": []})
    );
    // Six megabytes, sent in parts.
    assert_eq!(
        ask(&service, "admin", &some(59_999)).await.data()["flood"]
            .as_array()
            .map(Vec::len),
        Some(59_999)
    );
    // The limit applies to a mutation's response before it is committed.
    let object = format!("{{id: 7, author_id: 1, title: \"{}\"}}", "t".repeat(1000));
    let insert = format!(
        "mutation {{ insert_articles(objects: [{object}]) {{ returning {{ a: \
                          title b: title }} }} }}"
    );
    ask(&service, "reader", &insert)
        .await
        .assert_error(200, "limit-exceeded", limit_message);
    assert_eq!(
        ask(
            &service,
            "admin",
            "{ articles(where: {id: {_eq: 7}}) { id } }"
        )
        .await
        .data(),
        json!({"articles": []})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn time_limits_apply_by_role() {
    let service = Service::of_file(
        "time_limit = 0.4\n[bounds.role.reader]\ntime = 25.5\n[bounds.role.admin]\ntime = 0.2\n",
    )
    .await;
    // A limit higher than the others', and a lower one.
    assert_ne!(
        ask(&service, "reader", "{ brief { id slept } }")
            .await
            .data(),
        json!(null)
    );
    let limit_message = "the request took longer than the limit of 0.2 seconds";
    ask(&service, "admin", "{ brief { id slept } }")
        .await
        .assert_error(504, "limit-exceeded", limit_message);
    assert_eq!(counted(&service, "time", "admin", "enforce").await, 1);
    service.is_well().await;
}

#[tokio::test]
async fn measured_limits_count_without_refusing() {
    let service = Service::of_file(&format!("{BOUNDS}mode = \"measure\"\n")).await;
    for (bound, document, _) in documents() {
        for _ in 0..2 {
            let before = counted(&service, bound, "reader", "measure").await;
            assert_ne!(
                ask(&service, "reader", document).await.data(),
                json!(null),
                "{document}"
            );
            assert_eq!(
                counted(&service, bound, "reader", "measure").await,
                before + 1,
                "{bound}: {document}"
            );
        }
    }
    let long = "{ flood(where: {id: {_lt: 60000}}) { text } }";
    assert_ne!(ask(&service, "reader", long).await.data(), json!(null));
    assert_ne!(
        ask(&service, "reader", &format!("{long}{}", " ".repeat(400)))
            .await
            .data(),
        json!(null)
    );
    assert_eq!(
        send(
            service
                .reader()
                .json(&json!(vec![json!({"query": "{ authors { id } }"}); 3]))
        )
        .await
        .status,
        200
    );
    assert_ne!(
        ask(&service, "reader", "{ brief { id slept } }")
            .await
            .data(),
        json!(null)
    );
    for (bound, times) in [("answer", 2), ("body", 1), ("batch", 1), ("time", 1)] {
        // Responses that are sent in parts may take longer than 0.3 seconds too.
        let found = counted(&service, bound, "reader", "measure").await;
        assert!(
            found == times || bound == "time" && found > times,
            "{bound}: {found}"
        );
        assert_eq!(counted(&service, bound, "reader", "enforce").await, 0);
    }
}

#[tokio::test]
async fn unknown_roles_are_limited_and_not_named_in_metrics() {
    let service = Service::of_file("[bounds]\nroots = 1\n").await;
    let two = "{ a: __typename b: __typename }";
    for role in ["nobody", "somebody"] {
        ask(&service, role, two).await.assert_error(
            400,
            "limit-exceeded",
            "the limit on root fields of a document is 1",
        );
    }
    assert_eq!(counted(&service, "roots", "", "enforce").await, 2);
    assert!(!service.metrics().await.contains("nobody"));
    assert_ne!(ask(&service, "admin", two).await.data(), json!(null));
}

#[tokio::test]
async fn reload_changes_limits() {
    let database = tests::create("front", &[SCHEMA]).await.unwrap();
    let url = database.url().to_owned();
    let text = Arc::new(Mutex::new(""));
    let given = text.clone();
    let gather = move || {
        let mut settings = Settings::from_text("gateway.toml", *given.lock().unwrap())?;
        for (name, value) in [
            ("admin-secret", ADMIN_SECRET),
            ("database-url", &url),
            ("listen", "127.0.0.1:0"),
        ] {
            settings.set(name, value)?;
        }
        Ok(settings)
    };
    let running = tests::gateway()
        .settings_from(gather)
        .permissions_text("service.toml", PERMISSIONS);
    let service = Service::from_parts(running.start().await.unwrap(), database);
    let query = "{ authors { id name } }";
    let limit_message = "the limit on fields of a document is 2";
    assert_ne!(ask(&service, "reader", query).await.data(), json!(null));
    *text.lock().unwrap() = "[bounds]\nfields = 2\n";
    service.gateway.reload().await.unwrap();
    ask(&service, "reader", query)
        .await
        .assert_error(400, "limit-exceeded", limit_message);
    // A reload with invalid limits keeps the current ones.
    for (fault, message) in [
        (
            "[bounds.role.raeder]\nfields = 1\n",
            "`bounds`: the permission file has no role `raeder`",
        ),
        ("[bounds]\nfeilds = 1\n", "line 2: unknown field `feilds`"),
    ] {
        *text.lock().unwrap() = fault;
        let error = service.gateway.reload().await.unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
        ask(&service, "reader", query)
            .await
            .assert_error(400, "limit-exceeded", limit_message);
    }
    *text.lock().unwrap() = "[bounds]\nfields = 2\nmeasure = [\"fields\"]\n";
    service.gateway.reload().await.unwrap();
    assert_ne!(ask(&service, "reader", query).await.data(), json!(null));
    // Counters survive a reload.
    assert_eq!(counted(&service, "fields", "reader", "enforce").await, 3);
    assert_eq!(counted(&service, "fields", "reader", "measure").await, 1);
}
