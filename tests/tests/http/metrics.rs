//! Tests `/metrics`: who may read it, and that it reports what has happened.

use std::time::{Duration, Instant};

use serde_json::json;
use tests::service::ADMIN_SECRET;

use super::service::{Service, send};
use super::socket::Socket;

/// The value of a series; zero if it is missing.
fn value(text: &str, series: &str) -> f64 {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.map_or(0.0, |number| number.parse().unwrap())
}

/// Waits until the condition holds for the metrics, for at most 15 seconds.
async fn until(service: &Service, what: &str, holds: impl Fn(&str) -> bool) {
    let end = Instant::now() + Duration::from_secs(15);
    loop {
        let text = service.metrics().await;
        if holds(&text) {
            return;
        }
        assert!(Instant::now() < end, "still not: {what}\n{text}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn metrics_are_in_the_prometheus_text_format() {
    let service = Service::start().await;
    let reply = send(service.get("/metrics")).await;
    assert_eq!(
        reply.header("content-type"),
        "text/plain; version=0.0.4; charset=utf-8"
    );
    assert_eq!(reply.header("cache-control"), "no-store");
    for line in reply.text.lines().filter(|line| !line.starts_with('#')) {
        let (series, number) = line.rsplit_once(' ').unwrap();
        assert!(number.parse::<f64>().is_ok(), "{line}");
        let name = series.split('{').next().unwrap();
        assert!(
            name.starts_with("postern_") || name.starts_with("process_") || name == "target_info",
            "{line}"
        );
        let sound = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        assert!(name.chars().all(sound), "{line}");
    }
    let version = format!(
        "postern_build_info{{version=\"{}\"}}",
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(value(&reply.text, &version), 1.0);
    assert!(value(&reply.text, "process_start_time_seconds") > 1.7e9);
    if cfg!(target_os = "linux") {
        assert!(value(&reply.text, "process_resident_memory_bytes") > 1e6);
        assert!(value(&reply.text, "process_open_fds") > 3.0);
    }
    let wrong = send(service.client.post(service.url("/metrics"))).await;
    assert_eq!(
        (wrong.status, wrong.header("allow")),
        (405, "GET, HEAD, OPTIONS")
    );
}

#[tokio::test]
async fn prometheus_gets_open_metrics_when_it_prefers_them() {
    let service = Service::start().await;
    let accept = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5";
    let reply = send(service.get("/metrics").header("Accept", accept)).await;
    assert_eq!(
        reply.header("content-type"),
        "application/openmetrics-text; version=1.0.0; charset=utf-8"
    );
    assert!(reply.text.ends_with("\n# EOF\n"), "{}", reply.text);
    assert!(
        reply.text.contains("# TYPE process_cpu_seconds counter\n"),
        "{}",
        reply.text
    );
}

#[tokio::test]
async fn metrics_without_a_secret_are_refused_to_other_machines() {
    let service = Service::start().await;
    for name in ["X-Forwarded-For", "Forwarded", "Via"] {
        let reply = send(service.get("/metrics").header(name, "127.0.0.1")).await;
        assert_eq!(
            (reply.status, reply.json()["status"].as_str()),
            (403, Some("error")),
            "{name}: {}",
            reply.text
        );
    }
    let open = Service::with(&[("metrics-open", "true")]).await;
    assert_eq!(
        send(open.get("/metrics").header("Via", "1.1 proxy"))
            .await
            .status,
        200
    );
    let secret = Service::with(&[
        ("metrics-open", "true"),
        ("metrics-secret", "of prometheus"),
    ])
    .await;
    assert_eq!(send(secret.get("/metrics")).await.status, 401);
}

#[tokio::test]
async fn requests_are_counted_by_route_status_and_code() {
    let service = Service::with(&[("pool-size", "3")]).await;
    for _ in 0..3 {
        assert_eq!(service.ask("{ authors { id } }").await.status, 200);
    }
    assert_eq!(service.ask("{ nothing }").await.status, 200);
    assert_eq!(service.ask_strictly("{ nothing }").await.status, 400);
    let batch = json!([{"query": "{ authors { id } }"}, {"query": "{"}]);
    assert_eq!(send(service.reader().json(&batch)).await.status, 200);
    assert_eq!(
        send(service.post().json(&json!({"query": "{ authors { id } }"})))
            .await
            .status,
        401
    );
    for path in ["/secret/of/a/caller", "/another"] {
        assert_eq!(send(service.get(path)).await.status, 404);
    }
    let text = service.metrics().await;
    let requests = |route: &str, status: u16, code: &str| {
        value(
            &text,
            &format!(
                "postern_requests_total{{code=\"{code}\",route=\"{route}\",status=\"{status}\"}}"
            ),
        )
    };
    assert_eq!(requests("/v1/graphql", 200, ""), 3.0);
    assert_eq!(requests("/v1/graphql", 200, "validation-failed"), 1.0);
    assert_eq!(requests("/v1/graphql", 400, "validation-failed"), 1.0);
    assert_eq!(
        requests("/v1/graphql", 200, "parse-failed"),
        1.0,
        "the error of a batch: {text}"
    );
    assert_eq!(requests("/v1/graphql", 401, "access-denied"), 1.0);
    assert_eq!(requests("other", 404, "not-found"), 2.0);
    assert!(!text.contains("caller"), "a label that a caller made up");
    assert_eq!(
        value(
            &text,
            "postern_request_duration_seconds_count{route=\"/v1/graphql\"}"
        ),
        7.0
    );
    assert!(
        value(
            &text,
            "postern_request_duration_seconds_sum{route=\"/v1/graphql\"}"
        ) > 0.0
    );
    assert_eq!(
        value(
            &text,
            "postern_request_duration_seconds_bucket{route=\"/v1/graphql\",le=\"+Inf\"}"
        ),
        7.0
    );
    // Of one document by one role the first lookup misses, and three documents were refused before
    // they were cached.
    assert_eq!(
        value(&text, "postern_plan_cache_lookups_total{outcome=\"hit\"}"),
        3.0
    );
    assert_eq!(
        value(&text, "postern_plan_cache_lookups_total{outcome=\"miss\"}"),
        4.0
    );
    assert_eq!(value(&text, "postern_pool_connections_limit"), 3.0);
    assert!(value(&text, "postern_pool_connections") >= 1.0);
    // The request for the metrics itself.
    assert_eq!(value(&text, "postern_requests_in_flight"), 1.0);
}

#[tokio::test]
async fn running_waiting_and_cancelled_requests_are_reported() {
    let service = Service::with(&[("pool-size", "1")]).await;
    let mut sockets = Vec::new();
    for _ in 0..3 {
        let mut socket = Socket::connect(service.address()).await;
        socket.post("", br#"{"query":"{ slow { slept } }"}"#).await;
        sockets.push(socket);
    }
    until(&service, "one runs and two wait", |text| {
        value(text, "postern_requests_in_flight") == 4.0
            && value(text, "postern_pool_waiting") == 2.0
            && value(text, "postern_pool_connections_idle") == 0.0
    })
    .await;
    drop(sockets);
    until(&service, "they are given up", |text| {
        value(text, "postern_requests_in_flight") == 1.0
            && value(text, "postern_requests_abandoned_total") == 3.0
    })
    .await;
    service.is_well().await;
}

#[tokio::test]
async fn metrics_secret_is_required() {
    let service = Service::with(&[("metrics-secret", "only for prometheus")]).await;
    let ask = |authorization: Option<&'static str>| {
        let request = service.get("/metrics");
        send(authorization.into_iter().fold(request, |request, value| {
            request.header("Authorization", value)
        }))
    };
    let refusal = ask(None).await;
    assert_eq!(
        (refusal.status, refusal.header("www-authenticate")),
        (401, "Bearer")
    );
    assert_eq!(
        refusal.json(),
        json!({"status": "error", "message": "No authorization header provided", "data": null})
    );
    for wrong in [
        "Bearer only for",
        "Bearer",
        "only for prometheus",
        "Bearer only for prometheus and me",
    ] {
        let refusal = ask(Some(wrong)).await;
        assert_eq!(
            (refusal.status, refusal.error().message.as_str()),
            (401, "invalid metrics secret"),
            "{wrong}"
        );
        assert!(!refusal.text.contains("postern_"));
    }
    // The metrics secret gives access to nothing else, and no other credential to the metrics.
    assert_eq!(
        send(
            service
                .reader()
                .bearer_auth("only for prometheus")
                .json(&json!({"query": "{ authors { id } }"}))
        )
        .await
        .status,
        200
    );
    let other = service
        .post()
        .bearer_auth("only for prometheus")
        .json(&json!({"query": "{ authors { id } }"}));
    assert_eq!(send(other).await.status, 401);
    assert_eq!(
        send(
            service
                .get("/metrics")
                .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
        )
        .await
        .status,
        401
    );
    let refusal = ask(Some("bearer only for prometheus")).await;
    assert_eq!(refusal.status, 200);
    assert!(
        value(
            &refusal.text,
            "postern_requests_total{code=\"access-denied\",route=\"/metrics\",status=\"401\"}"
        ) >= 5.0
    );
}

#[tokio::test]
async fn reloads_are_counted() {
    let service = Service::start().await;
    service.gateway.reload().await.unwrap();
    let text = service.metrics().await;
    assert_eq!(value(&text, "postern_reloads_total{outcome=\"done\"}"), 1.0);
    assert_eq!(
        value(&text, "postern_reloads_total{outcome=\"failed\"}"),
        0.0
    );
}
