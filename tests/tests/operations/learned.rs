//! Tests the recorder, which writes requested operations to a file that can be used as an allow
//! list.

use std::time::{Duration, Instant};

use serde_json::json;

use super::place::Service;

const PATIENCE: Duration = Duration::from_secs(20);

/// Waits until the file contains the text, and returns the file.
async fn until_learned(service: &Service, part: &str) -> String {
    let end = Instant::now() + PATIENCE;
    loop {
        let text = service.place.read("learned.toml");
        if text.contains(part) {
            return text;
        }
        assert!(Instant::now() < end, "no {part:?} in {text:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn recorded_operations_form_an_allow_list() {
    let service = Service::with("[operations]\nlearn = \"learned.toml\"\n").await;
    let names = "query Names { authors(order_by: {id: asc}) { name } }";
    let one = json!({"query": "query One($id: Int!) { articles(where: {id: {_eq: $id}, title: \
                               {_neq: \"'''\\n\\\"\"}}) { id } }", "variables": {"id": 1}});
    for _ in 0..3 {
        assert_eq!(service.ask("reader", names).await.status, 200);
        assert_eq!(
            service
                .ask("reader", &names.replace(' ', "  "))
                .await
                .status,
            200
        );
    }
    assert_eq!(
        service.ask("visitor", names).await.error().code,
        "validation-failed",
        "it may not sort by the key"
    );
    assert_eq!(
        service
            .ask("visitor", "{ authors { name __typename } }")
            .await
            .status,
        200
    );
    assert_eq!(service.post("reader", &one).await.status, 200);
    assert_eq!(
        service.ask("reader", "{ nothing }").await.error().code,
        "validation-failed"
    );
    assert_eq!(
        service.ask("admin", "{ authors { born } }").await.status,
        200
    );
    let text = until_learned(&service, "query One").await;
    assert_eq!(text.matches("query Names").count(), 1, "{text}");
    for part in ["nothing", "born", "__typename", "admin"] {
        assert!(!text.contains(part), "{part}: {text}");
    }
    assert!(
        text.contains("roles = [\"reader\"]") && text.contains("roles = [\"visitor\"]"),
        "{text}"
    );

    // From now on only the recorded operations are allowed.
    service
        .place
        .configure("[operations]\nallow_list = \"learned.toml\"\nmode = \"enforce\"\n");
    service.gateway.reload().await.unwrap();
    assert_eq!(service.ask("reader", names).await.status, 200);
    assert!(!service.post("reader", &one).await.data().is_null());
    assert!(
        !service
            .ask("visitor", "{authors{name}}")
            .await
            .data()
            .is_null()
    );
    assert_eq!(
        service.ask("visitor", names).await.error().message,
        "query is not allowed"
    );
    assert_eq!(
        service
            .ask("reader", "{ authors { name } }")
            .await
            .error()
            .message,
        "query is not allowed"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn only_new_and_allowed_operations_are_recorded() {
    let settings = "[operations]\nallow_list = \"list.toml\"\nlearn = \
                    \"learned.toml\"\n[operations.role.visitor]\nmode = \"enforce\"\n";
    let location = super::place::Place::with(settings).await;
    location.write(
        "list.toml",
        "[[collection]]\nqueries = [\"query Listed { authors { name } }\"]\n",
    );
    location.write(
        "learned.toml",
        "[[collection]]\nroles = [\"author\"]\nqueries = [\"query Earlier { authors { id } }\"]\n",
    );
    let service = location.start().await;
    assert_eq!(
        service
            .ask("reader", "query Listed { authors { name } }")
            .await
            .status,
        200
    );
    assert_eq!(
        service
            .ask("visitor", "query Refused { authors { name } }")
            .await
            .error()
            .message,
        "query is not allowed"
    );
    assert_eq!(
        service
            .ask("reader", "query New { authors { name } }")
            .await
            .status,
        200
    );
    let text = until_learned(&service, "query New").await;
    assert!(
        !text.contains("Listed") && !text.contains("Refused"),
        "{text}"
    );
    assert!(
        text.contains("query Earlier"),
        "what was learned before stays: {text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn recorder_writes_at_a_reload_and_at_shutdown() {
    let service = Service::with("[operations]\nlearn = \"learned.toml\"\n").await;
    assert_eq!(
        service
            .ask("reader", "query First { authors { name } }")
            .await
            .status,
        200
    );
    service.gateway.reload().await.unwrap();
    assert!(service.place.read("learned.toml").contains("query First"));
    assert_eq!(
        service
            .ask("reader", "query Last { authors { name } }")
            .await
            .status,
        200
    );
    let Service {
        place: location,
        gateway: running,
    } = service;
    running.shutdown().await;
    let end = Instant::now() + PATIENCE;
    while !location.read("learned.toml").contains("query Last") {
        assert!(Instant::now() < end, "{}", location.read("learned.toml"));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(location.read("learned.toml").contains("query First"));
}
