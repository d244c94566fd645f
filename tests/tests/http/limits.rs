//! Tests limits and hostile input: each gets a clear error, the connection is not dropped without a
//! response, and the next request succeeds.

use std::time::{Duration, Instant};

use futures_util::stream;
use serde_json::{Value, json};
use tests::reply::Reply;
use tests::reply::ReplyError;

use super::service::{Service, send};
use super::socket::Socket;

/// Fails unless the reply is a client error with one of these codes.
#[track_caller]
fn hostile(reply: &Reply, codes: &[&str]) {
    let ReplyError {
        status,
        code,
        message,
    } = reply.error();
    assert!(
        status < 500 && reply.is_sound_error(),
        "{status} {}",
        reply.text
    );
    assert!(codes.contains(&code.as_str()), "{code}: {message}");
    assert!(message.len() < 2000, "a message of {} bytes", message.len());
}

#[tokio::test]
async fn body_size_is_limited() {
    let service = Service::with(&[("body-limit", "1000")]).await;
    let message = "the body is larger than the limit of 1000 bytes";
    let document = "{ authors { id } }";
    let fits = |size: usize| {
        let body = json!({"query": document}).to_string();
        format!("{body}{}", " ".repeat(size - body.len()))
    };
    assert_eq!(service.body(fits(1000)).await.status, 200);
    service
        .body(fits(1001))
        .await
        .assert_error(413, "limit-exceeded", message);
    let ten_megabytes = fits(10 << 20);
    service
        .body(ten_megabytes.clone())
        .await
        .assert_error(413, "limit-exceeded", message);
    let parts: Vec<Result<Vec<u8>, std::io::Error>> = ten_megabytes
        .as_bytes()
        .chunks(64 << 10)
        .map(|part| Ok(part.to_vec()))
        .collect();
    let chunked = reqwest::Body::wrap_stream(stream::iter(parts));
    service
        .body(chunked)
        .await
        .assert_error(413, "limit-exceeded", message);
    let small = reqwest::Body::wrap_stream(stream::iter([Ok::<_, std::io::Error>(fits(500))]));
    assert_eq!(service.body(small).await.status, 200);
    service.is_well().await;
}

#[tokio::test]
async fn oversized_content_length_is_refused_at_once() {
    let service = Service::start().await;
    let mut socket = Socket::connect(service.address()).await;
    socket
        .send(
            "POST /v1/graphql HTTP/1.1\r\nHost: x\r\nX-Gateway-Admin-Secret: open \
               sesame, please\r\nContent-Type: application/json\r\nContent-Length: \
               99999999999\r\nExpect: 100-continue\r\n\r\n",
        )
        .await;
    assert_eq!(socket.reply().await.unwrap().status, 413);
    service.is_well().await;
}

#[tokio::test]
async fn nesting_of_documents_is_limited() {
    let service = Service::start().await;
    let deep = 100_000;
    let documents = [
        "{".repeat(deep),
        "{a".repeat(deep),
        format!("{}{}", "{a".repeat(deep), "}".repeat(deep)),
        "[".repeat(deep),
        format!("{{ authors(where: {}", "{_not:".repeat(deep / 3)),
        format!("{{ authors(where: {{_and: {}", "[".repeat(deep)),
        format!("{{ authors(limit: {}", "(".repeat(deep)),
        format!("query ($a: {}Int", "[".repeat(deep)),
        format!("{{ authors {}", "...{".repeat(deep / 2)),
        format!("{{ authors {} {{ id }} }}", "@a".repeat(deep)),
    ];
    for document in &documents {
        let reply = service.ask(document).await;
        hostile(&reply, &["limit-exceeded", "parse-failed"]);
    }
    let reply = service.ask(&documents[2]).await;
    assert_eq!(
        (reply.status, reply.error().code.as_str()),
        (400, "limit-exceeded"),
        "{}",
        reply.text
    );
    service.is_well().await;
}

#[tokio::test]
async fn nesting_of_json_is_limited() {
    let service = Service::start().await;
    let deep = 100_000;
    let query = "query ($w: authors_bool_exp) { authors(where: $w) { id } }";
    for (open, close) in [("[", "]"), ("{\"_not\":", "}"), ("{\"a\":[", "]}")] {
        for close in [close, ""] {
            let variables = format!("{}1{}", open.repeat(deep), close.repeat(deep));
            let body = format!(r#"{{"query":"{query}","variables":{{"w":{variables}}}}}"#);
            hostile(&service.body(body).await, &["bad-request"]);
        }
        hostile(&service.body(open.repeat(deep)).await, &["bad-request"]);
    }
    let body = format!(
        r#"{{"query":"{{ authors {{ id }} }}","extensions":{}}}"#,
        "[".repeat(deep)
    );
    hostile(&service.body(body).await, &["bad-request"]);
    // Nesting that JSON still allows is subject to the limits on GraphQL.
    let mut exists = json!({});
    (0..60).for_each(|_| exists = json!({"_not": exists}));
    assert_eq!(
        service.ask_with(query, json!({"w": exists})).await.status,
        200
    );
    service.is_well().await;
}

#[tokio::test]
async fn fragments_count_at_every_spread() {
    let service = Service::start().await;
    let mut document = "{ authors { ...F0 } }".to_owned();
    for n in 0..30 {
        document.push_str(&format!(
            " fragment F{n} on authors {{ ...F{0} ...F{0} }}",
            n + 1
        ));
    }
    document.push_str(" fragment F30 on authors { id }");
    let began = Instant::now();
    hostile(&service.ask(&document).await, &["limit-exceeded"]);
    let circle =
        "{ authors { ...A } } fragment A on authors { ...B } fragment B on authors { ...A }";
    hostile(&service.ask(circle).await, &["validation-failed"]);
    let wide = format!(
        "{{ authors {{ {} }} }} fragment F on authors {{ id name }}",
        "...F ".repeat(10_000)
    );
    hostile(&service.ask(&wide).await, &["limit-exceeded"]);
    let overlapping = format!("{{ {} }}", "authors { id name } ".repeat(3000));
    hostile(&service.ask(&overlapping).await, &["limit-exceeded"]);
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
    service.is_well().await;
}

#[tokio::test]
async fn depth_aliases_and_root_fields_are_limited() {
    let limits = [
        ("depth-limit", "6"),
        ("alias-limit", "5"),
        ("root-limit", "4"),
        ("field-limit", "30"),
    ];
    let service = Service::with(&limits).await;
    let nested = |depth: usize| {
        let inside = (0..depth).fold("id".to_owned(), |inside, level| match level % 2 {
            0 => format!("author {{ {inside} }}"),
            _ => format!("articles {{ {inside} }}"),
        });
        format!(
            "{{ {} {{ {inside} }} }}",
            if depth.is_multiple_of(2) {
                "authors"
            } else {
                "articles"
            }
        )
    };
    assert_eq!(service.ask(&nested(4)).await.status, 200);
    let several = |n: usize, field: &str| {
        (0..n)
            .map(|n| field.replace('#', &n.to_string()))
            .collect::<String>()
    };
    assert_eq!(
        service
            .ask(&format!("{{ authors {{ {} }} }}", several(5, "a#: id ")))
            .await
            .status,
        200
    );
    let roots = several(5, "r#: authors { id } ");
    let beyond = [
        (nested(6), "6"),
        (
            format!("{{ authors {{ {} }} }}", several(6, "a#: id ")),
            "5",
        ),
        (format!("{{ {roots} }}"), "4"),
        (format!("{{ authors {{ {} }} }}", "id ".repeat(40)), "30"),
    ];
    for (document, limit) in beyond {
        let reply = service.ask(&document).await;
        let ReplyError {
            status,
            code,
            message,
        } = reply.error();
        assert_eq!(
            (status, code.as_str()),
            (400, "limit-exceeded"),
            "{document}: {}",
            reply.text
        );
        assert!(message.contains(limit), "{message}");
    }
    service.is_well().await;
}

#[tokio::test]
async fn many_errors_give_a_short_response() {
    let service = Service::start().await;
    let document = format!(
        "{{ {} }}",
        (0..4000)
            .map(|n| format!("nothing{n} "))
            .collect::<String>()
    );
    let reply = service.ask(&document).await;
    hostile(&reply, &["limit-exceeded", "validation-failed"]);
    assert!(reply.text.len() < 20_000, "{}", reply.text.len());
    let name = "x".repeat(200_000);
    let reply = service.ask(&format!("{{ {name} }}")).await;
    assert!(reply.status < 500 && reply.is_sound_error());
    assert!(
        reply.text.len() < 20_000,
        "an answer of {} bytes",
        reply.text.len()
    );
}

#[tokio::test]
async fn invalid_utf_8_is_refused() {
    let service = Service::start().await;
    let bodies: [&[u8]; 5] = [
        b"{\"query\":\"{ authors { id } } # \xff\"}",
        b"{\"query\":\"\xc0\xaf\"}",
        b"{\"\xed\xa0\x80\":1}",
        b"\xff\xfe{\x00}\x00",
        b"\x00",
    ];
    for body in bodies {
        hostile(&service.body(body).await, &["bad-request"]);
    }
    service.is_well().await;
}

#[tokio::test]
async fn nul_characters_and_lone_surrogates_are_refused() {
    let service = Service::start().await;
    // In the document, in a string of it, in its name and in a variable; escaped in JSON or in
    // GraphQL.
    let find = r#"query ($t: String) { articles(where: {title: {_eq: $t}}) { id } }"#;
    let bodies = [
        r#"{"query":"{ authors { id } \u0000 }"}"#.to_owned(),
        r#"{"query":"{ articles(where: {title: {_eq: \"a\u0000b\"}}) { id } }"}"#.to_owned(),
        r#"{"query":"{ articles(where: {title: {_eq: \"a\\u0000b\"}}) { id } }"}"#.to_owned(),
        r#"{"query":"{ articles(where: {title: {_eq: \"\\ud800\"}}) { id } }"}"#.to_owned(),
        r#"{"query":"{ articles(where: {title: {_eq: \"\ud800\"}}) { id } }"}"#.to_owned(),
        r#"{"query":"{ \ud800 }"}"#.to_owned(),
        format!(r#"{{"query":"{find}","variables":{{"t":"a\u0000b"}}}}"#),
        format!(r#"{{"query":"{find}","variables":{{"t":"\udc00"}}}}"#),
        r#"{"query":"query ($b: jsonb) { articles(where: {body: {_eq: $b}}) { id } }","variables":{"b":{"a\u0000":"\u0000"}}}"#.to_owned(),
    ];
    for body in bodies {
        let reply = service.body(body.clone()).await;
        assert!(
            reply.status < 500 && reply.is_sound_error(),
            "{body}: {} {}",
            reply.status,
            reply.text
        );
    }
    // JSON may escape a character as a pair of surrogates. The GraphQL parser does not accept such
    // pairs yet.
    let fine = r#"{"query":"{ articles(where: {title: {_eq: \"\ud83d\ude00\"}}) { id } }"}"#;
    assert_eq!(service.body(fine).await.data(), json!({"articles": []}));
    let name = service
        .body(r#"{"query":"{ authors { id } }","operationName":"a\u0000"}"#)
        .await;
    assert!(name.status < 500 && name.is_sound_error(), "{}", name.text);
    service.is_well().await;
}

#[tokio::test]
async fn numbers_out_of_range_are_refused() {
    let service = Service::start().await;
    let digits = "9".repeat(100_000);
    let many = [
        ("int: Int", "id", "2147483648"),
        ("int: Int", "id", "-2147483649"),
        ("int: Int", "id", "1.5"),
        ("int: Int", "id", "1e999999999"),
        ("int: Int", "id", digits.as_str()),
        ("int: bigint", "size", "9223372036854775808"),
        ("int: bigint", "size", digits.as_str()),
        ("int: numeric", "price", "1e999999999"),
        ("int: numeric", "price", digits.as_str()),
    ];
    for (variable, column, number) in many {
        let (name, kind) = variable.split_once(": ").unwrap();
        let query = format!(
            "query (${name}: {kind}) {{ articles(where: {{{column}: {{_eq: ${name}}}}}) {{ id }} }}"
        );
        let body = format!(r#"{{"query":"{query}","variables":{{"{name}":{number}}}}}"#);
        let reply = service.body(body).await;
        // A number with many digits may match no row; an error has to be a client error.
        let shown: String = number.chars().take(20).collect();
        if reply.status != 200 || reply.data() == Value::Null {
            assert!(
                reply.status < 500 && reply.is_sound_error(),
                "{column} {shown}: {} {}",
                reply.status,
                reply.text
            );
        } else {
            assert_eq!(reply.data(), json!({"articles": []}), "{column} {shown}");
        }
        let literal = format!("{{ articles(where: {{{column}: {{_eq: {number}}}}}) {{ id }} }}");
        let reply = service.ask(&literal).await;
        assert!(
            reply.status < 500 && (reply.is_sound_error() || reply.data() != Value::Null),
            "{column} {shown}: {}",
            reply.text
        );
    }
    for limit in ["-1", "2147483648", "9223372036854775808", "1.5"] {
        let reply = service
            .ask(&format!("{{ articles(limit: {limit}) {{ id }} }}"))
            .await;
        hostile(&reply, &["constraint-violation", "validation-failed"]);
    }
    service.is_well().await;
}

#[tokio::test]
async fn slow_statement_is_cancelled_at_the_time_limit() {
    let service = Service::with(&[("time-limit", "0.7"), ("pool-size", "1")]).await;
    let began = Instant::now();
    let reply = service.ask("{ slow { id slept } }").await;
    reply.assert_error(
        504,
        "limit-exceeded",
        "the request took longer than the limit of 0.7 seconds",
    );
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "{:?}",
        began.elapsed()
    );
    // The pool's only connection is usable, and runs no statement.
    service.is_well().await;
    assert_eq!(sleeping(&service).await, 0);
    let batch = json!([{"query": "{ authors { id } }"}, {"query": "{ slow { slept } }"}, {"query": "{ \
         authors { id } }"}]);
    let reply = send(service.reader().json(&batch)).await;
    assert_eq!(
        reply.json()[1]["errors"][0]["extensions"]["code"],
        "limit-exceeded",
        "{}",
        reply.text
    );
    service.is_well().await;
}

#[tokio::test]
async fn disconnecting_client_cancels_its_statement() {
    let service = Service::with(&[("pool-size", "1")]).await;
    let mut socket = Socket::connect(service.address()).await;
    socket.post("", br#"{"query":"{ slow { slept } }"}"#).await;
    until(&service, 1).await;
    drop(socket);
    until(&service, 0).await;
    service.is_well().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_for_a_connection_counts_towards_the_time_limit() {
    let service = Service::with(&[("time-limit", "1"), ("pool-size", "1")]).await;
    let began = Instant::now();
    let responses = (0..4).map(|_| service.ask("{ slow { slept } }"));
    for reply in futures_util::future::join_all(responses).await {
        reply.assert_error(
            504,
            "limit-exceeded",
            "the request took longer than the limit of 1 seconds",
        );
    }
    assert!(
        began.elapsed() < Duration::from_secs(4),
        "{:?}",
        began.elapsed()
    );
    service.is_well().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn response_that_fails_midway_is_aborted() {
    let service = Service::with(&[("pool-size", "1")]).await;
    let flood = "{ flood { id text ratio } }";
    let response = Reply::of(service.reader().json(&json!({"query": flood}))).await;
    assert!(
        response.is_err(),
        "an answer cut off is no answer: {:?}",
        response.map(|reply| reply.text.len())
    );
    service.is_well().await;
    // In a batch it is buffered, so the error is reported.
    let reply = send(
        service
            .reader()
            .json(&json!([{"query": flood}, {"query": "{ authors { id } }"}])),
    )
    .await;
    let responses = reply.json();
    assert_eq!(responses[0]["errors"][0]["message"], "division by zero");
    assert!(responses[0].get("data").is_none() && responses[1]["data"]["authors"].is_array());
    // Without its last row it is complete, whatever its size.
    let reply = service
        .ask("{ flood(where: {id: {_lt: 60000}}) { id text } }")
        .await;
    assert_eq!(reply.data()["flood"].as_array().map(Vec::len), Some(59_999));
    // The statement is cancelled for a client that stops reading and disconnects.
    let mut response = service
        .reader()
        .json(&json!({"query": flood}))
        .send()
        .await
        .unwrap();
    assert!(response.chunk().await.unwrap().is_some());
    drop(response);
    service.is_well().await;
}

/// The number of statements that sleep at the moment.
async fn sleeping(service: &Service) -> i64 {
    let client = service.database.connect().await.unwrap();
    let query = "SELECT count(*) FROM pg_stat_activity \
                 WHERE datname = current_database() AND state = 'active' AND wait_event = \
                 'PgSleep'";
    client.query_one(query, &[]).await.unwrap().get(0)
}

async fn until(service: &Service, expected: i64) {
    let end = Instant::now() + Duration::from_secs(10);
    while sleeping(service).await != expected {
        assert!(
            Instant::now() < end,
            "{} statements sleep, {expected} should",
            sleeping(service).await
        );
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
}

#[tokio::test]
async fn slow_request_head_closes_the_connection() {
    let service = Service::with(&[("header-timeout", "0.4"), ("idle-timeout", "0.8")]).await;
    let soon = Duration::from_secs(5);
    for piece in ["", "POST /v1/graphql HTTP/1.1\r\nHost: x\r\n", "GET"] {
        let mut socket = Socket::connect(service.address()).await;
        socket.send(piece).await;
        assert!(socket.is_dropped(soon).await, "{piece:?}");
    }
    // The time limit applies to the whole head, also if it arrives byte by byte.
    let mut socket = Socket::connect(service.address()).await;
    let began = Instant::now();
    let mut dropped = false;
    for byte in "GET /healthz HTTP/1.1\r\nX-Slow: aaaaaaaaaaaaaaaaaaaaaaaaaa".bytes() {
        socket.send([byte]).await;
        dropped = socket.is_dropped(Duration::from_millis(50)).await;
        if dropped {
            break;
        }
    }
    assert!(dropped && began.elapsed() < soon);
    // An idle connection after a response has a longer limit, which applies too.
    let mut socket = Socket::connect(service.address()).await;
    socket.post("", br#"{"query":"{ authors { id } }"}"#).await;
    assert_eq!(socket.reply().await.unwrap().status, 200);
    assert!(socket.is_dropped(soon).await);
    service.is_well().await;
}

#[tokio::test]
async fn stalled_body_is_refused_after_the_body_timeout() {
    let service = Service::with(&[("body-timeout", "0.3")]).await;
    let head = "POST /v1/graphql HTTP/1.1\r\nHost: x\r\nX-Gateway-Admin-Secret: open \
                sesame, please\r\nContent-Type: application/json\r\n";
    for rest in [
        "Content-Length: 1000\r\n\r\n{\"query\":",
        "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"que\r\n",
    ] {
        let mut socket = Socket::connect(service.address()).await;
        socket.send(format!("{head}{rest}")).await;
        let reply = socket.reply().await.unwrap();
        reply.assert_error(
            408,
            "limit-exceeded",
            "the body did not arrive within the limit of 0.3 seconds",
        );
        assert!(socket.is_dropped(Duration::from_secs(10)).await);
    }
    service.is_well().await;
}

#[tokio::test]
async fn http2_client_with_zero_window_is_disconnected() {
    let service = Service::with(&[("header-timeout", "0.4"), ("idle-timeout", "0.8")]).await;
    let mut socket = Socket::connect(service.address()).await;
    // The settings frame forbids any stream to send a byte of a body.
    let settings = b"\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00";
    let get = b"\x00\x00\x06\x01\x05\x00\x00\x00\x01\x82\x84\x86\x41\x01x";
    socket
        .send([&b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..], settings, get].concat())
        .await;
    assert!(!socket.is_ended(Duration::from_millis(600)).await);
    assert!(socket.is_ended(Duration::from_secs(10)).await);
    service.is_well().await;
}

#[tokio::test]
async fn malformed_http_does_not_affect_the_service() {
    let service = Service::start().await;
    let junk: [&[u8]; 8] = [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\x00\x00\x00\x00\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /v1/graphql HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}",
        b"POST /v1/graphql HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /\x80 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\njunk that is no frame of it at all",
    ];
    for bytes in junk {
        let mut socket = Socket::connect(service.address()).await;
        socket.send(bytes).await;
        if let Ok(Some(reply)) =
            tokio::time::timeout(Duration::from_millis(300), socket.reply()).await
        {
            assert!(
                (400..500).contains(&reply.status),
                "{bytes:?}: {}",
                reply.status
            );
        }
    }
    let mut socket = Socket::connect(service.address()).await;
    let many: String = (0..5000).map(|n| format!("X-{n}: {n}\r\n")).collect();
    socket
        .send(format!("GET /healthz HTTP/1.1\r\nHost: x\r\n{many}\r\n"))
        .await;
    assert_eq!(socket.reply().await.map(|reply| reply.status), Some(431));
    service.is_well().await;
}

/// What hyper refuses has an error of the gateway, and is counted.
#[tokio::test]
async fn heads_that_are_refused_have_a_reason_and_are_counted() {
    let service = Service::start().await;
    let headers = |count: usize| {
        (0..count)
            .map(|n| format!("X-{n}: {n}\r\n"))
            .collect::<String>()
    };
    let get = |rest: &str| format!("GET /healthz HTTP/1.1\r\n{rest}\r\n").into_bytes();
    let post = |rest: &str| {
        format!("POST /v1/graphql HTTP/1.1\r\nHost: x\r\n{rest}\r\n\r\n{{}}").into_bytes()
    };
    let cases = [
        (
            get(&headers(101)),
            431,
            "limit-exceeded",
            "the request has more headers than the limit of 100",
        ),
        (
            get(&format!("X: {}\r\n", "x".repeat(70_000))),
            431,
            "limit-exceeded",
            "the head of the request is larger than the limit of 65536 bytes",
        ),
        (
            post("Content-Length: 2\r\nContent-Length: 3"),
            400,
            "bad-request",
            "this is not a valid HTTP request",
        ),
        (
            post("Content-Length: +33"),
            400,
            "bad-request",
            "this is not a valid HTTP request",
        ),
        (
            get("A: b\r\n c\r\n"),
            400,
            "bad-request",
            "this is not a valid HTTP request",
        ),
        (
            b"GET / HTTP/1.2\r\n\r\n".to_vec(),
            400,
            "bad-request",
            "this is not a valid HTTP request",
        ),
        (
            post("Transfer-Encoding: chunked, identity"),
            400,
            "bad-request",
            "this is not a valid HTTP request",
        ),
    ];
    for (bytes, status, code, message) in cases {
        let count = |status: u16| {
            service
                .gateway
                .app()
                .metrics
                .requests
                .with_label_values(&["other", &status.to_string(), code])
                .get()
        };
        let before = count(status);
        let mut socket = Socket::connect(service.address()).await;
        socket.send(bytes.clone()).await;
        let reply = socket.reply().await.unwrap();
        assert_eq!(
            reply.error(),
            ReplyError::new(status, code, message),
            "{}",
            String::from_utf8_lossy(&bytes)
        );
        assert_eq!(count(status), before + 1);
    }
    let mut socket = Socket::connect(service.address()).await;
    socket.send(get(&headers(99))).await;
    assert_eq!(socket.reply().await.unwrap().status, 200);
    service.is_well().await;
}

#[tokio::test]
async fn odd_requests_are_answered_as_http_says() {
    let service = Service::start().await;
    let send = async |bytes: &[u8]| {
        let mut socket = Socket::connect(service.address()).await;
        socket.send(bytes).await;
        socket.reply().await.unwrap()
    };
    let coded = b"POST /v1/graphql HTTP/1.1\r\nHost: x\r\nX-Gateway-Admin-Secret: open sesame, please\r\nContent-Type: application/json\r\n\
                  Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
    let reply = send(coded).await;
    assert_eq!(
        reply.error(),
        ReplyError::new(
            501,
            "not-supported",
            "the transfer encoding has to be 'chunked'"
        )
    );
    let reply = send(b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(
        reply.status == 204 && reply.header("allow").contains("POST"),
        "{}",
        reply.status
    );
}

#[tokio::test]
async fn connection_stays_usable_after_errors() {
    let service = Service::start().await;
    let mut socket = Socket::connect(service.address()).await;
    let good = br#"{"query":"{ authors { id } }"}"#;
    for body in [
        &b"{"[..],
        b"[]",
        br#"{"query":"{"}"#,
        br#"{"query":"{ nothing }"}"#,
        b"\xff",
    ] {
        socket.post("", body).await;
        let reply = socket.reply().await.unwrap();
        assert!(reply.is_sound_error(), "{}", reply.text);
        socket.post("", good).await;
        assert_eq!(socket.reply().await.unwrap().status, 200);
    }
    // Pipelined requests are answered in order.
    for body in [&good[..], br#"{"query":"{ nothing }"}"#, good] {
        socket.post("", body).await;
    }
    let mut responses = Vec::new();
    for _ in 0..3 {
        responses.push(socket.reply().await.unwrap().is_sound_error());
    }
    assert_eq!(responses, [false, true, false]);
}

#[tokio::test]
async fn total_size_of_repeated_values_is_limited() {
    let service = Service::start().await;
    let message = "the limit on bytes of a request's values is 67108864";
    let many = |item: &str, count: usize| vec![item; count].join(", ");
    let documents = [
        format!(
            "query($v: String!) {{ authors(where: {{name: {{_in: [{}]}}}}) {{ id }} }}",
            many("$v", 1000)
        ),
        format!(
            "query($v: jsonb!) {{ articles(where: {{body: {{_contains: [{}]}}}}) {{ id }} }}",
            many("{key: $v}", 1000)
        ),
        format!(
            "mutation($v: String!) {{ insert_articles(objects: [{}]) {{ affected_rows }} }}",
            many("{author_id: 99, title: $v}", 1000)
        ),
        format!(
            "mutation($v: String!) {{ {} }}",
            (0..40)
                .map(|n| format!(
                    "i{n}: insert_articles(objects: [{}]) {{ affected_rows }} ",
                    many("{title: $v}", 25)
                ))
                .collect::<String>()
        ),
    ];
    for document in documents {
        let small = service.ask_with(&document, json!({"v": "x"})).await;
        assert!(!small.text.contains("limit-exceeded"), "{}", small.text);
        // Once with a cached plan and once without.
        let large = json!({"v": "x".repeat(100_000)});
        service
            .ask_with(&document, large.clone())
            .await
            .assert_error(400, "limit-exceeded", message);
        service
            .ask_with(&format!("{document} "), large)
            .await
            .assert_error(400, "limit-exceeded", message);
    }
    service.is_well().await;
    // A value of conditions is sent once, however often the document uses its variable.
    let conditions = many("{name: {_eq: $v}}", 1000);
    let fields: String = (0..40)
        .map(|n| format!("a{n}: articles(where: {{title: {{_neq: $v}}}}, limit: 0) {{ id }} "))
        .collect();
    for document in [
        format!("{{ authors(where: {{_or: [{conditions}]}}) {{ id }} }}"),
        format!("{{ {fields} }}"),
    ] {
        let document = format!("query ($v: String!) {document}");
        for document in [&document, &document, &format!("{document} ")] {
            let reply = service
                .ask_with(document, json!({"v": "x".repeat(1_900_000)}))
                .await;
            assert!(
                reply
                    .data()
                    .as_object()
                    .unwrap()
                    .values()
                    .all(|rows| *rows == json!([])),
                "{}",
                reply.text
            );
        }
    }
    // The limit on values grows with the limit on bodies.
    let service =
        Service::with(&[("body-limit", "100000000"), ("memory-limit", "1000000000")]).await;
    let document = "query($v: String!) { a: authors(where: {name: {_eq: $v}}) { id } }";
    let long = service
        .ask_with(document, json!({"v": "x".repeat(70_000_000)}))
        .await;
    assert_eq!(long.data(), json!({"a": []}));
}
