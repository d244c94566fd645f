//! Tests `[errors]`: which errors raised by functions of the database reach clients.

use serde_json::json;
use tests::reply::ReplyError;

use super::service::{ALL, PERMISSIONS, Service};

#[tokio::test(flavor = "multi_thread")]
async fn raised_errors_reach_clients_where_the_settings_say_so() {
    let query = "mutation { boom(args: {how: \"7\"}) }";
    let hidden = Service::start(PERMISSIONS, ALL, "").await.unwrap();
    let reply = hidden.ask("7", query).await;
    assert_eq!(
        reply.error().message,
        "a function or trigger of the database refuses the request"
    );
    assert!(!reply.text.contains("Monday"));
    hidden.end().await;
    let settings = "[errors]\nraise = \"message\"\ndetail = true\nhint = true\n";
    let shown = Service::start(PERMISSIONS, ALL, settings).await.unwrap();
    let reply = shown.ask("7", query).await;
    assert_eq!(
        reply.error(),
        ReplyError::new(200, "data-exception", "order 7 is closed")
    );
    let extensions = &reply.json()["errors"][0]["extensions"];
    assert_eq!(
        (&extensions["detail"], &extensions["hint"]),
        (&json!("since Monday"), &json!("open it"))
    );
    shown.end().await;
}
