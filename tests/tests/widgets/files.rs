//! Tests the files and the page: types, tags, CORS and the page's policy.

use super::service::Service;
use tests::reply::Reply;

#[tokio::test(flavor = "multi_thread")]
async fn files_and_page_are_served() {
    let service = Service::start().await;
    let get = async |path: &str, tag: Option<&str>| {
        let request = service
            .http
            .get(service.url(path))
            .header("Origin", "https://shop.example");
        let request = match tag {
            Some(tag) => request.header("If-None-Match", tag),
            None => request,
        };
        Reply::of(request).await.unwrap()
    };
    for name in [
        "transparency-app",
        "svc-overview",
        "svc-consents",
        "svc-rights-management",
        "svc-privacy",
        "svc-data-map",
    ] {
        let path = format!("/widgets/{name}.js");
        let file = get(&path, None).await;
        assert_eq!(
            (file.status, file.header("content-type")),
            (200, "text/javascript; charset=utf-8"),
            "{path}"
        );
        assert_eq!(file.header("access-control-allow-origin"), "*");
        assert!(file.text.contains(&format!("define(\"{name}\"")), "{path}");
        let again = get(&path, Some(file.header("etag"))).await;
        assert_eq!((again.status, again.text.as_str()), (304, ""), "{path}");
    }
    assert_eq!(get("/widgets/other.js", None).await.status, 404);
    for (path, language, controller) in [
        ("/widgets/demo", "de", service.fact("data_controller_id")),
        (
            "/widgets/demo?lang=en",
            "en",
            service.fact("other_data_controller_id"),
        ),
        (
            "/widgets/demo?lang=nl",
            "nl",
            "28285863-9517-4ed6-b74c-a4cbb3f09a06",
        ),
    ] {
        let page = get(path, None).await;
        assert_eq!(
            (page.status, page.header("content-type")),
            (200, "text/html; charset=utf-8")
        );
        let policy = page.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'; ") && !policy.contains("unsafe"),
            "{policy}"
        );
        assert!(
            page.text.contains(&format!("<html lang=\"{language}\"")) && !page.text.contains("{{"),
            "{path}"
        );
        assert_eq!(
            page.text
                .matches(&format!("data-controller-id=\"{controller}\""))
                .count(),
            6,
            "{path}"
        );
        for secret in ["admin_secret", "pat", "pat_anonymous"] {
            assert!(!page.text.contains(service.fact(secret)), "{secret}");
        }
    }
}
