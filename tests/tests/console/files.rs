//! Tests the page and the files: the policy, and how long and in which coding they are sent.

use super::service::Service;

#[tokio::test(flavor = "multi_thread")]
async fn page_and_files_load_nothing_from_elsewhere() {
    let service = Service::start("console = true\n").await;
    let page = service.send("GET", "/console", &[], None).await;
    assert_eq!(
        (page.status, page.header("content-type")),
        (200, "text/html; charset=utf-8")
    );
    let policy = page.header("content-security-policy");
    for directive in [
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ] {
        assert!(
            policy.split("; ").any(|known| known == directive),
            "{directive}: {policy}"
        );
    }
    assert_eq!(policy.matches("unsafe").count(), 1, "{policy}");
    assert!(
        policy.contains("style-src-attr 'unsafe-inline'"),
        "{policy}"
    );
    for (name, value) in [
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(page.header(name), value);
    }
    assert!(
        page.text.contains("content=\"X-Gateway-\"") && !page.text.contains("{{"),
        "{}",
        page.text
    );
    let scripts: Vec<&str> = page
        .text
        .split("src=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    assert!(!scripts.is_empty());
    for script in scripts {
        let file = service
            .send("GET", script, &[("Accept-Encoding", "br")], None)
            .await;
        assert_eq!(
            (file.status, file.header("content-encoding")),
            (200, "br"),
            "{script}"
        );
        assert_eq!(
            file.header("cache-control"),
            "public, max-age=31536000, immutable"
        );
        let held = [
            ("Accept-Encoding", "br"),
            ("If-None-Match", file.header("etag")),
        ];
        assert_eq!(
            service.send("GET", script, &held, None).await.status,
            304,
            "{script}"
        );
        let plain = service
            .send("GET", script, &[("Accept-Encoding", "identity")], None)
            .await;
        assert_eq!(
            (plain.status, plain.header("content-encoding")),
            (200, ""),
            "{script}"
        );
        assert!(plain.text.len() > 10_000, "{script}");
    }
    assert_eq!(
        service
            .send("GET", "/console/assets/index.html", &[], None)
            .await
            .status,
        404
    );
    assert_eq!(
        service.send("POST", "/console", &[], None).await.status,
        405
    );
}
