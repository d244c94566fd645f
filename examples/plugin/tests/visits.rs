//! Runs a gateway with the example's plugin.

#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::Arc;

use gateway::Gateway;
use gateway::config::Settings;
use gateway::server::{Builder, StartError};
use plugin_example::Visits;
use tests::TestDatabase;

fn builder(database: &TestDatabase, file: &str) -> Builder {
    let builder = Gateway::builder().settings(Settings::from_text("gateway.toml", file).unwrap());
    let builder = builder
        .database_url(database.url())
        .admin_secret("open sesame, please")
        .listen("127.0.0.1:0");
    builder.plugin(Arc::new(Visits::default()))
}

#[tokio::test(flavor = "multi_thread")]
async fn visits_are_counted_and_written_at_shutdown() {
    let database = tests::create("plugin", &[]).await.unwrap();
    let file = "[visits]\nwrite_seconds = 3600\n";
    builder(&database, file).migrate().await.unwrap();
    builder(&database, file).migrate().await.unwrap();
    let running = builder(&database, file).start().await.unwrap();
    let url = format!("{}/visit", running.url());
    let client = reqwest::Client::new();
    for _ in 0..3 {
        assert_eq!(client.post(&url).send().await.unwrap().status(), 200);
    }
    assert_eq!(
        client.get(&url).send().await.unwrap().text().await.unwrap(),
        "{\"visits\" : 0}"
    );
    running.shutdown().await;
    database.until("total = 3 FROM postern.visits").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_of_the_plugin_are_checked() {
    let database = tests::create("plugin", &[]).await.unwrap();
    let fault = async |file: &str| match builder(&database, file).start().await {
        Err(error @ (StartError::Plugin(_) | StartError::Config(_))) => error.to_string(),
        other => format!("{:?}", other.is_ok()),
    };
    assert!(
        fault("[visits]\nwrite_seconds = 0\n")
            .await
            .contains("`write_seconds` has to be at least 1")
    );
    assert!(
        fault("[visits]\nseconds = 1\n")
            .await
            .contains("line 2: unknown field `seconds`")
    );
    assert!(
        fault("[visit]\nwrite_seconds = 1\n")
            .await
            .contains("`visit` is not a setting; did you mean `visits`?")
    );
}
